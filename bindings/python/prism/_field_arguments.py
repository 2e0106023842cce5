"""The numbers of the quantum field's formula, and the checks of what a program gives it."""
import math

PHI = (1 + math.sqrt(5)) / 2
LAMBDA = 1 / PHI
FREQUENCIES = {"ground": 432, "love": 528, "create": 528, "heart": 594, "voice": 672, "vision": 720, "unity": 768}
MOST_POINTS = 2 ** 31 - 1


def hertz_of(name):
    """The frequency of that name."""
    if not isinstance(name, str) or name not in FREQUENCIES:
        raise ValueError(f"there is no frequency {name!r}; there are {', '.join(FREQUENCIES)}")
    return FREQUENCIES[name]


def whole(value, what, least=1):
    """The whole number that was given for `what`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value.__index__() <= MOST_POINTS:
        raise ValueError(f"{what} is a whole number from {least} to {MOST_POINTS}, not {value!r}")
    return value.__index__()


def points(width, height):
    """(width, height) as whole numbers."""
    return tuple(whole(value, f"the {name} of a field in points") for name, value in (("width", width), ("height", height)))


def seconds(value, what):
    """The finite number that was given for `what`."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{what} is a number of seconds, not {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{what} is a finite number of seconds, not {value!r}")
    return float(value)
