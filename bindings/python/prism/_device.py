"""Devices, backends, policies, and the default device of a scope."""
import contextlib
import json
from ctypes import byref, c_double, c_int32, c_size_t, c_void_p

from . import _c
from . import _given as given
from ._c import library
from ._description import Capabilities


_descriptions = {}
_all = [] # the devices of a process do not change


class Device:
    """A device. `Device("opencl:cpu")` selects by name, `Device()` is the default device."""
    __slots__ = ("_handle", "_texts")

    def __init__(self, name=None):
        self._handle = _c.handle(library.prism_device_select, None if name is None else given.text(name, "the name of a device"))

    @classmethod
    def _of(cls, handle):
        out = object.__new__(cls)
        out._handle = handle
        return out

    def _text(self, what):
        texts = getattr(self, "_texts", None)
        if texts is None: # none of them changes
            texts = self._texts = {}
        if what not in texts:
            texts[what] = _c.text(library.prism_device_text, self._handle.value, what)
        return texts[what]

    @property
    def name(self):
        """The name that the driver gives the device."""
        return self._text(b"name")

    @property
    def backend(self):
        """The backend: "host", "opencl", "vulkan"."""
        return self._text(b"backend")

    @property
    def type(self):
        """"cpu", "gpu", "accelerator" or "custom"."""
        return self._text(b"type")

    @property
    def driver(self):
        """The name and the version of the driver."""
        return self._text(b"driver")

    def has(self, feature):
        """Whether the device has the feature: "fp64", "subgroups"."""
        out = c_int32()
        _c.call(library.prism_device_has, self._handle.value, given.text(feature, "a feature"), byref(out))
        return bool(out.value)

    def limit(self, name):
        """A limit of the device: "compute_units", "max_group_size". NotFoundError where the device does not report it."""
        out = c_double()
        _c.call(library.prism_device_number, self._handle.value, given.text(name, "the name of a limit"), byref(out))
        return out.value

    def capabilities(self):
        """The features, limits and memories of the device: capabilities().has_feature("tensor_cores", min_version=2)."""
        return Capabilities(self.description)

    @property
    def description(self):
        """The device as data (docs/describing-devices.md). It is read once; prism.initialize() reads it again."""
        key = (self.backend, self.name)
        if key not in _descriptions:
            read = json.loads(_c.text(library.prism_describe, self._handle.value))
            _descriptions[key] = read["devices"][0] if "devices" in read else read
        return dict(_descriptions[key])

    def explain(self, operation, type="float", n=512):
        """Which implementation a matrix operation would use for n x n operands, and why."""
        return _c.text(library.prism_operation_explain, self._handle.value, given.text(operation, "an operation"), given.text(type, "a type"),
                       given.whole(n, "the size of the matrices", 1))

    def __eq__(self, other):
        return isinstance(other, Device) and (self.backend, self.name) == (other.backend, other.name)

    def __hash__(self):
        return hash((self.backend, self.name))

    def __repr__(self):
        return f"<prism.Device {self.backend}: {self.name}>"

    def _selector(self):
        """A name that selects this device."""
        return f"{self.backend}:name={self.name}" if self.backend != "host" else "host"

    def __reduce__(self):
        return Device, (self._selector(),)


def forget_descriptions():
    """Descriptions are read again: measurements may have been made."""
    _descriptions.clear()


def devices():
    """All devices of this process."""
    if not _all:
        count = c_size_t()
        _c.call(library.prism_devices, None, 0, byref(count))
        found = (c_void_p * count.value)()
        _c.call(library.prism_devices, found, count.value, byref(count))
        _all[:] = [Device._of(_c.Handle(each)) for each in found]
    return list(_all)


def backends():
    """[(name, available, version or the reason why it is missing)] of all backends."""
    lines = _c.text(library.prism_backends).splitlines()
    return [(name, state == "available", detail) for name, state, detail in (line.split("\t", 2) for line in lines)]


def explain(what):
    """Of an array: the launches that computing its expression would make, with reasons. Of a policy, as in "priority=energy
    require=fp64": the table of all devices with the reasons of its decision."""
    if isinstance(what, _c.core.Base):
        return what.explain()
    return _c.text(library.prism_explain_policy, given.text(what, "what is to be explained, an array or a policy,"))


@contextlib.contextmanager
def scope(chosen):
    """Within it, the device is this thread's default device."""
    _c.call(library.prism_scope_begin, chosen._handle.value)
    try:
        yield chosen
    finally:
        _c.call(library.prism_scope_end)


def policy(text):
    """A context manager: within it, the device that the policy selects is this thread's default device."""
    return scope(Device._of(_c.handle(library.prism_device_by_policy, given.text(text, "a policy"))))
