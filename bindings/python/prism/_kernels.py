"""Kernels of a library that prism++ compiled, called with memory: prism.library("libkernels.so").saxpy(2.0, x, y, range=n)."""
import ctypes
import os
import struct
from ctypes import byref, c_size_t, c_void_p

from . import _c
from . import _given as given
from ._array import Array
from ._c import library as c
from ._dtype import ALL
from ._memory import Memory
from ._operations import queue_of

_TYPES = {"float": "float32", "double": "float64", "complex float": "complex64", "complex double": "complex128"}
_BY_NAME = {each.name: each for each in ALL}


class Kernel:
    """A kernel. kernel(*arguments, range=n) runs it over n items (or a tuple) and waits; kernels over work-groups also take
    local=. Memory is its pointers; for local memory give the number of elements of a work-group."""

    def __init__(self, handle, library=None):
        self._handle, self._library = handle, library # the library of which it is a kernel
        self.signature = _c.text(c.prism_kernel_text, handle.value)
        head, _, parameters = self.signature.partition(":")
        self.name, dimensions, _ = head.split(" ")
        self.dimensions = int(dimensions)
        self._parameters = [each for each in parameters.strip().split(", ") if each]

    def _argument(self, text, value, alive):
        local, pointer = text.startswith("local "), text.endswith("*")
        name = text.removeprefix("local ").removeprefix("const ").removesuffix("*")
        type_ = _BY_NAME[_TYPES.get(name, name)]
        out = _c.Argument(struct_size=ctypes.sizeof(_c.Argument), kind=3 if local else 2 if pointer else 1, type=type_.number)
        if pointer:
            if not isinstance(value, (Memory, Array)):
                raise TypeError(f"{self.signature}: {text} needs memory, not {type(value).__name__}")
            if value.dtype is not type_:
                raise TypeError(f"{self.signature}: {text} needs memory of {type_}, not of {value.dtype}")
            if not value.contiguous:
                raise ValueError(f"{self.signature}: {text} needs contiguous memory; use .copy()")
            out.value, out.count = value.pointer, value.size
        elif local:
            out.count = given.whole(value, f"{self.signature}: the number of elements of {text}", 1)
        else:
            try:
                parts = (complex(value).real, complex(value).imag) if type_.kind == "c" else (value,)
                data = ctypes.create_string_buffer(struct.pack("<" + type_.format, *parts))
            except (TypeError, ValueError, struct.error, OverflowError):
                raise TypeError(f"{self.signature}: {text} needs a number that fits it, not {given.shown(value)}") from None
            alive.append(data)
            out.value = ctypes.addressof(data)
        return out

    def __call__(self, *arguments, range, local=None, device=None):
        if len(arguments) != len(self._parameters):
            raise TypeError(f"{self.signature}: {len(arguments)} arguments, not {len(self._parameters)}")
        alive = []
        all = [self._argument(text, value, alive) for text, value in zip(self._parameters, arguments)]
        memory = [each for each in arguments if isinstance(each, (Memory, Array))]
        if device is None and not memory:
            raise TypeError(f"{self.signature}: without memory, name the device: device=prism.Device()")
        queue = queue_of(device or memory[0].device)
        extents = [self._extents(each, what) for each, what in ((range, "range"), (local, "local"))]
        _c.call(c.prism_launch, queue, self._handle.value, extents[0], extents[1], (_c.Argument * max(len(all), 1))(*all), len(all), None, 0, None)
        _c.call(c.prism_queue_wait, queue)

    def _extents(self, extents, what):
        if extents is None:
            return None
        each = extents if isinstance(extents, tuple) else (extents,)
        if len(each) != self.dimensions:
            raise TypeError(f"{self.signature}: {what} needs {self.dimensions} extents, not {len(each)}")
        return (c_size_t * self.dimensions)(*(given.whole(n, f"{self.signature}: an extent of {what}") for n in each))

    def __repr__(self):
        return f"<prism kernel {self.signature}>"


class Library:
    """A library of kernels; each is an attribute."""

    def __init__(self, file):
        self._handle = _c.handle(c.prism_library_open, os.fsencode(given.path(file, "a library of kernels")))
        self._names = _c.text(c.prism_library_kernels, self._handle.value).split()

    def __dir__(self):
        return self._names

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"the library exports no kernel {name!r}; it exports {', '.join(self._names)}")
        return Kernel(_c.handle(c.prism_kernel_get, self._handle.value, name.encode()), self)

    @property
    def _tasks(self):
        """{name of a set of PRISM_EXPORT_TASKS: names of its kernels}"""
        lines = (line.split(": ") for line in _c.text(c.prism_library_tasks, self._handle.value).splitlines())
        return {name: kernels.split() for name, kernels in lines}


def library(file):
    """Opens a shared object that prism++ made of sources with PRISM_EXPORT_KERNEL. It runs the file's code: open only files that
    you trust."""
    return Library(file)


def text_kernel(device, language, text, name, dimensions=1, parameters=None):
    """The kernel `name` of a text of bytes in OpenCL C ("opencl") or SPIR-V ("spirv"), for this device."""
    return Kernel(_c.handle(c.prism_kernel_create, device._handle.value, language.encode(), text, len(text), name.encode(), dimensions,
                            None if parameters is None else parameters.encode()))
