"""Keeps the structure that the tree was given (tools/check/structure.txt): folders that must stay empty, files of the root, and what code must not contain."""
import pathlib
import re

LIST = pathlib.Path(__file__).with_name("structure.txt")
CPP = {".cpp", ".hpp", ".h"}


class folder_rule:
    def __init__(self, line):
        self.folder, self.why = (part.strip() for part in line.removeprefix("none ").split(" | "))

    def findings(self, texts):
        found = next((path for path in texts if path.startswith(self.folder + "/")), None)
        if found:
            yield found, 1, f"no file may be in {self.folder}: {self.why}"


class count_rule:
    def __init__(self, line):
        most, pattern, folders, self.why = (part.strip() for part in line.removeprefix("most ").split(" | "))
        self.most, self.pattern = int(most), re.compile(pattern)
        named = folders.split()
        self.folders = tuple(folder + "/" for folder in named if folder[0] != "!")
        self.without = tuple(folder[1:] + "/" for folder in named if folder[0] == "!")

    def findings(self, texts):
        found = [(path, number) for path, text in texts.items()
                 if path.startswith(self.folders) and not path.startswith(self.without) and pathlib.PurePosixPath(path).suffix in CPP
                 for number, line in enumerate(text.split("\n"), 1) if self.pattern.search(line)]
        for path, number in found if len(found) > self.most else []:
            yield path, number, f"{self.pattern.pattern} ({len(found)} lines, {self.most} at the most): {self.why}"


class root_rule:
    def __init__(self, line):
        names, self.why = (part.strip() for part in line.removeprefix("root ").split(" | "))
        self.names = set(names.split())

    def findings(self, texts):
        for path in texts:
            if "/" not in path and path not in self.names:
                yield path, 1, f"no file of this name may be in the root: {self.why}"


KINDS = {"none": folder_rule, "most": count_rule, "root": root_rule}


def read():
    lines = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return [KINDS[line.split()[0]](line) for line in lines]


def findings(texts, rules):
    """`texts`: path -> text of all tracked files. (path, line, what) of each violation."""
    for rule in rules:
        yield from rule.findings(texts)
