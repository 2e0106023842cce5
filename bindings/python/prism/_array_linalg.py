"""The linear algebra of the Array API standard that needs no operation of its own in prism.h, on prism.Array, and the loop over stacks
of matrices."""
import functools
import math
from collections import namedtuple

from . import _functions as xp
from . import _given as given
from ._array import Array, Shape, call, call_all
from ._dtype import complex128, complex64, float32, float64, int64

QR = namedtuple("QRResult", "Q R")
Slogdet = namedtuple("SlogdetResult", "sign logabsdet")
Eig = namedtuple("EigResult", "eigenvalues eigenvectors")
Eigh = namedtuple("EighResult", "eigenvalues eigenvectors")
Svd = namedtuple("SVDResult", "U S Vh")
Lstsq = namedtuple("LstsqResult", "x residuals rank s")


def real_of(dtype):
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


def stacked(function):
    """The function of one matrix (Memory or Array), for arrays that are stacks of matrices too."""
    @functools.wraps(function)
    def over(x, /, *others, **options):
        if not isinstance(x, Array) and len(getattr(x, "shape", (0, 0))) != 2:
            raise ValueError(f"{function.__name__}: memory of the shape {x.shape} is no matrix")
        if not isinstance(x, Array) or x.ndim == 2:
            return function(x, *others, **options)
        if x.ndim < 2:
            raise ValueError(f"{function.__name__}: an array of the shape {x.shape} has no matrices")
        if 0 in x.shape[:-2]: # shapes and types are those of any matrix
            one = function(xp.eye(*x.shape[-2:], dtype=x.dtype, device=x.device), *others, **options)

            def none(like):
                return xp.zeros((*x.shape[:-2], *like.shape), dtype=like.dtype, device=x.device)
            return type(one)(*map(none, one)) if isinstance(one, tuple) else none(one)
        parts = [over(x[i], *others, **options) for i in range(x.shape[0])]
        if isinstance(parts[0], tuple):
            return type(parts[0])(*(xp.stack(list(each)) for each in zip(*parts)))
        return xp.stack(parts)
    return over


def _norm_of(x, axis, keepdims, order):
    """The vector norm along axes."""
    size = xp.abs(x)
    if order == math.inf:
        return xp.max(size, axis=axis, keepdims=keepdims)
    if order == -math.inf:
        return xp.min(size, axis=axis, keepdims=keepdims)
    if order == 0:
        return xp.sum((size != 0).astype(size.dtype), axis=axis, keepdims=keepdims)
    if order == 1:
        return xp.sum(size, axis=axis, keepdims=keepdims)
    if order == 2:
        return xp.sqrt(xp.sum(size * size, axis=axis, keepdims=keepdims))
    order = given.real(order, "the order of a norm")
    return xp.sum(size ** order, axis=axis, keepdims=keepdims) ** (1.0 / order)


class array_linalg:
    """The linear algebra of the Array API standard that is made of other functions. Matrices are the last two axes."""

    matmul = staticmethod(xp.matmul)
    matrix_transpose = staticmethod(xp.matrix_transpose)
    tensordot = staticmethod(xp.tensordot)
    vecdot = staticmethod(xp.vecdot)

    @staticmethod
    @xp._of_arrays(2)
    def cross(x1, x2, /, *, axis=-1):
        """The vector product along an axis of 3 elements."""
        a, b = xp.broadcast_arrays(x1, x2)
        if not -a.ndim <= given.whole(axis, "cross: axis", -2 ** 62) < a.ndim or a.shape[axis] != 3:
            raise ValueError(f"cross: axis {axis} of the shape {a.shape} has not 3 elements")
        a, b = (call("moveaxis", each, axis, -1) for each in (a, b))
        parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
        return call("moveaxis", xp.stack(parts, axis=-1), -1, axis)

    @staticmethod
    @xp._of_arrays(1)
    def diagonal(x, /, *, offset=0):
        """The diagonals of matrices (..., m, n), `offset` places above the main one: (..., min(m, n)) where offset is 0."""
        if x.ndim < 2:
            raise ValueError(f"diagonal takes an array of 2 dimensions or more, not of {x.ndim}")
        (m, n), offset = x.shape[-2:], given.whole(offset, "the offset of a diagonal", -2 ** 62)
        rows, columns = (min(-offset, m), 0) if offset < 0 else (0, min(offset, n))
        return call("diagonal", x[..., rows:, columns:])

    @staticmethod
    def trace(x, /, *, offset=0, dtype=None):
        """The sums of the diagonals: (...) of (..., m, n). dtype: of the sums."""
        return xp.sum(array_linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)

    @staticmethod
    @xp._of_arrays(2)
    def outer(x1, x2, /):
        """The products of each element of x1 with each of x2: (m, n) of (m,) and (n,). ValueError for other shapes."""
        if x1.ndim != 1 or x2.ndim != 1:
            raise ValueError(f"outer takes two arrays of one dimension, not {x1.ndim} and {x2.ndim}")
        return x1[:, None] * x2[None, :]

    @staticmethod
    @xp._of_arrays(1)
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        """The norm of order `ord` along the axes (default: all): 2, 1, 0 (how many are not zero), inf, -inf or any other number."""
        return _norm_of(x, axis, keepdims, ord)

    @staticmethod
    @xp._of_arrays(1)
    def matrix_norm(x, /, *, keepdims=False, ord="fro"):
        """The norms of matrices: (...) of (..., m, n). ord: "fro", "nuc", 1, 2, inf, or -1, -2, -inf. ValueError for another one."""
        if ord == "fro":
            return _norm_of(x, (-2, -1), keepdims, 2)
        if ord in (1, -1, math.inf, -math.inf):
            along, then = (-2, -1) if abs(ord) == 1 else (-1, -2)
            sums = xp.sum(xp.abs(x), axis=along, keepdims=True)
            out = (xp.max if ord > 0 else xp.min)(sums, axis=then, keepdims=True)
        else:
            s = array_linalg._svdvals(x)
            if ord not in (2, -2, "nuc"):
                raise ValueError(f"matrix_norm: ord is 'fro', 'nuc', 1, 2, inf or their negatives, not {ord!r}")
            out = {2: xp.max, -2: xp.min, "nuc": xp.sum}[ord](s, axis=-1, keepdims=True)[..., None]
        return out if keepdims else xp.reshape(out, x.shape[:-2])

    @staticmethod
    @xp._of_arrays(1)
    def matrix_power(x, n, /):
        """The n-th power of square matrices; below 0 of their inverses. ValueError for a shape that is not square, LinAlgError for a
        matrix without an inverse."""
        if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
            raise ValueError(f"matrix_power of an array of the shape {x.shape}")
        n = given.whole(n, "the power of a matrix", -2 ** 62)
        if n < 0:
            x, n = array_linalg._inv(x), -n
        out = xp.broadcast_to(xp.eye(x.shape[-1], dtype=x.dtype, device=x.device), x.shape).copy()
        while n:
            if n & 1:
                out = out @ x
            n >>= 1
            if n:
                x = x @ x
        return out

    @staticmethod
    @xp._of_arrays(1)
    def matrix_rank(x, /, *, rtol=None):
        """How many singular values are above rtol times the largest: integers (...) of (..., m, n). rtol: default max(m, n) epsilon."""
        s = array_linalg._svdvals(x)
        if s.shape[-1] == 0:
            return xp.zeros(x.shape[:-2], dtype=int64, device=x.device)
        if rtol is None:
            rtol = max(x.shape[-2:]) * (2.0 ** -23 if s.dtype is float32 else 2.0 ** -52)
        limit = xp.max(s, axis=-1, keepdims=True) * (rtol[..., None] if isinstance(rtol, Array) else given.real(rtol, "rtol"))
        return xp.count_nonzero(s > limit, axis=-1)

    @staticmethod
    @xp._of_arrays(1)
    def pinv(x, /, *, rtol=None):
        """The pseudo-inverses: (..., n, m) of (..., m, n). Singular values up to rtol times the largest count as 0."""
        u, s, vh = array_linalg._svd(x, full_matrices=False)
        if s.shape[-1] == 0: # NumPy's rule
            return xp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=u.dtype, device=x.device)
        if rtol is None:
            rtol = max(x.shape[-2:]) * (2.0 ** -23 if s.dtype is float32 else 2.0 ** -52)
        limit = xp.max(s, axis=-1, keepdims=True) * (rtol[..., None] if isinstance(rtol, Array) else given.real(rtol, "rtol"))
        inverse = xp.where(s > limit, 1 / s, xp.zeros((), dtype=s.dtype, device=x.device))
        adjoint = [xp.conj(each).mT if each.dtype.kind == "c" else each.mT for each in (u, vh)]
        return (adjoint[1] * inverse[..., None, :].astype(x.dtype, copy=False)) @ adjoint[0]

    @staticmethod
    @xp._of_arrays(1)
    def norm(x, /, ord=None, axis=None, keepdims=False):
        """The 2-norm of all elements or along axes; with ord that of vectors along one axis or of matrices of two: a number, inf, -inf, "fro" or "nuc"."""
        if ord is not None and ord not in ("fro", "nuc"):
            ord = given.real(ord, "norm: ord")
        if not isinstance(keepdims, bool):
            raise TypeError(f"norm: keepdims is True or False, not {given.shown(keepdims)}")
        axes = None if axis is None else Shape(given.whole(each, "norm: an axis", -8, 7) for each in (axis if isinstance(axis, tuple) else (axis,)))
        return call("linalg.norm", x, ord, axes, keepdims)

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
        return call("linalg.eigvals", x)

    @staticmethod
    @xp._of_arrays(2)
    def lstsq(a, b, /, *, rcond=None):
        """(x, residuals, rank, s): the x of least |b - a x| for a of (m, n) and b of (m,) or (m, k), the smallest of several. Singular values s up to rcond
        times the largest count as 0; residuals: the squares of |b - a x| where the rank is n < m, else without elements."""
        return Lstsq(*call_all("linalg.lstsq", a, b, None if rcond is None else given.real(rcond, "lstsq: rcond")))

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
