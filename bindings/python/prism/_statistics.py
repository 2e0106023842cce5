"""NumPy's statistics: orders, averages, covariances, histograms, and the functions that leave out NaN."""
import builtins
import math

from . import _functions as xp
from . import _given as given
from ._array import Array, call
from ._dtype import complex128, float64, int32, int64
from ._pieces import _axis, _of_arrays, take_along_axis

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _lanes(a, axis, function):
    """The array with the axes of a reduction as the last, as one, and the shape of the result with them kept."""
    if axis is None:
        return xp.reshape(a, (-1,)), (1,) * a.ndim
    axes = [_axis(each, a.ndim, function) for each in (axis if isinstance(axis, tuple) else (axis,))]
    rest = [i for i in range(a.ndim) if i not in axes]
    out = xp.permute_dims(a, rest + axes)
    count = math.prod(a.shape[i] for i in axes)
    return xp.reshape(out, (*(a.shape[i] for i in rest), count)), tuple(1 if i in axes else n for i, n in enumerate(a.shape))


def _between(value_at, dtype, place, method):
    """The values at places, (..., 1) of floats, of the last axis in order; value_at(places) gives those at whole places."""
    low = xp.floor(place)
    if method in ("lower", "higher", "nearest"):
        index = low if method == "lower" else xp.ceil(place) if method == "higher" else xp.round(place)
        return value_at(index.astype(int64))
    high = value_at(xp.ceil(place).astype(int64))
    low_value = value_at(low.astype(int64))
    if method == "midpoint":
        between = low_value * 0.5 + high * 0.5 # their sum may be too large
    else:
        share = (place - low).astype(dtype, copy=False)
        step = high - low_value
        between = xp.where(share < 0.5, low_value + step * share, high - step * (1 - share)) # NumPy's, which is exact at both ends
    return xp.where((high == low_value) | (place == low), low_value, between) # of equal infinities too


def _quantiles(a, q, axis, keepdims, method, function, leave_out):
    given.one_of(method, _METHODS, f"{function}: method")
    if a.dtype.kind == "c":
        raise TypeError(f"{function}: complex numbers have no order")
    if a.dtype.kind != "f" and (a.dtype.kind == "b" or method in ("linear", "midpoint")):
        a = a.astype(float64)
    q = q if isinstance(q, Array) else xp.asarray(q, dtype=float64, device=a.device)
    if q.size and (float(xp.min(q)) < 0 or float(xp.max(q)) > 1 or builtins.bool(xp.any(xp.isnan(q)))):
        raise ValueError(f"{function}: a share is from 0 to 1, or from 0 to 100 percent")
    lanes, kept = _lanes(a, axis, function)
    if lanes.shape[-1] == 0:
        return xp.full((*q.shape, *(kept if keepdims else lanes.shape[:-1])), math.nan, dtype=a.dtype if a.dtype.kind == "f" else float64, device=a.device)
    if lanes.size == lanes.shape[-1] and q.size <= 4 and a.device.backend == "host": # a few places need no order of all
        ordered, value_at = lanes, lambda index: call("order_statistics", lanes, [int(xp.reshape(index, ()))])
    else:
        ordered = xp.sort(lanes)
        value_at = lambda index: take_along_axis(ordered, index)
    is_number = ~xp.isnan(ordered) if a.dtype.kind == "f" else xp.ones_like(ordered, dtype="bool")
    n = xp.sum(is_number, axis=-1, keepdims=True) # NaN is last
    wrong = n == 0 if leave_out else n < lanes.shape[-1]
    last = xp.maximum(n - 1, 0).astype(q.dtype)
    out = []
    for share in xp.reshape(q, (-1,)).tolist():
        value = _between(value_at, lanes.dtype, last * share, method)
        if a.dtype.kind == "f":
            value = xp.where(wrong, xp.asarray(math.nan, dtype=value.dtype, device=a.device), value)
        out.append(xp.reshape(value, kept if keepdims else lanes.shape[:-1]))
    shape = (*q.shape, *(kept if keepdims else lanes.shape[:-1]))
    return xp.reshape(xp.stack(out), shape) if out else xp.zeros(shape, dtype=a.dtype, device=a.device)


def _of_order(name, scale, leave_out):
    @_of_arrays(1)
    def quantiles(a, q, axis=None, *, method="linear", keepdims=False):
        share = (q.astype(float64) if isinstance(q, Array) else xp.asarray(q, dtype=float64, device=a.device)) / scale
        return _quantiles(a, share, axis, keepdims, method, name, leave_out)
    quantiles.__name__ = quantiles.__qualname__ = name
    quantiles.__doc__ = (f"The values below which a share q of the elements lies along the axis or the axes, all by default; q: from 0 to {scale}, a number or several. "
                         'method: "linear", "lower", "higher", "midpoint" or "nearest". ' + ("NaN is left out." if leave_out else "NaN gives NaN."))
    return quantiles


quantile, percentile = _of_order("quantile", 1, False), _of_order("percentile", 100, False)
nanquantile, nanpercentile = _of_order("nanquantile", 1, True), _of_order("nanpercentile", 100, True)


def _median(name, leave_out):
    @_of_arrays(1)
    def middle(a, axis=None, *, keepdims=False):
        if a.size == 0:
            return xp.mean(a.astype(float64) if a.dtype.kind not in "fc" else a, axis=axis, keepdims=keepdims)
        return _quantiles(a, 0.5, axis, keepdims, "midpoint", name, leave_out)
    middle.__name__ = middle.__qualname__ = name
    middle.__doc__ = ("The middle value along the axis or the axes, all by default, or the mean of the two middle ones. " + ("NaN is left out." if leave_out else "NaN gives NaN."))
    return middle


median, nanmedian = _median("median", False), _median("nanmedian", True)


@_of_arrays(1)
def ptp(a, axis=None, *, keepdims=False):
    """The largest element less the smallest along the axes, all by default."""
    return xp.max(a, axis=axis, keepdims=keepdims) - xp.min(a, axis=axis, keepdims=keepdims)


@_of_arrays(1)
def average(a, axis=None, weights=None, *, returned=False, keepdims=False):
    """The mean along the axes with weights, of the shape of a or a vector along the axis; with returned=True also the sum of weights."""
    if weights is None:
        out = xp.mean(a.astype(float64) if a.dtype.kind not in "fc" else a, axis=axis, keepdims=keepdims)
        return (out, xp.full_like(out, a.size // builtins.max(out.size, 1))) if returned else out
    weights, = xp._taken([weights])
    if not isinstance(weights, Array):
        weights = xp.asarray(weights, device=a.device)
    if weights.shape != a.shape:
        if weights.ndim != 1 or not hasattr(axis, "__index__") or weights.shape[0] != a.shape[_axis(axis, a.ndim, "average")]:
            raise ValueError(f"average: weights of the shape {weights.shape} for an array of {a.shape} and the axis {axis}")
        weights = xp.reshape(weights, (-1, *(1,) * (a.ndim - 1 - axis % a.ndim)))
    kind = xp.result_type(a, weights)
    kind = kind if kind.kind in "fc" else float64
    weights = xp.broadcast_to(weights.astype(kind, copy=False), a.shape)
    total = xp.sum(weights, axis=axis, keepdims=keepdims)
    if builtins.bool(xp.any(total == 0)):
        raise ZeroDivisionError("average: the weights have the sum 0")
    out = xp.sum(a.astype(kind, copy=False) * weights, axis=axis, keepdims=keepdims) / total
    return (out, total) if returned else out


# ---- covariances

def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """The covariances of variables, which are rows, or columns with rowvar=False: (n, n). Divided by the count less ddof, which is 1, or 0 with bias=True.
    fweights: how often each observation counts; aweights: how much."""
    x = _observations(m, rowvar, "cov")
    if y is not None:
        x = xp.concat([x, _observations(y, rowvar, "cov")], axis=0)
    kind = x.dtype if x.dtype.kind in "fc" else float64
    x = x.astype(kind, copy=False)
    ddof = given.whole((0 if bias else 1) if ddof is None else ddof, "cov: ddof", -2 ** 62)
    weights = None
    for each in (fweights, aweights):
        if each is not None:
            each = xp.asarray(each, device=x.device).astype(float64)
            if each.shape != (x.shape[1],):
                raise ValueError(f"cov: weights of the shape {each.shape} for {x.shape[1]} observations")
            weights = each if weights is None else weights * each
    if weights is None:
        count, mean = x.shape[1], xp.mean(x, axis=1, keepdims=True)
        scaled = x - mean
    else:
        count = float(xp.sum(weights))
        mean = xp.sum(x * weights, axis=1, keepdims=True) / count
        scaled = (x - mean) * weights
        if aweights is not None and ddof:
            count_less = count - ddof * float(xp.sum(weights * xp.asarray(aweights, device=x.device).astype(float64))) / count
    less = count_less if weights is not None and aweights is not None and ddof else count - ddof
    if x.shape[1] == 0: # no observation
        return xp.full((x.shape[0],) * 2 if x.shape[0] != 1 else (), math.nan, dtype=kind, device=x.device)
    out = (x - mean) @ (xp.conj(scaled).mT if kind.kind == "c" else scaled.mT)
    out = out * (1 / less if less > 0 else math.inf if less == 0 else 1 / less)
    return out[0, 0] if out.shape == (1, 1) else out


def _observations(m, rowvar, function):
    m, = xp._taken([m])
    if not isinstance(m, Array):
        raise TypeError(f"{function} takes a prism.Array, not {given.shown(m)}; prism.asarray makes arrays of other data")
    if m.ndim > 2:
        raise ValueError(f"{function} takes an array of at most 2 dimensions, not {m.ndim}")
    if m.ndim < 2:
        return xp.reshape(m, (1, -1))
    return m if rowvar or m.shape[0] == 1 else m.mT


def corrcoef(x, y=None, rowvar=True):
    """The correlations of variables, as cov: (n, n), between -1 and 1."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    deviation = xp.sqrt(xp.real(xp.call("diagonal", c)))
    c = c / xp.reshape(deviation, (-1, 1)) / deviation
    return c if c.dtype.kind == "c" else xp.clip(c, -1, 1)


# ---- counting

def _sums_by(numbers, weights, count):
    """For each number from 0 to count - 1 the sum of its weights, in their order."""
    from . import sparse
    if weights is None:
        return call("bincount", numbers, count)
    order = xp.argsort(numbers)
    ends = xp.searchsorted(xp.take(numbers, order), xp.arange(count + 1, dtype=numbers.dtype, device=numbers.device))
    picked = xp.take(weights, order[int(ends[0]):int(ends[-1])])
    if picked.size == 0:
        return xp.zeros((count,), dtype=weights.dtype, device=numbers.device)
    rows = sparse.SparseArray("csr", (count, picked.size), (ends - ends[0]).astype(int32), xp.arange(picked.size, dtype=int32, device=numbers.device), picked)
    return rows @ xp.ones((picked.size,), dtype=weights.dtype, device=numbers.device)


@_of_arrays(1)
def bincount(x, weights=None, minlength=0):
    """How often each number from 0 occurs in a vector of whole numbers, or the sums of their weights. minlength: the least length."""
    if x.ndim != 1 or x.dtype.kind not in "biu" or x.dtype.kind == "b":
        raise TypeError(f"bincount takes a vector of whole numbers, not an array of {x.dtype} of the shape {x.shape}")
    if x.size and int(xp.min(x)) < 0:
        raise ValueError("bincount: a number is negative")
    count = builtins.max(given.whole(minlength, "bincount: minlength"), int(xp.max(x)) + 1 if x.size else 0)
    if weights is not None:
        weights = xp.asarray(weights, dtype=float64, device=x.device)
        if weights.shape != x.shape:
            raise ValueError(f"bincount: weights of the shape {weights.shape} for {x.size} numbers")
    if count == 0:
        return xp.zeros((0,), dtype=int64 if weights is None else float64, device=x.device)
    return _sums_by(x.astype(int64), weights, count)


@_of_arrays(2)
def digitize(x, bins, right=False):
    """Between which edges each element lies: i with bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] with right=True. Edges may fall."""
    if bins.ndim != 1:
        raise ValueError(f"digitize: edges are a vector, not an array of {bins.ndim} dimensions")
    rises = builtins.bool(xp.all(bins[1:] >= bins[:-1]))
    if not rises and not builtins.bool(xp.all(bins[1:] <= bins[:-1])):
        raise ValueError("digitize: the edges neither rise nor fall")
    kind = xp.result_type(x, bins)
    x, bins = x.astype(kind, copy=False), bins.astype(kind, copy=False)
    if rises:
        return xp.searchsorted(bins, x, side="left" if right else "right")
    return bins.size - xp.searchsorted(xp.flip(bins).copy(), x, side="left" if right else "right")


@_of_arrays(1)
def histogram_bin_edges(a, bins=10, range=None):
    """The edges of histogram: `bins` equal parts of the range, which is that of the elements by default, or the given vector of edges."""
    if not hasattr(bins, "__index__") or getattr(bins, "shape", ()):
        edges = xp.asarray(bins, device=a.device)
        if edges.ndim != 1 or edges.size and builtins.bool(xp.any(edges[1:] < edges[:-1])):
            raise ValueError("histogram: edges are a vector that does not fall")
        return edges
    count = given.whole(bins, "histogram: bins", 1)
    if range is None:
        low, high = (float(xp.min(a)), float(xp.max(a))) if a.size else (0.0, 1.0)
    else:
        ends = [given.real(each, "histogram: range") for each in given.several(range, "histogram: range")]
        if len(ends) != 2:
            raise ValueError(f"histogram: a range is two numbers, not {given.shown(range)}")
        low, high = ends
    if not math.isfinite(low) or not math.isfinite(high) or low > high:
        raise ValueError(f"histogram: the range from {low} to {high}")
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    return xp.linspace(low, high, count + 1, dtype=a.dtype if a.dtype.kind == "f" else float64, device=a.device)


@_of_arrays(1)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """(counts, edges): how many elements lie in each bin, or the sum of their weights; the last one has its right edge too. bins: their number within a
    range, or the edges. density=True: divided by the total and by the widths."""
    edges = histogram_bin_edges(a, bins, range)
    flat = xp.reshape(a, (-1,))
    kind = xp.result_type(flat, edges)
    flat, sorted_edges = flat.astype(kind, copy=False), edges.astype(kind, copy=False)
    count = edges.size - 1
    if count < 1:
        raise ValueError("histogram: less than two edges")
    if weights is not None:
        weights = xp.reshape(xp.asarray(weights, device=a.device), (-1,))
        if weights.shape != flat.shape:
            raise ValueError(f"histogram: {weights.size} weights for {flat.size} elements")
        weights = weights if weights.dtype.kind in "fc" else weights.astype(float64)
    if weights is None and kind.name in ("float32", "float64", "int64"):
        out = call("histogram", flat, sorted_edges, hasattr(bins, "__index__") and not getattr(bins, "shape", ()))
    else:
        place = xp.searchsorted(sorted_edges, flat, side="right") - 1
        place = xp.where(flat == sorted_edges[-1], count - 1, place)
        out = _sums_by(xp.where((flat >= sorted_edges[0]) & (flat <= sorted_edges[-1]), place, -1), weights, count)
    if density:
        total = xp.sum(out.astype(float64))
        return out / xp.diff(edges).astype(float64) / total, edges
    return out, edges


# ---- without NaN

def _filled(a, value):
    return a if a.dtype.kind not in "fc" else xp.where(xp.isnan(a), xp.asarray(value, dtype=a.dtype, device=a.device), a)


def _count(a, axis, keepdims):
    return xp.sum(~xp.isnan(a), axis=axis, keepdims=keepdims) if a.dtype.kind in "fc" else xp.sum(xp.ones_like(a, dtype=int64), axis=axis, keepdims=keepdims)


def _nan_where(empty, out):
    return xp.where(empty, xp.asarray(math.nan, dtype=out.dtype, device=out.device), out)


@_of_arrays(1)
def nansum(a, axis=None, *, keepdims=False):
    """The sum along the axes, all by default, in which NaN counts as 0."""
    return xp.sum(_filled(a, 0), axis=axis, keepdims=keepdims)


@_of_arrays(1)
def nanprod(a, axis=None, *, keepdims=False):
    """The product along the axes, all by default, in which NaN counts as 1."""
    return xp.prod(_filled(a, 1), axis=axis, keepdims=keepdims)


@_of_arrays(1)
def nancumsum(a, axis=None):
    """The sums up to each place, in which NaN counts as 0."""
    return xp.cumsum(_filled(a, 0), axis)


@_of_arrays(1)
def nanmean(a, axis=None, *, keepdims=False):
    """The mean along the axes, all by default, of what is not NaN; NaN where that is nothing."""
    a = a if a.dtype.kind in "fc" else a.astype(float64)
    count = _count(a, axis, keepdims)
    return nansum(a, axis, keepdims=keepdims) / count.astype(float64 if a.dtype in (float64, complex128) else "float32").astype(a.dtype)


@_of_arrays(1)
def nanvar(a, axis=None, *, ddof=0, keepdims=False):
    """The variance along the axes, all by default, of what is not NaN; divided by the count less ddof."""
    a = a if a.dtype.kind in "fc" else a.astype(float64)
    apart = xp.abs(xp.where(xp.isnan(a), xp.asarray(0, dtype=a.dtype, device=a.device), a - nanmean(a, axis, keepdims=True)))
    count = _count(a, axis, keepdims)
    less = count.astype(apart.dtype) - given.real(ddof, "nanvar: ddof")
    return _nan_where(less <= 0, xp.sum(apart * apart, axis=axis, keepdims=keepdims) / less)


@_of_arrays(1)
def nanstd(a, axis=None, *, ddof=0, keepdims=False):
    """The standard deviation along the axes, all by default, of what is not NaN; ddof as for nanvar."""
    return xp.sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def _extreme(name, fill):
    largest = "largest" if name == "max" else "smallest"

    @_of_arrays(1)
    def extreme(a, axis=None, *, keepdims=False):
        out = getattr(xp, name)(_filled(a, fill), axis=axis, keepdims=keepdims)
        return out if a.dtype.kind not in "fc" else _nan_where(_count(a, axis, keepdims) == 0, out)
    extreme.__name__ = extreme.__qualname__ = f"nan{name}"
    extreme.__doc__ = f"The {largest} element along the axes, all by default, of what is not NaN; NaN where that is nothing."

    @_of_arrays(1)
    def place(a, axis=None, *, keepdims=False):
        if a.dtype.kind in "fc" and builtins.bool(xp.any(_count(a, axis, False) == 0)):
            raise ValueError(f"nanarg{name}: all elements are NaN")
        return getattr(xp, f"arg{name}")(_filled(a, fill), axis=axis, keepdims=keepdims)
    place.__name__ = place.__qualname__ = f"nanarg{name}"
    place.__doc__ = f"The place of the {largest} element that is not NaN, along the axis, of all by default. ValueError where there is none."
    return extreme, place


(nanmax, nanargmax), (nanmin, nanargmin) = _extreme("max", -math.inf), _extreme("min", math.inf)


@_of_arrays(1)
def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    """The array with a number in the place of NaN, and of infinity the largest finite ones by default."""
    if x.dtype.kind == "c":
        real, imag = (nan_to_num(part, nan, posinf, neginf) for part in (xp.real(x), xp.imag(x)))
        return real + imag * xp.asarray(1j, dtype=x.dtype, device=x.device)
    if x.dtype.kind != "f":
        return x.copy()
    from ._dtype import finfo
    most = finfo(x.dtype).max
    for where, value in ((xp.isnan(x), nan), (x == math.inf, most if posinf is None else posinf), (x == -math.inf, -most if neginf is None else neginf)):
        x = xp.where(where, xp.asarray(given.real(value, "nan_to_num: a number"), dtype=x.dtype, device=x.device), x)
    return x
