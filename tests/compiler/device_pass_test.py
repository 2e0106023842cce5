"""Functions that have other code on a device: target queries, and prism++ --device-pass. device_pass_test.py PRISM++."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DRIVER = pathlib.Path(sys.argv.pop(1)).resolve()
if "PRISM_CACHE_DIR" in os.environ:  # a folder of its own, whose precompiled headers other tests do not displace
    os.environ["PRISM_CACHE_DIR"] += "/device_pass"
DEVICES = {"host": "host", "POCL": "opencl:name=Portable", "lavapipe": "vulkan:name=llvmpipe"}
NO_DEVICE = 77

# The host's code of both would be an error in a kernel: it throws and allocates.
BY_QUERY = r"""
inline int side() {
  int side = 0;
  __prism_if_target_device(side = 1;)
  __prism_if_target_host(static std::vector<int> calls; calls.push_back(1); if (calls.size() > 99) throw 1;)
  return side;
}
constexpr int known() { __prism_if_target_device(return 1;) return 0; }
static_assert(known() == 0);
"""
BY_MACRO = r"""
#ifdef __SYCL_DEVICE_ONLY__
#include "device.hpp"
#else
inline int side() { static std::vector<int> calls; calls.push_back(1); if (calls.size() > 99) throw 1; return 0; }
#endif
#if defined(__SYCL_DEVICE_ONLY__) == defined(__SYCL_SINGLE_SOURCE__)
#error "one of the two"
#endif
"""
# The programs include two split headers, which have all that they use and take half the time of <sycl/sycl.hpp>.
# Kernels of every form. Each writes 1 if it ran the device's code, and something that no other kernel writes.
KERNELS = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/usm.hpp>
#include <cstdio>
#include <vector>
%s
SYCL_EXTERNAL int other_side(int);
SYCL_EXTERNAL int own_side(int x) { return 10 * x + side(); }
static constexpr sycl::specialization_id<int> tens{0};
template <class T> void in_template(sycl::queue& q, int* p) {
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { p[i] = side() + 10 * int(sizeof(T)); });
}
struct functor {
  int* p;
  void operator()(sycl::nd_item<1> i) const { p[i.get_global_id(0)] = side() + 40; }
};
int main() {
  sycl::device device;
  try { device = sycl::device(sycl::default_selector_v); } catch (const sycl::exception&) { return 77; }
  sycl::queue q(device, sycl::property::queue::in_order{});
  int* p = sycl::malloc_shared<int>(64, q);
#ifdef __SYCL_DEVICE_ONLY__
  q.single_task([=] { p[63] = 5; }); // a lambda more than in the other pass
#endif
  q.single_task([=] { p[0] = side(); });
  q.parallel_for(sycl::range<2>(2, 2), [=](sycl::id<2> i) { p[4 + i[0] * 2 + i[1]] = side() + 10; });
  q.parallel_for(sycl::nd_range<1>(4, 4), functor{p + 8});
  in_template<char>(q, p + 12);
  in_template<double>(q, p + 16);
  q.submit([&](sycl::handler& h) {
    h.set_specialization_constant<tens>(70);
    h.single_task([=](sycl::kernel_handler k) { p[20] = side() + k.get_specialization_constant<tens>(); });
  });
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { p[24 + i] = other_side(int(i)); });
  q.single_task([=] { p[28] = own_side(6); });
  q.wait_and_throw();
  for (int i : {0, 4, 7, 8, 11, 12, 19, 20, 24, 27, 28}) std::printf("%%d ", p[i]);
  std::printf("host %%d\n", side() + own_side(3) + other_side(4));
}
"""
EXPECTED = "1 11 11 41 41 11 81 71 501 531 61 host 570\n"
OTHER = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/usm.hpp>
#include <vector>
%s
SYCL_EXTERNAL int other_side(int x) { return 500 + 10 * x + side(); }
"""
# A capture that finds its memory when the host copies it, as accessors of libraries do: its copy constructor is
# host code, which reads a thread_local.
CAPTURED = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/usm.hpp>
#include <cstdio>
thread_local int* memory_of_copies = nullptr;
class place {
public:
  place() = default;
%s
  int& operator[](std::size_t i) const { return m_memory[i]; }

private:
  int* m_memory = nullptr;
};
int main() {
  sycl::device device;
  try { device = sycl::device(sycl::default_selector_v); } catch (const sycl::exception&) { return 77; }
  sycl::queue q(device);
  int* p = sycl::malloc_shared<int>(4, q);
  const auto kernel = [=, to = place()](sycl::id<1> i) { to[i] = 7 + int(i); };
  memory_of_copies = p;
  const auto with_memory = kernel;
  memory_of_copies = nullptr;
  q.parallel_for(sycl::range<1>(4), with_memory).wait_and_throw();
  std::printf("%%d %%d\n", p[0], p[3]);
  sycl::free(p, q);
}
"""
COPY_BY_QUERY = """place(const place& other) : m_memory(other.m_memory) {
  __prism_if_target_host(if (m_memory == nullptr) m_memory = memory_of_copies;)
}"""
COPY_BY_MACRO = """#ifdef __SYCL_DEVICE_ONLY__
  place(const place&) = default;
#else
  place(const place& other) : m_memory(other.m_memory == nullptr ? memory_of_copies : other.m_memory) {}
#endif"""
# What goes wrong when the passes disagree.
DISAGREE = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/usm.hpp>
int main() {
  sycl::queue q;
  int b = 2;
  int* p = sycl::malloc_shared<int>(1, q);
#if !defined(__SYCL_DEVICE_ONLY__)
  q.single_task([=] { *p = b; }).wait();
#endif
}
"""
SAME_PLACE = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/usm.hpp>
#ifdef __SYCL_DEVICE_ONLY__
#define VALUE a
#else
#define VALUE b
#endif
int main() {
  sycl::queue q;
  int a = 1, b = 2;
  int* p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = VALUE; }).wait();
}
"""


class DevicePass(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "device.hpp").write_text("inline int side() { return 1; }\n")

    def compile(self, *arguments, **sources):
        for name, text in sources.items():
            (self.folder / f"{name}.cpp").write_text(text)
        return subprocess.run([DRIVER, *arguments], cwd=self.folder, capture_output=True, text=True)

    def runs_device_code(self, *options, way):
        self.prints(EXPECTED, *options, main=KERNELS % way, other=OTHER % way)

    def prints(self, expected, *options, **sources):
        done = self.compile(*options, *(f"{name}.cpp" for name in sources), "-o", "program", **sources)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        for name, selector in DEVICES.items():
            with self.subTest(device=name):
                ran = subprocess.run([self.folder / "program"], capture_output=True, text=True,
                                     env={**os.environ, "PRISM_DEVICE_SELECTOR": selector})
                if ran.returncode == NO_DEVICE:
                    self.skipTest(f"no device matches {selector}: its driver is not installed")
                self.assertEqual((ran.stdout, ran.stderr), (expected, ""))

    def test_kernels_of_every_form_take_the_branch_for_devices(self):
        self.runs_device_code("-O0", way=BY_QUERY)

    def test_kernels_have_the_code_of_the_pass_with_device_only(self):
        self.runs_device_code("--device-pass", "-O2", way=BY_MACRO)

    def test_a_capture_whose_copies_are_made_by_host_code(self):
        self.prints("7 10\n", "-O2", main=CAPTURED % COPY_BY_QUERY)
        self.prints("7 10\n", "--device-pass", "-O2", main=CAPTURED % COPY_BY_MACRO)

    def test_a_kernel_that_only_one_pass_has_is_an_error_with_its_name(self):
        done = self.compile("--device-pass", "-c", "a.cpp", a=DISAGREE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the kernel main (a.cpp:9) is only in the host's pass", done.stderr)
        self.assertFalse((self.folder / "a.o").exists())

    def test_kernels_that_capture_other_values_in_the_passes_are_errors(self):
        done = self.compile("--device-pass", "-c", "a.cpp", a=SAME_PLACE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the kernel main (a.cpp:13) captures other values", done.stderr)

    def test_dependencies_and_preprocessed_text_cover_both_passes(self):
        done = self.compile("--device-pass", "-c", "-MMD", "a.cpp", a="#include <vector>" + BY_MACRO.split("#if def")[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("device.hpp", (self.folder / "a.d").read_text())
        done = self.compile("--device-pass", "-E", "a.cpp")
        self.assertIn("static std::vector<int> calls;", done.stdout)
        self.assertIn("inline int side() { return 1; }", done.stdout)
        (self.folder / "a.ii").write_text(done.stdout)
        self.assertEqual(self.compile("-c", "a.ii").stderr, "")
        self.assertIn("needs the source of a.ii", self.compile("--device-pass", "-c", "a.ii").stderr)

    def test_an_error_of_the_first_pass_names_the_pass(self):
        done = self.compile("--device-pass", "-c", "a.cpp", a="#ifdef __SYCL_DEVICE_ONLY__\nint f() { return x; }\n#endif\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("this is the pass of a.cpp with __SYCL_DEVICE_ONLY__", done.stderr)


if __name__ == "__main__":
    unittest.main()
