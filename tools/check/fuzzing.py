"""libFuzzer over every reader of outside input (tests/fuzz/parsers.hpp) and over prism.h (tests/bindings/c_fuzz.cpp); `./prism check --fuzz [SECONDS]`.

Builds the programs with clang's address and undefined-behaviour sanitizers in build-check/fuzz, then runs each for that many
seconds, starting from tests/fuzz/seeds and the inputs that earlier runs found (build-check/fuzz/corpus). A finding is written to
build-check/fuzz/findings. Once the bug is fixed, copy the finding to tests/fuzz/seeds, so that it becomes a test.
"""
import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import configurations

OPTIONS = ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1", "-DCMAKE_C_COMPILER=clang-19",
           "-DCMAKE_CXX_COMPILER=clang++-19", "-DPRISM_FUZZ=ON", "-DPRISM_SANITIZE=address,undefined",
           *configurations.NO_DRIVERS, *configurations.RUNTIME]


def seeds_of(root, name):
    seeds = root / "tests/fuzz/seeds" / name
    return [seeds] if seeds.is_dir() else []


def interface_program(root, log):
    """The program over prism.h, which needs the operations and so the main build: {} where that build does not have it."""
    build = root / os.environ.get("PRISM_BUILD_DIR", "build")
    if not (build / "build.ninja").exists():
        print("   c_interface    skipped: ./prism build first", flush=True)
        return {}
    configurations.run_step("building c_interface", ["cmake", "--build", build, "--target", "fuzz_c_interface"], log, os.environ)
    program = build / "bin/fuzz_c_interface"
    return {"c_interface": program} if program.exists() else {}


def run_reader(name, program, root, folder, seconds):
    """(verdict, detail) of one reader."""
    corpus, findings = folder / "corpus" / name, folder / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    log = folder / f"{name}.log"
    with open(log, "w") as out:
        status = subprocess.run([program, f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1",
                                 f"-artifact_prefix={findings}/{name}-", corpus, *seeds_of(root, name)],
                                stdout=out, stderr=subprocess.STDOUT).returncode
    text = log.read_text(errors="replace")
    if status:
        kept = re.findall(r"Test unit written to (\S+)", text)
        where = os.path.relpath(kept[-1], root) if kept else os.path.relpath(log, root)
        return "FAILED", f"{where}; log: {os.path.relpath(log, root)}"
    runs = re.findall(r"number_of_executed_units: (\d+)", text)
    return "ok", f"{runs[-1]} inputs" if runs else "no figures"


def run(root, seconds, jobs):
    """0 when every reader passed, 1 after a finding or a failed build."""
    if not shutil.which("clang++-19"):
        print("check: --fuzz needs clang++-19 (./prism setup)")
        return 1
    folder = root / "build-check" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder.parent / "fuzz.log"
    log.write_text("")
    print("== fuzz: every reader of outside input", flush=True)
    for text, command in (("configuring", ["cmake", "-G", "Ninja", "-S", root, "-B", folder, *OPTIONS]),
                          ("building", ["cmake", "--build", folder, "-j", jobs, "--target", "fuzz"])):
        if not configurations.run_step(text, command, log, os.environ)[0]:
            print(f"check: {text} failed; see {os.path.relpath(log, root)}")
            return 1
    readers = {program.name.removeprefix("fuzz_"): program for program in sorted((folder / "bin").glob("fuzz_*"))}
    readers = {name: program for name, program in readers.items() if (root / "tests/fuzz/seeds" / name).is_dir()}  # fuzz_seeds is not a reader
    readers |= interface_program(root, log)
    print(f"   {len(readers)} readers, {seconds} s each, {jobs} at a time", flush=True)
    begin = time.monotonic()
    failed = []
    with ThreadPoolExecutor(jobs) as several:
        runs = {name: several.submit(run_reader, name, program, root, folder, seconds) for name, program in readers.items()}
        for name, done in runs.items():
            verdict, detail = done.result()
            if verdict != "ok":
                failed.append(name)
            print(f"   {name:<14} {verdict:<7} {detail}", flush=True)
    print(f"   fuzz: {len(readers) - len(failed)} readers passed, {len(failed)} failed{': ' if failed else ''}{', '.join(failed)}, "
          f"{time.monotonic() - begin:.0f} s", flush=True)
    return 1 if failed or not readers else 0
