#!/usr/bin/env python3
"""Writes docs/abilities.md: what PRISM can do, each ability with its page, its figure and the tests that show it.

  abilities.py BUILD --results FILE [--output FILE]   the page, with the state of the tests in a run: FILE is what
                                                      `ctest --output-junit` wrote; ./prism test does this
  abilities.py BUILD --check                          only compares rows.txt with the build's tests, the pages and docs/abilities.md
  abilities.py --rows                                 the page after a change of rows.txt, with the states that it has

Exit status: 0, or 1 with a line for each row that lacks a page, a figure or tests, whose page or test does not exist, or whose numbers are not on its pages.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/abilities.md"
sys.path.insert(0, str(ROOT / "tools/check"))
from configurations import CONFIGURATIONS

CHECK = "check:"


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


def problems(rows, pages, tests=None):
    """A line for each row that lacks a page, a figure or tests, or has some that do not exist. `pages`: name -> text. Without a build, which has the
    `tests`, their names are not looked up."""
    configurations = {c.name for c in CONFIGURATIONS}
    for r in rows:
        row_name = f"row {r.number} ({r.ability})"
        for what in ("page", "figure", "patterns"):
            if not getattr(r, what):
                yield f"{row_name}: no {what.replace('patterns', 'tests')}"
        linked = [r.page, *re.findall(r"\]\(([\w-]+\.md)\)", r.figure)]
        for name in linked:
            if name and name not in pages:
                yield f"{row_name}: docs/{name} does not exist"
        for number in re.findall(r"\d[\d.,]*\d|\d", re.sub(r"\]\(.*?\)", "", r.figure)):
            if not any(number in pages.get(name, "") for name in linked):
                yield f"{row_name}: {number} is not in docs/{' or docs/'.join(linked)}"
        for pattern in r.patterns:
            if pattern.startswith(CHECK):
                if pattern[len(CHECK):] not in configurations:
                    yield f"{row_name}: ./prism check --all has no {pattern[len(CHECK):]}"
            elif tests is not None and not pattern.startswith("?") and not fnmatch.filter(tests, pattern):
                yield f"{row_name}: no test matches {pattern}"


def tests_of(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "-N"], check=True, capture_output=True, text=True).stdout
    return [line.split(": ", 1)[1].strip() for line in listing.splitlines() if line.lstrip().startswith("Test ") and ": " in line]


def states_of(junit):
    """test -> "run", "fail" or "notrun" (skipped)"""
    return {case.get("name"): case.get("status") for case in xml.parse(junit).getroot().iter("testcase")}


def state_of_check(name, checks):
    """"host-only: 6 pass", of the last run of a configuration; it has its own run."""
    if name not in checks:
        return f"{name} runs by itself"
    last = checks[name]
    failed = f", **{last['verdict']}**" if last["verdict"] != "ok" else ""
    return f"{name} ({last['ended'].split()[0]}): {last['passed']} pass{failed}"


def state(r, states, checks):
    """"12 pass", with what failed or was skipped, and the configurations."""
    names = {name for pattern in r.patterns for name in fnmatch.filter(states, pattern.lstrip("?"))}
    count = {wanted: sum(states[name] == wanted for name in names) for wanted in ("run", "fail", "notrun")}
    skipped = f", {count['notrun']} skipped" if count["notrun"] else ""
    failed = f", **{count['fail']} fail**" if count["fail"] else ""
    parts = [state_of_check(pattern[len(CHECK):], checks) for pattern in r.patterns if pattern.startswith(CHECK)]
    if names:
        parts.insert(0, f"{count['run']} pass{failed}{skipped}")
    return "; ".join(parts) or "its package is not installed"


def shown(pattern):
    if pattern.startswith(CHECK):
        return f"`./prism check --all {pattern[len(CHECK):]}`"
    return f"`{pattern.lstrip('?')}`"


def last_checks(file=ROOT / "build-check/results.json"):
    return json.loads(file.read_text()) if file.exists() else {}


def page(rows, states, checks):
    yield "# Abilities"
    yield ""
    yield "What PRISM can do, by the rows of its list of features. `./prism test` writes this page to its build folder, with the results of the run;"
    yield "`tools/abilities/rows.txt` has the rows. Tests are patterns of names: `./prism test -R NAME` runs them. A figure comes from the page of its row or from"
    yield "the linked one, which says on which machine and when it was measured."
    part = None
    for r in rows:
        if r.part != part:
            part = r.part
            yield from ("", f"## {part}", "", "| | ability | figure | tests | in the last recorded run |", "|---|---|---|---|---|")
        ability = f"[{r.ability}]({r.page})" if r.page else r.ability
        yield f"| {r.number} | {ability} | {r.figure} | {' '.join(map(shown, r.patterns))} | {state(r, states, checks)} |"


def without_states(text):
    """The lines of the page without their last column, which differs from run to run."""
    return [line.rsplit("|", 2)[0] if line.startswith("| ") else line for line in text.splitlines()]


def with_states_of(text, new):
    """The lines of the `new` page with the last column of the page `text`, where that has the row."""
    key = lambda line: tuple(line.split("|")[1:3])
    states = {key(line): line.rsplit("|", 2)[1] for line in text.splitlines() if line.startswith("| ")}
    return [f"{line.rsplit('|', 2)[0]}|{states[key(line)]}|" if line.startswith("| ") and key(line) in states else line for line in new]


def pages_of_docs():
    return {path.name: path.read_text() for path in (ROOT / "docs").glob("*.md")}


def findings(tests=None):
    """What is wrong in the rows, and whether docs/abilities.md has them."""
    rows = read_rows()
    yield from problems(rows, pages_of_docs(), tests)
    if without_states(PAGE.read_text()) != without_states("\n".join(page(rows, {}, {}))):
        yield "docs/abilities.md does not have the rows of tools/abilities/rows.txt: run tools/abilities/abilities.py --rows"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path, nargs="?")
    options.add_argument("--results", type=pathlib.Path)
    options.add_argument("--output", type=pathlib.Path, default=PAGE)
    options.add_argument("--check", action="store_true")
    options.add_argument("--rows", action="store_true")
    given = options.parse_args()
    if not given.rows and not given.build:
        options.error("give the folder of a build, or --rows")
    if given.rows:
        given.output.write_text("\n".join(with_states_of(PAGE.read_text(), page(read_rows(), {}, {}))) + "\n")
        found = list(findings())
    elif given.check:
        found = list(findings(tests_of(given.build)))
    elif given.results:
        rows = read_rows()
        found = list(problems(rows, pages_of_docs(), tests_of(given.build)))
        given.output.write_text("\n".join(page(rows, states_of(given.results), last_checks())) + "\n")
    else:
        options.error("give --results FILE or --check")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
