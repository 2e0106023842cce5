#!/usr/bin/env python3
"""PRISM_TRACE: a whole program's trace is valid JSON, has each command once, and its times fit together. PRISM_LEDGER: every
copy has a line, and the summary is their sum."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = GRAPHS = MORE_THAN_FITS = None
SELECTORS = {"host": "host", "pocl": "opencl:name=Portable", "vulkan": "vulkan:name=llvmpipe"}


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_traced(self, selector, file, command=None):
        environment = dict(os.environ, PRISM_DEVICE_SELECTOR=selector, PRISM_TRACE=str(file))
        return subprocess.run(command or [PROGRAM, "--gtest_filter=grids.*"], env=environment, text=True, capture_output=True, timeout=120)

    def trace_of(self, name, command=None):
        file = pathlib.Path(self.folder.name) / "trace.json"
        done = self.run_traced(SELECTORS[name], file, command)
        if done.returncode == 77:
            self.skipTest(f"{name}: {done.stdout.splitlines()[0]}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(file.read_text())["traceEvents"]

    def check(self, name):
        events = self.trace_of(name)
        spans = [e for e in events if e["ph"] == "X"]
        by_kind = {}
        for e in spans:
            self.assertGreaterEqual(e["dur"], 0, e)
            by_kind.setdefault(e["cat"], []).append(e)
        self.assertLessEqual({"submit", "build", "device", "wait"}, by_kind.keys())
        self.assertEqual(len(by_kind["device"]), len(by_kind["submit"]), "each command runs once")
        self.assertTrue([e for e in by_kind["device"] if "path_step" in e["name"]], "kernels have their names")
        self.assertTrue([e for e in by_kind["device"] if e["name"].startswith("copy ")], "copies have theirs")
        for e in by_kind["device"]:
            self.assertRegex(e["args"]["line"], r"sycl/numerics_test\.cpp:\d+$", "the program's line")
        begun = {e["id"]: e for e in events if e["ph"] == "s"}
        ended = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(len(ended), len(by_kind["device"]), "each command ends an arrow")
        self.assertEqual(begun.keys(), ended.keys(), "each arrow leads from a submission to its execution")
        starts = {kind: {(e["pid"], e["tid"], e["ts"]) for e in by_kind[kind]} for kind in ("submit", "device")}
        for kind, ends in (("submit", begun), ("device", ended)):
            for e in ends.values():
                self.assertIn((e["pid"], e["tid"], e["ts"]), starts[kind], "an arrow's end is at the start of a span")
        named = {e["pid"] for e in events if e["ph"] == "M"}
        self.assertEqual(named, {e["pid"] for e in spans}, "every track has a name")
        first = min(e["ts"] for e in by_kind["submit"])
        last = max(e["ts"] + e["dur"] for kind in ("submit", "wait") for e in by_kind[kind])
        for e in by_kind["device"]:
            self.assertGreater(e["ts"], first - 100_000, "on the host's clock")
            self.assertLess(e["ts"] + e["dur"], last + 500_000, "on the host's clock")
        queues = {}
        for e in by_kind["device"]:
            queues.setdefault((e["pid"], e["tid"]), []).append(e)
        for one in queues.values():
            one.sort(key=lambda e: e["ts"])
            for before, after in zip(one, one[1:]):
                self.assertLess(before["ts"] + before["dur"], after["ts"] + 1, "one after the other")

    def test_the_host_device_is_traced(self):
        self.check("host")

    def test_an_opencl_device_is_traced(self):
        self.check("pocl")

    def test_a_vulkan_device_is_traced(self):
        self.check("vulkan")

    def test_a_reductions_second_kernel_has_the_name_of_its_first(self):
        for name in SELECTORS:
            with self.subTest(name):
                events = [e for e in self.trace_of(name, [PROGRAM, "--gtest_filter=statistics.*"]) if e["ph"] == "X"]
                self.assertFalse([e["name"] for e in events if "reduction_end" in e["name"] or "(lambda at" in e["name"]])
                kernels = {e["name"] for e in events if e["cat"] == "device"}
                second = {name.partition(": combines")[0] for name in kernels if name.endswith(": combines partial results")}
                self.assertTrue(second)
                self.assertLessEqual(second, kernels)

    def test_a_command_is_traced_once_by_several_threads(self):
        for name in SELECTORS:
            with self.subTest(name):
                events = self.trace_of(name, [GRAPHS, "--gtest_filter=graphs.several_threads_can_execute_one_graph", "--gtest_repeat=12"])
                spans = [(e["pid"], e["tid"], e["ts"], e["dur"], e["name"]) for e in events if e["ph"] == "X" and e["cat"] == "device"]
                self.assertTrue(spans)
                self.assertEqual(len(spans), len(set(spans)))

    def spans_of_more_than_fits(self, name, test):
        events = self.trace_of(name, [MORE_THAN_FITS, f"--gtest_filter=more_than_fits.{test}"])
        return [e for e in events if e["ph"] == "X"]

    def test_evictions_are_explained(self):
        for name in SELECTORS:
            with self.subTest(name):
                spans = self.spans_of_more_than_fits(name, "a_random_graph_of_ten_times_the_memory_ends_as_the_model")
                moved = [e for e in spans if re.fullmatch(r"copy 16384 B of a buffer: evicted for .+", e["name"])]
                self.assertGreater(len(moved), 100, "each copy of an eviction has its reason and the command that needs the room")
                for e in moved:
                    self.assertEqual(e["cat"], "device")
                    self.assertRegex(e["args"]["line"], r"sycl/more_than_fits_test\.cpp:\d+$", "the line of that command")
                passed = [e for e in spans if e["cat"] == "memory" and e["name"].startswith("evict a buffer from the memory of ")]
                self.assertGreater(len(passed), 100, "memory that passes from buffer to buffer without a wait is shown too")

    def test_pieces_of_a_kernel_are_explained(self):
        for name in SELECTORS:
            with self.subTest(name):
                spans = self.spans_of_more_than_fits(name, "a_kernel_over_a_buffer_of_four_times_the_memory_runs_in_pieces")
                self.assertEqual(len([e for e in spans if e["cat"] == "submit" and e["name"].endswith("doubled") and e["name"].startswith("run in pieces: ")]), 1)
                pieces = {e["name"] for e in spans if e["cat"] == "device" and "doubled, work-items " in e["name"] and not e["name"].startswith("copy ")}
                self.assertGreaterEqual(len(pieces), 16, "each piece has its part of the range in its name")

    def test_an_unwritable_file_is_reported_and_changes_nothing(self):
        done = self.run_traced("host", "/no/such/folder/trace.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('PRISM_TRACE: cannot write "/no/such/folder/trace.json"', done.stderr)


class Ledger(unittest.TestCase):
    def ledger_of(self, name, where="1"):
        environment = dict(os.environ, PRISM_DEVICE_SELECTOR=SELECTORS[name], PRISM_LEDGER=where)
        done = subprocess.run([PROGRAM, "--gtest_filter=statistics.*"], env=environment, text=True, capture_output=True, timeout=120)
        if done.returncode == 77:
            self.skipTest(f"{name}: {done.stdout.splitlines()[0]}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stderr

    def check(self, name):
        lines = [line for line in self.ledger_of(name).splitlines() if line.startswith("prism: ledger: ")]
        copies = [int(m[1]) for line in lines if (m := re.match(r"prism: ledger: (\d+) B \S+ -> \S+: .*\.[ch]pp:\d+$", line))]
        kinds = [int(m[1]) for line in lines if (m := re.match(r"prism: ledger:   (\d+) B in \d+ copies ", line))]
        total = [int(m[1]) for line in lines if (m := re.match(r"prism: ledger: (\d+) bytes were copied", line))]
        self.assertTrue(copies)
        self.assertEqual(total, [sum(copies)])
        self.assertEqual(sum(kinds), sum(copies))
        return "\n".join(lines)

    def test_copies_of_an_opencl_device_add_up(self):
        text = self.check("pocl")
        self.assertIn(": explicit copy", text)
        if "first use on device" in text:  # otherwise the device adopted the host memory of the program's only buffer
            self.assertIn("host write-back", text)

    def test_copies_of_a_vulkan_device_add_up(self):
        self.check("vulkan")

    def test_the_host_device_makes_only_explicit_copies(self):
        self.assertNotIn("write-back", self.check("host"))

    def test_nothing_is_written_where_it_is_off(self):
        self.assertNotIn("ledger", self.ledger_of("host", "off"))


class Profile(unittest.TestCase):
    def table_of(self, selector, setting):
        environment = dict(os.environ, PRISM_DEVICE_SELECTOR=SELECTORS[selector], PRISM_PROFILE=setting)
        done = subprocess.run([PROGRAM, "--gtest_filter=grids.*"], env=environment, text=True, capture_output=True, timeout=120)
        if done.returncode == 77:
            self.skipTest(f"{selector}: {done.stdout.splitlines()[0]}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stderr if setting == "1" else pathlib.Path(setting).read_text()

    def check(self, table):
        self.assertEqual(table.count("of peak"), 1)
        row = [line.split() for line in table.splitlines() if line.startswith("path_step")]
        self.assertEqual(len(row), 1, table)
        self.assertEqual(row[0][1], "29", "its launches")
        self.assertRegex(row[0][2], r"^[0-9.]+%$")
        shares = [float(found) for found in re.findall(r" ([0-9.]+)% +[0-9.]+ ms", table)]
        self.assertAlmostEqual(sum(shares), 100, delta=0.1 * len(shares))

    def test_standard_error_has_the_sums_of_each_kernel(self):
        for device in SELECTORS:
            with self.subTest(device):
                self.check(self.table_of(device, "1"))

    def test_a_file_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(self.table_of("host", str(pathlib.Path(folder) / "profile.txt")))


if __name__ == "__main__":
    PROGRAM, GRAPHS, MORE_THAN_FITS = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
