"""What NumPy, SciPy and PyTorch take for the rows of `prism-bench --operations`. Reads one case a line, runs it once and
prints its wall time and its processor time in seconds; the first run of a case is not measured by the reader. A case that
this machine cannot run prints why. Words of a case: its name and numbers."""
import sys
import time

import numpy as np

try:
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    scipy = None


def ones(*shape):
    return np.ones(shape, np.float32)


def einsum(expression, *shapes):
    operands = [ones(*(int(n) for n in shape.split(","))) for shape in shapes]
    return lambda: np.ascontiguousarray(np.einsum(expression, *operands, optimize=True)) # a permutation is a view


def matrix(rows, band):
    """The matrix of bench/sparse_matrix.hpp: in each row `band` elements, the diagonal and others, by a fixed rule."""
    rows, band = int(rows), int(band)
    i = np.repeat(np.arange(rows), band)
    j = (i + np.tile(np.arange(band), rows) * 7919) % rows
    values = np.where(i == j, np.float32(2 * band), np.float32(1))
    return scipy.sparse.csr_matrix((values, (i, j)), shape=(rows, rows), dtype=np.float32)


def sparse(what, rows, band, columns="1"):
    if scipy is None:
        raise ImportError("SciPy is not installed")
    a = matrix(rows, band)
    if what == "product":
        return lambda: a @ a
    if what == "solve":
        lower, b = scipy.sparse.tril(a, format="csr"), np.ones(a.shape[0], np.float32)
        return lambda: scipy.sparse.linalg.spsolve_triangular(lower, b, lower=True)
    x = ones(a.shape[1]) if columns == "1" else ones(a.shape[1], int(columns))
    return lambda: a @ x


def attention(heads, length, width):
    import torch
    q, k, v = (torch.ones(1, int(heads), int(length), int(width)) for _ in range(3))
    return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)


def convolution(channels, filters, side, window, groups):
    import torch
    x = torch.ones(1, int(channels), int(side), int(side))
    w = torch.ones(int(filters), int(channels) // int(groups), int(window), int(window))
    return lambda: torch.nn.functional.conv2d(x, w, padding=int(window) // 2, groups=int(groups))


CASES = {"einsum": einsum, "sparse": sparse, "attention": attention, "convolution": convolution}
made = {}
for line in sys.stdin:
    try:
        if line not in made:
            words = line.split()
            made[line] = CASES[words[0]](*words[1:])
        begin, used = time.perf_counter(), time.process_time()
        made[line]()
        print(time.perf_counter() - begin, time.process_time() - used, flush=True)
    except ImportError as why:
        print("missing", why, flush=True)
