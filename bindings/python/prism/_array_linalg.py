"""The linear algebra of the Array API standard on prism.Array, by the functions of prism.h. Matrices are the last two axes."""
from collections import namedtuple

from . import _c
from . import _functions as xp
from . import _given as given
from ._array import Array, Shape, call, call_all
from ._dtype import complex128, complex64, float32, float64

QR = namedtuple("QRResult", "Q R")
Slogdet = namedtuple("SlogdetResult", "sign logabsdet")
Eig = namedtuple("EigResult", "eigenvalues eigenvectors")
Eigh = namedtuple("EighResult", "eigenvalues eigenvectors")
Svd = namedtuple("SVDResult", "U S Vh")
Lstsq = namedtuple("LstsqResult", "x residuals rank s")


def real_of(dtype):
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


class LinAlgError(ValueError):
    """A matrix is singular, not positive definite, or its iteration did not converge."""


def _result(get):
    try:
        return get()
    except _c.Error as why:
        if "(info is " in str(why): # how prism/array/linalg.hpp names a matrix that has no result
            raise LinAlgError(str(why)) from None
        raise


def result_of(name, *operands):
    """The array of a function of prism.h."""
    return _result(lambda: call(name, *operands))


def results_of(name, *operands):
    return _result(lambda: call_all(name, *operands))


def _tolerance(rtol):
    return rtol if rtol is None or isinstance(rtol, Array) else given.real(rtol, "rtol")


class array_linalg:
    """The linear algebra of arrays."""

    matmul = staticmethod(xp.matmul)
    matrix_transpose = staticmethod(xp.matrix_transpose)
    tensordot = staticmethod(xp.tensordot)
    vecdot = staticmethod(xp.vecdot)

    @staticmethod
    @xp._of_arrays(2)
    def cross(x1, x2, /, *, axis=-1):
        """The vector product along an axis of 3 elements."""
        return call("linalg.cross", x1, x2, given.whole(axis, "cross: axis", -2 ** 62))

    @staticmethod
    @xp._of_arrays(1)
    def diagonal(x, /, *, offset=0):
        """The diagonals of matrices (..., m, n), `offset` places above the main one: (..., min(m, n)) where offset is 0."""
        return call("linalg.diagonal", x, given.whole(offset, "the offset of a diagonal", -2 ** 62))

    @staticmethod
    def trace(x, /, *, offset=0, dtype=None):
        """The sums of the diagonals: (...) of (..., m, n). dtype: of the sums."""
        return xp.sum(array_linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)

    @staticmethod
    @xp._of_arrays(2)
    def outer(x1, x2, /):
        """The products of each element of x1 with each of x2: (m, n) of (m,) and (n,). ValueError for other shapes."""
        return call("linalg.outer", x1, x2)

    @staticmethod
    @xp._of_arrays(1)
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        """The norm of order `ord` along the axes (default: all): 2, 1, 0 (how many are not zero), inf, -inf or any other number."""
        return call("linalg.vector_norm", x, axis, keepdims, given.real(ord, "the order of a norm"))

    @staticmethod
    @xp._of_arrays(1)
    def matrix_norm(x, /, *, keepdims=False, ord="fro"):
        """The norms of matrices: (...) of (..., m, n). ord: "fro", "nuc", 1, 2, inf, or -1, -2, -inf. ValueError for another one."""
        order = ord if isinstance(ord, str) else given.real(ord, "the order of a norm")
        return result_of("linalg.matrix_norm", x, order, keepdims)

    @staticmethod
    @xp._of_arrays(1)
    def matrix_power(x, n, /):
        """The n-th power of square matrices; below 0 of their inverses. ValueError for a shape that is not square, LinAlgError for a
        matrix without an inverse."""
        return result_of("linalg.matrix_power", x, given.whole(n, "the power of a matrix", -2 ** 62))

    @staticmethod
    @xp._of_arrays(1)
    def matrix_rank(x, /, *, rtol=None):
        """How many singular values are above rtol times the largest: integers (...) of (..., m, n). rtol: a number, or an array with one for each matrix; default max(m, n) epsilon."""
        return result_of("linalg.matrix_rank", x, _tolerance(rtol))

    @staticmethod
    @xp._of_arrays(1)
    def pinv(x, /, *, rtol=None):
        """The pseudo-inverses: (..., n, m) of (..., m, n). Singular values up to rtol times the largest count as 0. rtol: a number, or an array with one for each matrix."""
        return result_of("linalg.pinv", x, _tolerance(rtol))

    @staticmethod
    @xp._of_arrays(1)
    def norm(x, /, ord=None, axis=None, keepdims=False):
        """The 2-norm of all elements or along axes; with ord that of vectors along one axis or of matrices of two: a number, inf, -inf, "fro" or "nuc"."""
        if ord is not None and ord not in ("fro", "nuc"):
            ord = given.real(ord, "norm: ord")
        if not isinstance(keepdims, bool):
            raise TypeError(f"norm: keepdims is True or False, not {given.shown(keepdims)}")
        axes = None if axis is None else Shape(given.whole(each, "norm: an axis", -_c.MAX_RANK, _c.MAX_RANK - 1) for each in (axis if isinstance(axis, tuple) else (axis,)))
        return result_of("linalg.norm", x, ord, axes, keepdims)

    @staticmethod
    @xp._of_arrays(1)
    def cond(x, /, p=None):
        """The condition numbers of matrices: (...) of (..., m, n), by singular values, or by the norm p, as norm has it, of square ones."""
        if p is None or p in (2, -2):
            s = array_linalg._svdvals(x)
            return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        return array_linalg.matrix_norm(x, ord=p) * array_linalg.matrix_norm(array_linalg._inv(x), ord=p)

    @staticmethod
    @xp._of_arrays(1)
    def eigvals(x, /):
        """The eigenvalues of square matrices, complex: (..., n) of (..., n, n)."""
        return result_of("linalg.eigvals", x)

    @staticmethod
    @xp._of_arrays(2)
    def lstsq(a, b, /, *, rcond=None):
        """(x, residuals, rank, s): the x of least |b - a x| for a of (m, n) and b of (m,) or (m, k), the smallest of several. Singular values s up to rcond
        times the largest count as 0; residuals: the squares of |b - a x| where the rank is n < m, else without elements."""
        return Lstsq(*results_of("linalg.lstsq", a, b, None if rcond is None else given.real(rcond, "lstsq: rcond")))

    @staticmethod
    def multi_dot(arrays, /):
        """The product of matrices, of which the first and the last may be vectors, in the cheapest order."""
        arrays = list(xp._taken(given.several(arrays, "multi_dot: arrays")))
        for i, each in enumerate(arrays):
            if not isinstance(each, Array):
                raise TypeError(f"multi_dot takes a prism.Array, not {given.shown(each)}; prism.asarray makes arrays of other data")
            if each.ndim != 2 and not (each.ndim == 1 and i in (0, len(arrays) - 1)):
                raise ValueError(f"multi_dot: operand {i} has {each.ndim} dimensions")
        if not 2 <= len(arrays) <= 50:
            raise ValueError(f"multi_dot: {len(arrays)} arrays; 2 to 50 are possible")
        names = [chr(ord_) for ord_ in (*range(65, 91), *range(97, 123))]
        parts, at = [], 0
        for i, each in enumerate(arrays):
            parts.append(names[at] if each.ndim == 1 else names[at] + names[at + 1])
            at += each.ndim - 1
        out = (parts[0][0] if arrays[0].ndim == 2 else "") + (parts[-1][-1] if arrays[-1].ndim == 2 else "")
        return call("einsum", f"{','.join(parts)}->{out}", arrays)
