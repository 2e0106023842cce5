"""prism.Memory: typed memory of a device with a shape and strides, the operand of operations and kernels.

Views by basic indices, transposition and reshaping share the elements, as in NumPy. NumPy, DLPack consumers and buffers read shared
memory where it is."""
import ctypes
import itertools
import struct
from ctypes import byref, c_int64, c_void_p

from . import _c, _dtype
from . import _given as given
from ._c import core, library
from ._device import Device
from ._selection import place

_KINDS = {"device": 1, "host": 2, "shared": 3}
_queues = {}


def queue_of(device):
    """The package's queue of a device; one for each."""
    key = (device.backend, device.name)
    if key not in _queues:
        _queues[key] = _c.handle(library.prism_queue_create, device._handle.value, 0)
    return _queues[key].value


class _Allocation:
    __slots__ = ("pointer", "bytes", "kind", "device")

    def __init__(self, bytes, kind, device):
        given.one_of(kind, _KINDS, "the kind of memory")
        pointer = c_void_p()
        _c.call(library.prism_allocate, queue_of(device), _KINDS[kind], bytes, 0, byref(pointer))
        self.pointer, self.bytes, self.kind, self.device = pointer.value, bytes, kind, device

    def __del__(self, free=library.prism_free):
        if hasattr(self, "pointer"):
            free(self.pointer, None)


def _product(values):
    out = 1
    for each in values:
        out *= each
    return out


def _dense(shape):
    out, step = [0] * len(shape), 1
    for d in reversed(range(len(shape))):
        out[d], step = step, step * shape[d]
    return tuple(out)


def _flat(values, out):
    """The shape of nested lists; their numbers go to `out`."""
    if not isinstance(values, (list, tuple)):
        out.append(values)
        return ()
    shapes = {_flat(each, out) for each in values}
    if len(shapes) > 1:
        raise ValueError(f"nested lists of different shapes: {sorted(shapes)}")
    return (len(values), *(shapes.pop() if shapes else ()))


def _packed(numbers, type):
    if type.kind == "c":
        parts = [part for each in numbers for part in (complex(each).real, complex(each).imag)]
    else:
        parts = [bool(each) for each in numbers] if type.kind == "b" else list(numbers)
    try:
        return struct.pack(f"<{len(parts)}{type.format[0]}", *parts)
    except struct.error as why:
        raise OverflowError(f"a number does not fit {type} ({why})") from None


def _read(data, dtype):
    """(bytes in C order, element type, shape) of anything with numbers."""
    if isinstance(data, (bool, int, float, complex, list, tuple)):
        numbers = []
        shape = _flat(data, numbers)
        kinds = {type(each) for each in numbers}
        if not kinds <= {bool, int, float, complex}:
            raise TypeError(f"memory has no elements of {', '.join(sorted(k.__name__ for k in kinds - {bool, int, float, complex}))}")
        found = dtype or next((_dtype.dtype(kind) for kind in (complex, float, int, bool) if kind in kinds), _dtype.float64)
        return _packed(numbers, found), found, shape
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__"):
        from ._functions import from_dlpack
        found = from_dlpack(data)
        return found.tobytes(), found.dtype, found.shape
    if hasattr(data, "__array_interface__"):
        import numpy
        values = _dtype.native(numpy.asarray(data))
        return values.tobytes(), _dtype.dtype(values.dtype), values.shape
    try:
        view = memoryview(data)
    except TypeError:
        raise TypeError(f"{type(data).__name__} is no number, list, array or buffer") from None
    formats = {each.format: each for each in _dtype.ALL} | {"l": _dtype.int64, "L": _dtype.uint64}
    if view.format not in formats:
        raise TypeError(f"memory has no elements of the buffer format {view.format!r}")
    return view.tobytes(), formats[view.format], view.shape


class Memory:
    """Elements of one type in memory of a device. Made by Memory.of(data) and Memory.empty(shape)."""
    __slots__ = ("_allocation", "_offset", "dtype", "shape", "strides", "__weakref__")

    def __init__(self):
        raise TypeError("memory is made by Memory.of(data) or Memory.empty(shape)")

    @classmethod
    def _made(cls, allocation, offset, dtype, shape, strides):
        out = object.__new__(cls)
        out._allocation, out._offset, out.dtype, out.shape, out.strides = allocation, offset, dtype, tuple(shape), tuple(strides)
        return out

    @classmethod
    def empty(cls, shape, dtype=_dtype.float64, *, device=None, kind="shared"):
        """Memory without defined contents. `kind`: "shared" and "host" for the host too, "device" for the device alone."""
        dtype, shape = _dtype.dtype(dtype), given.shape(shape)
        device = Device() if device is None else place(device)
        given.whole(_product(shape) * dtype.itemsize, f"the size in bytes of memory of the shape {shape}")
        return cls._made(_Allocation(_product(shape) * dtype.itemsize, kind, device), 0, dtype, shape, _dense(shape))

    @classmethod
    def of(cls, data, dtype=None, *, device=None, kind="shared"):
        """Memory with the elements of a number, nested lists, an array of another library, or a buffer; a copy."""
        dtype = None if dtype is None else _dtype.dtype(dtype)
        raw, found, shape = _read(data, dtype)
        out = cls.empty(shape, found, device=device, kind=kind)
        out._write(raw)
        return out if dtype is None or dtype is found else out.astype(dtype)

    # ---- attributes
    @property
    def size(self):
        """The number of elements."""
        return _product(self.shape)

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

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
        """The prism.Device of the memory."""
        return self._allocation.device

    @property
    def kind(self):
        """"shared", "host" or "device"."""
        return self._allocation.kind

    @property
    def pointer(self):
        """The address of the first element."""
        return self._allocation.pointer + self._offset * self.itemsize

    @property
    def contiguous(self):
        """Whether the elements lie one after the other in C order."""
        return self.size < 2 or all(n == 1 or a == b for n, a, b in zip(self.shape, self.strides, _dense(self.shape)))

    # ---- views
    def _viewed(self, offset, shape, strides):
        return Memory._made(self._allocation, offset, self.dtype, shape, strides)

    @property
    def T(self):
        """A view with the dimensions in the opposite order."""
        return self._viewed(self._offset, self.shape[::-1], self.strides[::-1])

    def reshape(self, *shape):
        """A view in another shape; the memory must be contiguous. One extent may be -1."""
        shape = list(given.shape(shape[0] if len(shape) == 1 else shape, least=-1))
        if shape.count(-1) == 1:
            rest = -_product(shape)
            shape[shape.index(-1)] = self.size // rest if rest else 0
        if _product(shape) != self.size or any(each < 0 for each in shape):
            raise ValueError(f"reshape: {self.shape} has {self.size} elements, {tuple(shape)} has not")
        if not self.contiguous:
            raise ValueError("reshape needs contiguous memory; use .copy()")
        return self._viewed(self._offset, shape, _dense(shape))

    def __getitem__(self, key):
        items = list(key) if isinstance(key, tuple) else [key]
        named = sum(each is not None and each is not Ellipsis for each in items)
        if named > self.ndim or sum(each is Ellipsis for each in items) > 1:
            raise IndexError(f"{named} indices for memory of {self.ndim} dimensions")
        if Ellipsis not in items:
            items.append(Ellipsis)
        at = items.index(Ellipsis)
        items[at:at + 1] = [slice(None)] * (self.ndim - named)
        offset, shape, strides, d = self._offset, [], [], 0
        for item in items:
            if item is None:
                shape.append(1), strides.append(0)
                continue
            n, step = self.shape[d], self.strides[d]
            if isinstance(item, slice):
                start, _, by = item.indices(n)
                count = len(range(*item.indices(n)))
                offset += start * step if count else 0
                shape.append(count), strides.append(step * by)
            elif hasattr(item, "__index__"):
                i = item.__index__()
                if not -n <= i < n:
                    raise IndexError(f"index {i} is out of the {n} elements of dimension {d}")
                offset += i % n * step
            else:
                raise IndexError(f"an index is an integer, a slice, None or ..., not {type(item).__name__}")
            d += 1
        return self._viewed(offset, shape, strides)

    def __setitem__(self, key, value):
        to = self[key]
        raw, found, shape = (value._gathered(), value.dtype, value.shape) if isinstance(value, Memory) else _read(value, None)
        if found is not to.dtype:
            raw = _packed(_cast(_unpacked(raw, found), to.dtype), to.dtype)
        if shape == () and to.shape != ():
            raw, shape = raw * to.size, to.shape
        if shape != to.shape:
            raise ValueError(f"elements of the shape {shape} do not fit {to.shape}")
        to._write(raw)

    def __len__(self):
        if not self.shape:
            raise TypeError("memory without dimensions has no len()")
        return self.shape[0]

    # ---- to and from the host
    def _reach(self):
        """First and last element, counted from the first of the allocation."""
        low = self._offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides) if s < 0)
        high = self._offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides) if s > 0)
        return low, high

    def _transfer(self, function, address, host, bytes):
        queue = queue_of(self.device)
        order = (address, host) if function is library.prism_copy_from_host else (host, address)
        _c.call(function, queue, *order, bytes, None, 0, None)
        _c.call(library.prism_queue_wait, queue)

    def _places(self, low):
        return (self._offset - low + sum(i * s for i, s in zip(each, self.strides)) for each in itertools.product(*map(range, self.shape)))

    def _span(self):
        low, high = self._reach()
        host = ctypes.create_string_buffer((high - low + 1) * self.itemsize)
        self._transfer(library.prism_copy_to_host, self._allocation.pointer + low * self.itemsize, host, len(host))
        return low, host

    def _gathered(self):
        """All elements in C order."""
        if self.size == 0:
            return b""
        low, host = self._span()
        if self.contiguous:
            return host.raw
        size, raw = self.itemsize, host.raw
        return b"".join(raw[at * size:(at + 1) * size] for at in self._places(low))

    def _write(self, raw):
        if self.size == 0:
            return
        low, size = self._reach()[0], self.itemsize
        if self.contiguous:
            host = ctypes.create_string_buffer(raw, len(raw))
        else:
            low, host = self._span()
            for i, at in enumerate(self._places(low)):
                host[at * size:(at + 1) * size] = raw[i * size:(i + 1) * size]
        self._transfer(library.prism_copy_from_host, self._allocation.pointer + low * size, host, len(host))

    tobytes = _gathered

    def tolist(self):
        """The elements as nested lists of Python's numbers; a number where there are no dimensions."""
        values = _unpacked(self._gathered(), self.dtype)
        for d in range(self.ndim - 1, 0, -1):
            n, count = self.shape[d], _product(self.shape[:d])
            values = [values[i * n:(i + 1) * n] for i in range(count)]
        return values if self.shape else values[0]

    def item(self):
        """The only element as a number of Python. ValueError for more or none."""
        if self.size != 1:
            raise ValueError(f"item needs one element, not the shape {self.shape}")
        return _unpacked(self._gathered(), self.dtype)[0]

    def copy(self):
        """New memory of the same kind with the same elements, in C order."""
        out = Memory.empty(self.shape, self.dtype, device=self.device, kind=self.kind)
        out._write(self._gathered())
        return out

    def astype(self, dtype):
        """The elements converted, as a copy; itself where the type is the same."""
        dtype = _dtype.dtype(dtype)
        if dtype is self.dtype:
            return self
        out = Memory.empty(self.shape, dtype, device=self.device, kind=self.kind)
        out._write(_packed(_cast(_unpacked(self._gathered(), self.dtype), dtype), dtype))
        return out

    def to_device(self, device):
        """A copy on a device: a prism.Device or what prism.find_device takes. NotFoundError lists the devices."""
        out = Memory.empty(self.shape, self.dtype, device=device, kind=self.kind)
        out._write(self._gathered())
        return out

    # ---- other libraries
    def view(self):
        """The prism_view of prism.h."""
        out = _c.View(struct_size=ctypes.sizeof(_c.View), data=self.pointer, type=self.dtype.number, rank=self.ndim)
        out.extent[:self.ndim], out.stride[:self.ndim] = self.shape, self.strides
        return out

    def _require_host(self):
        if self.kind == "device":
            raise BufferError(f"the host cannot read memory of the kind 'device' of {self.device!r}; use tobytes()")

    @property
    def __array_interface__(self):
        """NumPy reads and writes the elements where they are; absent for memory of the kind "device"."""
        if self.kind == "device":
            raise AttributeError("the host cannot read memory of the kind 'device'")
        return {"version": 3, "typestr": self.dtype.typestr, "shape": self.shape, "data": (self.pointer, False),
                "strides": tuple(each * self.itemsize for each in self.strides)}

    def __array__(self, dtype=None, copy=None):
        import numpy
        if copy is False:
            raise ValueError("numpy.asarray(copy=False): the elements are in memory of the device alone")
        out = numpy.frombuffer(self._gathered(), dtype=self.dtype.name).reshape(self.shape)
        return out if dtype is None else out.astype(dtype)

    def buffer(self):
        """A memoryview of the elements where they are, with shape; the memory is contiguous and of real numbers."""
        self._require_host()
        if not self.contiguous or self.dtype.kind == "c":
            raise BufferError("a buffer needs contiguous memory of real numbers")
        raw = (ctypes.c_char * self.nbytes).from_address(self.pointer)
        raw.owner = self
        flat = memoryview(raw).cast("B").cast(self.dtype.format)
        return flat.cast("B").cast(self.dtype.format, self.shape) if self.ndim > 1 else flat

    def __dlpack_device__(self):
        self._require_host()
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A capsule of DLPack over the elements, which are not copied unless copy=True."""
        self._require_host()
        if stream is not None:
            raise ValueError("__dlpack__: the host has no streams, stream must be None")
        if dl_device is not None and tuple(dl_device) != (1, 0):
            raise BufferError(f"__dlpack__: the elements are in the host's memory, not on the device {tuple(dl_device)}")
        of = self.copy() if copy else self
        view = of.view()
        return core.memory_to_dlpack(ctypes.addressof(view), of, max_version is not None and tuple(max_version) >= (1, 0))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return _unpickled, (self._gathered(), self.dtype.name, self.shape)

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        head = ", ".join((f"shape={self.shape}", f"dtype={self.dtype}", f"device={self.device.backend}"))
        return f"Memory({self.tolist()!r}, dtype={self.dtype})" if self.size <= 64 else f"Memory({head})"

    def _repr_html_(self):
        """For notebooks: a table of up to 20 x 20 elements."""
        if not 1 <= self.ndim <= 2 or self.size == 0 or max(self.shape) > 20:
            return f"<pre>{repr(self).replace('&', '&amp;').replace('<', '&lt;')}</pre>"
        rows = self.tolist() if self.ndim == 2 else [self.tolist()]
        cells = "".join("<tr>" + "".join(f"<td>{each:.6g}</td>" if isinstance(each, float) else f"<td>{each}</td>" for each in row) + "</tr>"
                        for row in rows)
        return f"<table>{cells}</table><small>{self.shape}, {self.dtype}</small>"


def _unpacked(raw, type):
    values = list(struct.unpack(f"<{len(raw) // struct.calcsize('<' + type.format[0])}{type.format[0]}", raw))
    return [complex(*pair) for pair in zip(values[::2], values[1::2])] if type.kind == "c" else values


def _cast(values, type):
    if type.kind in "iu":
        return [int(each) for each in values]
    if type.kind == "f" and any(isinstance(each, complex) for each in values):
        raise TypeError(f"complex numbers do not convert to {type}")
    return values


def _unpickled(data, name, shape):
    out = Memory.empty(shape, name)
    out._write(data)
    return out
