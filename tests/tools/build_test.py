"""What a build must keep: the host alone configures, few objects are made twice of one source, the library has every name that programs import from it.

usage: build_test.py SOURCE BUILD            the test
       build_test.py SOURCE BUILD --write    stores the imports of this build's programs in imported_symbols.txt, after a wanted change
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
LIST = SOURCE / "tests/tools/imported_symbols.txt"
sys.path.insert(0, str(SOURCE / "tools/check"))
import build_times
import configurations

MOST_REPEATED = 35
PUBLIC = re.compile(r"^_Z(?:T[VIS]|Th\w*_)?N?K?(?:4sycl|5prism)")  # of namespaces sycl and prism, their vtables and type information
# Namespaces that tests of parts use and programs cannot.
PARTS = re.compile(r"5prism(?:6policy|6images|6tuning|6select|7devices|7support|7runtime|6memory|7observe)")


def symbols(file, *options):
    lines = subprocess.run(["nm", "-D", *options, file], capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line}


def imports():
    programs = [path for path in sorted((BUILD / "bin").iterdir()) if path.is_file() and os.access(path, os.X_OK)]
    names = set().union(*(symbols(path, "--undefined-only") for path in programs))
    return {name for name in names if PUBLIC.match(name) and not PARTS.search(name)} & symbols(BUILD / "lib/libprism.so", "--defined-only")


class other_names_of_the_backend_options(unittest.TestCase):
    """cmake/PrismBackendNames.cmake, run as a script."""

    def configured(self, *given):
        """Returns (exit status, the three backends' values, messages)."""
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "names.cmake"
            script.write_text(f"""include({SOURCE}/cmake/PrismBackendNames.cmake)
prism_backend_names()
foreach(backend HOST OPENCL VULKAN)
  if(NOT DEFINED PRISM_BACKEND_${{backend}})
    set(PRISM_BACKEND_${{backend}} ON)
  endif()
endforeach()
prism_needs_a_backend()
message(STATUS "backends ${{PRISM_BACKEND_HOST}} ${{PRISM_BACKEND_OPENCL}} ${{PRISM_BACKEND_VULKAN}}")
""")
            done = subprocess.run(["cmake", *(f"-D{option}" for option in given), "-P", script], capture_output=True, text=True)
            values = re.search(r"backends (\S+) (\S+) (\S+)", done.stdout)
            return done.returncode, values.groups() if values else None, " ".join(done.stderr.split())

    def test_select_backends_and_are_deprecated(self):
        for given, wanted in [
            ((), ("ON", "ON", "ON")),
            (("USE_CPU=ON", "USE_CUDA=OFF"), ("ON", "OFF", "OFF")),
            (("USE_CPU=OFF", "USE_OPENMP=ON"), ("ON", "ON", "ON")),
            (("USE_CUDA=ON", "USE_MPS=OFF"), ("ON", "ON", "ON")),
            (("USE_VULKAN=OFF", "PRISM_BACKEND_VULKAN=ON"), ("ON", "ON", "ON")),
        ]:
            with self.subTest(given=given):
                status, values, messages = self.configured(*given)
                self.assertEqual((status, values), (0, wanted), messages)
        self.assertIn("USE_CPU: use PRISM_BACKEND_HOST=OFF instead", self.configured("USE_CPU=OFF")[2])
        for name in ("USE_TRITON", "USE_FORMAL_VERIFIER"):
            self.assertIn(f"{name} has no effect", self.configured(f"{name}=ON")[2])
            self.assertEqual(self.configured(f"{name}=OFF")[2], "")

    def test_none_is_an_error_that_names_the_options(self):
        status, values, messages = self.configured("USE_CPU=OFF", "USE_OPENCL=OFF", "USE_VULKAN=OFF")
        self.assertNotEqual(status, 0)
        self.assertIn("PRISM needs at least one backend: set PRISM_BACKEND_HOST, PRISM_BACKEND_OPENCL or PRISM_BACKEND_VULKAN to ON", messages)


class Configurations(unittest.TestCase):
    def test_the_host_alone_configures_without_the_compiler(self):
        """The folders that need more must notice it themselves; `./prism check --all` builds and tests the result."""
        options = next(c.options for c in configurations.CONFIGURATIONS if c.name == "host-only")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_without_the_compiler_the_suites_run_on_devices_that_need_no_image(self):
        """A suite that another compiler built has no kernels for a driver: on its devices it would fail."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, *configurations.RUNTIME], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            listed = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
        selectors = {}
        for test in json.loads(listed.stdout)["tests"]:
            for one in test["properties"]:
                if test["name"].startswith("sycl.") and one["name"] == "ENVIRONMENT":
                    selectors[test["name"]] = dict(setting.split("=", 1) for setting in one["value"])["PRISM_DEVICE_SELECTOR"]
        self.assertGreater(len(selectors), 100)
        self.assertEqual({name: value for name, value in selectors.items() if value not in ("host", "null")}, {})

    def test_every_folder_of_tests_is_part_of_its_parents_build(self):
        """tests/CMakeLists.txt finds its own folders; a folder deeper down is named by the one above it."""
        for file in sorted((SOURCE / "tests").glob("*/*/**/CMakeLists.txt")):
            above = (file.parent.parent / "CMakeLists.txt").read_text()
            self.assertRegex(above, rf"(add_subdirectory|foreach)\([^)]*\b{file.parent.name}\b", f"no build contains {file.parent.relative_to(SOURCE)}")


class Build(unittest.TestCase):
    def test_few_objects_are_made_of_a_source_that_has_another(self):
        objects, repeated = build_times.repeated(BUILD / "compile_commands.json")
        self.assertGreater(objects, 100)
        self.assertLess(repeated, MOST_REPEATED, "make an object library of sources that several targets compile")

    def test_the_projects_compiler_gets_no_options_of_clang(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        wrong = [one["file"] for one in commands if "-mllvm" in one["command"] and "-D__PRISM_KERNELS__" not in one["command"]]
        self.assertEqual(wrong, [], "prism_plain_host_code is for programs of which prism++ compiles every source")

    def test_names_that_programs_import_from_the_library_remain(self):
        stored = set(LIST.read_text().split())
        self.assertGreater(len(stored), 300)
        lost = sorted(stored - symbols(BUILD / "lib/libprism.so", "--defined-only"))
        text = subprocess.run(["c++filt"], input="\n".join(lost), capture_output=True, text=True).stdout
        self.assertEqual(lost, [], f"programs built before need these; if that is wanted, record it in CHANGELOG.md; --write stores the new list:\n{text}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        LIST.write_text("\n".join(sorted(imports())) + "\n")
        print(f"{len(imports())} names")
    else:
        del sys.argv[1:3]
        unittest.main()
