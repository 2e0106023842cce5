"""PRISM_CHECK=order finds missing barriers on every device, and reports nothing for kernels that are right: order_test.py PROGRAM."""
import os
import subprocess
import sys
import unittest

PROGRAM = None
DEVICES = {"host": "host", "pocl": "opencl:name=Portable", "rusticl": "opencl:name=rusticl", "vulkan": "vulkan:name=llvmpipe"}


class Order(unittest.TestCase):
    def run_program(self, device, kernel, **more):
        environment = {**os.environ, "PRISM_DEVICE_SELECTOR": DEVICES[device], "PRISM_CHECK": "order", **more}
        if device == "rusticl":
            environment["RUSTICL_ENABLE"] = "llvmpipe"
        done = subprocess.run([PROGRAM, kernel], env=environment, text=True, capture_output=True, timeout=120)
        if done.returncode == 77:
            self.skipTest(f"{device}: {done.stdout.splitlines()[0]}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def reported(self, device, kernel, name):
        done = self.run_program(device, kernel)
        reports = [line for line in done.stderr.splitlines() if "depends on the order" in line]
        self.assertEqual(len(reports), 1, done.stderr)
        self.assertIn(f'::{name}" (', reports[0])
        self.assertRegex(reports[0], r"ordered_program\.cpp:\d+\)")
        self.assertRegex(reports[0], r"a buffer of 256 elements of 4 bytes, the kernel's pointer 1, element \d+ is \d+ .* in ascending order and \d+ .* in another")
        self.assertIn("1 kernels with work-groups ran in several orders, 1 depend on the order", done.stderr)

    def right(self, device, kernel, last):
        done = self.run_program(device, kernel)
        self.assertEqual(done.stdout, f"last {last}\n")
        self.assertNotIn("depends on the order", done.stderr)
        self.assertIn("1 kernels with work-groups ran in several orders, 0 depend on the order", done.stderr)

    def check(self, device):
        self.right(device, "right", 192)
        self.right(device, "sum", sum(range(192, 256)) + 64)
        self.reported(device, "reverse", "reversed<false>")
        self.reported(device, "overwrite", "overwrites")
        self.reported(device, "between_groups", "of_groups")
        self.reported(device, "local", "group_local")

    def test_a_missing_barrier_is_found_on_the_host(self):
        self.check("host")

    def test_a_missing_barrier_is_found_on_pocl(self):
        self.check("pocl")

    def test_a_missing_barrier_is_found_on_rusticl(self):
        self.check("rusticl")

    def test_a_missing_barrier_is_found_on_lavapipe(self):
        self.check("vulkan")

    def test_the_check_and_the_comparison_with_the_reference_work_together(self):
        done = self.run_program("pocl", "right", PRISM_VERIFY="reference")
        self.assertIn("1 kernels were verified, 0 differ; PRISM_CHECK=order: 1 kernels with work-groups ran in several orders, 0 depend", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
