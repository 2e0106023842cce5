"""The transforms of the Array API standard on prism.Array, from those of prism.h along the last dimension."""
from . import _functions as xp
from . import _given as given
from ._array import Array, call
from ._dtype import dtype as _dtype_of
from ._dtype import float64

_INVERSE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _resized(x, n):
    """The last dimension cut or filled with zeros to n elements."""
    have, n = x.shape[-1], given.whole(n, "the number of elements of a transform", 1)
    if n <= have:
        return x[..., :n]
    return xp.concat([x, xp.zeros((*x.shape[:-1], n - have), dtype=x.dtype, device=x.device)], axis=-1)


def along(needed=lambda n: n):
    """Makes a transform of rows one along any axis. `needed` is how many elements it takes for a result of n."""
    def decorated(function):
        def over(x, /, *, n=None, axis=-1, norm="backward"):
            if n is not None:
                n = given.whole(n, f"{function.__name__}: n", 1)
            if not isinstance(x, Array):
                if n is not None and needed(n) != x.shape[-1]:
                    raise ValueError(f"{function.__name__}: {needed(n)} of {x.shape[-1]} elements; prism.Memory is not cut or filled, a prism.Array is")
                return function(x, norm=norm) if n is None else function(x, n=n, norm=norm)
            moved = call("moveaxis", x, axis, -1)
            if n is not None:
                moved = _resized(moved, needed(n))
            rows = xp.reshape(moved, (-1, moved.shape[-1]))
            out = function(rows, norm=norm) if n is None else function(rows, n=n, norm=norm)
            return call("moveaxis", xp.reshape(out, (*moved.shape[:-1], out.shape[-1])), -1, axis)
        over.__name__, over.__doc__ = function.__name__, function.__doc__ # the signature is its own
        return over
    return decorated


def _axes(x, s, axes):
    if not isinstance(x, Array):
        raise TypeError(f"a transform along several axes takes a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
    s, axes = (None if each is None else given.several(each, what) for each, what in ((s, "the extents s of a transform"), (axes, "the axes of a transform")))
    axes = tuple(range(-len(s), 0) if s is not None and axes is None else range(x.ndim) if axes is None else axes)
    sizes = [None] * len(axes) if s is None else list(s)
    if len(sizes) != len(axes):
        raise ValueError(f"{len(sizes)} extents for {len(axes)} axes")
    if not axes:
        raise ValueError("a transform needs at least one axis")
    return list(zip(axes, sizes))


def _opposite(norm):
    return _INVERSE[given.one_of(norm, _INVERSE, "norm")]


class array_fft:
    """The transforms over several axes, and the frequencies. norm: "backward" divides the inverse by n, "forward" the transform, "ortho" both
    by its root."""

    @classmethod
    def _each(cls, function, x, pairs, norm):
        for axis, n in pairs:
            x = function(x, n=n, axis=axis, norm=norm)
        return x

    @classmethod
    def fftn(cls, x, /, *, s=None, axes=None, norm="backward"):
        """The complex transform along `axes` (default: all), cut or filled with zeros to the extents `s`. The shape is that of x, with `s`."""
        return cls._each(cls.fft, x, _axes(x, s, axes), norm)

    @classmethod
    def ifftn(cls, x, /, *, s=None, axes=None, norm="backward"):
        """The inverse of fftn."""
        return cls._each(cls.ifft, x, _axes(x, s, axes), norm)

    @classmethod
    def rfftn(cls, x, /, *, s=None, axes=None, norm="backward"):
        """The transform of a real array along `axes`: the last one has n // 2 + 1 numbers, since the others are their conjugates."""
        pairs = _axes(x, s, axes)
        axis, n = pairs[-1]
        return cls._each(cls.fft, cls.rfft(x, n=n, axis=axis, norm=norm), pairs[:-1], norm)

    @classmethod
    def irfftn(cls, x, /, *, s=None, axes=None, norm="backward"):
        """The inverse of rfftn, real. The last axis has 2 (m - 1) numbers, or what `s` says."""
        pairs = _axes(x, s, axes)
        axis, n = pairs[-1]
        return cls.irfft(cls._each(cls.ifft, x, pairs[:-1], norm), n=n, axis=axis, norm=norm)

    @classmethod
    def rfft2(cls, x, /, *, s=None, axes=(-2, -1), norm="backward"):
        """rfftn of two axes, the last ones by default."""
        return cls.rfftn(x, s=s, axes=axes, norm=norm)

    @classmethod
    def irfft2(cls, x, /, *, s=None, axes=(-2, -1), norm="backward"):
        """irfftn of two axes, the last ones by default."""
        return cls.irfftn(x, s=s, axes=axes, norm=norm)

    @classmethod
    def hfft(cls, x, /, *, n=None, axis=-1, norm="backward"):
        """The transform of a signal whose second half is the conjugate of the first: real, of 2 (m - 1) or n numbers along the axis."""
        return cls.irfft(xp.conj(x), n=n, axis=axis, norm=_opposite(norm))

    @classmethod
    def ihfft(cls, x, /, *, n=None, axis=-1, norm="backward"):
        """The inverse of hfft: n // 2 + 1 complex numbers along the axis."""
        return xp.conj(cls.rfft(x, n=n, axis=axis, norm=_opposite(norm)))

    @staticmethod
    def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
        """The frequencies of fft's n numbers, in cycles per unit of d, the distance of samples: 0, 1, ..., -1 over n d."""
        k, d = xp.arange(given.whole(n, "fftfreq: n", 1), device=device), given.real(d, "fftfreq: d")
        return (xp.where(k < (n + 1) // 2, k, k - n).astype(float64) / (n * d)).astype(_dtype_of(dtype or float64), copy=False)

    @staticmethod
    def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
        """The frequencies of rfft's n // 2 + 1 numbers, in cycles per unit of d, the distance of samples."""
        n, d = given.whole(n, "rfftfreq: n", 1), given.real(d, "rfftfreq: d")
        return (xp.arange(n // 2 + 1, device=device).astype(float64) / (n * d)).astype(_dtype_of(dtype or float64), copy=False)

    @staticmethod
    def _shifted(x, axes, part):
        if not isinstance(x, Array):
            raise TypeError(f"fftshift and ifftshift take a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
        axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else given.several(axes, "the axes of a shift")
        for axis in axes:
            given.whole(axis, "an axis of a shift", -x.ndim, x.ndim - 1)
            x = call("roll", x, part(x.shape[axis]), axis)
        return x

    @classmethod
    def fftshift(cls, x, /, *, axes=None):
        """The numbers along the axes (default: all) rotated so that frequency 0 is in the middle."""
        return cls._shifted(x, axes, lambda n: n // 2)

    @classmethod
    def ifftshift(cls, x, /, *, axes=None):
        """The inverse of fftshift."""
        return cls._shifted(x, axes, lambda n: -(n // 2))

    # scipy.fft.set_backend(prism.fft): SciPy's transforms of PRISM's arrays, by its protocol of backends (uarray).
    __ua_domain__ = "numpy.scipy.fft"

    @classmethod
    def __ua_function__(cls, method, arguments, options):
        name, several = method.__name__, method.__name__.endswith(("n", "2"))
        function = getattr(cls, name[:-1] + "n" if name.endswith("2") else name, None)
        if function is None or not arguments or not isinstance(arguments[0], Array):
            return NotImplemented
        given = dict(zip(("s", "axes", "norm") if several else ("n", "axis", "norm"), arguments[1:]), **options)
        if name.endswith("2"):
            given.setdefault("axes", (-2, -1))
        for other in ("overwrite_x", "workers"): # they change no result
            given.pop(other, None)
        return function(arguments[0], **{key: value for key, value in given.items() if value is not None})
