"""DLPack: exports memory that the host can read where it is; imports by a copy.

The structs are those of DLPack 0.8 (dmlc/dlpack, dlpack.h), which every consumer of the Array API 2022.12 reads."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int32, c_int64, c_uint16, c_uint64, c_uint8, c_void_p, py_object

from ._dtype import ALL

CPU = 1
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _Managed(Structure):
    pass


_Deleter = CFUNCTYPE(None, POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("manager", c_void_p), ("deleter", _Deleter)]
_api = ctypes.pythonapi
_api.PyCapsule_New.restype, _api.PyCapsule_New.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_api.PyCapsule_GetPointer.restype, _api.PyCapsule_GetPointer.argtypes = c_void_p, [py_object, c_char_p]
_api.PyCapsule_IsValid.argtypes = [py_object, c_char_p]
_api.PyCapsule_SetName.argtypes = [py_object, c_char_p]
# In a destructor the capsule is being freed: it must not be held as a Python object.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))
_exported = {}  # by address: the struct, its shape and the array live until the consumer's deleter


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@ctypes.PYFUNCTYPE(None, c_void_p)
def _unused(capsule):
    if _is_valid(capsule, b"dltensor"):  # no consumer took it
        _exported.pop(_pointer(capsule, b"dltensor"), None)


def export(memory, stream):
    if stream is not None:
        raise ValueError("__dlpack__: the host has no streams, stream must be None")
    n = len(memory.shape)
    shape, strides = (c_int64 * max(n, 1))(*memory.shape), (c_int64 * max(n, 1))(*memory.strides)
    managed = _Managed(_Tensor(memory.pointer, CPU, 0, n, _CODES[memory.dtype.kind], memory.itemsize * 8, 1, shape, strides, 0), None, _delete)
    address = ctypes.addressof(managed)
    _exported[address] = managed, shape, strides, memory
    return _api.PyCapsule_New(address, b"dltensor", ctypes.cast(_unused, c_void_p))


def take(other):
    """(bytes in C order, element type, shape) of another library's array."""
    if other.__dlpack_device__()[0] != CPU:
        raise BufferError("from_dlpack: only arrays in the host's memory; convert it to the host first")
    capsule = other.__dlpack__()
    managed = ctypes.cast(_api.PyCapsule_GetPointer(capsule, b"dltensor"), POINTER(_Managed)).contents
    _api.PyCapsule_SetName(capsule, b"used_dltensor")
    try:
        t = managed.tensor
        type_ = next((each for each in ALL if _CODES[each.kind] == t.code and each.itemsize * 8 == t.bits and t.lanes == 1), None)
        if type_ is None:
            raise BufferError(f"from_dlpack: arrays have no element type of DLPack's code {t.code} with {t.bits} bits")
        shape = [t.shape[i] for i in range(t.ndim)]
        strides, step = [0] * t.ndim, 1
        for i in reversed(range(t.ndim)):
            strides[i], step = (t.strides[i] if t.strides else step), step * shape[i]
        return _gathered((t.data or 0) + t.byte_offset, shape, strides, type_.itemsize), type_, tuple(shape)
    finally:
        if managed.deleter:
            managed.deleter(ctypes.pointer(managed))


def _gathered(data, shape, strides, size):
    if 0 in shape:
        return b""
    if not shape:
        return ctypes.string_at(data, size)
    if len(shape) == 1:
        if strides[0] == 1:
            return ctypes.string_at(data, shape[0] * size)
        return b"".join(ctypes.string_at(data + i * strides[0] * size, size) for i in range(shape[0]))
    return b"".join(_gathered(data + i * strides[0] * size, shape[1:], strides[1:], size) for i in range(shape[0]))
