"""Which lines the tests reach; `./prism check --coverage`, or `--coverage=runtime` without the compiler.

Builds PRISM with clang's source-based coverage and runs all tests but the scripts that read the repository, twice:
with the compiler in build-check/coverage, where the lines of kernels cannot count, because prism++ takes the counters
out of them; and without it in build-check/coverage-runtime, where kernels are ordinary C++ on the host device. A line
is reached if either reaches it. Writes docs/coverage.md (a table by folder) and build-check/unreached.txt
(every line of a source file that no test reaches, as ranges). Takes an hour and a half on two cores; of the runtime
alone a third of that.
"""
import collections
import datetime
import os
import pathlib
import subprocess

import configurations

FOLDERS = ("devices", "image_format", "runtime", "extras", "compiler", "kernels", "tools")
PAGE = "docs/coverage.md"
GOAL = 90  # percent of the lines of runtime, devices and compiler
# Of each scope: the folders of its builds, and cmake's options of them.
WITHOUT_COMPILER = {"coverage-runtime": configurations.RUNTIME}
SCOPES = {"all": {"coverage": [], **WITHOUT_COMPILER}, "runtime": WITHOUT_COMPILER}
OPTIONS = [*configurations.CLANG, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DPRISM_COVERAGE=ON"]
TESTS = configurations.test_run(without=configurations.SCRIPTS + r"|random\.soak|^tools\.(docs|manual|packages)")


def reached(lcov):
    """file -> {line: number of times it ran} of llvm-cov's export in lcov's format."""
    files, current = {}, None
    for line in lcov.splitlines():
        if line.startswith("SF:"):
            current = files.setdefault(line[3:], {})
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            current[int(number)] = max(current.get(int(number), 0), int(count))
    return files


def add(files, more):
    """Adds the lines of another build to `files`."""
    for name, lines in more.items():
        known = files.setdefault(name, {})
        for number, count in lines.items():
            known[number] = max(known.get(number, 0), count)


def ranges(numbers):
    """[3, 4, 5, 9] -> "3-5, 9"."""
    out, numbers = [], sorted(numbers)
    for number in numbers:
        if out and out[-1][1] == number - 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def by_folder(files, root):
    """folder -> (lines, lines reached), for each folder of two levels and for each top folder."""
    sums = collections.defaultdict(lambda: [0, 0])
    for name, lines in files.items():
        path = pathlib.Path(name)
        if not path.is_relative_to(root) or path.relative_to(root).parts[0] not in FOLDERS:
            continue
        parts = path.relative_to(root).parts
        for folder in {parts[0], "/".join(parts[:-1][:2])}:
            sums[folder][0] += len(lines)
            sums[folder][1] += sum(count > 0 for count in lines.values())
    return dict(sorted(sums.items()))


def page(sums, scope):
    yield "# Coverage"
    yield ""
    if scope != "all":
        yield f"Measured by `./prism check --coverage={scope}`: without the compiler, so only on tests that ordinary C++ can run."
        yield ""
    yield f"Measured on {datetime.date.today():%d %B %Y}."
    yield ""
    yield "Lines that the tests reach, by folder: `./prism check --coverage` writes this page, and the ranges of lines that no"
    yield f"test reaches to `build-check/unreached.txt`. The goal for runtime, devices and compiler is {GOAL} %."
    yield "Lines of kernels, and of the headers that they use, count where a build without the compiler runs them as ordinary C++."
    yield ""
    yield "| folder | lines | reached |"
    yield "|---|---:|---:|"
    for folder, (lines, hit) in sums.items():
        name = f"**`{folder}`**" if "/" not in folder else f"`{folder}`"
        yield f"| {name} | {lines:,} | {100 * hit / max(lines, 1):.1f} % |"


def objects(build):
    """The programs and libraries that hold instrumented code."""
    found = sorted(build.glob("lib/*.so")) + [p for p in sorted(build.glob("bin/*")) if p.is_file() and os.access(p, os.X_OK)]
    return [p for p in found if b"__llvm_covmap" in subprocess.run(["readelf", "-SW", p], capture_output=True).stdout]


def export(build, profile):
    """llvm-cov's lines of all objects, in lcov's format."""
    first, *rest = objects(build)
    command = ["llvm-cov-19", "export", "-format=lcov", f"-instr-profile={profile}", str(first)]
    for other in rest:
        command += ["-object", str(other)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write(root, files, scope):
    sums = by_folder(files, root)
    (root / PAGE).write_text("\n".join(page(sums, scope)) + "\n")
    with open(root / "build-check/unreached.txt", "w") as out:
        for name, lines in sorted(files.items()):
            missed = [number for number, count in lines.items() if count == 0]
            path = pathlib.Path(name)
            if missed and path.is_relative_to(root):
                out.write(f"{path.relative_to(root)}: {ranges(missed)}\n")
    for folder in ("runtime", "devices", "compiler"):
        lines, hit = sums.get(folder, (0, 0))
        print(f"   {folder}: {100 * hit / max(lines, 1):.1f} % of {lines} lines")


def measured(root, name, options, jobs, log):
    """file -> {line: number of times it ran} of one build; None if it failed. The tests' failures do not count here."""
    build = root / "build-check" / name
    build.mkdir(parents=True, exist_ok=True)
    # the compiler's lines count when it builds the tests, so no object may come from ccache
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(build / "profiles/%4m.profraw"), "CCACHE_DISABLE": "1"}
    steps = [(f"configuring {name}", ["cmake", "-G", "Ninja", "-S", root, "-B", build, *OPTIONS, *options]),
             ("building", ["cmake", "--build", build, "-j", jobs, "--target", "all"]),
             ("testing", ["ctest", "--test-dir", build, "-j", jobs, "--timeout", "900", *configurations.selection(TESTS)])]
    for text, command in steps:
        good, _ = configurations.run_step(text, command, log, environment)
        if not good and text != "testing":
            return None
    profile, raw = build / "all.profdata", build / "profiles.txt"
    raw.write_text("\n".join(str(p) for p in sorted((build / "profiles").glob("*.profraw"))))
    merge = ["llvm-profdata-19", "merge", "--failure-mode=all", "-sparse", f"--input-files={raw}", "-o", profile]
    good, _ = configurations.run_step("merging", merge, log, environment)
    return reached(export(build, profile)) if good else None


def run(root, scope, jobs):
    """0 when built and measured; 2 for an unknown scope."""
    if scope not in SCOPES:
        print(f"check: coverage of '{scope}' is not known; there are: {', '.join(SCOPES)}")
        return 2
    log = root / "build-check/coverage.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("")
    print("== coverage: which lines the tests reach", flush=True)
    files = {}
    for name, options in SCOPES[scope].items():
        found = measured(root, name, options, jobs, log)
        if found is None:
            print(f"   see {log.relative_to(root)}")
            return 1
        add(files, found)
    write(root, files, scope)
    print(f"   written: {PAGE}, build-check/unreached.txt")
    return 0
