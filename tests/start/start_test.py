#!/usr/bin/env python3
"""The start of a program: only kernels that are used are built, independent of the number in the binary; PRISM_PREPARE builds the others;
kernel packs make the first start one without builds, and packs that do not fit are named and do no harm.
start_test.py BUILD"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = None
DEVICES = {"pocl": "opencl:name=Portable", "rusticl": "opencl:name=rusticl", "vulkan": "vulkan:name=llvmpipe"}


class Start(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = pathlib.Path(folder.name)

    def setUp(self):
        self.folder = self.shared / self._testMethodName
        self.folder.mkdir()
        # The same paths in each test, so that the drivers are probed once.
        self.programs = self.shared / "programs"
        self.forget_programs()
        for name in ("pocl", "mesa"):
            shutil.rmtree(self.shared / name, ignore_errors=True)
            (self.shared / name).mkdir()

    def forget_programs(self):
        """Empties the cache, except what the probes of the drivers found."""
        for file in self.programs.glob("*") if self.programs.exists() else []:
            if file.is_dir():
                shutil.rmtree(file)
            elif not file.name.startswith("probe-"):
                file.unlink()

    def environment(self, device, **more):
        more = {"PRISM_CACHE_DIR": str(self.programs), "PRISM_PACK": "off", "PRISM_LOG": "info", **more}
        selector = DEVICES.get(device, device)
        if "rusticl" in selector:  # only where it is used: its start takes longer than that of a program
            more["RUSTICL_ENABLE"] = "llvmpipe"
        # The drivers' own caches would hide builds.
        return dict(os.environ, PRISM_DEVICE_SELECTOR=selector, POCL_CACHE_DIR=str(self.shared / "pocl"),
                    MESA_SHADER_CACHE_DIR=str(self.shared / "mesa"), **more)

    def run_program(self, device, kernels, *arguments, program=None, **environment):
        """The spans of its trace, by kind, and its log in .log."""
        trace = self.folder / "trace.json"
        trace.unlink(missing_ok=True)
        done = subprocess.run([str(program or BUILD / f"bin/prism-start-{kernels}"), *map(str, arguments)],
                              env=self.environment(device, PRISM_TRACE=str(trace), **environment), capture_output=True, text=True, timeout=300)
        if "no device matches" in done.stderr or "matches no device" in done.stderr:
            self.skipTest(f"{device}: the driver is not installed")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
        spans = [e["name"] for e in self.events if e["cat"] == "build"]
        self.log = done.stderr
        self.builds = [s for s in spans if s.startswith("build ")]
        self.loads = [s for s in spans if s.startswith("load from the cache ")]
        self.assertEqual(len(self.builds) + len(self.loads), len(spans), spans)

    def pack(self, device, file, kernels, *arguments, options=()):
        done = subprocess.run([str(BUILD / "bin/prism-pack"), "make", *options, str(file), "--", str(BUILD / f"bin/prism-start-{kernels}"), *map(str, arguments)],
                              env=self.environment(device), capture_output=True, text=True, timeout=300)
        if "no device matches" in done.stderr or "matches no device" in done.stderr:
            self.skipTest(f"{device}: the driver is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def entries(self):
        return list(self.programs.glob("*.bin"))


class Caches(Start):
    def check(self, device):
        for kernels in (10, 100):
            self.forget_programs()
            self.run_program(device, kernels, 7)
            self.assertEqual((len(self.builds), self.loads, len(self.entries())), (1, [], 1), f"{kernels} kernels, the first start")
            self.run_program(device, kernels, 7)
            self.assertEqual((self.builds, len(self.loads), len(self.entries())), ([], 1, 1), f"{kernels} kernels, the second start")

    def test_an_eager_cache_has_a_program_of_pocl_at_once(self):
        self.run_program("pocl", 10, 7, PRISM_CACHE="eager")
        self.run_program("pocl", 10, 7)
        self.assertEqual((self.builds, len(self.loads), len(self.entries())), ([], 1, 1))

    def test_of_pocl_which_has_a_cache_of_its_own_the_eighth_start_stores_the_program(self):
        for start in range(1, 9):
            self.run_program("pocl", 100, 7)
            self.assertEqual((len(self.builds), self.loads, len(self.entries())), (1, [], 1 if start < 8 else 2), f"start {start}")
        self.run_program("pocl", 100, 7)
        self.assertEqual((self.builds, len(self.loads), len(self.entries())), ([], 1, 2))

    def test_only_used_kernels_are_built_of_10_and_100_on_rusticl(self):
        self.check("rusticl")

    def test_only_used_kernels_are_built_of_10_and_100_on_vulkan(self):
        self.check("vulkan")

    def test_the_host_device_builds_nothing(self):
        for kernels in (10, 100):
            self.run_program("host", kernels)
            self.assertEqual(self.loads, [])
            self.assertEqual(self.entries(), [])


class Prepare(Start):
    def test_threads_build_all_kernels_concurrently_before_the_process_ends(self):
        for device in DEVICES:
            with self.subTest(device):
                self.forget_programs()
                self.run_program(device, 10, 3, PRISM_PREPARE="wait")
                self.assertEqual(len(self.builds), 10)
                self.assertEqual(len(self.entries()), 10)
                submitting = {e["tid"] for e in self.events if e["cat"] == "submit"}
                prepared = [e for e in self.events if e["name"].startswith("build ") and e["tid"] not in submitting]
                self.assertGreaterEqual(len(prepared), 9, "all except the launched kernel, which the launch may build")
                if os.cpu_count() != 1 and device != "vulkan":  # a build on lavapipe takes 0.1 ms
                    prepared.sort(key=lambda e: e["ts"])
                    self.assertTrue([1 for first, second in zip(prepared, prepared[1:]) if second["ts"] < first["ts"] + first["dur"]], "builds overlap")
                self.run_program(device, 10)
                self.assertEqual((self.builds, len(self.loads)), ([], 10))

    def test_ending_during_preparation_is_harmless(self):
        for device in DEVICES:
            with self.subTest(device):
                self.run_program(device, 100, 3, PRISM_PREPARE="1")
                self.assertTrue(self.entries())

    def test_a_failed_background_build_is_repeated_at_the_launch(self):
        self.run_program("pocl", 10, PRISM_PREPARE="wait", PRISM_WRAP="fault(build=2)")
        self.assertEqual(len(self.entries()), 10)

    def test_an_unknown_value_is_reported_and_ignored(self):
        self.run_program("vulkan", 10, 3, PRISM_PREPARE="all")
        self.assertIn('PRISM_PREPARE="all" is not understood', self.log)
        self.assertEqual(len(self.builds), 1)


class Packs(Start):
    def check_first_start(self, device):
        file = self.folder / "p.prismpack"
        self.assertRegex(self.pack(device, file, 10, 0), "10 kernels, [0-9]+ bytes")
        self.run_program(device, 10, PRISM_PACK=str(file), PRISM_CACHE="off")
        self.assertEqual((self.builds, len(self.loads)), ([], 10))

    def test_the_first_start_with_a_pack_builds_nothing_on_pocl(self):
        self.check_first_start("pocl")

    def test_the_first_start_with_a_pack_builds_nothing_on_rusticl(self):
        self.check_first_start("rusticl")

    def test_the_first_start_with_a_pack_builds_nothing_on_vulkan(self):
        self.check_first_start("vulkan")

    def test_a_pack_in_the_programs_folder_is_found(self):
        program = self.folder / "program"
        shutil.copy(BUILD / "bin/prism-start-10", program)
        self.pack("vulkan", self.folder / "program.prismpack", 10)
        environment = {"PRISM_PACK": "", "LD_LIBRARY_PATH": str(BUILD / "lib"), "PRISM_CACHE": "off"}
        self.run_program("vulkan", 10, program=program, **environment)
        self.assertEqual((self.builds, len(self.loads)), ([], 10))

    def test_one_pack_serves_several_devices_and_programs(self):
        first, second = self.folder / "1.prismpack", self.folder / "2.prismpack"
        self.pack("vulkan;opencl:name=rusticl", first, 10)
        self.pack("vulkan", second, 100, 20, 22, options=["--used"])
        for device in ("vulkan", "rusticl"):
            self.run_program(device, 10, PRISM_PACK=f"{second}:{first}", PRISM_CACHE="off")
            self.assertEqual((self.builds, len(self.loads)), ([], 10), device)
        self.run_program("vulkan", 100, 20, 23, PRISM_PACK=f"{second}:{first}", PRISM_CACHE="off")
        self.assertEqual((len(self.builds), len(self.loads)), (1, 2))
        self.assertRegex(self.log, r"2\.prismpack has no prism_\w*adds_22_ of this build of the program: it is built")

    def test_a_pack_for_another_device_is_named_and_kernels_are_built(self):
        file = self.folder / "p.prismpack"
        self.pack("rusticl", file, 10)
        self.run_program("vulkan", 10, PRISM_PACK=str(file), PRISM_CACHE="off")
        self.assertEqual((len(self.builds), self.loads), (10, []))
        self.assertEqual(len(re.findall(r"p\.prismpack was made for opencl/.*rusticl.*, not for .*llvmpipe", self.log)), 1, self.log)

    def check_refused(self, file, reason):
        self.run_program("vulkan", 10, 0, 3, PRISM_PACK=str(file), PRISM_CACHE="off", PRISM_LOG="warn")
        self.assertEqual((len(self.builds), self.loads), (3, []))
        lines = [line for line in self.log.splitlines() if "is not used" in line]
        self.assertEqual(len(lines), 1, self.log)
        self.assertIn(f"the kernel pack {file} is not used: {reason}", lines[0])

    def test_a_file_that_is_no_pack_is_refused_with_the_reason(self):
        file = self.folder / "p.prismpack"
        self.run_program("vulkan", 10, 0, 3, PRISM_PACK=str(file), PRISM_CACHE="off", PRISM_LOG="warn")
        self.assertEqual((len(self.builds), self.loads), (3, []))
        self.assertIn(f'PRISM_PACK: there is no file "{file}"', self.log)
        for content in (b"", b"PRISM", b"words\n" * 100):
            file.write_bytes(content)
            self.check_refused(file, "it is not a kernel pack")
        file.unlink()
        os.mkfifo(file, 0o600)
        self.check_refused(file, "it is not a file")  # opening it must not wait for a writer
        self.check_refused(self.folder, "it is not a file")

    def test_another_version_and_damage_of_header_and_table_are_refused(self):
        file, whole = self.folder / "p.prismpack", self.folder / "whole"
        self.pack("vulkan", whole, 10)
        good = whole.read_bytes()
        other = bytearray(good)
        other[8] += 1
        file.write_bytes(other)
        self.check_refused(file, "it has version 2, this runtime reads 1")
        for size in (33, 300, len(good) - 1):
            file.write_bytes(good[:size])
            self.check_refused(file, "it is damaged")
        for at in (12, 16, 24, 32, 60, 32 + 10 * 40 - 1):
            flipped = bytearray(good)
            flipped[at] ^= 0x10
            file.write_bytes(flipped)
            self.check_refused(file, "it is damaged")

    def test_a_flipped_bit_anywhere_is_found_by_the_tool(self):
        file = self.folder / "p.prismpack"
        self.pack("vulkan", file, 10)
        good = file.read_bytes()
        table = 32 + 10 * 40
        for at in [*range(table), *range(table, len(good), 97)]:
            flipped = bytearray(good)
            flipped[at] ^= 1 << at % 8
            file.write_bytes(flipped)
            done = subprocess.run([str(BUILD / "bin/prism-pack"), "check", str(file)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2 if at < table else 1, f"byte {at}: {done.stdout}{done.stderr}")

    def test_a_damaged_kernel_is_built_and_the_others_are_loaded(self):
        file = self.folder / "p.prismpack"
        self.pack("vulkan", file, 10)
        flipped = bytearray(file.read_bytes())
        flipped[-3] ^= 1
        file.write_bytes(flipped)
        self.run_program("vulkan", 10, PRISM_PACK=str(file), PRISM_CACHE="off", PRISM_LOG="warn")
        self.assertEqual((len(self.builds), len(self.loads)), (1, 9))
        self.assertRegex(self.log, r"p\.prismpack: entry \d is damaged; prism_\w+ is built instead")
        checked = subprocess.run([str(BUILD / "bin/prism-pack"), "check", str(file)], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 1)
        self.assertRegex(checked.stdout, r"p\.prismpack: entry \d is damaged")

    def test_a_pack_that_others_can_write_to_or_own_is_not_trusted(self):
        file = self.folder / "p.prismpack"
        self.pack("vulkan", file, 10)
        self.assertEqual(file.stat().st_mode & 0o777, 0o644)
        file.chmod(0o666)
        self.check_refused(file, "others can write to it (chmod go-w)")
        file.chmod(0o644)
        if os.geteuid() == 0:
            os.chown(file, 65534, 65534)
            self.check_refused(file, "it belongs to another user")

    def test_the_tool_lists_checks_and_reports_errors(self):
        file = self.folder / "p.prismpack"
        self.pack("vulkan", file, 10)
        tool = str(BUILD / "bin/prism-pack")
        listed = subprocess.run([tool, "list", str(file)], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0)
        self.assertRegex(listed.stdout, r"llvmpipe.*: 10 kernels\n( +[0-9]+ bytes  prism_\w*adds_[0-9]_\n){10}")
        checked = subprocess.run([tool, "check", str(file)], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout), (0, f"{file}: 10 kernels, none damaged\n"))
        for words, said in ((["check", str(self.folder / "none")], "No such file"), (["make", str(file)], "program"), ([], "subcommand"),
                            (["make", str(file), "--", "/no/such/program"], "cannot start /no/such/program"),
                            (["make", str(file), "--", "true"], "built no kernels: the run must use a device")):
            done = subprocess.run([tool, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr + done.stdout)
        failed = subprocess.run([tool, "make", str(file), "--", "sh", "-c", f"{BUILD}/bin/prism-start-10; exit 5"], env=self.environment("vulkan"),
                                capture_output=True, text=True)
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertIn("ended with status 5", failed.stderr)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
