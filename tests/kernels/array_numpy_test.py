"""DLPack and .npz against NumPy, which is another library that knows both. Arguments: the module's file."""
import ctypes
import os
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy (python3-numpy)")
    sys.exit(77)

lib = ctypes.CDLL(sys.argv[1])
lib.prism_test_leaves.restype = ctypes.c_void_p
lib.prism_test_arrives.argtypes = [ctypes.c_void_p]
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule_name = ctypes.pythonapi.PyCapsule_SetName
capsule_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
used = b"used_dltensor"


class Leaving:
    def __dlpack__(self, stream=None):
        return capsule_new(lib.prism_test_leaves(), b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


a = np.from_dlpack(Leaving())
assert a.dtype == np.int32 and a.shape == (4, 3) and a.strides == (4, 16), (a.dtype, a.shape, a.strides)
assert (a == 2 * np.arange(12, dtype=np.int32).reshape(3, 4).T).all(), a
del a  # NumPy calls the deleter

b = np.arange(10, dtype=np.float64)[::2]
before = b.copy()
capsule = b.__dlpack__()
assert lib.prism_test_arrives(capsule_pointer(capsule, b"dltensor")) == 0
capsule_name(capsule, used)
assert (b == before + 1).all(), b

arrays = {
    "row": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
    "column": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big": np.arange(5, dtype=">f4"),
    "complex": np.array([1 + 2j, -3j]),
    "flags": np.array([True, False]),
    "number": np.array(7, dtype=np.uint8),
    "none": np.empty((0, 2), dtype=np.int64),
}
with tempfile.TemporaryDirectory() as folder:
    for save in (np.savez, np.savez_compressed):
        first, second = os.path.join(folder, "first.npz"), os.path.join(folder, "second.npz")
        save(first, **arrays)
        assert lib.prism_test_rewrites(first.encode(), second.encode()) == 0
        with np.load(second) as back:
            assert list(back) == list(arrays), list(back)
            for name, array in arrays.items():
                assert back[name].shape == array.shape and (back[name] == array).all(), name
                assert back[name].dtype == array.dtype.newbyteorder("="), name
print("passed")
