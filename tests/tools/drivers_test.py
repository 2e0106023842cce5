"""Programs on machines whose drivers are missing, crash or hang: drivers_test.py BUILD. The machine is made by the drivers'
own variables (empty folders of driver files) and by a preloaded library that hides the loaders."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
FIRST_KERNEL = BUILD / "bin/01_first_kernel"
SQUARES = ": 0 1 4 9 16 25 36 49 64 81\n"
HIDE_LOADERS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void* dlopen(const char* name, int flags) {
  void* (*next)(const char*, int) = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  if (name && (strstr(name, "libOpenCL") || strstr(name, "libvulkan"))) name = "libhidden-by-the-test.so";
  return next(name, flags);
}
"""


class Drivers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "none").mkdir()
        self.missing = {"OCL_ICD_VENDORS": str(self.folder / "none"), "VK_DRIVER_FILES": str(self.folder / "none.json"),
                        "VK_ICD_FILENAMES": str(self.folder / "none.json")}

    def run_program(self, *command, **environment):
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("PRISM_", "RUSTICL", "VK_", "OCL_"))}
        variables.update({"PRISM_CACHE_DIR": str(self.folder / "cache"), **environment})
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, env=variables, timeout=120, cwd=self.folder)

    def library(self, text):
        source, out = self.folder / "library.c", self.folder / "library.so"
        source.write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(out), "-ldl"], check=True)
        return out

    def hidden_loaders(self):
        return {"LD_PRELOAD": str(self.library(HIDE_LOADERS))}

    def broken_driver(self, body):
        """A driver for both loaders whose constructor runs `body`."""
        library = self.library("#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void begin(void) { " + body + " }\n")
        (self.folder / "vendors").mkdir()
        (self.folder / "vendors/broken.icd").write_text(f"{library}\n")
        file = self.folder / "broken.json"
        file.write_text('{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}' % library)
        return {"OCL_ICD_VENDORS": str(self.folder / "vendors"), "VK_DRIVER_FILES": str(file), "VK_ICD_FILENAMES": str(file)}

    def with_working_drivers(self, body):
        """Like broken_driver, followed by the drivers of this machine."""
        variables = self.broken_driver(body)
        for file in pathlib.Path("/etc/OpenCL/vendors").glob("*.icd"):
            shutil.copy(file, self.folder / "vendors")
        manifests = [variables["VK_DRIVER_FILES"], *map(str, sorted(pathlib.Path("/usr/share/vulkan/icd.d").glob("*.json")))]
        return {**variables, "VK_DRIVER_FILES": ":".join(manifests), "VK_ICD_FILENAMES": ":".join(manifests)}

    def devices(self, **environment):
        """The devices that prism-info lists, by backend, and its report."""
        report = json.loads(self.run_program(BUILD / "bin/prism-info", "--json", **environment).stdout)
        return {b["name"]: [d["name"] for d in b["devices"]] for b in report["backends"]}, report

    def assert_computes(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(done.stdout.endswith(SQUARES), done.stdout)

    def test_without_drivers_programs_run_on_the_host(self):
        self.assert_computes(self.run_program(FIRST_KERNEL, **self.missing))

    def test_without_loaders_programs_run_on_the_host(self):
        self.assert_computes(self.run_program(FIRST_KERNEL, **self.hidden_loaders()))

    def test_without_loaders_prism_info_names_the_packages(self):
        hidden = self.hidden_loaders()
        done = self.run_program(BUILD / "bin/prism-info", **hidden)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("No OpenCL or Vulkan device", done.stdout)
        doctor = self.run_program(BUILD / "bin/prism-info", "--doctor", **hidden).stdout
        for package in ("ocl-icd-libopencl1", "libvulkan1"):
            self.assertIn(f"apt-get install {package}", doctor)

    def test_tests_of_missing_drivers_are_skipped_by_name(self):
        for selector in ("opencl:name=Portable", "vulkan:name=llvmpipe"):
            done = self.run_program(BUILD / "bin/sycl_kernels", PRISM_DEVICE_SELECTOR=selector, **self.missing)
            self.assertEqual(done.returncode, 77, done.stdout)
            self.assertIn(selector, done.stdout)

    def test_the_demo_runs_on_the_host_and_reports_missing_devices(self):
        data = BUILD / "data/usr/share/doc/bowtie2/examples"
        if not data.exists():
            data = pathlib.Path("/usr/share/doc/bowtie2/examples")
        if not (data / "reference/lambda_virus.fa.gz").exists():
            self.skipTest("bowtie2-examples is not installed")
        done = self.run_program(BUILD / "bin/prism-demo", "--data", data, "--size", "32", "--image", "16", "--reads", "1", **self.missing)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("No OpenCL or Vulkan device", done.stdout)

    def test_pocl_without_a_cache_folder_says_which_variables_name_one(self):
        done = self.run_program("env", "-u", "XDG_CACHE_HOME", "-u", "POCL_CACHE_DIR", BUILD / "bin/prism-info", "--doctor", HOME="/proc")
        if "pocl.icd" not in done.stdout:
            self.skipTest("PoCL is not installed")
        self.assertIn("POCL_CACHE_DIR, else in XDG_CACHE_HOME or HOME", done.stdout)
        done = self.run_program("env", "-u", "XDG_CACHE_HOME", "-u", "POCL_CACHE_DIR", FIRST_KERNEL, HOME="/proc", RUSTICL_ENABLE="llvmpipe",
                                PRISM_DEVICE_SELECTOR="opencl:name=Portable")
        self.assertIn("POCL_CACHE_DIR, else in XDG_CACHE_HOME or HOME", done.stdout + done.stderr, "next to another driver of OpenCL")

    def test_pocl_with_its_cache_on_a_full_disk_says_so(self):
        home = self.folder / "home"
        home.mkdir()
        inside = f'mount -t tmpfs -o size=64k full {home}; head -c 60k /dev/zero > {home}/file; exec {FIRST_KERNEL}'
        done = self.run_program("env", "-u", "XDG_CACHE_HOME", "-u", "POCL_CACHE_DIR", "unshare", "--mount", "--map-root-user", "sh", "-ec", inside,
                                HOME=str(home), PRISM_DEVICE_SELECTOR="opencl:name=Portable")
        said = done.stdout + done.stderr
        if "unshare:" in said or "mount:" in said:
            self.skipTest(f"this machine cannot make a small disk for the test: {said.strip()}")
        if "matches no device" in said:
            self.skipTest("PoCL is not installed")
        self.assertIn(f"the disk of PoCL's cache, {home}/.cache/pocl, is full (", said)
        self.assertIn("POCL_CACHE_DIR", said)

    def test_crashing_drivers_leave_the_host(self):
        broken = self.broken_driver("abort();")
        self.assert_computes(self.run_program(FIRST_KERNEL, **broken))
        done = self.run_program(FIRST_KERNEL, PRISM_DEVICE_SELECTOR="opencl", **broken)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("matches no device", done.stdout + done.stderr)

    def test_a_hanging_driver_costs_its_time_limit_once(self):
        broken = self.broken_driver("for (;;) sleep(1);")
        times = []
        for _ in range(2):
            begin = time.monotonic()
            self.assert_computes(self.run_program(FIRST_KERNEL, PRISM_PROBE_TIMEOUT_MS="3000", **broken))
            times.append(time.monotonic() - begin)
        if times[0] > 3:  # a loader is installed
            self.assertLess(times[1], 2.5, "the second start waited again")

    def test_one_broken_driver_leaves_the_other_backend(self):
        broken = self.broken_driver("abort();")
        done = self.run_program(BUILD / "bin/prism-info", OCL_ICD_VENDORS=broken["OCL_ICD_VENDORS"])
        if "vulkan:0" not in self.run_program(BUILD / "bin/prism-info", OCL_ICD_VENDORS=self.missing["OCL_ICD_VENDORS"]).stdout:
            self.skipTest("no Vulkan driver is installed")
        self.assertIn("vulkan:0", done.stdout)
        self.assertIn("opencl: broken", done.stdout)

    def test_a_driver_that_crashes_leaves_the_others_of_its_loader(self):
        whole, _ = self.devices()
        variables = self.with_working_drivers("abort();")
        left, report = self.devices(**variables)
        self.assertEqual(left, whole)
        for backend in report["backends"]:
            if backend["name"] in ("opencl", "vulkan") and backend["devices"]:
                self.assertIn("broken", backend["reason"], "the excluded driver is named")
                self.assertIn("SIGABRT", backend["reason"])
                self.assert_computes(self.run_program(FIRST_KERNEL, PRISM_DEVICE_SELECTOR=backend["name"], **variables))

    def test_a_driver_that_hangs_costs_no_time_at_the_second_start(self):
        variables = self.with_working_drivers("for (;;) sleep(1);")
        begin = time.monotonic()
        whole, _ = self.devices(PRISM_PROBE_TIMEOUT_MS="8000", **variables)
        first = time.monotonic() - begin
        if not any(whole[name] for name in ("opencl", "vulkan")):
            self.skipTest("no other driver is installed")
        self.assertGreater(first, 8)
        begin = time.monotonic()
        self.assertEqual(self.devices(PRISM_PROBE_TIMEOUT_MS="8000", **variables)[0], whole)
        self.assertLess(time.monotonic() - begin, 7.9, "the second start waited again")


if __name__ == "__main__":
    unittest.skipUnless(shutil.which("cc"), "no C compiler to make broken drivers with")(Drivers)
    unittest.main(verbosity=1)
