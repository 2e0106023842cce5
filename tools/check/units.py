"""Finds cycles of includes among units (a header with its .cpp). A unit in a cycle cannot be understood, tested or
moved without all others of the cycle. Tarjan's algorithm for strongly connected components, SIAM J. Comput. 1 (1972), without recursion."""
import pathlib


def unit_of(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def graph_of(includes):
    """`includes`: file -> headers, both relative to the root. A unit depends on the units of all headers that its files include."""
    graph = {}
    for file, headers in includes.items():
        targets = graph.setdefault(unit_of(file), set())
        targets.update(unit_of(header) for header in headers if header in includes)
        targets.discard(unit_of(file))
    return graph


def circles(graph):
    """The components of more than one unit, each sorted."""
    number, lowest, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in number:
            continue
        work = [(root, iter(sorted(graph[root])))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            unit, rest = work[-1]
            deeper = None
            for target in rest:
                if target not in number:
                    deeper = target
                    break
                if target in on_stack:
                    lowest[unit] = min(lowest[unit], number[target])
            if deeper is not None:
                number[deeper] = lowest[deeper] = len(number)
                stack.append(deeper)
                on_stack.add(deeper)
                work.append((deeper, iter(sorted(graph[deeper]))))
                continue
            work.pop()
            if work:
                lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[unit])
            if lowest[unit] == number[unit]:
                component = []
                while component[-1:] != [unit]:
                    component.append(stack.pop())
                    on_stack.discard(component[-1])
                if len(component) > 1:
                    found.append(sorted(component))
    return sorted(found)
