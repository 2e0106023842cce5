"""Products of arrays beyond matmul: einsum."""
from . import _given as given
from ._array import Array, call
from ._functions import _taken


def einsum(subscripts, /, *operands, optimize=True):
    """The sums of products in Einstein's notation, with NumPy's rules: einsum("ij,jk->ik", a, b) is a product of matrices. A name that the result
    lacks is summed over; a name twice in one operand is its diagonal; without "->" the result has the names that occur once, in alphabetical
    order. Pairs are always contracted in the cheapest order, so `optimize` has no effect. ValueError, with the column, for text that cannot be
    read and for extents that disagree.

    >>> import prism
    >>> print(prism.einsum("ii", prism.eye(3)))
    3.0"""
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: subscripts is a text as 'ij,jk->ik', not {given.shown(subscripts)}")
    arrays = list(_taken(operands))
    for each in arrays:
        if not isinstance(each, Array):
            raise TypeError(f"einsum takes a prism.Array, not {given.shown(each)}; prism.asarray makes arrays of other data")
    if not arrays:
        raise ValueError("einsum: no array is given for the subscripts")
    return call("einsum", subscripts, arrays)
