"""cmake --install into an empty folder, then prism++ there, and prism++ of the build tree on a program elsewhere. Projects
that use the installed package: cmake_test.py."""
import os
import pathlib
import sys
import unittest

from installed import Installed, run

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


class Install(Installed):
    build = BUILD

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.root / "a.cpp").write_text(PROGRAM)

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

    def test_programs_and_manual_pages_are_installed(self):
        for name in ("prism++", "prism-info", "prism-probe"):
            self.assertTrue(os.access(self.prefix / "bin" / name, os.X_OK), name)
        for name in ("prism++", "prism-info", "prism-probe", "prism-bench", "prism"):
            self.assertTrue((self.prefix / "share/man/man1" / f"{name}.1").exists(), name)

    def test_nothing_installed_names_the_build_tree(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".hpp"):
                self.assertNotIn(str(BUILD), path.read_text(), path)


if __name__ == "__main__":
    unittest.main()
