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

    def test_each_program_that_is_installed_has_its_manual_page_and_completions_and_no_other_has(self):
        programs = {file.name for file in (self.prefix / "bin").iterdir()}
        self.assertLessEqual({"prism++", "prism-info", "prism-probe"}, programs)
        described = {"prism++", "prism-info", "prism-pack", "prism-probe", "prism-tune"} & programs
        for folder, name in (("man/man1", "{}.1"), ("bash-completion/completions", "{}"), ("zsh/site-functions", "_{}"), ("fish/vendor_completions.d", "{}.fish")):
            self.assertEqual({file.name for file in (self.prefix / "share" / folder).iterdir()}, {name.format(each) for each in described}, folder)
        for name in described:
            self.assertTrue(os.access(self.prefix / "bin" / name, os.X_OK), name)

    def test_bash_completes_options_and_targets(self):
        script = (f'source {self.prefix}/share/bash-completion/completions/prism++; COMP_WORDS=(prism++ "$1"); COMP_CWORD=1; '
                  f'PATH={self.prefix}/bin:$PATH _prism_complete prism++ 2>/dev/null; echo "${{COMPREPLY[*]}}"')
        for word, expected in (("--vers", "--version"), ("--targets=v", "vulkan"), ("-Wno-prism-k", "-Wno-prism-kernel-names")):
            done = run("bash", "-c", script, "bash", word)
            self.assertEqual(done.stdout.strip(), expected, done.stderr)

    def test_documents_licence_samples_and_suppressions_are_installed(self):
        for name in ("doc/prism/LICENSE", "doc/prism/projects.md", "doc/prism/README.md", "prism/samples/CMakeLists.txt", "prism/samples/fleet/fleet.yaml",
                     "prism/sanitizers/lsan.supp", "prism/sanitizers/tsan.supp", "prism/other-compilers/cmake/AdaptiveCppConfig.cmake"):
            self.assertTrue((self.prefix / "share" / name).is_file(), name)

    def test_nothing_installed_names_the_build_tree(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".hpp", ".pc"):
                self.assertNotIn(str(BUILD), path.read_text(), path)


if __name__ == "__main__":
    unittest.main()
