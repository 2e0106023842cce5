"""What the backends of PRISM (host, OpenCL, Vulkan and those that were added) are, need and allow."""
from . import _c
from . import _given as given
from . import _c_selection  # noqa: F401 - the types of the functions
from ._c import library
from ._device import backends, devices


def backend_name(name):
    """PRISM's name of a backend: "cpu" is the host."""
    return "host" if name == "cpu" else name


def get_available_backends():
    """The names of the backends that can be used, by priority."""
    return [name for name, available, _ in backends() if available]


def is_backend_available(backend):
    """Whether the backend can be used. False for one that there is not.

    >>> is_backend_available("tpu")
    False
    """
    return backend_name(backend) in get_available_backends()


def _text(backend, what):
    return _c.text(library.prism_backend_text, given.text(backend_name(backend), "a backend"), what)


def get_backend_info(backend):
    """A dictionary: type, name, display_name, version, priority, available, reason (why not), requires_gpu, required_libs, optional_libs,
    architectures (none: any). NotFoundError lists the backends."""
    return {"name": backend_name(backend), "type": _text(backend, b"type"), "display_name": _text(backend, b"display_name"), "version": _text(backend, b"version"),
            "priority": int(_text(backend, b"priority")), "available": _text(backend, b"available") == "1", "reason": _text(backend, b"reason"),
            "requires_gpu": _text(backend, b"needs_gpu") == "1", "required_libs": _text(backend, b"required_libraries").splitlines(),
            "optional_libs": _text(backend, b"optional_libraries").splitlines(), "architectures": _text(backend, b"architectures").splitlines()}


def _devices_of(backend):
    _text(backend, b"type") # refuses a name that there is not
    found = [each for each in devices() if each.backend == backend_name(backend)]
    if not found:
        raise _c.NotFoundError(f"the backend \"{backend}\" has no device here; available are {', '.join(get_available_backends())}")
    return found


def supports_data_type(backend, data_type):
    """Whether a device of the backend computes in "fp64", "fp16", "int8", ..."""
    return any(each.capabilities().supports_data_type(data_type) for each in _devices_of(backend))


def get_max_memory(backend):
    """Bytes: the memory of the largest device of the backend."""
    return max(each.capabilities().memory_bytes for each in _devices_of(backend))


def get_max_shared_memory(backend):
    """Bytes: the local memory of a work-group, on the device of the backend that has most."""
    return int(max(each.description.get("limits", {}).get("local_memory", 0) for each in _devices_of(backend)))


def set_device_priority(backend, priority):
    """A number; the devices of backends with higher numbers are preferred."""
    _c.call(library.prism_backend_set_priority, given.text(backend_name(backend), "a backend"),
            given.whole(priority, "a priority", -2 ** 31, 2 ** 31 - 1))
