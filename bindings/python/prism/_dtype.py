"""Element types of arrays, with NumPy's names, and the functions of the Array API standard about them."""
import struct


class DType:
    """An element type. Equal to NumPy's of the same name."""
    __slots__ = ("name", "number", "itemsize", "kind", "format")

    def __init__(self, name, number, itemsize, kind, format):
        self.name, self.number, self.itemsize, self.kind, self.format = name, number, itemsize, kind, format

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        return getattr(other, "name", other if isinstance(other, str) else None) == self.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"prism.{self.name}"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return dtype, (self.name,)

    @property
    def typestr(self):
        """NumPy's spelling: "<f4"."""
        return ("|" if self.itemsize == 1 else "<") + self.kind + str(self.itemsize)


ALL = [DType("bool", 0x0806, 1, "b", "?"), DType("int8", 0x0804, 1, "i", "b"), DType("int16", 0x1004, 2, "i", "h"),
       DType("int32", 0x2004, 4, "i", "i"), DType("int64", 0x4004, 8, "i", "q"), DType("uint8", 0x0805, 1, "u", "B"),
       DType("uint16", 0x1005, 2, "u", "H"), DType("uint32", 0x2005, 4, "u", "I"), DType("uint64", 0x4005, 8, "u", "Q"),
       DType("float32", 0x2001, 4, "f", "f"), DType("float64", 0x4001, 8, "f", "d"), DType("complex64", 0x2003, 8, "c", "ff"),
       DType("complex128", 0x4003, 16, "c", "dd")]
BY_NUMBER = {each.number: each for each in ALL}
BY_NAME = {each.name: each for each in ALL}
_BY_LETTERS = {each.kind + str(each.itemsize): each for each in ALL} # NumPy's "f4"
(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, complex64, complex128) = ALL
_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}


def dtype(of):
    """The element type of a name, a DType, NumPy's dtype, or bool, int, float, complex."""
    if isinstance(of, DType):
        return of
    if isinstance(of, type) and of in _PYTHON:
        return _PYTHON[of]
    name = getattr(of, "name", None) or getattr(of, "__name__", None) or str(of)
    if isinstance(of, str) and of.lstrip("<=|") in _BY_LETTERS:
        return _BY_LETTERS[of.lstrip("<=|")]
    if name not in BY_NAME:
        raise TypeError(f"arrays have no element type {name!r}; they have {', '.join(BY_NAME)}")
    return BY_NAME[name]


def native(values):
    """NumPy's array in the byte order of this machine, of which the elements of arrays and memory are."""
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
          "numeric": "iufc"}


_named = dtype


def isdtype(dtype, kind):
    """Whether the type is of the kind: a type, a name such as "integral", or a tuple of them."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: there is no kind {kind!r}; there are {', '.join(_KINDS)}")
        return _named(dtype).kind in _KINDS[kind]
    return _named(dtype) is _named(kind)


def _promoted(a, b):
    """The Array API's table; NumPy's where it has none."""
    if a is b:
        return a
    if a.kind == b.kind:
        return a if a.itemsize >= b.itemsize else b
    kinds = {a.kind, b.kind}
    if "b" in kinds:
        return b if a.kind == "b" else a
    if kinds == {"i", "u"}:
        signed, unsigned = (a, b) if a.kind == "i" else (b, a)
        if signed.itemsize > unsigned.itemsize:
            return signed
        return {1: int16, 2: int32, 4: int64, 8: float64}[unsigned.itemsize]
    if kinds == {"f", "c"}:
        real, other = (a, b) if a.kind == "f" else (b, a)
        return complex128 if real is float64 else other
    integer, other = (a, b) if a.kind in "iu" else (b, a)
    if integer.itemsize > 2:
        return float64 if other.kind == "f" else complex128
    return other


def promote(types):
    out = types[0]
    for each in types[1:]:
        out = _promoted(out, each)
    return out


def can_cast(of, to):
    """Whether every number of the first type, or of an array's, is one of the second."""
    source, target = dtype(getattr(of, "dtype", of)), dtype(to)
    return _promoted(source, target) is target


class finfo:
    """Limits of a floating-point type."""
    def __init__(self, of):
        real = {complex64: float32, complex128: float64}.get(dtype(getattr(of, "dtype", of)), dtype(getattr(of, "dtype", of)))
        if real.kind != "f":
            raise TypeError(f"finfo is for floating-point types, not {real}")
        self.dtype, self.bits = real, real.itemsize * 8
        digits, most = (24, 0x7f7fffff) if real is float32 else (53, 0x7fefffffffffffff)
        self.eps = 2.0 ** (1 - digits)
        self.max = struct.unpack("<f", struct.pack("<I", most))[0] if real is float32 else struct.unpack("<d", struct.pack("<Q", most))[0]
        self.min = -self.max
        self.smallest_normal = 2.0 ** (-126 if real is float32 else -1022)


class iinfo:
    """Limits of an integer type."""
    def __init__(self, of):
        self.dtype = dtype(getattr(of, "dtype", of))
        if self.dtype.kind not in "iu":
            raise TypeError(f"iinfo is for integer types, not {self.dtype}")
        self.bits = self.dtype.itemsize * 8
        self.min = 0 if self.dtype.kind == "u" else -(1 << (self.bits - 1))
        self.max = (1 << (self.bits if self.dtype.kind == "u" else self.bits - 1)) - 1
