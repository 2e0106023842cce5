"""libprism-c: structs and functions of prism.h by ctypes, failures as exceptions, and the compiled module `core` for what programs call
most. Each call gives up the interpreter's lock, so other threads run while one waits."""
import ctypes
import importlib.machinery
import importlib.util
import os
import re
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

MAX_RANK = 32
TOO_SMALL = 20 # PRISM_TOO_SMALL


_HERE = os.path.dirname(os.path.realpath(__file__))
# The repository's build, an installation's lib/python3/dist-packages, the system's folders.
_FOLDERS = (os.path.join(_HERE, "../../..", os.environ.get("PRISM_BUILD_DIR", "build"), "lib"), os.path.join(_HERE, "../../.."))


def open_library(name, mode=ctypes.DEFAULT_MODE):
    """A library of PRISM by ctypes."""
    found = [os.path.join(folder, name) for folder in _FOLDERS if os.path.exists(os.path.join(folder, name))]
    try:
        return ctypes.CDLL(found[0] if found else name, mode=mode)
    except OSError as why:
        raise ImportError(f"prism: {name} was not found next to the package or in the system's folders ({why}). Build it by ./prism build, "
                          "or install PRISM and add its lib folder to LD_LIBRARY_PATH") from None


def _open_core():
    name = "_core.abi3.so"
    files = [os.path.join(folder, name) for folder in (_HERE, os.path.join(_FOLDERS[0], "python"))]
    file = next(filter(os.path.exists, files), None)
    if file is None:
        raise ImportError(f"prism: the compiled module {name} was not found in {' or '.join(files)}. Build it by ./prism build (it needs "
                          "python3-dev), or install the package by pip")
    loader = importlib.machinery.ExtensionFileLoader("prism._core", file)
    made = importlib.util.module_from_spec(importlib.util.spec_from_file_location("prism._core", file, loader=loader))
    loader.exec_module(made)
    sys.modules["prism._core"] = made
    return made


class View(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("type", c_int32), ("rank", c_int32), ("flags", c_uint32),
                ("unused", c_uint32), ("extent", c_int64 * MAX_RANK), ("stride", c_int64 * MAX_RANK)]


class Options(Structure):
    _fields_ = [("struct_size", c_size_t), ("has_alpha", c_int32), ("has_beta", c_int32), ("alpha", c_double * 2),
                ("beta", c_double * 2), ("uplo", c_int32), ("side", c_int32), ("diag", c_int32), ("kind", c_int32),
                ("number", c_int32), ("unused", c_int32), ("tolerance", c_double), ("scale", c_double)]


class Argument(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int32), ("type", c_int32), ("value", c_void_p), ("count", c_uint64)]


library = open_library("libprism-c.so.0", ctypes.RTLD_GLOBAL) # global, because `core` takes the functions from there
core = _open_core()
library.prism_error_message.restype = c_char_p
library.prism_version.restype = c_char_p
_P, _E = c_void_p, POINTER(c_void_p)
_TEXT = [c_char_p, c_size_t, POINTER(c_size_t), _E]
_WAITS = [_P, c_size_t, _P, _E]
for _name, _types in {
        "error_code": [_P], "error_message": [_P], "release": [_P, _E], "version": [], "c_version": [],
        "devices": [_P, c_size_t, POINTER(c_size_t), _E], "device_select": [c_char_p, _E, _E], "device_by_policy": [c_char_p, _E, _E],
        "explain_policy": [c_char_p, *_TEXT], "device_text": [_P, c_char_p, *_TEXT], "device_number": [_P, c_char_p, POINTER(c_double), _E],
        "device_has": [_P, c_char_p, POINTER(c_int32), _E], "backends": _TEXT, "scope_begin": [_P, _E], "scope_end": [_E],
        "queue_create": [_P, c_uint32, _E, _E], "queue_device": [_P, _E, _E], "queue_wait": [_P, _E],
        "library_open": [c_char_p, _E, _E], "library_kernels": [_P, *_TEXT], "kernel_get": [_P, c_char_p, _E, _E],
        "kernel_create": [_P, c_char_p, c_char_p, c_size_t, c_char_p, c_int32, c_char_p, _E, _E], "kernel_text": [_P, *_TEXT], "launch": [_P, _P, _P, _P, _P, c_size_t, *_WAITS],
        "library_tasks": [_P, *_TEXT], "tasks_create": [_P, _P, c_char_p, _E, _E],
        "tasks_add": [_P, _P, c_size_t, _P, c_size_t, _P, c_size_t, _P, _E], "tasks_run": [_P, *_WAITS], "tasks_text": [_P, *_TEXT],
        "graph_begin": [_P, _E, _E], "graph_end": [_P, _E], "graph_run": [_P, _P, *_WAITS], "graph_text": [_P, *_TEXT],
        "run": [_P, c_int32, _P, c_size_t, _P, *_WAITS], "operation_find": [c_char_p, POINTER(c_int32), _E],
        "operation_explain": [_P, c_char_p, c_char_p, c_size_t, *_TEXT],
        "array_from_host": [_P, _P, c_int32, c_int32, _P, _E, _E], "array_to_host": [_P, _P, c_size_t, _E],
        "sparse_create": [c_char_p, c_int64, c_int64, c_int64, _P, _P, _P, _E, _E],
        "array_data": [_P, _E, _P, _E], "array_view": [_P, _P, _E], "array_device": [_P, _E, _E], "array_text": [_P, c_char_p, *_TEXT],
        "allocate": [_P, c_int32, c_size_t, c_size_t, _E, _E], "free": [_P, _E], "fill": [_P, _P, _P, c_size_t, c_size_t, *_WAITS],
        "copy": [_P, _P, _P, c_size_t, *_WAITS], "copy_to_host": [_P, _P, _P, c_size_t, *_WAITS], "copy_from_host": [_P, _P, _P, c_size_t, *_WAITS]}.items():
    getattr(library, "prism_" + _name).argtypes = _types


class Error(RuntimeError):
    """A failure of PRISM. `status` is the number of prism.h."""
    status = 0


class InvalidError(Error, ValueError):
    """Arguments contradict each other."""


class OutOfRangeError(InvalidError, IndexError):
    """An index, a mask or an axis does not fit the array: an IndexError."""


class UnsupportedError(Error, NotImplementedError):
    """The device lacks what the call needs."""


class NotFoundError(Error, LookupError):
    """There is no device, operation, kernel or property of that name."""


_CLASSES = {1: UnsupportedError, 2: InvalidError, 3: MemoryError, 17: InvalidError, 19: NotFoundError}


_OF_C = re.compile(r"^prism_\w+: ") # a user of Python called no function of prism.h
_OF_SYCL = re.compile(r"(feature_not_supported|kernel_not_supported): (USM: )?") # nor of SYCL, whose codes are the class of the error
_OF_INDEX = re.compile(r"\b(axis -?\d+ |axes? .*twice|a mask of |mask|index|indices)") # what does not fit is an index
_OF_TEXT = re.compile(r"^(\S+) \(.*\): argument (\d+) is (a text|a list of texts|a sparse matrix|a list of integers|nothing), not (an? .*)")
_BUFFERS = "; use buffers, or another device" # which Python has not


def raise_text(status, text):
    text = _OF_SYCL.sub("", _OF_C.sub("", text))
    if of_text := _OF_TEXT.search(text):
        what = {"a text": "a str", "a list of integers": "a list", "nothing": "None"}.get(of_text[3], of_text[3])
        hint = "; prism.asarray makes arrays of other data" if of_text[4] in ("an array", "a number") else ""
        raise TypeError(f"{of_text[1]}: argument {of_text[2]}: {what} is not {of_text[4]}{hint}")
    kind = OutOfRangeError if status in (2, 17) and _OF_INDEX.search(text) else _CLASSES.get(status, Error)
    made = kind(text.replace(_BUFFERS, ", which memory and arrays need; use another device (prism.devices() lists them)"))
    if isinstance(made, Error):
        made.status = status
    raise made


def library_caller(library, prefix):
    """Calls functions of a library of samples/ by name (samples/for_python.hpp): they take room for a text last, and their errors are raised."""
    def call_function(name, *arguments):
        text = ctypes.create_string_buffer(1024)
        status = getattr(library(), prefix + name)(*arguments, text, len(text))
        if status:
            raise_text(status, text.value.decode(errors="replace"))
    return call_function


def raise_error(status, error):
    """Raises and releases an error object of prism.h."""
    text = library.prism_error_message(error).decode(errors="replace") if error.value else f"status {status}"
    library.prism_release(error, None)
    raise_text(status, text)


def call(function, *arguments):
    """Calls the function of prism.h and raises its failure."""
    error = c_void_p()
    try:
        status = function(*arguments, byref(error))
    except ctypes.ArgumentError as why:
        raise TypeError(f"{function.__name__.removeprefix('prism_')}: a value of another type than wanted: {why}") from None
    if status:
        raise_error(status, error)


def text(function, *arguments):
    needed = c_size_t(32768) # most texts fit, which some functions compute anew for each call
    while True: # another thread may make the text longer
        buffer = ctypes.create_string_buffer(needed.value)
        try:
            call(function, *arguments, buffer, len(buffer), byref(needed))
        except Error as why:
            if why.status != TOO_SMALL:
                raise
        else:
            return buffer.value.decode(errors="replace")


class Handle:
    """Owns a handle of prism.h."""
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __del__(self, release=library.prism_release):
        release(self.value, None)


def handle(function, *arguments):
    """The handle that the function stores as its last argument but one."""
    out = c_void_p()
    call(function, *arguments, byref(out))
    return Handle(out.value)
