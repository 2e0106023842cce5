"""prism-hardware-report ends in time with programs and drivers that crash or hang, and its report names each failure.

usage: hardware_report_test.py BUILD
"""
import json
import os
import pathlib
import re
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
        self.script("figures", f"echo '{FIGURES}'")
        self.run_report("bandwidth figures\n", "--device", "host:0")
        root = self.folder / "root"
        (root / "docs").mkdir(parents=True)
        command = [sys.executable, str(ROOT / "tools/prism-hardware-report/import_report.py"), str(root), str(self.out / "report.json")]
        for _ in range(2):  # the second replaces the first
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
        rows = [line for line in (root / "docs/hardware/index.md").read_text().splitlines() if line.startswith("| `")]
        self.assertEqual(len(rows), 1)
        self.assertRegex(rows[0], r"^\| `host:0` .* \| 1 \| 0 \| 123.5 \|")
        self.assertTrue((root / "docs/hardware" / re.search(r"\((.*)\)", rows[0])[1]).exists())
        (self.out / "report.json").write_text('{"schema": "other"}')
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no report of prism-hardware-report", done.stderr)

    def test_the_list_of_this_build_names_programs_of_every_subject(self):
        lines = (BUILD / "bin/programs.txt").read_text().splitlines()
        self.assertLessEqual({"conformance", "sycl", "random"}, {line.split()[0] for line in lines})
        self.assertIn("sycl sycl_usm", lines)


if __name__ == "__main__":
    unittest.main()
