"""PRISM installed into an empty folder, for the tests that use it from there."""
import os
import pathlib
import subprocess
import tempfile
import unittest


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


class Installed(unittest.TestCase):
    """`root` is an empty folder of the test class; `prefix` in it is the result of `cmake --install` of `build`. The cache is in it too:
    headers of that folder that prism++ precompiles are of no use to later runs, and would displace those that are."""
    build = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.prefix = cls.root / "prefix"
        done = run("cmake", "--install", cls.build, "--prefix", cls.prefix)
        assert done.returncode == 0, done.stderr
        cls.outer_cache = os.environ.get("PRISM_CACHE_DIR")
        os.environ["PRISM_CACHE_DIR"] = str(cls.root / "cache")

    @classmethod
    def tearDownClass(cls):
        if cls.outer_cache is None:
            del os.environ["PRISM_CACHE_DIR"]
        else:
            os.environ["PRISM_CACHE_DIR"] = cls.outer_cache
        cls.folder.cleanup()
