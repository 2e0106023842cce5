"""clang-tidy with the checks of .clang-tidy over PRISM's own libraries and programs; `./prism check --tidy`.

Reads the compile commands of the last build. Libraries are compiled several files at a time, and are checked so.
"""
import concurrent.futures
import json
import re
import shutil
import subprocess

PROGRAM = "clang-tidy-19"
ROOMS = ("runtime", "devices", "extras", "image_format", "compiler", "kernels", "providers", "tools")
WARNING = re.compile(r"^(?P<file>\S+):(?P<line>\d+):\d+: (?:warning|error): (?P<what>.*)$")


def sources(build, root):
    """The files to check: those of the rooms, or what CMake joined of them."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for command in commands:
        name = command["file"].removeprefix(f"{build}/").removeprefix(f"{root}/")
        if name.startswith(ROOMS) and "prism++" not in command["command"].split()[0]:
            found[command["file"]] = True
    return list(found)


def warnings_of(build, root, source):
    out = subprocess.run([PROGRAM, "-p", build, "--quiet", source], cwd=root, capture_output=True, text=True).stdout
    for line in out.splitlines():
        found = WARNING.match(line)
        if found and found["file"].startswith(str(root)):
            yield f"{found['file'].removeprefix(str(root) + '/')}:{found['line']}: tidy: {found['what']}"


def run(root, build, jobs):
    """0 clean, 1 findings; skipped by name where the program or the build is missing."""
    if shutil.which(PROGRAM) is None:
        print(f"tidy: skipped: {PROGRAM} is not installed (./prism setup --all)")
        return 0
    if not (build / "compile_commands.json").exists():
        print(f"tidy: skipped: {build} has no build; ./prism build makes it")
        return 0
    chosen = sources(build, root)
    print(f"== tidy: {len(chosen)} files and batches of files", flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = sorted({line for lines in pool.map(lambda s: list(warnings_of(build, root, s)), chosen) for line in lines})
    for line in found:
        print(line)
    print(f"tidy: {len(found)} findings")
    return int(bool(found))
