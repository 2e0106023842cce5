"""prism.Array: an array of n dimensions on a device, with the operators and methods of the Array API standard and NumPy's names."""
import ctypes
import struct
import sys
from ctypes import POINTER, byref, c_int32, c_int64, c_size_t, c_void_p, cast

from . import _c, _dlpack, _dtype
from ._c import Given, Index, library
from ._device import Device
from ._dtype import DType, dtype

_NAMES = {}


def _name(function):
    found = _NAMES.get(function)
    if found is None:
        found = _NAMES[function] = function.encode()
    return found


class Shape(tuple):
    """A list of integers for the interface, where a tuple of its own would be an index."""


def _give(slot, value, alive):
    """Fills one prism_given. `alive` holds what it points to."""
    slot.struct_size = _c.GIVEN_SIZE
    if value is None:
        slot.kind = 0
    elif isinstance(value, Array):
        slot.kind, slot.data = 1, value._handle.value
    elif isinstance(value, bool):
        slot.kind, slot.integer = 2, value
    elif isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            slot.kind, slot.number[0] = 4, float(value)
        else:
            slot.kind, slot.integer = 3, value
    elif isinstance(value, float):
        slot.kind, slot.number[0] = 4, value
    elif isinstance(value, complex):
        slot.kind, slot.number[0], slot.number[1] = 5, value.real, value.imag
    elif isinstance(value, DType):
        slot.kind, slot.integer = 7, value.number
    elif isinstance(value, (tuple, list)):
        slot.count = len(value)
        if value and isinstance(value[0], Array):
            slot.kind, items = 8, (c_void_p * len(value))(*[each._handle.value for each in value])
        elif value and isinstance(value[0], Index):
            slot.kind, items = 9, (Index * len(value))(*value)
        else:
            slot.kind, items = 6, (c_int64 * len(value))(*[_integer(each) for each in value])
        alive.append(items)
        slot.data = cast(items, c_void_p).value
    elif hasattr(value, "__index__"):
        _give(slot, value.__index__(), alive)
    elif hasattr(value, "item"): # NumPy's numbers
        _give(slot, value.item(), alive)
    else:
        raise TypeError(f"an argument of an array's function cannot be {type(value).__name__}")


def _integer(value):
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(f"an integer was expected, not {type(value).__name__}") from None


def call_all(function, *arguments, device=None, room=1):
    given = (Given * len(arguments))()
    alive = []
    for slot, value in zip(given, arguments):
        _give(slot, value, alive)
    out, made = (c_void_p * room)(), c_size_t()
    _c.call(library.prism_array_call, _name(function), None if device is None else device._handle.value, given, len(arguments), out, room,
            byref(made))
    return [Array._of(out[i]) for i in range(made.value)]


def call(function, *arguments, device=None):
    return call_all(function, *arguments, device=device)[0]


_Pair = Given * 2
_ARRAY, _SIZE, _call = 1, _c.GIVEN_SIZE, library.prism_array_call


def _of_two(function, a, b):
    """call() of two arrays, the commonest case, with as few objects as it takes."""
    out, error = c_void_p(), c_void_p()
    status = _call(function, None, _Pair((_SIZE, _ARRAY, 0, a._handle.value), (_SIZE, _ARRAY, 0, b._handle.value)), 2, byref(out), 1, None,
                   byref(error))
    if status:
        _c.raise_error(status, error)
    return Array._of(out.value)


def _key(index):
    """Items of a basic index, or None where it has arrays."""
    items = []
    for each in index:
        if each is None:
            items.append(Index(kind=2))
        elif each is Ellipsis:
            items.append(Index(kind=3))
        elif isinstance(each, slice):
            start, stop = each.start, each.stop
            items.append(Index(kind=1, has_start=start is not None, has_stop=stop is not None, start=0 if start is None else _integer(start),
                               stop=0 if stop is None else _integer(stop), step=1 if each.step is None else _integer(each.step)))
        elif isinstance(each, Array):
            if each.ndim == 0 and each.dtype.kind in "iu":
                items.append(Index(kind=0, start=int(each)))
            else:
                return None
        elif isinstance(each, (bool, list)) or hasattr(each, "__array__"):
            return None
        else:
            items.append(Index(kind=0, start=_integer(each)))
    return items


def _binary(name):
    encoded = _name(name)

    def forward(self, other):
        if other.__class__ is Array:
            return _of_two(encoded, self, other)
        if not isinstance(other, (Array, bool, int, float, complex)) and not hasattr(other, "__array__"):
            return NotImplemented
        return call(name, self, _operand(self, other))

    def backward(self, other):
        if not isinstance(other, (bool, int, float, complex)) and not hasattr(other, "__array__"):
            return NotImplemented
        return call(name, _operand(self, other), self)

    def in_place(self, other):
        call_all("assign", self, call(name, self, _operand(self, other)), room=0)
        return self
    return forward, backward, in_place


def _operand(partner, value):
    if isinstance(value, (Array, bool, int, float, complex)):
        if isinstance(value, (float, complex)) and partner.dtype.kind in "biu" or isinstance(value, complex) and partner.dtype.kind == "f":
            raise TypeError(f"a {type(value).__name__} and an array of {partner.dtype} have no common type; convert the array by astype")
        if isinstance(value, (bool, int)) and partner.dtype.kind == "b" and not isinstance(value, bool):
            raise TypeError("an int and an array of bool have no common type")
        return value
    from ._functions import asarray
    return asarray(value, device=partner.device)


class Array:
    """An array. Made by prism.asarray, prism.zeros and the like; element-wise operations are recorded and run as one launch when a
    value is needed."""
    __slots__ = ("_handle", "_info", "__weakref__")
    __array_priority__ = 1000

    def __init__(self):
        raise TypeError("arrays are made by functions: prism.asarray(data), prism.zeros(shape), ...")

    @classmethod
    def _of(cls, value):
        out = object.__new__(cls)
        out._handle = _c.Handle(value)
        out._info = None
        return out

    def _read(self):
        if self._info is None:
            number, rank, extents = c_int32(), c_int32(), (c_int64 * _c.MAX_RANK)()
            _c.call(library.prism_array_info, self._handle.value, byref(number), byref(rank), extents)
            self._info = _dtype.BY_NUMBER[number.value], tuple(extents[:rank.value])
        return self._info

    # ---- attributes
    @property
    def dtype(self):
        return self._read()[0]

    @property
    def shape(self):
        return self._read()[1]

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        out = 1
        for each in self.shape:
            out *= each
        return out

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    @property
    def device(self):
        return Device._of(_c.handle(library.prism_array_device, self._handle.value))

    @property
    def T(self):
        if self.ndim != 2:
            raise ValueError(f"T is for arrays of 2 dimensions, not {self.ndim}; use prism.permute_dims")
        return call("transpose", self)

    @property
    def mT(self):
        if self.ndim < 2:
            raise ValueError(f"mT is for arrays of 2 dimensions or more, not {self.ndim}")
        return call("swapaxes", self, -1, -2)

    @property
    def real(self):
        return call("real", self)

    @property
    def imag(self):
        return call("imag", self)

    # ---- to the host
    def tobytes(self):
        """All elements in C order. Waits."""
        buffer = ctypes.create_string_buffer(max(self.nbytes, 1))
        _c.call(library.prism_array_to_host, self._handle.value, buffer, self.nbytes)
        return buffer.raw[:self.nbytes]

    def tolist(self):
        type_ = self.dtype
        values = list(struct.unpack(f"<{self.size * len(type_.format)}{type_.format[0]}", self.tobytes()))
        if type_.kind == "c":
            values = [complex(*pair) for pair in zip(values[::2], values[1::2])]
        for extent in reversed(self.shape[1:]):
            values = [values[i:i + extent] for i in range(0, len(values), extent)] if extent else [[] for _ in range(_product(self.shape[:-1]))]
        return values if self.shape else values[0]

    def item(self):
        if self.size != 1:
            raise ValueError(f"item needs an array of one element, not of the shape {self.shape}")
        return call("reshape", self, Shape()).tolist() if self.shape else self.tolist()

    def _scalar(self):
        if self.shape:
            raise TypeError(f"only arrays without dimensions convert to a Python number; this one has the shape {self.shape}")
        return self.tolist()

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

    # ---- other libraries
    def _host_pointer(self):
        """(pointer, strides in bytes) of the elements, or None where the host cannot read them."""
        if self.device.backend != "host":
            return None
        data, strides = c_void_p(), (c_int64 * _c.MAX_RANK)()
        _c.call(library.prism_array_data, self._handle.value, byref(data), strides)
        return data.value, tuple(each * self.itemsize for each in strides[:self.ndim])

    @property
    def __array_interface__(self):
        """NumPy reads the elements where they are, on the host device; elsewhere this is absent and __array__ copies."""
        found = self._host_pointer() if self.size else None
        if found is None:
            raise AttributeError("the host cannot read this device's memory")
        return {"version": 3, "typestr": self.dtype.typestr, "shape": self.shape, "data": (found[0], False), "strides": found[1]}

    def __array__(self, dtype=None, copy=None):
        import numpy
        found = self._host_pointer() if self.size else None
        if found is None:
            if copy is False:
                raise ValueError("numpy.asarray(copy=False): the elements are in the memory of another device")
            out = numpy.frombuffer(self.tobytes(), dtype=self.dtype.name).reshape(self.shape)
        else:
            out = numpy.asarray(_Interface(self))
        return out if dtype is None else out.astype(dtype, copy=False)

    def __array_namespace__(self, api_version=None):
        if api_version not in (None, "2021.12", "2022.12"):
            raise ValueError(f"prism has the Array API of 2022.12, not of {api_version}")
        return sys.modules["prism"]

    def view(self):
        """The prism_view of prism.h. Registers the memory for prism.run and kernels; evaluates and waits."""
        out = _c.View()
        _c.call(library.prism_array_view, self._handle.value, byref(out))
        return out

    @property
    def pointer(self):
        return self.view().data

    @property
    def strides(self):
        """In elements."""
        return tuple(self.view().stride[:self.ndim])

    @property
    def contiguous(self):
        step = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if extent > 1 and stride != step:
                return False
            step *= extent
        return True

    def _require_host(self):
        if self.device.backend != "host":
            raise BufferError(f"the elements are in the memory of {self.device!r}; use to_device('host')")

    def __dlpack_device__(self):
        self._require_host()
        return _dlpack.CPU, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A capsule of DLPack 0.8, which has no version and so suits every max_version."""
        self._require_host()
        if dl_device is not None and tuple(dl_device) != (_dlpack.CPU, 0):
            raise BufferError(f"__dlpack__: the elements are in the host's memory, not on the device {tuple(dl_device)}")
        return _dlpack.export(self.copy() if copy else self, stream)

    def to_device(self, device, /, *, stream=None):
        if stream is not None:
            raise ValueError("to_device: PRISM orders by itself, stream must be None")
        return call("to_device", self, device=device if isinstance(device, Device) else Device(device))

    def astype(self, type, copy=True):
        type = dtype(type)
        return self.copy() if copy and type is self.dtype else call("astype", self, type)

    def copy(self):
        return call("copy", self)

    def reshape(self, *shape):
        return call("reshape", self, Shape(shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape))

    def explain(self):
        """The launches that evaluating this array would make, with reasons."""
        return _c.text(library.prism_array_text, self._handle.value, b"explain")

    def __reduce__(self):
        return _unpickled, (self.tobytes(), self.dtype.name, self.shape)

    def __repr__(self):
        return _c.text(library.prism_array_text, self._handle.value, b"repr")

    def __str__(self):
        return _c.text(library.prism_array_text, self._handle.value, b"str")

    def _repr_html_(self):
        """For notebooks: a table of up to 20 x 20 elements."""
        if self.ndim > 2 or self.size == 0 or max(self.shape, default=1) > 20:
            return f"<pre>{_escaped(repr(self))}</pre>"
        rows = self.reshape(-1, self.shape[-1] if self.shape else 1).tolist()
        cells = "".join("<tr>" + "".join(f"<td>{each:.6g}</td>" if isinstance(each, float) else f"<td>{each}</td>" for each in row) + "</tr>"
                        for row in rows)
        return f"<table>{cells}</table><small>{self.shape}, {self.dtype}</small>"

    # ---- indices
    def _items(self, key):
        return key if isinstance(key, tuple) else (key,)

    def _basic(self, items):
        try:
            return call("view", self, items or [Index(kind=3)])
        except _c.InvalidError as why:
            raise IndexError(str(why)) from None

    def __getitem__(self, key):
        items = self._items(key)
        basic = _key(items)
        if basic is not None:
            return self._basic(basic)
        arrays = [_index_array(each, self) for each in items]
        if len(arrays) == 1 and arrays[0].dtype.kind == "b":
            return call("select", self, arrays[0])
        if len(arrays) == 1:
            return call("take", self, arrays[0], 0)
        return call("gather", self, arrays)

    def __setitem__(self, key, value):
        items = self._items(key)
        basic = _key(items)
        if not isinstance(value, (Array, bool, int, float, complex)):
            from ._functions import asarray
            value = asarray(value, dtype=self.dtype, device=self.device)
        if basic is not None:
            call_all("assign", self._basic(basic), value, room=0)
            return
        arrays = [_index_array(each, self) for each in items]
        if len(arrays) == 1 and arrays[0].dtype.kind == "b":
            call_all("put_where", self, arrays[0], value, room=0)
        else:
            call_all("put", self, arrays, value, room=0)

    # ---- operators
    def __neg__(self):
        return call("negative", self)

    def __pos__(self):
        return call("positive", self)

    def __abs__(self):
        return call("abs", self)

    def __invert__(self):
        return call("bitwise_invert", self)

    def __matmul__(self, other):
        return call("matmul", self, other) if isinstance(other, Array) else NotImplemented

    def __rmatmul__(self, other):
        return NotImplemented

    def __imatmul__(self, other):
        self[...] = self @ other
        return self

    __hash__ = None


for _operator, _function in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
                             "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
                             "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}.items():
    _forward, _backward, _in_place = _binary(_function)
    for _prefix, _made in (("", _forward), ("r", _backward), ("i", _in_place)):
        setattr(Array, f"__{_prefix}{_operator}__", _made)
for _operator, _function in {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
    setattr(Array, f"__{_operator}__", _binary(_function)[0])
for _method in ("sum", "prod", "min", "max", "mean", "any", "all", "argmin", "argmax"):
    def _reduction(self, axis=None, *, keepdims=False, _name=_method):
        return call(_name, self, axis, keepdims)
    _reduction.__name__ = _method
    setattr(Array, _method, _reduction)


class _Interface:
    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def _product(values):
    out = 1
    for each in values:
        out *= each
    return out


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _index_array(value, partner):
    from ._functions import asarray
    out = value if isinstance(value, Array) else asarray(value, device=partner.device)
    if out.dtype.kind not in "biu":
        raise IndexError(f"an index array needs integers or bool, not {out.dtype}")
    return out


def from_bytes(data, type, shape, device=None):
    """An array with these bytes, in C order."""
    extents = (c_int64 * max(len(shape), 1))(*shape)
    if len(data) != _product(shape) * type.itemsize:
        raise ValueError(f"{len(data)} bytes are not {_product(shape)} elements of {type}")
    handle = _c.handle(library.prism_array_from_host, None if device is None else device._handle.value, bytes(data), type.number, len(shape), extents)
    value, handle.value = handle.value, None
    return Array._of(value)


def _unpickled(data, name, shape):
    return from_bytes(data, dtype(name), shape)
