"""Random numbers for arrays, with NumPy's names: default_rng(seed).random((2, 3)).

The numbers are those of prism::random_generator: Philox4x32-10 (J. Salmon et al. 2011), in which word n is a function of n and the seed, so
that they are the same on every device, and do not depend on how calls divide them. They are not NumPy's numbers. Two threads must not use
one generator at once."""
import math
import os

from . import _dtype
from . import _functions as xp
from . import _given as given
from ._array import Array, call
from ._dtype import float64, int64
from ._pieces import _axis
from ._selection import place

_WORDS = 1 << 64


class Generator:
    """A sequence of random numbers. seed: a whole number; device: of the arrays. `position` is the number of the next word: each element
    takes one; setting it repeats or skips numbers."""

    def __init__(self, seed, device=None):
        self.seed = given.whole(seed, "the seed of random numbers", 0, _WORDS - 1)
        self.device = None if device is None else place(device)
        self.position = 0

    def __repr__(self):
        return f"prism.random.Generator(seed={self.seed}, position={self.position})"

    def _taken(self, name, size, before=(), behind=()):
        shape = () if size is None else given.shape(size)
        signed = (each - _WORDS if each >= _WORDS // 2 else each for each in (self.seed, self.position % _WORDS))
        out = call(name, *signed, *before, xp._shape(shape), *behind, device=self.device)
        self.position += math.prod(shape)
        return out

    def words(self, size=None):
        """The words as they are: uint64."""
        return self._taken("random_words", size)

    def uniform(self, low=0.0, high=1.0, size=None, *, dtype=float64):
        """Equally distributed in [low, high): low + (high - low) k / 2^53, of float32 k / 2^24. size: the shape; None: one number."""
        ends = given.real(low, "uniform: low"), given.real(high, "uniform: high")
        return self._taken("random_uniform", size, behind=(*ends, _dtype.dtype(dtype)))

    def random(self, size=None, dtype=float64):
        """Equally distributed in [0, 1)."""
        return self.uniform(size=size, dtype=dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, *, dtype=float64):
        """Normally distributed, with the mean `loc` and the standard deviation `scale` (M. Wichura, algorithm AS 241, 1988)."""
        moments = given.real(loc, "normal: loc"), given.real(scale, "normal: scale")
        return self._taken("random_normal", size, behind=(*moments, _dtype.dtype(dtype)))

    def standard_normal(self, size=None, dtype=float64):
        """Normally distributed, with the mean 0 and the standard deviation 1."""
        return self.normal(size=size, dtype=dtype)

    def exponential(self, scale=1.0, size=None, *, dtype=float64):
        """Exponentially distributed, with the mean `scale`: -scale log(1 - u) of u equally distributed in [0, 1)."""
        scale = given.real(scale, "exponential: scale")
        if not scale >= 0:
            raise ValueError(f"exponential: scale is a number from 0, not {scale}")
        return xp.log1p(-self.uniform(size=size, dtype=dtype)) * -scale

    def standard_exponential(self, size=None, dtype=float64):
        """Exponentially distributed, with the mean 1."""
        return self.exponential(size=size, dtype=dtype)

    def integers(self, low, high=None, size=None, dtype=int64, endpoint=False):
        """Equally distributed whole numbers in [low, high), or [0, low) where high is None; `endpoint` includes the end. ValueError where the type
        does not hold them."""
        low, high = (0, low) if high is None else (low, high)
        low, high = given.whole(low, "integers: low", -2 ** 63), given.whole(high, "integers: high", -2 ** 63) + bool(endpoint)
        type = _dtype.dtype(dtype)
        least, most = (0, 1) if type.kind == "b" else (_dtype.iinfo(type).min, _dtype.iinfo(type).max)
        if low < least or high - 1 > most:
            raise ValueError(f"integers: [{low}, {high}) is not within {type}")
        return self._taken("random_integers", size, before=(low, high)).astype(type, copy=False)

    def choice(self, a, size=None, replace=True, p=None, axis=0):
        """Elements of the array along the axis, or whole numbers below `a`, each as likely, or with the probabilities p, whose sum is 1. Without
        `replace` no element is taken twice."""
        is_array = isinstance(a, Array)
        axis = _axis(axis, a.ndim, "choice") if is_array else 0
        count = a.shape[axis] if is_array else given.whole(a, "choice: a", 0)
        shape = () if size is None else given.shape(size)
        wanted = math.prod(shape)
        if wanted and not count:
            raise ValueError("choice: there is no element to take")
        if not replace and wanted > count:
            raise ValueError(f"choice: {wanted} elements of {count} without replacement")
        if p is not None:
            places = self._by_probability(xp.asarray(p, dtype=float64, device=self.device), count, wanted, replace)
        elif replace:
            places = self.integers(count, size=(wanted,)) if wanted else xp.zeros((0,), dtype=int64, device=self.device)
        else:
            places = self.permutation(count)[:wanted]
        places = xp.reshape(places, shape)
        if not is_array:
            return places
        out = xp.take(a, xp.reshape(places, (-1,)).to_device(a.device), axis=axis)
        return xp.reshape(out, (*a.shape[:axis], *shape, *a.shape[axis + 1:]))

    def _by_probability(self, p, count, wanted, replace):
        if p.shape != (count,):
            raise ValueError(f"choice: probabilities of the shape {p.shape} for {count} elements")
        sums = xp.cumulative_sum(p)
        if not bool(xp.all(p >= 0)) or count and abs(float(sums[-1]) - 1) > 1e-8:
            raise ValueError("choice: probabilities are numbers from 0 with the sum 1")
        if replace:
            return xp.clip(xp.searchsorted(sums, self.uniform(size=(wanted,)) * sums[-1], side="right"), 0, count - 1)
        if int(xp.count_nonzero(p)) < wanted:
            raise ValueError(f"choice: {wanted} elements without replacement, and fewer have a probability above 0")
        keys = self.exponential(size=(count,)) / p # the smallest keys are a sample (P. Efraimidis & P. Spirakis 2006)
        return xp.argsort(xp.where(p > 0, keys, math.inf))[:wanted]

    def permutation(self, x):
        """0, 1, ... x - 1 in a random order, or a copy of the array with its first dimension in one."""
        count = x.shape[0] if isinstance(x, Array) else given.whole(x, "permutation")
        order = xp.argsort(self.words((count,)))
        return xp.take(x, order, axis=0) if isinstance(x, Array) else order

    def shuffle(self, x):
        """Puts the first dimension of the array in a random order."""
        x[...] = self.permutation(x)


def default_rng(seed=None, *, device=None):
    """A generator. seed: None takes one from the system."""
    return Generator(int.from_bytes(os.urandom(8), "little") if seed is None else seed, device)
