"""Policies: what a program wants of the device, and the decision that follows, with its reasons."""
import dataclasses
import json
import threading
from dataclasses import dataclass, field

from . import _c
from . import _given as given
from . import _description as descriptions
from ._c import library
from ._c_selection import ACCESS, WorkloadStruct, struct
from ._selection import all_devices, entered, find_device

_PRIORITIES = {"speed": "speed", "latency": "latency", "throughput": "throughput", "cost": "cost", "cost_efficiency": "cost", "energy": "energy",
               "energy_efficiency": "energy"}
_limits = ("max_latency_ms", "min_throughput", "max_cost_per_hour", "cost_constraint", "max_power", "max_temperature")
_TEXTS = ("operation", "data_type", "data_on")
_policies = threading.local()


class NoDeviceError(_c.NotFoundError):
    """No device fits a policy. The text is the table of all devices, each with the constraint that excluded it."""


def _several(value, name):
    entries = (value,) if isinstance(value, str) else given.several(value, name)
    for each in entries:
        if not isinstance(each, str) or not each.strip():
            raise TypeError(f"{name}: an entry is a text such as \"fp64\" or \"memory>=4GiB\", not {each!r}")
    return tuple(entries)


@dataclass(frozen=True)
class ExecutionPolicy:
    """What is wanted of a device.

    priority: "speed", "latency", "throughput", "cost" (or "cost_efficiency"), "energy".
    max_latency_ms: the longest time of a job. min_throughput: items a minute. max_cost_per_hour: the price of the device.
    cost_constraint: the most that one job may cost. max_power: watts. max_temperature: degrees Celsius.
    require, forbid: entries such as "fp64", "memory>=4GiB", "gpu", "nvidia.h100"; prefer: the same, in order; only_preferred: no others."""
    priority: str = "speed"
    max_latency_ms: "float | None" = None
    min_throughput: "float | None" = None
    max_cost_per_hour: "float | None" = None
    cost_constraint: "float | None" = None
    max_power: "float | None" = None
    require: "tuple[str, ...]" = ()
    prefer: "tuple[str, ...]" = ()
    forbid: "tuple[str, ...]" = ()
    only_preferred: bool = False
    max_temperature: "float | None" = None

    def __post_init__(self):
        if not isinstance(self.priority, str) or self.priority not in _PRIORITIES:
            raise ValueError(f"ExecutionPolicy: there is no priority {given.shown(self.priority)}; there are {', '.join(_PRIORITIES)}")
        for name in _limits:
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and 0 <= value < float("inf")):
                raise ValueError(f"ExecutionPolicy: {name} is a number from 0, or None, not {value!r}")
        for name in ("require", "prefer", "forbid"):
            object.__setattr__(self, name, _several(getattr(self, name), name))

    def __str__(self):
        """The text of PRISM_POLICY and of prism-info --select.

        >>> print(ExecutionPolicy(priority="cost_efficiency", max_cost_per_hour=10.0))
        priority=cost; max_cost_per_hour=10.0
        """
        parts = [f"priority={_PRIORITIES[self.priority]}"]
        for name, key, scale, unit in (("max_latency_ms", "max_latency", 1, "ms"), ("min_throughput", "min_throughput", 1 / 60, ""),
                                       ("max_cost_per_hour", "max_cost_per_hour", 1, ""), ("cost_constraint", "max_cost_per_job", 1, ""),
                                       ("max_power", "max_power", 1, ""),
                                       ("max_temperature", "max_temperature", 1, "")):
            value = getattr(self, name)
            if value is not None:
                parts.append(f"{key}={value * scale!r}{unit}")
        parts += [f"{name}={','.join(getattr(self, name))}" for name in ("require", "prefer", "forbid") if getattr(self, name)]
        return "; ".join(parts + ["only_preferred=true"] * self.only_preferred)


@dataclass(frozen=True)
class Workload:
    """One job. Counts are of the whole job; prism/policy.hpp describes them."""
    operation: str = ""
    flops: float = 0
    bytes: float = 0
    bytes_to_move: float = 0
    items: float = 1
    footprint_bytes: float = 0
    data_type: str = "fp32"
    access: str = "sequential"
    divergence: float = 0
    builds: float = 0
    data_on: str = ""

    def _struct(self):
        given.one_of(self.access, ACCESS, "Workload: access")
        values = {name: given.text(value, f"Workload: {name}") if name in _TEXTS else value if name == "access" else given.real(value, f"Workload: {name}")
                  for name, value in dataclasses.asdict(self).items()}
        return struct(WorkloadStruct, **{**values, "access": ACCESS.index(self.access)})


@dataclass(frozen=True)
class Selection:
    """The decision of a policy. `candidates` has a dictionary for each device: its predictions, or the reason against it."""
    device: object
    candidates: "list[dict]"
    _decided: tuple = field(repr=False, compare=False)

    @property
    def predicted_time(self):
        """Seconds."""
        return self.candidates[0]["time_s"]

    @property
    def predicted_cost(self):
        """Of the job, in the currency of the device's price; 0 where it has none."""
        return self.candidates[0]["cost"]

    @property
    def predicted_energy(self):
        """Joules; 0: unknown."""
        return self.candidates[0]["energy_j"]

    def explain(self):
        """A table: each device with its predicted time, cost and energy, or the constraint that excluded it."""
        return _c.text(library.prism_decide, *self._decided, b"table")


def policy_text(policy):
    if not isinstance(policy, (ExecutionPolicy, str)):
        raise TypeError(f"a policy is a prism.ExecutionPolicy or a text such as \"priority=cost; require=fp64\", not {policy!r}")
    return str(policy)


def decide(policy, workload=None, *, devices=None):
    """The device that the policy selects for the job, of `devices` (default: those of this machine and the described ones).
    workload: a Workload; None: a job of medium size. NoDeviceError has the table where none fits."""
    if workload is not None and not isinstance(workload, Workload):
        raise TypeError(f"a workload is a prism.Workload, not {workload!r}")
    among = all_devices() if devices is None else [find_device(each) for each in given.several(devices, "decide: devices")]
    if not among:
        raise ValueError("decide: there are no devices to choose from")
    text, work = policy_text(policy).encode(), None if workload is None else workload._struct()
    described = descriptions.to_text(each.description for each in among)
    candidates = json.loads(_c.text(library.prism_decide, text, work, described, b"json"))["candidates"]
    made = Selection(among[candidates[0]["index"]], candidates, (text, work, described))
    if not candidates[0]["fits"]:
        raise NoDeviceError(made.explain())
    return made


def current_policy():
    """The policy of the innermost execution_policy() of this thread, or None."""
    stack = _policies.__dict__.get("stack")
    return stack[-1] if stack else None


class execution_policy:
    """A context manager: within it, the device that the policy selects is this thread's default device, and functions of
    prism.function select by their own work. Scopes nest; a thread has its own. `as` gives the Selection."""

    def __init__(self, policy, workload=None):
        self._policy, self._workload = policy, workload

    def __enter__(self):
        made = decide(self._policy, self._workload)
        self._scope = entered(made.device)
        self._scope.__enter__()
        _policies.__dict__.setdefault("stack", []).append(self._policy)
        return made

    def __exit__(self, *what):
        _policies.stack.pop()
        return self._scope.__exit__(*what)
