"""The functions of the Array API standard 2022.12 on prism.Array, with NumPy's names where both have one."""
import builtins
import ctypes
import functools
import math
import struct
from collections import namedtuple

from . import _c, _dtype
from . import _given as given
from ._array import Array, Shape, call, call_all, from_bytes
from ._c import InvalidError, OutOfRangeError
from ._device import Device, devices
from ._dtype import DType, bool_, complex128, complex64, dtype, float64, int64, promote
from ._memory import Memory
from ._selection import place

_IMPORTED = frozenset(globals())
e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None


def _on(device):
    return None if device is None else place(device)


def _shape(shape, least=0):
    return Shape(given.shape(shape, least))


def _is_others(value):
    """Whether it is an array of another library, with dimensions: every function takes it as an operator does."""
    return not isinstance(value, (Array, Memory)) and hasattr(value, "__array__") and getattr(value, "ndim", 0) != 0


def _taken(arguments):
    """The arguments with arrays of other libraries as PRISM's, on the device of the first that is."""
    if not builtins.any(map(_is_others, arguments)):
        return arguments
    device = next((each.device for each in arguments if isinstance(each, Array)), None)
    return [asarray(each, device=device) if _is_others(each) else each for each in arguments]


def _of_arrays(count=None):
    """Refuses other things than arrays among the first `count` arguments (None: all)."""
    def decorated(function):
        @functools.wraps(function)
        def checked(*arguments, **options):
            for each in arguments[:count]:
                if type(each) is not Array:
                    arguments = (*_arrays(function.__name__, arguments[:count]), *(arguments[count:] if count is not None else ()))
                    break
            return function(*arguments, **options)
        return checked
    return decorated


def _arrays(function, arguments):
    """The arguments as arrays; TypeError if one is none."""
    arguments = _taken(arguments)
    for each in arguments:
        if not isinstance(each, Array):
            raise TypeError(f"{function} takes a prism.Array, not {given.shown(each)}; prism.asarray makes arrays of other data")
    return arguments


# ---- creation

def _flat(values, out, types):
    """The shape of nested lists; their numbers go to `out`, their types to `types`."""
    if isinstance(values, Array) and values.ndim or _is_others(values):
        types.add(dtype(values.dtype))
        values, types = values.tolist(), set()
    if isinstance(values, (list, tuple)):
        shapes = {_flat(each, out, types) for each in values}
        if len(shapes) > 1:
            raise ValueError(f"asarray: nested lists of different shapes: {sorted(shapes)}")
        return (len(values), *(shapes.pop() if shapes else ()))
    number = values.item() if hasattr(values, "item") else values
    if isinstance(number, list):
        return _flat(number, out, types)
    if not isinstance(number, (bool, int, float, complex)):
        raise TypeError(f"asarray: an array has no elements of {type(number).__name__}")
    types.add(dtype(values.dtype if hasattr(values, "dtype") and hasattr(values, "item") else type(number)))
    out.append(number)
    return ()


def _from_lists(values, type, device):
    numbers, types = [], set()
    shape = _flat(values, numbers, types)
    if type is None:
        type = promote(sorted(types, key=lambda each: each.number)) if types else float64
        if type is int64 and builtins.max(numbers) > 2 ** 63 - 1: # as NumPy has it
            type = _dtype.uint64 if builtins.min(numbers) >= 0 else float64
    if type.kind == "c":
        parts = [part for each in numbers for part in (complex(each).real, complex(each).imag)]
    elif type.kind == "b":
        parts = [bool(each) for each in numbers]
    else:
        parts = numbers if type.kind == "f" else [int(each) for each in numbers]
    try:
        data = struct.pack(f"<{len(parts)}{type.format[0]}", *parts)
    except struct.error as why:
        raise OverflowError(f"asarray: a number does not fit {type} ({why})") from None
    return from_bytes(data, type, shape, device)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of a number, nested lists, an array of another library, or a buffer. Copies, except of a prism.Array."""
    type, on = None if dtype is None else _dtype.dtype(dtype), _on(device)
    if isinstance(obj, Array):
        out = obj if on is None or on == obj.device else obj.to_device(on)
        if type is not None and type is not out.dtype:
            if copy is False:
                raise ValueError(f"asarray(copy=False): {out.dtype} to {type} needs a copy")
            return out.astype(type)
        return out.copy() if copy and out is obj else out
    if copy is False:
        if not hasattr(obj, "__dlpack__"):
            raise ValueError("asarray(copy=False): only arrays of libraries with DLPack need no copy")
        try:
            return asarray(from_dlpack(obj, device=device, copy=False), dtype=dtype, copy=False)
        except (BufferError, TypeError) as why: # NumPy hands over no bool before 1.25, and nothing that is read-only
            raise ValueError(f"asarray(copy=False): {builtins.type(obj).__name__} hands over its elements only by a copy: {why}") from None
    if isinstance(obj, (list, tuple)) and obj and builtins.all(isinstance(each, Array) and each.ndim or _is_others(each) for each in obj):
        return asarray(stack(obj), dtype=dtype, device=device)
    if isinstance(obj, (bool, int, float, complex, list, tuple, range)):
        return _from_lists(list(obj) if isinstance(obj, range) else obj, type, on)
    if isinstance(obj, Memory):
        out = _over_memory(obj).copy()
        out = out if on is None or on == out.device else out.to_device(on)
        return out if type is None else out.astype(type, copy=False)
    if hasattr(obj, "__array__") or hasattr(obj, "__array_interface__"):
        import numpy
        values = _dtype.native(numpy.asarray(obj))
        out = from_bytes(values.tobytes(), _dtype.dtype(values.dtype), values.shape, on)
    else:
        try:
            view = memoryview(obj)
        except TypeError:
            return _from_lists(obj.item() if hasattr(obj, "item") else obj, type, on)
        formats = {each.format: each for each in _dtype.ALL} | {"l": int64, "L": _dtype.uint64}
        if view.format not in formats:
            raise TypeError(f"asarray: arrays have no elements of the buffer format {view.format!r}")
        out = from_bytes(view.tobytes(), formats[view.format], view.shape, on)
    return out if type is None else out.astype(type, copy=False)


array = asarray


def _over_memory(memory):
    view = memory.view()
    return _c.core.from_memory(ctypes.addressof(view), memory)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the elements of another library's array, on its device. They are copied with copy=True, for another device, and if
    they are read-only; copy=False refuses that, by BufferError."""
    if not hasattr(x, "__dlpack_device__"):
        raise TypeError(f"from_dlpack takes an array of a library with DLPack, not {given.shown(x)}; prism.asarray makes arrays of other data")
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"from_dlpack: copy is True, False or None, not {given.shown(copy)}")
    on = _on(device)
    if on is None and x.__dlpack_device__()[0] == 1: # without a host device in this process the elements are copied
        on = next((each for each in devices() if each.backend == "host"), None) or Device()
    to_host = on is not None and on.backend == "host" and x.__dlpack_device__()[0] != 1 and copy is not False
    try: # the other library makes the copy for the host
        capsule = x.__dlpack__(max_version=(1, 0), **({"dl_device": (1, 0), "copy": True} if to_host else {}))
    except TypeError: # of a library that knows no versions
        capsule = x.__dlpack__()
    try:
        return _c.core.from_dlpack(capsule, on, {None: 0, False: 1, True: 2}[copy])
    except InvalidError as why:
        raise BufferError(f"from_dlpack: {why}") from None


def empty(shape, *, dtype=None, device=None):
    """An array whose elements are not set."""
    return call("empty", _shape(shape), _dtype.dtype(dtype or float64), device=_on(device))


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros."""
    return call("zeros", _shape(shape), _dtype.dtype(dtype or float64), device=_on(device))


def ones(shape, *, dtype=None, device=None):
    """An array of ones."""
    return call("ones", _shape(shape), _dtype.dtype(dtype or float64), device=_on(device))


def full(shape, fill_value, *, dtype=None, device=None):
    """An array with the value in all elements."""
    if isinstance(fill_value, Array):
        fill_value = fill_value.item()
    return call("full", _shape(shape), fill_value, None if dtype is None else _dtype.dtype(dtype), device=_on(device))


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... below stop; from 0 where only one number is given."""
    start, stop = (0, start) if stop is None else (start, stop)
    return call("arange", start, stop, step, None if dtype is None else _dtype.dtype(dtype), device=_on(device))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """`num` numbers at equal distances from start to stop, which `endpoint` includes."""
    if isinstance(start, complex) or isinstance(stop, complex) or dtype is not None and _dtype.dtype(dtype).kind == "c":
        steps = builtins.max(num - 1 if endpoint else num, 1)
        return asarray([start + (stop - start) * i / steps for i in range(num)], dtype=dtype or complex128, device=device)
    ends = given.real(start, "linspace: start"), given.real(stop, "linspace: stop")
    return call("linspace", *ends, given.whole(num, "linspace: num"), endpoint, _dtype.dtype(dtype or float64), device=_on(device))


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on the diagonal, or `k` places above it; zeros elsewhere."""
    n_rows = given.whole(n_rows, "eye: n_rows")
    n_cols = n_rows if n_cols is None else given.whole(n_cols, "eye: n_cols")
    k = builtins.max(-n_rows, builtins.min(given.whole(k, "eye: k", -math.inf, math.inf), n_cols)) # no diagonal is farther away
    return call("eye", n_rows, n_cols, k, _dtype.dtype(dtype or float64), device=_on(device))


def _like(make):
    def like(x, /, *, dtype=None, device=None):
        x, = _taken([x])
        if not isinstance(x, Array):
            raise TypeError(f"{make.__name__}_like takes a prism.Array, not {given.shown(x)}")
        return make(x.shape, dtype=dtype or x.dtype, device=device or x.device)
    like.__name__, like.__doc__ = f"{make.__name__}_like", f"As {make.__name__}, with the shape, type and device of x."
    return like


empty_like, zeros_like, ones_like = map(_like, (empty, zeros, ones))


@_of_arrays(1)
def full_like(x, /, fill_value, *, dtype=None, device=None):
    """As full, with the shape, type and device of x."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)


@_of_arrays(1)
def tril(x, /, *, k=0):
    """The elements on and below the diagonal, or `k` places above it; zeros elsewhere."""
    return call("tril", x, given.whole(k, "tril: k", -2 ** 62))


@_of_arrays(1)
def triu(x, /, *, k=0):
    """The elements on and above the diagonal, or `k` places above it; zeros elsewhere."""
    return call("triu", x, given.whole(k, "triu: k", -2 ** 62))


@_of_arrays()
def meshgrid(*arrays, indexing="xy"):
    """For each vector an array of its numbers over the grid of all of them; indexing: "xy" or "ij"."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    n = len(arrays)
    axes = list(range(n))
    if indexing == "xy" and n > 1:
        axes[:2] = 1, 0
    shape = [0] * n
    for each, axis in zip(arrays, axes):
        shape[axis] = each.size
    return [broadcast_to(reshape(each, tuple(-1 if i == axis else 1 for i in range(n))), tuple(shape)).copy() for each, axis in zip(arrays, axes)]


# ---- what there is

class _Information:
    """What a program may ask about the module, as the Array API standard has it from 2023.12."""

    def capabilities(self):
        """{"boolean indexing", "data-dependent shapes", "max dimensions"}"""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        """The default device of this thread."""
        return Device()

    def devices(self):
        """The devices of this machine."""
        from ._device import devices
        return devices()

    def default_dtypes(self, *, device=None):
        """{kind: the type that arrays of this kind have unless another is given}"""
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        """{name: type} of those that the device has, of a kind of isdtype() where one is given."""
        on = _on(device) or Device()
        known = [each for each in _dtype.ALL if on.has("fp64") or each not in (float64, complex128)]
        return {each.name: each for each in known if kind is None or _dtype.isdtype(each, kind)}


def __array_namespace_info__():
    return _Information()


# ---- element types

@_of_arrays(1)
def astype(x, dtype, /, *, copy=True):
    """The array with another type of elements."""
    return x.astype(dtype, copy=copy)


def result_type(*of):
    """The type of a result of arrays and types."""
    return promote([each.dtype if isinstance(each, Array) else dtype(getattr(each, "dtype", each)) for each in of])


# ---- element by element

_ANGLES = ("sin", "cos", "tan", "asin", "acos", "atan")


def _unary(name, function):
    def apply(x, /):
        return call(function, x)
    unit = "" if name not in _ANGLES else " The results are in radians." if name.startswith("a") else " x is in radians."
    apply.__name__, apply.__doc__ = name, f"{name} of each element, in the shape of x; recorded.{unit}"
    return apply


def _binary(name, function):
    def apply(x1, x2, /):
        return call(function, x1, x2)
    apply.__name__, apply.__doc__ = name, f"{name} of elements of two arrays, in the shape that they have together; recorded. ValueError where the shapes do not fit."
    return apply


for _each in ("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_invert", "cbrt", "ceil", "conj", "cos", "cosh", "exp", "exp2", "expm1", "floor",
              "imag", "isfinite", "isinf", "isnan", "log", "log1p", "log2", "log10", "logical_not", "negative", "positive", "real",
              "sign", "signbit", "sin", "sinh", "sqrt", "square", "reciprocal", "tan", "tanh", "trunc"):
    globals()[_each] = _unary(_each, _each)
for _each, _function in {"pow": "power"}.items() | {(n, n) for n in (
        "add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign", "divide", "equal",
        "floor_divide", "fmax", "fmin", "greater", "greater_equal", "hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor",
        "maximum", "minimum", "multiply", "nextafter", "not_equal", "remainder", "subtract")}:
    globals()[_each] = _binary(_each, _function)


def round(x, /, decimals=0):
    """The nearest numbers of `decimals` digits behind the point, or with a negative one before it, as NumPy computes them; the even one of two that
    are as near. Whole numbers by default."""
    if decimals == 0:
        return call("round", x)
    from ._numeric import rounded
    return rounded(x, given.whole(decimals, "round: decimals", -400, 400))


def where(condition, x1, x2, /):
    """Elements of x1 where the condition is true, else of x2."""
    return call("where", condition, x1, x2)


def clip(x, /, min=None, max=None):
    """The array with its elements moved to between min and max."""
    return call("clip", x, min, max)


# ---- products

def matmul(x1, x2, /):
    """The products of matrices: (..., m, n) of (..., m, k) and (..., k, n), with the stacks in front broadcast; a vector (k,) is a row on the left
    and a column on the right. ValueError where the shapes do not fit."""
    return call("matmul", x1, x2)


@_of_arrays(1)
def matrix_transpose(x, /):
    """The array with its last two axes exchanged."""
    return x.mT


@_of_arrays(2)
def vecdot(x1, x2, /, *, axis=-1):
    """The sums of products along an axis; the first operand is conjugated."""
    return call("linalg.vecdot", x1, x2, given.whole(axis, "vecdot: axis", -2 ** 62))


@_of_arrays(2)
def tensordot(x1, x2, /, *, axes=2):
    """The sums of products over pairs of axes: a count of axes, or two lists."""
    if not isinstance(axes, int) and not (isinstance(axes, (tuple, list)) and len(axes) == 2 and len(axes[0]) == len(axes[1])):
        raise TypeError(f"tensordot: axes is a number of axes, or two lists of them of one length, not {given.shown(axes)}")
    if isinstance(axes, int):
        fits = 0 <= axes <= builtins.min(x1.ndim, x2.ndim)
    else:
        fits = builtins.all(-x.ndim <= i < x.ndim for x, some in ((x1, axes[0]), (x2, axes[1])) for i in some)
    if not fits:
        raise ValueError(f"tensordot: arrays of {x1.ndim} and {x2.ndim} dimensions have no axes {given.shown(axes)}")
    if isinstance(axes, int):
        a, b = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        a, b = [i % x1.ndim for i in axes[0]], [i % x2.ndim for i in axes[1]]
    if [x1.shape[i] for i in a] != [x2.shape[i] for i in b]:
        raise ValueError(f"tensordot: axes {a} of {x1.shape} and {b} of {x2.shape} have different extents")
    rest1, rest2 = [i for i in range(x1.ndim) if i not in a], [i for i in range(x2.ndim) if i not in b]
    shared = math.prod(x1.shape[i] for i in a)
    shape1, shape2 = tuple(x1.shape[i] for i in rest1), tuple(x2.shape[i] for i in rest2)
    left = reshape(permute_dims(x1, tuple(rest1 + a)), (math.prod(shape1), shared))
    right = reshape(permute_dims(x2, tuple(b + rest2)), (shared, math.prod(shape2)))
    return reshape(left @ right, shape1 + shape2)


@_of_arrays(2)
def dot(x1, x2, /):
    """The products as NumPy's dot: of vectors and matrices as matmul; of other arrays the sums over the last axis of x1 and the last but one
    of x2."""
    if x1.ndim == 0 or x2.ndim == 0:
        return multiply(x1, x2)
    return matmul(x1, x2) if x2.ndim == 1 or x1.ndim < 3 and x2.ndim < 3 else tensordot(x1, x2, axes=([x1.ndim - 1], [x2.ndim - 2]))


@_of_arrays(2)
def outer(x1, x2, /):
    """The products of each element of x1 with each of x2: (m, n) of m and n elements."""
    return reshape(x1, (-1, 1)) * reshape(x2, (1, -1))


# ---- shapes

def broadcast_to(x, /, shape):
    """A view of the array with this shape, in which elements repeat."""
    return call("broadcast_to", x, _shape(shape))


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes have together."""
    shapes, out = [given.shape(each) for each in shapes], []
    for i in range(1, builtins.max(map(len, shapes), default=0) + 1):
        extents = {s[-i] for s in shapes if len(s) >= i and s[-i] != 1}
        if len(extents) > 1:
            raise ValueError(f"the shapes {', '.join(map(str, shapes))} cannot be broadcast together")
        out.insert(0, extents.pop() if extents else 1)
    return tuple(out)


@_of_arrays()
def broadcast_arrays(*arrays):
    """Views of the arrays with the shape that they have together."""
    shape = broadcast_shapes(*(each.shape for each in arrays))
    return [broadcast_to(each, shape) for each in arrays]


def concat(arrays, /, *, axis=0):
    """The arrays one after the other along an axis; None: as vectors."""
    return call("concat", list(_taken(given.several(arrays, "concat: arrays"))), axis)


def stack(arrays, /, *, axis=0):
    """The arrays along a new axis."""
    arrays = list(_taken(given.several(arrays, "stack: arrays")))
    return call("stack", arrays, _new_axis(axis, arrays[0] if arrays else None, "stack"))


def expand_dims(x, /, axis=0):
    """A view with a new axis of one element."""
    x, = _taken([x])
    return call("expand_dims", x, _new_axis(axis, x, "expand_dims"))


def _new_axis(axis, x, function):
    """The place of a new axis, which may stand behind the others."""
    if isinstance(x, Array) and hasattr(axis, "__index__") and not -x.ndim - 1 <= axis.__index__() <= x.ndim:
        raise OutOfRangeError(f"{function}: a new axis at {axis} of an array of {x.ndim} dimensions; it may be at {-x.ndim - 1} to {x.ndim}")
    return axis


def flip(x, /, *, axis=None):
    """The elements in the opposite order, along the axes or all."""
    return call("flip", x, axis)


@_of_arrays(1)
def permute_dims(x, /, axes):
    """A view with the axes in this order."""
    axes = given.several(axes, "permute_dims: axes")
    if len(axes) != x.ndim:
        raise ValueError(f"permute_dims: {len(axes)} axes for an array of {x.ndim} dimensions")
    return call("transpose", x, Shape(axes)) if x.ndim else x


def reshape(x, /, shape, *, copy=None):
    """The same elements in another shape; one extent may be -1. copy: None: where needed; False: ValueError where needed."""
    x, = _taken([x])
    out = call("reshape", x, _shape(shape, -1))
    if copy is False and out.size and out.pointer != x.pointer:
        raise ValueError(f"reshape(copy=False): the order of the elements of the shape {x.shape} and the strides {x.strides} needs a copy")
    return out.copy() if copy else out


def roll(x, /, shift, *, axis=None):
    """The elements moved along the axes; those that leave at an end enter at the other."""
    if isinstance(shift, tuple) or isinstance(axis, tuple):
        axes = axis if isinstance(axis, tuple) else (axis,)
        shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
        for by, along in zip(shifts, axes):
            x = call("roll", x, by, along)
        return x
    return call("roll", x, shift, axis)


def squeeze(x, /, axis=None):
    """A view without these axes of one element, all of them by default."""
    x, = _taken([x])
    return x.squeeze(axis) if isinstance(x, Array) else call("squeeze", x, axis)


def tile(x, repetitions, /):
    """The array, repeated as a whole along each axis."""
    return call("tile", x, _shape(repetitions))


def repeat(x, repeats, /, *, axis=None):
    """Each element, repeated; repeats: how often, a number or one for each element of the axis, an array or a list. Counts are waited for."""
    x, = _taken([x])
    if hasattr(repeats, "__index__") and getattr(repeats, "ndim", 0) == 0:
        return call("repeat", x, given.whole(repeats, "repeat: repeats"), axis)
    from ._pieces import repeat_by
    return repeat_by(x, repeats, axis)


# ---- order, search, sets

def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in order along an axis."""
    return call("sort", x, axis, descending)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The places of the elements, in their order along an axis."""
    return call("argsort", x, axis, descending)


def argmax(x, /, *, axis=None, keepdims=False):
    """The place of the largest element, of the first among equals."""
    return call("argmax", x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """The place of the smallest element, of the first among equals."""
    return call("argmin", x, axis, keepdims)


def nonzero(x, /):
    """For each axis the places of the elements that are not zero."""
    return tuple(call_all("nonzero", x))


@_of_arrays(2)
def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """The places where x2 must be put in the sorted x1."""
    ordered = x1 if sorter is None else take(x1, sorter)
    flat = call("searchsorted", ordered, reshape(x2, (-1,)), side == "right")
    return reshape(flat, x2.shape)


def take(x, indices, /, *, axis=None):
    """The elements at these places of an axis."""
    return call("take", x, indices, 0 if axis is None else axis)


_all = namedtuple("unique_all_result", "values indices inverse_indices counts")
_counts = namedtuple("unique_counts_result", "values counts")
_inverse = namedtuple("unique_inverse_result", "values inverse_indices")


@_of_arrays(1)
def unique_all(x, /):
    """Values, their first places, the place of each element among the values, and counts."""
    flat = reshape(x, (-1,))
    n = flat.size
    order = argsort(flat)
    ordered = take(flat, order)
    # NaN differs from every number, itself too, so each is its own value, as the standard says.
    first = concat([ones((builtins.min(n, 1),), dtype=bool_, device=x.device), ordered[1:] != ordered[:-1]]) if n else zeros((0,), dtype=bool_, device=x.device)
    begins = nonzero(first)[0]
    ends = concat([begins[1:], asarray([n], dtype=int64, device=x.device)]) if n else begins
    number = call("cumulative_sum", first.astype(int64), 0) - 1 if n else begins
    inverse = zeros((n,), dtype=int64, device=x.device)
    if n:
        inverse[order] = number
    return _all(take(ordered, begins), take(order, begins), reshape(inverse, x.shape), ends - begins if n else begins)


def unique_counts(x, /):
    """The different values, in order, and how often each occurs."""
    found = unique_all(x)
    return _counts(found.values, found.counts)


def unique_inverse(x, /):
    """The different values, in order, and the place of each element among them."""
    found = unique_all(x)
    return _inverse(found.values, found.inverse_indices)


def unique_values(x, /):
    """The different values, in order."""
    return unique_all(x).values


# ---- reductions

def _reduced(name):
    def reduce(x, /, *, axis=None, keepdims=False):
        return call(name, x, axis, keepdims)
    reduce.__name__, reduce.__doc__ = name, f"{name} along the axis or the axes, all by default, which have extent 1 with keepdims=True."
    return reduce


min, max, mean, any, all, count_nonzero = map(_reduced, ("min", "max", "mean", "any", "all", "count_nonzero"))


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum along the axes, all by default."""
    return _accumulated("sum", x, axis, dtype, keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product along the axes, all by default."""
    return _accumulated("prod", x, axis, dtype, keepdims)


def _accumulated(name, x, axis, type, keepdims):
    x, = _taken([x])
    if type is None:
        return call(name, x, axis, keepdims)
    return call(name, x.astype(type, copy=False), axis, keepdims).astype(type, copy=False)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The variance along the axes, all by default; correction is subtracted from the count."""
    return call("var", x, axis, keepdims, given.real(correction, "var: correction"))


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard deviation along the axes; correction as for var."""
    return call("std", x, axis, keepdims, given.real(correction, "std: correction"))


def cumulative_sum(x, /, *, axis=None):
    """The sums of the elements up to each place of the axis."""
    return call("cumulative_sum", x, axis)


def cumsum(x, /, axis=None, dtype=None):
    """The sums of the elements up to each place of the axis; of all elements in C order by default."""
    x, = _taken([x])
    if not isinstance(x, Array):
        raise TypeError(f"cumsum takes a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
    return x.cumsum(axis, dtype)


@_of_arrays(1)
def diff(x, /, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours along the axis, taken n times. prepend, append: what stands in front of the axis and behind it, arrays or numbers."""
    def end(value):
        value = asarray(value, device=x.device)
        return value if value.ndim else broadcast_to(value, (*x.shape[:at], 1, *x.shape[at + 1:]))
    n, axis = given.whole(n, "diff: n"), given.whole(axis, "diff: axis", -2 ** 62)
    at = axis % builtins.max(x.ndim, 1)
    if n and (prepend is not None or append is not None):
        x = concat([*([] if prepend is None else [end(prepend)]), x, *([] if append is None else [end(append)])], axis=axis)
    if not -x.ndim <= axis < x.ndim:
        raise OutOfRangeError(f"diff: axis {axis} of an array of {x.ndim} dimensions")
    later, earlier = [(slice(None),) * at + (each,) for each in (slice(1, None), slice(None, -1))]
    for _ in range(builtins.min(n, x.shape[at])):
        x = x[later] != x[earlier] if x.dtype is bool_ else x[later] - x[earlier]
    return x


def isclose(x1, x2, /, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where two arrays, or an array and a number, differ by at most atol + rtol |x2|. equal_nan: whether NaN is close to NaN."""
    x1, x2 = _taken([x1, x2])
    arrays = [each for each in (x1, x2) if isinstance(each, Array)]
    if not arrays:
        raise TypeError(f"isclose takes a prism.Array, not {given.shown(x1)} and {given.shown(x2)}; prism.asarray makes arrays of other data")
    kind = promote([each.dtype for each in arrays])
    kind = kind if kind.kind in "fc" else float64
    x1, x2 = (each.astype(kind, copy=False) if isinstance(each, Array) else asarray(each, dtype=kind, device=arrays[0].device) for each in (x1, x2))
    near = abs(x1 - x2) <= given.real(atol, "isclose: atol") + given.real(rtol, "isclose: rtol") * abs(x2)
    out = equal(x1, x2) | near & isfinite(x2)
    return out | isnan(x1) & isnan(x2) if equal_nan else out


def allclose(x1, x2, /, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close as by isclose: a bool of Python. Waits."""
    return builtins.bool(all(isclose(x1, x2, rtol, atol, equal_nan)))


__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in _IMPORTED)
