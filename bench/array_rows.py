"""The rows of `./prism bench --arrays`, written once for all libraries with NumPy's names, and their operands. The devices' table and the
libraries that arrays_reference.py runs compute the same expressions of the same numbers."""
import collections

import numpy as np

Operands = collections.namedtuple("Operands", "x y none m cube column")

# For each row a function of a library and its operands.
CHAINS = {
    "chain of 8": lambda xp, a: (a.x * 2 + a.y) * (a.x - a.y) / (a.y + 1.5) + a.x * a.x,
    "sin(x) * exp(-y)": lambda xp, a: xp.sin(a.x) * xp.exp(-a.y),
    "sum": lambda xp, a: xp.sum(a.x),
    "largest": lambda xp, a: xp.max(a.x),
    "position of the largest": lambda xp, a: xp.argmax(a.x),
    "sum of (x - y)²": lambda xp, a: xp.sum((a.x - a.y) * (a.x - a.y)),
    "any, of bool": lambda xp, a: xp.any(a.none),
}
AXES = {
    "row + column": lambda xp, a: a.m + a.column,
    "sum, axis 0": lambda xp, a: xp.sum(a.m, axis=0),
    "sum, axis 1": lambda xp, a: xp.sum(a.m, axis=1),
    "largest of axis 0": lambda xp, a: xp.max(a.m, axis=0),
    "position of the largest, axis 0": lambda xp, a: xp.argmax(a.m, axis=0),
    "largest of axis 1": lambda xp, a: xp.max(a.m, axis=1),
    "position of the largest, axis 1": lambda xp, a: xp.argmax(a.m, axis=1),
    "sum, middle axis": lambda xp, a: xp.sum(a.cube, axis=1),
    "sum of squares, axis 0": lambda xp, a: xp.sum(a.m * a.m, axis=0),
}
PRODUCTS = {"matmul": lambda xp, a: a.x @ a.x}
ROWS = {**CHAINS, **AXES, **PRODUCTS}

# The rows that numexpr has words for: it knows one-dimensional arrays x and y.
NUMEXPR = {
    "chain of 8": "(x * 2 + y) * (x - y) / (y + 1.5) + x * x",
    "sin(x) * exp(-y)": "sin(x) * exp(-y)",
    "sum": "sum(x)",
    "largest": "max(x)",
    "sum of (x - y)²": "sum((x - y) ** 2)",
}


def side_of(n):
    """The length of a row of the matrix of n numbers."""
    return 10 ** (len(str(n)) // 2)


def rows_of(n):
    return {**CHAINS, **(AXES if n > 1000 and n % side_of(n) == 0 else {})}


def operands(n):
    """n numbers of float64 in each form."""
    x, y = (np.random.default_rng(seed).random(n) for seed in (1, 2))
    side = side_of(n)
    m = x.reshape(-1, side)
    cube = m.reshape(m.shape[0], 10, -1)
    return Operands(x, y, x < 0, m, cube, np.random.default_rng(3).random((n // side, 1)))


def product_operands(side):
    x = np.random.default_rng(1).random((side, side))
    return Operands(x, x, x, x, x, x)
