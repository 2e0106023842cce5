#!/usr/bin/env python3
"""Finds functions and files that are too long (sizes.txt lists the exceptions). `./prism check` rejects them.

usage: python3 tools/check/sizes.py [LINES]      lists every function with more lines (80 without a number)

C and C++ are read as text: a block belongs to a function if its head has a parameter list and it stands in a namespace or a
class. Lambdas and local classes count as lines of their function. Python is read with its own parser. Of Fortran only the files count.
"""
import ast
import pathlib
import re
import subprocess
import sys

FUNCTION, FILE = 80, 700  # most lines
LIST = pathlib.Path(__file__).with_name("sizes.txt")
CPP = {".cpp", ".hpp", ".h", ".c"}
CODE = CPP | {".py", ".f90", ".F90"}
# A raw string, a comment, a string, a character (not a digit separator), or a preprocessor line with its continuations.
NOT_CODE = re.compile(r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\''
                      r'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.DOTALL | re.MULTILINE)
TEMPLATE = re.compile(r"^template\s*<")
SCOPE = re.compile(r"^(?:typedef\s+|inline\s+)?(?:namespace|class|struct|union|enum|extern)\b")
GOES_ON = re.compile(r"(?:const|volatile|noexcept|override|final|requires|try|mutable)\b|[^\w~\[]")  # behind a parameter list
MORE_MEMBERS = re.compile(r"\s*[,{]")
BRACE = re.compile(r"[{}]")
RUN = re.compile(r"\s+|[^{};\s]+")
NAME = re.compile(r'([~\w:<>]+|operator\s*\S+?)\s*\(')


def code_of(text):
    """The text with everything blanked that is not code; the lines stay."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if found[0][0] not in "\"'R" else '"' + "\n" * found[0].count("\n") + '"', text)


def without_template(head):
    """The head of a block without its template parameters."""
    head = head.strip()
    while TEMPLATE.match(head):
        open_angles = open_rounds = 0
        for place, letter in enumerate(head):
            open_rounds += {"(": 1, ")": -1}.get(letter, 0)
            open_angles += {"<": 1, ">": -1}.get(letter, 0) if open_rounds == 0 else 0
            if letter == ">" and open_angles == 0:
                break
        head = head[place + 1:].strip()
    return head


def kind_of(head, around):
    """What the block behind `head` is: a scope of declarations, a function, a value, or a block inside one of these two."""
    if around != "scope":
        return "inside"
    head = without_template(head)
    return "scope" if SCOPE.match(head) else "function" if "(" in head else "value"


def functions_of_cpp(text):
    """(name, first line, number of lines) of each function with a body."""
    code, blocks, head, line, start = code_of(text), [], "", 1, 1
    place = -1
    while (place := place + 1) < len(code):
        around = blocks[-1][0] if blocks else "scope"
        if around != "scope":  # only braces count here
            brace = BRACE.search(code, place)
            if not brace:
                return
            line += code.count("\n", place, brace.start())
            place = brace.start()
        letter = code[place]
        if run := RUN.match(code, place):
            if not letter.isspace():
                if not code[code.rfind("\n", 0, place) + 1:place].strip():  # the first of its line
                    stripped = head.strip()
                    if stripped.endswith(")") and stripped.count("(") == stripped.count(")") and not GOES_ON.match(code, place):
                        head = ""  # the lines before are the call of a macro
                if not head or head.isspace():
                    start = line
            head += run[0]
            line += run[0].count("\n")
            place = run.end() - 1
        elif letter == "{":
            kind = kind_of(head, around)
            blocks.append((kind, head, start))
            head = "" if kind != "inside" else head
        elif letter == "}" and blocks:
            kind, of, first = blocks.pop()
            if kind == "function" and MORE_MEMBERS.match(code, place + 1):
                head, start = of + "{}", first  # that was the value of a member in a constructor's list
                continue
            if kind == "function":
                name = NAME.search(of)
                yield name[1] if name else of[:40], first, line - first + 1
            head = "" if kind != "inside" else head
        else:
            head = "" if letter == ";" else head + letter


def functions_of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def functions(path, text):
    suffix = pathlib.PurePosixPath(path).suffix
    if suffix == ".py":
        return functions_of_python(text)
    return functions_of_cpp(text) if suffix in CPP else ()


def exceptions():
    """The names of sizes.txt: a file, or FILE:FUNCTION; each line gives its reason behind a |."""
    lines = [line for line in LIST.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {line.split("|", 1)[0].strip() for line in lines}


def findings(path, text, allowed, most=FUNCTION):
    """(line, what) of each function and file that is too long and is no exception."""
    if pathlib.PurePosixPath(path).suffix not in CODE:
        return
    lines = text.count("\n")
    if lines > FILE and path not in allowed:
        yield 1, f"{lines} lines: divide the file by subject ({FILE} at the most)"
    for name, first, length in functions(path, text):
        if length > most and f"{path}:{name}" not in allowed:
            yield first, f"{name} has {length} lines: divide it by subject ({most} at the most)"


def main(arguments):
    most = int(arguments[0]) if arguments else FUNCTION
    root = pathlib.Path(__file__).resolve().parents[2]
    files = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True).stdout.split("\n")
    allowed, count = exceptions(), 0
    for path in files:
        if pathlib.PurePosixPath(path).suffix in CODE and (root / path).is_file():
            for line, what in findings(path, (root / path).read_text(), allowed, most):
                print(f"{path}:{line}: {what}")
                count += 1
    print(f"sizes: {count}")
    return int(count != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
