"""The first elements in order, and scans, sums and divisions of the parts of an array."""
from collections import namedtuple

from . import _given as given
from ._array import call, call_all
from ._functions import _of_arrays

_topk = namedtuple("topk_result", "values indices")
_SEGMENTED = ("sum", "prod", "min", "max")


@_of_arrays(1)
def topk(x, k, /, *, axis=-1, largest=True):
    """(values, indices) of the first k elements along the axis in descending order, or in ascending order with largest=False. Equal elements keep
    their order; NaN counts as the largest number."""
    return _topk(*call_all("topk", x, given.whole(k, "topk: k", 0), given.whole(axis, "topk: axis", -2 ** 62), largest))


@_of_arrays(2)
def segmented_scan(x, offsets, /, *, operation="sum", exclusive=False):
    """For each element the sum, prod, min or max of the elements of its segment up to it, or before it if exclusive. Segment s of x, of one axis, has the
    elements offsets[s] to offsets[s + 1] - 1; the offsets ascend from 0 to the number of elements. Waits for the offsets."""
    return call("segmented_scan", x, offsets, given.one_of(operation, _SEGMENTED, "segmented_scan: operation"), exclusive)


@_of_arrays(2)
def segmented_reduce(x, offsets, /, *, operation="sum"):
    """The sum, prod, min or max of each segment of x, with the segments of segmented_scan. ValueError for the min or max of one without elements."""
    return call("segmented_reduce", x, offsets, given.one_of(operation, _SEGMENTED, "segmented_reduce: operation"))


@_of_arrays(2)
def partition_where(x, mask, /):
    """(elements, count): the elements of x, of one axis, where the mask is true, then the others, both in their order; and how many the former are."""
    elements, count = call_all("partition_where", x, mask)
    return elements, count.item()
