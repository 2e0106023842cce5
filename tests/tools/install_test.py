"""cmake --install into an empty folder, then: prism++ there, find_package(prism) and add_sycl_to_target from a project
that has nothing of the source tree, and prism++ of the build tree on a program elsewhere."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  int sum = 0;
  {
    sycl::buffer<int> out(&sum, sycl::range<1>(1));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(out, h);
      h.single_task([=] { a[0] = 42; });
    });
  }
  std::printf("%d\n", sum);
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(prism REQUIRED)
add_executable(user a.cpp)
add_sycl_to_target(TARGET user SOURCES a.cpp)
"""


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        (cls.root / "a.cpp").write_text(PROGRAM)
        cls.prefix = cls.root / "prefix"
        done = run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compiles_and_runs(self, driver):
        program = self.root / ("a" + str(abs(hash(str(driver)))))
        done = run(driver, "a.cpp", "-o", program, cwd=self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        ran = run(program)
        self.assertEqual((ran.returncode, ran.stdout), (0, "42\n"), ran.stderr)

    def test_prism_compiler_driver_of_the_build_tree_needs_no_setting(self):
        self.compiles_and_runs(BUILD / "bin" / "prism++")

    def test_the_installed_driver_needs_no_setting(self):
        self.compiles_and_runs(self.prefix / "bin" / "prism++")

    def test_find_package_and_add_sycl_to_target(self):
        (self.root / "CMakeLists.txt").write_text(PROJECT)
        done = run("cmake", "-G", "Ninja", "-B", self.root / "b", "-S", self.root, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("cmake", "--build", self.root / "b")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ran = run(self.root / "b" / "user")
        self.assertEqual((ran.returncode, ran.stdout), (0, "42\n"), ran.stderr)


if __name__ == "__main__":
    unittest.main()
