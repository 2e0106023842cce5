"""Products of arrays beyond matmul: einsum."""
import string

from . import _given as given
from ._array import Array, call
from ._functions import _is_others, _taken


_LETTERS = string.ascii_uppercase + string.ascii_lowercase


def _subscripts(names):
    """The text of a list of whole numbers and an ellipsis."""
    out = ""
    for each in given.several(names, "einsum: names"):
        out += "..." if each is Ellipsis else _LETTERS[given.whole(each, "einsum: a name", 0, len(_LETTERS) - 1)]
    return out


def _from_lists(operands):
    """Subscripts and arrays of the form einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    arrays, names = operands[::2], operands[1::2]
    result = None
    if len(operands) % 2:
        arrays, result = arrays[:-1], operands[-1]
    text = ",".join(map(_subscripts, names))
    return (text if result is None else f"{text}->{_subscripts(result)}"), arrays


def einsum(subscripts, /, *operands, optimize=True):
    """The sums of products in Einstein's notation, with NumPy's rules: einsum("ij,jk->ik", a, b) is a product of matrices. A name that the result
    lacks is summed over; a name twice in one operand is its diagonal; without "->" the result has the names that occur once, in alphabetical
    order. Pairs are always contracted in the cheapest order, so `optimize` has no effect. ValueError, with the column, for text that cannot be
    read and for extents that disagree. The names may be lists of whole numbers behind each array: einsum(a, [0, 1], b, [1, 2], [0, 2]).

    >>> import prism
    >>> print(prism.einsum("ii", prism.eye(3)))
    3.0"""
    if (isinstance(subscripts, Array) or _is_others(subscripts)) and operands:
        subscripts, operands = _from_lists((subscripts, *operands))
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: subscripts is a text as 'ij,jk->ik', not {given.shown(subscripts)}")
    arrays = list(_taken(operands))
    for each in arrays:
        if not isinstance(each, Array):
            raise TypeError(f"einsum takes a prism.Array, not {given.shown(each)}; prism.asarray makes arrays of other data")
    if not arrays:
        raise ValueError("einsum: no array is given for the subscripts")
    return call("einsum", subscripts, arrays)
