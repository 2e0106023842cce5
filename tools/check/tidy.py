"""clang-tidy with the checks of .clang-tidy over PRISM's own libraries and programs; `./prism check --tidy`.

Reads the compile commands of the last build. Libraries are compiled several files at a time, and are checked so.
"""
import concurrent.futures
import json
import re
import shutil
import subprocess
import time

PROGRAM = "clang-tidy-19"
ROOMS = ("runtime", "devices", "extras", "image_format", "compiler", "kernels", "providers", "tools", "bindings", "stdpar", "samples", "bench")
# Fortran; a hundred instances of one kernel, which take five minutes; files with gcc's <omp.h>, which clang does not parse, or with the
# headers that `prism++ --stdpar` includes.
NOT_READ = (".f90", ".F90", "bench/start/many_kernels.cpp", "bench/openmp_kernels.cpp", "bench/primitives_openmp.cpp",
            "bench/standard_algorithms.cpp", "providers/onednn/convolution.cpp", "providers/onednn/onednn.cpp", "providers/onednn/product.cpp")
WARNING = re.compile(r"^(?P<file>\S+):(?P<line>\d+):\d+: (?:warning|error): (?P<what>.*)$")


def sources(build, root):
    """The files to check: those of the rooms, or what CMake joined of them."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for command in commands:
        name = command["file"].removeprefix(f"{build}/").removeprefix(f"{root}/")
        if name.startswith(ROOMS) and not name.endswith(NOT_READ) and "prism++" not in command["command"].split()[0]:
            found[command["file"]] = True
    return list(found)


def warnings_of(build, root, source):
    """(seconds, findings) of one file or batch."""
    begin = time.monotonic()
    out = subprocess.run([PROGRAM, "-p", build, "--quiet", source], cwd=root, capture_output=True, text=True).stdout
    found = [WARNING.match(line) for line in out.splitlines()]
    return time.monotonic() - begin, [f"{one['file'].removeprefix(str(root) + '/')}:{one['line']}: tidy: {one['what']}"
                                      for one in found if one and one["file"].startswith(str(root))]


def run(root, build, jobs):
    """0 clean, 1 findings; skipped by name where the program or the build is missing. Prints a line for each file or batch as it ends."""
    if shutil.which(PROGRAM) is None:
        print(f"tidy: skipped: {PROGRAM} is not installed (./prism setup --all)")
        return 0
    if not (build / "compile_commands.json").exists():
        print(f"tidy: skipped: {build} has no build; ./prism build makes it")
        return 0
    chosen = sources(build, root)
    print(f"== tidy: {len(chosen)} files and batches of files", flush=True)
    found = set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(warnings_of, build, root, source): source for source in chosen}
        for number, done in enumerate(concurrent.futures.as_completed(running), 1):
            seconds, findings = done.result()
            new = sorted(set(findings) - found)
            found.update(new)
            name = running[done].removeprefix(f"{root}/")
            print(f"   [{number}/{len(chosen)}] {name}: {seconds:.0f} s, {len(new)} findings", flush=True)
            for line in new:
                print(line, flush=True)
    print(f"tidy: {len(found)} findings")
    return int(bool(found))
