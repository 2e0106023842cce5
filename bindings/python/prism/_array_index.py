"""Indices with arrays of integers and masks, alone or together with slices, new axes, an ellipsis and integers: NumPy's advanced indexing.

The other items make a view. Its axes that have index arrays come first, and one gather or scatter follows. The dimensions that the index
arrays have together stand where the arrays stood if only integers are between them, and first otherwise."""
import re
from operator import index

from . import _c
from ._c import core

call, call_all = core.call, core.call_all
_ALL = slice(None)


def index_array(value, partner):
    """An item as an array of integers or bool, on the device of the array."""
    from ._functions import asarray
    if isinstance(value, core.Base):
        out = value
    else:
        is_empty = isinstance(value, (list, tuple)) and not value
        out = asarray(value, dtype="int64" if is_empty else None, device=partner.device)
    if out.dtype.kind not in "biu":
        raise _c.OutOfRangeError(f"an index array needs integers or bool, not {out.dtype}")
    return out


def _is_array(item):
    if item is None or item is Ellipsis or isinstance(item, slice):
        return False
    if isinstance(item, (bool, list, tuple)):
        return True
    if getattr(item, "shape", None) == () and getattr(item.dtype, "kind", "i") in "iu":
        return False # as an integer
    return hasattr(item, "shape") or not hasattr(item, "__index__")


def rows(array, indices):
    """The elements or rows that one array of integers names along the first axis."""
    try:
        return call("gather", array, [indices])
    except _c.InvalidError as why:
        raise _c.OutOfRangeError(str(why)) from None


class Indexed:
    """What a key with arrays names in an array.

    view: the array with the indexed axes first; arrays: an index for each of them; shape: that of the result; order: the axes of the
    gathered elements in the order of the result, None where it is theirs."""

    def __init__(self, array, key):
        items = [index_array(each, array) if _is_array(each) else each for each in (key if isinstance(key, tuple) else (key,))]
        used = sum(map(_dimensions, items))
        if used > array.ndim:
            raise _c.OutOfRangeError(f"{used} indices for an array of {array.ndim} dimensions")
        places = [i for i, each in enumerate(items) if each is Ellipsis]
        if len(places) > 1:
            raise _c.OutOfRangeError("an index has one ellipsis (...) at most")
        if not places:
            items.append(Ellipsis)
        basic, self.arrays, self._source = [], [], [] # _source: the dimension of the array for each index array
        indexed, others, dimension = [], [], 0 # axes of the view
        groups, before = 0, 0 # runs of arrays and integers, and other axes in front of the first
        was_index = False
        for each in items:
            is_index = not (each is None or each is Ellipsis or isinstance(each, slice))
            if is_index and not was_index:
                groups, before = groups + 1, before if groups else len(others)
            was_index, axis = is_index, len(indexed) + len(others)
            if isinstance(each, core.Base) and (each.ndim or each.dtype.kind == "b"):
                parts = _indices(each, array.shape[dimension:], dimension)
                self.arrays += parts
                self._source += range(dimension, dimension + len(parts))
                indexed += range(axis, axis + len(parts))
                basic += [_ALL] * each.ndim if each.dtype.kind == "b" and each.ndim else [None if each.dtype.kind == "b" else _ALL]
            elif each is Ellipsis:
                basic += [_ALL] * (array.ndim - used)
                others += range(axis, axis + array.ndim - used)
                dimension += array.ndim - used
            else:
                basic.append(index(each) if is_index else each)
                if not is_index:
                    others.append(axis)
            dimension += _dimensions(each)
        view = _basic(array, tuple(basic))
        self.view = view if indexed == [*range(len(indexed))] else call("transpose", view, [*indexed, *others])
        together = _together([each.shape for each in self.arrays])
        before = before if groups == 1 else 0
        rest = [view.shape[i] for i in others]
        self.shape = (*rest[:before], *together, *rest[before:])
        n = len(together)
        self.order = [*range(n, n + before), *range(n), *range(n + before, n + len(rest))] if before and n else None

    def read(self):
        if not self.arrays: # integers in arrays without dimensions
            return self.view
        out = self._checked("gather")
        return call("transpose", out, self.order) if self.order else out

    def write(self, value):
        if isinstance(value, core.Base):
            while value.ndim > len(self.shape) and value.shape[0] == 1: # as NumPy has it
                value = value[0]
            value = call("broadcast_to", value, list(self.shape)) if self.shape else value
            if self.order:
                value = call("transpose", value, sorted(range(len(self.order)), key=self.order.__getitem__))
        if not self.arrays:
            call_all("assign", self.view, value)
        else:
            self._checked("put", value)

    def _checked(self, function, *more):
        try:
            return (call_all if more else call)(function, self.view, self.arrays, *more)
        except _c.InvalidError as why:
            text = re.sub(r"for dimension (\d+)", lambda found: f"for dimension {self._source[int(found[1])]}", str(why))
            raise _c.OutOfRangeError(text) from None


def _dimensions(item):
    """The dimensions of the array that an item is for."""
    if isinstance(item, core.Base) and item.dtype.kind == "b":
        return item.ndim
    return int(item is not None and item is not Ellipsis)


def _indices(item, extents, dimension):
    """The index arrays that an array of integers or a mask stands for."""
    if item.dtype.kind != "b":
        return [item]
    if not item.ndim: # an axis of one element, or of none
        return [call("zeros", [int(bool(item))], _type_of_indices(), device=item.device)]
    if item.ndim > len(extents) or any(own not in (extent, 0) for own, extent in zip(item.shape, extents)):
        raise _c.OutOfRangeError(f"a mask of the shape {item.shape} for the dimensions {dimension} and following, of {extents[:item.ndim]}")
    return call_all("nonzero", item)


def _type_of_indices():
    from ._dtype import int64
    return int64


def _together(shapes):
    from ._functions import broadcast_shapes
    try:
        return broadcast_shapes(*shapes)
    except ValueError:
        raise _c.OutOfRangeError(f"index arrays of the shapes {', '.join(map(str, shapes))} cannot be broadcast together") from None


def _basic(array, key):
    try:
        return core.view(array, key)
    except _c.InvalidError as why:
        raise _c.OutOfRangeError(str(why)) from None
