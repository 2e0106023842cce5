"""find_package(prism) and add_sycl_to_target as projects use them: cmake_test.py BUILD.

One project has a program, a static and a shared library with kernels, plain C++ files, an interface library whose
include folder and definition the kernels need, both forms of target_link_libraries, and a second call for one target.
It is built with each generator, build type and compiler below, from the build tree and from an installed tree.
"""
import os
import pathlib
import shutil
import sys
import unittest

from installed import Installed, run

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

FILES = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(prism REQUIRED)
add_library(settings INTERFACE)
target_include_directories(settings INTERFACE settings)
target_compile_definitions(settings INTERFACE ANSWER=42)

add_library(fixed STATIC fixed.cpp plain.cpp)
target_link_libraries(fixed PUBLIC settings)
target_compile_features(fixed PRIVATE cxx_std_20)
add_sycl_to_target(TARGET fixed SOURCES fixed.cpp)

add_library(loaded SHARED ${CMAKE_CURRENT_SOURCE_DIR}/loaded.cpp)
add_sycl_to_target(TARGET loaded SOURCES loaded.cpp)

add_executable(user main.cpp first.cpp second.cpp)
add_sycl_to_target(TARGET user SOURCES first.cpp)
add_sycl_to_target(TARGET user SOURCES second.cpp)
target_link_libraries(user fixed loaded)

add_executable(whole whole.cpp)
add_sycl_to_target(TARGET whole)
""",
    "settings/offset.hpp": "constexpr int offset = 0;\n",
    "kernel.hpp": """
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/buffer.hpp>
#include <sycl/khr/split_headers/queue.hpp>
template <int Value> int on_device() {
  int result = 0;
  {
    sycl::buffer<int> out(&result, sycl::range<1>(1));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(out, h, sycl::write_only);
      h.single_task([=] { a[0] = Value; });
    });
  }
  return result;
}
""",
    "fixed.cpp": '#include "kernel.hpp"\n#include "offset.hpp"\n#include <concepts>\nint fixed() { return on_device<ANSWER + offset>(); }\n'
                 "static_assert(__cplusplus > 201703L);\n",
    "plain.cpp": "#if defined(__clang__) && !defined(ANSWER)\n#error\n#endif\nint plain() { return ANSWER; }\n",
    "loaded.cpp": '#include "kernel.hpp"\n#ifndef loaded_EXPORTS\n#error "not compiled as a part of the shared library"\n#endif\n'
                  "int loaded() { return on_device<43>(); }\n",
    "first.cpp": '#include "kernel.hpp"\nint first() { return on_device<44>(); }\n',
    "second.cpp": '#include "kernel.hpp"\nint second() { return on_device<45>(); }\n',
    "main.cpp": "#include <cstdio>\nint fixed(); int plain(); int loaded(); int first(); int second();\n"
                'int main() { std::printf("%d %d %d %d %d\\n", fixed(), plain(), loaded(), first(), second()); }\n',
    "whole.cpp": '#include "kernel.hpp"\n#include <cstdio>\nint main() { std::printf("%d\\n", on_device<46>()); }\n',
}


class Projects(Installed):
    build = BUILD

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = cls.root / "source"
        for name, text in FILES.items():
            (cls.source / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.source / name).write_text(text)

    def build_and_run(self, generator, *options, installed=True, configuration=None, programs=("user", "whole")):
        tree = self.root / self.id().rsplit(".", 1)[1]
        place = f"-DCMAKE_PREFIX_PATH={self.prefix}" if installed else f"-Dprism_DIR={BUILD}/cmake"
        done = run("cmake", "-G", generator, "-S", self.source, "-B", tree, place, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        choice = ["--config", configuration] if configuration else []
        done = run("cmake", "--build", tree, *choice)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in programs:
            ran = run(tree / (configuration or "") / name, env={**os.environ, "PRISM_DEVICE_SELECTOR": "host"})
            self.assertEqual((ran.returncode, ran.stdout), (0, {"user": "42 42 43 44 45\n", "whole": "46\n"}[name]), ran.stderr)
        done = run("cmake", "--build", tree, *choice)
        self.assertNotIn("Building", done.stdout, "a second build has work to do")

    def test_ninja_with_the_installed_tree_and_options_of_the_host_compiler_only(self):
        """Link-time optimisation, and warning options that clang does not have: prism++ ignores both. tests/tools/project_test.py builds with
        Ninja and the installed tree without them."""
        is_clang = "clang" in (shutil.which("c++") and os.path.realpath(shutil.which("c++")) or "")
        warnings = [] if is_clang else ["-DCMAKE_CXX_FLAGS=-Wall -Wduplicated-branches -Wno-restrict -Werror"]
        self.build_and_run("Ninja", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_BUILD_TYPE=Release", *warnings)

    def test_makefiles_without_a_build_type_and_with_the_build_tree(self):
        self.build_and_run("Unix Makefiles", installed=False)

    def test_several_configurations_in_one_tree(self):
        self.build_and_run("Ninja Multi-Config", configuration="Debug")

    @unittest.skipUnless(shutil.which("clang++-19"), "clang 19 is not installed")
    def test_clang_as_the_host_compiler_with_flags_of_the_user(self):
        self.build_and_run("Ninja", "-DCMAKE_CXX_COMPILER=clang++-19", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -flto",
                           "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld", "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld")

    @unittest.skipUnless((BUILD / "lib/libprism_operations.so").exists(), "the operations library was not built")
    def test_plain_programs_use_the_operations_library(self):
        source = self.root / "operations"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(prism REQUIRED COMPONENTS operations)
add_executable(product product.cpp)
target_link_libraries(product prism::operations)
""")
        (source / "product.cpp").write_text("""
#include <prism/blas.hpp>
#include <cstdio>
int main() {
  sycl::buffer<float> a{sycl::range<1>(6)}, c{sycl::range<1>(4)};
  { sycl::host_accessor all(a); for (int i = 0; i < 6; ++i) all[i] = float(i); }
  sycl::queue queue;
  const auto left = prism::row_major(a, 2, 3);
  prism::blas::gemm(queue, 1, left, left.transposed(), 0, prism::row_major(c, 2, 2));
  const sycl::host_accessor all(c);
  std::printf("%g %g %g %g\\n", all[0], all[1], all[2], all[3]);
}
""")
        for place in (f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-Dprism_DIR={BUILD}/cmake"):
            tree = source / f"b{len(place)}"
            done = run("cmake", "-G", "Ninja", "-S", source, "-B", tree, place)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run("cmake", "--build", tree)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            ran = run(tree / "product", env={**os.environ, "PRISM_DEVICE_SELECTOR": "host"})
            self.assertEqual((ran.returncode, ran.stdout), (0, "5 14 14 50\n"), ran.stderr)

    def configure_text(self, text):
        source = self.root / (self.id().rsplit(".", 1)[1] + "_source")
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\nfind_package(prism REQUIRED)\n" + text)
        done = run("cmake", "-G", "Ninja", "-S", source, "-B", source / "b", f"-Dprism_DIR={BUILD}/cmake")
        self.assertNotEqual(done.returncode, 0)
        return " ".join(done.stderr.split())

    def test_a_missing_target_is_named(self):
        self.assertIn("there is no target 'ghost'", self.configure_text("add_sycl_to_target(TARGET ghost SOURCES a.cpp)\n"))

    def test_sources_of_an_interface_library_are_refused(self):
        text = self.configure_text("add_library(empty INTERFACE)\nadd_sycl_to_target(TARGET empty SOURCES a.cpp)\n")
        self.assertIn("name the targets that compile these sources", text)

    def test_a_call_without_a_target_is_refused_with_an_example(self):
        self.assertIn("add_sycl_to_target(TARGET t SOURCES a.cpp)", self.configure_text("add_sycl_to_target(a.cpp)\n"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
