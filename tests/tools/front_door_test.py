"""./prism as a newcomer meets it: help, wrong input, the package list, an unsupported system, no rights."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, **environment):
    return subprocess.run([str(ROOT / "prism"), *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def only(folder, *commands):
    """A PATH with only these commands."""
    for command in commands:
        os.symlink(shutil.which(command), pathlib.Path(folder, command))
    return str(folder)


def fakes(folder, **bodies):
    """Commands with these names, whose body is a line of bash; `_` in a name stands for `-`."""
    for name, body in bodies.items():
        script = pathlib.Path(folder, name.replace("_", "-"))
        script.write_text("#!/bin/bash\n" + body + "\n")
        script.chmod(0o755)


BASICS = ("bash", "env", "awk", "grep", "dirname", "readlink", "nproc", "cat", "wc", "df", "id", "mkdir")


class machine:
    """A machine that has only the basic commands and these, whose bodies are lines of bash; the build folder is its own."""

    def __init__(self, **bodies):
        self.bodies = bodies

    def __enter__(self):
        self.made = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.made.name, "bin")
        path.mkdir()
        only(path, *[b for b in BASICS if b not in self.bodies])
        fakes(path, **self.bodies)
        self.build = pathlib.Path(self.made.name, "build")
        self.environment = {"PATH": str(path), "PRISM_BUILD_DIR": str(self.build)}
        return self

    def __exit__(self, *ignored):
        self.made.cleanup()

    def run(self, *arguments, **environment):
        return run(*arguments, **{**self.environment, **environment})


NOTHING_INSTALLED = {"dpkg_query": "exit 1", "id": "echo 0"}
APT_WITHOUT = 'case "$*" in update*) exit 0;; *) exit 100;; esac'  # updates its lists, but installs nothing


class FrontDoor(unittest.TestCase):
    def test_help_lists_every_command(self):
        text = run("help").stdout
        for command in ("demo", "test", "setup", "build", "bench", "check", "install"):
            self.assertIn(command, text)

    def test_an_unknown_command_is_refused_with_status_2(self):
        done = run("dance")
        self.assertEqual(done.returncode, 2)
        self.assertIn("dance", done.stderr)

    def test_help_of_a_command_succeeds_without_building_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *BASICS)
            for command in ("setup", "build", "test", "demo", "bench", "install"):
                done = run(command, "--help", PATH=path, PRISM_BUILD_DIR=folder)
                self.assertEqual(done.returncode, 0, command)
                self.assertIn("examples", done.stdout, command)

    def test_wrong_options_are_one_line_with_status_2(self):
        for words in (("test", "--soak"), ("test", "--soak", "many"), ("test", "--fuzz", "0"), ("install", "--prefix"),
                      ("install", "--bogus"), ("setup", "--bogus"), ("build", "everything"), ("dance",)):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr.strip().split("\n")[-1], "^prism: ", words)

    def refused(self, done, *words):
        """The command fails with one line on standard error that contains these words."""
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.strip().split("\n")), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_unknown_ctest_options_are_refused_before_the_build(self):
        for options, said in ((["--bogus"], "test does not know '--bogus'"), (["-R"], "-R needs a value"), (["-R", "("], "is no regular expression")):
            with tempfile.TemporaryDirectory() as folder:
                done = run("test", *options, PRISM_BUILD_DIR=folder + "/build")
                self.assertEqual((done.returncode, done.stdout), (2, ""), options)
                self.assertIn(said, done.stderr)
                self.assertFalse(pathlib.Path(folder, "build").exists())

    def test_options_that_a_program_does_not_have_are_refused_before_the_build(self):
        for words, said in ((["bench", "--nonsense"], "bench does not know '--nonsense'; it knows --arrays --documents --genomics --stdpar --targets --import --out --quick --subject"),
                            (["bench", "--quick", "-x"], "bench does not know '-x'"), (["bench", "quick"], "bench does not know 'quick'"),
                            (["bench", "--targets", "--set=a"], "bench --targets does not know '--set=a'; it knows --kernels"),
                            (["bench", "--stdpar", "now"], "bench --stdpar takes no more options, not now"),
                            (["bench", "--documents", "now"], "bench --documents takes no more options, not now"),
                            (["bench", "--genomics", "0"], "bench --genomics takes one number of reads"),
                            (["bench", "--arrays", "many"], "bench --arrays takes one number"),
                            (["demo", "--bogus"], "demo does not know '--bogus'; it knows --operations --out"),
                            (["demo", "--operations", "--bogus"], "demo does not know '--bogus'"),
                            (["hardware-report", "--pakc"], "hardware-report does not know '--pakc'; it knows --pack --out")):
            with tempfile.TemporaryDirectory() as folder:
                done = run(*words, PRISM_BUILD_DIR=folder + "/build")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), words)
                self.assertIn(said, done.stderr)
                self.assertFalse(pathlib.Path(folder, "build").exists())
        with machine(**NOTHING_INSTALLED, apt_get="exit 1") as m:  # a known option goes on to the setup, which fails here
            for words in (["--subject", "kernels", "--out=figures"], ["--forms"], ["--operations"], ["--linalg"], ["--scaling"]):
                self.refused(m.run("bench", *words), "network")

    def test_a_test_by_name_needs_its_program_only(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder).resolve()
            (build / "CTestTestfile.cmake").write_text(
                f'add_test([=[sycl.usm.host]=] "{build}/bin/sycl_usm")\nadd_test([=[sycl.usm.pocl]=] "{build}/bin/sycl_usm")\n'
                f'add_test([=[devices.kit]=] "{build}/bin/kit" "host")\nadd_test([=[tools.docs]=] "python3" "docs.py" "{build}")\n'
                f'include("{build}/unit_a[1]_include.cmake")\n')
            for pattern, targets in (("usm", "bin/sycl_usm prism-probe"), ("host|kit", "bin/kit bin/sycl_usm prism-probe"), ("tools", "all"),
                                     ("unit_a", "bin/unit_a prism-probe"), ("a_name_of_a_unit_test", "bin/unit_a prism-probe")):
                done = subprocess.run([str(ROOT / "tools/test/needed.py"), folder, "-R", pattern], capture_output=True, text=True)
                self.assertEqual(done.stdout.split(), targets.split(), pattern)
            (build / "unit_a[1]_tests.cmake").write_text("add_test( [=[unit_a.one]=] x)\n")
            done = subprocess.run([str(ROOT / "tools/test/needed.py"), folder, "-R", "two"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("no test has 'two' in its name", done.stderr)

    def test_the_output_of_a_failed_test_is_printed_after_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "tests.xml")
            lines = "\n".join(f"line {i}" for i in range(100))
            results.write_text(f'''<testsuite>
<testcase name="good" time="1" status="run"><system-out>all is well</system-out></testcase>
<testcase name="bad" time="2" status="fail"><failure message="Failed"/><system-out>a.cpp:3: Failure
{lines}</system-out></testcase>
<testcase name="quiet" time="3" status="fail"><failure message="Timeout"/><system-out/></testcase></testsuite>''')
            done = subprocess.run([str(ROOT / "tools/test/failures.py"), str(results)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            said = done.stdout.splitlines()
            self.assertIn("-- bad (Failed, 2 s)", said)
            self.assertIn("line 99", said)
            self.assertNotIn("line 9", said)
            self.assertIn("it printed nothing", said)
            self.assertIn("bad: a.cpp:3: Failure", said)
            self.assertIn("quiet: Timeout", said)
            self.assertNotIn("all is well", said)
            self.assertIn("2 tests failed", said[-1])
            results.write_text("<testsuite>")
            done = subprocess.run([str(ROOT / "tools/test/failures.py"), str(results)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot be read", done.stdout)

    def test_installed_packages_are_reported_and_skipped(self):
        with machine(dpkg_query="echo install ok installed", apt_get="echo must not run >&2; exit 1") as m:
            done = m.run("setup")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"all \d+ packages are there")

    def test_every_step_is_shown_with_its_time(self):
        with machine(**NOTHING_INSTALLED, apt_get="exit 0") as m:
            self.assertRegex(m.run("setup").stdout, r"== reading Debian's package lists\n.*: \d+ s\n== installing \d+ packages\n.*: \d+ s")

    def test_a_driver_the_system_does_not_offer_is_left_out_by_name(self):
        with machine(dpkg_query="case $4 in oclgrind) exit 1;; *) echo install ok installed;; esac", apt_get=APT_WITHOUT, id="echo 0") as m:
            done = m.run("setup")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("without oclgrind", done.stdout)

    def test_a_build_package_that_cannot_be_installed_stops_with_its_name(self):
        with machine(dpkg_query="case $4 in cmake) exit 1;; *) echo install ok installed;; esac", apt_get=APT_WITHOUT, id="echo 0") as m:
            self.refused(m.run("setup"), "package cmake cannot be installed", "Debian 12", str(m.build / "setup.log"))

    # apt-get -s prints what an installation would do: a line "Remv NAME [VERSION]" for each package it would remove.
    def apt_that_would_remove(self, other, for_package):
        return (f'case " $* " in *" -s "*" {for_package} "*) echo "Remv {other} [1.0]"; echo "Inst {for_package} (2.0)";; *" -s "*) ;; '
                '*) echo "$@";; esac')

    def test_setup_names_a_conflicting_package_and_removes_none(self):
        with machine(dpkg_query="case $4 in cmake | ninja-build) exit 1;; *) echo install ok installed;; esac",
                     apt_get=self.apt_that_would_remove("cmake-of-mine", "cmake"), id="echo 0") as m:
            self.refused(m.run("setup"), "package cmake conflicts with cmake-of-mine", "removes no package", "apt-get install cmake")
            self.assertNotIn("install -y", (m.build / "setup.log").read_text())

    def test_a_driver_that_conflicts_with_an_installed_package_is_left_out(self):
        with machine(dpkg_query="case $4 in oclgrind | cmake) exit 1;; *) echo install ok installed;; esac",
                     apt_get=self.apt_that_would_remove("vendor-opencl", "oclgrind"), id="echo 0") as m:
            done = m.run("setup")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("oclgrind conflicts with vendor-opencl, which is installed", done.stdout)
            installed = [line for line in (m.build / "setup.log").read_text().split("\n") if "install" in line]
            self.assertEqual(len(installed), 1)
            self.assertRegex(installed[0], "--no-remove cmake$")

    def test_packages_of_check_all_are_installed_only_when_asked_for(self):
        with machine(dpkg_query="case $4 in *-22*) exit 1;; *) echo install ok installed;; esac", apt_get='echo "$@"', id="echo 0") as m:
            self.assertIn("are there", m.run("setup").stdout)
            done = m.run("setup", "--all")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("libclang-22-dev", (m.build / "setup.log").read_text())
            self.assertNotIn("intel-opencl-rt", (m.build / "setup.log").read_text())  # which Debian does not have
            self.assertIn("without intel-opencl-rt", done.stdout)  # this machine has no python3

    def test_the_registry_has_a_log_also_where_no_package_is_missing(self):
        with machine(dpkg_query="echo install ok installed", apt_get="exit 1", id="echo 0") as m:
            done = m.run("setup", "--all")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("without intel-opencl-rt", done.stdout)
            self.assertIn("python3", (m.build / "setup.log").read_text())  # which this machine lacks

    def unpacked(self, folder, *packages, script="registry.py", **environment):
        """registry.py or another script, where the registry is a folder with one package that has a driver and one that has none."""
        for name, library in (("driver", "libintelocl.so"), ("empty", "libother.so")):
            wheel = folder / f"{name}-1.0-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr(f"{name}-1.0.data/data/lib/{library}", "a library")
                archive.writestr(f"{name}-1.0.data/data/lib/libtbb.so.12", "another")
                archive.writestr(f"{name}_module/__init__.py", "answer = 42\n")
                archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
                archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
                archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
        return subprocess.run([sys.executable, ROOT / "tools/setup" / script, folder / "made", *packages], capture_output=True, text=True,
                              env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), **environment})

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed (./prism setup --all)")
    def test_a_driver_of_the_registry_is_unpacked_and_not_installed(self):
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made).resolve()
            done = self.unpacked(folder, "driver")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((folder / "made/vendors/libintelocl.icd").read_text(), f"{folder}/made/lib/libintelocl.so\n")
            self.assertEqual((folder / "made/first/libtbb.so.12").read_text(), "another")
            self.assertEqual(os.listdir(folder / "made/first"), ["libtbb.so.12"])
            self.assertEqual(os.listdir(folder / "made/python"), ["driver_module"])  # and no description of a package

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed (./prism setup --all)")
    def test_a_registry_without_the_driver_leaves_nothing(self):
        for package, reason in (("empty", "none of the drivers"), ("missing", "pip")):
            with tempfile.TemporaryDirectory() as made:
                done = self.unpacked(pathlib.Path(made), package)
                self.assertEqual(done.returncode, 1)
                self.assertIn(reason, done.stderr)
                self.assertEqual(sorted(os.listdir(made)), ["driver-1.0-py3-none-any.whl", "empty-1.0-py3-none-any.whl"])

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed (./prism setup --all)")
    def test_a_module_of_the_registry_is_installed_apart_from_the_systems_python(self):
        with tempfile.TemporaryDirectory() as made:
            done = self.unpacked(pathlib.Path(made).resolve(), "empty", script="registry_python.py")
            self.assertEqual(done.returncode, 0, done.stderr)
            asked = [made + "/made/bin/python", "-c", "import empty_module; print(empty_module.answer)"]
            self.assertEqual(subprocess.run(asked, capture_output=True, text=True).stdout, "42\n")
            self.assertIsNone(importlib.util.find_spec("empty_module"))

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed (./prism setup --all)")
    def test_a_module_that_the_registry_lacks_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as made:
            done = self.unpacked(pathlib.Path(made), "missing", script="registry_python.py")
            self.assertEqual(done.returncode, 1)
            self.assertIn("pip", done.stderr)
            self.assertNotIn("made", os.listdir(made))

    def test_every_package_has_a_kind_and_a_reason(self):
        lines = [line for line in run("setup", "--list").stdout.split("\n") if line.strip()]
        self.assertGreater(len(lines), 30)
        for line in lines:
            name, kind, reason = line.split(None, 2)
            self.assertIn(kind, ("build", "driver", "option", "data", "check", "registry", "module"), name)
            self.assertGreater(len(reason), 5, name)

    def test_a_system_without_apt_gets_instructions(self):
        with machine() as m:
            self.refused(m.run("setup"), "apt-get", "Debian 12")

    def test_missing_rights_are_one_clear_line(self):
        with machine(dpkg_query="exit 1", apt_get="exit 0", id="echo 1000") as m:
            self.refused(m.run("setup"), "root")

    def test_a_refusal_by_sudo_is_reported(self):
        with machine(dpkg_query="exit 1", apt_get="exit 0", id="echo 1000", sudo="exit 1") as m:
            self.refused(m.run("setup"), "root")

    def test_no_network_is_one_clear_line(self):
        with machine(**NOTHING_INSTALLED, apt_get="echo noise; echo noise >&2; exit 100") as m:
            self.refused(m.run("setup"), "network")

    def test_old_package_lists_are_enough_where_the_packages_are_there(self):
        with machine(**NOTHING_INSTALLED, apt_get='case "$*" in update*) exit 100;; esac') as m:
            self.assertEqual(m.run("setup").returncode, 0)

    def test_a_build_folder_that_cannot_be_written_is_one_clear_line(self):
        with machine(**NOTHING_INSTALLED, apt_get="exit 0", mkdir="exit 1") as m:
            self.refused(m.run("setup"), str(m.build), "PRISM_BUILD_DIR")

    def built_machine(self, cmake, df):
        data = "usr/share/doc/bowtie2/examples/reference"
        m = machine(dpkg_query="echo install ok installed", apt_get="exit 0", cmake=cmake, df=f"echo head; echo /dev/x 9 9 {df} 9% /")
        m.__enter__()
        self.addCleanup(m.__exit__)
        (m.build / "data" / data).mkdir(parents=True)
        (m.build / "data" / data / "lambda_virus.fa.gz").touch()
        return m

    def test_a_second_run_skips_completed_steps(self):
        m = self.built_machine('case $1 in --preset) while [ "$1" != -B ]; do shift; done; : >"$2/build.ninja";; esac', 9000)
        first, second = m.run("build"), m.run("build")
        self.assertEqual((first.returncode, second.returncode), (0, 0), first.stderr + second.stderr)
        self.assertIn("== configuring (default)", first.stdout)
        self.assertNotIn("configuring", second.stdout)
        self.assertIn("packages are there", second.stdout)

    def test_the_demo_builds_only_what_it_needs(self):
        m = self.built_machine('case $1 in --build) echo "$@"; exit 1;; esac', 9000)
        self.assertIn("--target prism-demo", m.run("demo").stdout)

    def test_a_failed_configuration_shows_its_reason(self):
        m = self.built_machine("echo no compiler; exit 1", 9000)
        done = m.run("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no compiler", done.stderr)
        self.assertTrue(done.stderr.strip().endswith("prism: configuration failed; the reason is above"), done.stderr)

    def test_a_disk_that_fills_up_while_building_is_named(self):
        self.refused(self.built_machine("case $1 in --build) exit 1;; esac", 3).run("build"), "full", "3 MiB")
        self.refused(self.built_machine("case $1 in --build) exit 1;; esac", 9000).run("build"), "the build failed")

    def test_a_build_without_any_backend_fails_at_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-B", folder, "-S", str(ROOT), *[f"-DPRISM_BACKEND_{b}=OFF" for b in
                                   ("HOST", "OPENCL", "VULKAN")]], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("at least one backend", done.stderr)

    def test_no_disk_is_one_clear_line(self):
        with machine(**NOTHING_INSTALLED, apt_get="exit 0", df="echo head; echo /dev/x 100 50 50 50% /") as m:
            self.refused(m.run("setup"), "disk", "50 MiB")


if __name__ == "__main__":
    unittest.main()
