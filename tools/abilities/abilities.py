#!/usr/bin/env python3
"""Writes docs/abilities.md: what PRISM can do, each ability with its page, its figure and the tests that show it.

  abilities.py BUILD --results FILE [--output FILE]   the page, with the state of the tests in a run: FILE is what
                                                      `ctest --output-junit` wrote; ./prism test does this
  abilities.py BUILD --check                          only compares rows.txt with the build's tests, the pages and docs/abilities.md

Exit status: 0, or 1 with a line for each row whose page or test does not exist.
"""
import argparse
import fnmatch
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/abilities.md"


@dataclass
class row:
    part: str
    number: str
    ability: str
    page: str
    figure: str
    patterns: list


def read_rows(path=HERE / "rows.txt"):
    rows, part = [], ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            part = line[3:]
        elif line and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 5:
                sys.exit(f"{path}:{number}: expected 'number | ability | page | figure | tests'")
            rows.append(row(part, *fields[:4], fields[4].split()))
    return rows


def problems(rows, tests, pages):
    """A line for each row whose page or whose tests do not exist."""
    for r in rows:
        if r.page and r.page not in pages:
            yield f"row {r.number} ({r.ability}): docs/{r.page} does not exist"
        for pattern in r.patterns:
            if not fnmatch.filter(tests, pattern):
                yield f"row {r.number} ({r.ability}): no test matches {pattern}"


def tests_of(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "-N"], check=True, capture_output=True, text=True).stdout
    return [line.split(": ", 1)[1].strip() for line in listing.splitlines() if line.lstrip().startswith("Test ") and ": " in line]


def states_of(junit):
    """test -> "run", "fail" or "notrun" (skipped)"""
    return {case.get("name"): case.get("status") for case in xml.parse(junit).getroot().iter("testcase")}


def state(r, states):
    """"12 of 12 tests pass", with what failed or was skipped."""
    if not r.patterns:
        return "not there yet"
    names = {name for pattern in r.patterns for name in fnmatch.filter(states, pattern)}
    count = {wanted: sum(states[name] == wanted for name in names) for wanted in ("run", "fail", "notrun")}
    skipped = f", {count['notrun']} skipped" if count["notrun"] else ""
    failed = f", **{count['fail']} fail**" if count["fail"] else ""
    return f"{count['run']} pass{failed}{skipped}"


def page(rows, states):
    yield "# Abilities"
    yield ""
    yield "What PRISM can do, by the rows of its list of features. `./prism test` writes this page to its build folder, with the results of the run;"
    yield "`tools/abilities/rows.txt` has the rows. Tests are patterns of names: `./prism test -R NAME` runs them."
    part = None
    for r in rows:
        if r.part != part:
            part = r.part
            yield from ("", f"## {part}", "", "| | ability | figure | tests | in the last recorded run |", "|---|---|---|---|---|")
        ability = f"[{r.ability}]({r.page})" if r.page else r.ability
        yield f"| {r.number} | {ability} | {r.figure} | {' '.join(f'`{p}`' for p in r.patterns)} | {state(r, states)} |"


def without_states(text):
    """The lines of the page without their last column, which differs from run to run."""
    return [line.rsplit("|", 2)[0] if line.startswith("| ") else line for line in text.splitlines()]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--results", type=pathlib.Path)
    options.add_argument("--output", type=pathlib.Path, default=PAGE)
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    rows = read_rows()
    found = list(problems(rows, tests_of(given.build), {path.name for path in (ROOT / "docs").glob("*.md")}))
    if given.check:
        if without_states(PAGE.read_text()) != without_states("\n".join(page(rows, {}))):
            found.append("docs/abilities.md does not have the rows of tools/abilities/rows.txt: run abilities.py BUILD --results FILE")
    elif given.results:
        given.output.write_text("\n".join(page(rows, states_of(given.results))) + "\n")
    else:
        options.error("give --results FILE or --check")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
