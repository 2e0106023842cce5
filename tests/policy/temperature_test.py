"""max_temperature with sensors of a made folder in the place of Linux's: temperature_test.py PRINT_DEFAULT PRISM_INFO.

The folder is mounted over /sys/class in a mount namespace of the programs' own, so they read it by the paths that they always use.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

INFO, PRINT_DEFAULT = (str(pathlib.Path(sys.argv.pop()).resolve()) for _ in range(2))


class Temperature(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.classes = pathlib.Path(folder.name)
        self.sensors("none")
        said = self.run_with("true")
        if said.returncode != 0 and ("unshare:" in said.stderr or "mount:" in said.stderr):
            self.skipTest(f"this machine allows no mount namespace: {said.stderr.strip()}")

    def sensors(self, name, *celsius):
        """One chip of that name with these sensors."""
        chip = self.classes / "hwmon/hwmon0"
        chip.mkdir(parents=True, exist_ok=True)
        (chip / "name").write_text(name + "\n")
        for old in chip.glob("temp*"):
            old.unlink()
        for number, degrees in enumerate(celsius, 1):
            (chip / f"temp{number}_input").write_text(f"{int(degrees * 1000)}\n")

    def run_with(self, *command, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PRISM_")}
        return subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-ec", 'mount --bind "$1" /sys/class; shift; exec "$@"', "sh", str(self.classes), *command],
                              env={**kept, "PRISM_DEVICE_SELECTOR": "host", **environment}, capture_output=True, text=True)

    def default_under(self, policy):
        done = self.run_with(PRINT_DEFAULT, PRISM_POLICY=policy)
        return done.returncode, done.stdout + done.stderr

    def test_a_device_that_is_hotter_than_the_limit_is_excluded(self):
        self.sensors("coretemp", 51, 64.5)
        self.assertEqual(self.default_under("max_temperature=80"), (0, "host\n"))
        self.sensors("coretemp", 51, 91.5)
        status, said = self.default_under("max_temperature=80")
        self.assertEqual(status, 1, said)
        self.assertIn("max_temperature 80 °C: it has 91.5 °C", said)
        self.assertEqual(self.default_under("max_temperature=95"), (0, "host\n"))
        self.assertEqual(self.default_under("priority=latency"), (0, "host\n"), "without the limit the heat does not count")

    def test_a_device_whose_temperature_is_unknown_is_excluded(self):
        self.sensors("nvme", 40)  # no processor's
        status, said = self.default_under("max_temperature=80")
        self.assertEqual(status, 1, said)
        self.assertIn("max_temperature 80 °C: its temperature is unknown", said)

    def test_prism_info_shows_what_the_sensor_has_now(self):
        self.sensors("k10temp", 51, 64)
        self.assertRegex(self.run_with(INFO).stdout, r"sensors +64 °C")


if __name__ == "__main__":
    unittest.main()
