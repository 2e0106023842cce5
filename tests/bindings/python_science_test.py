"""Programs of users of SciPy and scikit-learn with arrays of PRISM on the host device: python_science_test.py PACKAGE_FOLDER."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
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
