"""PRISM installed into an empty folder, for the tests that use it from there."""
import pathlib
import subprocess
import tempfile
import unittest


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


class Installed(unittest.TestCase):
    """`root` is an empty folder of the test class; `prefix` in it is the result of `cmake --install` of `build`."""
    build = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.prefix = cls.root / "prefix"
        done = run("cmake", "--install", cls.build, "--prefix", cls.prefix)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
