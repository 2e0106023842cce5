"""The transforms of the Array API standard on prism.Array, by the functions of prism.h."""
from . import _functions as xp
from . import _given as given
from ._array import Array, Shape, call
from ._dtype import dtype as _dtype_of
from ._dtype import float64


_NORMS = ("backward", "ortho", "forward")


def _norm(name):
    return given.one_of(name, _NORMS, "norm")


def _array(x, what):
    if not isinstance(x, Array):
        raise TypeError(f"{what} takes a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
    return x


def of_memory(needed=lambda n: n):
    """Makes a transform of the last dimension of memory one of arrays too, along any axis and cut or filled with zeros. `needed` is how many
    elements it takes for a result of n."""
    def decorated(function):
        name = f"fft.{function.__name__}"

        def over(x, /, *, n=None, axis=-1, norm="backward"):
            if n is not None:
                n = given.whole(n, f"{function.__name__}: n", 1)
            if isinstance(x, Array):
                return call(name, x, n, given.whole(axis, f"{function.__name__}: axis", -2 ** 62), _norm(norm))
            if n is not None and needed(n) != x.shape[-1]:
                raise ValueError(f"{function.__name__}: {needed(n)} of {x.shape[-1]} elements; prism.Memory is not cut or filled, a prism.Array is")
            return function(x, norm=norm) if n is None else function(x, n=n, norm=norm)
        over.__name__, over.__doc__ = function.__name__, function.__doc__ # the signature is its own
        return over
    return decorated


def _along_axes(name, x, s, axes, norm):
    """A transform along several axes; s and axes: lists of integers or None."""
    _array(x, "a transform along several axes")
    s, axes = (None if each is None else Shape(given.whole(one, what, -2 ** 62) for one in given.several(each, what))
               for each, what in ((s, "the extents s of a transform"), (axes, "the axes of a transform")))
    return call(name, x, s, axes, _norm(norm))


class array_fft:
    """The transforms over several axes, and the frequencies. norm: "backward" divides the inverse by n, "forward" the transform, "ortho" both
    by its root."""

    @staticmethod
    def fftn(x, /, *, s=None, axes=None, norm="backward"):
        """The complex transform along `axes` (default: all), cut or filled with zeros to the extents `s`. The shape is that of x, with `s`."""
        return _along_axes("fft.fftn", x, s, axes, norm)

    @staticmethod
    def ifftn(x, /, *, s=None, axes=None, norm="backward"):
        """The inverse of fftn."""
        return _along_axes("fft.ifftn", x, s, axes, norm)

    @staticmethod
    def rfftn(x, /, *, s=None, axes=None, norm="backward"):
        """The transform of a real array along `axes`: the last one has n // 2 + 1 numbers, since the others are their conjugates."""
        return _along_axes("fft.rfftn", x, s, axes, norm)

    @staticmethod
    def irfftn(x, /, *, s=None, axes=None, norm="backward"):
        """The inverse of rfftn, real. The last axis has 2 (m - 1) numbers, or what `s` says."""
        return _along_axes("fft.irfftn", x, s, axes, norm)

    @staticmethod
    def rfft2(x, /, *, s=None, axes=(-2, -1), norm="backward"):
        """rfftn of two axes, the last ones by default."""
        return _along_axes("fft.rfftn", x, s, axes, norm)

    @staticmethod
    def irfft2(x, /, *, s=None, axes=(-2, -1), norm="backward"):
        """irfftn of two axes, the last ones by default."""
        return _along_axes("fft.irfftn", x, s, axes, norm)

    @staticmethod
    def hfft(x, /, *, n=None, axis=-1, norm="backward"):
        """The transform of a signal whose second half is the conjugate of the first: real, of 2 (m - 1) or n numbers along the axis."""
        return call("fft.hfft", _array(x, "hfft"), None if n is None else given.whole(n, "hfft: n", 1), given.whole(axis, "hfft: axis", -2 ** 62), _norm(norm))

    @staticmethod
    def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
        """The inverse of hfft: n // 2 + 1 complex numbers along the axis."""
        return call("fft.ihfft", _array(x, "ihfft"), None if n is None else given.whole(n, "ihfft: n", 1), given.whole(axis, "ihfft: axis", -2 ** 62), _norm(norm))

    @staticmethod
    def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
        """The frequencies of fft's n numbers, in cycles per unit of d, the distance of samples: 0, 1, ..., -1 over n d."""
        return call("fft.fftfreq", given.whole(n, "fftfreq: n", 1), given.real(d, "fftfreq: d"), _dtype_of(dtype or float64), device=xp._on(device))

    @staticmethod
    def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
        """The frequencies of rfft's n // 2 + 1 numbers, in cycles per unit of d, the distance of samples."""
        return call("fft.rfftfreq", given.whole(n, "rfftfreq: n", 1), given.real(d, "rfftfreq: d"), _dtype_of(dtype or float64), device=xp._on(device))

    @staticmethod
    def _shifted(name, x, axes):
        _array(x, "fftshift and ifftshift")
        axes = None if axes is None else (axes,) if isinstance(axes, int) else given.several(axes, "the axes of a shift")
        return call(name, x, None if axes is None else Shape(given.whole(each, "an axis of a shift", -x.ndim, x.ndim - 1) for each in axes))

    @classmethod
    def fftshift(cls, x, /, *, axes=None):
        """The numbers along the axes (default: all) rotated so that frequency 0 is in the middle."""
        return cls._shifted("fft.fftshift", x, axes)

    @classmethod
    def ifftshift(cls, x, /, *, axes=None):
        """The inverse of fftshift."""
        return cls._shifted("fft.ifftshift", x, axes)

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
