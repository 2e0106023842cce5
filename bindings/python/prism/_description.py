"""Descriptions of devices: what a device has, whether it is in this machine or only in a file (docs/describing-devices.md)."""
import json
import pathlib
from ctypes import byref, c_int32

from . import _c
from . import _given as given
from . import _c_selection as _  # noqa: F401 - the types of the functions
from ._c import library


def _version(given):
    if isinstance(given, bool) or not isinstance(given, (int, float, str, tuple)):
        raise TypeError(f"a version is a number, a text such as \"1.2\" or a tuple, not {given!r}")
    return ".".join(str(each) for each in given) if isinstance(given, tuple) else str(given)


def meets(description, requirement):
    """Whether the described device meets an entry of a policy's require: "tensor_cores>=2", "memory>=4GiB", "nvidia.h100"."""
    out = c_int32()
    _c.call(library.prism_description_meets, json.dumps(description).encode(), given.text(requirement, "a requirement"), byref(out))
    return bool(out.value)


class Capabilities:
    """What a device has. `description` is the whole as a dictionary."""

    def __init__(self, description):
        self.description = description

    def has_feature(self, name, min_version=1):
        """Whether the device has the feature, "tensor_cores" or "fp64", in this version or a later one."""
        return meets(self.description, f"{name}>={_version(min_version)}")

    def meets(self, requirement):
        """Whether the device meets a requirement: "tensor_cores>=2", "memory>=4GiB", "gpu", "nvidia.h100"."""
        return meets(self.description, requirement)

    def supports_data_type(self, name):
        """Whether the device computes in "fp64", "fp16", "int8", ..."""
        given.text(name, "a data type")
        return self.description.get("peak_gflops", {}).get(name, 0) > 0

    @property
    def data_types(self):
        """The names of the element types in which the device computes: ["fp32", "fp64", ...], sorted."""
        return sorted(name for name, rate in self.description.get("peak_gflops", {}).items() if rate > 0)

    @property
    def features(self):
        """{name: version}"""
        return {each["name"]: str(each["version"]) for each in self.description.get("features", [])}

    @property
    def memory_bytes(self):
        """The size of the largest level of memory."""
        return max((each["size_bytes"] for each in self.description.get("memory_hierarchy", [])), default=0)

    def __repr__(self):
        return f"<prism.Capabilities of {self.description.get('name')}: {', '.join(f'{n} {v}' for n, v in self.features.items())}>"


def parse(text):
    """The dictionaries of a text in YAML or JSON."""
    read = json.loads(_c.text(library.prism_descriptions_read, text.encode()))
    return read["devices"] if "devices" in read else [read]


def load(file):
    """The dictionaries of a file in YAML or JSON."""
    path = pathlib.Path(given.path(file, "initialize: a file of descriptions"))
    try:
        text = path.read_text()
    except OSError as why:
        raise _c.NotFoundError(f"initialize: the descriptions of {path} cannot be read: {why.strerror}") from None
    try:
        return parse(text)
    except _c.Error as why:
        raise _c.InvalidError(f"{path}: {why}") from None


def to_text(descriptions):
    """The descriptions for a function of prism.h."""
    return json.dumps({"schema": 1, "devices": list(descriptions)}).encode()
