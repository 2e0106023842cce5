"""Finds cycles of includes among units (a header with its .cpp). A unit in a cycle cannot be understood, tested or
moved without all others of the cycle. A .cpp without a header of its own belongs to the header in its folder whose class it defines.
units.txt lists the cycles that are accepted. Tarjan's algorithm for strongly connected components, SIAM J. Comput. 1 (1972), without recursion."""
import collections
import pathlib
import re

LIST = pathlib.Path(__file__).with_name("units.txt")
MEMBER = re.compile(r"^[^\s#/}].*?\b(\w+)::~?\w+\(", re.MULTILINE)  # defined outside of its class


def owner_of(path, texts, headers):
    """The file whose name the unit of a file has: itself, or the header of the class that a .cpp without its own header defines."""
    file = pathlib.PurePosixPath(path)
    if file.suffix != ".cpp" or str(file.with_suffix(".hpp")) in texts:
        return path
    near = [header for header in headers if header in texts and pathlib.PurePosixPath(header).parent == file.parent]
    found = collections.Counter(header for name in MEMBER.findall(texts[path]) for header in near
                                if re.search(rf"\b(?:class|struct) {name}\b(?!;)", texts[header]))
    return found.most_common(1)[0][0] if found else path


def unit_of(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def graph_of(includes, texts):
    """`includes`: file -> headers, both relative to the root. A unit depends on the units of all headers that its files include."""
    graph = {}
    for file, headers in includes.items():
        unit = unit_of(owner_of(file, texts, headers))
        targets = graph.setdefault(unit, set())
        targets.update(unit_of(header) for header in headers if header in includes)
        targets.discard(unit)
    return graph


def accepted():
    """The units of each cycle of units.txt."""
    lines = [line.partition("|")[0].split() for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return [sorted(line) for line in lines]


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
