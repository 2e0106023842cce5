"""Molecular dynamics in Python: python_chemistry_test.py PACKAGE_FOLDER. samples.chemistry tests the library itself."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism
from prism import chemistry

try:
    import numpy
except ImportError:
    numpy = None

RIGHT = """import prism
positions, box = prism.chemistry.lattice(256, 0.8)
fluid = prism.chemistry.Fluid(positions, box, temperature=1.0, device="host")
energies: list[float] = [m.total for m in fluid.run(10, every=5, thermostat=prism.chemistry.Andersen(1.0))]
g = prism.chemistry.RadialDistribution(box)
g.add(fluid.positions)
g.save("g.svg")
"""
WRONG = "import prism\nprism.chemistry.Fluid([], 'long', temperature=1.0)\nprism.chemistry.Rescaling('hot')\n"


def serial_forces(at, box, cutoff=2.5):
    """Forces, and the sum of the shifted energies, of all pairs by NumPy in double."""
    d = at[:, None, :].astype(float) - at[None, :, :]
    d -= box * numpy.rint(d / box)
    square = (d * d).sum(axis=2)
    numpy.fill_diagonal(square, numpy.inf)
    near = numpy.where(square < cutoff ** 2, square, numpy.inf)
    r6 = near ** -3.0
    shift = numpy.where(square < cutoff ** 2, 4 * (cutoff ** -12 - cutoff ** -6), 0)
    return (((48 * r6 * r6 - 24 * r6) / near)[:, :, None] * d).sum(axis=1), 0.5 * (4 * r6 * (r6 - 1) - shift).sum()


@unittest.skipIf(numpy is None, "no python3-numpy")
class Fluids(unittest.TestCase):
    def moved(self, device=None, **how):
        positions, box = chemistry.lattice(256, 0.8442)
        fluid = chemistry.Fluid(positions, box, temperature=1.44, time_step=0.002, device=device, **how)
        return fluid, fluid.run(100, every=25)

    def test_forces_and_energies_are_those_of_numpy_on_every_device(self):
        for device in prism.devices():
            with prism.device(device):
                fluid, seen = self.moved()
            forces, potential = serial_forces(fluid.positions, fluid.box)
            self.assertLess(abs(fluid.forces - forces).max(), 1e-5 * abs(forces).max(), device)
            self.assertLess(abs(fluid.measure().potential - potential), 1e-5 * abs(potential), device)
            self.assertEqual([m.step for m in seen], [25, 50, 75, 100])
            totals = [m.total / 256 for m in seen]
            self.assertLess(max(totals) - min(totals), 2e-4, device)
            self.assertEqual((fluid.positions.dtype, fluid.velocities.shape, len(fluid)), (numpy.float32, (256, 3), 256))

    def test_a_fluid_goes_on_from_positions_and_velocities_of_another(self):
        fluid, _ = self.moved()
        other = chemistry.Fluid(fluid.positions, fluid.box, velocities=fluid.velocities, time_step=0.002)
        fluid.run(10), other.run(10)
        self.assertTrue(numpy.array_equal(fluid.positions, other.positions))

    def test_thermostats_reach_their_temperature(self):
        fluid, _ = self.moved()
        fluid.run(20, thermostat=chemistry.Rescaling(0.722))
        self.assertAlmostEqual(fluid.measure().temperature, 0.722, places=5)
        seen = fluid.run(300, every=10, thermostat=chemistry.Andersen(1.5, collisions=50))
        self.assertAlmostEqual(numpy.mean([m.temperature for m in seen[10:]]), 1.5, delta=0.1)

    def test_a_distribution_is_a_picture(self):
        fluid, _ = self.moved()
        g = chemistry.RadialDistribution(fluid.box, 50)
        g.add(fluid.positions)
        self.assertAlmostEqual(g.distances[g.values.argmax()], 1.1, delta=0.1)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "g.svg")
            g.save(file)
            points = next(each for each in xml.etree.ElementTree.parse(file).iter() if each.tag.endswith("polyline")).get("points").split()
        heights = [float(each.split(",")[1]) for each in points]
        self.assertEqual((len(points), heights.index(min(heights))), (50, g.values.argmax())) # the highest point is drawn highest

    def test_wrong_uses_are_named(self):
        at, box = chemistry.lattice(256, 0.8442)
        for error, words, call in (
                (prism.InvalidError, "particles 0 and 1 overlap: they are 0.1", lambda: chemistry.Fluid([[1, 1, 1], [1.1, 1, 1]], 9, temperature=1)),
                (prism.InvalidError, "shorter than two cut-offs", lambda: chemistry.Fluid(at, 4.0, temperature=1)),
                (prism.InvalidError, r"shape \(particles, 3\), not \(3,\)", lambda: chemistry.Fluid([1, 2, 3], 9, temperature=1)),
                (prism.InvalidError, "256 particles were given 2 velocities", lambda: chemistry.Fluid(at, box, velocities=at[:2])),
                (prism.InvalidError, "at least 2", lambda: chemistry.Fluid(at[:0], box, velocities=at[:0])),
                (TypeError, "velocities or with a temperature", lambda: chemistry.Fluid(at, box)),
                (TypeError, "positions are numbers", lambda: chemistry.Fluid([["a", 1, 2]], box, temperature=1)),
                (TypeError, "a thermostat is", lambda: chemistry.Fluid(at, box, temperature=1).run(1, thermostat=1.0)),
                (ValueError, "a number of steps is a whole number", lambda: chemistry.Fluid(at, box, temperature=1).run(-1)),
                (prism.InvalidError, "positive temperature", lambda: chemistry.Fluid(at, box, temperature=1).run(1, thermostat=chemistry.Andersen(0))),
                (prism.InvalidError, "half a box", lambda: chemistry.RadialDistribution(box, reach=box)),
                (prism.InvalidError, "a state was added", lambda: chemistry.RadialDistribution(box).values),
                (prism.InvalidError, "a density is a positive number", lambda: chemistry.lattice(4, -1)),
                (prism.NotFoundError, "nonsense", lambda: chemistry.Fluid(at, box, temperature=1, device="nonsense"))):
            with self.assertRaisesRegex(error, words):
                call()
        wild = chemistry.Fluid(at, box, temperature=1, time_step=0.05)
        wild.run(50)
        with self.assertRaisesRegex(prism.Error, "time step of 0.05 is too long"):
            wild.measure()


class Stubs(unittest.TestCase):
    def test_mypy_accepts_right_uses_and_finds_wrong_ones(self):
        mypy = [sys.executable, "-m", "mypy"]
        if subprocess.run([*mypy, "--version"], capture_output=True).returncode:
            self.skipTest("no mypy")
        with tempfile.TemporaryDirectory() as folder:
            for text, found in ((RIGHT, ""), (WRONG, "Found 2 errors")):
                pathlib.Path(folder, "use.py").write_text(text)
                done = subprocess.run([*mypy, "use.py"], cwd=folder, env={"MYPYPATH": str(FOLDER), "PATH": "/usr/bin"}, capture_output=True, text=True)
                self.assertEqual(done.returncode, 1 if found else 0, done.stdout + done.stderr)
                self.assertIn(found, done.stdout)


unittest.main()
