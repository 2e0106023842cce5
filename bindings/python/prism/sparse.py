"""Sparse matrices over arrays: compressed rows (csr) and columns (csc), coordinates (coo) and compressed rows of square blocks (bsr), with SciPy's names.

Values are float32, float64, complex64 or complex128, indices int32. The structure of a matrix is read and checked when it is made; the first product
of each kind prepares a plan, which later ones use. Products run without waiting. docs/operations-sparse.md states the algorithms.

    >>> import prism
    >>> a = prism.sparse.csr_array(([1.0, 2.0, 3.0], [0, 2, 1], [0, 2, 3]), shape=(2, 3))
    >>> print(a @ prism.asarray([1.0, 10.0, 100.0]))
    [201.  30.]
    >>> print((a @ a.T).toarray())
    [[5. 0.]
     [0. 9.]]"""
from . import _c
from . import _given as given
from ._array import Array, call, call_all
from ._dtype import int32
from ._functions import _is_others, _taken, asarray

_FORMATS, _OPERATIONS = ("csr", "csc", "coo", "bsr"), ("none", "transposed", "adjoint")
_SYMMETRIES = ("general", "symmetric_lower", "symmetric_upper", "hermitian_lower", "hermitian_upper")


class SparseArray:
    """A sparse matrix; csr_array, csc_array, coo_array and bsr_array make them. `indptr` and `indices` are those of SciPy; a coo matrix has `row` and
    `col` instead. Later writes to `data` change the matrix, those to the others do not."""
    __array_ufunc__ = None # NumPy's operators leave products to this class

    def __init__(self, format, shape, offsets, indices, data, block=1):
        shape = given.shape(shape)
        if len(shape) != 2:
            raise ValueError(f"a sparse matrix has a shape of 2 extents, not {shape}")
        self.format, self.shape, self.data, self.blocksize = format, shape, data, (block, block)
        self._offsets, self._indices = offsets, indices
        values = data.reshape(-1)
        self._handle = _c.handle(_c.library.prism_sparse_create, format.encode(), *shape, block, offsets._value, indices._value, values._value)

    @property
    def _sparse_handle(self):
        return self._handle.value

    @property
    def dtype(self):
        """The type of the values."""
        return self.data.dtype

    @property
    def device(self):
        """The prism.Device with the values."""
        return self.data.device

    @property
    def nnz(self):
        """The number of stored values."""
        return self.data.size

    @property
    def ndim(self):
        """2."""
        return 2

    def _part(self, name, wanted, array):
        if (self.format == "coo") != wanted:
            raise AttributeError(f"a {self.format} matrix has no {name}")
        return array

    @property
    def indptr(self):
        """Where each row, column or row of blocks begins in `indices`."""
        return self._part("indptr", False, self._offsets)

    @property
    def indices(self):
        """The column, row or column of blocks of each value or block."""
        return self._part("indices", False, self._indices)

    @property
    def row(self):
        """The row of each value of a coo matrix."""
        return self._part("row", True, self._offsets)

    @property
    def col(self):
        """The column of each value of a coo matrix."""
        return self._part("col", True, self._indices)

    @property
    def T(self):
        """The transpose, (n, m) of (m, n); it shares the arrays, except of bsr, which becomes csr."""
        if self.format == "bsr":
            return self.tocsr().T
        if self.format == "coo":
            return SparseArray("coo", self.shape[::-1], self._indices, self._offsets, self.data)
        return SparseArray("csc" if self.format == "csr" else "csr", self.shape[::-1], self._offsets, self._indices, self.data)

    def __matmul__(self, other):
        if isinstance(other, SparseArray):
            offsets, indices, data = call_all("sparse_product", self, other)
            return SparseArray("csr", (self.shape[0], other.shape[1]), offsets, indices, data)
        if not isinstance(other, Array) and not _is_others(other):
            return NotImplemented
        return multiply(self, other)

    def dot(self, other):
        """The product with a vector, a matrix or a sparse matrix, as @."""
        out = self.__matmul__(other)
        if out is NotImplemented:
            raise TypeError(f"dot takes a prism.Array or a sparse matrix, not {given.shown(other)}")
        return out

    def toarray(self):
        """The matrix as an array of its shape, with the zeros."""
        return call("sparse_to_dense", self)

    def _converted(self, format, block=1):
        if format == self.format and (block, block) == self.blocksize:
            return self
        offsets, indices, data = call_all("sparse_convert", self, format, block)
        return SparseArray(format, self.shape, offsets, indices, data if format != "bsr" else data.reshape((-1, block, block)), block)

    def tocsr(self):
        """In compressed rows: sorted, and values that stand twice are added, unless it is csr already."""
        return self._converted("csr")

    def tocsc(self):
        """In compressed columns, as tocsr."""
        return self._converted("csc")

    def tocoo(self):
        """In coordinates, as tocsr."""
        return self._converted("coo")

    def tobsr(self, blocksize=(1, 1)):
        """In compressed rows of square blocks, whose extent divides the shape."""
        return self._converted("bsr", _block(blocksize))

    def __repr__(self):
        return f"<{self.shape[0]}x{self.shape[1]} prism.sparse {self.format} matrix of {self.dtype} with {self.nnz} stored values on {self.device}>"


def _block(blocksize):
    blocks = {given.whole(each, "blocksize", 1) for each in ((blocksize,) if hasattr(blocksize, "__index__") else given.several(blocksize, "blocksize"))}
    if len(blocks) != 1:
        raise ValueError(f"blocksize: blocks are square, not {given.shown(blocksize)}")
    return blocks.pop()


def _indices_of(values, name, device):
    out = asarray(values, device=device)
    if out.size == 0:
        return out.astype(int32)
    if out.dtype.kind not in "iu":
        raise TypeError(f"{name} are integers, not {out.dtype}")
    narrow = out.astype(int32, copy=False)
    if out.dtype is not int32 and not bool((narrow.astype(out.dtype) == out).all()):
        raise ValueError(f"{name}: an index does not fit 32 bits")
    return narrow


def _of_parts(format, arg, shape, dtype, device):
    """A matrix of (data, (row, col)), or of (data, indices, indptr)."""
    data = asarray(arg[0], dtype=dtype, device=device)
    is_coo = len(arg) == 2
    if is_coo and (not isinstance(arg[1], (tuple, list)) or len(arg[1]) != 2):
        raise TypeError("coordinates are (data, (row, col))")
    names = ("row", "col") if is_coo else ("indptr", "indices")
    offsets, indices = (_indices_of(each, name, data.device) for each, name in zip(arg[1] if is_coo else (arg[2], arg[1]), names))
    block = data.shape[1] if format == "bsr" and not is_coo and data.ndim == 3 else 1
    if format == "bsr" and not is_coo and (data.ndim != 3 or data.shape[1] != data.shape[2]):
        raise ValueError(f"the data of bsr have the shape (blocks, b, b), not {data.shape}")
    if shape is None:
        across = 1 + int(indices.max()) if indices.size else 0
        down = (1 + int(offsets.max()) if offsets.size else 0) if is_coo else offsets.size - 1
        shape = (across, down) if format == "csc" and not is_coo else (down * block, across * block)
    made = SparseArray("coo" if is_coo else format, shape, offsets, indices, data, block)
    return made._converted(format) if is_coo and format != "coo" else made


def _array(format, arg, shape, dtype, device, block=None):
    if isinstance(arg, SparseArray):
        return arg._converted(format, block or (arg.blocksize[0] if arg.format == format else 1))
    if isinstance(arg, tuple) and len(arg) in (2, 3):
        made = _of_parts(format, arg, shape, dtype, device)
        return made if block is None else made._converted(format, block)
    if hasattr(arg, "tocsr"): # SciPy's
        theirs = arg.tocsr()
        made = _of_parts("csr", (theirs.data, theirs.indices, theirs.indptr), theirs.shape, dtype, device)
        return made._converted(format, block or 1)
    dense, = _taken([arg])
    dense = asarray(dense, dtype=dtype, device=device)
    offsets, indices, data = call_all("sparse_from_dense", dense, format, block or 1)
    return SparseArray(format, dense.shape, offsets, indices, data if format != "bsr" else data.reshape((-1, block or 1, block or 1)), block or 1)


def csr_array(arg, *, shape=None, dtype=None, device=None):
    """A matrix in compressed rows, of (data, indices, indptr), of (data, (row, col)), of a dense matrix, of SciPy's or of another sparse matrix.
    ValueError, with the row or the index, for parts that do not fit."""
    return _array("csr", arg, shape, dtype, device)


def csc_array(arg, *, shape=None, dtype=None, device=None):
    """A matrix in compressed columns; the arguments are those of csr_array."""
    return _array("csc", arg, shape, dtype, device)


def coo_array(arg, *, shape=None, dtype=None, device=None):
    """A matrix in coordinates, of (data, (row, col)), or as csr_array."""
    return _array("coo", arg, shape, dtype, device)


def bsr_array(arg, *, shape=None, dtype=None, device=None, blocksize=None):
    """A matrix in compressed rows of blocks, of (data, indices, indptr) with data (blocks, b, b), or as csr_array with a blocksize."""
    return _array("bsr", arg, shape, dtype, device, None if blocksize is None else _block(blocksize))


def _matrix(a, function):
    if not isinstance(a, SparseArray):
        raise TypeError(f"sparse.{function} takes a sparse matrix, not {given.shown(a)}; prism.sparse.csr_array makes one")
    return a


def _dense(x, a, function):
    x, = _taken([x])
    if not isinstance(x, Array):
        raise TypeError(f"sparse.{function} takes a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
    return x if x.dtype is a.dtype else x.astype(a.dtype)


def multiply(a, x, *, op="none", symmetry="general"):
    """op(a) x for a vector (n,) or a matrix (n, k), which is converted to the type of a; op: "none", "transposed" or "adjoint". symmetry: "general", or
    which triangle is stored: "symmetric_lower", "symmetric_upper", "hermitian_lower" or "hermitian_upper"."""
    return call("sparse_multiply", _matrix(a, "multiply"), _dense(x, a, "multiply"), given.one_of(op, _OPERATIONS, "sparse.multiply: op"),
                given.one_of(symmetry, _SYMMETRIES, "sparse.multiply: symmetry"))


def solve_triangular(a, b, *, lower=True, unit_diagonal=False, op="none"):
    """x with op(a) x = b, for a vector (n,) or a matrix (n, k), by the lower or the upper triangle of a alone. ValueError for a row without its element
    on the diagonal; a zero there gives infinities."""
    for value, name in ((lower, "lower"), (unit_diagonal, "unit_diagonal")):
        if not isinstance(value, bool):
            raise TypeError(f"sparse.solve_triangular: {name} is True or False, not {given.shown(value)}")
    return call("sparse_solve", _matrix(a, "solve_triangular"), _dense(b, a, "solve_triangular"), lower, unit_diagonal,
                given.one_of(op, _OPERATIONS, "sparse.solve_triangular: op"))
