"""Backends as plug-ins. Installs this build's parts into an empty folder, copies the template that came
with them, builds it there from installed files only, runs the conformance kit on it and programs on its device; then breaks it in
every way that must be refused by name."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=280, **more)


# The module that is broken in the way that BROKEN names: one object for all of them, because compiling it takes most of the time.
PROBES = {"throwing": 'throw std::runtime_error("bad mood");', "crashing": "std::abort();", "hanging": "for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));"}
CHANGES = [
    ("++counted.copies;", 'if (++counted.copies % 3 == 0 && breaks("lossy")) std::memset(bytes_of(c.to), 0, 1);'),
    ('b.name = "null";', 'b.name = "null"; if (breaks("future")) b.version = 99; if (breaks("duplicate")) b.name = "host";' + "".join(
        f' if (breaks("{name}")) {{ b.name = "{name}"; b.probe = []() -> probe_result {{ {body} return {{}}; }}; }}' for name, body in PROBES.items())),
    ("std::vector<std::unique_ptr<device>> all;", 'if (breaks("shut")) throw std::runtime_error("no network"); std::vector<std::unique_ptr<device>> all;'),
]


class Backend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.prefix = cls.root / "prefix"
        for part in ("runtime", "compiler", "kernels", "tools/prism-probe", "tools/prism-info", "tools/prism-tune", "tools/prism-pack", "tests/devices"):
            if not (BUILD / part / "cmake_install.cmake").exists():
                continue  # not built, because its libraries are not installed
            done = run("cmake", f"-DCMAKE_INSTALL_PREFIX={cls.prefix}", "-P", BUILD / part / "cmake_install.cmake")
            assert done.returncode == 0, done.stderr
        cls.sample = cls.root / "null"
        shutil.copytree(cls.prefix / "share/prism/backends/null", cls.sample)  # the installed template
        cls.build = cls.root / "build"
        done = run("cmake", "-S", cls.sample, "-B", cls.build, f"-DCMAKE_PREFIX_PATH={cls.prefix}", "-DCMAKE_BUILD_TYPE=Release")
        assert done.returncode == 0, done.stdout + done.stderr
        done = run("cmake", "--build", cls.build)
        assert done.returncode == 0, done.stdout + done.stderr
        os.chmod(cls.build, 0o755)
        os.chmod(cls.build / "null.so", 0o755)
        text = (cls.sample / "null_backend.cpp").read_text()
        for old, new in CHANGES:
            assert text.count(old) >= 1, old
            text = text.replace(old, new)
        cls.broken_object = cls.root / "broken.o"
        (cls.root / "broken.cpp").write_text("#include <cstdlib>\n#include <cstring>\n#include <thread>\n"
            "static bool breaks(const char* way) { const char* asked = std::getenv(\"BROKEN\"); return asked && std::strcmp(asked, way) == 0; }\n" + text)
        done = run("g++", "-std=c++20", "-fPIC", "-fvisibility=hidden", f"-I{cls.prefix}/include/prism-backend", "-c", cls.root / "broken.cpp", "-o", cls.broken_object)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def variables(self, folder, **more):
        return {**os.environ, "BROKEN": pathlib.Path(folder).name, "PRISM_BACKEND_PATH": str(folder), "PRISM_CACHE_DIR": str(self.root / "cache"), **more}

    def broken(self, name, *link_options):
        """A folder with the module that BROKEN=name breaks, or the link options."""
        folder = self.root / name
        folder.mkdir(mode=0o755)
        done = run("g++", "-shared", self.broken_object, *link_options, "-o", folder / "module.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        os.chmod(folder, 0o755)
        os.chmod(folder / "module.so", 0o755)
        return folder

    def nameless(self):
        """A list of symbols for the linker that hides the entry."""
        script = self.root / "nameless.map"
        script.write_text("{ local: *; };\n")
        return script

    def refusal(self, folder, name=None):
        """The reason for which both prism-info and the conformance kit reject a module."""
        done = run(self.prefix / "bin/prism-info", "--json", env=self.variables(folder, PRISM_PROBE_TIMEOUT_MS="5000"))
        report = json.loads(done.stdout)
        for refused in report["refused"]:
            if refused["name"].startswith(str(folder)):
                return refused["reason"]
        for backend in report["backends"]:
            if backend["name"] == name and backend["status"] != "usable":
                return backend["reason"]
        return "(taken)"

    def test_installed_programs_start_without_the_build_tree(self):
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        programs = sorted((self.prefix / "bin").iterdir())
        self.assertGreaterEqual(len(programs), 4, programs)
        for program in programs:
            said = run(program, "--help", env=environment)
            self.assertNotIn("loading shared libraries", said.stderr)
            self.assertIn(said.returncode, (0, 1, 2), f"{program}: {said.stderr}")

    def test_an_out_of_tree_backend_passes_the_conformance_kit(self):
        done = run(self.prefix / "bin/prism-conformance", self.build / "null.so", env=self.variables(""))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("device under test: null device", done.stdout)
        self.assertIn("PASSED", done.stdout)
        done = run("ctest", "--test-dir", self.build, "--output-on-failure")
        self.assertEqual(done.returncode, 0, "the sample's own tests:\n" + done.stdout)

    def test_the_kit_finds_a_backend_that_loses_a_copy(self):
        folder = self.broken("lossy")
        done = run(self.prefix / "bin/prism-conformance", folder / "module.so", env=self.variables("", BROKEN="lossy"))
        self.assertEqual(done.returncode, 1, done.stdout[-2000:])

    def test_the_backend_is_listed_and_its_device_selected_by_name(self):
        done = run(self.prefix / "bin/prism-info", env=self.variables(self.build))
        self.assertIn("null device", done.stdout)
        done = run(self.build / "overhead", env=self.variables(self.build, PRISM_DEVICE_SELECTOR="null", PRISM_NULL_REPORT="1"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("100000 kernels", done.stderr)
        self.assertIn("ns a kernel", done.stdout)

    def test_another_interface_version_is_refused_by_name(self):
        folder = self.broken("future")
        self.assertIn("version 99 of the device interface", self.refusal(folder))
        done = run(self.prefix / "bin/prism-conformance", folder / "module.so", env=self.variables("", BROKEN="future"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("version 99 of the device interface", done.stdout)

    def test_a_duplicate_name_is_refused(self):
        folder = self.broken("duplicate")
        self.assertIn("the name is taken", self.refusal(folder))

    def test_a_missing_symbol_is_refused(self):
        folder = self.broken("nameless", f"-Wl,--version-script={self.nameless()}")
        self.assertIn("prism_backend_entry", self.refusal(folder))

    def test_throwing_crashing_and_hanging_probes_are_rejected(self):
        for name, said in (("throwing", "bad mood"), ("crashing", "SIGABRT"), ("hanging", "5000 ms")):
            folder = self.broken(name)
            self.assertIn(said, self.refusal(folder, name))
            done = run(self.prefix / "bin/prism-info", env=self.variables(folder, PRISM_PROBE_TIMEOUT_MS="5000"))
            self.assertIn("host", done.stdout)

    def test_an_open_that_throws_does_not_affect_other_devices(self):
        folder = self.broken("shut")
        done = run(self.build / "overhead", env=self.variables(folder))
        self.assertIn("set PRISM_BACKEND_PATH", done.stderr, "the default device still exists")
        self.assertIn("no network", done.stderr)


if __name__ == "__main__":
    unittest.main()
