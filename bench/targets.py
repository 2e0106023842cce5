"""What each set of targets costs a program: targets.py REPOSITORY BUILD [--kernels N] [--rounds N] [--page FILE] [--sets SET...]

Compiles bench/start/many_kernels.cpp with every set of `prism++ --targets` and writes a table into the page (by default
docs/performance-reasons.md), between the two comments. Compile time is the processor time of prism++ -O2 without the link, the least of the
rounds; size is that of the stripped program; start is from the process's start to its end with one kernel on the set's first device, without
a build (the second start and later ones), the least of the rounds. A set whose driver is missing has no start time."""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

SETS = ("host", "opencl", "vulkan", "host,opencl", "host,vulkan", "host,opencl,vulkan")
SELECTORS = {"host": "host", "opencl": "opencl:name=Portable", "vulkan": "vulkan:name=llvmpipe"}
BEGIN, END = "<!-- written by ./prism bench --targets -->", "<!-- end of the table of targets -->"


def processor_time(command, environment=None):
    """Processor and wall seconds of a command and its children, or None if it fails."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
    if done.returncode != 0:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def measured(repository, build, targets, folder, kernels, rounds):
    compiler, source = build / "bin/prism++", repository / "bench/start/many_kernels.cpp"
    name = folder / targets.replace(",", "-")
    compile_one = [compiler, "--no-header-cache", f"--targets={targets}", "-Wno-prism-target", "-std=c++20", "-O2", f"-DPRISM_KERNEL_COUNT={kernels}", "-c", source, "-o", f"{name}.o"]
    spent = [processor_time(compile_one) for _ in range(rounds)]
    if None in spent:
        raise SystemExit(f"targets.py: prism++ --targets={targets} fails")
    subprocess.run([compiler, f"{name}.o", "-s", "-o", name], check=True)
    environment = {**os.environ, "PRISM_DEVICE_SELECTOR": SELECTORS[targets.split(",")[0]], "PRISM_CACHE_DIR": str(folder / "cache")}
    starts = [processor_time([name, "0"], environment) for _ in range(rounds + 2)][2:]
    return min(s[0] for s in spent), name.stat().st_size, None if None in starts else min(s[1] for s in starts), None if None in starts else min(s[0] for s in starts)


def table(rows, plain, kernels):
    lines = [BEGIN, "", f"| targets, {kernels} kernels | compile, processor time | program, stripped | start with one kernel: wall, processor time |", "|---|---|---|---|"]
    for targets, (seconds, size, wall, processor) in rows:
        start = "no driver" if wall is None else f"{1e3 * wall:.0f}, {1e3 * processor:.0f} ms"
        lines.append(f"| {targets} | {seconds:.2f} s | {size / 1024:.0f} KiB | {start} |")
    lines.append(f"| none: `clang++ -O2`, host code only | {plain:.2f} s | | |")
    return "\n".join(lines + ["", END])


def main():
    parser = argparse.ArgumentParser(prog="./prism bench --targets")
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--kernels", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="SET")
    asked = parser.parse_args()
    repository, build = asked.repository.resolve(), asked.build.resolve()
    page = asked.page or repository / "docs/performance-reasons.md"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = [(targets, measured(repository, build, targets, folder, asked.kernels, asked.rounds)) for targets in asked.sets]
        clang = next(line.split("=", 1)[1] for line in (build / "CMakeCache.txt").read_text().splitlines() if line.startswith("PRISM_CLANG:"))
        plain = [processor_time([clang, "-std=c++20", "-O2", "-w", f"-I{repository}/runtime/include", f"-DPRISM_KERNEL_COUNT={asked.kernels}", "-c",
                                 repository / "bench/start/many_kernels.cpp", "-o", folder / "plain.o"]) for _ in range(asked.rounds)]
    if None in plain:
        raise SystemExit("targets.py: clang++ fails")
    text = page.read_text()
    if BEGIN not in text or END not in text:
        raise SystemExit(f"targets.py: {page} has no '{BEGIN}' and '{END}'")
    made = table(rows, min(p[0] for p in plain), asked.kernels)
    page.write_text(text[:text.index(BEGIN)] + made + text[text.index(END) + len(END):])
    print(made)


main()
