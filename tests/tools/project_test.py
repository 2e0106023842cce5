"""What projects do with find_package(prism) and add_sycl_to_target: project_test.py BUILD.

Each test builds a small project against one installed tree: generated headers, imported targets, visibility, precompiled headers,
launchers, target properties, object libraries, exported libraries, pkg-config, and projects written for other SYCL compilers.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from installed import Installed, run

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
HOST = {"PRISM_DEVICE_SELECTOR": "host"}
BEGIN = "cmake_minimum_required(VERSION 3.20)\nproject(user LANGUAGES CXX)\nfind_package(prism REQUIRED)\n"
# The split header of queues has all that the kernels use and takes half the time of <sycl/sycl.hpp>. Kernel files begin with it, so that prism++
# precompiles it once for all projects with the same options.
HEADER = "#include <sycl/khr/split_headers/queue.hpp>\n"
# on_device(value): the value, by a kernel that the default device runs.
KERNEL = f"""
#pragma once
{HEADER}""" + """inline int on_device(int value) {
  int result = 0;
  {
    sycl::buffer<int> out(&result, sycl::range<1>(1));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(out, h, sycl::write_only);
      h.single_task([=] { a[0] = value; });
    });
  }
  return result;
}
"""
PRINT = HEADER + '#include "kernel.hpp"\n#include <cstdio>\nint main() { std::printf("%d\\n", on_device(42)); }\n'

CHECKED_AND_DEVICE = """a[0] = value;
#if defined(__PRISM_CHECK_ACCESS__)
    a[value] = 1;
#elif defined(__SYCL_DEVICE_ONLY__)
    a[0] = value + 1;
#endif
    (void)0"""


class Projects(Installed):
    build = BUILD

    def project(self, text, files, begin=BEGIN):
        """Writes a project; returns its folder."""
        folder = self.root / self.id().rsplit(".", 1)[1]
        files = {"kernel.hpp": KERNEL, **files, "CMakeLists.txt": begin + text}
        for name, body in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body)
        return folder

    def configure(self, folder, *options, prefix=None, status=0, tree="b", env=None):
        done = run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / tree, f"-DCMAKE_PREFIX_PATH={prefix or self.prefix}", *options, env=env)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return " ".join((done.stdout + done.stderr).split())

    def compile(self, folder, status=0, tree="b", env=None, verbose=False):
        done = run("cmake", "--build", folder / tree, *(["--verbose"] if verbose else []), env=env)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def prints(self, program, expected, env=HOST):
        done = run(program, env={**os.environ, **env})
        self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)
        return done

    def builds(self, text, files, expected="42\n", options=()):
        folder = self.project(text, files)
        self.configure(folder, *options)
        said = self.compile(folder)
        self.prints(folder / "b/app", expected)
        return folder, said

    def test_generated_headers_are_made_before_kernel_files_are_compiled(self):
        def made(name):
            return (f"add_custom_command(OUTPUT {name}.hpp COMMAND ${{CMAKE_COMMAND}} -E sleep 1 COMMAND ${{CMAKE_COMMAND}} -E copy ${{CMAKE_CURRENT_SOURCE_DIR}}/{name}.in"
                    f" {name}.hpp DEPENDS {name}.in)\n")
        self.builds(made("by_target") + made("in_sources") + made("of_library") + """
include_directories(${CMAKE_CURRENT_BINARY_DIR})
add_custom_target(header DEPENDS by_target.hpp)
add_library(other STATIC other.cpp ${CMAKE_CURRENT_BINARY_DIR}/of_library.hpp)
add_executable(app app.cpp)
target_sources(app PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/in_sources.hpp)
add_dependencies(app header)
target_link_libraries(app PRIVATE other)
add_sycl_to_target(TARGET app SOURCES app.cpp)
""", {"by_target.in": "constexpr int by_target = 40;\n", "in_sources.in": "constexpr int in_sources = 1;\n", "of_library.in": "constexpr int of_library = 1;\n",
      "other.cpp": "int other() { return 0; }\n",
      "app.cpp": '#include "by_target.hpp"\n#include "in_sources.hpp"\n#include "of_library.hpp"\n' + PRINT.replace("42", "by_target + in_sources + of_library")})

    def test_generated_sources_with_kernels_are_compiled_by_prism(self):
        self.builds("""
add_custom_command(OUTPUT made.cpp COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/app.in made.cpp DEPENDS app.in)
include_directories(${CMAKE_CURRENT_SOURCE_DIR})
add_executable(app made.cpp)
add_sycl_to_target(TARGET app SOURCES made.cpp)
""", {"app.in": "#ifndef __PRISM_COMPILER__\n#error\n#endif\n" + PRINT})

    def test_include_folders_of_imported_targets_are_system_folders(self):
        folder, _ = self.builds("""
add_library(outside INTERFACE IMPORTED)
set_property(TARGET outside PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/outside)
add_executable(app app.cpp)
target_link_libraries(app PRIVATE outside)
target_compile_options(app PRIVATE -Wall -Wextra -Werror)
add_sycl_to_target(TARGET app SOURCES app.cpp)
""", {"outside/warns.hpp": "inline int warns(int unused) { int unused_too; return 42; }\n", "app.cpp": "#include <warns.hpp>\n" + PRINT.replace("42", "warns(0)")})
        self.assertIn(f"-isystem {folder}/outside", (folder / "b/build.ninja").read_text())

    def test_hidden_visibility_holds_for_kernel_files(self):
        folder = self.project("""
add_library(shown SHARED lib.cpp)
add_library(hidden SHARED lib.cpp)
set_target_properties(hidden PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
add_sycl_to_target(TARGET shown SOURCES lib.cpp)
add_sycl_to_target(TARGET hidden SOURCES lib.cpp)
""", {"lib.cpp": HEADER + '#include "kernel.hpp"\nint from_the_library() { return on_device(42); }\n'})
        self.configure(folder)
        self.compile(folder)
        self.assertIn("from_the_library", run("nm", "-D", folder / "b/libshown.so").stdout)
        self.assertNotIn("from_the_library", run("nm", "-D", folder / "b/libhidden.so").stdout)

    def precompiled(self, *options):
        folder, said = self.builds("""
add_executable(app app.cpp plain.cpp)
target_precompile_headers(app PRIVATE <vector> first.hpp)
add_sycl_to_target(TARGET app SOURCES app.cpp)
""", {"first.hpp": "#pragma once\n#define ANSWER 41\n", "plain.cpp": "int plain() { return int(std::vector<int>(ANSWER - 40).size()); }\n",
      "app.cpp": "int plain();\n" + PRINT.replace("42", "ANSWER + plain()")}, options=options)
        self.assertNotIn("warning", said)

    def test_precompiled_headers_of_gcc_are_included_by_kernel_files(self):
        self.precompiled()

    @unittest.skipUnless(shutil.which("clang++-19"), "clang 19 is not installed")
    def test_precompiled_headers_of_clang_are_included_by_kernel_files(self):
        self.precompiled("-DCMAKE_CXX_COMPILER=clang++-19")

    def test_precompiled_headers_of_prism_are_used(self):
        self.precompiled(f"-DCMAKE_CXX_COMPILER={self.prefix}/bin/prism++")

    @unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
    def test_a_cache_of_objects_serves_kernel_files_until_the_plugin_changes(self):
        folder = self.project("add_executable(app app.cpp plain.cpp)\nadd_sycl_to_target(TARGET app SOURCES app.cpp)\n",
                              {"app.cpp": PRINT, "plain.cpp": "int plain() { return 1; }\n"})
        plugin = next(self.prefix.rglob("libprism-plugin.so"))
        for options in (["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"],
                        ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", f"-DCMAKE_CXX_COMPILER={self.prefix}/bin/prism++"]):
            with self.subTest(options=options):
                tree = f"b{len(options)}"
                env = {**os.environ, "CCACHE_DIR": str(folder / f"cache{len(options)}")}
                env.pop("CCACHE_DISABLE", None)
                self.configure(folder, *options, env=env, tree=tree)

                def hits_of_a_build():
                    run("cmake", "--build", folder / tree, "--target", "clean")
                    run("ccache", "--zero-stats", env=env)
                    self.compile(folder, tree=tree, env=env)
                    counts = dict(line.split("\t") for line in run("ccache", "--print-stats", env=env).stdout.splitlines())
                    return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])

                self.assertEqual(hits_of_a_build(), 0)
                self.assertEqual(hits_of_a_build(), 2)
                if len(options) == 1:
                    before = plugin.stat()
                    try:
                        os.utime(plugin, ns=(before.st_atime_ns, before.st_mtime_ns - 3_600_000_000_000))
                        self.assertEqual(hits_of_a_build(), 1, "the object of the kernel file is that of another plugin")
                    finally:
                        os.utime(plugin, ns=(before.st_atime_ns, before.st_mtime_ns))
                self.prints(folder / tree / "app", "42\n")

    def test_targets_and_checks_are_properties_of_the_target(self):
        text = """
add_executable(app app.cpp)
add_sycl_to_target(TARGET app SOURCES app.cpp)
set_target_properties(app PROPERTIES PRISM_TARGETS "opencl;vulkan")
add_executable(checked app.cpp)
add_sycl_to_target(TARGET checked SOURCES app.cpp)
set_target_properties(checked PROPERTIES PRISM_CHECK access)
add_executable(passes app.cpp)
add_sycl_to_target(TARGET passes SOURCES app.cpp)
set_target_properties(passes PROPERTIES PRISM_DEVICE_PASS ON PRISM_TARGETS host)
"""
        folder = self.project(text, {"app.cpp": PRINT})
        (folder / "kernel.hpp").write_text(KERNEL.replace("a[0] = value", CHECKED_AND_DEVICE))
        self.configure(folder)
        self.compile(folder)
        self.prints(folder / "b/passes", "43\n", HOST)
        done = run(folder / "b/app", env={**os.environ, **HOST})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("leave out host", done.stderr)
        done = self.prints(folder / "b/checked", "42\n", {**HOST, "PRISM_CHECK": "access"})
        self.assertIn("index 42 is outside of an accessor of 1 element", done.stderr)

    def test_targets_of_all_programs_are_a_variable_and_unknown_ones_are_refused(self):
        folder = self.project("add_executable(app app.cpp)\nadd_sycl_to_target(TARGET app SOURCES app.cpp)\n", {"app.cpp": PRINT})
        self.configure(folder, "-DPRISM_TARGETS=host")
        self.compile(folder)
        self.prints(folder / "b/app", "42\n")
        self.configure(folder, "-DPRISM_TARGETS=host;cuda")
        self.assertIn("unknown target 'cuda'; known are host, opencl, vulkan", self.compile(folder, status=1))

    def test_object_libraries_are_linked_under_their_own_name(self):
        self.builds("""
add_library(part OBJECT part.cpp)
add_sycl_to_target(TARGET part)
add_executable(app app.cpp)
target_link_libraries(app PRIVATE part)
add_executable(by_expression app.cpp $<TARGET_OBJECTS:part>)
target_link_libraries(by_expression PRIVATE prism::prism)
add_library(entry OBJECT app.cpp)
add_executable(only_linked $<TARGET_OBJECTS:part> $<TARGET_OBJECTS:entry>)
add_sycl_to_target(TARGET only_linked)
add_library(flags INTERFACE)
add_sycl_to_target(TARGET flags)
""", {"part.cpp": HEADER + '#include "kernel.hpp"\nint part() { return on_device(42); }\n',
      "app.cpp": '#include <cstdio>\nint part();\nint main() { std::printf("%d\\n", part()); }\n'})

    def test_properties_that_are_set_later_do_not_undo_the_choice_of_prism(self):
        self.builds("""
add_executable(app app.cpp)
add_sycl_to_target(TARGET app SOURCES app.cpp)
set_source_files_properties(app.cpp PROPERTIES COMPILE_OPTIONS -O1 COMPILE_DEFINITIONS ANSWER=42)
set_target_properties(app PROPERTIES UNITY_BUILD ON CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env")
""", {"app.cpp": "#ifndef __PRISM_COMPILER__\n#error\n#endif\n" + PRINT.replace("42", "ANSWER")})

    def test_an_exported_library_can_be_moved_and_its_users_find_the_headers(self):
        library = self.project("""
add_library(thing STATIC thing.cpp)
target_include_directories(thing INTERFACE $<INSTALL_INTERFACE:include>)
add_sycl_to_target(TARGET thing SOURCES thing.cpp)
install(TARGETS thing EXPORT thing)
install(FILES thing.hpp DESTINATION include)
install(EXPORT thing FILE thing-targets.cmake DESTINATION lib/cmake/thing)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/thing-config.cmake "include(CMakeFindDependencyMacro)\\nfind_dependency(prism)\\ninclude(\\${CMAKE_CURRENT_LIST_DIR}/thing-targets.cmake)\\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/thing-config.cmake DESTINATION lib/cmake/thing)
""", {"thing.hpp": "#include <sycl/khr/split_headers/queue.hpp>\nint thing(sycl::queue);\n",
      "thing.cpp": HEADER + '#include "thing.hpp"\n#include "kernel.hpp"\nSYCL_EXTERNAL int twice(int);\nint thing(sycl::queue) { return on_device(42); }\n'})
        self.configure(library)
        self.compile(library)
        self.assertEqual(run("cmake", "--install", library / "b", "--prefix", library / "first").returncode, 0)
        for file in (library / "first").rglob("*.cmake"):
            self.assertNotIn(str(self.root), file.read_text(), file)
        (library / "first").rename(library / "second")
        moved = self.root / "moved_prism"
        shutil.copytree(self.prefix, moved, symlinks=True)
        user = library / "user"
        user.mkdir()
        (user / "CMakeLists.txt").write_text(BEGIN.replace("find_package(prism", "find_package(thing") + "add_executable(app app.cpp)\ntarget_link_libraries(app thing)\n")
        (user / "app.cpp").write_text('#include <thing.hpp>\n#include <cstdio>\nint main() { std::printf("%d\\n", thing(sycl::queue())); }\n')
        self.configure(user, prefix=f"{moved};{library}/second")
        self.compile(user)
        self.prints(user / "b/app", "42\n")

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_pkg_config_names_the_compiler_and_links_its_objects(self):
        folder = self.project("", {"app.cpp": PRINT})
        pc = next(self.prefix.rglob("prism.pc")).parent
        env = {**os.environ, "PKG_CONFIG_PATH": str(pc)}

        def asked(*what):
            done = run("pkg-config", *what, "prism", env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.split()
        self.assertEqual(run(*asked("--variable=compiler"), *asked("--cflags"), "-c", "app.cpp", "-o", "app.o", cwd=folder).returncode, 0)
        library = asked("--variable=libdir")[0]
        done = run("c++", "app.o", "-o", "app", *asked("--libs"), f"-Wl,-rpath,{library}", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.prints(folder / "app", "42\n")

    @unittest.skipIf("PRISM_SANITIZE:STRING=\n" not in (BUILD / "CMakeCache.txt").read_text(), "the library has sanitizers of its own")
    def test_sanitized_programs_are_clean_on_every_device_with_the_installed_suppressions(self):
        folder = self.project("", {"app.cpp": PRINT.replace("int main() {", """static void lose() {
  int* volatile lost = new int[3];
  lost = nullptr;
}
int main(int count, char**) {
  if (count > 1) lose();
""")})
        done = run(self.prefix / "bin/prism++", "-O0", "-g", "-fsanitize=address", "app.cpp", "-o", "app", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        suppressions = self.prefix / "share/prism/sanitizers/lsan.supp"
        env = {**os.environ, "RUSTICL_ENABLE": "llvmpipe", "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0"}
        for selector in ("host", "opencl:name=Portable", "opencl:name=rusticl", "vulkan:name=llvmpipe"):
            with self.subTest(selector):
                env["PRISM_DEVICE_SELECTOR"] = selector
                done = run(folder / "app", env=env)
                if "matches no device" not in done.stderr:
                    self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
                    self.assertNotIn("Sanitizer", done.stderr)
                    done = run(folder / "app", "leaks", env=env)
                    self.assertIn("lose()", done.stderr, "a leak of the program itself")

    def others(self):
        return f"{self.prefix};{self.prefix}/share/prism/other-compilers"

    def test_a_project_for_adaptivecpp_configures_unchanged(self):
        for package, library in (("AdaptiveCpp", "AdaptiveCpp::acpp-rt"), ("hipSYCL", "hipSYCL::hipSYCL-rt"), ("OpenSYCL", "OpenSYCL::hipSYCL-rt")):
            folder = self.project(f"find_package({package} 0.9 CONFIG REQUIRED)\nadd_executable(app app.cpp)\ntarget_link_libraries(app PRIVATE {library})\n"
                                  "add_sycl_to_target(TARGET app SOURCES app.cpp)\n", {"app.cpp": PRINT}, begin=BEGIN.replace("find_package(prism REQUIRED)\n", ""))
            said = self.configure(folder, "-DACPP_TARGETS=cuda:sm_70", prefix=self.others(), tree=package)
            self.assertIn("ACPP_TARGETS=cuda:sm_70 has no effect with PRISM", said)
            if package != "AdaptiveCpp":
                continue  # the same file by another name: generating shows that its targets are there
            self.compile(folder, tree=package)
            self.prints(folder / package / "app", "42\n")

    def test_a_project_for_the_compiler_of_intel_configures_unchanged(self):
        folder = self.project("find_package(IntelSYCL REQUIRED)\nadd_executable(app app.cpp)\nadd_sycl_to_target(TARGET app SOURCES app.cpp)\n"
                              "if(TARGET IntelSYCL::SYCL_CXX)\n  add_executable(whole app.cpp)\n  target_link_libraries(whole PRIVATE IntelSYCL::SYCL_CXX)\n"
                              "  target_compile_options(whole PRIVATE -fsycl -fsycl-targets=spir64)\n  target_link_options(whole PRIVATE -fsycl)\nendif()\n",
                              {"app.cpp": PRINT}, begin=BEGIN.replace("find_package(prism REQUIRED)\n", ""))
        self.assertIn("configure with -DCMAKE_CXX_COMPILER=", self.configure(folder, prefix=self.others()))
        self.compile(folder)
        self.prints(folder / "b/app", "42\n")
        self.configure(folder, f"-DCMAKE_CXX_COMPILER={self.prefix}/bin/prism++", prefix=self.others(), tree="own")
        self.compile(folder, tree="own")
        self.prints(folder / "own/app", "42\n")
        self.prints(folder / "own/whole", "42\n")

    def test_the_installed_samples_are_a_project_and_find_their_files(self):
        samples = self.prefix / "share/prism/samples"
        self.configure(samples, tree=self.root / "samples")
        done = run("cmake", "--build", self.root / "samples", "--target", "08_choose_a_device")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # The jobs are parsed, not compiled: that takes half a minute, and the build has compiled the same files. Those whose commands have
        # the same options are parsed as one file, because PRISM's headers take most of the time.
        commands = run("ninja", "-C", self.root / "samples", "-t", "commands", "06_smith_waterman").stdout.splitlines()
        compiled = [each.rpartition(" -c ") for each in commands if " -c " in each]
        self.assertGreater(len(compiled), 6, commands)
        sources_of = {}
        for options, _, source in compiled:
            object_file = rf"\S+/{re.escape(pathlib.Path(source).name)}\.o\S*"
            sources_of.setdefault(re.sub(object_file, "OUTPUT", options), []).append(source)
        for options, sources in sources_of.items():
            (self.root / "samples/parsed.cpp").write_text("".join(f'#include "{source}"\n' for source in sources))
            done = run("sh", "-c", f"{options} -c parsed.cpp -fsyntax-only", cwd=self.root / "samples")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run(self.root / "samples/08_choose_a_device", cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no device fits", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1)
