#!/usr/bin/env python3
"""PRISM_VERIFY=reference: a wrong result is caught and located, a right one is not reported, and kernels
that cannot be compared are named. A device that silently skips a kernel makes results wrong."""
import os
import subprocess
import sys
import unittest

PROGRAM = None
DEVICES = {"pocl": "opencl:name=Portable", "rusticl": "opencl:name=rusticl", "vulkan": "vulkan:name=llvmpipe"}


class Verify(unittest.TestCase):
    def run_program(self, device, verify="reference", wrap="", arguments=()):
        environment = dict(os.environ, PRISM_DEVICE_SELECTOR=DEVICES.get(device, device), PRISM_VERIFY=verify, PRISM_WRAP=wrap)
        if device == "rusticl":
            environment["RUSTICL_ENABLE"] = "llvmpipe"
        done = subprocess.run([PROGRAM, *arguments], env=environment, text=True, capture_output=True, timeout=120)
        if done.returncode == 77:
            self.skipTest(f"{device}: {done.stdout.splitlines()[0]}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def summary(self, done):
        lines = [line for line in done.stderr.splitlines() if "were verified" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0]

    def check_right(self, device):
        done = self.run_program(device)
        self.assertIn(" 0 differ", self.summary(done), done.stderr)
        self.assertNotIn("differs from the reference", done.stderr)
        self.assertEqual(done.stdout.count("printed once"), 1, "the output of the reference run must be dropped")
        self.assertIn('kernel "counts_globally" is not verified: it uses a device_global', done.stderr)
        return done

    def check_left_out(self, device, number, kernel, where):
        done = self.run_program(device, wrap=f"fault(skip={number})")
        reports = [line for line in done.stderr.splitlines() if "differs from the reference" in line]
        self.assertEqual(len(reports), 1, done.stderr)
        self.assertIn(f'kernel "{kernel}"', reports[0])
        self.assertIn(where, reports[0])
        self.assertIn(" 1 differ", self.summary(done))

    def check(self, device, has_usm=True):
        done = self.check_right(device)
        self.check_left_out(device, 1, "tail_of_a_buffer", "a buffer of 100 elements of 4 bytes, the kernel's pointer 1: element 37 is 5 (0x5), the reference has 42 (0x2a) (63 numbers differ)")
        if has_usm:
            self.check_left_out(device, 5, "floats_in_usm", "a USM allocation of 400 bytes, the kernel's pointer 1: element 12 is 12, the reference has 24 (88 numbers differ)")
            self.assertIn('kernel "chases" is not verified: it finds pointers in memory', done.stderr)

    def test_pocl(self):
        self.check("pocl")

    def test_vulkan(self):
        self.check("vulkan")

    def test_rusticl(self):
        self.check("rusticl", has_usm=False)

    def test_undefined_memory_that_no_kernel_writes_is_ignored(self):
        done = self.run_program("pocl", wrap="fault(skip=2)")
        report = [line for line in done.stderr.splitlines() if "differs from the reference" in line]
        self.assertEqual(len(report), 1, done.stderr)
        self.assertIn('kernel "fresh_buffer"', report[0])
        self.assertRegex(report[0], r"\((49|50) numbers differ\)")  # not those that no kernel writes

    def test_a_write_before_an_allocation_is_found(self):
        done = self.run_program("pocl", arguments=["beyond"])
        self.assertIn('kernel "outside"', done.stderr)
        self.assertIn("writes outside of a USM allocation of 256 bytes, the kernel's pointer 1: 4 bytes before it", done.stderr)

    def check_graph(self, device):
        done = self.run_program(device, arguments=["graph"])
        self.assertIn(" 4 kernels were verified, 0 differ", self.summary(done), done.stderr)
        self.assertIn("the graph's last element: 27", done.stdout)  # (5 + 2 + 2) * 3
        done = self.run_program(device, wrap="fault(skip=4)", arguments=["graph"])  # the second kernel of the second execution
        reports = [line for line in done.stderr.splitlines() if "differs from the reference" in line]
        self.assertEqual(len(reports), 1, done.stderr)
        self.assertIn('kernel "second_of_a_graph"', reports[0])
        self.assertIn("element 0 is 21 (0x15), the reference has 27 (0x1b)", reports[0])

    def test_kernels_of_graphs_are_compared_in_each_run_pocl(self):
        self.check_graph("pocl")

    def test_kernels_of_graphs_are_compared_in_each_run_vulkan(self):
        self.check_graph("vulkan")

    def test_the_host_device_is_the_reference_itself(self):
        done = self.run_program("host")
        self.assertIn(" 0 kernels were verified, 0 differ", self.summary(done))

    def test_the_tolerance_is_the_users(self):
        for device in DEVICES:
            with self.subTest(device):
                for verify, differ in (("reference", 1), ("reference:1e-3", 0), ("reference:4e-4", 1)):
                    done = self.run_program(device, verify, wrap="fault(skip=1)", arguments=["slightly"])
                    self.assertIn(f" 1 kernels were verified, {differ} differ", self.summary(done), done.stderr)

    def test_unknown_values_are_refused(self):
        for wrong in ("yes", "reference:", "reference:-1", "reference:2", "reference=1e-3"):
            done = self.run_program("host", verify=wrong)
            self.assertIn(f"PRISM_VERIFY={wrong} is not valid", done.stderr)
            self.assertNotIn("were verified", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
