#!/usr/bin/env python3
"""Builds the documentation as a site: pages of docs/ with search by mkdocs, the notebook by nbconvert, the reference of the public headers by
doxygen. The notebook has its results and pictures if the Python package is built (./prism python).

usage: ./prism site [--check]     build/site/index.html; --check: only whether every page is listed in tools/site/mkdocs.yml
                                  and in a table of docs/index.md, once

Needs Debian's mkdocs, mkdocs-material, doxygen, jupyter-nbconvert, python3-ipykernel and python3-matplotlib (./prism setup --all).
exit status: 0 built, 1 a page is not listed or a link is broken, 2 usage or a program is missing
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
IN_TABLE = re.compile(r"^\| \[[^\]]+\]\(([^)#]+\.md)\) \|", re.MULTILINE)
LISTED = re.compile(r"^\s+- (?:[^:]+: )?(\S+\.md)$", re.MULTILINE)


def problems(pages, config, index):
    """Pages that the navigation or the index lacks, and entries of theirs that no page stands behind or that stand there twice."""
    for where, listed, wanted in (("tools/site/mkdocs.yml", LISTED.findall(config), pages),
                                  ("docs/index.md", IN_TABLE.findall(index), pages - {"index.md"})):
        yield from (f"docs/{page} is not listed in {where}" for page in sorted(wanted - set(listed)))
        yield from (f"{where} lists {page}, which docs/ does not have" for page in sorted(set(listed) - pages))
        yield from (f"{where} lists {page} twice" for page in sorted(set(listed)) if listed.count(page) > 1)


def check():
    pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    found = list(problems(pages, (HERE / "mkdocs.yml").read_text(), (ROOT / "docs/index.md").read_text()))
    for line in found:
        print(f"site: {line}")
    return int(bool(found))


def notebook(to):
    """Whether docs/tutorial.ipynb became a page of the site."""
    folder = ROOT / os.environ.get("PRISM_BUILD_DIR", "build")
    built = (folder / "lib/python/_core.abi3.so").exists()
    print(f"site: the notebook{'' if built else ', not run, because the Python package is not built'} ...", flush=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings/python"), "PRISM_BUILD_DIR": str(folder)}
    done = subprocess.run(["jupyter-nbconvert", "--to", "html", *(["--execute"] if built else []), "--output-dir", to, ROOT / "docs/tutorial.ipynb"],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:])
    return done.returncode == 0


def build(to):
    for program, package in (("mkdocs", "mkdocs and mkdocs-material"), ("doxygen", "doxygen"),
                             ("jupyter-nbconvert", "jupyter-nbconvert, python3-ipykernel and python3-matplotlib")):
        if shutil.which(program) is None:
            print(f"site: {program} is not installed: apt-get install {package}")
            return 2
    print(f"site: pages of docs/ ({to}/index.html) ...", flush=True)
    if subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", HERE / "mkdocs.yml", "-d", to]).returncode:
        return 1
    if not notebook(to):
        return 1
    print("site: reference of the public headers ...", flush=True)
    settings = (HERE / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {to}\nHTML_OUTPUT = reference\n"
    done = subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, text=True, capture_output=True)
    (to / "reference/warnings.txt").write_text(done.stderr)
    if done.returncode:
        print(done.stderr[-2000:])
        return 1
    print(f"site: open {to / 'index.html'}")
    return 0


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 0 if arguments in (["--help"], ["-h"]) else 2
    return check() or (0 if arguments else build(ROOT / os.environ.get("PRISM_BUILD_DIR", "build") / "site"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
