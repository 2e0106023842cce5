"""Backends of operations in the package `prism`, on the host device: python_backends_test.py PACKAGE_FOLDER."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism

try:
    import numpy
except ImportError:
    numpy = None


class Slow:
    """A backend of a program."""
    calls = 0

    def vector_add(self, a, b):
        Slow.calls += 1
        time.sleep(0.02)
        return a + b

    def failing(self, a):
        raise RuntimeError("no luck")


class Fast:
    def vector_add(self, a, b):
        return Fast.answer


@unittest.skipUnless(numpy, "no NumPy")
class Backends(unittest.TestCase):
    def tearDown(self):
        for name in ("slow", "fast"):
            if name in prism.registry.get_available_backends():
                prism.registry.unregister_backend(name)

    def test_the_nine_operations_agree_between_prism_and_numpy(self):
        random = numpy.random.default_rng(1)
        m, u, v = random.random((6, 6)) + 3 * numpy.eye(6), random.random(8), random.random(8)
        for operation, arguments in (("vector_add", (u, v)), ("matrix_multiply", (m, m)), ("dot_product", (u, v)), ("transpose", (m[:3],)),
                                     ("inverse", (m,)), ("fft", (u,)), ("convolution", (u, v[:3]))):
            found = {}
            for name in ("prism", "numpy"):
                with prism.use_backend(name):
                    found[name] = prism.registry.run(operation, *arguments)
                self.assertIsInstance(found[name], prism.Array)
            numpy.testing.assert_allclose(numpy.asarray(found["prism"]), numpy.asarray(found["numpy"]), rtol=1e-9, atol=1e-12, err_msg=operation)
        for name in ("prism", "numpy"):
            with prism.use_backend(name):
                left, s, right = prism.svd(m)
                w, vectors = prism.eigendecomposition(m)
                self.assertEqual((prism.svd(m).S.shape, prism.eigendecomposition(m).eigenvalues.shape), ((6,), (6,)))
            numpy.testing.assert_allclose(numpy.asarray(left) * numpy.asarray(s) @ numpy.asarray(right), m, atol=1e-10)
            numpy.testing.assert_allclose(m @ numpy.asarray(vectors), numpy.asarray(vectors) * numpy.asarray(w), atol=1e-9)

    def test_the_transform_is_called_like_the_other_operations_and_has_a_namespace(self):
        for name in ("prism", "numpy"):
            with prism.use_backend(name):
                self.assertEqual(numpy.asarray(prism.fft(prism.asarray([1.0, 3.0]))).tolist(), [4, -2])
        self.assertEqual(numpy.asarray(prism.fft.ifft(prism.fft.fft(prism.asarray([1.0, 3.0], dtype=prism.complex128)))).tolist(), [1, 3])

    def test_use_numpy_backend_is_for_its_block_only(self):
        a = prism.ones(4)
        with prism.use_numpy_backend():
            self.assertIn("use_backend('numpy') decides instead", prism.registry.explain("vector_add", a, a))
        self.assertNotIn("decides instead", prism.registry.explain("vector_add", a, a))
        with self.assertRaisesRegex(LookupError, "no backend 'cuda'; there are prism, numpy"):
            with prism.use_backend("cuda"):
                pass

    def test_what_a_program_registers_is_measured_chosen_explained_and_removed(self):
        a = prism.ones(1000)
        prism.registry.register_backend("slow", Slow, capabilities={"operations": ["vector_add", "failing"], "description": "sleeps"})
        chosen = prism.registry.get_optimal_backend_for_operation("vector_add", a, a)
        self.assertNotEqual(chosen, "slow")
        self.assertGreater(Slow.calls, 0)
        calls = Slow.calls
        self.assertEqual(prism.vector_add(a, a)[0].item(), 2)
        self.assertEqual(Slow.calls, calls) # the choice is kept
        self.assertRegex(prism.registry.explain("vector_add", a, a), r"slow: 2\d{4}\.\d us")
        Fast.answer = prism.zeros(1000)
        prism.registry.register_backend("fast", Fast)
        prism.registry.register_operation("fast", "vector_add", lambda instance: instance.vector_add)
        with prism.use_backend("fast"):
            self.assertEqual(prism.vector_add(a, a)[0].item(), 0)
        self.assertEqual(prism.registry.get_optimal_backend_for_operation("vector_add", a, a), "fast")
        prism.registry.unregister_backend("fast")
        self.assertEqual(prism.vector_add(a, a)[0].item(), 2)
        self.assertNotIn("fast", prism.registry.explain("vector_add", a, a))

    def test_numpy_can_be_removed_and_registered_as_in_the_documents(self):
        before = prism.registry.get_backend_info("numpy")
        prism.registry.unregister_backend("numpy")
        try:
            with self.assertRaisesRegex(LookupError, "no backend 'numpy'; there are prism"):
                with prism.use_numpy_backend():
                    pass
            prism.registry.register_backend("numpy", prism.NumpyBackend, capabilities={
                "operations": ["vector_add"], "architectures": ["x86_64", "arm64"], "description": "NumPy", "features": ["simd", "blas_optimizations"]})
            prism.registry.register_operation("numpy", "matrix_multiply", lambda instance: instance.matrix_multiply)
            self.assertEqual(prism.registry.get_backend_info("numpy")["operations"], ["matrix_multiply", "vector_add"])
            with prism.use_numpy_backend():
                for order in "CF": # rows or columns lie together
                    a = numpy.array([[1.0, 2.0], [3.0, 4.0]], order=order)
                    self.assertEqual(prism.matrix_multiply(a, a).tolist(), [[7, 10], [15, 22]])
        finally:
            prism.registry.unregister_backend("numpy")
            prism.registry.register_backend("numpy", prism.NumpyBackend, before)

    def test_failures_and_missing_operations_are_named(self):
        a = prism.ones(3)
        prism.registry.register_backend("slow", Slow, capabilities={"operations": ["failing"], "architectures": ["vax"]})
        with self.assertRaisesRegex(ValueError, "unregister_backend"):
            prism.registry.register_backend("slow", Slow)
        with prism.use_backend("slow"):
            with self.assertRaisesRegex(NotImplementedError, "it is for vax, not for"):
                prism.vector_add(a, a)
        prism.registry.unregister_backend("slow")
        prism.registry.register_backend("slow", Slow, capabilities={"operations": ["failing"]})
        with self.assertRaisesRegex(RuntimeError, "no luck"):
            prism.registry.run("failing", a)
        with self.assertRaisesRegex(LookupError, "no backend has the operation 'sing'"):
            prism.registry.run("sing", a)
        with self.assertRaises(ValueError):
            prism.vector_add(a, prism.ones(4))
        with self.assertRaisesRegex(ValueError, "stays"):
            prism.registry.unregister_backend("prism")

    def test_numpys_blas_and_its_threads_are_found(self):
        backend = prism.NumpyBackend()
        if backend.blas_type is None:
            self.skipTest("NumPy's BLAS has no number of threads that a program can set")
        self.assertIn(backend.blas_type, ("openblas", "mkl", "blis"))
        self.assertEqual(backend.thread_count("matrix_multiply", 1000), 1)
        self.assertGreaterEqual(backend.thread_count("matrix_multiply", 1 << 30), backend.thread_count("dot_product", 1 << 30))
        from prism import _numpy_backend
        before = _numpy_backend._blas()[3]()
        with _numpy_backend._threads(1):
            self.assertEqual(_numpy_backend._blas()[3](), 1)
        self.assertEqual(_numpy_backend._blas()[3](), before)
        with self.assertRaisesRegex(ValueError, "not on cuda"):
            prism.NumpyBackend("cuda")


unittest.main()
