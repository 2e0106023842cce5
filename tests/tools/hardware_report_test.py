"""prism-hardware-report ends in time with programs and drivers that crash or hang, and its report names each failure.

usage: hardware_report_test.py BUILD
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = BUILD / "bin/prism-hardware-report"
FIGURES = '{"figures": [{"name": "triad, floats", "value": 123.5, "unit": "GB/s"}]}'


class HardwareReport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name in ("prism-info", "prism-probe", "prism-conformance"):
            (self.programs / name).symlink_to(BUILD / "bin" / name)

    def script(self, name, text):
        path = self.programs / name
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)

    def run_report(self, listed, *options, **environment):
        (self.programs / "programs.txt").write_text(listed)
        self.out = self.folder / "out"
        shutil.rmtree(self.out, ignore_errors=True)
        return subprocess.run([str(PROGRAM), "--programs", str(self.programs), "--out", str(self.out), *options], capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=120)

    def results(self):
        return {r["program"]: r for r in json.loads((self.out / "report.json").read_text())["results"]}

    def test_names_what_passed_failed_crashed_hung_and_was_skipped(self):
        self.script("good", "echo fine")
        self.script("wrong", "echo '[  FAILED  ] a.b (3 ms)'; echo '[  FAILED  ] 1 test, listed below:'; exit 1")
        self.script("crash", "kill -SEGV $$")
        self.script("hang", "sleep 600 & wait")
        self.script("absent", "echo 'no such thing here'; exit 77")
        self.script("figures", f"echo 'device: x'; echo '{FIGURES}'")
        begin = time.monotonic()
        done = self.run_report("# the list\nsycl good\nsycl wrong\nsycl crash\nsycl hang 1\nsycl absent\noperations missing\nbandwidth figures\n"
                               "conformance prism-conformance\n", "--device", "host:0", "--jobs", "4")
        self.assertLess(time.monotonic() - begin, 60, "the program that hangs was not ended")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = self.results()
        self.assertEqual({name: r["verdict"] for name, r in found.items()},
                         {"good": "passed", "wrong": "failed", "crash": "failed", "hang": "failed", "absent": "skipped", "missing": "failed",
                          "figures": "passed", "prism-conformance": "passed"})
        self.assertEqual(found["wrong"]["failed_tests"], ["a.b"])
        self.assertEqual(found["crash"]["reason"], "SIGSEGV")
        self.assertEqual(found["hang"]["reason"], "did not end within 1 s")
        self.assertIn("No such file", found["missing"]["reason"])
        self.assertEqual(found["figures"]["figures"][0]["value"], 123.5)
        page = (self.out / "report.md").read_text()
        self.assertIn("| `host:0` | triad, floats | 123.5 | GB/s |", page)
        self.assertIn("### crash on `host:0`\n\nSIGSEGV", page)
        command = re.search(r"    (env .*/wrong)\n", page)[1]
        self.assertEqual(subprocess.run(command, shell=True, capture_output=True).returncode, 1, "the line repeats the failure")

    def test_ends_when_its_time_is_over_and_says_what_did_not_run(self):
        self.script("slow", "sleep 600")
        self.script("next", "exit 0")
        begin = time.monotonic()
        self.run_report("sycl slow\nsycl next\n", "--device", "host:0", "--minutes", "0.1", "--jobs", "1")
        self.assertLess(time.monotonic() - begin, 40)
        self.assertEqual({r["verdict"] for r in self.results().values()}, {"no time"})

    def test_finds_a_driver_that_no_file_of_the_loader_names(self):
        pocl = next(iter(pathlib.Path("/usr/lib").glob("*/libpocl.so.2")), None)
        if pocl is None:
            self.skipTest("PoCL is not installed")
        libraries, vendors = self.folder / "libraries", self.folder / "vendors"
        libraries.mkdir()
        vendors.mkdir()
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed", str(pocl), "-o",
                        str(libraries / "libnvidia-opencl.so.1")], check=True)  # PoCL finds its parts from its own place
        self.script("good", "echo fine")
        done = self.run_report("sycl good\n", "--device", "opencl:0", LD_LIBRARY_PATH=str(libraries), OCL_ICD_VENDORS=str(vendors))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        machine = json.loads((self.out / "report.json").read_text())["machine"]
        self.assertIn("added for this run", machine["NVIDIA's OpenCL library"])
        self.run_report("sycl good\n", "--list", LD_LIBRARY_PATH=str(libraries), OCL_ICD_VENDORS=str(vendors),
                        OCL_ICD_FILENAMES=str(libraries / "libnvidia-opencl.so.1"))
        self.assertFalse((self.out / "drivers/found-libnvidia-opencl.so.1.icd").exists(), "the loader has it from the variable already")

    def test_a_driver_that_crashes_or_hangs_is_named_and_costs_no_more_than_its_time(self):
        library = self.folder / "libnvidia-opencl.so.1"
        for body, reason in (("abort();", "SIGABRT"), ("for (;;) sleep(1);", "did not answer")):
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], text=True, check=True, input=
                           f"#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void begin(void) {{ {body} }}\n")
            self.script("good", "echo fine")
            done = self.run_report("sycl good\n", "--device", "host:0", LD_LIBRARY_PATH=str(self.folder), PRISM_PROBE_TIMEOUT_MS="2000",
                                   XDG_CACHE_HOME=str(self.folder / reason))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            notes = " ".join(json.loads((self.out / "report.json").read_text())["notes"])
            self.assertIn("opencl", notes)
            self.assertIn(reason, notes)

    def test_refuses_what_it_cannot_use(self):
        self.assertIn("programs.txt", subprocess.run([str(PROGRAM), "--programs", str(self.folder), "--out", str(self.folder / "o")],
                                                     capture_output=True, text=True).stderr)
        done = self.run_report("sycl ../good\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not understood: sycl ../good", done.stderr)
        self.script("good", "echo fine")
        done = self.run_report("sycl good\n", "--device", "vulkan:7")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no device vulkan:7; there are: host:0", done.stderr)
        self.assertEqual(self.run_report("sycl good\n", "--minutes", "soon").returncode, 2)
        done = self.run_report("sycl good\n", "--out", "/proc/none")
        self.assertEqual(done.returncode, 2)

    def test_reports_go_into_the_documents_with_a_row_for_each_device(self):
        spread = {"median": 2e-5, "q1": 1.9e-5, "q3": 2.1e-5}
        wall = {"ours_s": spread, "theirs_s": spread, "ratio": {"median": 1.02, "q1": 1.01, "q3": 1.03}, "excess_s": spread}
        rows = [{"subject": subject, "name": name, "device": "host: x", "ours": ours, "theirs": theirs, "wall": wall, "processor": wall,
                 "goal": {"what": "ratio", "limit": 1.11, "reached": 1.02, "met": True}}
                for subject, name, ours, theirs in (("cuda", "gemm", "SYCL", "hand-written CUDA C"),
                                                    ("memory", "large triad, copy", "triad, 768 MiB of traffic", "cuMemcpyDtoD of 384 MiB"))]
        bench = {"schema": "prism-bench/1", "rows": rows, "kernel_geomeans": [
            {"device": "host: x", "theirs": "hand-written CUDA C", "wall_ratio": 1.25, "processor_ratio": 1, "kernels": 8, "limit": 1.11, "met": False}], "skipped": [
            {"subject": "libraries", "device": "host: x", "reason": "cuFFT: libcufft.so cannot be opened", "failed": False}]}
        self.script("rows", f"mkdir -p $2; echo '{json.dumps(bench)}' > $2/bench.json")
        self.script("figures", f"echo '{FIGURES}'")
        self.script("good", "echo fine")
        self.script("wrong", "echo '[ RUN      ] a.b'; echo '../tests/a_test.cpp:7: Failure'; echo 'a is | b'; echo '[  FAILED  ] a.b (3 ms)'; exit 1")
        self.run_report("bandwidth figures\nbench rows\nsycl good\nsycl wrong\n", "--device", "host:0")
        root = self.folder / "root"
        for file in ("docs/index.md", "tools/site/mkdocs.yml"):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, root / file)
        command = [sys.executable, str(ROOT / "tools/prism-hardware-report/import_report.py"), str(root), str(self.out / "report.json")]
        for _ in range(2):  # the second replaces the first
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line for line in (root / "docs/hardware/index.md").read_text().splitlines() if line.startswith("| `")]
        self.assertEqual(len(rows), 1)
        self.assertRegex(rows[0], r"^\| `host:0` .* \| 1 \| 1 \| 123.5 \|")
        page = (root / "docs/hardware" / re.search(r"\(([^()]*\.md)\)", rows[0])[1]).read_text()
        self.assertIn("passes 1 of 2 test programs", page)
        self.assertIn("| `host:0` | `wrong` | `a.b` | exit status 1: tests/a_test.cpp:7: Failure a is \\| b |", page)
        self.assertIn("| triad, floats | GB/s | 123.5 |", page)
        self.assertIn("| gemm | hand-written CUDA C | 20 us | 20 us | 1.02 [1.01 1.03] | met: 1.11 |", page)
        self.assertIn("triad, 768 MiB of traffic 40265 GB/s", page)
        self.assertIn("hand-written CUDA C: at least 0.90 | 0.80 |", page)
        self.assertIn("- left out: libraries: cuFFT: libcufft.so cannot be opened", page)
        name = re.search(r"\(([^()]*\.md)\)", rows[0])[1]
        self.assertEqual((root / "docs/index.md").read_text().count(f"](hardware/{name})"), 1)
        self.assertEqual((root / "tools/site/mkdocs.yml").read_text().count(f"- hardware/{name}\n"), 1)
        self.assertNotIn(str(self.folder), page, "paths of the machine do not get into the documents")
        (self.out / "report.json").write_text('{"schema": "other"}')
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no report of prism-hardware-report", done.stderr)

    def bench(self, *subjects, **environment):
        """(exit status, what bench.json has) of prism-bench on the first OpenCL device; the test is skipped without it."""
        program = BUILD / "bin/prism-bench"
        if not program.exists() or not (BUILD / "shaders/axpy.cu").exists():
            self.skipTest("prism-bench was not built")
        done = subprocess.run([str(program), "--quick", "--out", str(self.folder / "bench"), "--subject", *subjects], capture_output=True, text=True,
                              env={**os.environ, "PRISM_DEVICE_SELECTOR": "opencl:0", **environment}, timeout=250)
        if "matches no device" in done.stderr:
            self.skipTest("there is no OpenCL device")
        self.assertTrue((self.folder / "bench/bench.json").exists(), done.stderr)
        return done.returncode, json.loads((self.folder / "bench/bench.json").read_text())

    def test_a_machine_without_cuda_leaves_its_rows_out_by_name(self):
        fake = self.folder / "libcuda.so.1"
        functions = re.findall(r'find\("(cu\w+)"', (ROOT / "bench/cuda_functions.cpp").read_text())
        text = "#include <stddef.h>\n" + "".join(f"int {name}(void) {{ return 0; }}\n" for name in functions if name not in ("cuInit", "cuGetErrorName"))
        text += 'int cuInit(unsigned f) { return 100; }\nint cuGetErrorName(int e, const char** t) { *t = "CUDA_ERROR_NO_DEVICE"; return 0; }\n'
        status, found = self.bench("cuda", LD_LIBRARY_PATH="")
        self.assertEqual(status, 0)
        reasons = [gap["reason"] for gap in found["skipped"] if gap["subject"] == "cuda"]
        self.assertEqual(len(reasons), 1)
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(fake)], input=text, text=True, check=True)
        status, found = self.bench("cuda", LD_LIBRARY_PATH=str(self.folder))
        self.assertEqual(status, 0)
        reason = next(gap["reason"] for gap in found["skipped"] if gap["subject"] == "cuda")
        self.assertRegex(reason, r"cuInit gave 100 \(CUDA_ERROR_NO_DEVICE\)|libnvrtc.so cannot be opened")

    def test_a_kernel_that_faults_fails_its_row_and_not_the_others(self):
        status, found = self.bench("kernels", PRISM_WRAP="fault(fail=12)")
        self.assertEqual(status, 1)
        failed = [gap["reason"] for gap in found["skipped"] if gap["failed"]]
        self.assertEqual(len(failed), 1)
        self.assertIn("it failed (an injected fault)", failed[0])
        self.assertEqual(len(found["rows"]), 8, "the other kernels were measured")

    def test_the_raw_side_is_the_device_behind_a_report_of_another(self):
        report = ROOT / "tests/sycl/vulkan_reports/nvidia.yaml"
        status, found = self.bench("submission", PRISM_DEVICE_SELECTOR="vulkan:0", PRISM_VULKAN_REPORT=str(report))
        self.assertEqual(status, 0, found["skipped"])
        self.assertEqual([gap for gap in found["skipped"] if "finds no device" in gap["reason"]], [])
        self.assertTrue([row for row in found["rows"] if "as NVIDIA" in json.dumps(row) and "vkQueueSubmit" in json.dumps(row)], found["rows"])

    def test_programs_find_their_companions_beside_themselves(self):
        folder = re.compile(re.escape(str(BUILD)).encode() + rb"/(?:bin|libexec|tests)/[^\0]+|" + re.escape(str(BUILD)).encode() + rb"/lib/[^\0:]+")
        for line in (BUILD / "bin/programs.txt").read_text().splitlines():
            program = BUILD / "bin" / line.split()[1]
            if program.exists():
                self.assertIsNone(folder.search(program.read_bytes()), f"{program.name} knows a path of this build")

    def test_an_archive_has_the_same_bytes_whatever_the_number_of_threads(self):
        sys.path.insert(0, str(ROOT / "tools/prism-hardware-report"))
        import pack
        pack.PIECE = 1 << 16
        packed = self.folder / "packed"
        packed.mkdir()
        (packed / "numbers").write_text("\n".join(str(i * i) for i in range(100_000)))
        cores = os.sched_getaffinity(0)
        try:
            pack.write_archive(packed, self.folder / "a.tar.xz")
            os.sched_setaffinity(0, {min(cores)})
            pack.write_archive(packed, self.folder / "b.tar.xz")
        finally:
            os.sched_setaffinity(0, cores)
        self.assertEqual((self.folder / "a.tar.xz").read_bytes(), (self.folder / "b.tar.xz").read_bytes())
        subprocess.run(["tar", "xf", "a.tar.xz"], cwd=self.folder, check=True)
        self.assertEqual((self.folder / pack.NAME / "numbers").read_bytes(), (packed / "numbers").read_bytes())

    def build_has(self, *options):
        cache = (BUILD / "CMakeCache.txt").read_text()
        return all(f"\n{option}:BOOL=ON\n" in cache for option in options)

    def test_the_list_of_this_build_names_programs_of_every_subject_and_every_suite(self):
        done = subprocess.run([str(PROGRAM), "--list", "--device", "host:0", "--out", str(self.folder / "out")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = [tuple(line.split()) for line in done.stdout.splitlines()]
        self.assertEqual({device for device, _, _ in steps}, {"host:0"})
        subjects = {"conformance", "sycl", "random"}
        if self.build_has("PRISM_KERNELS"):
            subjects |= {"operations"}
        if (BUILD / "bench/cmake_install.cmake").exists():  # listed whether or not they were built
            subjects |= {"bandwidth", "bench"}
        self.assertEqual({subject for _, subject, _ in steps}, subjects)

        # The suites that CTest runs on all default devices. Those compiled with checks measure the check; vulkan_interop links the loader.
        # Of the drivers of processors none has the matrix units that matrix_units needs.
        listed = json.loads(subprocess.run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1", "-R", "^sycl[.][^.]*[.][^.]*$"],
                                           capture_output=True, text=True, check=True).stdout)["tests"]
        devices_of = {}
        for name in (test["name"] for test in listed):
            devices_of.setdefault(name.split(".")[1], set()).add(name.split(".")[2])
        default = {"host"} | ({"pocl", "rusticl"} if self.build_has("PRISM_BACKEND_OPENCL") else set()) | (
            {"vulkan"} if self.build_has("PRISM_BACKEND_VULKAN") else set())
        suites = {f"sycl_{suite}" for suite, devices in devices_of.items() if default <= devices and not suite.endswith("_checked")}
        self.assertGreater(len(suites), 60)
        suites |= {"sycl_matrix_units"}
        self.assertEqual(suites - {"sycl_vulkan_interop", "sycl_access_check", "sycl_planted_mistakes"}, {program for _, subject, program in steps if subject == "sycl"})

    def test_the_report_has_the_devices_as_prism_info_describes_them(self):
        self.script("good", "echo fine")
        done = self.run_report("sycl good\n", "--device", "host:0")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.out / "report.json").read_text())
        info = json.loads(subprocess.run([str(BUILD / "bin/prism-info"), "--json"], capture_output=True, text=True, check=True).stdout)

        def names(devices):
            return [(b["name"], d["index"], d["name"], d["driver_version"]) for b in devices["backends"] for d in b["devices"]]
        self.assertEqual(report["prism_info"].keys(), info.keys())
        self.assertEqual(names(report["prism_info"]), names(info))
        self.assertIn(("host", 0), [name[:2] for name in names(info)])
        host = next(d for b in report["prism_info"]["backends"] if b["name"] == "host" for d in b["devices"])
        self.assertEqual(host.keys(), next(d for b in info["backends"] if b["name"] == "host" for d in b["devices"]).keys(), "nothing is left out")
        self.assertIn("host", report["doctor"])

    def figures(self, *arguments, **environment):
        program = BUILD / "bin/prism-figures"
        if not program.exists():
            self.skipTest("prism-figures was not built")
        return subprocess.run([str(program), *arguments], capture_output=True, text=True, env={**os.environ, "PRISM_DEVICE_SELECTOR": "host", **environment})

    def test_the_figures_have_every_name_and_a_wrong_result_none(self):
        done = self.figures("--small")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("device: "), lines)
        figures = json.loads(lines[-1])["figures"]
        self.assertEqual([(f["name"], f["unit"]) for f in figures], [
            ("triad, floats", "GB/s"), ("copy on the device, bytes read and written", "GB/s"), ("copy to host memory of the driver", "GB/s"),
            ("copy from host memory of the driver", "GB/s"), ("multiply-adds, floats", "GFLOP/s"), ("launch and wait, median", "us"),
            ("launch among many", "us")])
        for figure in figures:
            self.assertGreater(figure["value"], 0, figure["name"])
        done = self.figures("--small", PRISM_WRAP="mask(usm_host)")
        self.assertLessEqual({"copy to the host", "copy from the host"}, {f["name"] for f in json.loads(done.stdout.splitlines()[-1])["figures"]})
        for number in (1, 3, 13, 36, 45):  # of each part
            done = self.figures("--small", PRISM_WRAP=f"fault(fail={number})")
            self.assertEqual(done.returncode, 1, f"{number}: {done.stdout}{done.stderr}")
            self.assertRegex(done.stdout, r"prism-figures: .*\(an injected fault\)")
            self.assertNotIn("figures\":", done.stdout)
        self.assertEqual(self.figures("--large").returncode, 2)

    def test_the_report_reads_the_figures_of_the_program(self):
        if not (BUILD / "bin/prism-figures").exists():
            self.skipTest("prism-figures was not built")
        self.script("small-figures", f"exec '{BUILD}/bin/prism-figures' --small")
        done = self.run_report("bandwidth small-figures\n", "--device", "host:0")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(self.results()["small-figures"]["figures"]), 7)
        self.assertRegex((self.out / "report.md").read_text(), r"\| `host:0` \| launch among many \| [0-9.e+]+ \| us \|")

    def test_a_vulkan_driver_without_a_manifest_is_added_and_used(self):
        lavapipe = next(iter(pathlib.Path("/usr/lib").glob("*/libvulkan_lvp.so")), None)
        if lavapipe is None:
            self.skipTest("lavapipe is not installed")
        manifests = "".join(m.read_text() for folder in ("/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d") for m in pathlib.Path(folder).glob("*.json"))
        names = [name for name in ("libvulkan_intel.so", "libEGL_nvidia.so.0") if name not in manifests]
        self.assertTrue(names, "this machine has manifests of both vendors: the test needs one that it has not")
        libraries = self.folder / "libraries"
        libraries.mkdir()
        shutil.copyfile(lavapipe, libraries / names[0])
        # The loader leaves out the machine's own manifests, so it sees the copy or nothing.
        machine = {"LD_LIBRARY_PATH": str(libraries), "VK_LOADER_DRIVERS_DISABLE": "*_icd*", "XDG_CACHE_HOME": str(self.folder / "cache")}
        (self.programs / "sycl_device").symlink_to(BUILD / "bin/prism-info")
        done = self.run_report("sycl sycl_device\n", "--device", "vulkan:0", **machine)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads((self.out / "report.json").read_text())
        vulkan = next(b for b in report["prism_info"]["backends"] if b["name"] == "vulkan")
        self.assertEqual(["llvmpipe" in d["name"] for d in vulkan["devices"]], [True])
        added = [name for name, value in report["machine"].items() if str(libraries / names[0]) in value and "added for this run" in value]
        self.assertEqual(len(added), 1, report["machine"])
        self.assertEqual(self.results()["sycl_device"]["verdict"], "passed")
        (libraries / names[0]).unlink()
        done = self.run_report("sycl sycl_device\n", "--device", "vulkan:0", **machine)
        self.assertIn("there is no device vulkan:0", done.stderr, "without the copy there is no Vulkan device")

    def test_an_archive_has_the_libraries_that_programs_open_by_name(self):
        sys.path.insert(0, str(ROOT / "tools/prism-hardware-report"))
        import pack
        opened = set(re.findall(r'shared_library \w+\{"(\w+)"\}', (ROOT / "bench/libraries.cpp").read_text()))
        self.assertIn("libclblast", opened)
        of_nvidia = {"libcublas", "libcufft"}  # its licence does not let others hand them out
        self.assertEqual({name.split(".so")[0] for name in pack.OPENED["prism-bench"]}, opened - of_nvidia)
        if not list(pathlib.Path("/usr/lib").glob("*/libclblast.so.1")):
            self.skipTest("CLBlast is not installed")
        build = self.folder / "build"  # a build with prism-bench alone
        (build / "bin").mkdir(parents=True)
        (build / "shaders").mkdir()
        for name in ("prism-hardware-report", "prism-info", "prism-probe", "prism-bench", "prism-bench-adopted", "prism-bench-more-than-fits"):
            (build / "bin" / name).symlink_to("/bin/true" if "bench" in name else BUILD / "bin" / name)
        (build / "bin/programs.txt").write_text("bench prism-bench\n")
        packed = self.folder / "packed"
        pack.stage(build, packed)
        library = packed / "lib/libclblast.so.1"
        self.assertTrue(library.exists(), sorted(str(f.relative_to(packed)) for f in packed.rglob("*.so*")))
        self.assertTrue((packed / "lib/opencl-loader/libOpenCL.so.1").exists(), "what it needs is packed too")
        self.assertIn("CLBlastSgemm", subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout)
        pack.OPENED = {"prism-bench": ["libabsent.so.1"]}
        with self.assertRaisesRegex(SystemExit, "prism-bench opens libabsent.so.1, which is not installed here"):
            pack.stage(build, self.folder / "again")


if __name__ == "__main__":
    unittest.main()
