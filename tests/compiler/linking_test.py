"""Device code of several files: SYCL_EXTERNAL with every way of linking, kernels in libraries that are loaded and unloaded,
and link-time optimisation. linking_test.py PRISM++."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DRIVER = pathlib.Path(sys.argv.pop(1)).resolve()
if "PRISM_CACHE_DIR" in os.environ:  # a folder of its own, whose precompiled headers other tests do not displace
    os.environ["PRISM_CACHE_DIR"] += "/linking"
ROOT = pathlib.Path(__file__).resolve().parents[2]
LINKERS = DRIVER.parents[1] / "libexec/prism"
DEVICES = {"host": "host", "PoCL": "opencl:name=Portable", "lavapipe": "vulkan:name=llvmpipe"}
NO_DEVICE = 77

# The programs include two split headers, which have all that they use and take half the time of <sycl/sycl.hpp>.
SQUARE = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
static constexpr int table[4] = {0, 1, 4, 9};
namespace { int twice(int x) { return x * 2; } }
SYCL_EXTERNAL int offset(int);
SYCL_EXTERNAL int square(int x) { return x < 4 ? table[x & 3] + offset(x) : twice(x) * x / 2 + offset(x); }
struct shape {
  int side;
  SYCL_EXTERNAL int area() const;
};
int shape::area() const { return side * side; }
"""
OFFSET = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
SYCL_EXTERNAL int offset(int x) { return x & 1 ? 100 : 200; }
"""
# Two kernels in one file, of which one is built at link time; and a specialisation constant that only this file has.
SUM = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
SYCL_EXTERNAL int square(int);
struct shape {
  int side;
  SYCL_EXTERNAL int area() const;
};
constexpr sycl::specialization_id<int> extra{7};
template <class T> void in_template(sycl::queue& q, T* out) {
  q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { out[i] += square(int(i)); }).wait_and_throw();
}
int sum(sycl::queue& q) {
  sycl::buffer<int> data(8);
  int total = 0;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only);
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] = square(int(i)); });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    h.set_specialization_constant<extra>(1000);
    h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> it, sycl::kernel_handler k) {
      a[it.get_global_id()] += shape{int(it.get_local_id(0))}.area() + k.get_specialization_constant<extra>();
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] += 1; });
  });
  q.wait_and_throw();
  sycl::host_accessor result(data, sycl::read_only);
  for (int i = 0; i < 8; ++i) total += result[i];
  return total;
}
"""
# squares 0..49 = 140, offsets 4 * 300 = 1200, areas 2 * 14 = 28, constants 8000, ones 8
EXPECTED = str(140 + 1200 + 28 + 8000 + 8)
MAIN = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
#include <cstdio>
int sum(sycl::queue&);
int main() {
  sycl::device device;
  try { device = sycl::device(sycl::default_selector_v); } catch (const sycl::exception&) { return 77; }
  try {
    sycl::queue q(device);
    std::printf("%d\n", sum(q));
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
"""
# Ten kernels; and a large object with device code, as files with many kernels give.
TEN = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
SYCL_EXTERNAL int offset(int);
template <int> class kernel_of_ten;
template <int... N> void all(sycl::queue& q, sycl::buffer<int>& out, std::integer_sequence<int, N...>) {
  (q.submit([&](sycl::handler& h) {
    sycl::accessor a(out, h, sycl::read_write);
    h.single_task<kernel_of_ten<N>>([=] { a[0] += offset(N) + N; });
  }), ...);
}
int sum(sycl::queue& q) {
  int result = 0;
  sycl::buffer<int> out(&result, 1);
  all(q, out, std::make_integer_sequence<int, 10>());
  return sycl::host_accessor(out, sycl::read_only)[0];
}
"""
THRICE = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
SYCL_EXTERNAL int offset(int);
SYCL_EXTERNAL int thrice(int x) { return 3 * x + offset(x); }
"""
BOTH = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
SYCL_EXTERNAL int square(int);
SYCL_EXTERNAL int thrice(int);
int sum(sycl::queue& q) {
  int result = 0;
  {
    sycl::buffer<int> out(&result, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(out, h, sycl::write_only);
      h.single_task([=] { a[0] = square(3) + thrice(square(2) + square(1) - 101); });
    });
  }
  return result;
}
"""
LARGE = OFFSET + "extern const char padding[];\nconst char padding[3 << 20] = {1};\n"
PLUGIN_KERNEL = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
SYCL_EXTERNAL int offset(int);
extern "C" int run(sycl::queue* q) {
  int result = 0;
  sycl::buffer<int> out(&result, 1);
  q->submit([&](sycl::handler& h) {
    sycl::accessor a(out, h, sycl::write_only);
    h.single_task([=] { a[0] = offset(VALUE) + VALUE; });
  });
  return sycl::host_accessor(out, sycl::read_only)[0];
}
"""
LOADER = r"""
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/queue.hpp>
#include <cstdio>
#include <dlfcn.h>
int main(int count, char** names) {
  sycl::device device;
  try { device = sycl::device(sycl::default_selector_v); } catch (const sycl::exception&) { return 77; }
  sycl::queue q(device);
  for (int round = 0; round < 3; ++round)
    for (int i = 1; i < count; ++i) {
      void* library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
      if (!library) return std::puts(dlerror()), 1;
      std::printf("%d\n", reinterpret_cast<int (*)(sycl::queue*)>(dlsym(library, "run"))(&q));
      dlclose(library);
    }
}
"""


class Linking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.objects_folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.objects_folder.cleanup)
        cls.shared = pathlib.Path(cls.objects_folder.name)
        for name, text in (("square", SQUARE), ("offset", OFFSET), ("sum", SUM), ("main", MAIN)):
            (cls.shared / f"{name}.cpp").write_text(text)
            cls.compile(cls.shared, f"{name}.cpp", "-fPIC", "-c", "-o", f"{name}.o")

    @staticmethod
    def compile(folder, *arguments):
        done = subprocess.run([str(DRIVER), *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"prism++ {' '.join(arguments)}\n{done.stderr}")
        return done

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.objects = {name: str(self.shared / f"{name}.o") for name in ("square", "offset", "sum", "main")}

    def link(self, *arguments):
        return self.compile(self.folder, *arguments)

    def prints(self, expected, program="program", arguments=(), **more):
        for name, selector in DEVICES.items():
            environment = {**os.environ, "PRISM_DEVICE_SELECTOR": selector, "PRISM_CACHE_DIR": str(self.shared / "cache"), "LD_LIBRARY_PATH": str(self.folder), **more}
            done = subprocess.run([str(self.folder / program), *arguments], capture_output=True, text=True, env=environment)
            if done.returncode == NO_DEVICE and name != "host":
                print(f"skipped on {name}: its driver is not installed", file=sys.stderr)
                continue
            self.assertEqual((done.returncode, done.stdout), (0, expected), f"on {name}: {done.stderr}")

    def test_functions_of_other_objects(self):
        self.link(*self.objects.values(), "-o", "program")
        self.prints(EXPECTED + "\n")

    def test_functions_of_static_libraries_in_any_order_and_by_name(self):
        for library in ("square", "offset", "sum"):
            subprocess.run(["ar", "rcs", f"lib{library}.a", self.objects[library]], cwd=self.folder, check=True)
        self.link(self.objects["main"], "libsum.a", "-L.", "-lsquare", "-loffset", "-o", "program")
        self.prints(EXPECTED + "\n")

    def test_a_shared_library_with_all_its_device_code(self):
        self.link("-shared", self.objects["sum"], self.objects["square"], self.objects["offset"], "-o", "libsum.so")
        self.link(self.objects["main"], "-L.", "-lsum", "-o", "program")
        self.prints(EXPECTED + "\n")

    def test_functions_of_shared_libraries_by_name_and_by_file(self):
        self.link("-shared", self.objects["square"], self.objects["offset"], "-o", "libmath.so")
        subprocess.run(["strip", "libmath.so"], cwd=self.folder, check=True)
        for library in (["-L.", "-lmath"], [str(self.folder / "libmath.so")]):
            self.link(self.objects["sum"], *library, self.objects["main"], "-o", "program")
            self.prints(EXPECTED + "\n")

    def test_a_function_that_two_shared_libraries_have_is_taken_once(self):
        (self.folder / "thrice.cpp").write_text(THRICE)
        self.link("-fPIC", "-c", "thrice.cpp")
        self.link("-shared", self.objects["square"], self.objects["offset"], "-o", "libsquare.so")
        self.link("-shared", "thrice.o", self.objects["offset"], "-o", "libthrice.so")
        (self.folder / "both.cpp").write_text(BOTH)
        self.link("both.cpp", self.objects["main"], "-L.", "-lsquare", "-lthrice", "-o", "program")
        self.prints("921\n")
        self.link("both.cpp", self.objects["offset"], self.objects["main"], "-L.", "-lsquare", "-lthrice", "-o", "program")
        self.prints("921\n")

    def test_a_hidden_function_of_a_shared_library_is_an_error_of_the_link(self):
        (self.folder / "hidden.cpp").write_text(OFFSET.replace("SYCL_EXTERNAL int", '__attribute__((visibility("hidden"))) SYCL_EXTERNAL int'))
        self.link("-fPIC", "-shared", "hidden.cpp", self.objects["square"], "-o", "libmath.so")
        self.link(self.objects["sum"], self.objects["main"], "-L.", "-lmath", "-o", "program") # square calls it inside of the library
        self.prints(EXPECTED + "\n")
        (self.folder / "ten.cpp").write_text(TEN)
        done = subprocess.run([str(DRIVER), "ten.cpp", self.objects["main"], "-L.", "-lmath", "-o", "program"], cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("calls 'offset(int)', which is not defined in any object or library of this link", done.stderr)

    def test_sources_and_objects_in_one_command(self):
        (self.folder / "offset.cpp").write_text(OFFSET)
        self.link("offset.cpp", self.objects["sum"], self.objects["square"], self.objects["main"], "-o", "program")
        self.prints(EXPECTED + "\n")

    def test_link_time_optimisation(self):
        for kind in ("-flto", "-flto=thin"):
            for name, text in (("square", SQUARE), ("offset", OFFSET), ("sum", SUM)):
                (self.folder / f"{name}.cpp").write_text(text)
                self.link(kind, "-O2", "-c", f"{name}.cpp")
            self.link(kind, "-fuse-ld=lld", "-O2", "square.o", "offset.o", "sum.o", self.objects["main"], "-o", "program")
            self.prints(EXPECTED + "\n")

    def test_the_address_sanitizer_watches_device_code_of_several_files(self):
        for name, text in (("square", SQUARE), ("offset", OFFSET), ("sum", SUM), ("main", MAIN)):
            (self.folder / f"{name}.cpp").write_text(text)
            self.link("-O1", "-g", "-fsanitize=address", "-c", f"{name}.cpp")
        self.link("-fsanitize=address", "main.o", "sum.o", "square.o", "offset.o", "-o", "program")
        self.prints(EXPECTED + "\n", ASAN_OPTIONS="detect_leaks=0")

    def test_the_address_sanitizer_finds_a_kernel_that_was_built_when_linking(self):
        (self.folder / "index.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\nSYCL_EXTERNAL int index(int i) { return i + 1; }\n")
        (self.folder / "over.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <cstdlib>\nSYCL_EXTERNAL int index(int);\n"
            "int main(int count, char**) {\n  sycl::queue queue;\n  int* values = static_cast<int*>(std::malloc(128 * sizeof(int)));\n"
            "  queue.parallel_for<class beyond>(sycl::nd_range<1>(128 * count, 32), [=](sycl::nd_item<1> item) {\n"
            "    sycl::group_barrier(item.get_group());\n    values[index(int(item.get_global_id(0)))] = 1;\n  }).wait();\n  std::free(values);\n}\n")
        self.link("-O1", "-fsanitize=address", "over.cpp", "index.cpp", "-o", "program")
        done = subprocess.run([str(self.folder / "program")], capture_output=True, text=True, env={**os.environ, "PRISM_DEVICE_SELECTOR": "host"})
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("heap-buffer-overflow", done.stderr)
        self.assertRegex(done.stderr, r"prism\.group\.\S*beyond")

    def test_many_kernels_are_built_by_several_processes(self):
        for name, text in (("ten", TEN), ("large", LARGE)):
            (self.folder / f"{name}.cpp").write_text(text)
            self.link("-c", f"{name}.cpp")
        dumps = self.folder / "dumps"
        environment = {**os.environ, "PRISM_DUMP_IR": str(dumps)}
        subprocess.run([str(DRIVER), "ten.o", "large.o", self.objects["main"], "-o", "program"], cwd=self.folder, check=True, env=environment)
        first_ones = list(dumps.glob("prism_k0_*.shared.ll"))  # each process counts its kernels from 0
        self.assertEqual(len(first_ones), min(4, len(os.sched_getaffinity(0))))
        self.prints(str(45 + 5 * 300) + "\n")

    def test_a_program_for_another_processor_gets_kernels_for_that_processor(self):
        # No library for it is needed: what the kernels import stays undefined in a shared library.
        kernel = '#include "tests/compiler/text/kernel.hpp"\n__attribute__((annotate("prism.external"))) float twice(float);\n'
        (self.folder / "kernel.cpp").write_text(kernel + "void run(float* p) { submit<class doubled>([=] { p[id()] = twice(p[id()]); }); }\n")
        (self.folder / "twice.cpp").write_text('__attribute__((annotate("prism.external"))) float twice(float x) { return x + x; }\n')
        for machine, emulation, number in (("aarch64", "aarch64linux", 183), ("riscv64", "elf64lriscv", 243)):  # EM_AARCH64, EM_RISCV
            self.link(f"--target={machine}-linux-gnu", "-O2", "-fPIC", "-ffreestanding", "-nostdinc++", f"-I{ROOT}",
                      f"-I{ROOT}/tests/compiler/freestanding", f"-I{ROOT}/runtime/include", "-c", "kernel.cpp", "twice.cpp")
            for linker_options in (["-m", emulation], [f"-m{emulation}"]):
                subprocess.run([str(LINKERS / "ld.lld"), *linker_options, "-shared", "kernel.o", "twice.o", "-o", "kernel.so"],
                               cwd=self.folder, check=True)
                header = (self.folder / "kernel.so").read_bytes()
                self.assertEqual(int.from_bytes(header[18:20], "little"), number)
                self.assertIn(b"doubled", header)

    def test_a_function_that_nothing_defines_is_an_error_of_the_link_with_the_line_that_calls_it(self):
        done = subprocess.run([str(DRIVER), self.objects["main"], self.objects["sum"], self.objects["square"], "-o", "program"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("calls 'offset(int)', which is not defined in any object or library of this link", done.stderr)
        self.assertIn("square.cpp:7", done.stderr)

    def test_a_function_that_two_objects_define_is_an_error_of_the_link_with_its_name(self):
        done = subprocess.run([str(DRIVER), *self.objects.values(), self.objects["offset"], "-o", "program"], cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("'offset(int)': symbol multiply defined", done.stderr)
        self.assertNotIn("Stack dump", done.stderr)

    def test_a_function_of_another_file_without_the_mark_is_an_error_when_compiling(self):
        (self.folder / "unmarked.cpp").write_text(OFFSET.replace("SYCL_EXTERNAL int offset(int x) {", "int other(int);\nint offset(int x) {") +
                                                  "void f(sycl::queue& q, int* p) { q.single_task([=] { *p = other(1); }); }\n")
        done = subprocess.run([str(DRIVER), "-c", "unmarked.cpp"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a function of another file must be declared SYCL_EXTERNAL", done.stderr)

    def test_the_device_code_of_objects_does_not_reach_the_program(self):
        self.link(*self.objects.values(), "-o", "program")
        self.assertIn(b".prism_bc", (self.shared / "square.o").read_bytes())
        self.assertNotIn(b".prism_bc", (self.folder / "program").read_bytes())

    def test_kernels_of_libraries_that_are_loaded_and_unloaded_again(self):
        (self.folder / "kernel.cpp").write_text(PLUGIN_KERNEL)
        (self.folder / "loader.cpp").write_text(LOADER)
        for value in (1, 2):
            self.link("-fPIC", f"-DVALUE={value}", "-c", "kernel.cpp", "-o", f"kernel{value}.o")
            self.link("-shared", f"kernel{value}.o", self.objects["offset"], "-o", f"libkernel{value}.so")
        self.link("loader.cpp", "-o", "program", "-ldl")
        self.prints("101\n202\n" * 3, arguments=[str(self.folder / f"libkernel{value}.so") for value in (1, 2)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
