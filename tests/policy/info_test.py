"""prism-info about requirements, differences and policies: info_test.py BUILD."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
FLEET = pathlib.Path(__file__).resolve().parents[2] / "samples/fleet/fleet.yaml"


class Info(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def info(self, *arguments, status=0, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PRISM_")}
        done = subprocess.run([BUILD / "bin/prism-info", *map(str, arguments)], env={**kept, "PRISM_CACHE_DIR": str(self.folder), "PRISM_DEVICE_SELECTOR": "host", **environment},
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def report(self, name, change=lambda report: None):
        report = json.loads(self.info("--json"))
        change(report)
        file = self.folder / name
        file.write_text(json.dumps(report))
        return file

    def host(self, report):
        return next(b for b in report["backends"] if b["name"] == "host")["devices"]

    def test_diff_names_changed_added_and_removed_properties(self):
        before = self.report("before.json")
        self.assertEqual(self.info("--diff", before, self.report("same.json")), "no difference\n")
        units = self.host(json.loads(before.read_text()))[0]["compute_units"]
        fewer = self.report("fewer.json", lambda r: self.host(r)[0].update(compute_units=units + 1, surprise=5))
        said = self.info("--diff", before, fewer, status=1)
        self.assertIn(f"~ host:0.compute_units: {units} -> {units + 1}\n", said)
        self.assertIn("+ host:0.surprise = 5\n", said)
        self.assertEqual(len(said.splitlines()), 2, said)
        without_name = self.report("without_name.json", lambda r: self.host(r).clear())
        self.assertIn("- host:0.name = ", self.info("--diff", before, without_name, status=1))

    def test_diff_refuses_other_files_by_name(self):
        good = self.report("good.json")
        for name, text in (("text.json", "hello"), ("list.json", "[1]"), ("other.json", '{"backends": 7}'), ("odd.json", '{"backends": [7]}'), ("empty.json", "")):
            file = self.folder / name
            file.write_text(text)
            self.assertIn(f"{file}: is not a file that prism-info --json wrote", self.info("--diff", good, file, status=2))
        self.assertIn("/no/such", self.info("--diff", good, "/no/such", status=2))

    def test_require_takes_versions_and_sizes_of_real_and_described_devices(self):
        self.assertIn("meets it", self.info("--require", "fp64,memory>=1MiB,compute_units>=1"))
        said = self.info("--require", "memory>=100000GiB", status=4)
        self.assertRegex(said, r"host:0 .* lacks memory>=100000GiB \(memory is .*iB\)")
        said = self.info("--fleet", FLEET, "--require", "fp64,subgroups>=2,memory>=4GiB")
        self.assertIn("H100 SXM meets it", said)
        self.assertIn("TPU v4 lacks fp64", said)
        self.info("--fleet", FLEET, "--require", "thread_block_clusters>=9", status=4)
        self.assertIn("memory>=lots", self.info("--require", "memory>=lots", status=2))
        self.assertIn('lacks fp65 (it has no fp65; did you mean "fp64"?)', self.info("--require", "fp65", status=4))
        self.assertIn('it has no memry; did you mean "memory"?', self.info("--require", "memry>=1GiB", status=4))
        self.assertNotIn("did you mean", self.info("--fleet", FLEET, "--require", "time_travel", status=4))
        self.assertIn("is empty", self.info("--require", "", status=2))
        masked = self.info("--require", "fp64", status=4, PRISM_WRAP="mask(fp64)")
        self.assertIn("lacks fp64", masked)

    def test_select_prints_the_same_as_table_and_json(self):
        job = ["--fleet", FLEET, "--select", "priority=cost; max_latency=1s; require=fp64", "--workload", "flops=4.5e12; bytes=1e9; bytes_to_move=1e8; items=1e6"]
        self.assertRegex(self.info(*job), r"=>  EPYC 9654 +cpu")
        table = json.loads(self.info(*job, "--json"))
        self.assertEqual(table["chosen"], "EPYC 9654")
        by_name = {c["device"]: c for c in table["candidates"]}
        self.assertEqual(len(by_name), 7)
        self.assertTrue(by_name["EPYC 9654"]["fits"])
        self.assertIn("max_latency", by_name["Altra Q80-30"]["reason"])
        self.assertIn("it has no fp64", by_name["TPU v4"]["reason"])
        nothing = json.loads(self.info("--fleet", FLEET, "--select", "require=time_travel", "--json", status=1))
        self.assertIsNone(nothing["chosen"])
        self.assertEqual(len(nothing["candidates"]), 7)

    def test_a_preference_that_no_device_has_is_reported(self):
        self.assertIn('prefer "gpux": no device here; it has no gpux; did you mean "gpu"?', self.info("--fleet", FLEET, "--select", "prefer=gpux"))
        self.assertNotIn("no device here", self.info("--fleet", FLEET, "--select", "prefer=gpu,tensor_cores"))

    def test_a_wrong_policy_workload_or_fleet_is_refused_by_name(self):
        for arguments, said in ((["--select", "priority=sped"], 'Did you mean "speed"'), (["--select", "priority=speed", "--workload", "flop=3"], 'Did you mean "flops"'),
                                (["--select", "priority=speed", "--fleet", "/no/such.yaml"], "/no/such.yaml: cannot be read"),
                                (["--select", "priorty=speed"], 'Did you mean "priority"'), (["--workload", "flops=1"], "--workload is the job of a policy"),
                                (["--diff", "/no/such", "/no/such"], "/no/such: cannot be read")):
            self.assertIn(said, self.info(*arguments, status=2))
        bad = self.folder / "bad.yaml"
        bad.write_text("devices:\n  - name: x\n    device_type: cpu\n    compute_unitz: 4\n")
        self.assertIn(f'{bad}:4:5: devices[0]: unknown key "compute_unitz". Did you mean "compute_units"?', self.info("--select", "priority=speed", "--fleet", bad, status=2))

    def test_a_device_is_selected_by_name_type_and_version(self):
        device = self.host(json.loads(self.info("--json")))[0]
        for selector in (device["name"], device["platform"]["name"], device["platform"]["version"]):
            self.assertIn("-> host:0", self.info("--select", f"host:name={selector}"))
        self.assertIn("-> host:0", self.info("--select", "cpu"))
        self.info("--select", "host:name=9999.1", status=1)

    def test_the_report_describes_each_backend_and_its_requirements(self):
        report = json.loads(self.info("--json", PRISM_DEVICE_SELECTOR=""))
        for backend in report["backends"]:
            self.assertEqual(backend["version"], report["prism_version"])
            self.assertTrue(backend["type"] and backend["display_name"])
            self.assertFalse(backend["needs_gpu"])
            if backend["name"] in ("opencl", "vulkan"):
                self.assertEqual(backend["required_libraries"], {"opencl": "libOpenCL.so.1", "vulkan": "libvulkan.so.1"}[backend["name"]])

    def test_backends_are_shown_in_their_order(self):
        names = lambda **e: [b["name"] for b in json.loads(self.info("--json", PRISM_DEVICE_SELECTOR="", **e))["backends"]]
        self.assertEqual(names(PRISM_BACKEND_PRIORITY="host=9000")[0], "host")
        self.assertEqual(names(PRISM_BACKEND_PRIORITY="host=-9000")[-1], "host")


if __name__ == "__main__":
    unittest.main(verbosity=1)
