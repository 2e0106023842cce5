"""Names and locations of kernels in messages: a trace names a kernel without a name by its function and line. A driver's
build error has the kernel's location, and the program's line after the text's line. places_test.py PRISM++."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DRIVER = pathlib.Path(sys.argv.pop(1)).resolve()
POCL = "opencl:name=Portable"
NO_DEVICE = 77

PROGRAM = r"""#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  if (sycl::device::get_devices().empty()) return 77;
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(8, q);
  try {
    q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) {
       int x = p[i];
       p[i] = x ^ 12345;
    }).wait_and_throw();
    q.parallel_for<class named>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it) {
       const int i = int(it.get_global_id(0));
       p[i] += 7;
       sycl::group_barrier(it.get_group());
       p[i] *= 54321;
    }).wait_and_throw();
  } catch (const sycl::exception& e) {
    std::puts(e.what());
  }
  sycl::free(p, q);
}
"""


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.built = pathlib.Path(folder.name)
        (cls.built / "un.cpp").write_text(PROGRAM)
        subprocess.run([DRIVER, "-O2", "-std=c++17", cls.built / "un.cpp", "-o", cls.built / "un"], check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        shutil.copy(self.built / "un", self.path)  # of its own, because break_text writes into it

    def run_program(self, selector, **variables):
        done = subprocess.run([self.path / "un"], capture_output=True, text=True,
                              env={**os.environ, "PRISM_DEVICE_SELECTOR": selector, "PRISM_CACHE": "off", **variables})
        if done.returncode == NO_DEVICE:
            self.skipTest(f"no device {selector}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def break_text(self, number):
        """Adds an error to the OpenCL C texts in the line with this constant, which a driver reports."""
        program = (self.path / "un").read_bytes()
        self.assertIn(number + b"u", program)
        (self.path / "un").write_bytes(program.replace(number + b"u", b"@@@@@u"))

    def test_a_trace_calls_a_kernel_without_a_name_by_function_and_line(self):
        self.run_program("host", PRISM_TRACE=str(self.path / "trace.json"))
        text = (self.path / "trace.json").read_text()
        names = {event.get("name") for event in json.loads(text)["traceEvents"]}
        self.assertTrue(any("main (un.cpp:8)" in str(name) for name in names), names)
        self.assertNotIn("lambda at", text)

    def test_a_build_error_cites_the_program_of_a_kernel_without_a_name(self):
        self.break_text(b"12345")
        said = self.run_program(POCL)
        self.assertIn("main (un.cpp:8)", said)
        self.assertRegex(said, r"The kernel is at un\.cpp:8; line \d+ of what it was compiled to comes from un\.cpp:10")

    def test_a_build_error_cites_the_program_of_a_kernel_with_a_name(self):
        self.break_text(b"54321")
        said = self.run_program(POCL)
        self.assertIn("named", said)
        self.assertRegex(said, r"The kernel is at un\.cpp:12; line \d+ of what it was compiled to comes from un\.cpp:16")


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    passed = outcome.testsRun - len(outcome.skipped)
    sys.exit(1 if not outcome.wasSuccessful() else NO_DEVICE if passed == 0 else 0)
