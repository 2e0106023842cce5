"""NumPy's functions behind the names of the nine operations, with the threads of NumPy's BLAS set for each call."""
import contextlib
import ctypes
import functools
import importlib.util
import os
import threading
import time

# The functions that set and read the number of threads, by a part of the library's file name.
_BLAS = {"mkl_rt": ("mkl", "MKL_Set_Num_Threads", "MKL_Get_Max_Threads"),
         "openblas": ("openblas", "openblas_set_num_threads", "openblas_get_num_threads"),
         "blis": ("blis", "bli_thread_set_num_threads", "bli_thread_get_num_threads")}
_SUFFIXES = ("", "64_", "_64") # of OpenBLAS in NumPy's own packages
_lock = threading.RLock() # BLAS has one number of threads for the process


def _loaded():
    """The libraries of this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return sorted({line.split(None, 5)[5].strip() for line in maps if ".so" in line and "/" in line})


@functools.lru_cache(maxsize=1)
def _blas():
    """(name, file, set, get) of the BLAS that NumPy loaded, or None."""
    import numpy
    numpy.dot(numpy.ones(2), numpy.ones(2))
    for file in _loaded():
        for part, (name, setter, getter) in _BLAS.items():
            if part not in os.path.basename(file):
                continue
            try:
                opened = ctypes.CDLL(file, mode=ctypes.DEFAULT_MODE | getattr(os, "RTLD_NOLOAD", 0))
            except OSError:
                continue
            for suffix in _SUFFIXES:
                if hasattr(opened, setter + suffix):
                    return name, file, getattr(opened, setter + suffix), getattr(opened, getter + suffix)
    return None


@contextlib.contextmanager
def _threads(count):
    found = _blas()
    if found is None:
        yield
        return
    with _lock:
        before = found[3]()
        found[2](count)
        try:
            yield
        finally:
            found[2](before)


@functools.lru_cache(maxsize=1)
def _bandwidth_threads():
    """The least number of threads that reads memory within 10 % of the fastest, measured once."""
    import numpy
    x, best = numpy.ones(1 << 21), {}
    count = 1
    while count <= _cores():
        with _threads(count):
            times = []
            for _ in range(3):
                begin = time.perf_counter()
                numpy.dot(x, x)
                times.append(time.perf_counter() - begin)
        best[count] = min(times)
        count *= 2
    return min(count for count, seconds in best.items() if seconds <= 1.1 * min(best.values()))


def _cores():
    return len(os.sched_getaffinity(0))


class NumpyBackend:
    """The backend "numpy". `device_type` and `device_id` name the processor, which is the only device of NumPy."""

    def __init__(self, device_type="auto", device_id=0):
        if device_type not in ("auto", "cpu", "host") or device_id != 0:
            raise ValueError(f"NumpyBackend: NumPy computes on the processor, not on {device_type} {device_id}")
        self.device_type, self.device_id = device_type, device_id
        found = _blas()
        self.blas_type, self.blas_file = found[:2] if found else (None, None)

    @staticmethod
    def is_available():
        """Whether NumPy is installed."""
        return importlib.util.find_spec("numpy") is not None

    def thread_count(self, operation, work):
        """The threads of BLAS for an operation: `work` is its number of multiplications. One where starting others takes longer; as many
        as memory needs for what reads each element once; else all cores."""
        if work < 1 << 20:
            return 1
        return _bandwidth_threads() if operation in ("vector_add", "dot_product") else _cores()

    def _run(self, operation, work, function, *arguments, **options):
        import numpy
        with _threads(self.thread_count(operation, work)):
            return function(*(numpy.asarray(each) for each in arguments), **options)

    def vector_add(self, a, b):
        """numpy.add: the sums of elements."""
        import numpy
        return self._run("vector_add", a.size, numpy.add, a, b)

    def matrix_multiply(self, a, b):
        """numpy.matmul: (m, n) of (m, k) and (k, n)."""
        import numpy
        return self._run("matrix_multiply", a.size * b.shape[-1], numpy.matmul, a, b)

    def dot_product(self, a, b):
        """numpy.dot: a number of two vectors of n elements."""
        import numpy
        return self._run("dot_product", a.size, numpy.dot, a, b)

    def transpose(self, a):
        """numpy.transpose: the axes in the opposite order."""
        import numpy
        return self._run("transpose", 0, numpy.transpose, a)

    def inverse(self, a):
        """numpy.linalg.inv of a square matrix. numpy.linalg.LinAlgError for a singular one."""
        import numpy
        return self._run("inverse", a.size * a.shape[-1], numpy.linalg.inv, a)

    def svd(self, a):
        """numpy.linalg.svd: (U, S, Vh), with min(m, n) columns and rows."""
        import numpy
        return self._run("svd", a.size * a.shape[-1], numpy.linalg.svd, a, full_matrices=False)

    def eigendecomposition(self, a):
        """numpy.linalg.eig: (eigenvalues, eigenvectors) of a square matrix."""
        import numpy
        return self._run("eigendecomposition", a.size * a.shape[-1], numpy.linalg.eig, a)

    def fft(self, x):
        """numpy.fft.fft along the last axis."""
        import numpy
        return self._run("fft", 0, numpy.fft.fft, x)

    def convolution(self, a, b):
        """numpy.convolve: m + n - 1 numbers of vectors of m and n."""
        import numpy
        return self._run("convolution", 0, numpy.convolve, a, b)
