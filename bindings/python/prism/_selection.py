"""Which device: by name, type, vendor path and version, over the devices of this machine and those that files describe.

A described device stands for hardware that is not here. Its kernels run on the device that its description names (executes_on),
and decisions, predictions and prices follow the description."""
import contextlib
import json
import os
import threading

from . import _c, _device
from . import _description as descriptions
from . import _given as given
from ._c import library
from ._device import Device, devices

_lock = threading.Lock()
_described = []
_entered = threading.local()


class DescribedDevice(Device):
    """A device that a file describes. What runs on it runs on `executes_on`, and gives the same results."""
    __slots__ = ("_description", "executes_on")

    def __init__(self, description):
        if not isinstance(description, dict):
            raise TypeError(f"DescribedDevice: a description is a dictionary (docs/describing-devices.md), not {given.shown(description)}")
        self._description = dict(description)
        self.executes_on = Device(description.get("executes_on", "host"))
        self._handle = self.executes_on._handle

    @property
    def name(self):
        """The name in the description."""
        return self._description["name"]

    @property
    def type(self):
        """"cpu", "gpu", "accelerator" or "custom", as the description says."""
        return self._description["device_type"]

    @property
    def driver(self):
        """The driver that the description names; empty for none."""
        return self._description.get("driver", "")

    @property
    def description(self):
        """The description as a dictionary; a copy."""
        return dict(self._description)

    def has(self, feature):
        """Whether the described device has the feature: "fp64", "subgroups"."""
        return self.capabilities().has_feature(feature)

    def limit(self, name):
        """A limit of the described device. NotFoundError where the description has none of that name."""
        known = {**self._description.get("limits", {}), "memory": self.capabilities().memory_bytes,
                 "compute_units": self._description["compute_units"]}
        if name not in known:
            raise _c.NotFoundError(f"the description of {self.name} has no limit \"{name}\"; it has {', '.join(sorted(known))}")
        return float(known[name])

    def __repr__(self):
        return f"<prism.DescribedDevice {self.name}, runs on {self.executes_on.backend}: {self.executes_on.name}>"

    def _selector(self):
        return self.executes_on._selector()

    def __reduce__(self):
        return DescribedDevice, (self._description,)


def described_devices():
    """The devices of the files that initialize() read."""
    with _lock:
        return list(_described)


def all_devices():
    """The devices of this machine, then the described ones."""
    return devices() + described_devices()


def initialize(devices=None, *, policy=None):
    """Finds the devices of this machine, reads the described ones, and returns the default device.

    devices: a file of descriptions in YAML or JSON, or a list of files; they replace those of an earlier call.
    policy: an ExecutionPolicy or its text, which sets the default device of the process; without one PRISM decides.
    It need not be called: everything works without it."""
    files = [] if devices is None else [devices] if isinstance(devices, (str, os.PathLike)) else given.several(devices, "initialize: devices")
    read = [DescribedDevice(each) for file in files for each in descriptions.load(file)]
    with _lock:
        _described[:] = read
    _device.forget_descriptions()
    chosen = None
    if policy is not None:
        from ._policy import decide
        chosen = decide(policy).device
    _c.call(library.prism_default_set, None if chosen is None else chosen._handle.value)
    return chosen or Device()


def _refuse(wanted):
    here = [f"{each.backend}: {each.name}" for each in devices()]
    lines = [f"there is no device {wanted}", f"  devices of this machine: {', '.join(here)}"]
    lines += [f"  the backend {name} is not available: {why}" for name, available, why in _device.backends() if not available]
    names = [each._description.get("vendor_path") or each.name for each in described_devices()]
    lines.append(f"  described devices: {', '.join(names)}" if names else
                 "  described devices: none; read some by prism.initialize(devices=\"fleet.yaml\")")
    raise _c.NotFoundError("\n".join(lines))


def find_device(path, version=None):
    """The device of a name, type or vendor path ("host", "opencl:cpu", "gpu", "nvidia.h100"; a path's first words suffice), of this
    generation where `version` is given. Devices of this machine come first; of several described ones, the fastest.
    NotFoundError lists what there is."""
    if isinstance(path, Device):
        if version is not None:
            raise TypeError("a version selects among devices of a path, not a prism.Device")
        return path
    if not isinstance(path, str):
        raise TypeError(f"a device is a prism.Device or a text such as \"opencl:cpu\" or \"nvidia.h100\", not {path!r}")
    if version is None:
        try:
            return Device(path)
        except _c.NotFoundError:
            wanted = path
    else:
        wanted = f"{path}=={descriptions._version(version)}"
        for each in devices():
            if descriptions.meets(each.description, wanted):
                return each
    fitting = [each for each in described_devices() if descriptions.meets(each._description, wanted)]
    if not fitting:
        _refuse(f'"{path}"' + (f" of version {version}" if version is not None else ""))
    if len(fitting) == 1:
        return fitting[0]
    made = json.loads(_c.text(library.prism_decide, b"priority=speed", None, descriptions.to_text(each._description for each in fitting), b"json"))
    return fitting[made["candidates"][0]["index"]]


def place(device):
    """The device whose memory holds what is made "on" a device: of a described one, where it runs."""
    found = find_device(device)
    return getattr(found, "executes_on", found)


@contextlib.contextmanager
def entered(chosen):
    """scope(), which get_device() sees too."""
    stack = _entered.__dict__.setdefault("stack", [])
    with _device.scope(chosen):
        stack.append(chosen)
        try:
            yield chosen
        finally:
            stack.pop()


def device(name=None, *, type=None, version=None):
    """A context manager: within it, this is the thread's default device.

    name or type: "opencl:cpu", "gpu", a Device, or a vendor path: device(type="nvidia.h100"), device("aws.graviton", version=3)."""
    if (name is None) == (type is None):
        raise TypeError("device() takes a name or a type: device(\"opencl:cpu\"), device(type=\"nvidia.h100\")")
    return entered(find_device(type if name is None else name, version))


def get_device():
    """The default device of this thread: that of the innermost scope, else the process's."""
    stack = _entered.__dict__.get("stack")
    return stack[-1] if stack else Device()
