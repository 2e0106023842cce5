#!/usr/bin/env python3
"""Repository rules, checked from the text of the tracked files; `./prism check` runs it.

layers    which folder may include which (tools/check/layers.txt), and no permission that no file uses
units     no circle of includes among the units (a header with its .cpp) of runtime, extras and image_format
structure folders that must stay empty, files of the root, and what code must not contain (tools/check/structure.txt)
layout    the table of docs/layout.md is that of tools/check/layers.txt (--write-layout writes it)
names     no clBLAS anywhere (CLBlast is the OpenCL BLAS), no path of the machine the file was written on
contract  every C++ file opens with a comment that states its purpose (a .cpp may leave that to its own header)
pragma    every header has `#pragma once`
marks     no marks of unfinished work
links     every relative link in docs/ and README.md leads to a file
paths     every file or folder of the tree that a document names exists
sizes     no function of more than 80 lines, no file of code of more than 700 (tools/check/sizes.txt has the exceptions)
words     no word that PRISM has retired (tools/check/words.txt)
sentences no sentence of a document has more than 48 words (tools/check/sentences.py)
variables every environment variable that the tree reads is in docs/environment.md, and no other
rows      docs/abilities.md and docs/from-the-documents.md have the rows of their lists, and each figure is on the page that the row names
subjects  no commit after the first that was checked has a subject of more than 72 characters
format    every C and C++ file has the form of .clang-format (--format writes it), and no new line of more than 110 columns

With --all, every configuration that CI does not build follows (tools/check/configurations.py) and clang-tidy (tools/check/tidy.py);
with --fuzz, libFuzzer over every reader of outside input (tools/check/fuzzing.py); with --limits, a small program with few resources on
each backend (tools/check/limits.py); with --coverage, which lines the tests reach.

Exit status: 0 clean, 1 findings (one a line: file:line: rule: what) or a failed configuration, 2 usage.
examples: ./prism check        ./prism check --all        ./prism check --all asan tsan
          ./prism check --fuzz 60    ./prism check --limits    ./prism check --limits files
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import abi
import build_times
import configurations
import coverage
import form
import fuzzing
import layers
import limits
import sizes
import structure
import subjects
import tidy
import units
import variables
import sentences
import words

TOOLS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TOOLS / "abilities"), str(TOOLS / "documents")]
import abilities
import documents

LAYERS = layers.read()
ROOTS = ("devices/", "runtime/", "extras/", "image_format/", "compiler/", "kernels/", "shaders/", "tools/", "samples/", "tests/", "bench/",
         "bindings/", "providers/", "stdpar/", "compat/")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
MARKS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# A file, a folder or a unit (without its ending) of the tree, as documents write it.
PATH = re.compile(r"`((?:%s)[\w/.+-]*)`" % "|".join([*ROOTS, "docs/", "cmake/"]))
ENDINGS = ("", ".cpp", ".hpp", ".py", ".h")
CPP = {".cpp", ".hpp", ".h", ".c"}
WITHOUT_CIRCLES = ("runtime/", "extras/", "image_format/")


def tracked(root):
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit("check: git is not installed, so the files to check are unknown: apt-get install git")
    if out.returncode:
        sys.exit("check: this is not a git checkout, so the files to check are unknown")
    return [pathlib.PurePosixPath(p) for p in out.stdout.split("\n") if p]


def included(line, public):
    """The file that a line includes, relative to the root; None if it is not one of PRISM's or is named relative to its includer."""
    found = INCLUDE.match(line)
    if not found:
        return None
    return public.get(found[2]) if found[2] else found[1] if found[1].startswith(ROOTS) else None


def check_cpp(path, text, public):
    lines = text.split("\n")
    if LAYERS.of(path) is None:
        yield 1, "layers", "no rule of tools/check/layers.txt is for its folder"
        return
    for number, line in enumerate(lines, 1):
        target = included(line, public)
        if target and not LAYERS.allows(path, target):
            yield number, "layers", f"{LAYERS.of(path)} may not include {target}"
        if MARKS.search(line):
            yield number, "marks", "finish the work or file an issue; do not mark it in the code"
    in_header = path.suffix == ".cpp" and lines[0].startswith('#include "')
    if not (lines[0].startswith(("//", "/*")) or in_header or path.parts[0] == "tests"):
        yield 1, "contract", "the file must open with a comment that states its purpose, or with its own header"
    if path.suffix == ".hpp" and "#pragma once" not in text and "no include guard on purpose" not in text:
        yield 1, "pragma", "no #pragma once"


def check_text(path, text, root):
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"clBLAS(?!T)", line) and str(path) != "tools/check/check.py":
            yield number, "names", "clBLAS is not used; use CLBlast"
        if re.search(r"(?<![\w.}/])/(work|home/\w+|root)/", line) and str(path) != "tools/check/check.py":
            yield number, "names", "a path of one machine only"
        if path.suffix == ".md":
            for target in LINK.findall(line):
                if not (root / path.parent / target).exists():
                    yield number, "links", f"{target} does not exist"
            for named in PATH.findall(line):
                if not any((root / (named.rstrip("/") + ending)).exists() for ending in ENDINGS):
                    yield number, "paths", f"{named} does not exist"
    if str(path) == "docs/layout.md" and layers.BEGIN in text and LAYERS.layout(text) != text:
        yield 1, "layout", "its table differs from tools/check/layers.txt: run python3 tools/check/check.py --write-layout"


def check_units(includes, texts):
    found, accepted = units.circles(units.graph_of(includes, texts)), units.accepted()
    for circle in found:
        if circle not in accepted:
            yield f"{circle[0]}: units: in a circle of includes with {', '.join(circle[1:])}"
    for circle in accepted if "tools/check/units.txt" in texts else []:
        if circle not in found:
            yield f"tools/check/units.txt:1: units: no circle is that of {', '.join(circle)}: correct or delete its line"


def check_files(root, write_abi=False):
    count = 0
    files = tracked(root)
    includes, texts, public = {}, {}, layers.public_headers(files)
    retired, allowed = words.read(), sizes.exceptions()
    for path in files:
        try:
            text = (root / path).read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        texts[str(path)] = text
        findings = list(check_text(path, text, root))
        findings += [(number, "words", f"{found}: {instead}") for number, found, instead in words.findings(str(path), text, retired)]
        if path.suffix == ".md" and path.parts[0] == "docs":
            findings += [(number, "sentences", f"{count} words in one sentence") for number, count in sentences.findings(text)]
        findings += [(number, "sizes", what) for number, what in sizes.findings(str(path), text, allowed)]
        if path.suffix in CPP:
            findings += check_cpp(path, text, public)
            if str(path).startswith(WITHOUT_CIRCLES) and not str(path).startswith("runtime/include/"):
                includes[str(path)] = [target for line in text.split("\n") if (target := included(line, public))]
        for number, rule, what in findings:
            print(f"{path}:{number}: {rule}: {what}")
            count += 1
    for path, number, what in structure.findings(texts, structure.read()):
        print(f"{path}:{number}: structure: {what}")
        count += 1
    for path, number, what in variables.findings(texts):
        print(f"{path}:{number}: variables: {what}")
        count += 1
    if str(layers.FILE.relative_to(abilities.ROOT)) in texts:
        for number, folder, target in LAYERS.unused():
            print(f"tools/check/layers.txt:{number}: layers: no file of {folder} includes {target}: delete the permission")
            count += 1
    if root.resolve() == abilities.ROOT:
        for what in [*abilities.findings(), *documents.findings()]:
            print(f"rows: {what}")
            count += 1
    for text in check_units(includes, texts):
        print(text)
        count += 1
    for name, line in form.findings(root, files):
        print(f"{name}:{line}: format: differs from the form of .clang-format: run ./prism check --format")
        count += 1
    for name, line, what in form.long_lines(texts, form.allowed_long_lines()):
        print(f"{name}:{line}: format: {what}")
        count += 1
    for text in abi.findings(root, write_abi):
        print(text)
        count += 1
    for text in subjects.findings(root):
        print(text)
        count += 1
    print(f"check: {len(files)} files, {count} findings")
    return 1 if count else 0


def seconds(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds: give 1 or more")
    return int(text)


def main():
    parser = argparse.ArgumentParser(prog="./prism check", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--all", nargs="*", metavar="NAME", help="also configure, build and test these configurations "
                        "(all without a name): " + ", ".join(c.name for c in configurations.CONFIGURATIONS))
    parser.add_argument("--results", action="store_true", help="only show the last result of each configuration of --all")
    parser.add_argument("--fuzz", nargs="?", type=seconds, const=60, metavar="SECONDS",
                        help="also run libFuzzer on each reader of outside input, this long (60 without a number)")
    parser.add_argument("--limits", nargs="*", metavar="RESOURCE",
                        help="also run a small program with little address space, few files, a full disk and so on, on each backend "
                             "(all without a name): it must be right or say why not")
    parser.add_argument("--build-times", action="store_true", help="only show which files took the last build's time")
    parser.add_argument("--write-layout", action="store_true", help="write the table of docs/layout.md from tools/check/layers.txt first")
    parser.add_argument("--write-abi", action="store_true", help="write bindings/c/prism-c.abi, the binary interface of prism.h, after an addition to it")
    parser.add_argument("--format", action="store_true", help="give every C and C++ file the form of .clang-format first")
    parser.add_argument("--tidy", action="store_true", help="also run clang-tidy over the last build's own sources")
    parser.add_argument("--coverage", nargs="?", const="all", metavar="SCOPE", help="also measure which lines the tests reach, and write docs/coverage.md; "
                        "SCOPE: all, or runtime (without the compiler)")
    asked = parser.parse_args()
    if message := configurations.unknown_name(asked.all or []):
        print(message)
        return 2
    if asked.build_times:
        return build_times.show(asked.root / os.environ.get("PRISM_BUILD_DIR", "build"))
    if asked.results:
        return configurations.show_results(asked.root.resolve())
    if asked.write_layout:
        page = asked.root / "docs/layout.md"
        page.write_text(LAYERS.layout(page.read_text()))
    if asked.format and form.apply(asked.root, tracked(asked.root)):
        return 1
    status = check_files(asked.root, asked.write_abi)
    jobs = os.environ.get("PRISM_JOBS", str(os.cpu_count()))
    if not jobs.isdigit() or int(jobs) == 0:
        sys.exit(f"check: PRISM_JOBS is '{jobs}', which is no number of jobs: give 1 or more")
    jobs = int(jobs)
    if asked.fuzz is not None:
        status = fuzzing.run(asked.root.resolve(), asked.fuzz, jobs) or status
    if asked.limits is not None:
        status = limits.check(asked.root.resolve(), jobs, asked.limits) or status
    if asked.tidy or asked.all == []:
        status = tidy.run(asked.root.resolve(), asked.root.resolve() / os.environ.get("PRISM_BUILD_DIR", "build"), jobs) or status
    if asked.coverage:
        status = coverage.run(asked.root.resolve(), asked.coverage, jobs) or status
    if asked.all is not None:
        status = configurations.run_all(asked.root.resolve(), asked.all, jobs) or status
    return status


if __name__ == "__main__":
    sys.exit(main())
