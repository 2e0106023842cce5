#!/usr/bin/env python3
"""Prints the targets that `./prism test OPTION...` must build, one per line; `all` for everything. Builds and runs nothing.

usage: needed.py BUILD OPTION...     the options are those of ctest; with an empty BUILD it only checks them
Reads the tests of a configured build folder from its CTestTestfile.cmake files, because ctest does not list programs that are not
built. A test whose command is a program needs that program. A test that a script runs may use any program, and needs all.
Exit status: 0, or 2 with a line on stderr for an option that ctest does not have or a name that no test has.
"""
import pathlib
import re
import sys

WITH_VALUE = {"-R", "--tests-regex", "-E", "--exclude-regex", "-L", "--label-regex", "-LE", "--label-exclude", "-j", "--parallel", "-I",
              "--tests-information", "--repeat", "--timeout", "--stop-time", "-FS", "-FC", "-FA", "--test-load", "--output-junit",
              "--max-width", "-O", "--output-log", "--test-output-size-passed", "--test-output-size-failed", "--repeat-until-fail"}
ALONE = {"-V", "-VV", "-Q", "--verbose", "--extra-verbose", "--quiet", "--output-on-failure", "--stop-on-failure", "--rerun-failed", "-F",
         "-N", "--show-only", "--schedule-random", "--progress", "--no-label-summary", "--no-subproject-summary", "-U", "--union", "--debug"}
TEST = re.compile(r'^add_test\((?:\[=\[(.*?)\]=\]|"?([^" ]+)"?) (.*)\)$', re.M)
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def fail(text):
    print(f"prism: {text}", file=sys.stderr)
    sys.exit(2)


def patterns(options):
    """The patterns of -R. Fails for an option that ctest does not have."""
    found, left = [], list(options)
    while left:
        option = left.pop(0)
        name, _, value = option.partition("=")
        if re.fullmatch(r"-j\d+", option):
            continue
        if name in ALONE or (value and name in WITH_VALUE):
            pass
        elif name in WITH_VALUE:
            if not left:
                fail(f"{name} needs a value, for example {name} {'sycl' if name != '-j' else '2'}")
            value = left.pop(0)
        else:
            fail(f"test does not know '{option}'; it knows --soak N, --fuzz N and ctest's options (-R NAME, -L LABEL, -j N, -V; ctest --help lists them)")
        if name in ("-R", "--tests-regex"):
            try:
                found.append(re.compile(value))
            except re.error as problem:
                fail(f"-R '{value}' is no regular expression: {problem}")
    return found


def tests(build):
    """(name, command) of each test; a program of unit tests that is not built yet is one test named PROGRAM_NOT_BUILT."""
    for file in sorted(build.rglob("CTestTestfile.cmake")):
        text = file.read_text()
        for bracket, plain, command in TEST.findall(text):
            yield bracket or plain, [quoted or word for quoted, word in WORD.findall(command)]
        for program in re.findall(r'include\("(\S+?)_include\.cmake"\)', text):
            program = re.sub(r"\[\d+\]$", "", pathlib.Path(program).name)
            listed = list(file.parent.glob(f"{program}*_tests.cmake"))
            yield from ((name, [str(build / "bin" / program)]) for each in listed for name in re.findall(r"add_test\( ?\[=\[(.*?)\]=\]", each.read_text()))
            if not listed:
                yield f"{program}_NOT_BUILT", [str(build / "bin" / program)]


def needed(build, wanted):
    known = list(tests(build))
    matched = [(name, command) for name, command in known if all(p.search(name) for p in wanted)]
    if not matched: # perhaps a unit test: only its program knows its tests' names
        matched = [(name, command) for name, command in known if name.endswith("_NOT_BUILT")]
        if not matched:
            fail(f"no test has '{wanted[-1].pattern}' in its name; ctest --test-dir {build.name} -N lists all names")
    targets = {"prism-probe"}
    for _, command in matched:
        words = [pathlib.Path(w) for w in command]
        programs = [w for w in words if build / "bin" in w.parents]
        by_script = not programs or words[0] not in programs
        if by_script and not (programs and words[0].parent.match("tests/sycl")):
            return ["all"]
        targets.update(str(p.relative_to(build)) for p in programs)
    return sorted(targets)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    wanted = patterns(sys.argv[2:])
    if sys.argv[1]:
        build = pathlib.Path(sys.argv[1]).resolve()
        print("\n".join(needed(build, wanted) if wanted else ["all"]))


if __name__ == "__main__":
    main()
