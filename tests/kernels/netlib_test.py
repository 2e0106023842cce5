#!/usr/bin/env python3
"""Netlib's testers of the BLAS (Debian: libblas-test), unmodified, with libprism_blas loaded before the system's BLAS.

netlib_test.py LETTER LIBRARY FOLDER [cblas]: levels 1 to 3 of one precision, s, d, c or z. A level passes if the tester reports
no failure and PRISM served calls: a pass without calls would say nothing. Exit status 77: the testers are not installed.

With `cblas` the testers are those of the CBLAS. The CBLAS is Netlib's, whose functions call the Fortran BLAS by name: PRISM's.
It is in Debian's libblas3, next to the testers; OpenBLAS's CBLAS calls its own functions, and would pass without PRISM.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def report_of(level, letter, library, folder, place, is_cblas):
    """The tester's report, and how many calls PRISM served."""
    tester = folder / (f"x{letter}cblat{level}" if is_cblas else f"xblat{level}{letter}")
    given = folder / (f"{letter}in{level}" if is_cblas else f"{letter}blat{level}.in")
    environment = dict(os.environ, LD_PRELOAD=str(library))
    if is_cblas:
        environment["LD_LIBRARY_PATH"] = f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    with open(given if level > 1 else os.devnull, "rb") as source:
        ended = subprocess.run([tester], stdin=source, cwd=place, env=environment, capture_output=True, text=True, timeout=250)
    text = ended.stdout
    written = pathlib.Path(place) / f"{letter}blat{level}.out"
    if written.exists():
        text += written.read_text()
    served = re.search(r"prism_blas: (\d+) calls served.*", ended.stderr)
    if ended.returncode != 0:
        text += f"\nFAIL: exit status {ended.returncode}\n{ended.stderr}"
    return text, served


def main():
    letter, library, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    is_cblas = sys.argv[4:] == ["cblas"]
    for name in [f"x{letter}cblat1", "libblas.so.3"] if is_cblas else [f"xblat1{letter}"]:
        if not (folder / name).exists():
            print(f"skipped: {folder} has no {name} (Debian: libblas-test, libblas3)")
            return 77
    failed = False
    for level in (1, 2, 3):
        with tempfile.TemporaryDirectory() as place:
            text, served = report_of(level, letter, library, folder, place, is_cblas)
        wrong = [line for line in text.splitlines() if re.search(r"FAIL|SUSPECT|\*{7} .*(CHANGED|HALF ACCURATE)|NOT DETECTED", line)]
        passed = len(re.findall(r"PASS", text))
        print(f"level {level}: {passed} passes, {len(wrong)} failures; {served.group(0) if served else 'no call was served'}")
        if wrong or passed == 0 or not served or int(served.group(1)) == 0:
            failed = True
            print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
