"""prism.function: a Python function over arrays as one unit that runs on one device."""
import functools
import threading

from . import _c
from . import _given as given
from ._array import Array
from ._functions import matmul
from ._memory import Memory
from ._policy import Workload, current_policy, decide
from ._selection import entered, get_device

_depth = threading.local()


def mapped(value, change):
    """The value with `change` of each array in it; lists, tuples and dictionaries are looked into."""
    if isinstance(value, (Array, Memory)):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(each, change) for each in value))
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(each, change) for each in value)
    if isinstance(value, dict):
        return {key: mapped(each, change) for key, each in value.items()}
    return value


def arrays_in(value):
    found = []
    mapped(value, lambda each: found.append(each) or each)
    return found


def moved(value, device):
    """The value with its arrays on the device."""
    there = getattr(device, "executes_on", device)
    return mapped(value, lambda each: each if each.device == there else each.to_device(there))


def evaluate(value):
    """Runs what the arrays in the value have recorded."""
    for each in arrays_in(value):
        if isinstance(each, Array) and each.size:
            _c.call(_c.library.prism_array_data, each._value, _c.byref(_c.c_void_p()), None)


class Function:
    """What prism.function makes. Call it as the function."""

    def __init__(self, body, work=None):
        functools.update_wrapper(self, body)
        self._body, self._work = body, work

    def device_for(self, *arguments, **named):
        """The device of a call: that of the policy in force for this work, else the default device of this thread."""
        policy = current_policy()
        if policy is None:
            return get_device()
        return decide(policy, self.workload(*arguments, **named)).device

    def workload(self, *arguments, **named):
        """The work of a call: what `work` says, else one operation for each element and the bytes of the arrays."""
        if self._work is not None:
            return self._work(*arguments, **named)
        arrays = arrays_in([arguments, named])
        size, moves = sum(each.size for each in arrays), sum(each.nbytes for each in arrays)
        return Workload(self.__name__, flops=size, bytes=2 * moves, bytes_to_move=moves, items=max((each.size for each in arrays), default=1))

    def _recorded(self, device, arguments, named):
        """What the body returns on the device: its expressions have not run."""
        _depth.now = 1
        try:
            with entered(device):
                return self._body(*moved(arguments, device), **moved(named, device))
        finally:
            _depth.now = 0

    def __call__(self, *arguments, **named):
        if getattr(_depth, "now", 0): # within another function: its expressions join those of the caller
            return self._body(*arguments, **named)
        out = self._recorded(self.device_for(*arguments, **named), arguments, named)
        evaluate(out)
        return out

    def explain(self, *arguments, **named):
        """The device of this call and the launches of each result, without running them."""
        device = self.device_for(*arguments, **named)
        out = self._recorded(device, arguments, named)
        return "\n".join([repr(device), *(each.explain() for each in arrays_in(out) if isinstance(each, Array))])

    def __repr__(self):
        return f"<prism.function {self.__name__}>"


def function(body=None, *, work=None):
    """A decorator: a call runs on one device, with its arrays moved there and its results complete.

    Array expressions inside are recorded, and run in as few launches as their fusion allows; a function of another one joins it.
    Under execution_policy() the policy chooses the device for the work of each call. work: a function of the same arguments that
    returns a Workload, for functions that compute more than an operation for each element."""
    if body is not None and not callable(body):
        raise TypeError(f"prism.function decorates a function, not {given.shown(body)}")
    return functools.partial(function, work=work) if body is None else Function(body, work)


def standard_matmul(a, b):
    """The product of matrices, on every device."""
    return matmul(a, b)


def tensor_matmul(a, b):
    """The product of matrices, for devices with tensor cores. UnsupportedError for others."""
    device = get_device()
    if not device.capabilities().has_feature("tensor_cores"):
        raise _c.UnsupportedError(f"tensor_matmul: {device.name} has no tensor_cores; use standard_matmul, or enter a device that has them by "
                                  "prism.device()")
    return matmul(a, b)
