"""PRISM's library builds with the host alone, with OpenCL, with Vulkan and with all, and the same program runs with each.

usage: backend_sets_test.py SOURCE BUILD

BUILD has all backends and the program; the tests sycl.kernels.* run it with that library. The other sets are built in folders next to BUILD,
whose relative paths, and so most of ccache's results, are the same.
"""
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PROGRAM = BUILD / "bin/sycl_kernels"
SELECTORS = {"host": "host", "opencl": "opencl:name=Portable", "vulkan": "vulkan:name=llvmpipe"}
WITHOUT = {"host": ["OPENCL", "VULKAN"], "opencl": ["VULKAN"], "vulkan": ["OPENCL"]}


def library_of(backend):
    """The folder of the library that has the host and `backend`, and no other."""
    build = BUILD.with_name(f"{BUILD.name}-set-{backend}")
    options = ["-DCMAKE_BUILD_TYPE=Release", *(f"-DPRISM_BACKEND_{name}=OFF" for name in WITHOUT[backend])]
    options += ["-DPRISM_COMPILER=OFF", "-DPRISM_KERNELS=OFF", "-DPRISM_BENCH=OFF", "-DPRISM_TESTS=OFF"]
    for command in (["cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, *options], ["cmake", "--build", build, "--target", "prism", "-j", "2"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return build / "lib"


def run(libraries, selector):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "PRISM_DEVICE_SELECTOR": selector}
    return subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, timeout=300)


def message_of(done):
    return f"exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


class backend_sets(unittest.TestCase):
    def check(self, libraries, built):
        for backend, selector in SELECTORS.items():
            with self.subTest(selector=selector):
                done = run(libraries, selector)
                if backend in built:
                    self.assertEqual(done.returncode, 0, message_of(done))
                    self.assertIn("[  PASSED  ]", done.stdout)
                else:
                    self.assertNotEqual(done.returncode, 0, "a device of a backend that the library does not have")
                    self.assertIn(selector, done.stdout + done.stderr)

    def test_the_host_alone(self):
        self.check(library_of("host"), {"host"})

    def test_the_host_and_opencl(self):
        self.check(library_of("opencl"), {"host", "opencl"})

    def test_the_host_and_vulkan(self):
        self.check(library_of("vulkan"), {"host", "vulkan"})


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
