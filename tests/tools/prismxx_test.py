"""prism++ as a compiler is used: every option that build systems and people use. prismxx_test.py PRISM++."""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

DRIVER = pathlib.Path(sys.argv.pop(1)).resolve()
if "PRISM_CACHE_DIR" in os.environ: # a folder of its own: these options, most used once, would displace the precompiled headers of other tests
    os.environ["PRISM_CACHE_DIR"] += "/prismxx"

# Most programs include the split header of queues, which has all that they use and takes half the time of <sycl/sycl.hpp>.
KERNEL = r"""
#include <sycl/khr/split_headers/queue.hpp>
int forty_two(sycl::queue& queue) {
  int result = 0;
  {
    sycl::buffer<int> out(&result, sycl::range<1>(1));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor a(out, handler, sycl::write_only);
      handler.single_task<class answer>([=] { a[0] = 42; });
    });
  }
  return result;
}
"""
MAIN = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <cstdio>
int forty_two(sycl::queue& queue);
int main() {
  try {
    sycl::queue queue;
    std::printf("%d\n", forty_two(queue));
  } catch (const sycl::exception& e) {
    std::printf("%s: %s\n", e.code() == sycl::errc::kernel_not_supported ? "kernel_not_supported" : "other", e.what());
    return 1;
  }
}
"""
# Host code in OpenMP and a kernel, with results that fast math may not change.
OPENMP = r"""
#include <sycl/khr/split_headers/queue.hpp>
#include <cstdio>
#if !defined(_OPENMP)
#error "the option was lost"
#endif
int main() {
  const int n = 1000;
  std::vector<float> data(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) data[i] = float(i);
  {
    sycl::queue queue;
    sycl::buffer<float> buffer(data);
    queue.submit([&](sycl::handler& h) {
      sycl::accessor a(buffer, h);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = a[i] * 2.0f + 1.0f; });
    });
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += data[i];
  std::printf("%d %d\n", int(sum), int(data[n - 1]));
}
"""
# Each kernel adds its number, which shows a missing, repeated or misnamed kernel.
MANY_KERNELS = r"""
#include <sycl/khr/split_headers/kernel_bundle.hpp>
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/usm.hpp>
#include <cstdio>
template <int N> struct adds;
template <int N> void add(sycl::queue& q, int* sum) { q.single_task<adds<N>>([=] { sum[0] += N; }); }
template <int First, int... N> void add_all(sycl::queue& q, int* sum, std::integer_sequence<int, N...>) { (add<First + N>(q, sum), ...); }
int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  int* sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  add_all<0>(q, sum, std::make_integer_sequence<int, 100>());
  add_all<100>(q, sum, std::make_integer_sequence<int, 100>());
  q.wait();
  std::printf("%d %d\n", *sum, int(sycl::get_kernel_ids().size()));
  sycl::free(sum, q);
}
"""
QUICK = "int one() { return 1; }\n"  # no header, so it compiles quickly


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cache = folder.name  # of all programs: the drivers are probed once
        # The objects of both files with the usual options, and their program. main.cpp has no kernel: tests of options that are about kernels link
        # its object.
        objects = tempfile.TemporaryDirectory()
        cls.addClassCleanup(objects.cleanup)
        cls.objects = pathlib.Path(objects.name)
        cls.write_sources(cls.objects)
        for command in (["-c", "kernel.cpp"], ["-c", "main.cpp"], ["kernel.o", "main.o", "-o", "ready"]):
            subprocess.run([str(DRIVER), *command], cwd=cls.objects, check=True)

    @staticmethod
    def write_sources(folder):
        for name, text in (("kernel.cpp", KERNEL), ("main.cpp", MAIN), ("quick.cpp", QUICK)):
            (folder / name).write_text(text)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write_sources(self.folder)
        for name in ("kernel.o", "main.o", "ready"):
            shutil.copy(self.objects / name, self.folder)

    def call(self, *arguments, status=0, text=None):
        done = subprocess.run([str(DRIVER), *arguments], cwd=self.folder, capture_output=True, text=True, input=text)
        self.assertEqual(done.returncode, status, f"prism++ {' '.join(arguments)}\n{done.stderr}")
        return done

    def run_program(self, name="a.out", selector="host", arguments=(), **more):
        environment = {**os.environ, "PRISM_DEVICE_SELECTOR": selector, "PRISM_CACHE_DIR": self.cache, **more}
        return subprocess.run([str(self.folder / name), *arguments], capture_output=True, text=True, env=environment)

    def prints_on_every_device(self, text):
        """On those whose driver is installed."""
        for selector in ("host", "opencl:name=Portable", "vulkan:name=llvmpipe"):
            done = self.run_program(selector=selector)
            if "matches no device" not in done.stderr:
                self.assertEqual(done.stdout, text, selector + done.stderr)

    def answers(self, name="a.out"):
        done = self.run_program(name)
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)

    def test_several_files_give_one_program_called_a_out(self):
        self.call("kernel.cpp", "main.cpp")
        self.answers()

    def test_objects_are_linked_in_a_separate_step(self):
        (self.folder / "kernel.o").unlink()
        self.call("-c", "kernel.cpp")
        (self.folder / "main.o").rename(self.folder / "other.o")
        self.call("kernel.o", "other.o", "-o", "program")
        self.answers("program")

    def test_a_shared_library_brings_its_kernels_along(self):
        self.call("-shared", "-fPIC", "kernel.cpp", "-o", "libkernel.so")
        self.call("main.o", "-L.", "-lkernel", "-Wl,-rpath,$ORIGIN", "-o", "program")
        self.answers("program")

    def test_a_static_library_brings_its_kernels_along(self):
        subprocess.run(["ar", "rcs", "libkernel.a", "kernel.o"], cwd=self.folder, check=True)
        self.call("main.o", "libkernel.a", "-o", "program")
        self.answers("program")

    def test_link_time_optimisation_keeps_the_kernels(self):
        self.call("-flto", "-fuse-ld=lld", "-O2", "kernel.cpp", "main.cpp", "-o", "program")
        self.answers("program")

    def test_dependencies_name_the_headers(self):
        self.call("-MD", "-MF", "deps.d", "-c", "kernel.cpp", "-o", "k.o")
        text = (self.folder / "deps.d").read_text()
        self.assertTrue(text.startswith("k.o:"), text[:80])
        self.assertIn("sycl/khr/split_headers/queue.hpp", text)
        self.call("-MD", "-c", "quick.cpp")
        self.assertIn("quick.cpp", (self.folder / "quick.d").read_text())
        self.assertIn("quick.cpp", self.call("-MM", "quick.cpp").stdout)

    def test_only_preprocessing_writes_text(self):
        self.assertIn("int one()", self.call("-E", "quick.cpp").stdout)

    def test_assembly_is_written_to_the_sources_folder(self):
        self.call("-S", "quick.cpp")
        self.assertIn("_Z3onev", (self.folder / "quick.s").read_text())

    def test_the_language_can_be_named(self):
        (self.folder / "quick.text").write_text(QUICK)
        self.call("-x", "c++", "-c", "quick.text", "-o", "quick.o")
        self.call("-x", "c++", "-c", "-", "-o", "standard_input.o", text=QUICK)
        self.assertTrue((self.folder / "standard_input.o").exists())

    def test_arguments_may_come_from_a_response_file(self):
        (self.folder / "arguments").write_text("-c quick.cpp -o from_file.o")
        self.call("@arguments")
        self.assertTrue((self.folder / "from_file.o").exists())

    def test_checking_the_syntax_alone_makes_no_file(self):
        self.call("-fsyntax-only", "quick.cpp")
        self.assertFalse((self.folder / "a.out").exists())

    def test_a_header_precompiled_without_the_access_check_is_refused_with_it(self):
        for made, used, refused in (([], ["--check=access"], True), (["--check=access"], [], True), (["--check=access"], ["--check=access"], False)):
            self.call(*made, "-x", "c++-header", "quick.cpp", "-o", "quick.pch")
            done = self.call(*used, "-include-pch", "quick.pch", "-fsyntax-only", "-x", "c++", "-", status=int(refused), text="")
            self.assertEqual("'__PRISM_CHECKS__' differs between the precompiled header" in done.stderr, refused, done.stderr)

    def test_optimisation_and_debug_information_pass_through(self):
        for options in (["-O0", "-g"], ["-Os"], ["-O3", "-march=native", "-DNDEBUG"]):
            self.call(*options, "kernel.cpp", "main.o", "-o", "program")
            self.answers("program")

    def test_fast_math_and_openmp_leave_kernels_right_on_every_device(self):
        (self.folder / "openmp.cpp").write_text(OPENMP)
        (self.folder / "omp.cpp").write_text("#include <omp.h>\n")
        if "'omp.h' file not found" in subprocess.run([str(DRIVER), "-fopenmp", "-fsyntax-only", "omp.cpp"], cwd=self.folder, capture_output=True, text=True).stderr:
            self.skipTest("clang finds no OpenMP (package libomp-19-dev)")
        for options in (["-O2", "-ffast-math", "-fopenmp"], ["-fsycl", "-qopenmp", "-O0"]):
            self.call(*options, "openmp.cpp")
            self.prints_on_every_device("1000000 1999\n")

    def test_a_file_of_two_hundred_kernels_has_them_all(self):
        (self.folder / "many.cpp").write_text(MANY_KERNELS)
        self.call("-O0", "many.cpp")
        self.assertEqual(self.run_program().stdout, "19900 200\n")

    def test_every_name_of_the_header_is_found(self):
        (self.folder / "old.cpp").write_text("#include <CL/sycl.hpp>\ncl::sycl::range<1> r(1);\n")
        (self.folder / "short.cpp").write_text("#include <sycl.hpp>\nsycl::range<1> r(1);\n")
        self.assertEqual(self.call("-fsyntax-only", "-Werror", "old.cpp").stderr.count("warning: <CL/sycl.hpp> and the namespace cl::sycl are deprecated"), 1)
        self.assertEqual(self.call("-fsyntax-only", "short.cpp").stderr, "")

    def test_the_address_sanitizer_reports_a_kernels_line(self):
        (self.folder / "over.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <cstdlib>\n"
            "int main(int count, char**) {\n  sycl::queue queue;\n  int* values = static_cast<int*>(std::malloc(100 * sizeof(int)));\n"
            "  queue.parallel_for(sycl::range<1>(100 + count), [=](sycl::id<1> i) {\n    values[i] = 1;\n  }).wait();\n  std::free(values);\n}\n")
        self.call("-O1", "-g", "-fsanitize=address", "over.cpp")
        done = self.run_program()
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("heap-buffer-overflow", done.stderr)
        self.assertRegex(done.stderr, r"over\.cpp:7")

    def test_a_captured_string_is_one_error_at_the_capture(self):
        (self.folder / "captured.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <string>\n#include <vector>\n"
            "struct functor {\n  std::vector<int> list;\n  void operator()() const {}\n};\n"
            "void run(sycl::queue& q, int* p, const std::string& text) {\n  const std::string own = text;\n"
            "  q.single_task([=] { p[0] = int(own.size()); }).wait();\n"
            "  q.parallel_for(sycl::nd_range<1>(8, 8), [=, copy = text](sycl::nd_item<1>) { p[0] = int(copy.size()); });\n"
            "  q.single_task(functor{});\n}\n")
        text = self.call("-c", "captured.cpp", status=1).stderr
        self.assertEqual(text.count("error:"), 3, text)
        for place, said in (("captured.cpp:10", "a kernel captures 'own' (std::string), which no device can hold"),
                            ("captured.cpp:11", "a kernel captures 'copy' (std::string), which no device can hold"),
                            ("captured.cpp:5", "a kernel captures 'list' (std::vector<int>), which no device can hold")):
            self.assertRegex(text, re.escape(place) + r":\d+: error: " + re.escape(said))
        self.assertNotIn("kernel_wrap.hpp", text)

    def test_standard_algorithms_run_on_the_device_and_refuse_captures_by_reference(self):
        (self.folder / "standard.cpp").write_text("#include <algorithm>\n#include <execution>\n#include <vector>\n#include <cstdio>\n"
            "int main() {\n  std::vector<int> v(1000, 20);\n  int more = 1;\n"
            "  std::for_each(std::execution::par_unseq, v.begin(), v.end(), [MORE](int& each) { each = 2 * each + more; });\n"
            "  std::printf(\"%d\\n\", v[999]);\n}\n")
        self.call("--stdpar", "-O1", "-DMORE=more", "standard.cpp")
        self.prints_on_every_device("41\n")
        self.call("--stdpar", "-O1", "-DMORE=more", "-fsanitize=address", "standard.cpp")
        self.assertEqual(self.run_program().stdout, "41\n")
        text = self.call("--stdpar", "-c", "-DMORE=&more", "standard.cpp", status=1).stderr
        self.assertRegex(text, r"standard\.cpp:8:\d+: error: a kernel captures 'more' by reference")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb_stops_in_a_kernel_with_groups_and_shows_the_work_item(self):
        (self.folder / "stops.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\nint main() {\n  sycl::queue queue;\n  sycl::buffer<int> out{sycl::range<1>(64)};\n"
            "  queue.submit([&](sycl::handler& h) {\n    sycl::accessor a(out, h, sycl::write_only, sycl::no_init);\n    sycl::local_accessor<int, 1> tile(16, h);\n"
            "    h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> item) {\n      const int mine = int(item.get_local_id(0));\n      tile[mine] = 100 + mine;\n"
            "      sycl::group_barrier(item.get_group());\n      const int other = tile[15 - mine];\n      a[item.get_global_id(0)] = other;\n    });\n  });\n}\n")
        self.call("-g", "-O0", "stops.cpp", "-o", "stops")
        commands = ["break stops.cpp:13 if mine == 5", "run", "print other", "print item.m_local_id", "print item.get_global_id(0)", "info locals", "backtrace 1"]
        done = subprocess.run(["gdb", "-q", "-nx", "-batch", *[part for each in commands for part in ("-ex", each)], str(self.folder / "stops")],
                              capture_output=True, text=True, timeout=120, env={**os.environ, "PRISM_DEVICE_SELECTOR": "host", "DEBUGINFOD_URLS": ""})
        self.assertRegex(done.stdout, r"Breakpoint 1(\.\d+)?, .*operator\(\)", done.stdout + done.stderr)
        self.assertIn("$1 = 110", done.stdout)
        self.assertRegex(done.stdout, r"\$2 = .*5")
        self.assertIn("mine = 5", done.stdout)
        self.assertIn("stops.cpp:13", done.stdout)
        if "Couldn't write extended state status" in done.stderr:
            self.skipTest("this gdb calls no function of a program on this processor (registers of AMX in a virtual machine)")
        self.assertRegex(done.stdout, r"\$3 = (5|21|37|53)\n")

    def test_a_program_for_the_debugger_computes_as_the_optimised_one(self):
        (self.folder / "groups.cpp").write_text("#include <sycl/khr/split_headers/atomic.hpp>\n#include <sycl/khr/split_headers/group_algorithms.hpp>\n#include <sycl/khr/split_headers/queue.hpp>\n#include <cstdio>\nint main() {\n  sycl::queue queue;\n  int sum = 0;\n  {\n"
            "    sycl::buffer<int> total(&sum, 1);\n    queue.submit([&](sycl::handler& h) {\n      sycl::accessor a(total, h);\n      int counter = 0;\n"
            "      h.parallel_for(sycl::nd_range<1>(256, 64), [=](sycl::nd_item<1> item) mutable {\n        ++counter;\n"
            "        const int all = sycl::reduce_over_group(item.get_group(), int(item.get_global_id(0)) + counter, sycl::plus<int>());\n"
            "        if (item.get_local_id(0) == 0) sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(a[0]) += all;\n"
            "      });\n    });\n  }\n  std::printf(\"%d\\n\", sum);\n}\n")
        for options in (["-g", "-O0"], ["-O2"]):
            self.call(*options, "groups.cpp")
            self.assertEqual(self.run_program().stdout, f"{255 * 128 + 256}\n", options)

    def test_an_unknown_level_of_messages_is_refused_by_name(self):
        done = self.run_program("ready", PRISM_LOG="nonsense")
        self.assertEqual(done.stdout, "42\n")
        self.assertEqual(done.stderr, 'prism: warn: PRISM_LOG="nonsense": unknown level; use off, error, warn, info, debug or trace\n')

    def test_a_refused_plug_in_is_named_in_the_programs_error(self):
        (self.folder / "plug-ins").mkdir(mode=0o755)
        (self.folder / "plug-ins" / "quantum.so").write_text("no library")
        for selector in ("quantum", "quantum:0", "host:77"):
            done = self.run_program("ready", selector=selector, PRISM_BACKEND_PATH=str(self.folder / "plug-ins"))
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, r"refused: \S*quantum\.so: .+", selector)

    # A work-group's function contains the kernel's body and has its name.
    def test_the_address_sanitizer_reports_a_work_groups_kernel(self):
        (self.folder / "group.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <cstdlib>\n"
            "int main(int count, char**) {\n  sycl::queue queue;\n  int* values = static_cast<int*>(std::malloc(127 * sizeof(int)));\n"
            "  queue.parallel_for<class beyond>(sycl::nd_range<1>(128 * count, 32), [=](sycl::nd_item<1> item) {\n"
            "    sycl::group_barrier(item.get_group());\n    values[item.get_global_id(0)] = 1;\n  }).wait();\n  std::free(values);\n}\n")
        for options in (["-O1"], ["-O2", "-g"]):
            self.call(*options, "-fsanitize=address", "group.cpp")
            done = self.run_program()
            self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("heap-buffer-overflow", done.stderr)
            self.assertRegex(done.stderr, r"#\d \S+ in prism\.group\.\S*beyond")
        self.assertRegex(done.stderr, r"group\.cpp:8", "with -g the report has the line")

    def test_the_thread_sanitizer_reports_a_work_groups_kernel(self):
        (self.folder / "race.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <sycl/khr/split_headers/usm.hpp>\n#include <atomic>\n#include <thread>\n"
            "int main() {\n  sycl::queue queue;\n  int* value = sycl::malloc_shared<int>(1, queue);\n  std::atomic<bool> written{false};\n"
            "  std::thread other([&] {\n    *value = 1;\n    written.store(true, std::memory_order_relaxed);\n  });\n"
            "  while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();\n" # orders nothing
            "  queue.parallel_for<class racing>(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {\n"
            "    sycl::group_barrier(item.get_group());\n    if (item.get_local_id(0) == 31) *value = 2;\n  }).wait();\n"
            "  other.join();\n  sycl::free(value, queue);\n}\n")
        self.call("-O1", "-fsanitize=thread", "race.cpp")
        done = self.run_program()
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"data race[^#]*#0 prism\.group\.\S*racing")

    def test_the_undefined_behaviour_sanitizer_reports_a_kernels_line(self):
        (self.folder / "sum.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <sycl/khr/split_headers/usm.hpp>\n#include <climits>\n"
            "int main(int count, char**) {\n  sycl::queue queue;\n  int* sum = sycl::malloc_shared<int>(1, queue);\n  *sum = INT_MAX;\n"
            "  queue.single_task([=] {\n    *sum += count;\n  }).wait();\n  sycl::free(sum, queue);\n}\n")
        self.call("-O1", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=all", "sum.cpp")
        done = self.run_program()
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"sum\.cpp:9.*signed integer overflow")

    def test_right_programs_run_under_the_sanitizers_on_every_device(self):
        self.call("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "kernel.cpp", "main.cpp")
        for selector in ("host", "opencl:name=Portable", "vulkan:name=llvmpipe"):
            done = self.run_program(selector=selector, ASAN_OPTIONS="detect_leaks=0")
            if "matches no device" in done.stdout:
                continue  # this driver is not installed
            self.assertEqual((done.returncode, done.stdout), (0, "42\n"), f"{selector}: {done.stdout}{done.stderr}")

    # They compare addresses, which a device may not have.
    def test_the_checks_of_the_undefined_behaviour_sanitizer_stay_on_the_host(self):
        (self.folder / "checked.cpp").write_text("#include <sycl/sycl.hpp>\n"
            "#include <cstdio>\n"
            "namespace oneapi = sycl::ext::oneapi;\n"
            "struct point { int x, y; };\n"
            "oneapi::experimental::device_global<point> corner(point{3, 4});\n"
            "oneapi::experimental::device_global<point> other(corner);\n"
            "int main() {\n"
            "  int sum = 0;\n"
            "  {\n"
            "    sycl::queue queue;\n"
            "    sycl::buffer<int> out(&sum, sycl::range<1>(1));\n"
            "    queue.submit([&](sycl::handler& h) {\n"
            "      sycl::accessor a(out, h, sycl::write_only);\n"
            "      h.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> item) {\n"
            "        auto& local = *oneapi::group_local_memory_for_overwrite<int[16]>(item.get_group());\n"
            "        const int i = int(item.get_local_id(0));\n"
            "        local[i] = i;\n"
            "        if (i == 0) other.get().x = 31;\n"
            "        sycl::group_barrier(item.get_group());\n"
            "        if (i == 0) a[0] = local[15 - i] - other.get().y + other.get().x;\n"
            "      });\n"
            "    });\n"
            "  }\n"
            "  std::printf(\"%d\\n\", sum);\n"
            "}\n")
        self.call("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "checked.cpp")
        for selector in ("host", "opencl:name=Portable", "vulkan:name=llvmpipe"):
            done = self.run_program(selector=selector, ASAN_OPTIONS="detect_leaks=0")
            if "matches no device" not in done.stdout + done.stderr:
                self.assertEqual((done.returncode, done.stdout), (0, "42\n"), f"{selector}: {done.stderr}")

    def test_loops_that_are_not_unrolled_compute_right_results(self):
        (self.folder / "places.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <sycl/ext/oneapi/free_function_queries.hpp>\n#include <cstdio>\n"
            "namespace places = sycl::ext::oneapi::experimental;\n"
            "int main() {\n  int found[24] = {};\n  {\n    sycl::queue queue;\n    sycl::buffer<int> out(found, sycl::range<1>(24));\n"
            "    queue.submit([&](sycl::handler& h) {\n      sycl::accessor a(out, h, sycl::write_only);\n"
            "      h.parallel_for(sycl::range<3>(2, 3, 4), [=](sycl::id<3>) {\n        const auto place = places::this_item<3>();\n"
            "        a[place.get_linear_id()] = int(100 * place.get_range(0) + 10 * place.get_range(1) + place.get_range(2));\n      });\n"
            "    });\n    queue.submit([&](sycl::handler& h) {\n      sycl::accessor a(out, h, sycl::read_write);\n"
            "      h.parallel_for(sycl::range<1>(24), [=](sycl::item<1>) { a[places::this_id<1>()] += int(1000 * places::this_item<1>().get_range(0)); });\n"
            "    });\n  }\n  int right = 0;\n  for (const int each : found) right += each == 24234;\n  std::printf(\"%d\\n\", right);\n}\n")
        for options in (["-O1"], ["-O2", "-fno-unroll-loops"]):
            self.call(*options, "places.cpp")
            for selector in ("host", "opencl:name=Portable", "vulkan:name=llvmpipe"):
                done = self.run_program(selector=selector)
                if "matches no device" not in done.stdout + done.stderr:
                    self.assertEqual((done.returncode, done.stdout), (0, "24\n"), f"{options} {selector}: {done.stderr}")

    # With overflow checks, each loop has a second exit from both loops.
    def test_nested_loops_with_several_exits_are_compiled(self):
        (self.folder / "nested.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\n#include <cstdio>\n"
            "int main() {\n  const int n = 6;\n  int found[64] = {};\n  {\n    sycl::queue queue;\n    sycl::buffer<int> out(found, sycl::range<1>(64));\n"
            "    queue.submit([&](sycl::handler& h) {\n      sycl::accessor a(out, h, sycl::read_write);\n"
            "      h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> at) {\n        int sum = 0;\n        for (int i = 0; i < n; ++i)\n"
            "          for (int j = 0; j < int(at[0]); ++j) sum += i * j == 6;\n        a[at] = sum;\n      });\n    });\n  }\n"
            "  std::printf(\"%d %d\\n\", found[4], found[63]);\n}\n")
        self.call("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", "nested.cpp")
        for selector in ("host", "opencl:name=Portable", "vulkan:name=llvmpipe"):
            done = self.run_program(selector=selector)
            if "matches no device" not in done.stdout + done.stderr:
                self.assertEqual((done.returncode, done.stdout), (0, "2 3\n"), f"{selector}: {done.stderr}")

    def test_an_unknown_option_is_named_by_clang(self):
        done = self.call("-fno-such-option", "-c", "quick.cpp", status=1)
        self.assertIn("-fno-such-option", done.stderr)

    def test_reproducible_programs_may_not_add_in_an_order_that_varies(self):
        (self.folder / "sums.cpp").write_text("#include <sycl/khr/split_headers/atomic.hpp>\n#include <sycl/khr/split_headers/group_algorithms.hpp>\n#include <sycl/khr/split_headers/queue.hpp>\nvoid f(sycl::queue& q, float* x, double* y) {\n  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) {\n"
            "    sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(*x) += 1.0f;\n"
            "    sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device>(*y).fetch_sub(1);\n"
            "    x[0] = sycl::reduce_over_group(it.get_sub_group(), x[it.get_global_id(0)], sycl::plus<>());\n  });\n}\n")
        said = self.call("--reproducible", "-fsyntax-only", "sums.cpp", status=1).stderr
        for line, kind in ((6, "float"), (7, "double")):
            self.assertRegex(said, rf"sums\.cpp:{line}:", f"the atomic sum of {kind} is refused at its line")
        self.assertIn("use sycl::reduction", said)
        self.assertIn("use the work-group", said)
        self.call("-fsyntax-only", "sums.cpp")

    def test_where_the_same_bits_are_asked_for_an_ordinary_program_computes_those_of_a_reproducible_one(self):
        (self.folder / "bits.cpp").write_text("#include <sycl/khr/split_headers/accessor.hpp>\n#include <sycl/khr/split_headers/queue.hpp>\n#include <sycl/khr/split_headers/reduction.hpp>\n#include <prism/reproducible.hpp>\n#include <cstdio>\n"
            "int main(int count, char**) {\n  sycl::property_list wanted;\n  if (count > 1) wanted = {prism::property::queue::reproducible()};\n"
            "  try {\n    sycl::queue queue(wanted);\n    sycl::buffer<float> sum{sycl::range<1>(1)};\n    queue.submit([&](sycl::handler& h) {\n"
            "      auto all = sycl::reduction(sum, h, sycl::plus<float>(), sycl::property::reduction::initialize_to_identity{});\n"
            "      h.parallel_for<class tenths>(sycl::range<1>(100000), all, [=](sycl::id<1> i, auto& s) { const float x = 1.0f / float(i[0] + 1); s += x * 0.7f + x; });\n    });\n"
            "    std::printf(\"%a\\n\", sycl::host_accessor(sum)[0]);\n  } catch (const sycl::exception& e) {\n"
            "    std::printf(\"%d %s\\n\", e.code() == sycl::errc::kernel_not_supported, e.what());\n  }\n}\n")
        self.call("bits.cpp", "-o", "ordinary")
        self.call("--reproducible", "bits.cpp", "-o", "same")
        self.call("-ffast-math", "bits.cpp", "-o", "fast")
        self.call("-march=x86-64-v3" if platform.machine() == "x86_64" else "-O1", "bits.cpp", "-o", "fused")

        def said(name, *arguments, **environment):
            return self.run_program(name, arguments=arguments, **environment).stdout

        expected = said("same")
        self.assertRegex(expected, "^0x")
        self.assertNotEqual(said("ordinary"), expected, "the usual order has other roundings")
        self.assertEqual(said("same", "queue", PRISM_REPRODUCIBLE="1"), expected)
        if platform.machine() == "x86_64":  # other processors have fused multiply-adds in the baseline
            self.assertEqual(said("ordinary", PRISM_REPRODUCIBLE="1"), expected)
            self.assertEqual(said("ordinary", "queue"), expected)
        self.assertRegex(said("fused", "queue"), "^1 .*the kernel tenths cannot have the same bits on every device, as the property reproducible of its queue asks: .*fused multiply-add")
        self.assertRegex(said("fast", PRISM_REPRODUCIBLE="1"), "^1 .*as PRISM_REPRODUCIBLE asks: it was compiled with -ffast-math")

    def test_a_missing_file_is_named(self):
        self.assertIn("absent.cpp", self.call("-c", "absent.cpp", status=1).stderr)

    def test_no_input_is_one_line_that_names_the_help(self):
        done = self.call(status=1)
        self.assertEqual(len(done.stderr.strip().split("\n")), 1)
        self.assertIn("--help", done.stderr)

    def test_unknown_targets_are_refused_with_the_known_ones(self):
        for option in ("--targets=cuda", "-fsycl-targets=ptx64"):
            done = self.call(option, "-c", "quick.cpp", status=1)
            self.assertIn("known are host, opencl, vulkan", done.stderr)
        self.call("--targets=", "-c", "quick.cpp", status=1)

    def test_response_files_hold_own_options_and_files_and_name_others(self):
        (self.folder / "says.cpp").write_text("#include <cstdio>\nint one();\nint main() { std::printf(\"%s %d\\n\", TEXT, one()); }\n")
        (self.folder / "inner").write_text("'-DTEXT=\\\"a b\\\"' quick.cpp\n")
        (self.folder / "outer").write_text("--targets=host\n-O1 @inner \"says.cpp\" -o program\n")
        self.call("@outer")
        self.assertEqual(subprocess.run(["./program"], cwd=self.folder, capture_output=True, text=True).stdout, "a b 1\n")
        (self.folder / "outer").write_text("--targets=moon\n@inner says.cpp\n")
        self.assertIn("unknown target 'moon'", self.call("@outer", status=1).stderr)

    def test_response_files_may_be_longer_than_a_command_line(self):
        (self.folder / "many").write_text("".join(f"-DNAME_{i}_{'x' * 80}\n" for i in range(30000)) + "-DLAST=1\n")
        (self.folder / "last.cpp").write_text("#if !LAST\n#error\n#endif\n")
        self.call("@many", "-fsyntax-only", "last.cpp")

    def test_a_response_file_that_names_itself_is_refused(self):
        (self.folder / "circle").write_text("-O1 @circle\n")
        self.assertIn("named by itself", self.call("@circle", "-c", "quick.cpp", status=1).stderr)
        self.assertIn("@absent", self.call("@absent", "-c", "quick.cpp", status=1).stderr)

    def test_an_object_that_another_linker_cannot_finish_says_why(self):
        (self.folder / "there.cpp").write_text("#include <sycl/khr/split_headers/queue.hpp>\nSYCL_EXTERNAL int twice(int n) { return 2 * n; }\n")
        (self.folder / "here.cpp").write_text(KERNEL.replace("int forty_two", "SYCL_EXTERNAL int twice(int n);\nint forty_two").replace("a[0] = 42", "a[0] = twice(21)"))
        for name in ("there", "here"):
            self.call("-c", f"{name}.cpp", "-o", f"{name}.o")
        library = DRIVER.parent.parent / "lib"
        command = ["c++", "there.o", "here.o", "main.o", "-o", "program", f"-L{library}", "-lprism", f"-Wl,-rpath,{library}"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("__prism_kernels_are_not_linked__link_with_prismxx_or_add_sycl_to_target", done.stderr)
        self.assertIn("here.o", done.stderr)
        linkers = next(DRIVER.parent.parent.glob("libexec/prism"))
        done = subprocess.run([*command, f"-B{linkers}", "-Wl,--gc-sections"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.answers("program")

    def test_options_that_ask_for_a_file_it_does_not_write_are_refused(self):
        done = self.call("-fsycl", "-fsycl-device-only", "quick.cpp", status=1)
        self.assertEqual(done.stderr.strip().split("\n"), ["prism++: error: '-fsycl-device-only' is not supported: device code is a part of the object; PRISM_DUMP_IR=folder writes it to files"])

    def test_a_clang_of_another_version_is_refused_by_version(self):
        for version, words in (("Debian clang version 14.0.6", "which is 'Debian clang version 14.0.6'"), ("g++ (Debian 12.2.0-14) 12.2.0", "which is 'g++ (Debian 12.2.0-14) 12.2.0'")):
            other = self.folder / "other-clang"
            other.write_text(f"#!/bin/sh\necho '{version}'\n")
            other.chmod(0o755)
            done = subprocess.run([str(DRIVER), "-c", "quick.cpp"], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "PRISM_CLANG": str(other)})
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertIn("was built for clang ", done.stderr)
            self.assertEqual(len(done.stderr.strip().split("\n")), 1)

    def test_an_unusable_compiler_is_named(self):
        done = subprocess.run([str(DRIVER), "-c", "quick.cpp"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "PRISM_CLANG": "/no/such/clang"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("PRISM_CLANG names '/no/such/clang'", done.stderr)
        self.assertEqual(len(done.stderr.strip().split("\n")), 1)

    def test_help_and_version(self):
        self.assertIn("--targets", self.call("--help").stdout)
        self.assertIn("SYCL 2020", self.call("--version").stdout)

    def test_query_options_of_clang_work(self):
        self.assertIn("libraries:", self.call("-print-search-dirs").stdout)
        self.assertIn("-fpass-plugin", self.call("-###", "quick.cpp").stderr)

    def test_a_device_without_its_target_is_refused_at_submission(self):
        self.call("--targets=host", "kernel.cpp", "main.o")
        self.answers()
        for selector in ("opencl", "vulkan"):
            done = self.run_program(selector=selector)
            if "matches no device" in done.stdout:
                continue
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("kernel_not_supported", done.stdout)
            self.assertIn("answer", done.stdout)
            self.assertIn("--targets", done.stdout)

    def test_the_host_device_is_refused_without_its_target(self):
        self.call("--targets=opencl,vulkan", "kernel.cpp", "main.o")
        done = self.run_program(selector="host")
        self.assertEqual(done.returncode, 1, done.stdout)
        for words in ("kernel_not_supported", "answer", "host", "leave out host; add host to --targets"):
            self.assertIn(words, done.stdout)
        ran = 0
        for selector in ("opencl:cpu", "vulkan"):
            done = self.run_program(selector=selector)
            if "matches no device" not in done.stdout:
                self.assertEqual(done.stdout, "42\n")
                ran += 1
        if ran == 0:
            self.skipTest("no OpenCL or Vulkan device")

    def test_targets_of_other_compilers_are_code_for_every_device(self):
        self.call("-fsycl", "-fsycl-targets=spir64", "kernel.cpp", "main.cpp")
        self.answers()
        done = self.call("-fsycl", "-fsycl-unnamed-lambda", "-fsycl-targets=nvptx64-nvidia-cuda", "-Xsycl-target-backend", "--cuda-gpu-arch=sm_60",
                         "kernel.cpp", "main.o")
        self.assertIn("prism++: warning: '-Xsycl-target-backend' is ignored", done.stderr)
        self.answers()


if __name__ == "__main__":
    unittest.main(verbosity=1)
