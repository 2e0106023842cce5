#!/usr/bin/env python3
"""Finds retired words (words.txt) in the tracked files. `./prism check` rejects them.

usage: python3 tools/check/words.py [FOLDER...]      lists every use in these folders (all without one)

Names that the standards or PRISM's public headers have stay as they are: in code a rule is applied to comments and to text
in quotes only. A rule that begins with `name` is applied to the other text of C++ files, which is the names in the code.
A line with `words: quoted` is left out.
"""
import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("words.txt")
CPP = {".cpp", ".hpp", ".h", ".c"}
PROSE = {".md", ".1", ".txt", ".py", ".pyi", ".ipynb", ".sh", ".zsh", ".f90", ".abi", ".def", ".inc", ".in", ".cmake", ".yaml", ".yml", ".toml", ".comp", ".cl", ".cu"}
PROGRAMS = {"prism"}  # files without a suffix
NOT_READ = ("CHANGELOG.md", "tools/check/words.txt", "docs/glossary.md", "tools/check/words.py")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def required_parts(pattern):
    """Texts in lower case: each match of the pattern contains one of them."""
    alternatives = re.split(r"\|(?![^(]*\))", pattern)
    plain = [re.sub(r"\([^()]*\)|\\w[+*]|\w[?*]", "\n", one) for one in alternatives]  # without what may vary
    return [max(one.lower().split("\n"), key=len) for one in plain]


class rule:
    def __init__(self, line):
        pattern, folders, self.instead = (part.strip() for part in line.split(" | "))
        self.is_of_names = pattern.startswith("name ")
        pattern = pattern.removeprefix("name ")
        self.pattern = (re.compile(rf"(?<!\w)(?:{pattern})(?!\w)") if self.is_of_names
                        else re.compile(rf"(?<![\w:.])(?:{pattern})(?!\w)", re.IGNORECASE))
        self.folders = None if folders == "*" else tuple(folder + "/" for folder in folders.split())

        self.parts = required_parts(pattern)  # found in a text much faster than the pattern

    def holds_in(self, path):
        return self.folders is None or path.startswith(self.folders)


def read():
    return [rule(line) for line in LIST.read_text().splitlines() if line and not line.startswith("#")]


def prose_of(line):
    """The comments and the quoted text of a line of C++."""
    code, mark, comment = line.partition("//")
    return " ".join(QUOTED.findall(code)) + " " + comment


def names_of(line):
    """The text of a line of C++ outside of comments and quotes."""
    return QUOTED.sub('""', line).partition("//")[0]


def findings(path, text, rules):
    """(line number, the retired word, today's word)"""
    suffix = pathlib.PurePosixPath(path).suffix
    if suffix not in CPP | PROSE and path not in PROGRAMS or path in NOT_READ:
        return
    lower = text.lower()
    mine = [one for one in rules if one.holds_in(path) and any(part in lower for part in one.parts)]
    if not mine:
        return
    is_code = suffix in CPP
    for number, line in enumerate(text.split("\n"), 1):
        if "words: quoted" in line:
            continue
        prose, names = (prose_of(line), names_of(line)) if is_code else (line, "")
        for one in mine:
            found = one.pattern.search(names if one.is_of_names else prose)
            if found:
                yield number, found[0], one.instead


def main(folders):
    root = pathlib.Path(__file__).resolve().parents[2]
    files = subprocess.run(["git", "ls-files", "--", *folders], cwd=root, capture_output=True, text=True).stdout.split("\n")
    rules, count = read(), 0
    for path in filter(None, files):
        try:
            text = (root / path).read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        for number, found, instead in findings(path, text, rules):
            print(f"{path}:{number}: {found}: {instead}")
            count += 1
    print(f"words: {count}")
    return int(count != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
