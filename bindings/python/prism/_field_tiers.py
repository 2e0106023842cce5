"""The quantum field by methods that suit its size, and as an animation, by libprism-field (samples/quantum_field.hpp)."""
import ctypes
import functools
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_void_p
from typing import NamedTuple

from . import _c
from . import _given as given
from ._array import from_bytes
from ._device import devices as present_devices
from ._dtype import float32, uint8
from ._field_arguments import MOST_POINTS, hertz_of, points, seconds
from ._selection import find_device, get_device

TIERS = ("basic", "device", "devices", "groups") # in the order of samples::field_tier
_FUNCTIONS = {"run": [c_char_p, c_int, c_size_t, c_size_t, c_char_p, c_double, c_void_p],
              "choose": [c_char_p, c_size_t, c_size_t, POINTER(c_double)],
              "animate": [c_char_p, c_size_t, c_size_t, c_char_p, c_double, POINTER(c_void_p)],
              "next": [c_void_p, c_void_p, c_void_p, POINTER(c_double)], "save": [c_void_p, c_char_p, c_size_t, c_int],
              "costs": [c_void_p, c_int, POINTER(c_double)]}
_chosen = {}


@functools.cache
def _library():
    """Opened at the first use: most programs need no tiers."""
    out = _c.open_library("libprism-field.so.0")
    for name, types in _FUNCTIONS.items():
        getattr(out, "prism_field_" + name).argtypes = [*types, c_char_p, c_size_t]
    out.prism_field_destroy.argtypes, out.prism_field_destroy.restype = [c_void_p], None
    return out


_call = _c.library_caller(_library, "prism_field_")


def _selectors(devices):
    """The names of the devices, a line each: those that were given, else the default device and then the others of this machine."""
    if devices is None:
        found = [get_device(), *present_devices()]
    else:
        found = [find_device(each) for each in (devices if isinstance(devices, (list, tuple)) else [devices])]
    if not found:
        raise ValueError("a field needs at least one device; devices=None takes all of this machine")
    return "\n".join(dict.fromkeys(each._selector() for each in found)).encode()


class TierChoice(NamedTuple):
    """The fastest tier for a size, and the milliseconds of a field by each: {"basic": ..., "device": ..., "devices": ..., "groups": ...}."""
    best: str
    milliseconds: "dict[str, float]"


def choose_tier(width, height, *, devices=None):
    """Measures the four methods for a field of `height` rows of `width` points, each the best of three runs after one that builds.

    "basic": the calling thread. "device": one work-item for each point, on the first device. "devices": the rows divided among all
    devices. "groups": work-groups on the first device, with the coordinates in local memory. devices: as for find_device; None: the
    default device first, then the others of this machine. The choice is kept: generate_quantum_field(..., tier="auto") uses it."""
    width, height = points(width, height)
    names, times = _selectors(devices), (c_double * len(TIERS))()
    _call("choose", names, width, height, times)
    found = dict(zip(TIERS, times))
    out = TierChoice(min(found, key=found.get), found)
    _chosen[names, width.bit_length(), height.bit_length()] = out.best
    return out


def generate_by_tier(tier, width, height, frequency_name, time_factor, *, devices=None):
    """The field by one of TIERS, or by "auto": the one that was fastest for about this size, measured at the first call. An Array
    (height, width) of float32 on the first device; devices: as for choose_tier."""
    (width, height), time = points(width, height), seconds(time_factor, "the time factor of a field")
    hertz_of(frequency_name)
    if tier != "auto" and tier not in TIERS:
        raise ValueError(f"there is no tier {tier!r} of a field; there are {', '.join(TIERS)}, and \"auto\", which measures")
    names = _selectors(devices)
    if tier == "auto":
        tier = _chosen.get((names, width.bit_length(), height.bit_length())) or choose_tier(width, height, devices=devices).best
    out = (ctypes.c_char * (4 * width * height))()
    _call("run", names, TIERS.index(tier), width, height, frequency_name.encode(), time, out)
    first = names.decode().partition("\n")[0]
    return from_bytes(out.raw, float32, (height, width), find_device(first))


class Frame(NamedTuple):
    """A picture of an animation. time: of the formula, in seconds. milliseconds: from the submission to the end. values: an Array (height, width)
    of float32; colours: an Array (height, width, 3) of uint8, red, green and blue. Both are on the default device."""
    time: float
    coherence: float
    milliseconds: float
    values: object
    colours: object


class Costs(NamedTuple):
    """Microseconds of the submitting thread for a frame: first executed as a graph, then submitted as five commands."""
    replay: float  # the public name; words: quoted
    resubmission: float


class Animation:
    """The field at times 0, step, 2 step, ...: next(animation) is the next Frame, and itertools.islice(animation, 48) are 48 of them.

    A graph of five kernels is recorded once. A frame is one execution of it: its first kernel advances the time, in the device's memory. step:
    seconds. device: as for find_device; None: the default device. An animation belongs to one thread at a time."""

    def __init__(self, width, height, frequency_name="love", step=0.04, *, device=None):
        self.width, self.height = points(width, height)
        self.frequency_name, self.step = frequency_name, seconds(step, "the step of an animation")
        hertz_of(frequency_name)
        self.device = get_device() if device is None else find_device(device)
        out = c_void_p()
        _call("animate", self.device._selector().encode(), self.width, self.height, frequency_name.encode(), self.step, byref(out))
        self._handle, self._destroy = out.value, _library().prism_field_destroy

    def __del__(self):
        if getattr(self, "_handle", None):
            self._destroy(self._handle)

    def __iter__(self):
        return self

    def __next__(self):
        count, numbers = self.width * self.height, (c_double * 3)()
        values, colours = (ctypes.c_char * (4 * count))(), (ctypes.c_char * (3 * count))()
        _call("next", self._handle, values, colours, numbers)
        return Frame(numbers[0], numbers[2], numbers[1], from_bytes(values.raw, float32, (self.height, self.width)),
                     from_bytes(colours.raw, uint8, (self.height, self.width, 3)))

    def save(self, file, frames=48, *, milliseconds=40):
        """Writes the next frames as an animated PNG that repeats for ever; milliseconds: how long each is shown. Error where the file cannot
        be written."""
        _call("save", self._handle, os.fsencode(given.path(file, "save: file")), given.whole(frames, "the number of frames", 1, MOST_POINTS), given.whole(milliseconds, "the time of a frame in milliseconds", 1, MOST_POINTS))

    def compare_submission(self, frames=20):
        """Costs: the time of the submitting thread for a frame, as a graph and as commands, the best of five rounds of so many
        frames. The animation begins again."""
        out = (c_double * 2)()
        _call("costs", self._handle, given.whole(frames, "the number of frames", 1, MOST_POINTS), out)
        return Costs(*out)

    def __repr__(self):
        return f"<prism.quantum_field.Animation of {self.width} x {self.height} points at {self.frequency_name} on {self.device.name}>"
