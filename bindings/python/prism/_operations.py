"""prism.run: the operations of prism.h (BLAS, linear algebra, transforms) on memory, and the names over it: prism.linalg, prism.fft."""
import ctypes
from ctypes import byref, c_int32

from . import _c
from ._array import Array
from ._c import library
from ._dtype import complex128, complex64, float32, float64, int64, promote
from ._memory import Memory, queue_of

_numbers = {}
_CHOICES = {"uplo": {"upper": 1, "lower": 2}, "side": {"left": 1, "right": 2}, "diag": {"non_unit": 1, "unit": 2}}


def options_of(given):
    out = _c.Options(struct_size=ctypes.sizeof(_c.Options))
    for name, value in given.items():
        if name in ("alpha", "beta"):
            setattr(out, "has_" + name, 1)
            getattr(out, name)[:] = complex(value).real, complex(value).imag
        elif name in _CHOICES:
            setattr(out, name, _CHOICES[name][value])
        elif name in ("kind", "number", "tolerance", "scale"):
            setattr(out, name, value)
        else:
            raise TypeError(f"an operation has no option {name!r}")
    return out


def run_views(operation, views, device, **options):
    """Runs the operation on prism_view structs and waits."""
    if operation not in _numbers:
        number = c_int32()
        _c.call(library.prism_operation_find, operation.encode(), byref(number))
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


def _floating(x):
    return x if x.dtype.kind in "fc" else x.astype(float64)


def _info(x, name):
    return Memory.of([0], int64, device=x.device)


class linalg:
    """Linear algebra. Each function waits; a matrix without a solution raises LinAlgError."""

    class LinAlgError(ValueError):
        pass

    @staticmethod
    def _checked(info, what):
        found = info.item()
        if found:
            raise linalg.LinAlgError(f"{what}: info is {found}")

    @staticmethod
    def solve(a, b, /):
        """The x of a x = b."""
        a = _floating(a)
        x = b.astype(promote([a.dtype, _floating(b).dtype]))
        x = x.copy() if x is b else x
        a, info = a.astype(x.dtype), _info(a, "solve")
        run("solve", a, x if x.ndim > 1 else x[:, None], info)
        linalg._checked(info, "solve: the matrix is singular")
        return x

    @staticmethod
    def inv(x, /):
        x = _floating(x)
        out, info = Memory.empty(x.shape, x.dtype, device=x.device), _info(x, "inv")
        run("inverse", x, out, info)
        linalg._checked(info, "inv: the matrix is singular")
        return out

    @staticmethod
    def det(x, /):
        x = _floating(x)
        out = Memory.empty((1,), x.dtype, device=x.device)
        run("determinant", x, out)
        return out.item()

    @staticmethod
    def eigh(x, /):
        """(eigenvalues, eigenvectors) of a symmetric or Hermitian matrix."""
        x = _floating(x)
        real = {complex64: float32, complex128: float64}.get(x.dtype, x.dtype)
        w, v, info = Memory.empty((x.shape[-1],), real, device=x.device), Memory.empty(x.shape, x.dtype, device=x.device), _info(x, "eigh")
        run("eigh", x, w, v, info, uplo="lower")
        linalg._checked(info, "eigh: no convergence")
        return w, v

    @staticmethod
    def svd(x, /):
        """(U, S, Vh), with U and Vh of min(m, n) columns and rows."""
        x = _floating(x)
        m, n = x.shape
        k = min(m, n)
        real = {complex64: float32, complex128: float64}.get(x.dtype, x.dtype)
        u, s, w = Memory.empty((m, k), x.dtype, device=x.device), Memory.empty((k,), real, device=x.device), Memory.empty((k, n), x.dtype, device=x.device)
        info = _info(x, "svd")
        run("svd", x, s, u, w, info)
        linalg._checked(info, "svd: no convergence")
        return u, s, w

    @staticmethod
    def cholesky(x, /):
        """The lower factor."""
        out, info = _floating(x).copy(), _info(x, "cholesky")
        run("cholesky", out, info, uplo="lower")
        linalg._checked(info, "cholesky: the matrix is not positive definite")
        values = out.tolist()
        return Memory.of([[v if j <= i else 0 for j, v in enumerate(row)] for i, row in enumerate(values)], out.dtype, device=out.device)


_NORMS = {"backward": (0, 1), "ortho": (2, 2), "forward": (1, 0)}


def _complex(x):
    return x if x.dtype.kind == "c" else x.astype(complex64 if x.dtype is float32 else complex128)


class fft:
    """Fourier transforms, with NumPy's names and norms. Each function waits."""

    @staticmethod
    def _run(operation, x, out, rank, norm, inverse):
        if norm not in _NORMS:
            raise ValueError(f"norm is 'backward', 'ortho' or 'forward', not {norm!r}")
        views = [x.view(), out.view()]
        for view in views:
            batch = view.rank - rank
            if batch < 0 or batch > 1:
                raise ValueError(f"a transform of {rank} dimensions takes arrays of {rank} or {rank + 1}, not {view.rank}")
            if batch: # the batch comes last in prism.h
                order = [*range(1, view.rank), 0]
                view.extent[:view.rank] = [view.extent[i] for i in order]
                view.stride[:view.rank] = [view.stride[i] for i in order]
                view.flags = 16
        run_views(operation, views, x.device, kind=_NORMS[norm][inverse])
        return out

    @staticmethod
    def fft(x, /, *, norm="backward"):
        x = _complex(x)
        return fft._run("forward", x, Memory.empty(x.shape, x.dtype, device=x.device), 1, norm, 0)

    @staticmethod
    def ifft(x, /, *, norm="backward"):
        x = _complex(x)
        return fft._run("backward", x, Memory.empty(x.shape, x.dtype, device=x.device), 1, norm, 1)

    @staticmethod
    def fft2(x, /, *, norm="backward"):
        x = _complex(x)
        return fft._run("forward", x, Memory.empty(x.shape, x.dtype, device=x.device), 2, norm, 0)

    @staticmethod
    def ifft2(x, /, *, norm="backward"):
        x = _complex(x)
        return fft._run("backward", x, Memory.empty(x.shape, x.dtype, device=x.device), 2, norm, 1)

    @staticmethod
    def rfft(x, /, *, norm="backward"):
        x = _floating(x)
        kind = complex64 if x.dtype is float32 else complex128
        out = Memory.empty((*x.shape[:-1], x.shape[-1] // 2 + 1), kind, device=x.device)
        return fft._run("forward", x, out, 1, norm, 0)

    @staticmethod
    def irfft(x, /, *, n=None, norm="backward"):
        x = _complex(x)
        n = 2 * (x.shape[-1] - 1) if n is None else n
        out = Memory.empty((*x.shape[:-1], n), float32 if x.dtype is complex64 else float64, device=x.device)
        return fft._run("backward", x, out, 1, norm, 1)
