"""Arrays in NumPy's files: save and load of .npy, savez, savez_compressed and load of .npz."""
import contextlib
import os
import tempfile
import zipfile
from collections.abc import Mapping

from . import _given as given
from ._array import Array, call, call_all
from ._c import Error, InvalidError
from ._functions import _on, _taken


class NpzFile(Mapping):
    """The arrays of an .npz file by name, all of them loaded. It may stand in a with statement, as NumPy's."""

    def __init__(self, arrays):
        self._arrays = arrays

    @property
    def files(self):
        """The names, in the order of the file."""
        return list(self._arrays)

    def __getitem__(self, name):
        return self._arrays[name]

    def __iter__(self):
        return iter(self._arrays)

    def __len__(self):
        return len(self._arrays)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def __repr__(self):
        return f"NpzFile with keys: {', '.join(self._arrays)}"


@contextlib.contextmanager
def _as_file(file, function, suffix=""):
    """The path of a file that is open, by a temporary one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "array" + suffix)
        if function == "load":
            with open(path, "wb") as out:
                out.write(file.read())
        yield path
        if function != "load":
            with open(path, "rb") as made:
                file.write(made.read())


def _path(file, suffix, function):
    path = os.fsencode(given.path(file, f"{function}: file"))
    return path if path.endswith(suffix) else path + suffix


def _written(path, function, *arguments):
    try:
        call_all(function, path, *arguments)
    except InvalidError:
        raise
    except Error:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT)) # the system's own error, an OSError, where it has one
        raise


def _array(x, function):
    x, = _taken([x])
    if not isinstance(x, Array):
        raise TypeError(f"{function} takes a prism.Array, not {given.shown(x)}; prism.asarray makes arrays of other data")
    return x


def save(file, arr):
    """Writes an array to an .npy file of NumPy, which is replaced; ".npy" is added to a path without it. file: a path, or a file that is open for
    bytes. OSError where the system refuses it."""
    if hasattr(file, "write"):
        with _as_file(file, "save", ".npy") as path:
            return save(path, arr)
    _written(_path(file, b".npy", "save"), "save", _array(arr, "save"))


def _saved(function, compressed):
    def write(file, /, *args, **kwds):
        if hasattr(file, "write"):
            with _as_file(file, function, ".npz") as path:
                return write(path, *args, **kwds)
        path, named = _path(file, b".npz", function), {}
        for i, each in enumerate(args):
            named[f"arr_{i}"] = each
        for name, each in kwds.items():
            if name in named:
                raise ValueError(f"{function}: {name} is also the name of an array without one")
            named[name] = each
        arrays = [_array(each, function) for each in named.values()]
        _written(path, "savez", list(named), arrays, compressed)
    write.__name__ = write.__qualname__ = function
    write.__doc__ = (f"Writes arrays to {'a compressed' if compressed else 'an'} .npz file of NumPy, which is replaced: by the names of the keywords, else arr_0, arr_1, ... "
                     'Adds ".npz" to a path without it. OSError where the system refuses it.')
    return write


savez, savez_compressed = _saved("savez", False), _saved("savez_compressed", True)


def load(file, *, device=None):
    """The array of an .npy file, or the arrays of an .npz file by name (a NpzFile), on a device, of either byte order, in C's or Fortran's order.
    file: a path, or a file that is open for bytes. OSError where the system refuses the file, ValueError with the path for other content."""
    if hasattr(file, "read"):
        with _as_file(file, "load") as path:
            return load(path, device=device)
    path, on = os.fsencode(given.path(file, "load: file")), _on(device)
    with open(path, "rb") as opened:
        is_archive = opened.read(2) == b"PK"
    if not is_archive:
        return call("load", path, device=on)
    arrays = call_all("load_npz", path, device=on)
    with zipfile.ZipFile(os.fsdecode(path)) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
    return NpzFile(dict(zip(names, arrays)))
