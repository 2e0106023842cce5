"""./prism as a newcomer meets it: help, wrong input, the package list, an unsupported system, no rights."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, **environment):
    return subprocess.run([str(ROOT / "prism"), *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def only(folder, *commands):
    """A PATH that offers only these commands."""
    for command in commands:
        os.symlink(shutil.which(command), pathlib.Path(folder, command))
    return str(folder)


def fakes(folder, **bodies):
    """Commands of that name whose body is a line of bash; `_` in a name stands for `-`."""
    for name, body in bodies.items():
        script = pathlib.Path(folder, name.replace("_", "-"))
        script.write_text("#!/bin/bash\n" + body + "\n")
        script.chmod(0o755)


BASICS = ("bash", "env", "awk", "grep", "dirname", "readlink", "nproc", "cat", "wc", "df", "id")


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

    def test_what_is_installed_already_is_said_and_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *BASICS)
            fakes(folder, dpkg_query="echo install ok installed", apt_get="echo must not run >&2; exit 1")
            done = run("setup", PATH=path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"all \d+ packages are there")

    def test_a_driver_the_system_does_not_offer_is_left_out_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *[b for b in BASICS if b != "id"])
            fakes(folder, dpkg_query='case $4 in oclgrind) exit 1;; *) echo install ok installed;; esac', apt_get="case $1 in update) exit 0;; *) exit 100;; esac", id="echo 0")
            done = run("setup", PATH=path, TMPDIR=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("without oclgrind", done.stdout)

    def test_a_build_package_that_cannot_be_installed_stops_with_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *[b for b in BASICS if b != "id"])
            fakes(folder, dpkg_query='case $4 in cmake) exit 1;; *) echo install ok installed;; esac', apt_get="case $1 in update) exit 0;; *) exit 100;; esac", id="echo 0")
            done = run("setup", PATH=path, TMPDIR=folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("package cmake cannot be installed", done.stderr)

    def test_every_package_has_a_kind_and_a_reason(self):
        lines = [line for line in run("setup", "--list").stdout.split("\n") if line.strip()]
        self.assertGreater(len(lines), 30)
        for line in lines:
            name, kind, reason = line.split(None, 2)
            self.assertIn(kind, ("build", "driver", "data"), name)
            self.assertGreater(len(reason), 5, name)

    def test_a_system_without_apt_is_told_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("setup", PATH=only(folder, *BASICS))
            self.assertEqual(done.returncode, 1)
            self.assertIn("apt-get", done.stderr)
            self.assertEqual(len(done.stderr.strip().split("\n")), 1)

    def test_missing_rights_are_one_clear_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *[b for b in BASICS if b != "id"])
            fakes(folder, dpkg_query="exit 1", apt_get="exit 0", id="echo 1000")
            done = run("setup", PATH=path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("root", done.stderr)

    def test_no_network_is_one_clear_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *[b for b in BASICS if b != "id"])
            fakes(folder, dpkg_query="exit 1", apt_get="exit 100", id="echo 0")
            done = run("setup", PATH=path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("network", done.stderr)

    def test_a_build_without_any_backend_fails_at_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-B", folder, "-S", str(ROOT), *[f"-DPRISM_BACKEND_{b}=OFF" for b in
                                   ("HOST", "OPENCL", "VULKAN")]], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("at least one backend", done.stderr)

    def test_no_disk_is_one_clear_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = only(folder, *[b for b in BASICS if b not in ("id", "df")])
            fakes(folder, dpkg_query="exit 1", apt_get="exit 0", id="echo 0", df="echo head; echo /dev/x 100 50 50 50% /")
            done = run("setup", PATH=path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("disk", done.stderr)


if __name__ == "__main__":
    unittest.main()
