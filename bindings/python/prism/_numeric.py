"""NumPy's further functions of elements, products, sequences and sampled functions."""
import builtins
import math

from . import _functions as xp
from . import _given as given
from ._array import Array
from ._dtype import complex128, float64, int64
from ._functions import _taken
from ._pieces import _at, _axis, _of_arrays, ravel

# ---- other names

absolute, amax, amin, around, round_ = xp.abs, xp.max, xp.min, xp.round, xp.round
arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh = xp.acos, xp.acosh, xp.asin, xp.asinh, xp.atan, xp.atan2, xp.atanh
bitwise_not = invert = xp.bitwise_invert
left_shift, right_shift, conjugate, mod, power, rint, fix, true_divide = (
    xp.bitwise_left_shift, xp.bitwise_right_shift, xp.conj, xp.remainder, xp.pow, xp.round, xp.trunc, xp.divide)


def rounded(x, decimals):
    """The numbers of so many digits behind the point, which is not 0."""
    x, = _taken([x])
    if not isinstance(x, Array):
        raise TypeError(f"round takes a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
    if x.dtype.kind in "biu":
        if decimals > 0:
            return x.copy()
        scale = 10.0 ** -decimals
        return (xp.round(x.astype(float64) / scale) * scale).astype(x.dtype)
    scale = 10.0 ** builtins.abs(decimals)
    return xp.round(x * scale) / scale if decimals > 0 else xp.round(x / scale) * scale


@_of_arrays(1)
def ldexp(x1, x2, /):
    """x1 times 2 to the power of x2, whole numbers."""
    x1 = _floating(x1)
    x2, = _taken([x2])
    x2 = x2 if isinstance(x2, Array) else xp.asarray(x2, device=x1.device)
    if x2.dtype.kind not in "biu":
        raise TypeError(f"ldexp: the exponents are whole numbers, not {x2.dtype}")
    x2 = xp.clip(x2.astype(int64, copy=False), -2200, 2200)
    half = x2 // 2 # 2 ** x2 alone may be beyond the type where the result is not
    quarter = half // 2
    for part in (quarter, half - quarter, (x2 - half) // 2, x2 - half - (x2 - half) // 2):
        x1 = x1 * xp.pow(xp.asarray(2.0, dtype=x1.dtype, device=x1.device), part.astype(x1.dtype))
    return x1


def copy(a):
    """A copy of an array, of any data that asarray takes."""
    return xp.asarray(a, copy=True) if isinstance(a, Array) else xp.asarray(a)


def identity(n, *, dtype=None, device=None):
    """The matrix of n rows with ones on the diagonal."""
    return xp.eye(n, dtype=dtype, device=device)


@_of_arrays(1)
def ndim(a):
    """The number of dimensions."""
    return a.ndim


@_of_arrays(1)
def shape(a):
    """The extents."""
    return a.shape


@_of_arrays(1)
def size(a, axis=None):
    """The number of elements, of all or along an axis."""
    return a.size if axis is None else a.shape[_axis(axis, a.ndim, "size")]


# ---- elements

def _floating(x):
    return x if x.dtype.kind in "fc" else x.astype(float64)


def _of_one(name, doc, function):
    @_of_arrays(1)
    def apply(x, /):
        return function(x)
    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = doc
    return apply


fabs = _of_one("fabs", "The absolute value of each element, as a floating-point number.", lambda x: xp.abs(_floating(x)))
deg2rad = _of_one("deg2rad", "Degrees as radians.", lambda x: _floating(x) * (math.pi / 180))
rad2deg = _of_one("rad2deg", "Radians as degrees.", lambda x: _floating(x) * (180 / math.pi))
radians, degrees = deg2rad, rad2deg
isposinf = _of_one("isposinf", "Where an element is infinity.", lambda x: x == math.inf if x.dtype.kind == "f" else xp.zeros_like(x, dtype="bool"))
isneginf = _of_one("isneginf", "Where an element is minus infinity.", lambda x: x == -math.inf if x.dtype.kind == "f" else xp.zeros_like(x, dtype="bool"))
isreal = _of_one("isreal", "Where the imaginary part is 0.", lambda x: xp.imag(x) == 0 if x.dtype.kind == "c" else xp.ones_like(x, dtype="bool"))
iscomplex = _of_one("iscomplex", "Where the imaginary part is not 0.", lambda x: xp.imag(x) != 0 if x.dtype.kind == "c" else xp.zeros_like(x, dtype="bool"))
iscomplexobj = _of_one("iscomplexobj", "Whether the elements are complex: a bool of Python.", lambda x: x.dtype.kind == "c")
isrealobj = _of_one("isrealobj", "Whether the elements are real: a bool of Python.", lambda x: x.dtype.kind != "c")


def _sinc(x):
    x = _floating(x) * math.pi
    is_zero = x == 0
    safe = xp.where(is_zero, xp.ones((), dtype=x.dtype, device=x.device), x)
    return xp.where(is_zero, xp.ones((), dtype=x.dtype, device=x.device), xp.sin(safe) / safe)


sinc = _of_one("sinc", "sin(pi x) / (pi x) of each element, 1 at 0.", _sinc)


@_of_arrays(1)
def angle(z, deg=False):
    """The angle of each complex number in radians, in degrees with deg=True; of a negative real number pi."""
    z = _floating(z)
    if z.dtype.kind == "c":
        out = xp.atan2(xp.imag(z), xp.real(z))
    else:
        out = xp.atan2(xp.zeros_like(z), z)
    return rad2deg(out) if deg else out


def _pair(x1, x2, function):
    """Both as arrays of one type."""
    x1, x2 = _taken([x1, x2])
    arrays = [each for each in (x1, x2) if isinstance(each, Array)]
    if not arrays:
        raise TypeError(f"{function} takes a prism.Array, not {given.shown(x1)} and {given.shown(x2)}; prism.asarray makes arrays of other data")
    kinds = [each.dtype if isinstance(each, Array) else xp.result_type(arrays[0].dtype, float64) if isinstance(each, float) and arrays[0].dtype.kind not in "fc"
             else arrays[0].dtype for each in (x1, x2)]
    kind = xp.result_type(*kinds)
    return [each.astype(kind, copy=False) if isinstance(each, Array) else xp.asarray(each, dtype=kind, device=arrays[0].device) for each in (x1, x2)]


def fmod(x1, x2, /):
    """The remainder of a division with the sign of x1, as C's fmod."""
    x1, x2 = _pair(x1, x2, "fmod")
    if x1.dtype.kind == "f":
        rest = xp.remainder(xp.abs(x1), xp.abs(x2))
        return xp.where(xp.signbit(x1), rest * -1, rest) # a zero gets the sign too
    rest = xp.remainder(x1, x2) # has the sign of x2; the least integer has no absolute value
    return xp.where((rest != 0) & ((x1 < 0) != (x2 < 0)), rest - x2, rest) if x1.dtype.kind == "i" else rest


def heaviside(x1, x2, /):
    """0 where x1 is negative, 1 where it is positive, x2 where it is 0; NaN of NaN."""
    x1, x2 = map(_floating, _pair(x1, x2, "heaviside"))
    return xp.where(x1 == 0, x2, xp.where(xp.isnan(x1), x1, (x1 > 0).astype(x1.dtype)))


def float_power(x1, x2, /):
    """x1 to the power of x2, in double precision."""
    x1, x2 = _pair(x1, x2, "float_power")
    kind = complex128 if x1.dtype.kind == "c" else float64
    return xp.pow(x1.astype(kind, copy=False), x2.astype(kind, copy=False))


def divmod(x1, x2, /):
    """(x1 // x2, x1 % x2)."""
    x1, x2 = _pair(x1, x2, "divmod")
    return xp.floor_divide(x1, x2), xp.remainder(x1, x2)


@_of_arrays(1)
def modf(x, /):
    """(fractions, whole parts) of the elements, with their signs."""
    x = _floating(x)
    whole = xp.trunc(x)
    return xp.copysign(xp.where(xp.isinf(x), xp.zeros((), dtype=x.dtype, device=x.device), x - whole), x), whole


# ---- sequences

def _spaced(function, values, dtype, device):
    return values if dtype is None else values.astype(dtype)


def logspace(start, stop, num=50, *, endpoint=True, base=10.0, dtype=None, device=None):
    """`num` numbers from base ** start to base ** stop, in equal ratios; `endpoint` includes the last."""
    return _spaced("logspace", xp.pow(given.real(base, "logspace: base"), xp.linspace(start, stop, num, endpoint=endpoint, device=device)), dtype, device)


def geomspace(start, stop, num=50, *, endpoint=True, dtype=None, device=None):
    """`num` numbers from start to stop in equal ratios, both of one sign; `endpoint` includes the last."""
    start, stop = given.real(start, "geomspace: start"), given.real(stop, "geomspace: stop")
    if start == 0 or stop == 0 or (start < 0) != (stop < 0):
        raise ValueError(f"geomspace: from {start} to {stop}; both have one sign and are not 0")
    num = given.whole(num, "geomspace: num")
    out = math.copysign(1.0, start) * xp.pow(10.0, xp.linspace(math.log10(builtins.abs(start)), math.log10(builtins.abs(stop)), num, endpoint=endpoint, device=device))
    if num:
        out[0] = start
        if endpoint and num > 1:
            out[-1] = stop
    return _spaced("geomspace", out, dtype, device)


# ---- products

@_of_arrays(2)
def inner(a, b):
    """The sums of products over the last axes of both, without conjugation."""
    return xp.multiply(a, b) if a.ndim == 0 or b.ndim == 0 else xp.tensordot(a, b, axes=([a.ndim - 1], [b.ndim - 1]))


@_of_arrays(2)
def vdot(a, b):
    """The sum of products of all elements, the first ones conjugated."""
    a, b = ravel(a), ravel(b)
    if a.size != b.size:
        raise ValueError(f"vdot: {a.size} and {b.size} elements")
    return xp.vecdot(a, b)


@_of_arrays(2)
def kron(a, b):
    """Kronecker's product: each element of a times b, (m r, n s) of (m, n) and (r, s)."""
    rank = builtins.max(a.ndim, b.ndim)
    one, two = ((1,) * (rank - each.ndim) + each.shape for each in (a, b))
    left = xp.reshape(a, tuple(n for each in one for n in (each, 1)))
    right = xp.reshape(b, tuple(n for each in two for n in (1, each)))
    return xp.reshape(left * right, tuple(i * j for i, j in zip(one, two)))


@_of_arrays(1)
def cumprod(a, axis=None):
    """The products of the elements up to each place of the axis; of all elements in C order by default."""
    if a.dtype.kind in "biu" and a.dtype.itemsize < 8:
        a = a.astype("uint64" if a.dtype.kind == "u" else int64)
    if axis is None:
        a, axis = ravel(a), 0
    axis = _axis(axis, a.ndim, "cumprod")
    n, step = a.shape[axis], 1
    while step < n: # log2(n) passes (Hillis & Steele 1986)
        head = a[_at(axis, slice(0, step))]
        a = xp.concat([head, a[_at(axis, slice(step, None))] * a[_at(axis, slice(0, n - step))]], axis=axis)
        step *= 2
    return a.copy() if n <= 1 else a


def nancumprod(a, axis=None):
    """The products up to each place, in which NaN counts as 1."""
    from ._statistics import _filled
    a, = _taken([a])
    return cumprod(_filled(a, 1) if isinstance(a, Array) else a, axis)


def _cut(a, v, mode, function):
    for each in (a, v):
        if each.ndim != 1 or each.size == 0:
            raise ValueError(f"{function} takes vectors with elements, not an array of the shape {each.shape}")
    return given.one_of(mode, ("full", "same", "valid"), f"{function}: mode")


@_of_arrays(2)
def convolve(a, v, mode="full"):
    """The sums of a[k - j] v[j] over j, of vectors: with mode "full" at all n + m - 1 places k where both overlap, with "same" at the middle max(n, m) of
    them, with "valid" where the shorter is inside of the longer."""
    _cut(a, v, mode, "convolve")
    kind = xp.result_type(a, v)
    a, v = (each.astype(kind, copy=False) for each in ((a, v) if a.size >= v.size else (v, a)))
    n, m = a.size, v.size
    if kind.kind in "fc":
        from ._operations import run
        out = xp.empty((n + m - 1,), dtype=kind, device=a.device)
        run("convolve", a, v, out)
    else: # whole numbers: exact sums over windows
        zeros = xp.zeros((m - 1,), dtype=kind, device=a.device)
        wide = xp.concat([zeros, a, zeros])
        windows = xp.take(wide, xp.reshape(xp.arange(n + m - 1, device=a.device), (-1, 1)) + xp.reshape(xp.arange(m, device=a.device), (1, -1)))
        out = xp.any(windows & xp.flip(v), axis=1) if kind.kind == "b" else xp.sum(windows * xp.flip(v), axis=1).astype(kind, copy=False)
    first, length = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    return out if mode == "full" else out[first:first + length]


@_of_arrays(2)
def correlate(a, v, mode="valid"):
    """The sums of a[k + j] conj(v[j]) over j, of vectors; mode as for convolve."""
    _cut(a, v, mode, "correlate")
    turned = xp.flip(xp.conj(v) if v.dtype.kind == "c" else v)
    if mode == "same" and v.size > a.size: # NumPy takes the middle of the correlation of v with a
        return convolve(a, turned)[a.size // 2:a.size // 2 + v.size]
    return convolve(a, turned, mode)


# ---- sampled functions

@_of_arrays(3)
def interp(x, xp_, fp, left=None, right=None, period=None):
    """The values at x of the function that is straight between the points (xp_, fp), which rise; beyond them left and right, by default the first and
    the last value. period: the function repeats."""
    if xp_.ndim != 1 or fp.shape != xp_.shape or xp_.size == 0:
        raise ValueError(f"interp: points of the shapes {xp_.shape} and {fp.shape}; both are vectors of one length, with elements")
    x, points = _floating(x), _floating(xp_)
    kind = xp.result_type(x, points)
    x, points = x.astype(kind, copy=False), points.astype(kind, copy=False)
    values = fp.astype(xp.result_type(kind, fp), copy=False)
    if period is not None:
        period = builtins.abs(given.real(period, "interp: period"))
        if period == 0:
            raise ValueError("interp: a period of 0")
        x, points = xp.remainder(x, period), xp.remainder(points, period)
        order = xp.argsort(points)
        points, values = xp.take(points, order), xp.take(values, order)
        points = xp.concat([points[-1:] - period, points, points[:1] + period])
        values = xp.concat([values[-1:], values, values[:1]])
    flat, n = xp.reshape(x, (-1,)), points.size
    low = xp.clip(xp.searchsorted(points, flat, side="right") - 1, 0, builtins.max(n - 2, 0))
    high = xp.minimum(low + 1, n - 1)
    x0, x1, y0, y1 = xp.take(points, low), xp.take(points, high), xp.take(values, low), xp.take(values, high)
    run = xp.where(x1 == x0, xp.ones((), dtype=kind, device=x.device), x1 - x0)
    out = (y1 - y0) / run * (flat - x0) + y0
    out = xp.where(flat == x1, y1, out)
    for outside, value, usual in ((flat < points[0], left, values[0]), (flat > points[-1], right, values[-1])):
        out = xp.where(outside, usual if value is None else xp.asarray(value, dtype=out.dtype, device=x.device), out)
    return xp.reshape(xp.where(xp.isnan(flat), flat.astype(out.dtype), out), x.shape)


@_of_arrays(1)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along the axis of the function that is straight between its values, at places x, or at distances dx."""
    axis = _axis(axis, y.ndim, "trapezoid")
    y = _floating(y)
    if x is None:
        step = given.real(dx, "trapezoid: dx")
    else:
        x = xp.asarray(x, device=y.device)
        x = _floating(x)
        step = xp.diff(x) if x.ndim == 1 else xp.diff(x, axis=axis)
        step = xp.reshape(step, (-1, *(1,) * (y.ndim - axis - 1))) if x.ndim == 1 else step
    return xp.sum((y[_at(axis, slice(1, None))] + y[_at(axis, slice(0, -1))]) * step / 2.0, axis=axis)


trapz = trapezoid


@_of_arrays(1)
def gradient(f, *varargs, axis=None, edge_order=1):
    """The slopes of sampled values along each axis, or along the given ones: differences of both neighbours, at the ends of one (edge_order=1) or of
    two (2). varargs: the distance, or the places, for all axes or for each. One array for one axis, else a list."""
    axes = range(f.ndim) if axis is None else [_axis(each, f.ndim, "gradient") for each in (axis if isinstance(axis, tuple) else (axis,))]
    axes, steps = list(axes), list(_taken(list(varargs)))
    steps = steps * len(axes) if len(steps) == 1 else steps or [1.0] * len(axes)
    if len(steps) != len(axes):
        raise ValueError(f"gradient: {len(steps)} distances for {len(axes)} axes")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order is 1 or 2, not {given.shown(edge_order)}")
    f, out = _floating(f), []
    for along, step in zip(axes, steps):
        if f.shape[along] < edge_order + 1:
            raise ValueError(f"gradient: {f.shape[along]} values along axis {along}; it needs {edge_order + 1}")
        out.append(_slopes(f, along, step, edge_order))
    return out[0] if len(out) == 1 else out


def _slopes(f, axis, step, edge_order):
    def part(first, last):
        return f[_at(axis, slice(first, last))]

    if isinstance(step, Array) and step.ndim:
        if step.shape != (f.shape[axis],):
            raise ValueError(f"gradient: {step.shape} places for {f.shape[axis]} values")
        d = xp.diff(_floating(step))
        if builtins.bool(xp.all(d == d[:1])):
            return _slopes(f, axis, d[0], edge_order)
        d = xp.reshape(d, (-1, *(1,) * (f.ndim - axis - 1)))
    else: # the middle value has no part in the slope: NaN and infinities stay where they are
        step = float(step) if isinstance(step, Array) else given.real(step, "gradient: a distance")
        inside, first, last = (part(2, None) - part(0, -2)) / (2 * step), (part(1, 2) - part(0, 1)) / step, (part(-1, None) - part(-2, -1)) / step
        if edge_order == 2:
            first = (part(0, 1) * -1.5 + part(1, 2) * 2 - part(2, 3) * 0.5) / step
            last = (part(-3, -2) * 0.5 - part(-2, -1) * 2 + part(-1, None) * 1.5) / step
        return xp.concat([first, inside, last], axis=axis)
    before, behind = d[:-1], d[1:]
    # Products of two distances only, which neither underflow nor overflow soon.
    inside = part(0, -2) * (-behind / (before * (before + behind))) + part(1, -1) * ((behind - before) / (before * behind)) + part(2, None) * (before / (behind * (before + behind)))
    first, last = (part(1, 2) - part(0, 1)) / d[:1], (part(-1, None) - part(-2, -1)) / d[-1:]
    if edge_order == 2:
        a, b = d[:1], d[1:2]
        first = -(2 * a + b) / (a * (a + b)) * part(0, 1) + (a + b) / (a * b) * part(1, 2) - a / (b * (a + b)) * part(2, 3)
        a, b = d[-2:-1], d[-1:]
        last = b / (a * (a + b)) * part(-3, -2) - (a + b) / (a * b) * part(-2, -1) + (2 * b + a) / (b * (a + b)) * part(-1, None)
    return xp.concat([first, inside, last], axis=axis)


@_of_arrays(1)
def ediff1d(ary):
    """The differences of neighbours of the elements as a vector."""
    return xp.diff(ravel(ary))


@_of_arrays(2)
def polyval(p, x):
    """The polynomial with the coefficients p, the highest power first, at each element of x (Horner's scheme)."""
    if p.ndim != 1:
        raise ValueError(f"polyval: coefficients are a vector, not an array of {p.ndim} dimensions")
    kind = xp.result_type(p, x)
    x, out = x.astype(kind, copy=False), xp.zeros(x.shape, dtype=kind, device=x.device)
    for i in range(p.size):
        out = out * x + p[i].astype(kind)
    return out


@_of_arrays(1)
def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector, of N columns, the highest power first, or last with increasing=True."""
    if x.ndim != 1:
        raise ValueError(f"vander takes a vector, not an array of {x.ndim} dimensions")
    count = x.size if N is None else given.whole(N, "vander: N")
    columns, out = xp.ones_like(x), []
    for _ in range(count):
        out.append(columns)
        columns = columns * x
    out = out if increasing else out[::-1]
    return xp.stack(out, axis=1) if out else xp.zeros((x.size, 0), dtype=x.dtype, device=x.device)
