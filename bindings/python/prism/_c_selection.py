"""The part of prism.h about descriptions, decisions, backends, models and tuning: structs and types of functions."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_void_p

from . import _c
from ._c import _E, _TEXT, library

ACCESS = ("sequential", "strided", "random")
_NUMBERS = ("flops", "bytes", "bytes_to_move", "items", "footprint_bytes", "divergence", "builds")


class WorkloadStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("operation", c_char_p), ("data_type", c_char_p), ("data_on", c_char_p),
                *((name, c_double) for name in _NUMBERS), ("access", c_int32), ("unused", c_int32)]


class PredictionStruct(Structure):
    _fields_ = [("struct_size", c_size_t), *((name, c_double) for name in ("launch", "building", "moving", "computing", "memory", "total", "lower",
                                                                          "upper", "cost", "energy", "throughput"))]


class ParameterStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("values", POINTER(c_char_p)), ("count", c_size_t)]


class TuningOptionsStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("search", c_char_p), ("max_trials", c_size_t), ("max_seconds", c_double), ("patience", c_size_t),
                ("seed", c_uint32), ("unused", c_uint32), ("database", c_char_p), ("operation", c_char_p), ("kernel", c_char_p), ("items", c_double)]


TRIAL = CFUNCTYPE(c_int32, c_char_p, POINTER(c_double), POINTER(c_int32), c_void_p)

_P = c_void_p
for _name, _types in {
        "default_set": [_P, _E], "describe": [_P, *_TEXT], "descriptions_read": [c_char_p, *_TEXT],
        "description_meets": [c_char_p, c_char_p, POINTER(c_int32), _E], "decide": [c_char_p, POINTER(WorkloadStruct), c_char_p, c_char_p, *_TEXT],
        "backend_text": [c_char_p, c_char_p, *_TEXT], "backend_set_priority": [c_char_p, c_int32, _E], "host_text": [c_char_p, *_TEXT],
        "model_create": [c_char_p, _E, _E], "model_register": [_P, c_char_p, POINTER(WorkloadStruct), _E],
        "model_observe": [_P, c_char_p, c_char_p, c_double, c_double, _E],
        "model_predict": [_P, c_char_p, c_char_p, POINTER(c_size_t), c_double, POINTER(PredictionStruct), _E], "model_text": [_P, *_TEXT],
        "tune": [_P, POINTER(ParameterStruct), c_size_t, c_char_p, TRIAL, _P, POINTER(TuningOptionsStruct), _E, _E],
        "tuning_text": [_P, c_char_p, *_TEXT]}.items():
    getattr(library, "prism_" + _name).argtypes = _types


def struct(kind, **members):
    """A struct with its size set."""
    return kind(struct_size=ctypes.sizeof(kind), **members)

