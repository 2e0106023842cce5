"""Backends of operations: PRISM's own, NumPy's, and those that a program registers. Each operation goes to the backend that is measured
to be the fastest for its shapes and types, or to the one of `use_backend`. The result is a prism.Array in every case."""
import contextlib
import contextvars
import ctypes
import platform
import threading
import time

from . import _c
from . import _functions as xp
from . import _given as given
from ._array import Array
from ._array_linalg import Eig, Svd
from ._c import Error, library
from ._numpy_backend import NumpyBackend
from ._operations import fft
from ._own_backend import OwnBackend

_chosen = contextvars.ContextVar("prism_backend", default=None)


def _wait(result):
    """Runs what is recorded, and waits."""
    for each in result if isinstance(result, tuple) else (result,):
        if isinstance(each, Array):
            _c.call(library.prism_array_data, each._value, ctypes.byref(ctypes.c_void_p()), None)


def _as_arrays(result):
    """A backend's result: an array, or a tuple of arrays."""
    if isinstance(result, Array):
        return result
    if isinstance(result, (tuple, list)) and any(hasattr(each, "shape") for each in result):
        made = [_as_arrays(each) for each in result]
        return type(result)(*made) if hasattr(result, "_fields") else tuple(made)
    if hasattr(result, "__dlpack__") and getattr(result, "shape", ()) != ():
        try:
            return xp.from_dlpack(result)
        except (BufferError, Error): # read-only, or of a type that DLPack's exporter lacks
            pass
    return xp.asarray(result)


_NAMED = {"svd": Svd, "eigendecomposition": Eig}


def _result(operation, computed):
    out = _as_arrays(computed)
    return _NAMED[operation](*out) if operation in _NAMED else out


class _Backend:
    def __init__(self, name, kind, capabilities):
        self.name, self.kind, self.capabilities = name, kind, dict(capabilities or {})
        self.functions, self.made = {}, None

    def why_not(self, operation):
        """Why the backend cannot compute the operation, or None."""
        machines = self.capabilities.get("architectures")
        machine = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
        if machines and machine not in machines:
            return f"it is for {', '.join(machines)}, not for {machine}"
        if operation not in self.operations():
            return f"it has no operation of that name; it has {', '.join(self.operations()) or 'none'}"
        return None

    def operations(self):
        listed = self.capabilities.get("operations", ())
        return sorted({*self.functions, *(each for each in listed if hasattr(self.kind, each))})

    def function(self, operation):
        if self.made is None:
            self.made = self.kind()
        named = self.functions.get(operation)
        return named(self.made) if named else getattr(self.made, operation)


class Registry:
    """The backends. Any thread may call any function."""

    def __init__(self):
        self._lock = threading.RLock()
        self._backends, self._measured = {}, {}

    def register_backend(self, name, kind, capabilities=None):
        """`kind()` makes the backend when it is first used. `capabilities` may have "operations": names of its methods,
        "architectures", "features", "description"."""
        given.text(name, "register_backend: name")
        if not callable(kind):
            raise TypeError(f"register_backend: {name!r} is a class, or a function that makes the backend, not {given.shown(kind)}")
        with self._lock:
            if name in self._backends:
                raise ValueError(f"register_backend: there is a backend {name!r}; remove it by unregister_backend({name!r})")
            self._backends[name] = _Backend(name, kind, capabilities)
            self._measured.clear()

    def register_operation(self, backend, name, function):
        """`function(instance)` gives what computes the operation: lambda instance: instance.vector_add."""
        given.text(name, "register_operation: name")
        if not callable(function):
            raise TypeError(f"register_operation: {name!r} is a function of the backend's instance, not {given.shown(function)}")
        with self._lock:
            self._backend(backend).functions[name] = function
            self._measured.clear()

    def unregister_backend(self, name):
        """Removes a backend. LookupError lists the backends; ValueError for "prism", which stays."""
        with self._lock:
            if name == "prism":
                raise ValueError("unregister_backend: the backend 'prism' stays")
            self._backend(name)
            del self._backends[name]
            self._measured.clear()

    def _backend(self, name):
        given.text(name, "the name of a backend of operations")
        if name not in self._backends:
            raise LookupError(f"there is no backend {name!r}; there are {', '.join(self._backends)}")
        return self._backends[name]

    def get_available_backends(self):
        """The names of the backends of operations."""
        with self._lock:
            return list(self._backends)

    def get_backend_info(self, name):
        """Its capabilities, with its operations."""
        with self._lock:
            backend = self._backend(name)
            return {**backend.capabilities, "operations": backend.operations()}

    def _signature(self, operation, arguments, options):
        """What decides: operation, types, devices, extents up to a factor of two."""
        def of(value):
            if isinstance(value, Array):
                return value.dtype.name, value.device, tuple(each.bit_length() for each in value.shape)
            return type(value).__name__
        return operation, tuple(map(of, arguments)), tuple((name, str(value)) for name, value in sorted(options.items()))

    def _trial(self, backend, operation, arguments, options):
        """(seconds, result), the less of two runs where one is short; or (reason, None)."""
        reason = backend.why_not(operation)
        if reason:
            return reason, None
        best, result = float("inf"), None
        try:
            for _ in range(3):
                begin = time.perf_counter()
                result = _result(operation, backend.function(operation)(*arguments, **options))
                _wait(result)
                best = min(best, time.perf_counter() - begin)
                if best > 0.01:
                    break
        except Exception as why: # a backend is a program's code: any exception of it is the reason
            return why, None
        return best, result

    def _measure(self, operation, arguments, options):
        """Measures all backends. (the fastest one, its result); its name stays for this signature."""
        with self._lock:
            candidates = list(self._backends.values())
        trials = {each.name: self._trial(each, operation, arguments, options) for each in candidates}
        done = {name: trial for name, trial in trials.items() if isinstance(trial[0], float)}
        if not done:
            failures = [trial[0] for trial in trials.values() if isinstance(trial[0], Exception)]
            if failures:
                raise failures[0]
            raise LookupError(f"no backend has the operation {operation!r}; there are {', '.join(self.operations())}")
        best = min(done, key=lambda name: done[name][0])
        with self._lock:
            self._measured[self._signature(operation, arguments, options)] = best, {name: trial[0] for name, trial in trials.items()}
        return best, done[best][1]

    def operations(self):
        """The names of all operations of all backends, sorted."""
        with self._lock:
            return sorted({name for each in self._backends.values() for name in each.operations()})

    def run(self, operation, *arguments, **options):
        """Runs the operation by the backend of use_backend, or by the fastest one."""
        given.text(operation, "an operation")
        arguments = [value if isinstance(value, Array) or not hasattr(value, "shape") and not isinstance(value, list) else xp.asarray(value)
                     for value in arguments]
        name = _chosen.get()
        if name is None:
            found = self._measured.get(self._signature(operation, arguments, options))
            if found is None:
                return self._measure(operation, arguments, options)[1]
            name = found[0]
        with self._lock:
            backend = self._backend(name)
        reason = backend.why_not(operation)
        if reason:
            raise NotImplementedError(f"the backend {name!r} cannot compute {operation!r}: {reason}")
        return _result(operation, backend.function(operation)(*arguments, **options))

    def get_optimal_backend_for_operation(self, operation, *arguments, **options):
        """The name of the backend that is fastest for these arguments, measured at the first call; without arguments for products of
        256 x 256 elements and the like."""
        return self._choice(operation, arguments or self._backends["prism"].function("sample")(operation), options)[0]

    def _choice(self, operation, arguments, options):
        given.text(operation, "an operation")
        arguments = [value if isinstance(value, Array) else xp.asarray(value) for value in arguments]
        key = self._signature(operation, arguments, options)
        if key not in self._measured:
            self._measure(operation, arguments, options)
        return self._measured[key]

    def explain(self, operation, *arguments, **options):
        """A line for each backend: its time, or why it cannot compute the operation."""
        best, trials = self._choice(operation, arguments, options)
        lines = [f"{operation}: {best}, measured"]
        for name, found in trials.items():
            text = f"{found * 1e6:.1f} us" if isinstance(found, float) else f"not used: {found}"
            lines.append(f"  {name}: {text}")
        forced = _chosen.get()
        return "\n".join(lines + ([f"  use_backend({forced!r}) decides instead"] if forced else []))


registry = Registry()


@contextlib.contextmanager
def use_backend(name):
    """A context manager: within it, operations of this thread are computed by the backend of that name."""
    registry.get_backend_info(name)
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def use_numpy_backend():
    """use_backend("numpy").

    >>> import prism
    >>> with prism.use_numpy_backend():
    ...     prism.vector_add([1.0, 2.0], [3.0, 4.0]).tolist()
    [4.0, 6.0]
    """
    return use_backend("numpy")


_NINE = ("vector_add", "matrix_multiply", "dot_product", "transpose", "inverse", "svd", "eigendecomposition", "fft", "convolution")
registry.register_backend("prism", OwnBackend, {"operations": _NINE, "description": "PRISM's own arrays and operations"})
if NumpyBackend.is_available():
    registry.register_backend("numpy", NumpyBackend, {
        "operations": _NINE, "architectures": ["x86_64", "arm64"], "description": "NumPy with its BLAS, on the host's processor",
        "features": ["simd", "blas_optimizations"]})


def _operation(name, operands, text):
    def run(*arguments, **options):
        if len(arguments) != operands:
            raise TypeError(f"{name} takes {operands} array{'s' * (operands > 1)}, not {len(arguments)}")
        for each in arguments:
            if not isinstance(each, (Array, list, tuple, bool, int, float, complex)) and not hasattr(each, "shape"):
                raise TypeError(f"{name} takes arrays, not {given.shown(each)}; prism.asarray makes arrays of other data")
        return registry.run(name, *arguments, **options)
    run.__name__, run.__doc__ = name, text + " Computed by the backend of use_backend, or the fastest one."
    return run


vector_add = _operation("vector_add", 2, "The sum of elements.")
matrix_multiply = _operation("matrix_multiply", 2, "The product of matrices.")
dot_product = _operation("dot_product", 2, "The sum of products.")
transpose = _operation("transpose", 1, "The axes in the opposite order.")
inverse = _operation("inverse", 1, "The inverse of a matrix.")
svd = _operation("svd", 1, "(U, S, Vh) with min(m, n) columns and rows.")
eigendecomposition = _operation("eigendecomposition", 1, "(eigenvalues, eigenvectors) of a square matrix.")
convolution = _operation("convolution", 2, "The full convolution of two vectors.")
fft.__new__ = lambda cls, *arguments, **options: registry.run("fft", *arguments, **options) # prism.fft(x), next to the functions of prism.fft
