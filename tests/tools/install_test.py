"""cmake --install into an empty folder, then prism++ there, and prism++ of the build tree on a program elsewhere. Projects
that use the installed package: cmake_test.py."""
import os
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from installed import Installed, run

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
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

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_options(self):
        # compadd -a names the array of what it would offer; _files is what completes names of files
        script = (f'compadd() {{ print -l -- ${{(P)2}} }}; _files() {{ print files }}; words=({self.prefix}/bin/prism++ "$1"); PREFIX=$1; '
                  f'source {self.prefix}/share/zsh/site-functions/_prism++')
        offered = lambda word: run("zsh", "-f", "-c", script, "zsh", word).stdout.split()
        self.assertLessEqual({"--version", "--targets=", "-Wno-prism-kernel-names"}, set(offered("--v")))
        self.assertEqual(offered("a"), ["files"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_options(self):
        script = (f'set -x PATH {self.prefix}/bin $PATH; source {self.prefix}/share/fish/vendor_completions.d/prism++.fish; '
                  'complete -C "prism++ --vers"; complete -C "prism++ -Wno-prism-k"')
        done = run("fish", "--no-config", "-c", script)
        self.assertEqual([line.split("\t")[0] for line in done.stdout.splitlines()], ["--version", "-Wno-prism-kernel-names"], done.stderr)

    def test_documents_licence_samples_and_suppressions_are_installed(self):
        for name in ("doc/prism/LICENSE", "doc/prism/projects.md", "doc/prism/README.md", "prism/samples/CMakeLists.txt", "prism/samples/fleet/fleet.yaml",
                     "prism/sanitizers/lsan.supp", "prism/sanitizers/tsan.supp", "prism/other-compilers/cmake/AdaptiveCppConfig.cmake"):
            self.assertTrue((self.prefix / "share" / name).is_file(), name)

    def test_nothing_installed_names_the_build_tree(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".hpp", ".pc"):
                self.assertNotIn(str(BUILD), path.read_text(), path)

    @unittest.skipUnless(shutil.which("clangd"), "clangd is not installed")
    def test_clangd_understands_the_kernel_files_of_a_project(self):
        project = self.root / "edited"
        project.mkdir()
        (project / "kernels.cpp").write_text(PROGRAM)
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(edited LANGUAGES CXX)\nfind_package(prism REQUIRED)\n"
            "add_executable(app kernels.cpp)\nadd_sycl_to_target(TARGET app SOURCES kernels.cpp)\n")
        done = run("cmake", "-G", "Ninja", "-B", project / "build", "-S", project, f"-Dprism_DIR={self.prefix}/lib/cmake/prism",
                   f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        self.assertEqual(done.returncode, 0, done.stderr)
        commands = json.loads((project / "build/compile_commands.json").read_text())
        self.assertEqual([pathlib.Path(each["file"]).name for each in commands], ["kernels.cpp"])
        for folder in (project / "build", project / "flags"):
            if folder.name == "flags":  # without CMake: compile_flags.txt, as docs/compilers.md shows it
                folder.mkdir()
                (folder / "compile_flags.txt").write_text(f"-xc++\n-std=c++17\n-I{self.prefix}/include\n")
            done = run("clangd", "--check=" + str(project / "kernels.cpp"), f"--compile-commands-dir={folder}", "--log=error", timeout=200)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stderr, r"\[(?!unused)[a-z_]+\] Line \d+: .*(not found|unknown|undeclared|no member)")

    def test_every_built_file_that_is_installed_can_be_built_by_the_installation(self):
        scripts = [script.read_text() for script in BUILD.rglob("cmake_install.cmake")]
        installed = {found for text in scripts for found in re.findall(r'file\(INSTALL [^)]*?FILES "([^"]+)"', text, re.S)}
        built = {str(pathlib.Path(file).resolve()) for file in installed
                 if pathlib.Path(file).resolve().parent in [BUILD / folder for folder in ("bin", "lib", "lib/prism/providers", "libexec/prism")]
                 and not pathlib.Path(file).is_symlink() and not pathlib.Path(file).name.startswith("ld")}
        listed = {str(pathlib.Path(file).resolve()) for file in re.findall(r'set\(pairs "(.*?)"\)', "".join(scripts), re.S)[0].split(";")
                  for file in [file.partition("=")[2]] if file}
        self.assertGreater(len(built), 8)
        self.assertEqual(built - listed, set(), "installed, but not in prism_build_before_install of CMakeLists.txt")


class PartlyBuilt(unittest.TestCase):
    """A project like PRISM after ./prism demo: two programs are installed, one was built."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "a folder"  # names may have spaces
        self.folder.mkdir()
        (self.folder / "one.cpp").write_text("int main() {}\n")
        (self.folder / "two.cpp").write_text("int main() {}\n")
        (self.folder / "CMakeLists.txt").write_text(
            f'cmake_minimum_required(VERSION 3.25)\nproject(partly LANGUAGES CXX)\ninclude("{ROOT}/cmake/PrismInstall.cmake")\n'
            "prism_build_before_install(one two left_out)\nadd_subdirectory(programs)\n")
        (self.folder / "programs").mkdir()
        (self.folder / "programs/CMakeLists.txt").write_text(
            "foreach(name one two)\n  add_executable(${name} ../${name}.cpp)\n  install(TARGETS ${name} RUNTIME DESTINATION bin)\nendforeach()\n")
        for arguments in (["-G", "Ninja", "-S", "."], ["--build", "build", "--target", "one"]):
            done = run("cmake", *(["-B", "build"] if "-S" in arguments else []), *arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def install(self):
        return run("cmake", "--install", "build", "--prefix", self.folder / "prefix", cwd=self.folder)

    def test_an_installation_builds_what_is_missing(self):
        done = self.install()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Building what was not built yet: two", done.stdout)
        self.assertEqual(sorted(path.name for path in (self.folder / "prefix/bin").iterdir()), ["one", "two"])
        self.assertNotIn("Building", self.install().stdout)

    def test_nothing_is_installed_when_that_build_fails(self):
        (self.folder / "two.cpp").write_text("no program\n")
        done = self.install()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Nothing was installed, because the build of two failed", done.stderr)
        self.assertFalse((self.folder / "prefix/bin/one").exists())


if __name__ == "__main__":
    unittest.main()
