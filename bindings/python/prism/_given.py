"""Checks of what a program gives: each returns the value as the interface wants it, or raises an error that names the value, what it is
for, and what it may be."""
import os

_MOST = 2 ** 63 - 1


def shown(value):
    """The value in a message: its repr, cut."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def text(value, what):
    """The bytes of a text."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {shown(value)}")
    return value.encode()


def whole(value, what, least=0, most=_MOST):
    """A whole number within limits."""
    if type(value) is int and least <= value <= most: # the usual argument, first
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} is a whole number, not {shown(value)}")
    if not least <= value.__index__() <= most:
        limit = f" to {most}" if most != _MOST or value > most else ""
        raise ValueError(f"{what} is a whole number from {least}{limit}, not {shown(value)}")
    return value.__index__()


def real(value, what):
    """A number as a float."""
    if type(value) in (float, int): # the usual arguments, first
        return float(value)
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{what} is a number, not {shown(value)}")
    return float(value)


def one_of(value, names, what):
    """One of the names."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{what} is one of {', '.join(names)}, not {shown(value)}")
    return value


def path(value, what):
    """The path of a file as a text."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what} is the path of a file, not {shown(value)}")
    return os.fspath(value)


def several(value, what):
    """The entries of a list, a tuple or something like them; a text is none."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{what} is a list, not {shown(value)}")
    return list(value)


def shape(value, least=0):
    """A tuple of extents, of a whole number or several."""
    entries = (value,) if hasattr(value, "__index__") else value
    if isinstance(entries, (str, bytes)) or not hasattr(entries, "__iter__"):
        raise TypeError(f"a shape is a whole number or a tuple of them, not {shown(value)}")
    return tuple(whole(each, "an extent of a shape", least) for each in entries)
