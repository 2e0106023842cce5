"""The first line of a compiler's output for a common mistake names the program's line, and few lines follow: first_error_test.py PRISM++."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

DRIVER = pathlib.Path(sys.argv.pop(1)).resolve()
MOST_LINES = 13

BEGIN = "#include <sycl/sycl.hpp>\n#include <algorithm>\nint main() {\n  sycl::queue q;\n  sycl::buffer<int> b{sycl::range<1>(64)};\n  int* p = sycl::malloc_shared<int>(64, q);\n"
END = "  q.wait();\n}\n"


class FirstError(unittest.TestCase):
    def first(self, body, words, most=MOST_LINES):
        """The line of `body` that ends with // wrong must be the place of the first error, which holds the words."""
        text = BEGIN + body + END
        line = next(i for i, each in enumerate(text.split("\n"), 1) if each.endswith("// wrong"))
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "app.cpp").write_text(text)
            done = subprocess.run([str(DRIVER), "-c", "app.cpp"], cwd=folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        lines = done.stderr.rstrip().split("\n")
        self.assertRegex(lines[0], rf"^app\.cpp:{line}:\d+: error: ", done.stderr)
        self.assertIn(words, lines[0], done.stderr)
        self.assertLessEqual(len(lines), most, done.stderr)

    def right(self, body):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "app.cpp").write_text(BEGIN + body + END)
            done = subprocess.run([str(DRIVER), "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "app.cpp"], cwd=folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_nd_item_with_a_range(self):
        kernel = "[=](sycl::nd_item<1> it) { p[it.get_global_id(0)] = 1; }); // wrong\n"
        words = "the kernel takes a sycl::nd_item, but a sycl::range has no work-groups"
        self.first("  q.parallel_for(sycl::range<1>(64), " + kernel, words)
        self.first("  q.submit([&](sycl::handler& h) {\n    h.parallel_for<class x>(sycl::range<1>(64), " + kernel + "  });\n", words)
        self.first("  q.parallel_for(64, " + kernel, words)

    def test_an_item_or_id_with_an_nd_range(self):
        for parameter in ("sycl::item<1> i", "sycl::id<1> i"):
            self.first(f"  q.parallel_for(sycl::nd_range<1>(64, 8), [=]({parameter}) {{ p[i] = 1; }}); // wrong\n", "but is launched over a sycl::nd_range")

    def test_other_dimensions_than_those_of_the_range(self):
        words = "other dimensions than the range"
        self.first("  q.parallel_for(sycl::range<2>(8, 8), [=](sycl::item<1> i) { p[i] = 1; }); // wrong\n", words)
        self.first("  q.parallel_for(sycl::range<1>(8), [=](sycl::id<2> i) { p[i[0]] = 1; }); // wrong\n", words)
        self.first("  q.parallel_for(sycl::nd_range<2>({8, 8}, {1, 1}), [=](sycl::nd_item<3> i) { p[i.get_global_id(0)] = 1; }); // wrong\n", words)

    def test_parameters_that_no_work_item_is(self):
        self.first("  q.parallel_for(sycl::range<1>(8), [=](int* i) { p[0] = *i; }); // wrong\n", "the kernel cannot be called with a work-item of its launch")

    def test_a_kernel_without_a_reducer_for_its_reduction(self):
        self.first("  q.parallel_for(sycl::range<1>(8), sycl::reduction(p, sycl::plus<>()), [=](sycl::id<1> i) { p[i] = 1; }); // wrong\n",
                   "one reducer, by reference, for each reduction")
        self.first("  q.parallel_for(sycl::nd_range<1>(8, 8), sycl::reduction(p, sycl::plus<>()), [=](sycl::id<1> i, auto& sum) { sum += 1; }); // wrong\n",
                   "one reducer, by reference, for each reduction")

    def test_a_reduction_without_an_identity(self):
        reduction = "  auto op = [](int a, int b) { return a > b ? a : b; };\n  auto most = sycl::reduction(p, op);\n"
        self.first(reduction + "  q.parallel_for(sycl::range<1>(64), most, [=](sycl::id<1> i, auto& m) {\n    m.combine(m.identity()); // wrong\n  });\n",
                   "no identity is known for this reduction's operation and type", 40)
        self.first(reduction + "  q.parallel_for(sycl::range<1>(64), most, [=](sycl::id<1> i, auto& m) {\n    m += int(i[0]); // wrong\n  });\n",
                   "the reduction has another operation than sycl::plus: call combine(value)", 40)

    def test_a_standard_algorithm_that_recurses(self):
        self.first("  q.single_task([=] {\n    std::sort(p, p + 64); // wrong\n  });\n", "device code: recursion: 'void std::__introsort_loop", most=20)

    def test_kernels_that_are_right_pass_without_a_warning(self):
        self.right("""
  sycl::event e = q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { p[i] = 1; });
  q.parallel_for(64, [=](int i) { p[i] = 1; });
  q.parallel_for(64, e, [=](auto i) { p[i] = 1; });
  q.parallel_for({8, 8}, {e}, [=](sycl::item<2> i) { p[i.get_linear_id()] = 1; });
  q.parallel_for(sycl::range{2, 2, 2}, [=](auto i, sycl::kernel_handler) { p[i.get_linear_id()] = 1; });
  q.parallel_for(sycl::nd_range<2>({8, 8}, {4, 4}), std::vector<sycl::event>{e}, [=](auto i) { p[i.get_global_linear_id()] = 1; });
  auto sum = sycl::reduction(p, sycl::plus<>());
  q.parallel_for(sycl::range<1>(64), sum, [=](sycl::id<1> i, auto& s) { s += int(i[0]); });
  q.parallel_for(sycl::nd_range<1>(64, 8), sum, [=](sycl::nd_item<1>, auto& s) { s += 1; });
  q.submit([&](sycl::handler& h) { h.parallel_for(sycl::range<1>(64), [=](sycl::item<1, false> i) { p[i.get_id(0)] = 1; }); });
""")


if __name__ == "__main__":
    unittest.main(verbosity=1)
