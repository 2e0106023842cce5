"""Which compilers build programs with the headers as ordinary C++17: compilers_test.py REPOSITORY BUILD [--root FOLDER]... [--write].

Each compiler of the list that is installed here, or in a Debian system in one of the folders (`./prism check --all compilers` makes
them), compiles and links one program, which runs on the host device. The table of docs/compilers.md must say the same of it. `--write`
writes the table instead; compilers that are nowhere keep their rows.

A system whose C library is older than the one that libprism was built with cannot link it: its objects are linked and run here.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

WRITES = "--write" in sys.argv and not sys.argv.remove("--write")
ROOTS = []
while "--root" in sys.argv:
    at = sys.argv.index("--root")
    ROOTS.append(pathlib.Path(sys.argv[at + 1]).resolve())
    del sys.argv[at:at + 2]
BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "tools/setup"))
import debian

PAGE = ROOT / "docs/compilers.md"
COMPILERS = [*(("clang", n, f"clang++-{n}") for n in range(14, 20)), *(("g++", n, f"g++-{n}") for n in range(10, 15))]
ROW = re.compile(r"^\| ((?:clang|g\+\+) \d+) \| (.*?) \| (.*?) \|", re.M)
PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>
int main() {
  sycl::queue queue{sycl::property::queue::in_order()};
  std::vector<float> x(1000, sycl::bit_cast<float>(0x40000000u)), y(1000, 1.0f);
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
#ifdef __clang__
        sycl::ext::oneapi::experimental::work_group_static<float> one, three;
#else
        sycl::ext::oneapi::experimental::work_group_static<float> one;
        sycl::ext::oneapi::experimental::work_group_static<float> three;
#endif
        if (own == 0) one = 1.0f, three = 3.0f;
        tile[own] = a[item.get_global_id()] * sycl::exp10(0.0f) + float(sycl::half(1.0f));
        sycl::group_barrier(item.get_group());
        b[item.get_global_id()] += tile[99 - own] + (one - three + 2.0f);
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


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


class place:
    """A system that may have compilers: this machine, or a Debian system in a folder."""

    def __init__(self, root=None):
        self.root = root
        self.links = not root or numbers(self.run(["getconf", "GNU_LIBC_VERSION"], "/tmp").stdout) >= numbers(os.confstr("CS_GNU_LIBC_VERSION"))
        facts = dict(re.findall(r'^(\w+)="?(.*?)"?$', pathlib.Path(root or "/", "etc/os-release").read_text(), re.M))
        self.name = f"{facts['NAME'].split()[0]} {facts.get('VERSION_ID', '')}".strip()

    def has(self, program):
        return (self.root / "usr/bin" / program).exists() if self.root else shutil.which(program)

    def run(self, words, folder):
        """Runs the command, which sees the tree, the build and the folder under their own paths."""
        if self.root:
            words = debian.command_in(self.root, shlex.join(words), {ROOT, BUILD, folder})
        return subprocess.run(words, capture_output=True, text=True)

    def paths_of_libraries(self, folder):
        """The linker's options for libprism. Another version of Debian may lack libraries that it needs: these are copied."""
        paths = ["-L", str(BUILD / "lib"), f"-Wl,-rpath,{BUILD / 'lib'}", "-lprism"]
        if not self.root:
            return paths
        copies = pathlib.Path(folder, "lib")
        copies.mkdir()
        needed = subprocess.run(["ldd", str(BUILD / "lib/libprism.so")], capture_output=True, text=True, check=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", needed, re.M):
            if not re.match(r"lib(c|m|gcc_s|stdc\+\+)\.so", name):
                shutil.copy(os.path.realpath(path), copies / name)
        return [*paths, f"-Wl,-rpath,{copies},--disable-new-dtags"]  # the older tag holds for libraries of libraries too


def verdict(where, name):
    """What happens with one compiler: "" if all is right, else the first line that says what is wrong."""
    with tempfile.TemporaryDirectory(prefix="prism-compilers-") as folder:
        pathlib.Path(folder, "a.cpp").write_text(PROGRAM)
        linking, linker = (where, name) if where.links else (place(), "c++")
        compiled = where.run([name, "-std=c++17", "-O1", "-Wall", "-I", str(ROOT / "runtime/include"), "-c", f"{folder}/a.cpp", "-o", f"{folder}/a.o"], folder)
        linked = linking.run([linker, f"{folder}/a.o", "-o", f"{folder}/a", *linking.paths_of_libraries(folder)], folder)
        for done in (compiled, linked):
            if done.returncode != 0 or done.stderr:
                return next((line for line in done.stderr.split("\n") if "error" in line or "warning" in line), f"it fails: {done.stderr}")
        said = says(linking, f"{folder}/a", folder)
        return "" if said == "4000\n" else f"its program fails: {said}"


def says(where, program, folder):
    """What the program prints on the host device, with its errors."""
    ran = where.run(["env", "PRISM_DEVICE_SELECTOR=host", f"PRISM_CACHE_DIR={folder}/cache", program], folder)
    return ran.stdout + ran.stderr + ("" if ran.returncode == 0 else f"exit status {ran.returncode}")


def tried():
    """(compiler, where, what is wrong) of each compiler that is somewhere."""
    places = [place(root) for root in (None, *ROOTS)]
    for kind, number, name in COMPILERS:
        for where in places:
            if where.has(name):
                yield f"{kind} {number}", where, verdict(where, name)


class Compilers(unittest.TestCase):
    def test_each_installed_compiler_builds_programs_as_the_page_says(self):
        said, count = {compiler: text for compiler, _, text in ROW.findall(PAGE.read_text())}, 0
        for compiler, where, wrong in tried():
            count += 1
            with self.subTest(compiler, where=where.name):
                self.assertEqual(said[compiler].split(" ")[0], "no" if wrong else "yes", wrong)
        if count == 0:
            self.skipTest("none of the compilers is installed under a name with its version")

    def test_objects_of_prismxx_are_linked_by_each_gcc(self):
        gcc = [(where, name) for where in map(place, (None, *ROOTS)) for kind, _, name in COMPILERS if kind == "g++" and where.has(name) and where.links]
        if not (BUILD / "bin/prism++").exists() or not gcc:
            self.skipTest("needs prism++ and a g++ under a name with its version")
        with tempfile.TemporaryDirectory(prefix="prism-compilers-") as folder:
            pathlib.Path(folder, "a.cpp").write_text(PROGRAM)
            subprocess.run([BUILD / "bin/prism++", "-O1", "-c", f"{folder}/a.cpp", "-o", f"{folder}/a.o"], check=True)
            for number, (where, name) in enumerate(gcc):
                with self.subTest(name, where=where.name):
                    own = pathlib.Path(folder, str(number))
                    own.mkdir()
                    linked = where.run([name, f"{folder}/a.o", "-o", f"{own}/a", *where.paths_of_libraries(own)], folder)
                    self.assertEqual(linked.stderr, "")
                    self.assertEqual(says(where, f"{own}/a", folder), "4000\n")

    def test_every_given_system_has_a_compiler_of_the_table(self):
        for root in ROOTS:
            self.assertTrue(any((root / "usr/bin" / name).exists() for _, _, name in COMPILERS), root)

    def test_the_page_has_a_row_for_each_compiler(self):
        self.assertEqual([compiler for compiler, _, _ in ROW.findall(PAGE.read_text())], [f"{kind} {number}" for kind, number, _ in COMPILERS])


def write():
    rows = {compiler: (debian_version, text) for compiler, debian_version, text in ROW.findall(PAGE.read_text())}
    for compiler, where, wrong in tried():
        rows[compiler] = (where.name, f"no ({wrong})" if wrong else "yes")
    table = "\n".join(f"| {compiler} | {debian_version} | {text} |" for compiler, (debian_version, text) in rows.items())
    PAGE.write_text(re.sub(r"^\| clang 14 \|.*^\| g\+\+ 14 \|[^\n]*", lambda _: table, PAGE.read_text(), flags=re.M | re.S))


if __name__ == "__main__":
    write() if WRITES else unittest.main()
