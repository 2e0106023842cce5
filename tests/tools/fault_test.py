"""A kernel that leaves its memory on the host device names itself and its line before the process ends: fault_test.py PROGRAM."""
import os
import signal
import subprocess
import sys
import unittest

PROGRAM = None


class Fault(unittest.TestCase):
    def run_program(self, what, **more):
        return subprocess.run([PROGRAM, what], env={**os.environ, "PRISM_DEVICE_SELECTOR": "host", **more}, text=True, capture_output=True, timeout=60)

    def report(self, what, status=-signal.SIGSEGV, **more):
        done = self.run_program(what, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        lines = [line for line in done.stderr.splitlines() if "on the host device" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], r"faulty_program\.cpp:\d+\)")
        return lines[0]

    def test_a_kernel_over_a_range_is_named(self):
        self.assertIn('kernel "in_a_range" (', self.report("range"))

    def test_a_kernel_with_groups_is_named(self):
        line = self.report("groups")
        self.assertIn('kernel "in_groups" (', line)
        self.assertRegex(line, "address 0x[0-9a-f]*fa0")

    def test_a_kernel_with_groups_is_named_when_its_items_are_fibers(self):
        self.assertIn('kernel "in_groups" (', self.report("groups", PRISM_HOST_KERNELS="fibers"))

    def test_an_unnamed_kernel_is_named_by_its_place(self):
        self.assertIn("address 0x1c", self.report("unnamed"))

    @unittest.skipUnless(os.uname().machine == "x86_64", "other processors divide by zero without a signal")
    def test_an_integer_division_by_zero_is_named(self):
        self.assertIn("divides an integer by zero", self.report("division", -signal.SIGFPE))

    def test_a_handler_of_the_program_still_runs(self):
        self.report("handled", 42)

    def test_a_fault_outside_of_kernels_is_left_alone(self):
        done = self.run_program("outside")
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGSEGV, ""))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
