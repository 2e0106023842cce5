"""prism++ precompiles the headers that sources begin with: header_cache_test.py PRISM++."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

DRIVER = pathlib.Path(sys.argv.pop()).resolve()
PROGRAM = r"""// The answer.
#include <cstdio>
#include <sycl/sycl.hpp>
#include "answer.hpp"

int main() {
  sycl::queue queue;
  int* a = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { a[0] = ANSWER; }).wait();
  std::printf("%d\n", a[0]);
  sycl::free(a, queue);
}
"""
# Quick to compile: PRISM's header is here one of the test.
SMALL = r"""// The answer.
#include <cstdio>
#include <prism/of_mine.hpp>
#include "answer.hpp"

int main() {
  std::printf("%d\n", ANSWER);
}
"""
# Stands for clang and notes whether it reads a precompiled header.
CLANG = """#!/bin/sh
case "$*" in *c++-header*) echo makes >> {notes} ;; *-include-pch*) echo reads >> {notes} ;; *-fpass-plugin*) echo parses >> {notes} ;; esac
exec clang++-19 "$@"
"""


class Headers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache/headers"
        self.notes = self.folder / "notes"
        clang = self.folder / "clang++"
        clang.write_text(CLANG.format(notes=self.notes))
        clang.chmod(0o755)
        self.write("a.cpp", SMALL)
        self.write_header("")
        self.write("answer.hpp", "#pragma once\n#ifndef ANSWER\n#define ANSWER 42\n#endif\n")

    def write(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True, parents=True)
        (self.folder / name).write_text(text)

    def write_header(self, text, seconds=1):
        """The header that is precompiled; one that changed this second is not."""
        self.write("include/prism/of_mine.hpp", "#pragma once\n" + text)
        os.utime(self.folder / "include/prism/of_mine.hpp", (seconds, seconds))

    def environment(self, more):
        environment = {**os.environ, "PRISM_CACHE_DIR": str(self.folder / "cache"), "PRISM_CLANG": str(self.folder / "clang++"),
                       "PRISM_DEVICE_SELECTOR": "host", "PRISM_CACHE": "eager", **more}
        return {name: value for name, value in environment.items() if value is not None}

    def call(self, *arguments, status=0, **more):
        done = subprocess.run([DRIVER, "-Iinclude", *arguments], cwd=self.folder, capture_output=True, text=True, env=self.environment(more))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def recorded(self):
        text = self.notes.read_text().split() if self.notes.exists() else []
        self.notes.unlink(missing_ok=True)
        return text

    def answer(self, *arguments, **more):
        self.call("a.cpp", "-o", "a", *arguments, **more)
        return subprocess.run([self.folder / "a"], capture_output=True, text=True, env=self.environment(more)).stdout

    def test_the_second_compilation_with_the_same_options_precompiles_and_the_third_reads(self):
        for _ in range(3):
            self.assertEqual(self.answer(PRISM_CACHE=None), "42\n")
        self.assertEqual(self.recorded(), ["parses", "makes", "reads", "reads"])

    def test_the_program_and_the_list_of_dependencies_are_the_same(self):
        self.write("a.cpp", PROGRAM)
        self.call("-O1", "-c", "-MD", "a.cpp", "-o", "text.o", "--no-header-cache")
        self.call("-O1", "-c", "-MD", "a.cpp", "-o", "file.o", "-g")
        self.call("-O1", "-c", "-MD", "a.cpp", "-o", "file.o")
        self.assertEqual(self.recorded(), ["parses", "makes", "reads", "reads"])
        symbols = [sorted(line[17:] for line in subprocess.run(["nm", self.folder / name], capture_output=True, text=True).stdout.split("\n"))
                   for name in ("text.o", "file.o")]
        self.assertEqual(*symbols)
        files = [set((self.folder / name).read_text().replace("\\\n", " ").split()[1:]) for name in ("text.d", "file.d")]
        self.assertEqual({path for path in files[0] ^ files[1] if "tbb.h" not in path},
                         {path for path in files[1] if path.endswith("sycl/detail/precompiled_headers.hpp")})

    def test_both_passes_of_a_compilation_with_a_device_pass_read_their_own_file(self):
        self.write("answer.hpp", "#ifdef __SYCL_DEVICE_ONLY__\nint device_only();\n#endif\nenum { ANSWER = 45 };\n")
        for _ in range(2):
            self.assertEqual(self.answer("--device-pass"), "45\n")
        self.assertEqual(self.recorded(), ["makes", "reads"] * 2 + ["reads"] * 2)

    def test_the_header_of_the_standard_algorithms_is_precompiled(self):
        self.write("answer.hpp", "enum { ANSWER = 46 };\n")
        for _ in range(2):
            self.assertEqual(self.answer("--stdpar"), "46\n")
        self.assertEqual(self.recorded(), ["makes", "reads", "reads"])

    def test_definitions_and_changed_headers_are_seen(self):
        self.assertEqual(self.answer(), "42\n")
        self.write("answer.hpp", "#define ANSWER 43\n")
        self.assertEqual(self.answer(), "43\n")
        self.assertEqual(self.recorded(), ["makes", "reads", "reads"])
        self.write("answer.hpp", "")
        self.assertEqual(self.answer("-DANSWER=44"), "44\n")
        self.assertEqual(self.recorded(), ["makes", "reads"])

    def test_levels_that_define_the_same_macros_and_targets_share_a_file(self):
        self.write("answer.hpp", "#ifdef __OPTIMIZE__\n#ifdef __OPTIMIZE_SIZE__\nenum { ANSWER = 3 };\n#else\nenum { ANSWER = 2 };\n#endif\n#else\nenum { ANSWER = 1 };\n#endif\n")
        for options, answer in ((["-O1"], 2), (["-O3", "--targets=host", "-fno-vectorize"], 2), (["-O0"], 1), (["-Os"], 3)):
            self.assertEqual(self.answer(*options), f"{answer}\n")
        self.assertEqual(self.recorded(), ["makes", "reads", "reads", "makes", "reads", "makes", "reads"])

    def test_a_changed_header_of_the_precompiled_ones_makes_a_new_file(self):
        self.write("answer.hpp", "")
        self.write_header("#define ANSWER 1\n")
        self.assertEqual(self.answer(), "1\n")
        self.write_header("#define ANSWER 2\n", 2)
        self.assertEqual(self.answer(), "2\n")
        self.assertEqual(self.recorded(), ["makes", "reads", "makes", "reads"])

    def test_a_file_of_other_options_is_not_read(self):
        self.call("-fsyntax-only", "a.cpp")
        [inputs] = self.cache.glob("*.inputs")
        inputs.write_text("other options " + inputs.read_text())
        self.call("-fsyntax-only", "a.cpp")
        self.assertEqual(self.recorded(), ["makes", "reads"] * 2)

    def test_a_macro_before_the_first_header_and_options_of_the_user_leave_the_text(self):
        self.write("b.cpp", "#define ANSWER 42\n" + SMALL)
        self.call("-fsyntax-only", "b.cpp")
        self.call("-fsyntax-only", "a.cpp", "--no-header-cache")
        self.call("-fsyntax-only", "a.cpp", PRISM_CACHE="off")
        self.call("-fsyntax-only", "a.cpp", SOURCE_DATE_EPOCH="1")
        self.assertEqual(self.recorded(), ["parses"] * 4)
        self.assertFalse(list(self.cache.glob("*.pch")))

    def test_an_error_names_the_same_line_either_way(self):
        self.write("a.cpp", SMALL.replace("ANSWER", "answer"))
        said = [self.call("-c", "a.cpp", *options, status=1) for options in (["--no-header-cache"], [])]
        self.assertEqual(self.recorded(), ["parses", "makes", "reads"])
        self.assertIn("a.cpp:7:", said[0])
        self.assertEqual(*said)

    def test_a_header_that_may_be_read_twice_is_not_precompiled(self):
        self.write("include/prism/of_mine.hpp", "enum { twice };\n")
        self.call("-fsyntax-only", "a.cpp")
        self.assertEqual(self.recorded(), ["parses"])

    def test_a_header_that_changed_just_now_is_precompiled_later(self):
        self.write_header("", time.time() + 5)
        self.call("-fsyntax-only", "a.cpp")
        self.write_header("", 1)
        self.call("-fsyntax-only", "a.cpp")
        self.assertEqual(self.recorded(), ["makes", "parses", "makes", "reads"])

    def test_a_folder_that_cannot_be_used_leaves_the_text(self):
        self.write("cache/headers", "not a folder")
        self.call("-fsyntax-only", "a.cpp")
        (self.folder / "cache/headers").unlink()
        self.cache.mkdir()
        self.cache.chmod(0o777)
        self.call("-fsyntax-only", "a.cpp")
        self.call("-fsyntax-only", "a.cpp", PRISM_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=None)
        self.assertEqual(self.recorded(), ["parses"] * 3)

    def test_headers_that_cannot_be_precompiled_are_tried_once(self):
        self.write_header("#error no answer\n")
        for _ in range(2):
            self.assertIn("no answer", self.call("-fsyntax-only", "a.cpp", status=1))
        self.assertEqual(self.recorded(), ["makes", "parses", "parses"])

    def test_several_compilations_at_once_give_one_file_and_right_objects(self):
        running = [subprocess.Popen([DRIVER, "-Iinclude", "-c", "a.cpp", "-o", f"{i}.o"], cwd=self.folder, env=self.environment({})) for i in range(4)]
        self.assertEqual([each.wait() for each in running], [0] * 4)
        self.assertEqual(self.recorded().count("makes"), 1)
        self.call("0.o", "-o", "a")
        self.assertEqual([each.suffix for each in sorted(self.cache.iterdir())], [".inputs", ".pch", ".seen"])

    def test_files_that_nothing_used_for_a_while_make_room(self):
        self.cache.mkdir(parents=True, mode=0o700)
        for i in range(40):
            for ending in ("inputs", "pch", "seen"):
                self.write(f"cache/headers/{i}.{ending}", "old")
                os.utime(self.cache / f"{i}.{ending}", (1, 1))
        self.write("cache/headers/1.pch.77", "of a process that was ended")
        os.utime(self.cache / "1.pch.77", (1, 1))
        self.call("-fsyntax-only", "a.cpp")
        self.assertFalse((self.cache / "1.pch.77").exists())
        self.assertLess(len(list(self.cache.glob("*.pch"))), 25)
        self.assertEqual(self.recorded(), ["makes", "reads"])

    def test_a_file_in_a_full_folder_is_made_again_when_a_header_changes(self):
        self.call("-fsyntax-only", "a.cpp")
        for i in range(23):
            for ending in ("inputs", "pch", "seen"):
                self.write(f"cache/headers/{i}.{ending}", "new")
        self.write_header("#define ANSWER 43\n", 2)
        self.call("-fsyntax-only", "a.cpp")
        self.assertEqual(self.recorded(), ["makes", "reads"] * 2)

    def test_of_the_files_that_nothing_used_for_a_while_the_oldest_go(self):
        self.cache.mkdir(parents=True, mode=0o700)
        for i in range(24):
            for ending in ("inputs", "pch", "seen"):
                self.write(f"cache/headers/{i}.{ending}", "old")
                os.utime(self.cache / f"{i}.{ending}", (100 - i, 100 - i))
        self.call("-fsyntax-only", "a.cpp")
        self.assertEqual([i for i in range(24) if not (self.cache / f"{i}.pch").exists()], [23])


if __name__ == "__main__":
    if not shutil.which("clang++-19"):
        sys.exit("clang++-19 is needed")
    unittest.main(verbosity=1)
