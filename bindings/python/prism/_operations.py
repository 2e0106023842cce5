"""prism.run: the operations of prism.h (BLAS, linear algebra, transforms) on memory, and the names over it: prism.linalg, prism.fft."""
import ctypes
import functools
from ctypes import byref, c_int32

from . import _c
from . import _given as given
from ._array import Array, Shape, call
from ._array_fft import array_fft, of_memory
from ._array_linalg import QR, Eig, Eigh, LinAlgError, Slogdet, Svd, array_linalg, real_of, result_of, results_of
from ._c import library
from ._dtype import complex128, complex64, float32, float64, int64, promote
from ._functions import _is_others, _taken, triu
from ._memory import Memory, queue_of

_numbers = {}
_CHOICES = {"uplo": {"upper": 1, "lower": 2}, "side": {"left": 1, "right": 2}, "diag": {"non_unit": 1, "unit": 2}}


def options_of(options):
    out = _c.Options(struct_size=ctypes.sizeof(_c.Options))
    for name, value in options.items():
        if name in ("alpha", "beta"):
            setattr(out, "has_" + name, 1)
            getattr(out, name)[:] = complex(value).real, complex(value).imag
        elif name in _CHOICES:
            setattr(out, name, _CHOICES[name][given.one_of(value, _CHOICES[name], f"an operation's {name}")])
        elif name in ("kind", "number", "tolerance", "scale"):
            setattr(out, name, value)
        else:
            raise TypeError(f"an operation has no option {name!r}; it has alpha, beta, uplo, side, diag, kind, number, tolerance, scale")
    return out


def run_views(operation, views, device, **options):
    """Runs the operation on prism_view structs and waits."""
    if operation not in _numbers:
        number = c_int32()
        _c.call(library.prism_operation_find, given.text(operation, "an operation"), byref(number))
        _numbers[operation] = number.value
    queue = queue_of(device)
    _c.call(library.prism_run, queue, _numbers[operation], (_c.View * len(views))(*views), len(views), byref(options_of(options)), None, 0, None)
    _c.call(library.prism_queue_wait, queue)


def run(operation, *operands, **options):
    """Runs an operation of prism.h on memory, which holds the results too, and waits: run("gemm", a, b, c, alpha=2, beta=1).
    Options: alpha, beta, uplo, side, diag, kind, number, tolerance, scale."""
    if not operands or not all(isinstance(each, (Memory, Array)) for each in operands):
        raise TypeError(f"run({operation!r}): operands are prism.Memory or prism.Array")
    run_views(operation, [each.view() for each in operands], operands[0].device, **options)


def _required(x):
    if not isinstance(x, (Array, Memory)):
        raise TypeError(f"prism.linalg and prism.fft take a prism.Array or prism.Memory, not {given.shown(x)}; prism.asarray makes arrays of other data")
    return x


def _floating(x):
    _required(x)
    return x if x.dtype.kind in "fc" else x.astype(float64)


def _made(x, shape, dtype):
    """New memory on the device of x: an Array for an Array."""
    if isinstance(x, Array):
        return call("empty", Shape(shape), dtype, device=x.device)
    return Memory.empty(shape, dtype, device=x.device)


def _info(x, name):
    return Memory.of([0], int64, device=x.device)


def of_one_matrix(function):
    """Of arrays, stacks of matrices too; of memory, one matrix."""
    @functools.wraps(function)
    def checked(x, /, **options):
        if not isinstance(_required(x), Array) and len(x.shape) != 2:
            raise ValueError(f"{function.__name__}: memory of the shape {x.shape} is no matrix")
        return function(x, **options)
    return checked


class linalg(array_linalg):
    """Linear algebra. Each function waits; a matrix without a solution raises LinAlgError."""

    LinAlgError = LinAlgError

    @staticmethod
    def _checked(info, what):
        found = info.item()
        if found:
            raise LinAlgError(f"{what}: info is {found}")

    @staticmethod
    def solve(a, b, /):
        """The x of a x = b. Of arrays, stacks too: b of one dimension is a vector, else a stack of matrices."""
        if isinstance(_required(a), Array) and isinstance(_required(b), Array):
            return result_of("linalg.solve", a, b)
        a = _floating(a)
        x = b.astype(promote([a.dtype, _floating(b).dtype]))
        x = x.copy() if x is b else x
        a, info = a.astype(x.dtype), _info(a, "solve")
        run("solve", a, x if x.ndim > 1 else x[:, None], info)
        linalg._checked(info, "solve: the matrix is singular")
        return x

    @staticmethod
    @of_one_matrix
    def inv(x, /):
        """The inverses of square matrices. LinAlgError for a singular one."""
        if isinstance(x, Array):
            return result_of("linalg.inv", x)
        x = _floating(x)
        out, info = _made(x, x.shape, x.dtype), _info(x, "inv")
        run("inverse", x, out, info)
        linalg._checked(info, "inv: the matrix is singular")
        return out

    @staticmethod
    @of_one_matrix
    def det(x, /):
        """The determinants of square matrices: an array (...) of arrays (..., n, n), a number of memory."""
        if isinstance(x, Array):
            return result_of("linalg.det", x)
        x = _floating(x)
        out = _made(x, (1,), x.dtype)
        run("determinant", x, out)
        return out.item()

    @staticmethod
    @of_one_matrix
    def eigh(x, /):
        """(eigenvalues, eigenvectors) of a symmetric or Hermitian matrix."""
        if isinstance(x, Array):
            return Eigh(*results_of("linalg.eigh", x))
        x = _floating(x)
        real = real_of(x.dtype)
        w, v, info = _made(x, (x.shape[-1],), real), _made(x, x.shape, x.dtype), _info(x, "eigh")
        run("eigh", x, w, v, info, uplo="lower")
        linalg._checked(info, "eigh: no convergence")
        return Eigh(w, v)

    @staticmethod
    @of_one_matrix
    def eig(x, /):
        """(eigenvalues, eigenvectors) of a square matrix, complex."""
        if isinstance(x, Array):
            return Eig(*results_of("linalg.eig", x))
        x = _floating(x)
        kind = x.dtype if x.dtype.kind == "c" else complex64 if x.dtype is float32 else complex128
        w, v, info = _made(x, (x.shape[-1],), kind), _made(x, x.shape, kind), _info(x, "eig")
        run("eig", x, w, v, info)
        linalg._checked(info, "eig: no convergence")
        return Eig(w, v)

    @staticmethod
    @of_one_matrix
    def svd(x, /, *, full_matrices=True):
        """(U, S, Vh) of (..., m, n): U (..., m, m) and Vh (..., n, n), or of min(m, n) columns and rows with full_matrices=False."""
        if isinstance(x, Array):
            return Svd(*results_of("linalg.svd", x, full_matrices))
        x = _floating(x)
        m, n = x.shape
        k = min(m, n)
        columns, rows = (m, n) if full_matrices else (k, k)
        real = real_of(x.dtype)
        u, s, w = _made(x, (m, columns), x.dtype), _made(x, (k,), real), _made(x, (rows, n), x.dtype)
        info = _info(x, "svd")
        run("svd", x, s, u, w, info)
        linalg._checked(info, "svd: no convergence")
        return Svd(u, s, w)

    @staticmethod
    @of_one_matrix
    def cholesky(x, /, *, upper=False):
        """The lower factor, or its adjoint."""
        if isinstance(x, Array):
            return result_of("linalg.cholesky", x, upper)
        out, info = _floating(x).copy(), _info(x, "cholesky")
        run("cholesky", out, info, uplo="lower")
        linalg._checked(info, "cholesky: the matrix is not positive definite")
        values = out.tolist()
        lower = Memory.of([[v if j <= i else 0 for j, v in enumerate(row)] for i, row in enumerate(values)], out.dtype, device=out.device)
        if upper:
            raise NotImplementedError("cholesky: upper=True needs a prism.Array")
        return lower

    @staticmethod
    def eigvalsh(x, /):
        """The eigenvalues of a symmetric or Hermitian matrix."""
        return result_of("linalg.eigvalsh", x) if isinstance(x, Array) else linalg.eigh(x)[0]

    @staticmethod
    def svdvals(x, /):
        """The singular values of matrices, the largest first: (..., min(m, n)) of (..., m, n)."""
        return result_of("linalg.svdvals", x) if isinstance(x, Array) else linalg.svd(x, full_matrices=False)[1]

    @staticmethod
    @of_one_matrix
    def qr(x, /, *, mode="reduced"):
        """(Q, R) with min(m, n) columns and rows, or all of them with mode="complete"."""
        if mode not in ("reduced", "complete"):
            raise ValueError(f"qr: mode is 'reduced' or 'complete', not {mode!r}")
        if isinstance(x, Array):
            return QR(*results_of("linalg.qr", x, mode == "complete"))
        x = _floating(x).copy()
        m, n = x.shape
        k = m if mode == "complete" else min(m, n)
        tau, q = _made(x, (min(m, n),), x.dtype), _made(x, (m, k), x.dtype)
        run("qr", x, tau)
        run("form_q", x, tau, q)
        return QR(q, triu(x[:k] if k <= m else x))

    @staticmethod
    @of_one_matrix
    def slogdet(x, /):
        """The sign of the determinant and the logarithm of its absolute value."""
        if isinstance(x, Array):
            return Slogdet(*results_of("linalg.slogdet", x))
        x = _floating(x)
        sign, log = _made(x, (1,), x.dtype), _made(x, (1,), real_of(x.dtype))
        run("log_determinant", x, sign, log)
        return Slogdet(sign[0], log[0])


array_linalg._svdvals, array_linalg._inv = linalg.svdvals, linalg.inv

_NORMS = {"backward": (0, 1), "ortho": (2, 2), "forward": (1, 0)}


def _complex(x):
    _required(x)
    return x if x.dtype.kind == "c" else x.astype(complex64 if x.dtype is float32 else complex128)


class fft(array_fft):
    """Fourier transforms, with NumPy's names and norms. Each function waits."""

    @staticmethod
    def _run(operation, x, out, rank, norm, inverse):
        given.one_of(norm, _NORMS, "norm")
        views = [x.view(), out.view()]
        for view in views:
            batch = view.rank - rank
            if batch < 0 or batch > 1:
                raise ValueError(f"a transform of {rank} dimensions takes memory of {rank} or {rank + 1}, not {view.rank}")
            if batch: # the batch comes last in prism.h
                order = [*range(1, view.rank), 0]
                view.extent[:view.rank] = [view.extent[i] for i in order]
                view.stride[:view.rank] = [view.stride[i] for i in order]
                view.flags = 16
        run_views(operation, views, x.device, kind=_NORMS[norm][inverse])
        return out

    @staticmethod
    @of_memory()
    def fft(x, /, *, n=None, norm="backward"):
        """The complex transform of n numbers along the axis: sum x[j] exp(-2 pi i j k / n). Cut or filled with zeros to n."""
        x = _complex(x)
        return fft._run("forward", x, _made(x, x.shape, x.dtype), 1, norm, 0)

    @staticmethod
    @of_memory()
    def ifft(x, /, *, n=None, norm="backward"):
        """The inverse of fft."""
        x = _complex(x)
        return fft._run("backward", x, _made(x, x.shape, x.dtype), 1, norm, 1)

    @staticmethod
    def fft2(x, /, *, s=None, axes=(-2, -1), norm="backward"):
        """The complex transform of two axes, the last ones by default, cut or filled with zeros to the extents `s`. Of memory: of its last dimensions."""
        if isinstance(_required(x), Array):
            return fft.fftn(x, s=s, axes=axes, norm=norm)
        x = _complex(x)
        return fft._run("forward", x, _made(x, x.shape, x.dtype), 2, norm, 0)

    @staticmethod
    def ifft2(x, /, *, s=None, axes=(-2, -1), norm="backward"):
        """The inverse of fft2."""
        if isinstance(_required(x), Array):
            return fft.ifftn(x, s=s, axes=axes, norm=norm)
        x = _complex(x)
        return fft._run("backward", x, _made(x, x.shape, x.dtype), 2, norm, 1)

    @staticmethod
    @of_memory()
    def rfft(x, /, *, n=None, norm="backward"):
        """The transform of n real numbers along the axis: n // 2 + 1 complex ones, since the others are their conjugates."""
        x = _floating(x)
        kind = complex64 if x.dtype is float32 else complex128
        out = _made(x, (*x.shape[:-1], x.shape[-1] // 2 + 1), kind)
        return fft._run("forward", x, out, 1, norm, 0)

    @staticmethod
    @of_memory(lambda n: n // 2 + 1)
    def irfft(x, /, *, n=None, norm="backward"):
        """The inverse of rfft: n real numbers along the axis, by default 2 (m - 1) of m."""
        x = _complex(x)
        n = 2 * (x.shape[-1] - 1) if n is None else n
        out = _made(x, (*x.shape[:-1], n), float32 if x.dtype is complex64 else float64)
        return fft._run("backward", x, out, 1, norm, 1)


def _takes_others(of):
    """Lets the functions of a namespace take arrays of other libraries."""
    for base in reversed(of.__mro__[:-1]):
        for name, member in list(vars(base).items()):
            if isinstance(member, (staticmethod, classmethod)) and not name.startswith("_"):
                setattr(base, name, type(member)(_taking(member.__func__)))


def _taking(function):
    @functools.wraps(function)
    def converted(*arguments, **options):
        return function(*(_taken(arguments) if any(map(_is_others, arguments)) else arguments), **options)
    return converted


_takes_others(linalg)
_takes_others(fft)
