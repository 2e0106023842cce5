"""prism-info as a person uses it: text, JSON, selection, requirements, exit codes, alone in an empty folder, and with
drivers that crash or hang."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, tool=TOOL, timeout=120, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PRISM_", "RUSTICL", "VK_", "OCL_"))}
    env["PRISM_CACHE_DIR"] = CACHE.name
    env.update(environment)
    return subprocess.run([str(tool), *arguments], capture_output=True, text=True, env=env, timeout=timeout)


CACHE = tempfile.TemporaryDirectory()
HAS_OPENCL = any(b["name"] == "opencl" for b in json.loads(run("--json").stdout)["backends"])  # the build has this backend


class PrismInfo(unittest.TestCase):
    def test_text_shows_the_host_device_and_succeeds(self):
        done = run()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host:0", done.stdout)

    def test_json_follows_its_schema(self):
        report = json.loads(run("--json").stdout)
        self.assertEqual((report["schema"], report["schema_version"]), ("prism-info", 1))
        for backend in report["backends"]:
            self.assertIn(backend["status"], ("usable", "absent", "broken"))
            self.assertTrue(backend["status"] == "usable" or backend["reason"])
            for device in backend["devices"]:
                for key in ("index", "name", "type", "features", "usm", "global_memory_bytes", "physical_id"):
                    self.assertIn(key, device)

    def test_host_facts_agree_with_the_system(self):
        report = json.loads(run("--json").stdout)
        host = next(b for b in report["backends"] if b["name"] == "host")["devices"][0]
        self.assertLessEqual(host["compute_units"], len(os.sched_getaffinity(0)))
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.assertLessEqual(host["global_memory_bytes"], pages)

    def test_the_environment_limits_what_is_shown(self):
        report = json.loads(run("--json", PRISM_DEVICE_SELECTOR="host").stdout)
        self.assertEqual([b["name"] for b in report["backends"] if b["devices"]], ["host"])
        self.assertEqual(run(PRISM_DEVICE_SELECTOR="host:7").returncode, 1)

    def test_select_explains_its_choice(self):
        done = run("--select", "host")
        self.assertEqual(done.returncode, 0)
        self.assertIn("-> host:0", done.stdout)
        self.assertEqual(run("--select", "host:9").returncode, 1)

    def test_usage_errors_exit_with_2_and_name_the_error(self):
        self.assertEqual(run("--bogus").returncode, 2)
        done = run("--select", "qpu:0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--select: ", done.stderr)
        self.assertIn("qpu", done.stderr)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([str(TOOL), "--environment"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be written", done.stderr)

    def test_an_invalid_time_limit_is_reported(self):
        self.assertIn("PRISM_PROBE_TIMEOUT_MS", run(PRISM_PROBE_TIMEOUT_MS="soon").stdout)
        self.assertNotIn("PRISM_PROBE_TIMEOUT_MS", run(PRISM_PROBE_TIMEOUT_MS="5000").stdout)

    def test_require_exits_with_4_when_no_device_meets_it(self):
        self.assertEqual(run("--require", "int64").returncode, 0)
        done = run("--require", "telepathy")
        self.assertEqual(done.returncode, 4)
        self.assertIn("lacks telepathy", done.stdout)

    def test_it_runs_in_an_empty_folder_without_drivers(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(TOOL, folder)
            done = run(tool=alone, OCL_ICD_VENDORS=folder, VK_DRIVER_FILES=folder + "/none.json",
                       VK_ICD_FILENAMES=folder + "/none.json", LD_LIBRARY_PATH=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("No OpenCL or Vulkan device", done.stdout)
            libraries = subprocess.run(["ldd", alone], capture_output=True, text=True).stdout
            for name in ("libLLVM", "libtbb", "libOpenCL", "libvulkan", "libprism"):
                self.assertNotIn(name, libraries)

    def broken_driver(self, body):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source = pathlib.Path(folder.name, "driver.c")
        source.write_text("#include <stdlib.h>\n#include <unistd.h>\n"
                          "__attribute__((constructor)) static void begin(void) { " + body + " }\n")
        library = pathlib.Path(folder.name, "libbroken.so")
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        pathlib.Path(folder.name, "broken.icd").write_text(str(library) + "\n")
        return folder.name

    @unittest.skipUnless(shutil.which("cc"), "no C compiler to make a broken driver with")
    def test_a_crashing_driver_is_named_and_the_rest_still_works(self):
        done = run(OCL_ICD_VENDORS=self.broken_driver("abort();"))
        self.assertIn("host:0", done.stdout)
        if HAS_OPENCL and "opencl: absent" not in done.stdout:  # the loader is installed
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn("opencl: broken", done.stdout)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler to make a broken driver with")
    def test_a_hanging_driver_is_skipped_after_the_time_limit(self):
        done = run(OCL_ICD_VENDORS=self.broken_driver("for (;;) sleep(1);"), PRISM_PROBE_TIMEOUT_MS="1500")
        self.assertIn("host:0", done.stdout)
        if HAS_OPENCL and "opencl: absent" not in done.stdout:
            self.assertEqual(done.returncode, 3, done.stdout)

    def test_doctor_checks_loaders_and_drivers(self):
        done = run("--doctor")
        for word in ("libOpenCL.so.1", "libvulkan.so.1", "Device nodes", "Backends", "Versions", "Devices"):
            self.assertIn(word, done.stdout)

    @unittest.skipUnless(HAS_OPENCL and shutil.which("cc"), "no C compiler to make a broken driver with")
    def test_doctor_names_the_driver_that_crashes_or_hangs_and_finds_the_others(self):
        for body, why in (("abort();", "loading it crashed: Aborted"), ("for (;;) sleep(1);", "loading it took longer than 1 s")):
            folder = self.broken_driver(body)
            pathlib.Path(folder, "absent.icd").write_text("libno_such_driver.so.1\n")
            done = run("--doctor", "--timeout", "1", OCL_ICD_VENDORS=folder, PRISM_PROBE_TIMEOUT_MS="1500")
            self.assertRegex(done.stdout, rf"problem +{folder}/broken.icd names {folder}/libbroken.so, which cannot be loaded: {why}")
            self.assertRegex(done.stdout, rf"problem +{folder}/absent.icd names libno_such_driver.so.1, which cannot be loaded: .*No such file")
            self.assertIn("Backends\n", done.stdout)

    @unittest.skipUnless(HAS_OPENCL and shutil.which("cc"), "no C compiler to make a broken driver with")
    def test_doctor_checks_the_drivers_that_the_loader_opens(self):
        folder = self.broken_driver("abort();")
        done = run("--doctor", OCL_ICD_VENDORS=folder + "/none", OCL_ICD_FILENAMES=folder + "/libbroken.so")
        self.assertRegex(done.stdout, rf"problem +{folder}/libbroken.so names {folder}/libbroken.so, which cannot be loaded: loading it crashed")

    def test_doctor_identifies_each_driver_and_shows_what_a_device_has(self):
        report = json.loads(run("--json").stdout)
        text = run("--doctor").stdout.split("\nDevices\n")[1]
        for backend in report["backends"]:
            for device in backend["devices"]:
                part = text[text.index(f"{backend['name']}:{device['index']} "):].split("\n  ok")[0]
                self.assertRegex(part, r"version .*, driver ")
                self.assertRegex(part, r"cache line \d+ bytes, vector widths: .*float \d+")
                self.assertIn("images: ", part)
                driver = device["driver"]
                if backend["name"] == "vulkan":
                    self.assertRegex(part, r"driver id \d+ \(.+\)")
                    self.assertRegex(driver["device_uuid"], r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
                if backend["name"] in ("opencl", "vulkan"):
                    self.assertIn("conformance version", part)
                    self.assertIn(driver.get("device_uuid", ""), part)

    def test_doctor_names_a_vulkan_layer_and_a_driver_that_cannot_be_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            layer, icd = pathlib.Path(folder, "broken_layer.json"), pathlib.Path(folder, "broken_icd.json")
            layer.write_text('{"file_format_version": "1.1.0", "layer": {"name": "VK_LAYER_of_mine", "library_path": "./absent.so"}}')
            icd.write_text('{"file_format_version": "1.0.0", "ICD": {"library_path": "./no_driver.so", "api_version": "1.3.0"}}')
            second = pathlib.Path(folder, "text.json")
            second.write_text("[]")
            done = run("--doctor", VK_LAYER_PATH=folder, VK_ICD_FILENAMES=f"{icd}:{second}")
            self.assertRegex(done.stdout, r"problem +layer VK_LAYER_of_mine \(.*broken_layer.json\) cannot be loaded: .*absent.so")
            self.assertRegex(done.stdout, r"problem +.*broken_icd.json names .*no_driver.so, which cannot be loaded")
            self.assertRegex(done.stdout, r"problem +.*text.json is not a readable ICD file")


if __name__ == "__main__":
    unittest.main(verbosity=1)
