#!/usr/bin/env python3
"""Prints what each failed test of a run said: the end of its output, then a line for each with what it reports first.

usage: failures.py TESTS.XML     the file that `ctest --output-junit` wrote; `./prism test` does this
The file is read, not ctest's log: a later `ctest -N` in the same build folder empties the log.
Exit status: 0 if no test failed, otherwise 1, also if the file is absent or ends early.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

LINES = 60
REPORT = re.compile(r"Error|Exception|Failure|FAILED|Timeout|[Ee]rror:")


def main(path):
    try:
        tests = ElementTree.parse(path).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as problem:
        print(f"prism: the results of the tests cannot be read: {problem}")
        return 1
    failed = [test for test in tests if test.get("status") == "fail"]
    if not failed:
        return 0
    print("== failed tests: the end of their output, then what each reports first")
    summary = []
    for test in failed:
        reason = " ".join(each.get("message", "") for each in test.findall("failure")).strip()
        output = (test.findtext("system-out") or "").rstrip().splitlines()
        print(f"-- {test.get('name')} ({reason or 'exit status'}, {float(test.get('time', 0)):.0f} s)")
        print(*output[-LINES:] or ["it printed nothing"], sep="\n")
        reports = [line.strip()[:200] for line in output if REPORT.search(line)][:4]
        summary.append(f"{test.get('name')}: {' | '.join(reports) or reason}")
    print(*summary, sep="\n")
    print(f"prism: {len(failed)} tests failed; to repeat one: ./prism test -R NAME")
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    sys.exit(main(sys.argv[1]))
