#!/usr/bin/env python3
"""Writes docs/from-the-documents.md: every example, interface, flag and figure of the five documents that PRISM grew out of, with
the program here that does it and its tests. rows.txt has the rows, measured.md what ./prism bench --documents printed. It writes the
page; tests/tools/documents_test.py checks the rows.
"""
import fnmatch
import pathlib
import re
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = "docs/from-the-documents.md"
NOT_YET = "not yet"
MEASURED = HERE / "measured.md" # the machine, and what ./prism bench --documents printed
sys.path.insert(0, str(HERE.parent / "abilities"))
from abilities import tests_of


@dataclass
class row:
    document: str
    where: str
    what: str
    programs: list
    patterns: list
    figure: str
    differs: str

    @property
    def name(self):
        return f"{self.document.split(':')[0]}, {self.where} ({self.what})"


def read_rows(path=HERE / "rows.txt"):
    rows, document = [], ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            document = line[3:]
        elif line and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 6:
                sys.exit(f"{path}:{number}: expected 'where | what | program | tests | figure | what differs'")
            where, what, programs, tests, figure, differs = fields
            rows.append(row(document, where, what, [] if programs == NOT_YET else programs.split(), tests.split(), figure, differs))
    return rows


def program_problem(root, program):
    """Why the program PATH or PATH:NAME does not exist; empty if it does."""
    path, _, name = program.partition(":")
    if not (root / path).exists():
        return f"there is no {path}"
    if name and not re.search(rf"\b{re.escape(name)}\b", (root / path).read_text()):
        return f"{path} has no {name}"
    return ""


def added_somewhere(root, test):
    """Whether a CMakeLists.txt adds the test, perhaps only where a package is installed."""
    return any(f"add_test(NAME {test} " in file.read_text() for file in (root / "tests").glob("*/CMakeLists.txt"))


def problems(rows, tests=None, root=ROOT):
    """A line for each row whose program or whose tests do not exist, and for each row that has only one of both. Without a build, which has the
    `tests`, their names are not looked up."""
    for r in rows:
        for program in r.programs:
            if problem := program_problem(root, program):
                yield f"{r.name}: {problem}"
        for pattern in r.patterns:
            if not (added_somewhere(root, pattern[:-1]) if pattern.endswith("?") else tests is None or fnmatch.filter(tests, pattern)):
                yield f"{r.name}: no test matches {pattern}"
        if bool(r.programs) != bool(r.patterns):
            yield f"{r.name}: a row has a program and a test, or '{NOT_YET}' and none"


def page(rows):
    yield "# From the documents"
    yield ""
    yield "PRISM grew out of five documents: S0 on pluggable backends, S1 on NumPy, S2 on a quantum field, S3 on persistent kernels, S4 on devices and safety. This page has"
    yield "a row for each of their examples, interfaces, flags and figures. `tools/documents/rows.txt` has the rows, and the test `tools.documents` fails if a row names"
    done = sum(bool(r.programs) for r in rows)
    yield f"a program or a test that does not exist. {done} of {len(rows)} rows are done; the others say \"{NOT_YET}\". `./prism test -R NAME` runs tests."
    document = None
    for r in rows:
        if r.document != document:
            document = r.document
            yield from ("", f"## {document}", "", "| where | what it shows | program here | tests | figure | what differs, and why |", "|---|---|---|---|---|---|")
        programs = " ".join(f"`{p}`" for p in r.programs) or f"**{NOT_YET}**"
        yield f"| {r.where} | {r.what} | {programs} | {' '.join(f'`{p.rstrip(chr(63))}`' for p in r.patterns)} | {r.figure} | {r.differs} |"
    yield from ("", "## What was measured", "", *MEASURED.read_text().splitlines())


def findings():
    """What is wrong in the rows as far as it shows without a build, and whether the page has them."""
    rows = read_rows()
    yield from problems(rows)
    if (ROOT / PAGE).read_text() != "\n".join(page(rows)) + "\n":
        yield f"{PAGE} does not have the rows of tools/documents/rows.txt: run tools/documents/documents.py"


def main():
    (ROOT / PAGE).write_text("\n".join(page(read_rows())) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
