"""prism.physics: arrays, types, devices, errors and pictures. The numbers themselves are tested by samples.physics.*
python_physics_test.py PACKAGE_FOLDER."""
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
try:
    import numpy
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)
import prism
from prism import physics

DEVICES = ("host", "opencl")
RIGHT = """import prism
import numpy
two = prism.physics.NBody([1, 1], [[0, 0, 0], [1, 0, 0]], numpy.zeros((2, 3)), method="barnes-hut", theta=0.3)
two.step(0.1, 3)
total: float = two.energy().total
wave = prism.physics.Wave(numpy.zeros((3, 3)), edges="periodic")
energy: float = wave.energy()
prism.physics.save_picture(wave.values, "wave.png", low=-1)
"""
WRONG = """import prism
prism.physics.NBody([1], [[0, 0, 0]], [[0, 0, 0]], method="fast")
prism.physics.Heat([[0]], diffusivity="x")
prism.physics.Heat([[0]]).energy()
"""


def bump(rows, columns, dtype="float64"):
    y, x = numpy.mgrid[:rows, :columns]
    return numpy.exp(-((x - columns / 2) ** 2 + (y - rows / 2) ** 2) / 9).astype(dtype)


class Bodies(unittest.TestCase):
    def test_a_circle_closes_on_every_device_in_both_types(self):
        for device in DEVICES:
            for dtype, tolerance in (("float32", 2e-4), ("float64", 1e-4)):
                with self.subTest(device=device, dtype=dtype), prism.device(device):
                    start = numpy.array([[-0.5, 0, 0], [0.5, 0, 0]])
                    pair = physics.NBody([0.5, 0.5], start, [[0, -0.5, 0], [0, 0.5, 0]], dtype=dtype)
                    energy = pair.energy()
                    self.assertAlmostEqual(energy.kinetic, 0.125, places=6)
                    self.assertAlmostEqual(energy.potential, -0.25, places=6)
                    numpy.testing.assert_allclose(pair.acceleration, [[0.5, 0, 0], [-0.5, 0, 0]], rtol=1e-6)
                    pair.step(2 * math.pi / 1000, 1000)
                    self.assertEqual(pair.position.dtype, dtype)
                    numpy.testing.assert_allclose(pair.position, start, atol=tolerance)
                    numpy.testing.assert_allclose(pair.momentum(), 0, atol=1e-6)
                    self.assertAlmostEqual(pair.energy().total, energy.total, places=5)
                    self.assertAlmostEqual(pair.time, 2 * math.pi)

    def test_barnes_hut_is_near_the_direct_sum_and_theta_counts(self):
        random = numpy.random.default_rng(3)
        mass, position = random.random(900) + 0.1, random.normal(size=(900, 3))
        d = position[None] - position[:, None]
        exact = (mass[None, :, None] * d / ((d ** 2).sum(-1) + 0.01)[..., None] ** 1.5).sum(1)
        errors = []
        for options in ({}, {"method": "barnes-hut", "theta": 0}, {"method": "barnes-hut"}, {"method": "barnes-hut", "theta": 1}):
            found = physics.NBody(mass, position, position * 0, softening=0.1, **options).acceleration
            errors.append(numpy.linalg.norm(found - exact) / numpy.linalg.norm(exact))
        self.assertLess(max(errors[:2]), 2e-6)
        self.assertTrue(1e-5 < errors[2] < 0.01 and 2 * errors[2] < errors[3] < 0.1, errors)

    def test_later_changes_of_the_given_arrays_do_not_count(self):
        mass = numpy.ones(2, "float32")
        pair = physics.NBody(mass, [[0, 0, 0], [1, 0, 0]], numpy.zeros((2, 3)))
        mass[:] = 9
        self.assertAlmostEqual(pair.energy().potential, -1)
        numpy.testing.assert_array_equal(pair.mass, [1, 1])


class Fields(unittest.TestCase):
    def test_steps_are_those_of_numpy_on_every_device(self):
        start = bump(20, 31)

        def laplacian(u):
            return sum(numpy.roll(u, n, axis) for n in (1, -1) for axis in (0, 1)) - 4 * u

        heated, now, before = start, start, start + 0.125 * laplacian(start)
        for _ in range(12):
            heated = heated + 0.2 * laplacian(heated)
            now, before = 2 * now - before + 0.25 * laplacian(now), now
        for device in DEVICES:
            with self.subTest(device=device), prism.device(device):
                for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-13)):
                    heat = physics.Heat(start, time_step=0.2, edges="periodic", dtype=dtype)
                    heat.step(12)
                    numpy.testing.assert_allclose(heat.values, heated, atol=tolerance)
                    wave = physics.Wave(start, speed=2, time_step=0.25, edges="periodic", dtype=dtype)
                    wave.step(5)
                    wave.step(7)
                    numpy.testing.assert_allclose(wave.values, now, atol=tolerance)
                    self.assertAlmostEqual(wave.time, 3)

    def test_fixed_edges_stay_and_a_wave_keeps_its_energy(self):
        wave = physics.Wave(bump(30, 30), 0.1 * bump(30, 30), spacing=0.1, dtype="float64")
        edge, energy = wave.values[0], wave.energy()
        wave.step(100)
        numpy.testing.assert_array_equal(wave.values[0], edge)
        self.assertAlmostEqual(wave.energy() / energy, 1, places=12)

    def test_the_default_time_steps_are_stable(self):
        heat, wave = physics.Heat(bump(9, 9), diffusivity=3, spacing=0.7), physics.Wave(bump(9, 9), speed=3, spacing=0.7)
        heat.step(500), wave.step(500)
        self.assertLess(abs(heat.values).max(), 1)
        self.assertLess(abs(wave.values).max(), 3)


class Pictures(unittest.TestCase):
    def test_a_png_has_the_colours_of_the_values(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.png"
            physics.save_picture([[-1, 0, 1], [5, -5, 0]], file, low=-1, high=1, scale=2)
            data = file.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (6, 4))
        length = struct.unpack(">I", data[33:37])[0]
        self.assertEqual(struct.unpack(">I", data[41 + length:45 + length])[0], zlib.crc32(data[37:41 + length]))
        rows = numpy.frombuffer(zlib.decompress(data[41:41 + length]), "uint8").reshape(4, 19)[:, 1:].reshape(4, 6, 3)
        numpy.testing.assert_array_equal(rows[0, ::2], [[59, 76, 192], [221, 221, 221], [180, 4, 38]])
        numpy.testing.assert_array_equal(rows[3, ::2], [[180, 4, 38], [59, 76, 192], [221, 221, 221]])


class Refusals(unittest.TestCase):
    def refused(self, words, make):
        with self.assertRaises(prism.InvalidError) as found:
            make()
        self.assertIn(words, str(found.exception))

    def test_wrong_input_is_named(self):
        grid, place = numpy.zeros((4, 4)), numpy.zeros((2, 3))
        self.refused("0.3 is unstable; the largest stable one is 0.25", lambda: physics.Heat(grid, time_step=0.3))
        self.refused("is unstable; the largest stable one is 0.707107", lambda: physics.Wave(grid, time_step=0.71))
        self.refused("2 x 4; it needs 3", lambda: physics.Heat(grid[:2]))
        self.refused("the shape (4,); they are rows", lambda: physics.Heat(grid[0]))
        self.refused("velocity has the shape (4, 3) instead of (4, 4)", lambda: physics.Wave(grid, grid[:, :3]))
        self.refused("the speed is 0", lambda: physics.Wave(grid, speed=0))
        self.refused("number 5 of the values is not finite", lambda: physics.Heat(numpy.where(numpy.arange(16) == 5, numpy.nan, 0).reshape(4, 4)))
        self.refused('edges is "fixed" or "periodic", not \'open\'', lambda: physics.Heat(grid, edges="open"))
        self.refused("dtype is float32 or float64, not int32", lambda: physics.Heat(grid, dtype="int32"))
        self.refused("position has the shape (3,) instead of (2, 3)", lambda: physics.NBody([1, 1], [0, 0, 0], place))
        self.refused("the mass of body 1 is negative", lambda: physics.NBody([1, -1], place, place))
        self.refused("method is \"direct\" or", lambda: physics.NBody([1, 1], place, place, method="fast"))
        self.refused("theta is between 0 and 1, not 2", lambda: physics.NBody([1, 1], place, place, theta=2))
        self.refused("position is no array of numbers", lambda: physics.NBody([1], [["a", "b", "c"]], place[:1]))
        self.refused("the number of steps is -1", lambda: physics.Heat(grid).step(-1))
        self.refused("rows and columns of finite numbers", lambda: physics.save_picture([1, 2], "x.png"))

    def test_a_device_without_double_is_named(self):
        class Lacking: # what the library reports there; no device of these tests lacks it
            def __getattr__(self, _):
                def fail(*arguments):
                    arguments[-2].value = b"X has no double precision"
                    return 1
                return fail
        library = physics._library
        physics._library = Lacking
        try:
            with self.assertRaisesRegex(prism.UnsupportedError, "no double precision"):
                physics.Heat(numpy.zeros((3, 3)), dtype="float64")
        finally:
            physics._library = library


class Types(unittest.TestCase):
    def test_mypy_accepts_right_uses_and_finds_wrong_ones(self):
        mypy = [sys.executable, "-m", "mypy"]
        if subprocess.run([*mypy, "--version"], capture_output=True).returncode:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as folder:
            for text, found in ((RIGHT, ""), (WRONG, "Found 3 errors")):
                (pathlib.Path(folder) / "use.py").write_text(text)
                done = subprocess.run([*mypy, "use.py"], cwd=folder, env={"MYPYPATH": str(FOLDER), "PATH": "/usr/bin"}, capture_output=True, text=True)
                self.assertEqual(done.returncode, 1 if found else 0, done.stdout + done.stderr)
                self.assertIn(found, done.stdout)


unittest.main()
