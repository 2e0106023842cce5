"""The package `prism` on the device of PRISM_DEVICE_SELECTOR: python_test.py PACKAGE_FOLDER LIBRARY_OF_KERNELS."""
import gc
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
import unittest

KERNELS = sys.argv.pop()
FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism
from prism import Memory

try:
    import numpy
except ImportError:
    numpy = None


def of(data, dtype=None):
    return Memory.of(data, dtype, kind=KIND)


KIND = "shared"
try:
    Memory.of([1.0])
except prism.UnsupportedError:
    KIND = "device"


class Devices(unittest.TestCase):
    def test_devices_and_backends_are_listed(self):
        self.assertTrue(prism.devices())
        self.assertTrue(all(each.name and each.backend for each in prism.devices()))
        self.assertIn("available", {("available" if ok else "missing") for _, ok, _ in prism.backends()})
        self.assertGreaterEqual(prism.Device().limit("compute_units"), 1)
        self.assertIn(prism.Device().has("fp64"), (True, False))

    def test_a_scope_sets_the_default_device_of_its_thread(self):
        mine = prism.Device()
        with prism.device(mine) as inside:
            self.assertEqual(prism.Device(), inside)
        with prism.policy("priority=speed") as chosen:
            self.assertEqual(prism.Device(), chosen)

    def test_a_device_that_does_not_exist_is_named(self):
        with self.assertRaisesRegex(prism.NotFoundError, "Imaginary"):
            prism.Device("opencl:name=Imaginary")
        with self.assertRaisesRegex(LookupError, "reports no limit \"colour\"; it reports .*compute_units, .*max_group_size"):
            prism.Device().limit("colour")
        with self.assertRaisesRegex(TypeError, "the name of a limit is a text, not 3"):
            prism.Device().limit(3)

    def test_every_device_is_found_by_its_whole_name_and_by_its_pickle(self):
        for device in prism.devices():
            self.assertEqual(prism.Device(f"{device.backend}:name={device.name}"), device)
            self.assertEqual(pickle.loads(pickle.dumps(device)), device)

    def test_a_device_is_selected_as_by_the_environment(self):
        expression = os.environ.get("PRISM_DEVICE_SELECTOR", "")
        if not expression:
            self.skipTest("PRISM_DEVICE_SELECTOR is not set")
        self.assertIn(prism.Device(expression), prism.devices())
        self.assertIn(prism.Device(f"custom; {expression}"), prism.devices())

    def test_arrays_and_memory_are_made_where_a_described_device_runs(self):
        if not any(each.backend == "host" for each in prism.devices()):
            self.skipTest("described devices run on the host device, which this process does not have")
        prism.initialize(FOLDER.parents[1] / "samples/fleet/cloud.yaml")
        self.addCleanup(prism.initialize)
        for path in ("nvidia.h100", prism.find_device("aws.graviton", 3)):
            runs_on = prism.find_device(path).executes_on
            self.assertEqual(prism.zeros(3, device=path).device, runs_on)
            self.assertEqual(Memory.empty(3, device=path).device, runs_on)

    def test_explanations_are_tables(self):
        self.assertIn("\n", prism.explain("priority=speed"))
        self.assertIn("prism", prism.Device().explain("gemm"))


class Arrays(unittest.TestCase):
    """prism.Array: what it computes, checked by hand-made numbers, and its exchange with NumPy."""

    def test_an_expression_is_recorded_and_has_the_right_values(self):
        x = prism.asarray([[1, 2, 3], [4, 5, 6]], dtype=prism.float32)
        y = prism.sqrt(x * x + 0) * 2 - x[0]
        self.assertIn("1 launch", y.explain())
        self.assertEqual(y.tolist(), [[1, 2, 3], [7, 8, 9]])
        self.assertEqual((y.dtype, y.shape), (prism.float32, (2, 3)))
        self.assertEqual(prism.sum(x * 2, axis=0).tolist(), [10, 14, 18])
        self.assertEqual(float(x.max()), 6)

    def test_indices_get_and_set(self):
        x = prism.reshape(prism.arange(12), (3, 4))
        self.assertEqual(x[1:, ::-2].tolist(), [[7, 5], [11, 9]])
        self.assertEqual(x[x % 5 == 1].tolist(), [1, 6, 11])
        x[:, 0] = -1
        x[x > 8] = 0
        self.assertEqual(x.tolist(), [[-1, 1, 2, 3], [-1, 5, 6, 7], [-1, 0, 0, 0]])
        self.assertEqual(x[prism.asarray([2, 0])].shape, (2, 4))
        self.assertEqual(prism.asarray(5)[prism.asarray(True)].tolist(), [5])
        with self.assertRaisesRegex(IndexError, "out of range"):
            x[3]

    def test_types_and_shapes_that_do_not_fit_are_refused(self):
        with self.assertRaisesRegex(ValueError, r"\(2,\) and \(3,\)"):
            prism.ones(2) + prism.ones(3)
        with self.assertRaises(TypeError):
            prism.asarray([1, 2]) + "0.5"
        with self.assertRaises(ValueError):
            prism.nonzero(prism.asarray(1))

    def test_products_order_and_sets(self):
        a = prism.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=prism.float32)
        self.assertEqual((a @ a).tolist(), [[7, 10], [15, 22]])
        self.assertEqual(prism.tensordot(a, a, axes=2).item(), 30)
        self.assertEqual(prism.argsort(prism.asarray([3, 1, 2])).tolist(), [1, 2, 0])
        found = prism.unique_all(prism.asarray([2, 1, 2]))
        self.assertEqual((found.values.tolist(), found.counts.tolist(), found.inverse_indices.tolist()), ([1, 2], [1, 2], [1, 0, 1]))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_linear_algebra_of_stacks_agrees_with_numpy(self):
        values = numpy.random.default_rng(1).random((2, 3, 3)).astype(numpy.float32) + 2 * numpy.eye(3, dtype=numpy.float32)
        a, la, theirs = prism.asarray(values), prism.linalg, numpy.linalg

        def same(ours, wanted):
            numpy.testing.assert_allclose(numpy.asarray(ours), wanted, rtol=2e-4, atol=2e-4)
        q, r = la.qr(a)
        same(q @ r, values)
        same(la.inv(a), theirs.inv(values))
        same(la.solve(a, a[0, :, :2]), theirs.solve(values, numpy.broadcast_to(values[0, :, :2], (2, 3, 2))))
        for ours, wanted in zip(la.slogdet(a), theirs.slogdet(values)):
            same(ours, wanted)
        same(la.pinv(a[:, :, :2]), theirs.pinv(values[:, :, :2]))
        same(la.matrix_power(a, -2), theirs.matrix_power(values, -2))
        same(la.matrix_norm(a, ord="nuc"), theirs.norm(values, ord="nuc", axis=(-2, -1)))
        same(la.vector_norm(a, axis=1, ord=3), theirs.norm(values, ord=3, axis=1))
        same(la.eigvalsh(a @ a.mT), theirs.eigvalsh(values @ values.swapaxes(1, 2)))
        same(la.cross(a[0], a[1]), numpy.cross(values[0], values[1]))
        self.assertEqual(la.matrix_rank(a).tolist(), [3, 3])
        self.assertEqual(la.pinv(prism.zeros((0, 2, 3), dtype=prism.float32)).shape, (0, 3, 2))
        tolerances = numpy.array([0.5, 1e-12])
        self.assertEqual(la.matrix_rank(a, rtol=prism.asarray(tolerances)).tolist(), theirs.matrix_rank(values, theirs.svd(values)[1][:, 0] * tolerances).tolist())
        same(la.pinv(a, rtol=prism.asarray(tolerances)), theirs.pinv(values, tolerances))
        with self.assertRaises(ValueError):
            la.inv(prism.ones(3))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_transforms_along_any_axis_agree_with_numpy(self):
        values = numpy.random.default_rng(2).random((3, 4, 6))
        waves = values + 1j * values[::-1]
        ours, theirs = prism.fft, numpy.fft
        a, c = (prism.asarray(each.astype(kind)) for each, kind in ((values, numpy.float32), (waves, numpy.complex64)))
        for name, n, axis, norm in (("fft", None, 0, "ortho"), ("ifft", 8, 1, "backward"), ("rfft", 3, -1, "forward"), ("irfft", 7, -1, "backward"),
                                    ("hfft", 8, 0, "ortho"), ("ihfft", None, 1, "forward")):
            real = name in ("rfft", "ihfft")
            got = getattr(ours, name)(a if real else c, n=n, axis=axis, norm=norm)
            wanted = getattr(theirs, name)(values if real else waves, n=n, axis=axis, norm=norm)
            numpy.testing.assert_allclose(numpy.asarray(got), wanted, rtol=1e-4, atol=1e-4, err_msg=name)
        numpy.testing.assert_allclose(numpy.asarray(ours.irfftn(c, s=(4, 7), axes=(1, 2))), theirs.irfftn(waves, s=(4, 7), axes=(1, 2)), atol=1e-4)
        self.assertEqual(ours.ifftshift(ours.fftfreq(5, d=0.5)).tolist(), theirs.ifftshift(theirs.fftfreq(5, 0.5)).tolist())
        with self.assertRaisesRegex(ValueError, "8 of 4"):
            ours.fft(of([1.0, 2.0, 3.0, 4.0]), n=8)

    @unittest.skipUnless(numpy, "no NumPy")
    def test_numpy_reads_and_gives_arrays(self):
        x = prism.asarray(numpy.arange(6.0, dtype=numpy.float32).reshape(2, 3).T)
        self.assertEqual(x.tolist(), [[0, 3], [1, 4], [2, 5]])
        seen = numpy.asarray(x * 2)
        self.assertEqual(seen.tolist(), [[0, 6], [2, 8], [4, 10]])
        if prism.Device().backend == "host":
            view = numpy.asarray(x)
            view[0, 0] = 7
            self.assertEqual(x[0, 0].item(), 7)
            self.assertEqual(numpy.from_dlpack(x).tolist(), view.tolist())

    def test_a_pickled_array_comes_back_with_type_and_shape_on_the_default_device(self):
        x = prism.asarray([[1, 2, 3], [4, 5, 6]], dtype=prism.float32)
        for each in (x, x.T, x * 2 + 1, x[:0], x[1, 2], x > 2): # a view, an expression, no element, no dimension
            back = pickle.loads(pickle.dumps(each))
            self.assertEqual((back.tolist(), back.dtype, back.shape, back.device), (each.tolist(), each.dtype, each.shape, prism.Device()))

    def test_a_notebook_shows_a_small_array_as_a_table_and_a_large_one_as_text(self):
        x = prism.asarray([[1.5, 2], [3, 4]], dtype=prism.float32)
        self.assertEqual(x._repr_html_(), "<table><tr><td>1.5</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table><small>(2, 2), float32</small>")
        self.assertIn("<td>True</td>", prism.asarray(True)._repr_html_())
        self.assertEqual(prism.ones((2, 2, 2), dtype=prism.float32)._repr_html_().count("<pre>"), 1)
        self.assertIn("...", prism.ones(2000, dtype=prism.float32)._repr_html_())

    def test_arrays_in_the_scope_of_a_policy_are_made_and_computed_on_its_device(self):
        wanted = prism.devices()[-1]
        with prism.policy(f"require={wanted.backend}") as chosen:
            x = prism.ones((2, 3), dtype=prism.float32)
            y = prism.sum(x * 2 + 1, axis=0)
            self.assertIn("launch", prism.explain(y))
            self.assertEqual((chosen.backend, x.device, y.device, y.tolist()), (wanted.backend, chosen, chosen, [6, 6, 6]))
            self.assertIn(chosen.name, prism.explain(f"require={wanted.backend}"))


class Elements(unittest.TestCase):
    def test_lists_come_back_as_they_went(self):
        for data, dtype in (([[1, 2], [3, 4]], "int64"), ([1.5], "float64"), ([True, False], "bool"), ([1 + 2j], "complex128"), (7, "int64")):
            m = of(data)
            self.assertEqual((m.tolist(), m.dtype), (data, dtype))

    def test_views_share_their_elements(self):
        m = of([[1, 2, 3], [4, 5, 6]])
        self.assertEqual(m.T.tolist(), [[1, 4], [2, 5], [3, 6]])
        self.assertEqual(m[1, ::-1].tolist(), [6, 5, 4])
        self.assertEqual(m[..., None, 0].shape, (2, 1))
        self.assertEqual(m.reshape(-1, 2).tolist(), [[1, 2], [3, 4], [5, 6]])
        m[:, 1] = [8, 9]
        m[0, 0] = 7
        self.assertEqual(m.reshape(6).tolist(), [7, 8, 3, 4, 9, 6])
        m[1] = of([0, 1, 2], "float32")
        self.assertEqual(m[1].tolist(), [0, 1, 2])

    def test_wrong_indices_shapes_and_numbers_are_named(self):
        m = of([1, 2, 3])
        for call, error, text in ((lambda: m[3], IndexError, "3 elements"), (lambda: m[0, 0], IndexError, "2 indices"),
                                  (lambda: m["a"], IndexError, "str"), (lambda: m.reshape(2), ValueError, "3 elements"),
                                  (lambda: m[::2].reshape(2), ValueError, "contiguous"), (lambda: of([[1], [1, 2]]), ValueError, "different shapes"),
                                  (lambda: of(["a"]), TypeError, "str"), (lambda: of([300], "int8"), OverflowError, "int8"),
                                  (lambda: Memory.empty(-1), ValueError, "from 0, not -1"), (lambda: of([1], "float16"), TypeError, "float16"),
                                  (lambda: Memory.empty(2 ** 61), ValueError, "size in bytes of memory of the shape .* to 9223372036854775807, not 18446744073709551616"),
                                  (lambda: Memory.empty((2 ** 32, 2 ** 32)), ValueError, "size in bytes"),
                                  (lambda: Memory.empty("ab"), TypeError, "a shape is a whole number or a tuple of them, not 'ab'")):
            with self.assertRaisesRegex(error, text):
                call()

    def test_a_copy_and_a_pickle_are_equal(self):
        m = of([[1.5, 2], [3, 4]], "float32")[:, ::-1]
        self.assertEqual(m.copy().tolist(), m.tolist())
        with prism.device(m.device):
            if KIND == "shared":
                self.assertEqual(pickle.loads(pickle.dumps(m)).tolist(), m.tolist())
        self.assertEqual(m.astype("int32").tolist(), [[2, 1], [4, 3]])

    def test_a_buffer_is_the_memory_itself(self):
        if KIND == "device":
            with self.assertRaises(BufferError):
                of([1.0]).buffer()
            return
        m = of([[1, 2], [3, 4]], "int32")
        m.buffer()[1, 1] = 9
        self.assertEqual(m.tolist(), [[1, 2], [3, 9]])
        self.assertEqual(Memory.of(m.buffer()).tolist(), [[1, 2], [3, 9]])

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numpy_reads_and_writes_the_elements_where_they_are(self):
        m = of([[1.0, 2.0], [3.0, 4.0]])
        if KIND == "shared":
            there = numpy.asarray(m.T)
            there[0, 1] = 7
            self.assertEqual(m.tolist(), [[1, 2], [7, 4]])
            self.assertTrue((numpy.from_dlpack(m) == there.T).all())
        self.assertEqual(numpy.asarray(m).shape, (2, 2))
        self.assertEqual(Memory.of(numpy.arange(6).reshape(2, 3)[:, ::-1]).tolist(), [[2, 1, 0], [5, 4, 3]])

    def test_a_notebook_shows_a_table(self):
        self.assertIn("<td>2</td>", of([[1, 2]])._repr_html_())


class Operations(unittest.TestCase):
    def test_a_product_has_its_options(self):
        a, c = of([[1, 2], [3, 4]], "float32"), of([[1, 1], [1, 1]], "float32")
        prism.run("gemm", a, a.T, c, alpha=2, beta=-1)
        self.assertEqual(c.tolist(), [[9, 21], [21, 49]])

    def test_linear_algebra_solves_and_does_not_change_its_operands(self):
        a, b = of([[2, 1], [1, 3]], "float32"), of([3, 5], "float32")
        for left, right in zip(prism.linalg.solve(a, b).tolist(), (0.8, 1.4)):
            self.assertAlmostEqual(left, right, 5)
        self.assertEqual((a.tolist(), b.tolist()), ([[2, 1], [1, 3]], [3, 5]))
        self.assertAlmostEqual(prism.linalg.det(a), 5, 4)
        w, v = prism.linalg.eigh(a)
        self.assertAlmostEqual(sum(w.tolist()), 5, 4)
        self.assertAlmostEqual(prism.linalg.svd(a)[1].tolist()[0], w.tolist()[1], 4)
        self.assertAlmostEqual(prism.linalg.inv(a).tolist()[0][0], 0.6, 5)
        self.assertEqual(prism.linalg.cholesky(of([[4, 2], [2, 5]], "float32")).tolist(), [[2, 0], [1, 2]])

    def test_a_singular_matrix_raises(self):
        with self.assertRaisesRegex(prism.linalg.LinAlgError, "singular"):
            prism.linalg.solve(of([[1, 1], [1, 1]], "float32"), of([1, 2], "float32"))

    def test_a_transform_and_its_inverse_give_the_data_again(self):
        data = [[float(i * j % 5) for j in range(6)] for i in range(4)]
        m = of(data, "float32")
        for there, back in ((prism.fft.fft, prism.fft.ifft), (prism.fft.fft2, prism.fft.ifft2), (prism.fft.rfft, prism.fft.irfft)):
            again = back(there(m)).tolist()
            for row, wanted in zip(again, data):
                for x, y in zip(row, wanted):
                    self.assertAlmostEqual(complex(x).real, y, 4)
        self.assertAlmostEqual(prism.fft.fft(of([1, 2, 3, 4], "float32")).tolist()[1], -2 + 2j, 4)

    def test_wrong_operands_are_named(self):
        a = of([[1, 2], [3, 4]], "float32")
        for call, error, text in ((lambda: prism.run("jemm", a), prism.NotFoundError, "jemm\"; there are .*gemm, "), (lambda: prism.run("gemm", a, a), ValueError, "3 operands"),
                                  (lambda: prism.run("gemm", a, a, 3), TypeError, "Memory"), (lambda: prism.run("gemm", a, a, of([[1, 2], [3, 4]], "int32")), ValueError, "int32"),
                                  (lambda: prism.run("scal", a[0], size=3), TypeError, "no option 'size'; it has alpha"),
                                  (lambda: prism.run("trsm", a, a, uplo="up"), ValueError, "uplo is one of upper, lower, not 'up'"),
                                  (lambda: prism.linalg.inv("a"), TypeError, "prism.asarray makes arrays"),
                                  (lambda: prism.sin("a"), TypeError, "sin: argument 0: a str is not an array; prism.asarray makes arrays"),
                                  (lambda: prism.fft.hfft(prism.ones(4), norm="big"), ValueError, "norm is one of backward, ortho, forward, not 'big'")):
            with self.assertRaisesRegex(error, text):
                call()


class Kernels(unittest.TestCase):
    def setUp(self):
        self.library = prism.library(KERNELS)

    def test_kernels_take_numbers_memory_and_local_memory(self):
        x, y = of([1, 2, 3, 4], "float32"), of([1, 1, 1, 1], "float32")
        self.library.saxpy(2, x, y, range=4)
        self.assertEqual(y.tolist(), [3, 5, 7, 9])
        self.library.reverse_groups(y, 2, range=4, local=2)
        self.assertEqual(y.tolist(), [5, 3, 9, 7])
        cells = of([[0] * 3] * 2)
        self.library.number_cells(10, cells, range=(2, 3))
        self.assertEqual(cells.tolist(), [[0, 1, 2], [10, 11, 12]])

    def test_wrong_arguments_are_named(self):
        x = of([1, 2], "float32")
        for call, error, text in ((lambda: self.library.taxpy, AttributeError, "saxpy"), (lambda: self.library.saxpy(1, x, range=1), TypeError, "2 arguments, not 3"),
                                  (lambda: self.library.saxpy(1, of([1, 2]), x, range=1), TypeError, "float32, not of int64"),
                                  (lambda: self.library.saxpy(1, x[::-1], x, range=1), ValueError, "contiguous"),
                                  (lambda: self.library.saxpy(1, x, x, range=(1, 2)), TypeError, "1 extents"),
                                  (lambda: self.library.saxpy(1, x, x, range=2, local=2), ValueError, "over items"),
                                  (lambda: self.library.saxpy(1, x, x, range=2 ** 64 + 1), ValueError, "extent of range is a whole number from 0 to"),
                                  (lambda: self.library.saxpy("a", x, x, range=2), TypeError, "float needs a number that fits it, not 'a'"),
                                  (lambda: self.library.set_to(2 ** 31, of([0], "int64"), range=1), TypeError, "int32 needs a number that fits it, not 2147483648"),
                                  (lambda: self.library.reverse_groups(x, 2 ** 64 + 2, range=2, local=2), ValueError, "number of elements of local float"),
                                  (lambda: prism.library("/no/such.so"), LookupError, "no/such.so")):
            with self.assertRaisesRegex(error, text):
                call()


class Process(unittest.TestCase):
    def test_other_threads_run_while_a_call_waits(self):
        a = of([[float(i == j) for j in range(256)] for i in range(256)], "float32")
        counted, ended = [0], [False]

        def count():
            while not ended[0]:
                counted[0] += 1
                time.sleep(0.0001)
        thread = threading.Thread(target=count)
        thread.start()
        while counted[0] == 0:
            time.sleep(0.0001)
        before = counted[0]
        for _ in range(8):
            prism.linalg.svd(a)
        during, ended[0] = counted[0] - before, True
        thread.join()
        self.assertGreater(during, 3)

    def test_the_stubs_name_what_the_package_has(self):
        import ast
        stub = ast.parse((FOLDER / "prism/__init__.pyi").read_text())
        names = {each.name for each in stub.body if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and not each.name.startswith("_")}
        names |= {each.target.id for each in stub.body if isinstance(each, ast.AnnAssign)}
        self.assertEqual([each for each in sorted(names) if not hasattr(prism, each)], [])
        public = {each for each in dir(prism.Memory) if not each.startswith("_")}
        memory = next(each for each in stub.body if isinstance(each, ast.ClassDef) and each.name == "Memory")
        described = {getattr(each, "name", None) or each.target.id for each in memory.body if isinstance(each, (ast.FunctionDef, ast.AnnAssign))}
        self.assertEqual(public - described, set())

    def test_mypy_accepts_the_stubs_and_finds_a_wrong_use(self):
        mypy = [sys.executable, "-m", "mypy"]
        if subprocess.run([*mypy, "--version"], capture_output=True).returncode:
            self.skipTest("no mypy")
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for text, status in (("import prism\nx: prism.Memory = prism.Memory.of([1.0])\nprism.linalg.solve(x, x)\n", 0),
                                 ("import prism\nx = prism.linspace(prism.e, prism.pi, 3)\nx[prism.newaxis]\n"
                                  "prism.linalg.svd(x[:, None]).S.std()\nround(x), divmod(x, 2)\n", 0),
                                 ("import prism\nprism.Memory.of([1.0]).reshape('a')\n", 1)):
                (pathlib.Path(folder) / "use.py").write_text(text)
                done = subprocess.run([*mypy, "use.py"], cwd=folder, env={"MYPYPATH": str(FOLDER), "PATH": "/usr/bin"}, capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)


unittest.main()
