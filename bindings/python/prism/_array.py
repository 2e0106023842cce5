"""prism.Array: an array of n dimensions on a device, with the operators and methods of the Array API standard and NumPy's names."""
import ctypes
import struct
import sys
from ctypes import byref, c_int64
from operator import index

from . import _c, _dtype
from ._array_index import Indexed, rows
from . import _given as given
from ._c import core, library
from ._device import Device
from ._dtype import DType, dtype
from ._selection import place

call, call_all = core.call, core.call_all
_HOST = 1 # kDLCPU
_MOST = 2**62 # the largest bound of an index that the interface gets


class Shape(tuple):
    """A list of integers for the interface, where a tuple of its own would be an index."""


class Array(core.Base):
    """An array. Made by prism.asarray, prism.zeros and the like; element-wise operations are recorded and run as one launch when a
    value is needed."""
    __slots__ = ("__weakref__",)
    __array_priority__ = 1000

    # ---- attributes
    @property
    def size(self):
        """The number of elements: the product of the shape."""
        out = 1
        for each in self.shape:
            out *= each
        return out

    @property
    def itemsize(self):
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self):
        """The prism.Device with the elements."""
        return Device._of(_c.handle(library.prism_array_device, self._value))

    @property
    def T(self):
        """The transpose, (n, m) of (m, n), as a view. ValueError for other than 2 dimensions."""
        if self.ndim != 2:
            raise ValueError(f"T is for arrays of 2 dimensions, not {self.ndim}; use prism.permute_dims")
        return call("transpose", self)

    @property
    def mT(self):
        """Each matrix transposed: (..., n, m) of (..., m, n), as a view. ValueError below 2 dimensions."""
        if self.ndim < 2:
            raise ValueError(f"mT is for arrays of 2 dimensions or more, not {self.ndim}")
        return call("swapaxes", self, -1, -2)

    @property
    def real(self):
        """The real parts; the array itself where it is real."""
        return call("real", self)

    @property
    def imag(self):
        """The imaginary parts; zeros where the array is real."""
        return call("imag", self)

    # ---- to the host
    def tobytes(self):
        """All elements in C order. Waits."""
        buffer = ctypes.create_string_buffer(max(self.nbytes, 1))
        _c.call(library.prism_array_to_host, self._value, buffer, self.nbytes)
        return buffer.raw[:self.nbytes]

    def tolist(self):
        """The elements as nested lists of Python's numbers; a number where there are no dimensions. Waits."""
        type_ = self.dtype
        values = list(struct.unpack(f"<{self.size * len(type_.format)}{type_.format[0]}", self.tobytes()))
        if type_.kind == "c":
            values = [complex(*pair) for pair in zip(values[::2], values[1::2])]
        for k in range(self.ndim - 1, 0, -1):
            extent = self.shape[k]
            values = [values[i * extent:(i + 1) * extent] for i in range(_product(self.shape[:k]))]
        return values if self.shape else values[0]

    def item(self):
        """The only element as a number of Python. ValueError for more or none. Waits."""
        if self.size != 1:
            raise ValueError(f"item needs an array of one element, not of the shape {self.shape}")
        return core.item(self)

    def _scalar(self):
        if self.shape:
            raise TypeError(f"only arrays without dimensions convert to a Python number; this one has the shape {self.shape}")
        return core.item(self)

    def __bool__(self):
        return bool(self._scalar())

    def __int__(self):
        return int(self._scalar())

    def __float__(self):
        return float(self._scalar())

    def __complex__(self):
        return complex(self._scalar())

    def __index__(self):
        if self.dtype.kind not in "iu":
            raise TypeError(f"an array of {self.dtype} is no index")
        return int(self._scalar())

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no len()")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        found = self == value
        return bool(found.any()) if isinstance(found, Array) else bool(found)

    # ---- other libraries
    # NumPy reads the elements where they are, by the buffer, on the host device; elsewhere __array__ copies.
    def __array__(self, dtype=None, copy=None):
        import numpy
        if core.dlpack_device(self)[0] != _HOST:
            if copy is False:
                raise ValueError("numpy.asarray(copy=False): the elements are in the memory of another device")
            out = numpy.frombuffer(self.tobytes(), dtype=self.dtype.name).reshape(self.shape)
        else:
            out = numpy.array(memoryview(self), copy=bool(copy))
        return out if dtype is None else out.astype(dtype, copy=False)

    def __array_namespace__(self, api_version=None):
        if api_version not in (None, "2021.12", "2022.12"):
            raise ValueError(f"prism has the Array API of 2022.12, not of {api_version}")
        return sys.modules["prism"]

    def view(self):
        """The prism_view of prism.h. Registers the memory for prism.run and kernels; evaluates and waits."""
        out = _c.View()
        _c.call(library.prism_array_view, self._value, byref(out))
        return out

    @property
    def strides(self):
        """In elements."""
        return tuple(self.view().stride[:self.ndim])

    @property
    def contiguous(self):
        """Whether the elements lie one after the other in C order."""
        step = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if extent > 1 and stride != step:
                return False
            step *= extent
        return True

    def __dlpack_device__(self):
        return core.dlpack_device(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A capsule of DLPack, with a version if the consumer supports one. The elements are not copied."""
        if stream is not None:
            raise ValueError("__dlpack__: the elements are complete, so stream must be None")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if copy is False or tuple(dl_device) != (_HOST, 0):
                raise BufferError(f"__dlpack__: the elements are on the device {self.__dlpack_device__()}, not on {tuple(dl_device)}")
            return self.to_device("host").__dlpack__(max_version=max_version)
        return core.to_dlpack(self.copy() if copy else self, max_version is not None and tuple(max_version) >= (1, 0), False)

    def to_device(self, device, /, *, stream=None):
        """The array on a device: a prism.Device or what prism.find_device takes, "gpu" or "nvidia.h100"; itself where it is there
        already. NotFoundError lists the devices."""
        if stream is not None:
            raise ValueError("to_device: PRISM orders by itself, stream must be None")
        return call("to_device", self, device=place(device))

    def astype(self, type, copy=True):
        """The elements as another type, of the same shape. A copy also where the type is the same, unless copy=False. TypeError for an
        unknown type."""
        type = dtype(type)
        return self.copy() if copy and type is self.dtype else call("astype", self, type)

    def copy(self):
        """A new array with the same elements, in C order, on the same device."""
        return call("copy", self)

    def reshape(self, *shape):
        """The elements in another shape of as many: reshape(2, 3), reshape((2, 3)); one extent may be -1. A view where the order allows.
        ValueError if the sizes differ."""
        return call("reshape", self, Shape(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape))

    def explain(self):
        """The launches that evaluating this array would make, with reasons."""
        return _c.text(library.prism_array_text, self._value, b"explain")

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __round__(self, digits=None):
        return self.round(digits or 0)

    def round(self, decimals=0, out=None):
        """As prism.round."""
        from ._functions import round
        _refuse_out("round", out)
        return round(self, decimals)

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __format__(self, spec):
        return format(self._scalar(), spec) if spec else str(self)

    def flatten(self):
        """The elements as a vector, in C order; a copy."""
        return self.reshape(-1).copy()

    def ravel(self):
        """The elements as a vector, in C order; a view where the order allows."""
        return self.reshape(-1)

    def cumsum(self, axis=None, dtype=None, out=None):
        """The sums of the elements up to each place of the axis; of all elements in C order by default."""
        _refuse_out("cumsum", out)
        x = self if dtype is None else self.astype(dtype, copy=False)
        return call("cumulative_sum", x.reshape(-1) if axis is None else x, 0 if axis is None else axis)

    def transpose(self, *axes):
        """A view with the axes in this order, in the opposite one by default."""
        order = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        return call("transpose", self, Shape(given.several(order, "transpose: axes")) if order else None) if self.ndim else self

    def swapaxes(self, axis1, axis2, /):
        """A view with two axes exchanged."""
        return call("swapaxes", self, axis1, axis2)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """As prism.diagonal."""
        from ._pieces import diagonal
        return diagonal(self, offset, axis1, axis2)

    def trace(self, offset=0, axis1=0, axis2=1):
        """As prism.trace."""
        from ._pieces import trace
        return trace(self, offset, axis1, axis2)

    def take(self, indices, axis=None):
        """The elements at these places of the axis, of the array as a vector by default."""
        from ._functions import take
        return take(self.ravel() if axis is None else self, _converted(self, indices), axis=axis)

    def repeat(self, repeats, axis=None):
        """Each element repeated, along the axis or as a vector; as prism.repeat."""
        from ._functions import repeat
        return repeat(self, repeats, axis=axis)

    def sort(self, axis=-1):
        """Puts the elements in order along the axis, in place."""
        self[...] = call("sort", self, axis)

    def argsort(self, axis=-1):
        """The places of the elements, in their order along the axis."""
        return call("argsort", self, axis)

    def nonzero(self):
        """For each axis the places of the elements that are not zero."""
        return tuple(call_all("nonzero", self))

    def dot(self, other, /):
        """As prism.dot."""
        from ._functions import dot
        return dot(self, other)

    def clip(self, min=None, max=None):
        """The array with its elements moved to between min and max."""
        return call("clip", self, min, max)

    def conj(self):
        """The complex conjugates; the array itself where it is real."""
        return call("conj", self) if self.dtype.kind == "c" else self

    conjugate = conj

    def fill(self, value, /):
        """Writes the number to all elements."""
        self[...] = value

    def cumprod(self, axis=None):
        """As prism.cumprod."""
        from ._numeric import cumprod
        return cumprod(self, axis)

    def squeeze(self, axis=None):
        """A view without these axes of one element, all of them by default."""
        axis = tuple(i for i, extent in enumerate(self.shape) if extent == 1) if axis is None else axis
        return call("squeeze", self, Shape(axis) if isinstance(axis, (tuple, list)) else axis)

    def __reduce__(self):
        return _unpickled, (self.tobytes(), self.dtype.name, self.shape)

    def __repr__(self):
        return _c.text(library.prism_array_text, self._value, b"repr")

    def __str__(self):
        return _c.text(library.prism_array_text, self._value, b"str")

    def _repr_html_(self):
        """For notebooks: a table of up to 20 x 20 elements."""
        if self.ndim > 2 or self.size == 0 or max(self.shape, default=1) > 20:
            return f"<pre>{_escaped(repr(self))}</pre>"
        rows = self.reshape(-1, self.shape[-1] if self.shape else 1).tolist()
        cells = "".join("<tr>" + "".join(f"<td>{each:.6g}</td>" if isinstance(each, float) else f"<td>{each}</td>" for each in row) + "</tr>"
                        for row in rows)
        return f"<table>{cells}</table><small>{self.shape}, {self.dtype}</small>"

    # ---- indices
    def _basic(self, key):
        try:
            return core.view(self, key)
        except _c.InvalidError as why:
            raise why if isinstance(why, IndexError) else _c.OutOfRangeError(str(why)) from None
        except OverflowError: # a bound beyond 64 bits: a slice ends where the array does
            return self._basic(tuple(map(_limited, key)) if isinstance(key, tuple) else _limited(key))

    def _item(self, key): # what core.Base has not made of self[key]
        basic = self._basic(key)
        if basic is not NotImplemented:
            return basic
        return rows(self, key) if isinstance(key, Array) and key.ndim and key.dtype.kind in "iu" and self.ndim else Indexed(self, key).read()

    def __setitem__(self, key, value):
        if not isinstance(value, (Array, bool, int, float, complex)):
            from ._functions import asarray
            value = asarray(value, dtype=self.dtype, device=self.device)
        basic = self._basic(key)
        if basic is not NotImplemented:
            call_all("assign", basic, value)
        elif isinstance(key, Array) and key.dtype.kind == "b" and key.shape == self.shape and getattr(value, "size", 1) == 1:
            call_all("put_where", self, key, value) # without the places of the elements
        else:
            Indexed(self, key).write(value)


def _refuse_out(name, out):
    if out is not None:
        raise TypeError(f"{name}: PRISM makes the result, so out must be None; assign it by y[...] = x.{name}()")


def _reduction_of(name):
    def reduction(self, axis=None, dtype=None, out=None, *, keepdims=False):
        _refuse_out(name, out)
        if dtype is None:
            return call(name, self, axis, keepdims)
        return call(name, self.astype(dtype, copy=False), axis, keepdims).astype(dtype, copy=False)

    def place(self, axis=None, out=None, *, keepdims=False):
        _refuse_out(name, out)
        return call(name, self, axis, keepdims)

    def deviation(self, axis=None, dtype=None, out=None, ddof=0, *, correction=None, keepdims=False):
        _refuse_out(name, out)
        x = self if dtype is None else self.astype(dtype, copy=False)
        return call(name, x, axis, keepdims, given.real(ddof if correction is None else correction, f"{name}: correction"))
    made = reduction if name in ("sum", "prod", "mean") else deviation if name in ("std", "var") else place
    more = {reduction: " dtype: of the elements and the result.", deviation: " correction, NumPy's ddof, is subtracted from the count.", place: ""}[made]
    made.__name__ = name
    made.__doc__ = f"As prism.{name}: along the axis or the axes, all by default, which have extent 1 with keepdims=True.{more}"
    return made


for _method in ("sum", "prod", "min", "max", "mean", "any", "all", "argmin", "argmax", "std", "var"):
    setattr(Array, _method, _reduction_of(_method))


def _limited(item):
    """An item of an index whose numbers have 64 bits."""
    def limited(bound):
        return bound if bound is None else max(-_MOST, min(index(bound), _MOST))
    if isinstance(item, slice):
        return slice(limited(item.start), limited(item.stop), limited(item.step))
    if not isinstance(item, core.Base) and hasattr(item, "__index__") and abs(index(item)) > _MOST:
        raise _c.OutOfRangeError(f"index {index(item)} is out of range")
    return item


def _product(values):
    out = 1
    for each in values:
        out *= each
    return out


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def from_bytes(data, type, shape, device=None):
    """An array with these bytes, in C order."""
    extents = (c_int64 * max(len(shape), 1))(*shape)
    if len(data) != _product(shape) * type.itemsize:
        raise ValueError(f"{len(data)} bytes are not {_product(shape)} elements of {type}")
    handle = _c.handle(library.prism_array_from_host, None if device is None else device._handle.value, bytes(data), type.number, len(shape), extents)
    value, handle.value = handle.value, None
    return core.array(value)


def _unpickled(data, name, shape):
    return from_bytes(data, dtype(name), shape)


def _converted(partner, value):
    """Another library's array, as an operand."""
    from ._functions import asarray
    return asarray(value, device=None if partner is None else partner.device)


core.setup(Array, DType, _dtype.BY_NUMBER, _c.raise_text, _converted)
