"""Programs written for NumPy and the package `prism`, on the host device: python_numpy_programs_test.py PACKAGE_FOLDER.

Arrays of NumPy as operands, what writes of NumPy change, NumPy's names and errors, and which modules `import prism` loads."""
import copy
import ctypes
import pathlib
import random
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

try:
    import numpy
except ImportError:
    numpy = None
F = prism.float32


def random_program(seed):
    """Lines that record expressions, take views and write elements of arrays v0, v1, ..., of six numbers each."""
    choose = random.Random(seed)
    lines, count = [], 2
    for _ in range(choose.randint(3, 14)):
        i, j, k = choose.randrange(count), choose.randrange(count), choose.randrange(6)
        line = choose.choice(("v.append(v[{i}] + v[{j}] * 2)", "v.append(v[{i}] * 3 - 1)", "v.append(v[{i}][::-1])", "v[{i}][1:4] = copy.copy(v[{j}][2:5])",
                              "v[{i}][:] = v[{j}] + 1", "v[{i}] += copy.copy(v[{j}])", "v[{i}] *= 2", "v[{i}][{k}] = 9.0"))
        count += "append" in line
        lines.append(line.format(i=i, j=j, k=k))
    return lines


@unittest.skipUnless(numpy, "needs NumPy")
class Writes(unittest.TestCase):
    def test_expressions_have_the_elements_of_their_recording_when_arrays_are_written_later(self):
        for seed in range(500):
            theirs = [numpy.arange(6.0) + 1, numpy.ones(6) * 2]
            ours = [prism.asarray(each) for each in theirs]
            lines = random_program(seed)
            for line in lines:
                for v in (theirs, ours):
                    exec(line, {"v": v, "copy": copy})
            for a, b in zip(theirs, ours):
                self.assertEqual(a.tolist(), b.tolist(), f"seed {seed}: {lines}")


@unittest.skipUnless(numpy, "needs NumPy")
class Matrices(unittest.TestCase):
    def test_stacks_without_matrices_and_matrices_without_elements_have_numpys_shapes(self):
        names = ("det", "inv", "cholesky", "eigh", "qr", "svd", "pinv", "slogdet", "eigvalsh")
        for shape in ((2, 0, 0), (0, 3, 3), (0, 0, 0)):
            ours, theirs = prism.zeros(shape), numpy.zeros(shape)
            pairs = [(getattr(prism.linalg, name)(ours), getattr(numpy.linalg, name)(theirs)) for name in names]
            columns = (*shape[:-1], 1)
            pairs.append((prism.linalg.solve(ours, prism.zeros(columns)), numpy.linalg.solve(theirs, numpy.zeros(columns))))
            pairs.append((prism.linalg.matrix_power(ours, 2), numpy.linalg.matrix_power(theirs, 2)))
            for a, b in pairs:
                for each, other in zip(a if isinstance(a, tuple) else (a,), b if isinstance(b, tuple) else (b,)):
                    self.assertEqual((each.shape, each.dtype.name), (other.shape, other.dtype.name))
            self.assertEqual(prism.linalg.matrix_rank(ours).shape, shape[:-2])
        for shape in ((7, 0), (0, 7), (2, 3, 0)):
            self.assertEqual(prism.linalg.pinv(prism.zeros(shape)).shape, numpy.linalg.pinv(numpy.zeros(shape)).shape)

    def test_svd_has_whole_factors_unless_the_reduced_ones_are_asked(self):
        for shape in ((3, 2), (2, 3), (4, 4), (4, 3, 2), (2, 2, 5), (7, 0)):
            theirs = numpy.random.default_rng(1).random(shape)
            k = min(shape[-2:])
            for options in ({}, {"full_matrices": True}, {"full_matrices": False}):
                u, s, vh = map(numpy.asarray, prism.linalg.svd(prism.asarray(theirs), **options))
                for each, other in zip((u, s, vh), numpy.linalg.svd(theirs, **options)):
                    self.assertEqual(each.shape, other.shape)
                numpy.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], theirs, atol=1e-12)
                for each in (numpy.swapaxes(u, -1, -2) @ u, vh @ numpy.swapaxes(vh, -1, -2)):
                    numpy.testing.assert_allclose(each, numpy.broadcast_to(numpy.eye(each.shape[-1]), each.shape), atol=1e-12)


@unittest.skipUnless(numpy, "needs NumPy")
class Products(unittest.TestCase):
    def test_tensordot_takes_axes_of_arrays_with_unlike_dimensions(self):
        random = numpy.random.default_rng(1)
        for left, right, axes in (((2, 3, 4), (4, 5), ([2], [0])), ((3,), (2, 3), ([0], [1])), ((2, 3, 4), (4, 3, 2), ([0, 1], [2, 1])),
                                  ((2, 3), (3, 2), ([-1], [0])), ((2,), (3,), 0)):
            a, b = random.random(left), random.random(right)
            numpy.testing.assert_allclose(numpy.asarray(prism.tensordot(prism.asarray(a), prism.asarray(b), axes=axes)), numpy.tensordot(a, b, axes))
        for axes in (([2], [0]), ([0], [3]), 3, ([-3], [0])):
            with self.assertRaisesRegex(ValueError, "have no axes"):
                prism.tensordot(prism.ones((2, 2)), prism.ones((2, 2)), axes=axes)

    def test_a_mask_without_elements_fits_each_extent(self):
        self.assertEqual(prism.zeros((0, 1))[prism.zeros((0, 0), dtype=prism.bool)].shape, (0,))
        with self.assertRaises(IndexError):
            prism.zeros((2, 3))[prism.zeros((2, 2), dtype=prism.bool)]


@unittest.skipUnless(numpy, "needs NumPy")
class Operands(unittest.TestCase):
    def test_numbers_of_the_other_byte_order_are_the_same_numbers(self):
        theirs = numpy.array([1.0, 2, 3], ">f8")
        x = prism.zeros(3)
        x[:] = theirs
        for out in (prism.asarray(theirs), prism.zeros(3) + theirs, theirs + prism.zeros(3), prism.Memory.of(theirs), x,
                    prism.asarray(theirs.astype("<f8")), prism.sqrt(theirs * theirs)):
            self.assertEqual(out.tolist(), [1, 2, 3])
        self.assertEqual(prism.asarray([5.0, 6.0, 7.0])[numpy.array([0, 2], ">i8")].tolist(), [5, 7])
        memory = prism.Memory.of([0.0, 0.0, 0.0])
        memory[:] = theirs
        self.assertEqual(memory.tolist(), [1, 2, 3])

    def test_every_kind_of_function_takes_arrays_of_numpy(self):
        x, square = numpy.arange(3.0), numpy.array([[2.0, 1.0], [1.0, 3.0]])
        for ours, theirs in ((prism.sin(x), numpy.sin(x)), (prism.sum(x), 3), (prism.sum(x, dtype=F), 3), (prism.fft.fft(x), numpy.fft.fft(x)),
                             (prism.maximum(x, prism.ones(3)), numpy.maximum(x, 1)), (prism.concat([x, prism.ones(1)]), [0, 1, 2, 1]),
                             (prism.stack([x, x]), [x, x]), (prism.expand_dims(x, axis=0), [x]), (prism.reshape(x, (3, 1)), x[:, None]),
                             (prism.vecdot(x, x), 5), (prism.sort(-x), [-2, -1, 0]), (prism.zeros_like(x), [0, 0, 0]),
                             (prism.linalg.inv(square), numpy.linalg.inv(square)), (prism.linalg.solve(square, x[:2]), numpy.linalg.solve(square, x[:2])),
                             (prism.linalg.trace(square), 5), (prism.fft.fftn(square), numpy.fft.fftn(square)), (prism.take(x, numpy.array([2])), [2]),
                             (prism.where(x > 0, x, prism.ones(3)), [1, 1, 2]), (prism.matmul(square, square), square @ square)):
            numpy.testing.assert_allclose(numpy.asarray(ours), theirs, atol=1e-6)
        self.assertIs(prism.result_type(x, F), prism.float64)

    def test_numpys_reductions_reduce_arrays(self):
        x = prism.asarray([[1.0, 2.0], [3.0, 5.0]])
        for name in ("sum", "mean", "prod", "min", "max", "std", "var", "argmax", "argmin", "any", "all"):
            theirs = getattr(numpy, name)
            for axis in (None, 0, 1):
                numpy.testing.assert_allclose(numpy.asarray(theirs(x, axis=axis)), theirs(numpy.asarray(x), axis=axis))
        self.assertEqual(numpy.cumsum(x).tolist(), [1, 3, 6, 11])
        self.assertIs(x.sum(dtype=F).dtype, F)
        self.assertAlmostEqual(x.std(ddof=1).item(), numpy.asarray(x).std(ddof=1))
        with self.assertRaisesRegex(TypeError, "out must be None"):
            numpy.sum(x, out=numpy.zeros(()))


@unittest.skipUnless(numpy, "needs NumPy")
class Buffers(unittest.TestCase):
    def test_a_recorded_result_has_the_numbers_from_before_a_write_of_numpy(self):
        for give in (numpy.asarray, memoryview, prism.from_dlpack, lambda x: numpy.ctypeslib.as_array((ctypes.c_double * 4).from_address(x.pointer))):
            x = prism.arange(4.0)
            y = x * 2
            shared = give(x)
            (numpy.asarray(shared) if isinstance(shared, memoryview) else shared)[:] = numpy.zeros(4)
            self.assertEqual((shared.tolist(), y.tolist(), x.tolist()), ([0, 0, 0, 0], [0, 2, 4, 6], [0, 0, 0, 0]), give)

    def test_the_buffer_of_a_broadcast_array_is_read_only(self):
        x = prism.arange(3.0)
        self.assertFalse(numpy.asarray(prism.broadcast_to(x, (2, 3))).flags.writeable)
        self.assertTrue(memoryview(prism.broadcast_to(x, (2, 3))).readonly)
        self.assertTrue(numpy.asarray(x).flags.writeable)
        self.assertTrue(numpy.asarray(prism.broadcast_to(x, (1, 3))).flags.writeable)


class Names(unittest.TestCase):
    def test_reshape_without_a_copy_is_a_view_or_an_error(self):
        x = prism.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        view = prism.reshape(x, (3, 2), copy=False)
        view[0, 0] = 9
        self.assertEqual(x[0, 0].item(), 9)
        with self.assertRaisesRegex(ValueError, "needs a copy"):
            prism.reshape(x.T, (6,), copy=False)
        self.assertEqual(prism.reshape(x.T, (6,)).shape, (6,))

    def test_copies_stay_on_the_device_and_share_nothing(self):
        x = prism.ones(3, dtype=F)
        for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
            made[0] = 7
            self.assertEqual((x.tolist(), made.device), ([1, 1, 1], x.device))
        self.assertIs(prism.Array.__copy__(x).dtype, F)
        self.assertIn("__deepcopy__", vars(prism.Array))

    def test_vecdot_refuses_axes_of_different_extents(self):
        for shapes in (((2, 3), (2, 1)), ((3,), (1,)), ((2, 3), (1,))):
            with self.assertRaisesRegex(ValueError, "the axis has"):
                prism.vecdot(*map(prism.ones, shapes))
        self.assertEqual(prism.vecdot(prism.ones((2, 3)), prism.ones(3)).tolist(), [3, 3])
        self.assertEqual(prism.vecdot(prism.ones((2, 3)), prism.ones((2, 3)), axis=0).tolist(), [2, 2, 2])

    def test_systems_are_solved_in_every_layout_of_the_matrix_and_with_any_number_of_right_sides(self):
        rng = numpy.random.default_rng(1)
        for kind in ("float32", "complex128"):
            for n, k in ((1, 1), (3, 0), (5, 2), (17, 20), (70, 3)):
                a = rng.random((2 * n, 2 * n)) + (1j * rng.random((2 * n, 2 * n)) if kind == "complex128" else 0)
                a[range(0, 2 * n), range(0, 2 * n)] += 4 * n
                b, whole = rng.random((n, k)).astype(kind), prism.asarray(a.astype(kind))
                for part in (lambda m: m[:n, :n], lambda m: m[::2, ::2], lambda m: m[:n, :n].T, lambda m: m[::-1, ::-1][:n, :n]):
                    for changed, expected in ((part(whole), part(a)), (prism.conj(part(whole)), numpy.conj(part(a)))):
                        found, right = numpy.asarray(prism.linalg.solve(changed, prism.asarray(b))), numpy.linalg.solve(expected, b)
                        self.assertEqual((found.shape, found.dtype), (right.shape, numpy.dtype(kind)))
                        numpy.testing.assert_allclose(found, right, rtol=1e-4 if kind == "float32" else 1e-10, atol=1e-6)

    def test_indices_and_axes_out_of_range_raise_an_index_error_that_is_a_value_error(self):
        x = prism.ones((2, 3))
        wrong = (lambda: x[prism.asarray([5])], lambda: x[prism.asarray([True, False, True])], lambda: prism.take(x, prism.asarray([5]), axis=1),
                 lambda: prism.take(x, prism.asarray([0]), axis=2), lambda: prism.expand_dims(x, axis=3), lambda: prism.stack([x, x], axis=-4),
                 lambda: prism.sum(x, axis=2), lambda: x.max(axis=-3), lambda: prism.flip(x, axis=2), lambda: prism.concat([x, x], axis=2),
                 lambda: prism.sort(x, axis=4), lambda: prism.squeeze(x, axis=5), lambda: prism.vecdot(x, x, axis=2))
        for call in wrong:
            for kind in (IndexError, ValueError, prism.InvalidError):
                self.assertRaises(kind, lambda: call().tolist())
        with self.assertRaisesRegex(IndexError, "of an array of 2 dimensions; it may be at -3 to 2"):
            prism.expand_dims(x, axis=3)
        with self.assertRaises(ValueError) as raised:
            prism.ones(2) + prism.ones(3)
        self.assertNotIsInstance(raised.exception, IndexError)

    def test_a_diagonal_outside_of_the_matrix_is_empty(self):
        for k in (2 ** 63, -2 ** 63, 2 ** 63 - 1, 10 ** 30, 3, -3):
            self.assertEqual(prism.eye(2, k=k).tolist(), [[0, 0], [0, 0]])
        self.assertEqual(prism.eye(2, 3, k=1).tolist(), [[0, 1, 0], [0, 0, 1]])

    def test_arrays_have_methods_and_operators_of_numpys(self):
        x = prism.asarray([[1.5, 2.0], [3.0, 4.0]])
        self.assertEqual((x.cumsum().tolist(), x.cumsum(0).tolist()), ([1.5, 3.5, 6.5, 10.5], [[1.5, 2], [4.5, 6]]))
        self.assertEqual((x.T.ravel().tolist(), x.T.flatten().tolist()), ([1.5, 3, 2, 4], [1.5, 3, 2, 4]))
        x.ravel()[0] = 1
        self.assertEqual(x[0, 0].item(), 1)
        self.assertEqual(round(prism.asarray([1.2, 2.7])).tolist(), [1, 3])
        quotient, rest = divmod(prism.asarray([7, 9]), 4)
        self.assertEqual((quotient.tolist(), rest.tolist()), ([1, 2], [3, 1]))
        self.assertEqual([each.tolist() for each in divmod(9, prism.asarray([2, 4]))], [[4, 2], [1, 1]])
        self.assertEqual(f"{prism.asarray(1.256):.2f}", "1.26")
        self.assertRaises(TypeError, format, x, ".2f")
        self.assertEqual((prism.ones((1, 2, 1)).squeeze().shape, prism.ones((1, 2)).squeeze(0).shape, prism.asarray(1.0).squeeze().shape), ((2,), (2,), ()))
        self.assertIs(prism.zeros(2, dtype="f4").dtype, F)
        self.assertIs(prism.dtype("<i8"), prism.int64)
        self.assertRaises(TypeError, prism.dtype, ">f4")


    def test_functions_of_numpys_agree_with_numpy(self):
        x, y = prism.asarray([[1, 4, 9], [2, 2, 7]]), prism.asarray([1, 0, 2])
        self.assertEqual((prism.diff(x).tolist(), prism.diff(x, axis=0).tolist(), prism.diff(x, n=2).tolist()), ([[3, 5], [0, 5]], [[1, -2, -2]], [[2], [5]]))
        self.assertEqual(prism.diff(prism.asarray([True, False, False])).tolist(), [True, False])
        self.assertEqual((prism.dot(x, y).tolist(), prism.dot(y, y).item(), prism.dot(x, prism.asarray(2)).tolist()), ([19, 16], 5, [[2, 8, 18], [4, 4, 14]]))
        self.assertEqual(prism.dot(prism.ones((2, 2, 3)), prism.ones((4, 3, 5))).shape, (2, 2, 4, 5))
        self.assertEqual((prism.outer(y, y).tolist(), prism.cumsum(x).tolist()), ([[1, 0, 2], [0, 0, 0], [2, 0, 4]], [1, 5, 14, 16, 18, 25]))
        self.assertEqual((prism.squeeze(prism.ones((1, 2, 1))).shape, prism.squeeze(prism.asarray(1.0)).shape), ((2,), ()))
        near, far = [1.0, float("inf"), float("nan"), 3.0], [1.0 + 1e-9, float("inf"), float("nan"), float("inf")]
        a, b = prism.asarray(near), prism.asarray(far)
        self.assertEqual((prism.isclose(a, b).tolist(), prism.isclose(a, b, equal_nan=True).tolist()), ([True, True, False, False], [True, True, True, False]))
        self.assertIs(prism.allclose(prism.asarray([1, 2], dtype=prism.uint8), prism.asarray([1, 2])), True)
        self.assertIs(prism.allclose(prism.ones(3, dtype=F), 1.1), False)

    def test_arrays_are_made_of_ranges_and_lists_of_arrays(self):
        x = prism.asarray([1, 2], dtype=F)
        both = prism.asarray([x, x])
        self.assertEqual((prism.asarray(range(3)).tolist(), both.tolist(), prism.asarray([[x, x]]).shape), ([0, 1, 2], [[1, 2], [1, 2]], (1, 2, 2)))
        self.assertIs(both.dtype, F)
        self.assertEqual(prism.asarray([x[0], 3.0]).tolist(), [1, 3])


class Import(unittest.TestCase):
    RARE = {"asyncio", "dataclasses", "http", "http.server", "inspect", "logging", "numpy", "socket", "ssl", "subprocess", "tempfile", "typing", "urllib.request",
            "prism.backend", "prism.chemistry", "prism.genomics", "prism.physics", "prism.postprocessing", "prism.quantum_field", "prism._kernel", "prism._policy"}

    def loaded(self, program):
        program = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); before = set(sys.modules); {program}; print(*sorted(set(sys.modules) - before))"
        return set(subprocess.run([sys.executable, "-B", "-c", program], check=True, capture_output=True, text=True).stdout.split())

    def test_import_loads_no_module_that_few_programs_use(self):
        loaded = self.loaded("import prism")
        self.assertIn("prism._array", loaded)
        self.assertEqual(sorted(loaded & self.RARE), [])

    def test_a_name_loads_its_module_at_its_first_use(self):
        self.assertIn("prism.genomics", self.loaded("from prism import SequenceAligner"))
        self.assertIn("prism.chemistry", self.loaded("import prism; prism.chemistry.__name__"))
        self.assertIn("prism.backend", self.loaded("from prism import *; detect_devices"))
        self.assertLessEqual({"genomics", "Pipeline", "asarray", "backend"}, set(dir(prism)) & set(prism.__all__))
        self.assertEqual([name for name in prism.__all__ if not hasattr(prism, name)], [])
        with self.assertRaisesRegex(AttributeError, "no attribute 'colour'"):
            prism.colour


unittest.main()
