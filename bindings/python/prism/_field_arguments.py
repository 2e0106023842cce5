"""The numbers of the quantum field's formula, and the checks of what a program gives it."""
import math

from . import _given as given

PHI = (1 + math.sqrt(5)) / 2
LAMBDA = 1 / PHI
FREQUENCIES = {"ground": 432, "love": 528, "create": 528, "heart": 594, "voice": 672, "vision": 720, "unity": 768}
MOST_POINTS = 2 ** 31 - 1


def hertz_of(name):
    """The frequency of that name."""
    if not isinstance(name, str) or name not in FREQUENCIES:
        raise ValueError(f"there is no frequency {given.shown(name)}; there are {', '.join(FREQUENCIES)}")
    return FREQUENCIES[name]


def points(width, height):
    """(width, height) as whole numbers."""
    return tuple(given.whole(value, f"the {name} of a field in points", 1, MOST_POINTS) for name, value in (("width", width), ("height", height)))


def seconds(value, what):
    """The finite number that was given for `what`."""
    number = given.real(value, f"{what}, in seconds,")
    if not math.isfinite(number):
        raise ValueError(f"{what}, in seconds, is a finite number, not {value!r}")
    return number
