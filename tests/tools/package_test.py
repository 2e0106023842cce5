"""Packages and the archive have the same bytes wherever they are built: a small project, with PRISM's own CMake files and scripts. And what
`./prism package --test` decides without a system.

usage: package_test.py ROOT
"""
import gzip
import hashlib
import importlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools/package"))
trying = importlib.import_module("try")

EPOCH = 1700000000
# Components and targets have the names that cmake/PrismPackage.cmake expects. A batch of files includes its files by their whole paths.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(prism VERSION 1.2.3 LANGUAGES CXX)
set(CMAKE_BUILD_TYPE Release)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(PRISM_LLVM_VERSION 19)
include(GNUInstallDirs)
include(@ROOT@/cmake/PrismPaths.cmake)
@PATHS@
add_library(prism SHARED a.cpp parts/b.cpp)
set_target_properties(prism PROPERTIES UNITY_BUILD ON VERSION 1.2.3 SOVERSION 1)
target_include_directories(prism PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
configure_file(made.hpp.in made.hpp)
add_executable(prism-info c.cpp)
add_executable(prism++ c.cpp)
target_link_libraries(prism-info PRIVATE prism)
install(TARGETS prism LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS prism-info COMPONENT tools)
install(TARGETS prism++ COMPONENT compiler)
install(DIRECTORY parts DESTINATION include COMPONENT dev)
install(FILES a.1 DESTINATION share/man/man1 COMPONENT tools)
set(PRISM_INSTALLED prism prism-info prism++)
include(@ROOT@/cmake/PrismPackage.cmake)
"""
FILES = {"a.cpp": '#include "parts/place.hpp"\n#include "made.hpp"\nconst char* a(int n) { return n ? place() : made(); }\n',
         "parts/b.cpp": "const char* b() { return __FILE__; }\n", "parts/place.hpp": "inline const char* place() { return __builtin_FILE(); }\n",
         "made.hpp.in": "inline const char* made() { return __FILE__; }\n", "a.1": ".TH A 1\n",
         "c.cpp": "#include <cstdio>\nint main() { std::puts(__FILE__); }\n", **{f"parts/{name}.hpp": f"// {name}\n" for name in "zkdqay"}}
ON_DEBIAN = subprocess.run(["sh", "-c", "command -v dpkg-shlibdeps && command -v cpack"], capture_output=True).returncode == 0


def run(*command, cwd=None, **environment):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def packed(folder, build, names, paths_left_out=True):
    """Writes the project, with its files in the order of `names`, builds it in folder/build and returns its packages: name -> bytes."""
    source = folder / "source"
    for name in names:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(FILES[name])
    text = PROJECT.replace("@ROOT@", str(ROOT)).replace("@PATHS@", "prism_leave_paths_out()" if paths_left_out else "")
    (source / "CMakeLists.txt").write_text(text)
    environment = {"SOURCE_DATE_EPOCH": str(EPOCH), "CCACHE_DISABLE": "1"}
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder / build, "-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_LIBDIR=lib",
        "-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib", **environment)
    run("cmake", "--build", folder / build, "--target", "prism_installed", **environment)
    for generator in ("DEB", "TGZ"):
        run("cpack", "--config", folder / build / "CPackConfig.cmake", "-G", generator, "-B", folder / "packed", **environment)
    return {path.name: path.read_bytes() for path in sorted((folder / "packed").iterdir()) if path.is_file()}


def parts_of_debian(data):
    """The members of a .deb, which is an ar archive: name -> (time, user, group, bytes)."""
    members, at = {}, 8
    while at < len(data):
        name, time, user, group, size = (data[at + a:at + b].decode().strip() for a, b in ((0, 16), (16, 28), (28, 34), (34, 40), (48, 58)))
        members[name.rstrip("/")] = (int(time), int(user), int(group), data[at + 60:at + 60 + int(size)])
        at += 60 + int(size) + int(size) % 2
    return members


def members_of(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(m, archive.extractfile(m).read() if m.isfile() else b"") for m in archive]


@unittest.skipUnless(ON_DEBIAN, "the packages are made on Debian, which has dpkg-shlibdeps, by cpack")
class SameBytes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folders = [tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)]
        for folder in cls.folders:
            cls.addClassCleanup(folder.cleanup)
        first, second = (pathlib.Path(folder.name) for folder in cls.folders)
        cls.one = packed(first, "build", sorted(FILES))
        cls.two = packed(second / "a folder/deeper", "source/other-build", sorted(FILES, reverse=True))

    def archives(self):
        """(name, members) of each archive of files in the packages."""
        for name, data in self.one.items():
            if name.endswith(".deb"):
                for part, (time, user, group, inside) in parts_of_debian(data).items():
                    self.assertEqual((time, user, group), (EPOCH, 0, 0), f"{name}: {part}")
                    if ".tar" in part:
                        yield f"{name}: {part}", members_of(inside)
            else:
                yield name, members_of(data)

    def test_in_folders_of_other_names_depths_and_file_systems(self):
        self.assertEqual(sorted(self.one), ["prism-1.2.3-Linux-" + os.uname().machine + ".tar.gz", *(
            f"prism-{each}_1.2.3_{run('dpkg', '--print-architecture').strip()}.deb" for each in ("compiler", "dev", "runtime", "tools"))])
        for name, data in self.one.items():
            self.assertEqual(hashlib.sha256(data).hexdigest(), hashlib.sha256(self.two[name]).hexdigest(), name)

    def test_members_are_sorted_and_have_one_time_and_no_user(self):
        for name, members in self.archives():
            names = [m.name.rstrip("/") for m, _ in members]
            if "control.tar" not in name:
                self.assertEqual(names, sorted(names), name)
            for member, _ in members:
                self.assertEqual((member.mtime, member.uid, member.gid), (EPOCH, 0, 0), f"{name}: {member.name}")
        gzipped = next(data for name, data in self.one.items() if name.endswith(".gz"))
        self.assertEqual(gzipped[4:8], bytes(4), "the time in the head of the archive")
        self.assertEqual(gzip.decompress(gzipped)[257:262], b"ustar")

    def test_no_file_has_a_path_of_the_build(self):
        for name, members in self.archives():
            for member, data in members:
                for path in (self.folders[0].name, "../parts"):
                    self.assertFalse(path.encode() in data, f"{name}: {member.name} has {path}")
        library = next(data for name, members in self.archives() for m, data in members if m.name.endswith("libprism.so.1.2.3"))
        for path in (b"parts/b.cpp", b"parts/place.hpp", b"made.hpp"):
            self.assertRegex(library, rb"\0" + re.escape(path) + rb"\0")

    def test_the_cache_of_the_loader_is_left_to_a_trigger(self):
        control = {name: {m.name: text for m, text in members} for name, members in self.archives() if "control.tar" in name}
        runtime = next(files for name, files in control.items() if name.startswith("prism-runtime"))
        self.assertIn(b"ldconfig", runtime["./triggers"])
        for name, files in control.items():
            self.assertFalse({"./postinst", "./postrm"} & set(files), f"{name} has a script")

    def test_each_override_of_lintian_has_a_reason(self):
        found = {}
        for name, members in self.archives():
            for member, text in members:
                if "/lintian/overrides/" in member.name and member.isfile():
                    package = member.name.split("/")[-1]
                    self.assertTrue(name.startswith(package + "_"), f"{member.name} is in {name}")
                    lines = text.decode().splitlines()
                    self.assertEqual([line[0] == "#" for line in lines], [True, False] * (len(lines) // 2), "a comment, then the tag")
                    self.assertTrue(all(line.startswith(package + ": ") for line in lines[1::2]), lines)
                    found[package] = len(lines) // 2
        self.assertEqual(found, {"prism-compiler": 2, "prism-dev": 1, "prism-runtime": 1})

    def test_the_size_of_a_package_is_the_sum_of_its_files_in_kib(self):
        for name, data in self.one.items():
            if name.endswith(".deb"):
                parts = parts_of_debian(data)
                stated = re.search(rb"^Installed-Size: (\d+)$", next(text for m, text in members_of(parts["control.tar.gz"][3]) if m.name == "./control"), re.M)
                sizes = [-(-len(text) // 1024) if m.isfile() else 1 for m, text in members_of(next(each[3] for part, each in parts.items() if "data" in part))]
                self.assertEqual(int(stated[1]), sum(sizes), name)


class Trying(unittest.TestCase):
    def test_the_newest_glibc_of_a_program_is_compared_as_numbers(self):
        text = "0 DF *UND* 0 (GLIBC_2.4) memset\n0 DF *UND* 0 (GLIBC_2.34) dlopen\n0 DF *UND* 0 (GLIBC_2.17) clock\n0 DF *UND* 0 (GLIBCXX_3.4.30) x\n"
        self.assertEqual(trying.glibc_of(text), (2, 34))
        self.assertEqual(trying.glibc_of(""), (0,))
        self.assertGreater(trying.glibc_of("(GLIBC_2.36)"), trying.MOST_GLIBC)
        self.assertLess(trying.glibc_of("(GLIBC_2.4)"), trying.MOST_GLIBC)

    def test_programs_are_those_of_the_documents(self):
        names = [(each.name, bool(re.search(form, text))) for (each, form), text in
                 zip(trying.programs_of(ROOT, True), ("llvmpipe: 7\n", "14 32\n32 77\ngemm float 2x3, 3x2, 2x2: prism\n"))]
        self.assertEqual(names, [("axpy", True), ("product", True)])
        self.assertEqual([each.name for each, _ in trying.programs_of(ROOT, False)], ["axpy"])

    def test_operations_are_packed_after_a_call_that_left_them_out(self):
        preset = next(each for each in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"] if each["name"] == "package")
        self.assertEqual(preset["cacheVariables"]["PRISM_KERNELS"], "ON", "or the build folder keeps the -DPRISM_KERNELS=OFF of that call")

    def test_a_system_that_is_not_there_is_named(self):
        done = subprocess.run([ROOT / "prism", "package", "--test", "Ubuntu=/no/ubuntu.tar"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no file /no/ubuntu.tar", done.stderr)


if __name__ == "__main__":
    unittest.main()
