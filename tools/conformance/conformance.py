#!/usr/bin/env python3
"""Writes docs/conformance.md: the rows of SYCL 2020 with their state on every device, from a run of the SYCL tests.

  conformance.py --build BUILD [--output FILE] [--results FOLDER] [--jobs N]
                                runs every sycl.* test of that build and writes the table
  conformance.py --check-rows   only compares rows.txt with the tests' sources

rows.txt (in this folder) lists the tests of each row: "## Part" or "Row name: pattern pattern". Patterns are those of a
shell and match "Suite.Test". A pattern that matches no test is an error, so each claim of the table has a test.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TEST = re.compile(r"^(?:TEST|TEST_F|TYPED_TEST)\((\w+), *(\w+)\)", re.MULTILINE)
ABSENT = 77  # exit status of a test whose device is not present
DEVICES = {"host": "host", "pocl": "PoCL", "vulkan": "lavapipe", "rusticl": "rusticl"}
MEANING = {"yes": "all tests of the row pass", "refused": "the device lacks the feature, and the error names it",
           "partly": "some tests pass, the others need features that the device lacks", "**no**": "a test fails",
           "–": "no test shows it", "absent": "the device was not present"}


def read_rows(path):
    """[(part, row, [patterns])]"""
    rows, part = [], ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#!")[0].strip()
        if line.startswith("## "):
            part = line[3:]
        elif line:
            name, colon, patterns = line.partition(": ")
            if not colon and not line.endswith(":"):
                sys.exit(f"{path}:{number}: expected 'Row name: patterns'")
            rows.append((part, name.rstrip(":"), patterns.split()))
    return rows


def tests_in_sources():
    return {f"{suite}.{test}" for path in (ROOT / "tests/sycl").glob("*.cpp")
            for suite, test in TEST.findall(path.read_text())}


def unmatched(rows, tests):
    return [f"{row}: no test matches '{pattern}'" for _, row, patterns in rows for pattern in patterns
            if not fnmatch.filter(tests, pattern)]


def run_test(test, name, build, results):
    """{"Suite.Test": state} of one program on one device; empty when the device is absent."""
    properties = {p["name"]: p["value"] for p in test.get("properties", [])}
    report = pathlib.Path(results) / (test["name"] + ".json")
    report.unlink(missing_ok=True)
    environment = dict(os.environ)
    environment.update(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
    try:
        # An option instead of a variable: a variable would reach the programs that some tests start.
        done = subprocess.run([*test["command"], f"--gtest_output=json:{report}"], env=environment, capture_output=True, text=True, errors="replace",
                              cwd=properties.get("WORKING_DIRECTORY", build),
                              timeout=2 * float(properties.get("TIMEOUT", 600)))
        status = done.returncode
    except subprocess.TimeoutExpired:
        status = "timeout"
    print(f"{test['name']}: {'absent' if status == ABSENT else status}", flush=True)
    if status == ABSENT:
        return {}
    if not report.exists():  # the program did not end normally: every test of the file counts as failed
        source = ROOT / "tests/sycl" / f"{name[1]}_test.cpp"
        names = TEST.findall(source.read_text()) if source.exists() else []
        return {f"{suite}.{case}": "failed" for suite, case in names}
    states = {}
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            state = "failed" if case.get("failures") else "skipped" if case["result"] != "COMPLETED" else "passed"
            states[f"{suite['name']}.{case['name']}"] = state
    return states


def run_tests(build, results, jobs):
    """{device: {"Suite.Test": "passed" | "skipped" | "failed"}}; None for a device that is absent."""
    listing = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-L", "sycl"], check=True,
                                        capture_output=True, text=True).stdout)
    found = {}
    asked = [(t, re.fullmatch(r"sycl\.(\w+)\.(\w+)", t["name"])) for t in listing["tests"]]
    # The same tests compiled with --check=access leave some out.
    asked = [(t, name) for t, name in asked if name and name[2] in DEVICES and "command" in t and not name[1].endswith("_checked")]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, states in pool.map(lambda entry: (entry[1], run_test(*entry, build, results)), asked):
            found.setdefault(name[2], {}).update(states)
    return {device: on or None for device, on in found.items()}


def state_of(patterns, results):
    if results is None:
        return "absent"
    states = {results[t] for p in patterns for t in fnmatch.filter(results, p)}
    if not states:
        return "–"
    if "failed" in states:
        return "**no**"
    return {"passed": "yes", "skipped": "refused"}[states.pop()] if len(states) == 1 else "partly"


def write_table(rows, results, path):
    devices = [d for d in DEVICES if d in results]
    lines = ["# Conformance", "",
             "`tools/conformance/conformance.py` writes this page from a run of the SYCL tests; do not edit it by hand.", "",
             "The rows are requirements of SYCL 2020, revision 12. " + "; ".join(f"{k}: {v}" for k, v in MEANING.items()) + ".", ""]
    part = None
    for own_part, row, patterns in rows:
        if own_part != part:
            part = own_part
            lines += ["", f"## {part}", "", "| row | " + " | ".join(DEVICES[d] for d in devices) + " |",
                      "|---|" + "---|" * len(devices)]
        lines.append(f"| {row} | " + " | ".join(state_of(patterns, results[d]) for d in devices) + " |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check-rows", action="store_true")
    parser.add_argument("--build", help="a build folder with the SYCL tests built")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/conformance.md")
    parser.add_argument("--results", help="folder for the tests' reports")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at the same time")
    asked = parser.parse_args()
    rows = read_rows(HERE / "rows.txt")
    wrong = unmatched(rows, tests_in_sources())
    if wrong:
        sys.exit("conformance: rows.txt names tests that do not exist:\n  " + "\n  ".join(wrong))
    if asked.check_rows:
        print(f"conformance: {len(rows)} rows, {sum(bool(p) for _, _, p in rows)} of them with tests")
        return
    if not asked.build:
        parser.error("--build is needed: the folder in which the SYCL tests were built")
    with tempfile.TemporaryDirectory() as own:
        folder = os.path.abspath(asked.results or own)
        os.makedirs(folder, exist_ok=True)
        write_table(rows, run_tests(os.path.abspath(asked.build), folder, asked.jobs), asked.output)
    print(f"conformance: wrote {asked.output}")


if __name__ == "__main__":
    main()
