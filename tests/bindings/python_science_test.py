"""Functions of arrays on the host device compared with NumPy's, and programs of users of SciPy and scikit-learn with arrays of PRISM:
python_science_test.py PACKAGE_FOLDER."""
import os
import pathlib
import subprocess
import sys
import unittest

PACKAGE = str(pathlib.Path(sys.argv.pop()).resolve())
sys.path.insert(0, PACKAGE)
import prism

try:
    import numpy
except ImportError:
    numpy = None
try:
    import scipy.fft
    import scipy.linalg
except ImportError:
    scipy = None
try:
    import sklearn
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
except ImportError:
    sklearn = None


FUNCTIONS = ("exp", "log", "sin", "cos")
# Prints a number that depends on each bit of 3,000 values of each function.
SUM_OF_BITS = """
import sys, zlib
sys.path.insert(0, sys.argv[1])
import prism
x = prism.linspace(0.001, 700, 3000)
print([zlib.crc32(getattr(prism, each)(x).tobytes()) for each in sys.argv[2:]])
"""


@unittest.skipUnless(numpy, "no NumPy")
class Functions(unittest.TestCase):
    def test_functions_are_within_two_units_in_the_last_place_of_numpys(self):
        random = numpy.random.default_rng(5)
        for kind in (numpy.float64, numpy.float32):
            spread = numpy.concatenate([random.uniform(-80, 80, 2000), numpy.exp(random.uniform(-80, 80, 2000)), [0.0, -0.0, 1.0, -1.0]]).astype(kind)
            for name in FUNCTIONS:
                x = numpy.abs(spread) + kind(1e-30) if name == "log" else spread
                with numpy.errstate(all="ignore"):
                    wanted = getattr(numpy, name)(x.astype(numpy.longdouble)).astype(kind)
                found = numpy.asarray(getattr(prism, name)(prism.asarray(x)))
                numpy.testing.assert_array_equal(numpy.isinf(found), numpy.isinf(wanted), err_msg=name)
                finite = numpy.isfinite(wanted)
                apart = numpy.abs(found[finite].astype(numpy.longdouble) - wanted[finite]) / numpy.spacing(numpy.abs(wanted[finite]))
                self.assertLessEqual(float(apart.max()), 2, name)

    def test_functions_have_the_limits_of_c_at_infinities_zeros_and_nan(self):
        special = numpy.array([numpy.inf, -numpy.inf, numpy.nan, 0.0, -0.0, 5e-324, 1e308, -750.0])
        for name in FUNCTIONS:
            with numpy.errstate(all="ignore"):
                wanted = getattr(numpy, name)(special)
            found = numpy.asarray(getattr(prism, name)(prism.asarray(special)))
            numpy.testing.assert_allclose(found, wanted, rtol=1e-15, err_msg=name)
            numpy.testing.assert_array_equal(numpy.signbit(found[3:5]), numpy.signbit(wanted[3:5]), err_msg=name)

    def test_an_element_has_the_same_bits_in_small_and_large_arrays_and_beside_large_numbers(self):
        x = prism.linspace(0.001, 700, 3000)
        large = prism.concat([x] * 100)
        for name in FUNCTIONS:
            few = numpy.asarray(getattr(prism, name)(x))
            numpy.testing.assert_array_equal(numpy.asarray(getattr(prism, name)(large))[-3000:], few, err_msg=name)
            mixed = prism.concat([x, prism.asarray([1e300, 0.0])])
            numpy.testing.assert_array_equal(numpy.asarray(getattr(prism, name)(mixed))[:3000], few, err_msg=name)

    @unittest.skipUnless(" avx2 " in pathlib.Path("/proc/cpuinfo").read_text(), "this processor has no AVX2")
    def test_processors_with_avx2_and_with_avx512_compute_the_same_bits(self):
        found = [subprocess.run([sys.executable, "-B", "-c", SUM_OF_BITS, PACKAGE, *FUNCTIONS], capture_output=True, text=True, check=True,
                                env={**os.environ, **more}).stdout for more in ({}, {"PRISM_HOST_ISA": "v3"})]
        self.assertEqual(found[0], found[1])


@unittest.skipUnless(numpy and scipy, "no SciPy (python3-scipy)")
class SciPy(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(3)
        self.matrix = random.random((5, 5)) + 5 * numpy.eye(5)
        self.vector = random.random(5)
        self.a, self.b = prism.asarray(self.matrix), prism.asarray(self.vector)

    def test_a_factorisation_of_scipy_solves_a_system_of_prism(self):
        factors = scipy.linalg.lu_factor(self.a)
        x = prism.asarray(scipy.linalg.lu_solve(factors, self.b))
        self.assertLess(float(prism.max(prism.abs(self.a @ x - self.b))), 1e-12)
        for ours, theirs in ((prism.linalg.solve(self.a, self.b), scipy.linalg.solve(self.matrix, self.vector)),
                             (prism.linalg.inv(self.a), scipy.linalg.inv(self.matrix)),
                             (prism.linalg.svdvals(self.a), scipy.linalg.svdvals(self.matrix))):
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, rtol=1e-10)

    def test_scipys_transforms_of_prisms_arrays_run_in_prism(self):
        signal = prism.sin(prism.linspace(0, 40, 256))
        wanted = scipy.fft.fft(numpy.asarray(signal))
        with scipy.fft.set_backend(prism.fft):
            waves = scipy.fft.fft(signal)
            self.assertIsInstance(waves, prism.Array)
            numpy.testing.assert_allclose(numpy.asarray(waves), wanted, atol=1e-10)
            self.assertIsInstance(scipy.fft.irfft(scipy.fft.rfft(signal), n=256), prism.Array)
            grid = prism.reshape(signal, (16, 16))
            numpy.testing.assert_allclose(numpy.asarray(scipy.fft.fftn(grid)), scipy.fft.fftn(numpy.asarray(grid)), atol=1e-10)
            # Arrays of others stay with SciPy.
            self.assertIsInstance(scipy.fft.fft(numpy.ones(4)), numpy.ndarray)


@unittest.skipUnless(numpy and sklearn, "no scikit-learn (python3-sklearn)")
class ScikitLearn(unittest.TestCase):
    def test_discriminant_analysis_runs_on_arrays_of_prism(self):
        random = numpy.random.default_rng(4)
        points = numpy.concatenate([random.normal(centre, 1.0, (60, 3)) for centre in (0, 2, 4)])
        classes = numpy.repeat(numpy.arange(3), 60)
        wanted = LinearDiscriminantAnalysis().fit(points, classes)
        x, y = prism.asarray(points), prism.asarray(classes)
        with sklearn.config_context(array_api_dispatch=True):
            found = LinearDiscriminantAnalysis().fit(x, y)
            labels, shares = found.predict(x), found.predict_proba(x)
        self.assertIsInstance(labels, prism.Array)
        self.assertEqual(labels.tolist(), wanted.predict(points).tolist())
        numpy.testing.assert_allclose(numpy.asarray(shares), wanted.predict_proba(points), atol=1e-8)


unittest.main()
