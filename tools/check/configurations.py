"""The configurations that CI does not build, each configured, built and tested; `./prism check --all`.

They run one after another. Each is built in build-check/NAME, which remains, so that a second run is quick; build-check/NAME.log has the output. The
progress is printed to standard output line by line, then one table. build-check/results.json keeps the last result of each, with the commit and the
time, from the moment when it is known; --results prints it. A configuration whose compiler is not installed is listed as skipped.
"""
import dataclasses
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "setup"))
import debian

RUNTIME = ["-DPRISM_COMPILER=OFF", "-DPRISM_KERNELS=OFF", "-DPRISM_BENCH=OFF"]
NO_DRIVERS = ["-DPRISM_BACKEND_OPENCL=OFF", "-DPRISM_BACKEND_VULKAN=OFF"]
CLANG = ["-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19"]
COMPILER = ["-DPRISM_KERNELS=OFF", "-DPRISM_BENCH=OFF"]
# Tests of what a configuration can break: it builds, finds its devices, decides and computes. All tests of the default build
# would take half an hour each and find no more.
RUNTIME_TARGETS = ["prism", "prism-info", "prism-probe", "unit_decisions", "unit_cache", "unit_engine", "record_device_test",
                   "registry_test", "sycl_kernels", "sycl_atomics", "sycl_kernel_code", "sycl_buffers"]
COMPILER_TARGETS = ["prism", "prism-plugin", "prism++", "prism-info", "prism-probe", "01_first_kernel", "sycl_kernels", "sycl_atomics", "sycl_kernel_code", "sycl_buffers",
                    "sycl_kernel_attributes", "sycl_group_functions"]
RUNTIME_TESTS = r"^(unit_(decisions|cache|engine)|record_device_test|registry_test|tools\.prism_info|sycl\.(kernels|atomics|kernel_code|buffers)\.host)"
COMPILER_TESTS = r"^(samples\.01_first_kernel|sycl\.(kernels|atomics|kernel_code|buffers|kernel_attributes|group_functions)\.[a-z]*$|tools\.(prism_info|prismxx))"
# Sanitizers run every test except three kinds: scripts that read the repository, prism-info's, which clears the environment variables with the
# sanitizers' options for drivers, and tests under Oclgrind, which must be loaded first, as the sanitizers must.
SCRIPTS = r"^tools\.(check|build|front_door|conformance_rows|prism_info)|oclgrind"
# Tests that open no driver. LeakSanitizer cannot check the others: drivers do not free all memory before the process ends and are unloaded
# by then, and the sanitizer's tracer crashes in PoCL's remaining state.
WITHOUT_DRIVERS = r"^(sycl\.|unit_(decisions|cache|damaged_input|engine|host)|(record|host)_device_test|fuzz_seeds|devices\.conformance_(host|record|null)$)"
# rusticl's threads (Rust's standard library) wait by futex calls that the thread sanitizer does not see: it reports each of
# their accesses, which takes it hours.
NO_TSAN = "rusticl"

# Every program made by prism++ except the samples, without tests under validation layers and Oclgrind.
PROGRAM_TARGETS = ["prism-probe", "sycl_suites", "random_programs", "compiler_tests"]
PROGRAMS, WATCHED = r"^(sycl|random|compiler)\.", r"oclgrind|validated|random\.soak"
UNSANITIZED = r"^compiler\.linking$"  # builds programs without the sanitizer, which cannot be linked with sanitized libraries
RACES = r"^sycl\.planted_mistakes\."  # has deliberate races, which PRISM must report


def emulated(machine):
    """Runs a command where programs for the machine start under qemu."""
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", str(pathlib.Path(__file__).with_name("emulated.sh")), machine]


@dataclass
class machine:
    """A processor architecture that is not this machine's, and the Debian system with its libraries."""
    name: str  # as qemu and the toolchains name it
    debian: str  # as Debian names it
    suite: str
    packages: list


@dataclass
class test_run:
    """One call of ctest: the tests whose names match `tests` and not `without`."""
    tests: str = ""
    without: str = ""
    environment: dict = field(default_factory=dict)


@dataclass
class configuration:
    name: str
    why: str
    options: list
    targets: list = field(default_factory=lambda: RUNTIME_TARGETS)
    tests: list = field(default_factory=lambda: [test_run(RUNTIME_TESTS)])
    needs: str = ""  # a program or a file that must exist
    # Debian systems to make first, suite -> packages. The configuration gets the folders of those that could be made, as
    # PRISM_COMPILER_ROOTS; the others are among its skipped tests, by name.
    systems: dict = field(default_factory=dict)
    # For another processor architecture: the prism++ of the default build compiles the kernels. Programs, also those that tests start, run
    # under qemu.
    cross: machine = None


# -g1: reports need lines; a build without the other debug information is faster.
def sanitized(name, sanitizers, why, tests):
    return configuration(name, f"-fsanitize={sanitizers} {why}",
                         ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-g1", f"-DPRISM_SANITIZE={sanitizers}", "-DPRISM_INFO=OFF", *RUNTIME],
                         ["all"], tests)


def sanitized_programs(name, sanitizers, why, tests):
    """As `sanitized`, but the tests' kernels are compiled by prism++; clang compiles everything, because a process can have only one sanitizer runtime."""
    return configuration(name, f"-fsanitize={sanitizers} {why}",
                         [*CLANG, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1", f"-DPRISM_SANITIZE={sanitizers}",
                          "-DPRISM_INFO=OFF", *COMPILER],
                         PROGRAM_TARGETS, tests, needs="clang++-19")


ASAN = {"ASAN_OPTIONS": "detect_stack_use_after_return=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
ASAN_NO_LEAKS = {**ASAN, "ASAN_OPTIONS": ASAN["ASAN_OPTIONS"] + ":detect_leaks=0"}
ENDING = r"^sycl\.ending\."  # processes that end with work in flight do not free its memory
TSAN = {"TSAN_OPTIONS": "suppressions={root}/tools/check/tsan.supp", "RUSTICL_ENABLE": ""}
# The suites' own environment enables rusticl's device, and every enumeration of OpenCL devices opens it. So the loader gets only PoCL.
TSAN_PROGRAMS = {**TSAN, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}

# Debian's libraries for other architectures that the build uses.
CROSS_PACKAGES = ["libtbb-dev", "libboost-context-dev", "libgtest-dev", "libcli11-dev", "nlohmann-json3-dev", "libyaml-cpp-dev", "libfmt-dev",
                  "zlib1g-dev", "libpng-dev", "libsqlite3-dev", "libmpfr-dev", "opencl-headers", "ocl-icd-opencl-dev", "libvulkan-dev", "spirv-headers"]
ARM = machine("aarch64", "arm64", "bookworm", ["libstdc++-12-dev", *CROSS_PACKAGES])
RISCV = machine("riscv64", "riscv64", "trixie", ["libstdc++-14-dev", *CROSS_PACKAGES])  # the first Debian for it
CROSS_TARGETS = ["prism", "prism-probe", "sycl_suites", "random_programs", "device_conformance", "host_device_test", "record_device_test", "registry_test",
               "verdicts_test", "unit_decisions", "unit_cache", "unit_trace", "unit_damaged_input", "unit_engine", "unit_budget", "unit_host"]
CROSS_TESTS = (r"^(unit_|devices\.conformance_(host|record|null|wrapped_host)$|(host|record)_device_test|registry_test|verdicts_test"
             r"|sycl\.[a-z_]+\.(host|null|all|lost_host)|sycl\.host_isa\.copies_are_made$|random\.(host|many_regions)$)")
NO_CROSS_DRIVERS = r"^unit_drivers"
# qemu writes a message of its own about a program that aborts.
EMULATED = {"GTEST_FILTER": "-registry_test.an_abort_of_the_program_itself_prints_nothing"}

INTEL = pathlib.Path(__file__).resolve().parents[2] / "build/registry"  # ./prism setup --all unpacks the driver there
SWIFTSHADER = "/usr/lib/chromium/libvk_swiftshader.so"  # of the package chromium-common
NETLIB = f"/usr/lib/{platform.machine()}-linux-gnu/lapack/xlintstd"  # of the package liblapack-test; libblas-test has the BLAS's

CONFIGURATIONS = [
    configuration("separate-files", "each file of the libraries compiled by itself, which finds missing includes",
                  ["-DPRISM_UNITY=OFF", *COMPILER], COMPILER_TARGETS, [test_run(COMPILER_TESTS)]),
    configuration("host-only", "no driver backend", [*NO_DRIVERS, *RUNTIME]),
    configuration("host-opencl", "without Vulkan", ["-DPRISM_BACKEND_VULKAN=OFF", *RUNTIME]),
    configuration("host-vulkan", "without OpenCL", ["-DPRISM_BACKEND_OPENCL=OFF", *RUNTIME]),
    sanitized("asan", "address,undefined", "over every device, leaks where no driver is open",
              [test_run(WITHOUT_DRIVERS, without=ENDING, environment=ASAN), test_run(ENDING, environment=ASAN_NO_LEAKS),
               test_run(without=f"{SCRIPTS}|{WITHOUT_DRIVERS}", environment=ASAN_NO_LEAKS)]),
    sanitized("tsan", "thread", "over every device but rusticl", [test_run(without=f"{SCRIPTS}|{NO_TSAN}", environment=TSAN)]),
    sanitized_programs("asan-programs", "address,undefined", "over programs made by prism++, every device",
                       [test_run(tests=PROGRAMS, without=WATCHED, environment=ASAN_NO_LEAKS)]),
    sanitized_programs("tsan-programs", "thread", "over programs made by prism++, every device but rusticl",
                       [test_run(tests=PROGRAMS, without=f"{WATCHED}|{UNSANITIZED}|{RACES}|{NO_TSAN}", environment=TSAN_PROGRAMS)]),
    configuration("clang", "clang 19 as the host compiler, of the plugin too",
                  [*CLANG, *COMPILER], COMPILER_TARGETS,
                  [test_run(COMPILER_TESTS)], needs="clang++-19"),
    configuration("lto", "link-time optimisation", ["-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", *COMPILER], COMPILER_TARGETS,
                  [test_run(COMPILER_TESTS)]),
    # As on processors without AVX-512, and without AVX2; llvmpipe then has vectors of four and of sixteen numbers of 32 bits.
    configuration("instruction-sets", "the SYCL suites and random kernels with other instruction sets than this processor's",
                  [*COMPILER], ["prism-probe", "sycl_suites", "random_programs"],
                  [test_run(r"^(sycl\..*|random)\.host$", environment={"PRISM_HOST_ISA": "baseline"}),
                   test_run(r"^(sycl\..*|random)\.host$", environment={"PRISM_HOST_ISA": "v3"}),
                   test_run(r"^(sycl\..*|random)\.vulkan$", environment={"LP_NATIVE_VECTOR_WIDTH": "128"}),
                   test_run(r"^(sycl\..*|random)\.vulkan$", environment={"LP_NATIVE_VECTOR_WIDTH": "512"})]),
    configuration("aarch64", "programs for AArch64 by the cross compiler, under qemu: an old processor without SVE, then one with SVE",
                  COMPILER, CROSS_TARGETS,
                  [test_run(CROSS_TESTS, without=NO_CROSS_DRIVERS, environment={"QEMU_CPU": cpu, "PRISM_TEST_HOST_ISA": level, **EMULATED})
                   for cpu, level in (("cortex-a57", "baseline"), ("max", "sve"))],
                  needs="qemu-aarch64", cross=ARM),
    configuration("riscv64", "programs for RISC-V of 64 bits by the cross compiler, under qemu",
                  COMPILER, CROSS_TARGETS, [test_run(CROSS_TESTS, without=NO_CROSS_DRIVERS, environment=EMULATED)],
                  needs="qemu-riscv64", cross=RISCV),
    configuration("intel", "the SYCL suites and random kernels on Intel's OpenCL driver for processors", [f"-DPRISM_TEST_INTEL_OPENCL={INTEL}", *COMPILER],
                  ["prism-probe", "sycl_suites", "random_programs"], [test_run(r"^(sycl\..*|random)\.intel$")], needs=f"{INTEL}/vendors"),
    configuration("weak", "the SYCL suites on Vulkan devices that lack features: SwiftShader, and a Mali, an Adreno, a Mac and an old Intel GPU by their reports",
                  ["-DPRISM_TEST_WEAK=ON", *COMPILER], ["prism-probe", "sycl_suites"],
                  [test_run(r"^sycl\.[a-z_0-9]+\.(swiftshader|mali|adreno|moltenvk|minimum)$")], needs=SWIFTSHADER),
    configuration("matrix-units", "the SYCL suite of matrix units on the lavapipe of Debian's next version, which has some", COMPILER,
                  ["prism-probe", "sycl_matrix_units"], [test_run(r"^sycl\.matrix_units\.sid$")], systems={"sid": ["mesa-vulkan-drivers", "libvulkan1", "libtbb12"]}),
    configuration("same-bytes", "the packages, built again from a copy of the sources in another folder",
                  ["--preset", "package", "-DPRISM_TESTS=ON", "-DPRISM_TEST_SAME_BYTES=ON", *COMPILER], ["prism_installed"],
                  [test_run(r"^tools\.same_bytes$")]),
    configuration("llvm-22", "the plugin for clang 22", ["-DPRISM_LLVM_VERSION=22", "-DPRISM_INFO=OFF", *COMPILER], PROGRAM_TARGETS,
                  [test_run(PROGRAMS, without=WATCHED)], needs="/usr/lib/llvm-22/include/clang/Lex/Preprocessor.h"),
    configuration("netlib", "Netlib's testers of the BLAS and of LAPACK on the own kernels, through their Fortran names", ["-DPRISM_NETLIB=ON", "-DPRISM_BENCH=OFF"],
                  ["prism-probe", "prism-provider-trial", "prism_blas", "prism_lapack"], [test_run(r"^kernels\.netlib_")], needs=NETLIB),
    configuration("tutorial", "the notebook of docs/, run by nbconvert", ["-DPRISM_BENCH=OFF"], ["prism++", "prism-probe", "prism_c", "prism_python", "prism_field"],
                  [test_run(r"^bindings\.tutorial$")], needs="jupyter-nbconvert"),
    configuration("compilers", "ordinary programs with the compilers of three versions of Debian", RUNTIME, ["prism", "prism-probe"],
                  [test_run(r"^tools\.compilers$")],
                  systems={"bullseye": ["g++-10"], "bookworm": ["clang-14", "clang-15", "clang-16", "g++-11", "g++-12"],
                           "trixie": ["clang-17", "clang-18", "clang-19", "g++-13", "g++-14"]}),
]


@dataclass
class outcome:
    """The result of one configuration."""
    verdict: str  # ok, FAILED, skipped, stopped
    reason: str = ""  # if the names below do not explain the verdict
    seconds: dict = field(default_factory=dict)  # step -> seconds
    passed: int = 0
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)


def lacks(c):
    if not c.needs:
        return ""
    there = os.path.exists(c.needs) if c.needs.startswith("/") else shutil.which(c.needs)
    if not there:
        return f"{c.needs} is not installed (./prism setup --all)"
    if c.cross:
        tried = subprocess.run([*emulated(c.cross.name), "true"], capture_output=True, text=True)
        return "" if tried.returncode == 0 else f"qemu cannot be registered in a namespace, which needs Linux 6.7: {tried.stderr.strip()}"
    return ""


def run_step(text, command, log, environment):
    """(whether it succeeded, seconds) of one command, whose output is added to the log."""
    print(f"   {text} ...", end="", flush=True)
    begin = time.monotonic()
    with open(log, "a") as out:
        out.write(f"$ {' '.join(map(str, command))}\n")
        out.flush()
        status = subprocess.run([str(part) for part in command], stdout=out, stderr=subprocess.STDOUT, env=environment).returncode
    seconds = time.monotonic() - begin
    print(f" {'done' if status == 0 else 'FAILED'}, {seconds:.0f} s", flush=True)
    return status == 0, seconds


def first_errors(log, most=3):
    """The first lines of the log that name an error."""
    lines = pathlib.Path(log).read_text(errors="replace").splitlines()
    return [line.strip() for line in lines if re.search(r"\berror\b[: ]|^CMake Error", line, re.IGNORECASE)][:most]


def test_result(text):
    """(number passed, names that failed, names that were skipped) from the summaries of ctest in `text`."""
    counts = re.findall(r"tests passed, (\d+) tests failed out of (\d+)", text)
    skipped = re.findall(r"^\s*\d+ - (\S+) \((?:Skipped|Disabled)\)", text, re.MULTILINE)
    failed = re.findall(r"^\s*\d+ - (\S+) \((?!Skipped|Disabled)[^)]*\)", text, re.MULTILINE)
    return sum(int(total) for _, total in counts) - len(failed) - len(skipped), failed, skipped


def selection(run):
    """ctest's options for the tests of one run; a run that matches no test is an error."""
    return ["--no-tests=error", *(["-R", run.tests] if run.tests else []), *(["-E", run.without] if run.without else [])]


def make_systems(c, folder, result):
    """Makes the Debian systems of a configuration, and returns CMake's option with their folders."""
    made = []
    for suite, packages in c.systems.items():
        begin = time.monotonic()
        print(f"   making Debian {suite} ...", end="", flush=True)
        why = debian.make(suite, packages, folder / "systems" / suite)
        print(f" skipped: {why}" if why else f" done, {time.monotonic() - begin:.0f} s", flush=True)
        if why:
            result.skipped.append(f"Debian {suite} ({why})")
        else:
            made.append(str(folder / "systems" / suite))
    return [f"-DPRISM_COMPILER_ROOTS={';'.join(made)}"] if c.systems else []


def make_cross_tools(c, root, folder, jobs, log, environment):
    """(why they cannot be made, CMake's options with them): the system with the libraries, and prism++ for this machine."""
    system, native = folder / "systems" / c.cross.suite, root / "build"
    if why := debian.make(c.cross.suite, c.cross.packages, system, architecture=c.cross.debian):
        return why, []
    for text, command in (("configuring prism++", ["cmake", "--preset", "default", "-S", root]),
                          ("building prism++", ["cmake", "--build", native, "-j", jobs, "--target", "prism++", "prism-plugin"])):
        if not run_step(text, command, log, environment)[0]:
            return f"prism++ for this machine cannot be built; see {log.relative_to(root)}", []
    return "", ["--toolchain", root / f"cmake/toolchains/{c.cross.name}-linux-gnu.cmake", f"-DPRISM_SYSROOT={system}", f"-DPRISM_NATIVE_BUILD={native}"]


def run_one(c, root, jobs, result):
    """Configures, builds and tests one configuration; fills in `result` step by step, so that an interruption loses nothing."""
    folder = root / "build-check" / c.name
    folder.mkdir(parents=True, exist_ok=True)
    log = root / "build-check" / f"{c.name}.log"
    log.write_text("")
    environment = {**os.environ, "CTEST_OUTPUT_ON_FAILURE": "1"}
    options = c.options + make_systems(c, folder, result)
    runner = []
    if c.cross:
        why, tools = make_cross_tools(c, root, folder, jobs, log, environment)
        if why:
            result.verdict, result.reason = "FAILED" if "cannot be built" in why else "skipped", why
            return
        options, runner = options + tools, emulated(c.cross.name)
        environment["QEMU_LD_PREFIX"] = str(folder / "systems" / c.cross.suite)
    for text, command in (("configuring", ["cmake", "-G", "Ninja", "-S", root, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options]),
                          ("building", ["cmake", "--build", folder, "-j", jobs, "--target", *c.targets])):
        good, result.seconds[text] = run_step(text, command, log, environment)
        if not good:
            for line in first_errors(log):
                print(f"      {line}")
            result.verdict, result.reason = "FAILED", f"{text}; see {log.relative_to(root)}"
            return
    result.verdict = "ok"
    for number, run in enumerate(c.tests, 1):
        shutil.rmtree(folder / f"test-cache-{number}", ignore_errors=True)
        command = [*runner, "ctest", "--test-dir", folder, "-j", jobs, "--timeout", "900", *selection(run)]
        own = {name: value.format(root=root) for name, value in run.environment.items()}
        own["PRISM_CACHE_DIR"] = str(folder / f"test-cache-{number}")  # the environment changes the results of driver probes
        begin = log.stat().st_size
        good, seconds = run_step("testing" + (f" ({number} of {len(c.tests)})" if len(c.tests) > 1 else ""), command, log, {**environment, **own})
        result.seconds["testing"] = result.seconds.get("testing", 0) + seconds
        passed, failed, skipped = test_result(log.read_bytes()[begin:].decode(errors="replace"))
        result.passed += passed
        result.failed += failed
        result.skipped += skipped
        if not good or not passed:
            result.verdict, result.reason = "FAILED", f"see {log.relative_to(root)}" + ("" if failed else "; no test passed")


def table(results):
    """The final table, then the names of failed and skipped tests."""
    steps = ("configuring", "building", "testing")
    yield f"{'configuration':<14} {'verdict':<8}" + "".join(f"{step:>12}" for step in steps) + f"{'passed':>8}{'failed':>8}{'skipped':>8}"
    for name, r in results.items():
        times = "".join(f"{r.seconds[step]:>10.0f} s" if step in r.seconds else f"{'-':>12}" for step in steps)
        yield f"{name:<14} {r.verdict:<8}{times}{r.passed:>8}{len(r.failed):>8}{len(r.skipped):>8}"
    for name, r in results.items():
        if r.reason:
            yield f"{name}: {r.reason}"
        for what, names in (("failed", r.failed), ("skipped", r.skipped)):
            if names:
                yield f"{name}: {what}: {', '.join(names)}"


def state_of(root):
    """The commit of the tree, with + if files differ from it; "" outside of a repository."""
    def git(*words):
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def record(root, name, result):
    """Adds the result to build-check/results.json, in place of the configuration's last one."""
    file = root / "build-check" / "results.json"
    file.parent.mkdir(exist_ok=True)
    known = json.loads(file.read_text()) if file.exists() else {}
    known[name] = {"commit": state_of(root), "ended": time.strftime("%Y-%m-%d %H:%M"), **dataclasses.asdict(result)}
    file.write_text(json.dumps(known, indent=1))


def show_results(root):
    """Prints the last result of each configuration: 0 when none of them failed."""
    file = root / "build-check" / "results.json"
    if not file.exists():
        print("check: no configuration has run: ./prism check --all [NAME...]")
        return 1
    known = json.loads(file.read_text())
    results = {}
    for name, one in known.items():
        print(f"{name:<14} at {one.pop('commit')}, {one.pop('ended')}")
        results[name] = outcome(**one)
    print()
    for line in table(results):
        print(line)
    return 1 if any(r.verdict == "FAILED" for r in results.values()) else 0


def unknown_name(wanted):
    """A message if one of these names no configuration, else an empty text."""
    names = [c.name for c in CONFIGURATIONS]
    unknown = [name for name in wanted if name not in names]
    return f"check: there is no configuration '{unknown[0]}'; there are: {', '.join(names)}" if unknown else ""


def run_all(root, wanted, jobs):
    """Runs the wanted configurations (all when empty): 0 when none failed, 1 when one did, 130 when interrupted; the table is
    printed in all cases."""
    results, interrupted = {}, False
    chosen = [c for c in CONFIGURATIONS if not wanted or c.name in wanted]
    try:
        for number, c in enumerate(chosen, 1):
            print(f"== [{number}/{len(chosen)}] {c.name}: {c.why}", flush=True)
            if missing := lacks(c):
                results[c.name] = outcome("skipped", missing)
                record(root, c.name, results[c.name])
                print(f"   skipped: {missing}")
                continue
            results[c.name] = outcome("stopped")
            run_one(c, root, jobs, results[c.name])
            record(root, c.name, results[c.name])
    except KeyboardInterrupt:
        interrupted = True
        print("\ncheck: interrupted")
    print()
    for line in table(results):
        print(line)
    return 130 if interrupted else 1 if any(r.verdict == "FAILED" for r in results.values()) else 0
