"""Which compilers build programs with the headers as ordinary C++17: compilers_test.py REPOSITORY BUILD [--write].

Each installed compiler of the list compiles and links one program, which runs on the host device, and the headers' tests of kernels
with groups, reductions and math. The table of docs/compilers.md must say the same of it. `--write` writes the table instead; compilers
that are not installed keep their rows.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

WRITES = "--write" in sys.argv and not sys.argv.remove("--write")
BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
PAGE = ROOT / "docs/compilers.md"
COMPILERS = [*(("clang", n, f"clang++-{n}") for n in range(14, 20)), *(("g++", n, f"g++-{n}") for n in range(10, 15))]
PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>
int main() {
  sycl::queue queue{sycl::property::queue::in_order()};
  std::vector<float> x(1000, 2.0f), y(1000, 1.0f);
  int sum = 0;
  {
    sycl::buffer<float> in(x), out(y);
    sycl::buffer<int> total(&sum, 1);
    queue.submit([&](sycl::handler& h) {
      sycl::accessor a(in, h, sycl::read_only);
      sycl::accessor b(out, h, sycl::read_write);
      sycl::local_accessor<float, 1> tile(100, h);
      h.parallel_for<class groups>(sycl::nd_range<1>(1000, 100), [=](sycl::nd_item<1> item) {
        const std::size_t own = item.get_local_id(0);
        tile[own] = a[item.get_global_id()] * sycl::native::exp10(0.0f) + sycl::exp10(0.0f);
        sycl::group_barrier(item.get_group());
        b[item.get_global_id()] += tile[99 - own];
      });
    });
    queue.submit([&](sycl::handler& h) {
      sycl::accessor b(out, h, sycl::read_only);
      h.parallel_for<class sum_up>(sycl::range<1>(1000), sycl::reduction(total, h, sycl::plus<int>()),
                                   [=](sycl::id<1> i, auto& s) { s += int(b[i]); });
    });
  }
  std::printf("%d\n", sum);
}
"""


def verdict(name):
    """What happens with one compiler: "" if all is right, else the first line that says what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "a.cpp")
        source.write_text(PROGRAM)
        done = subprocess.run([name, "-std=c++17", "-O1", "-Wall", "-I", str(ROOT / "runtime/include"), str(source), "-o", f"{folder}/a",
                               "-L", str(BUILD / "lib"), f"-Wl,-rpath,{BUILD / 'lib'}", "-lprism"], capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            return next((line for line in done.stderr.split("\n") if "error" in line or "warning" in line), "it fails")
        environment = {**os.environ, "PRISM_DEVICE_SELECTOR": "host", "PRISM_CACHE_DIR": f"{folder}/cache"}
        ran = subprocess.run([f"{folder}/a"], capture_output=True, text=True, env=environment)
        return "" if (ran.returncode, ran.stdout) == (0, "4000\n") else f"its program fails: {ran.stdout}{ran.stderr}"


def version(name):
    return subprocess.run([name, "-dumpfullversion" if name.startswith("g") else "--version"], capture_output=True,
                          text=True).stdout.split("\n")[0]


def rows():
    """{compiler: what the page says of it}"""
    return {f"{kind} {number}": text for kind, number, text in re.findall(r"^\| (clang|g\+\+) (\d+) \| (.*?) \|", PAGE.read_text(), re.M)}


class Compilers(unittest.TestCase):
    def test_each_installed_compiler_builds_programs_as_the_page_says(self):
        said, tried = rows(), 0
        for kind, number, name in COMPILERS:
            if not shutil.which(name):
                continue
            tried += 1
            with self.subTest(name):
                wrong = verdict(name)
                self.assertEqual(said[f"{kind} {number}"].split(" ")[0], "no" if wrong else "yes", wrong)
        if tried == 0:
            self.skipTest("none of the compilers is installed under a name with its version")

    def test_the_page_has_a_row_for_each_compiler(self):
        self.assertEqual(list(rows()), [f"{kind} {number}" for kind, number, _ in COMPILERS])


def write():
    said = rows()
    for kind, number, name in COMPILERS:
        if shutil.which(name):
            wrong = verdict(name)
            said[f"{kind} {number}"] = f"no ({wrong})" if wrong else "yes"
    table = "\n".join(f"| {compiler} | {text} |" for compiler, text in said.items())
    PAGE.write_text(re.sub(r"^\| clang 14 \|.*^\| g\+\+ 14 \|[^\n]*", lambda _: table, PAGE.read_text(), flags=re.M | re.S))


if __name__ == "__main__":
    write() if WRITES else unittest.main()
