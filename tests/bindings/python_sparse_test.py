"""prism.sparse against dense matrices of NumPy, and SciPy's where it is installed, on the device of PRISM_DEVICE_SELECTOR:
python_sparse_test.py PACKAGE_FOLDER."""
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

try:
    import numpy
except ImportError:
    print("skipped: needs NumPy")
    sys.exit(77)
try:
    import scipy.sparse
except ImportError:
    scipy = None
TYPES = ("float32", "complex64") + (("float64", "complex128") if prism.Device().has("fp64") else ())
FORMATS = ("csr", "csc", "coo", "bsr")
MAKERS = {"csr": prism.sparse.csr_array, "csc": prism.sparse.csc_array, "coo": prism.sparse.coo_array, "bsr": prism.sparse.bsr_array}


def dense(rows, columns, kind, seed, share=0.3):
    random = numpy.random.default_rng(seed)
    values = random.standard_normal((rows, columns)) + (1j * random.standard_normal((rows, columns)) if kind[0] == "c" else 0)
    return numpy.where(random.random((rows, columns)) < share, values, 0).astype(kind)


class Sparse(unittest.TestCase):
    def near(self, ours, theirs):
        ours = numpy.asarray(ours)
        self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype))
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)

    def test_every_format_has_the_products_of_its_dense_matrix(self):
        for kind in TYPES:
            theirs = dense(6, 8, kind, 1)
            vector, columns, wide = dense(8, 1, kind, 2, 1)[:, 0], dense(8, 3, kind, 3, 1), dense(6, 2, kind, 4, 1)
            for name in FORMATS:
                a = MAKERS[name](prism.asarray(theirs), **({"blocksize": 2} if name == "bsr" else {}))
                self.assertEqual((a.format, a.shape, a.dtype.name), (name, (6, 8), kind))
                self.near(a @ prism.asarray(vector), theirs @ vector)
                self.near(a @ columns, theirs @ columns)
                self.near(a.T @ prism.asarray(wide), theirs.T @ wide)
                self.near(prism.sparse.multiply(a, prism.asarray(wide), op="transposed"), theirs.T @ wide)
                self.near(prism.sparse.multiply(a, prism.asarray(wide), op="adjoint"), theirs.conj().T @ wide)
                self.near(a.toarray(), theirs)
                self.near(a.T.toarray(), theirs.T)

    def test_formats_convert_into_each_other(self):
        theirs = dense(6, 4, "float32", 1)
        for name in FORMATS:
            for other in FORMATS:
                options = {"blocksize": 2} if other == "bsr" else {}
                a = MAKERS[other](MAKERS[name](theirs), **options)
                self.assertEqual(a.format, other)
                self.near(a.toarray(), theirs)
        a = prism.sparse.csr_array(theirs)
        self.assertEqual(a.nnz, numpy.count_nonzero(theirs))
        self.assertEqual((a.tobsr(2).blocksize, a.tocsr() is a), ((2, 2), True))

    def test_products_of_sparse_matrices_are_sparse(self):
        for kind in TYPES:
            first, second = dense(5, 7, kind, 1), dense(7, 4, kind, 2)
            for name in FORMATS:
                product = MAKERS[name](first) @ prism.sparse.csc_array(second)
                self.assertEqual((product.format, product.shape), ("csr", (5, 4)))
                self.near(product.toarray(), first @ second)

    def test_coordinates_that_stand_twice_are_added(self):
        a = prism.sparse.coo_array(([1.0, 2.0, 4.0], ([0, 1, 0], [2, 0, 2])), shape=(2, 3), dtype="float32")
        self.assertEqual(a.toarray().tolist(), [[0, 0, 5], [2, 0, 0]])
        self.assertEqual((a.tocsr().nnz, a.nnz, a.row.tolist(), a.col.tolist()), (2, 3, [0, 1, 0], [2, 0, 2]))
        made = prism.sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 1])), dtype="float32")
        self.assertEqual((made.format, made.shape, made.indptr.tolist(), made.indices.tolist()), ("csr", (2, 2), [0, 1, 2], [1, 1]))

    def test_blocks_are_given_as_scipy_has_them(self):
        data = numpy.arange(1.0, 9.0, dtype="f4").reshape(2, 2, 2)
        a = prism.sparse.bsr_array((data, [1, 0], [0, 1, 2]), shape=(4, 4))
        wanted = numpy.zeros((4, 4), "f4")
        wanted[:2, 2:], wanted[2:, :2] = data
        self.near(a.toarray(), wanted)
        self.near(a @ numpy.arange(4, dtype="f4"), wanted @ numpy.arange(4, dtype="f4"))

    def test_a_stored_triangle_stands_for_the_whole_matrix(self):
        for kind in TYPES:
            whole = dense(5, 5, kind, 1)
            whole = whole + whole.conj().T
            x = prism.asarray(dense(5, 1, kind, 2, 1)[:, 0])
            for part, symmetry in ((numpy.tril(whole), "hermitian_lower"), (numpy.triu(whole), "hermitian_upper")):
                self.near(prism.sparse.multiply(prism.sparse.csr_array(part), x, symmetry=symmetry), whole @ numpy.asarray(x))

    def test_triangular_systems_are_solved(self):
        for kind in TYPES:
            theirs = dense(6, 6, kind, 1) + 4 * numpy.eye(6, dtype=kind)
            b = dense(6, 2, kind, 2, 1)
            for name in FORMATS[:3]:
                a = MAKERS[name](theirs)
                for lower in (True, False):
                    triangle = numpy.tril(theirs) if lower else numpy.triu(theirs)
                    self.near(triangle @ numpy.asarray(prism.sparse.solve_triangular(a, b, lower=lower)), b)
                    self.near(triangle.conj().T @ numpy.asarray(prism.sparse.solve_triangular(a, b[:, 0], lower=lower, op="adjoint")), b[:, 0])
                    unit = triangle - numpy.diag(numpy.diag(triangle)) + numpy.eye(6, dtype=kind)
                    self.near(unit @ numpy.asarray(prism.sparse.solve_triangular(a, b, lower=lower, unit_diagonal=True)), b)

    def test_matrices_without_values_or_rows_have_products(self):
        for shape in ((3, 2), (0, 2), (3, 0)):
            for name in FORMATS:
                a = MAKERS[name](numpy.zeros(shape, "f4"))
                self.assertEqual((a @ prism.ones((shape[1],), dtype="float32")).tolist(), [0] * shape[0])
                self.assertEqual(a.toarray().shape, shape)

    def test_values_may_change_and_integers_of_any_type_are_indices(self):
        data = prism.asarray([1.0, 2.0], dtype="float32")
        a = prism.sparse.csr_array((data, numpy.array([1, 0], "i8"), numpy.array([0, 1, 2], "u2")), shape=(2, 2))
        x = prism.asarray([1.0, 10.0], dtype="float32")
        self.assertEqual((a @ x).tolist(), [10, 2])
        data[0] = 5
        self.assertEqual((a @ x).tolist(), [50, 2])
        self.assertIn("2x2", repr(a))

    @unittest.skipUnless(scipy, "needs SciPy")
    def test_matrices_of_scipy_are_taken(self):
        theirs = scipy.sparse.random(20, 30, 0.2, "csr", dtype="f4", random_state=1)
        for name in FORMATS:
            a = MAKERS[name](theirs.asformat("csc"))
            self.near(a.toarray(), theirs.toarray())
        a, x = prism.sparse.csr_array(theirs), numpy.arange(30, dtype="f4")
        self.near(a @ x, theirs @ x)
        back = scipy.sparse.csr_array(tuple(map(numpy.asarray, (a.data, a.indices, a.indptr))), shape=a.shape)
        self.assertEqual(abs(back - theirs).max(), 0)

    def test_wrong_matrices_and_operands_are_named(self):
        make, x = prism.sparse.csr_array, prism.ones(3, dtype="float32")
        a = make(([1.0], [0], [0, 1, 1]), shape=(2, 3), dtype="float32")
        for error, words, call in (
                (ValueError, "index 0 is 3", lambda: make(([1.0], [3], [0, 1, 1]), shape=(2, 3))), (ValueError, "offsets", lambda: make(([1.0], [0], [0, 1]), shape=(2, 3))),
                (ValueError, "last offset", lambda: make(([1.0], [0], [0, 1, 2]), shape=(2, 3))), (ValueError, "values for", lambda: make(([1.0, 2.0], [0], [0, 1]), shape=(1, 3))),
                (ValueError, "int64", lambda: make(([1], [0], [0, 1]), shape=(1, 3))), (TypeError, "integers", lambda: make(([1.0], [0.5], [0, 1]), shape=(1, 3))),
                (ValueError, "32 bits", lambda: make(([1.0], numpy.array([2 ** 32]), [0, 1]), shape=(1, 3))), (ValueError, "rows instead of 3", lambda: a @ x[:2]),
                (TypeError, "unsupported operand", lambda: a @ "x"), (TypeError, "prism.Array", lambda: a.dot(3)), (TypeError, "sparse matrix", lambda: prism.sparse.multiply(x, x)),
                (ValueError, "diagonal", lambda: prism.sparse.solve_triangular(make(numpy.zeros((2, 2), "f4")), x[:2])), (ValueError, "whole blocks", lambda: a.tobsr(2)),
                (ValueError, "square", lambda: a.tobsr((1, 2))), (ValueError, "op is one of", lambda: prism.sparse.multiply(a, x, op="inverse")),
                (AttributeError, "csr matrix has no row", lambda: a.row), (ValueError, "product of", lambda: a @ a), (TypeError, "sparse matrix is not an array", lambda: prism.sin(a))):
            with self.assertRaisesRegex(error, words):
                call()


unittest.main()
