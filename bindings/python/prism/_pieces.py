"""NumPy's functions that join, divide, pad, turn and index arrays, and sets of their values."""
import builtins
import functools
import math
import operator
from collections.abc import Iterable

from . import _functions as xp
from . import _given as given
from ._array import Array
from ._c import OutOfRangeError
from ._dtype import int64
from ._functions import _of_arrays as _all_arrays
from ._functions import _taken


def _of_arrays(count=None):
    """Refuses other things than arrays as the first `count` arguments (None: as all), also where they are given by name."""
    def decorated(function):
        names, checked = function.__code__.co_varnames[:count], _all_arrays(count)(function)
        if count is None:
            return checked

        @functools.wraps(function)
        def named(*arguments, **options):
            arguments = list(arguments)
            for name in names[len(arguments):]:
                if name not in options:
                    break
                arguments.append(options.pop(name))
            return checked(*arguments, **options)
        return named
    return decorated


def _list(arrays, function):
    out = list(_taken(given.several(arrays, f"{function}: arrays")))
    for each in out:
        if not isinstance(each, Array):
            raise TypeError(f"{function} takes a prism.Array, not {given.shown(each)}; prism.asarray makes arrays of other data")
    return out


def _axis(axis, rank, function):
    axis = given.whole(axis, f"{function}: axis", -2 ** 62)
    if not -rank <= axis < rank:
        raise OutOfRangeError(f"{function}: axis {axis} of an array of {rank} dimensions")
    return axis % rank


def _at(axis, item):
    return (*(slice(None),) * axis, item)


# ---- joining

def concatenate(arrays, axis=0):
    """The arrays one after the other along an axis, as vectors where it is None; as concat."""
    return xp.concat(arrays, axis=axis)


@_of_arrays(2)
def append(arr, values, axis=None):
    """values behind arr along the axis; both as vectors by default."""
    return xp.concat([arr, values], axis=axis)


def repeat_by(x, repeats, axis):
    """Each element of the axis as often as its number of `repeats` says; of the vector where axis is None."""
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    axis = _axis(axis, x.ndim, "repeat")
    counts = xp.asarray(repeats, device=x.device)
    if counts.dtype.kind not in "biu" or counts.ndim != 1:
        raise TypeError(f"repeat: repeats is a whole number or a vector of them, not {given.shown(repeats)}")
    counts = xp.broadcast_to(counts.astype(int64, copy=False), (x.shape[axis],)) if counts.size == 1 else counts.astype(int64, copy=False)
    if counts.size != x.shape[axis]:
        raise ValueError(f"repeat: {counts.size} counts for {x.shape[axis]} elements of axis {axis}")
    if counts.size and int(xp.min(counts)) < 0:
        raise ValueError("repeat: a count is negative")
    ends = xp.cumulative_sum(counts)
    total = int(ends[-1]) if counts.size else 0
    return xp.take(x, xp.searchsorted(ends, xp.arange(total, device=x.device), side="right"), axis=axis)


def _named_places(obj, extent, function):
    """The places that a slice, a number, numbers or a mask names, counted from the front, as an array, and whether it is one number."""
    if isinstance(obj, slice):
        return xp.arange(*obj.indices(extent)), False
    obj = xp.asarray(obj, dtype=int64 if isinstance(obj, (list, tuple)) and not obj else None)
    if obj.dtype.kind == "b":
        obj = flatnonzero(obj)
    if obj.dtype.kind not in "iu" or obj.ndim > 1:
        raise OutOfRangeError(f"{function}: the index is a slice, a whole number, a vector of them or a mask, not an array of {obj.dtype} and {obj.ndim} dimensions")
    return xp.reshape(obj, (-1,)).astype(int64, copy=False), obj.ndim == 0


def _checked_places(places, extent, most, function):
    if places.size and not (-extent <= int(xp.min(places)) and int(xp.max(places)) < most):
        raise OutOfRangeError(f"{function}: an index beyond the {extent} elements of the axis")
    return xp.where(places < 0, places + extent, places)


@_of_arrays(1)
def delete(arr, obj, axis=None):
    """The array without the elements of the axis that a slice, a number, numbers or a mask names; of all elements as a vector by default."""
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = _axis(axis, arr.ndim, "delete")
    extent = arr.shape[axis]
    places = _checked_places(_named_places(obj, extent, "delete")[0].to_device(arr.device), extent, extent, "delete")
    stays = xp.ones((extent,), dtype="bool", device=arr.device)
    stays[places] = False
    return compress(stays, arr, axis)


@_of_arrays(1)
def insert(arr, obj, values, axis=None):
    """The array with values in front of the elements of the axis that a slice, a number or numbers name; of all elements as a vector by default."""
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = _axis(axis, arr.ndim, "insert")
    extent = arr.shape[axis]
    places, is_one = _named_places(obj, extent, "insert")
    places = _checked_places(places.to_device(arr.device), extent, extent + 1, "insert")
    values = xp.asarray(values, device=arr.device).astype(arr.dtype, copy=False)
    values = xp.reshape(values, (1,) * (arr.ndim - values.ndim) + values.shape) if values.ndim < arr.ndim else values
    if is_one: # the values stand along the axis
        values = moveaxis(values, 0, axis)
        places = xp.broadcast_to(places, (values.shape[axis],))
    values = xp.broadcast_to(values, (*arr.shape[:axis], places.size, *arr.shape[axis + 1:]))
    order = xp.argsort(places) # stable
    new = xp.take(places, order) + xp.arange(places.size, device=arr.device)
    is_new = xp.zeros((extent + places.size,), dtype="bool", device=arr.device)
    is_new[new] = True
    source = xp.zeros(is_new.shape, dtype=int64, device=arr.device)
    source[is_new] = order + extent
    source[~is_new] = xp.arange(extent, device=arr.device)
    return xp.take(xp.concat([arr, values], axis=axis), source, axis=axis)


def _at_least(rank, place):
    @_of_arrays()
    def made(*arrays):
        out = [place(each) if each.ndim < rank else each for each in arrays]
        return out[0] if len(out) == 1 else out
    made.__name__ = made.__qualname__ = f"atleast_{rank}d"
    made.__doc__ = f"Views of the arrays with at least {rank} dimension{'s' if rank > 1 else ''}, one view where one array is given."
    return made


atleast_1d = _at_least(1, lambda x: xp.reshape(x, (1,)))
atleast_2d = _at_least(2, lambda x: xp.reshape(x, (1, -1)) if x.ndim == 0 or x.size else xp.reshape(x, (1, x.shape[0])))
atleast_3d = _at_least(3, lambda x: xp.reshape(x, (1, *x.shape, 1) if x.ndim == 1 else (*x.shape, 1) if x.ndim == 2 else (1, 1, 1)))


def vstack(arrays):
    """The arrays one below the other; vectors are rows."""
    return xp.concat([atleast_2d(each) for each in _list(arrays, "vstack")], axis=0)


row_stack = vstack


def hstack(arrays):
    """The arrays side by side, along the second axis; vectors behind each other."""
    arrays = [atleast_1d(each) for each in _list(arrays, "hstack")]
    return xp.concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


def dstack(arrays):
    """The arrays along the third axis."""
    return xp.concat([atleast_3d(each) for each in _list(arrays, "dstack")], axis=2)


def column_stack(arrays):
    """Vectors as the columns of a matrix, and matrices side by side."""
    return xp.concat([xp.reshape(each, (-1, 1)) if each.ndim < 2 else each for each in _list(arrays, "column_stack")], axis=1)


# ---- dividing

@_of_arrays(1)
def array_split(ary, indices_or_sections, axis=0):
    """Views of parts along the axis: this many, of which the first are longer by one where they are unequal, or those between the indices."""
    axis = _axis(axis, ary.ndim, "array_split")
    n = ary.shape[axis]
    if isinstance(indices_or_sections, Iterable) and not getattr(indices_or_sections, "shape", None) == ():
        ends = [given.whole(each, "array_split: an index", -2 ** 62) for each in (
            indices_or_sections.tolist() if hasattr(indices_or_sections, "tolist") else indices_or_sections)]
    else:
        count = given.whole(indices_or_sections, "array_split: the number of parts", 1)
        ends = [i * (n // count) + builtins.min(i, n % count) for i in range(1, count)]
    return [ary[_at(axis, slice(begin, end))] for begin, end in zip([0, *ends], [*ends, n])]


@_of_arrays(1)
def split(ary, indices_or_sections, axis=0):
    """As array_split; ValueError where a number of parts does not divide the extent."""
    if hasattr(indices_or_sections, "__index__") and not getattr(indices_or_sections, "shape", ()):
        n = ary.shape[_axis(axis, ary.ndim, "split")]
        if n % given.whole(indices_or_sections, "split: the number of parts", 1):
            raise ValueError(f"split: {indices_or_sections} equal parts of {n} elements")
    return array_split(ary, indices_or_sections, axis)


def _split_along(name, axis, least):
    @_of_arrays(1)
    def divided(ary, indices_or_sections):
        if ary.ndim < least:
            raise ValueError(f"{name} needs an array of {least} dimension{'s' if least > 1 else ''} or more, not {ary.ndim}")
        return split(ary, indices_or_sections, axis if ary.ndim > 1 else 0)
    divided.__name__ = divided.__qualname__ = name
    divided.__doc__ = f"As split, along axis {axis}."
    return divided


vsplit, hsplit, dsplit = _split_along("vsplit", 0, 2), _split_along("hsplit", 1, 1), _split_along("dsplit", 2, 3)


# ---- turning

@_of_arrays(1)
def moveaxis(a, source, destination):
    """A view with axes, one or several, at other places."""
    both = [[_axis(each, a.ndim, "moveaxis") for each in ((value,) if hasattr(value, "__index__") else given.several(value, "moveaxis: axes"))]
            for value in (source, destination)]
    if len(both[0]) != len(both[1]) or builtins.any(len(set(each)) != len(each) for each in both):
        raise ValueError(f"moveaxis: axes {given.shown(source)} to {given.shown(destination)}")
    order = [i for i in range(a.ndim) if i not in both[0]]
    for to, axis in sorted(zip(both[1], both[0])):
        order.insert(to, axis)
    return xp.permute_dims(a, order)


@_of_arrays(1)
def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    order = list(range(a.ndim))
    i, j = _axis(axis1, a.ndim, "swapaxes"), _axis(axis2, a.ndim, "swapaxes")
    order[i], order[j] = j, i
    return xp.permute_dims(a, order)


@_of_arrays(1)
def ravel(a):
    """The elements as a vector; a view where the strides allow it."""
    return xp.reshape(a, (-1,))


@_of_arrays(1)
def flipud(m):
    """A view with the rows in the opposite order."""
    return xp.flip(m, axis=0)


@_of_arrays(1)
def fliplr(m):
    """A view with the columns in the opposite order."""
    return xp.flip(m, axis=1)


@_of_arrays(1)
def rot90(m, k=1, axes=(0, 1)):
    """The array turned k times by 90 degrees, from the first axis towards the second."""
    both = [_axis(each, m.ndim, "rot90") for each in given.several(axes, "rot90: axes")]
    if len(both) != 2 or both[0] == both[1]:
        raise ValueError(f"rot90: axes are two different ones, not {given.shown(axes)}")
    i, j = both
    k = given.whole(k, "rot90: k", -2 ** 62) % 4
    if k in (2, 3):
        m = xp.flip(m, axis=i)
    if k == 2:
        return xp.flip(m, axis=j)
    return m if k == 0 else xp.flip(swapaxes(m, i, j), axis=i) if k == 1 else swapaxes(m, i, j)


# ---- padding

def _places(mode, n, before, behind):
    """Which element stands at each place of the padded axis."""
    inside = range(-before, n + behind)
    if n == 0 and before + behind:
        raise ValueError(f"pad: {mode!r} of an axis without elements")
    if mode == "edge":
        return [builtins.min(builtins.max(i, 0), n - 1) for i in inside]
    if mode == "wrap":
        return [i % n for i in inside]
    period = 2 * n if mode == "symmetric" else builtins.max(2 * (n - 1), 1)
    return [builtins.min(i % period, period - (1 if mode == "symmetric" else 0) - i % period) for i in inside]


def _pairs(value, rank, what):
    """A pair for each axis: one number, a pair, or all pairs."""
    if hasattr(value, "__index__") or not isinstance(value, (tuple, list)):
        return [(value, value)] * rank
    value = [tuple(each) if isinstance(each, (tuple, list)) else each for each in value]
    if builtins.all(isinstance(each, tuple) for each in value):
        pairs = [each * 2 if len(each) == 1 else each for each in value]
    else:
        pairs = [tuple(value) * 2 if len(value) == 1 else tuple(value)]
    pairs = pairs * rank if len(pairs) == 1 else pairs
    if len(pairs) != rank or builtins.any(len(each) != 2 for each in pairs):
        raise ValueError(f"pad: {what} is a number, a pair, or a pair for each of {rank} axes, not {given.shown(value)}")
    return pairs


_FILLED = 2 << 20 # bytes, of which a copy takes less time than the calls for the sides


@_of_arrays(1)
def pad(array, pad_width, mode="constant", *, constant_values=0):
    """The array with elements in front of and behind each axis. pad_width: a number, (before, behind), or such a pair for each axis. mode: "constant",
    "edge", "reflect", "symmetric" or "wrap"."""
    given.one_of(mode, ("constant", "edge", "reflect", "symmetric", "wrap"), "pad: mode")
    widths = [tuple(given.whole(each, "pad: pad_width") for each in pair) for pair in _pairs(pad_width, array.ndim, "pad_width")]
    values = _pairs(constant_values, array.ndim, "constant_values")
    if builtins.any(width < 0 for pair in widths for width in pair):
        raise ValueError(f"pad: pad_width has a negative number: {given.shown(pad_width)}")
    if mode != "constant":
        for axis, (before, behind) in enumerate(widths):
            if before or behind:
                array = xp.take(array, xp.asarray(_places(mode, array.shape[axis], before, behind), dtype=int64, device=array.device), axis=axis)
        return array
    shape = tuple(before + n + behind for n, (before, behind) in zip(array.shape, widths))
    inside = [slice(before, before + n) for n, (before, _) in zip(array.shape, widths)]
    if len({value for pair in values for value in pair}) == 1 and math.prod(shape) * array.dtype.itemsize <= _FILLED:
        out = xp.full(shape, values[0][0], dtype=array.dtype, device=array.device) # one copy more, but four calls fewer
        out[tuple(inside)] = array
        return out
    out = xp.empty(shape, dtype=array.dtype, device=array.device)
    out[tuple(inside)] = array
    for axis, (before, behind) in enumerate(widths):  # elements at corners belong to the last axis
        for place, value in ((slice(0, before), values[axis][0]), (slice(out.shape[axis] - behind, None), values[axis][1])):
            if place.start != (out.shape[axis] if place.stop is None else place.stop):
                out[(slice(None),) * axis + (place, *inside[axis + 1:])] = xp.full((), value, dtype=array.dtype, device=array.device)
    return out


# ---- places

@_of_arrays(1)
def argwhere(a):
    """The indices of the elements that are not zero: (count, dimensions)."""
    if a.ndim == 0:
        return xp.zeros((int(builtins.bool(a)), 0), dtype=int64, device=a.device)
    return xp.stack(list(xp.nonzero(a)), axis=1)


@_of_arrays(1)
def flatnonzero(a):
    """The places of the elements that are not zero in the array as a vector."""
    return xp.nonzero(xp.reshape(a, (-1,)))[0]


@_of_arrays(1)
def unravel_index(indices, shape):
    """The index along each axis of an array of this shape, in C order, for places of it as a vector. An IndexError for others."""
    shape, out = given.shape(shape), []
    if indices.size and (int(xp.min(indices)) < 0 or int(xp.max(indices)) >= math.prod(shape)):
        raise OutOfRangeError(f"unravel_index: an index beyond the {math.prod(shape)} elements of the shape {shape}")
    indices = indices.astype(int64, copy=False)
    for extent in reversed(shape):
        out.insert(0, indices % builtins.max(extent, 1))
        indices = indices // builtins.max(extent, 1)
    return tuple(out)


def ravel_multi_index(multi_index, dims):
    """The places in an array of this shape as a vector, in C order, for an index along each axis. An IndexError for others."""
    parts, dims = _list(multi_index, "ravel_multi_index"), given.shape(dims)
    if len(parts) != len(dims):
        raise ValueError(f"ravel_multi_index: {len(parts)} indices for the shape {dims}")
    out = None
    for each, extent in zip(parts, dims):
        if each.size and (int(xp.min(each)) < 0 or int(xp.max(each)) >= extent):
            raise OutOfRangeError(f"ravel_multi_index: an index beyond the extent {extent}")
        each = each.astype(int64, copy=False)
        out = each if out is None else out * extent + each
    return out


def _all_places(x, indices, axis, function):
    """An index for each axis, for elements along one."""
    if indices.ndim != x.ndim:
        raise ValueError(f"{function}: indices of {indices.ndim} dimensions for an array of {x.ndim}")
    return tuple(indices if i == axis else xp.reshape(xp.arange(x.shape[i], device=x.device), (*(1,) * i, -1, *(1,) * (x.ndim - i - 1)))
                 for i in range(x.ndim))


@_of_arrays(2)
def take_along_axis(arr, indices, axis=-1):
    """For each place of `indices` the element of arr with that index along the axis; their other extents are broadcast. axis None: of vectors."""
    if axis is None:
        return xp.take(xp.reshape(arr, (-1,)), xp.reshape(indices, (-1,)))
    axis = _axis(axis, arr.ndim, "take_along_axis")
    return arr[_all_places(arr, indices, axis, "take_along_axis")]


@_of_arrays(2)
def put_along_axis(arr, indices, values, axis=-1):
    """Writes values to the places that take_along_axis reads."""
    arr[_all_places(arr, indices, _axis(axis, arr.ndim, "put_along_axis"), "put_along_axis")] = values


def indices(dimensions, *, dtype=None, device=None):
    """The index along each axis at each place of an array of this shape: (dimensions, ...)."""
    shape = given.shape(dimensions)
    if not shape:
        return xp.empty((0,), dtype=dtype or int64, device=device)
    return xp.stack([xp.broadcast_to(xp.reshape(xp.arange(n, dtype=dtype or int64, device=device), (-1, *(1,) * (len(shape) - i - 1))), shape)
                     for i, n in enumerate(shape)])


@_of_arrays()
def ix_(*args):
    """Vectors as indices of a grid: a[ix_(rows, columns)]. Masks stand for the places where they are true."""
    out = []
    for i, each in enumerate(args):
        if each.ndim != 1:
            raise ValueError(f"ix_ takes vectors, not an array of {each.ndim} dimensions")
        each = xp.nonzero(each)[0] if each.dtype.kind == "b" else each
        out.append(xp.reshape(each, (*(1,) * i, -1, *(1,) * (len(args) - i - 1))))
    return tuple(out)


def tri(n, m=None, k=0, *, dtype=None, device=None):
    """Ones on and below the diagonal, or k places above it, of n rows and m columns; zeros elsewhere."""
    n = given.whole(n, "tri: n")
    return xp.tril(xp.ones((n, n if m is None else given.whole(m, "tri: m")), dtype=dtype, device=device), k=k)


def tril_indices(n, k=0, m=None, *, device=None):
    """The indices (rows, columns) of the triangle of tril, of n rows and m columns."""
    return xp.nonzero(tri(n, m, k, dtype="int8", device=device))


def triu_indices(n, k=0, m=None, *, device=None):
    """The indices (rows, columns) of the triangle of triu, of n rows and m columns."""
    return xp.nonzero(1 - tri(n, m, given.whole(k, "triu_indices: k", -2 ** 62) - 1, dtype="int8", device=device))


@_of_arrays(1)
def diag(v, k=0):
    """The matrix with the vector v k places above its diagonal, or that diagonal of a matrix, as a copy."""
    k = given.whole(k, "diag: k", -2 ** 31, 2 ** 31)
    if v.ndim == 2:
        return diagonal(v, k).copy()
    if v.ndim != 1:
        raise ValueError(f"diag takes an array of 1 or 2 dimensions, not {v.ndim}")
    n = v.size + builtins.abs(k)
    out = xp.zeros((n * n,), dtype=v.dtype, device=v.device)
    first = k if k >= 0 else -k * n
    out[first:first + v.size * (n + 1):n + 1] = v
    return xp.reshape(out, (n, n))


@_of_arrays(1)
def diagflat(v, k=0):
    """The matrix with the elements of v, as a vector, k places above its diagonal."""
    return diag(xp.reshape(v, (-1,)), k)


@_of_arrays(1)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of the diagonals of two axes, `offset` places above the main one, as a last axis."""
    i, j = _axis(axis1, a.ndim, "diagonal"), _axis(axis2, a.ndim, "diagonal")
    if i == j:
        raise ValueError("diagonal: the axes are one")
    offset = given.whole(offset, "diagonal: offset", -2 ** 62)
    a = moveaxis(a, (i, j), (-2, -1))
    a = a[..., builtins.min(offset, a.shape[-1]):] if offset > 0 else a[..., builtins.min(-offset, a.shape[-2]):, :]
    return xp.call("diagonal", a)


@_of_arrays(1)
def trace(a, offset=0, axis1=0, axis2=1):
    """The sum of the diagonal, `offset` places above the main one, of two axes."""
    return xp.sum(diagonal(a, offset, axis1, axis2), axis=-1)


# ---- choices

@_of_arrays(2)
def compress(condition, a, axis=None):
    """The elements, or the parts along the axis, where the vector of conditions is true."""
    places = xp.nonzero(condition)[0]
    return xp.take(xp.reshape(a, (-1,)), places) if axis is None else xp.take(a, places, axis=axis)


@_of_arrays(2)
def extract(condition, arr):
    """The elements where the condition is true, as a vector."""
    return xp.take(xp.reshape(arr, (-1,)), flatnonzero(condition))


def select(condlist, choicelist, default=0):
    """Each element of the first choice whose condition is true; else the default."""
    conditions, choices = _list(condlist, "select"), _list(choicelist, "select")
    if len(conditions) != len(choices) or not conditions:
        raise ValueError(f"select: {len(conditions)} conditions for {len(choices)} choices")
    kind = xp.result_type(*choices)
    out = xp.asarray(default, dtype=kind, device=choices[0].device)
    for condition, choice in reversed(list(zip(conditions, choices))):
        out = xp.where(condition, choice.astype(kind, copy=False), out)
    return out


# ---- sets

@_of_arrays(1)
def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    """The different values in order, of which NaN is one; on request also their first places, the place of each element among them, and counts."""
    flat = xp.reshape(ar, (-1,))
    order = xp.argsort(flat)
    values = xp.take(flat, order)
    starts = xp.ones((builtins.min(flat.size, 1),), dtype="bool", device=ar.device)
    if flat.size > 1:
        same = values[1:] == values[:-1]
        if ar.dtype.kind in "fc":
            same = same | xp.isnan(values[1:]) & xp.isnan(values[:-1])
        starts = xp.concat([starts, ~same])
    first = xp.nonzero(starts)[0]
    out = [xp.take(values, first)]
    if return_index:
        out.append(xp.take(order, first))
    if return_inverse:
        inverse = xp.zeros((flat.size,), dtype=int64, device=ar.device)
        if flat.size:
            inverse[order] = xp.cumulative_sum(starts.astype(int64)) - 1
        out.append(inverse)
    if return_counts:
        ends = xp.concat([first[1:], xp.asarray([flat.size], dtype=int64, device=ar.device)]) if flat.size else first
        out.append(ends - first)
    return out[0] if len(out) == 1 else tuple(out)


@_of_arrays(2)
def isin(element, test_elements, *, invert=False):
    """Where an element is one of the others; NaN is none. invert: where it is not."""
    kind = xp.result_type(element, test_elements)
    if kind.kind == "c": # nothing is searched among complex numbers
        found = _isin_complex(element.astype(kind, copy=False), test_elements.astype(kind, copy=False))
        return ~found if invert else found
    values = unique(test_elements.astype(kind, copy=False))
    flat = xp.reshape(element.astype(kind, copy=False), (-1,))
    least, most = (int(values[0]), int(values[-1])) if values.size and kind.kind in "iu" else (0, 2 ** 63)
    if values.size == 0:
        found = xp.zeros(flat.shape, dtype="bool", device=element.device)
    elif most < 2 ** 63 and most - least == values.size - 1: # all numbers of a range
        found = (flat >= least) & (flat <= most)
    elif values.size <= 4 and (kind.kind in "bf" or most < 2 ** 63):
        found = functools.reduce(operator.or_, (flat == number for number in values.tolist()))
    elif most - least < 4 * flat.size and most < 2 ** 63: # a table of what is there
        is_there = xp.zeros((most - least + 2,), dtype="bool", device=element.device)
        is_there[values.astype(int64) - least] = True
        found = xp.take(is_there, xp.where((flat >= least) & (flat <= most), flat.astype(int64) - least, most - least + 1))
    else:
        found = xp.take(values, xp.clip(xp.searchsorted(values, flat), 0, values.size - 1)) == flat
    found = xp.reshape(found, element.shape)
    return ~found if invert else found


def _isin_complex(element, others):
    together = xp.concat([xp.reshape(others, (-1,)), xp.reshape(element, (-1,))])
    values, number = xp.unique_inverse(together)
    is_there = xp.zeros(values.shape, dtype="bool", device=element.device)
    is_there[number[:others.size]] = True
    return xp.reshape(xp.take(is_there, number[others.size:]), element.shape)


def in1d(ar1, ar2, invert=False):
    """As isin, of the first array as a vector."""
    return ravel(isin(ar1, ar2, invert=invert))


@_of_arrays(2)
def intersect1d(ar1, ar2):
    """The values that both have, in order."""
    values = unique(ar1)
    return extract(isin(values, ar2), values.astype(xp.result_type(ar1, ar2), copy=False))


@_of_arrays(2)
def setdiff1d(ar1, ar2):
    """The values of the first that the second has not, in order."""
    values = unique(ar1)
    return extract(isin(values, ar2, invert=True), values)


@_of_arrays(2)
def union1d(ar1, ar2):
    """The values of both, in order."""
    return unique(concatenate((ar1, ar2), None))


@_of_arrays(2)
def setxor1d(ar1, ar2):
    """The values that one of both has, in order."""
    kind = xp.result_type(ar1, ar2)
    return unique(xp.concat([setdiff1d(ar1.astype(kind, copy=False), ar2), setdiff1d(ar2.astype(kind, copy=False), ar1)]))


# ---- comparison of whole arrays

@_of_arrays(2)
def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal: a bool of Python. Waits."""
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan and a1.dtype.kind in "fc" and a2.dtype.kind in "fc":
        same = same | xp.isnan(a1) & xp.isnan(a2)
    return builtins.bool(xp.all(same))


@_of_arrays(2)
def array_equiv(a1, a2):
    """Whether the arrays are equal after broadcasting: a bool of Python. Waits."""
    try:
        return builtins.bool(xp.all(a1 == a2))
    except ValueError:
        return False


def lexsort(keys):
    """The places of the elements in the order of the last key, of those before it where it is equal."""
    keys, order = _list(keys, "lexsort"), None
    for each in keys:
        order = xp.argsort(each) if order is None else take_along_axis(order, xp.argsort(take_along_axis(each, order)))
    if order is None:
        raise ValueError("lexsort: no key is given")
    return order
