"""`pip install ./bindings/python` makes a package that works without the build's folder: python_install_test.py SOURCE LIBRARY_FOLDER. pip fetches nothing."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, LIBRARIES = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
del sys.argv[1:]
PROGRAM = """
import pathlib, prism
x = prism.linspace(0, 1, 5)
print(prism.sum(x * 2).item(), prism.__version__, pathlib.Path(prism.__file__).parent)
print(sorted(path.name for path in pathlib.Path(prism.__file__).parent.iterdir() if path.suffix in (".pyi", ".typed")))
import prism.linalg, prism.fft, prism.random
"""


class Installed(unittest.TestCase):
    def test_pip_builds_the_package_and_a_program_outside_uses_it(self):
        with tempfile.TemporaryDirectory() as folder:
            root, target = pathlib.Path(folder, "source"), pathlib.Path(folder, "installed")
            for part in ("bindings", "kernels/include"):  # pip writes into its source
                shutil.copytree(SOURCE / part, root / part, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--quiet", "--target", target,
                                   root / "bindings/python"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            environment = {name: value for name, value in os.environ.items() if not name.startswith("PRISM_BUILD")}
            environment |= {"PYTHONPATH": str(target), "LD_LIBRARY_PATH": str(LIBRARIES), "PRISM_DEVICE_SELECTOR": "host"}
            used = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, cwd=folder)
            self.assertEqual(used.returncode, 0, used.stderr)
            values, files = used.stdout.splitlines()
            self.assertEqual(values.split()[0], "5.0")
            self.assertEqual(values.split()[2], str(target / "prism"))
            self.assertIn("__init__.pyi", files)
            self.assertIn("py.typed", files)


if __name__ == "__main__":
    for needed, package in (("pip", "python3-pip"), ("setuptools", "python3-setuptools"), ("wheel", "python3-wheel")):
        if importlib.util.find_spec(needed) is None:
            print(f"skipped: Python has no {needed} (Debian: {package})")
            sys.exit(77)
    unittest.main()
