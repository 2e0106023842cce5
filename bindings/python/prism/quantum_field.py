"""The quantum field: a picture of waves around a spiral, its coherence and a phi pattern, on every device (docs/quantum-field.md).

    backend = prism.quantum_field.get_backend()
    field = backend.generate_quantum_field(512, 512, "love", 0.0)
    print(backend.calculate_field_coherence(field))

The functions are expressions of prism.Array: one launch for a field. Derive AcceleratorBackend and call register_backend to add
another implementation; what uses get_backend() then finds it by its priority. choose_tier() measures four methods for a size, and
Animation executes a graph for each frame."""
import abc
import logging
import math

from . import _c
from . import _functions as f
from ._array import Array
from ._device import Device, devices
from ._dtype import float32
from ._field_arguments import FREQUENCIES as FREQUENCIES
from ._field_arguments import LAMBDA, PHI, hertz_of, points, seconds
from ._field_tiers import TIERS as TIERS
from ._field_tiers import Animation as Animation
from ._field_tiers import Costs as Costs
from ._field_tiers import Frame as Frame
from ._field_tiers import TierChoice as TierChoice
from ._field_tiers import choose_tier as choose_tier
from ._field_tiers import generate_by_tier
from ._selection import entered

log = logging.getLogger("prism.quantum_field")
_added = []


class AcceleratorBackend(abc.ABC):
    """An implementation. The one of the highest priority that is available is preferred."""
    name = "base"
    priority = 0

    @abc.abstractmethod
    def is_available(self):
        """Whether it can be used on this machine."""

    @abc.abstractmethod
    def get_capabilities(self):
        """{"thread_block_clusters", "multi_device", "async_execution", "tensor_cores", "half_precision": bool}"""

    @abc.abstractmethod
    def generate_quantum_field(self, width, height, frequency_name, time_factor):
        """The field: `height` rows of `width` points of float32."""

    @abc.abstractmethod
    def calculate_field_coherence(self, field_data):
        """The absolute value of the mean of exp(i pi field): 1 when all is in phase."""

    @abc.abstractmethod
    def generate_phi_pattern(self, width, height):
        """A golden spiral, faded out in the middle."""

    def shutdown(self):
        """Releases what the backend holds."""


def _axis(count):
    """From -1 to 1; a single point is at -1. Exactly symmetric, since the angle depends on signs."""
    return (f.arange(count, dtype=float32) * 2 - (count - 1)) / max(count - 1, 1) if count > 1 else f.asarray([-1.0], dtype=float32)


class _Capsule:
    """A DLPack capsule as an object that hands it out."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0 # the host's memory


class DeviceBackend(AcceleratorBackend):
    """The field on a device of PRISM."""

    def __init__(self, name, priority, fits):
        self.name, self.priority, self._fits, self._found = name, priority, fits, None

    def _device(self):
        if self._found is None:
            self._found = next((each for each in devices() if self._fits(each)), None)
            if self._found is None:
                raise _c.NotFoundError(f"the backend \"{self.name}\" has no device here; there are "
                                       f"{', '.join(f'{d.backend}: {d.name} ({d.type})' for d in devices())}")
        return self._found

    def is_available(self):
        try:
            return self._device() is not None
        except _c.NotFoundError:
            return False

    def get_capabilities(self):
        caps = self._device().capabilities()
        alike = [each for each in devices() if self._fits(each)]
        return {"thread_block_clusters": caps.has_feature("thread_block_clusters"), "multi_device": len(alike) > 1,
                "async_execution": caps.has_feature("async_execution"), "tensor_cores": caps.has_feature("tensor_cores"),
                "half_precision": caps.supports_data_type("fp16")}

    def generate_quantum_field(self, width, height, frequency_name, time_factor):
        hertz, (width, height) = hertz_of(frequency_name), points(width, height)
        phase = math.fmod(seconds(time_factor, "the time factor of a field") * PHI ** PHI, 2 * math.pi)
        with entered(self._device()):
            x, y = _axis(width)[None, :], _axis(height)[:, None]
            distance = f.sqrt(x * x + y * y) * PHI
            return f.sin(distance * (0.01 * hertz) + f.atan2(y, x) * PHI + phase) * f.exp(distance * -LAMBDA)

    def calculate_field_coherence(self, field_data):
        with entered(self._device()):
            field = field_data.to_device(self._device()) if isinstance(field_data, Array) else f.asarray(field_data, dtype=float32)
            if field.size == 0:
                raise ValueError("a field without points has no coherence")
            angle = field * math.pi
            return math.hypot(float(f.mean(f.cos(angle))), float(f.mean(f.sin(angle))))

    def generate_phi_pattern(self, width, height):
        width, height = points(width, height)
        with entered(self._device()):
            x, y = _axis(width)[None, :], _axis(height)[:, None]
            radius = f.sqrt(x * x + y * y)
            near = f.maximum(radius, f.asarray(1e-3, dtype=float32))
            turns = f.log(near) * (1 / math.log(PHI)) - f.atan2(y, x) * (2 / math.pi)
            return f.cos(turns * (2 * math.pi)) * (1 - f.exp(radius * radius * -64))

    def to_dlpack(self, field_data):
        """A DLPack capsule of the field. Elements of other devices are copied to the host's memory first."""
        field = field_data if isinstance(field_data, Array) else f.asarray(field_data, dtype=float32)
        return (field if field.device.backend == "host" else field.to_device(Device("host"))).__dlpack__()

    def from_dlpack(self, given):
        """The array of a capsule or of another library's tensor in the host's memory, on this backend's device."""
        with entered(self._device()):
            return f.from_dlpack(given if hasattr(given, "__dlpack__") else _Capsule(given), device=self._device())

    def __repr__(self):
        return f"<prism.quantum_field backend {self.name}>"


_built_in = [DeviceBackend("gpu", 70, lambda d: d.type == "gpu"), DeviceBackend("opencl", 40, lambda d: d.backend == "opencl"),
             DeviceBackend("cpu", 20, lambda d: d.backend == "host"), DeviceBackend("vulkan", 10, lambda d: d.backend == "vulkan")]


def register_backend(backend):
    """Adds an implementation, an AcceleratorBackend."""
    if not isinstance(backend, AcceleratorBackend):
        raise TypeError(f"register_backend: a backend is a prism.quantum_field.AcceleratorBackend, not {backend!r}")
    if any(each.name == backend.name for each in _all()):
        raise ValueError(f"register_backend: there is a backend \"{backend.name}\" already; unregister_backend removes an added one")
    _added.append(backend)


def unregister_backend(name):
    """Removes an added implementation, after its shutdown()."""
    found = next((each for each in _added if each.name == name), None)
    if found is None:
        raise _c.NotFoundError(f"no backend \"{name}\" was added; added are {', '.join(each.name for each in _added) or 'none'}")
    _added.remove(found)
    found.shutdown()


def _all():
    return sorted([*_added, *_built_in], key=lambda each: -each.priority)


def detect_available_backends():
    """The backends that can be used, by descending priority."""
    return [each for each in _all() if each.is_available()]


def get_backend(name=None):
    """The backend of that name, or the available one of the highest priority."""
    usable = detect_available_backends()
    found = next((each for each in usable if name is None or each.name == name), None)
    if found is None:
        raise _c.NotFoundError(f"there is no backend \"{name}\" here; there are {', '.join(each.name for each in usable)}")
    return found


def _first_that_can(what, *arguments):
    failures = []
    for each in detect_available_backends():
        try:
            out = getattr(each, what)(*arguments)
            if isinstance(out, Array):
                _c.call(_c.library.prism_array_data, out._value, _c.byref(_c.c_void_p()), None) # a device's failure shows here
            return out
        except (_c.Error, MemoryError) as why:
            if isinstance(why, _c.InvalidError):
                raise
            failures.append(f"{each.name}: {why}")
            log.warning("%s: the backend %s failed, the next is tried: %s", what, each.name, why)
    raise _c.Error(f"no backend could do {what}:\n  " + "\n  ".join(failures))


def generate_quantum_field(width, height, frequency_name, time_factor, *, tier=None, devices=None):
    """The field, `height` rows of `width` points of float32: a picture of waves at the named frequency, at a time in seconds.

    tier: None: by the best backend; where one fails, the next does it, with a line in the log "prism.quantum_field". One of TIERS, or "auto" for
    the one that choose_tier() measures to be the fastest for about this size: by that method, on `devices` (as for choose_tier)."""
    hertz_of(frequency_name)
    points(width, height)
    if tier is not None:
        return generate_by_tier(tier, width, height, frequency_name, time_factor, devices=devices)
    if devices is not None:
        raise ValueError("generate_quantum_field: devices belong to a tier; without one the best backend's device serves")
    return _first_that_can("generate_quantum_field", width, height, frequency_name, time_factor)


def calculate_field_coherence(field_data):
    """The absolute value of the mean of exp(i pi field), from 0 to 1, by the best backend. field_data: an Array or what asarray takes."""
    return _first_that_can("calculate_field_coherence", field_data)


def generate_phi_pattern(width, height):
    """A golden spiral, `height` rows of `width` points of float32, by the best backend."""
    points(width, height)
    return _first_that_can("generate_phi_pattern", width, height)
