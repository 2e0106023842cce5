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
from ._dtype import float32, float64
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

    def integers(self, low, high=None, size=None, *, endpoint=False):
        """Equally distributed whole numbers in [low, high), or [0, low) where high is None; `endpoint` includes the end. int64."""
        low, high = (0, low) if high is None else (low, high)
        low, high = given.whole(low, "integers: low", -2 ** 63), given.whole(high, "integers: high", -2 ** 63)
        return self._taken("random_integers", size, before=(low, high + bool(endpoint)))

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
