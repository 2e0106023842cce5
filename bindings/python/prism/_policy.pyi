from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from . import Device, NotFoundError

class NoDeviceError(NotFoundError): ...

@dataclass(frozen=True)
class ExecutionPolicy:
    priority: str = "speed"
    max_latency_ms: float | None = None
    min_throughput: float | None = None
    max_cost_per_hour: float | None = None
    cost_constraint: float | None = None
    max_power: float | None = None
    require: Sequence[str] = ()
    prefer: Sequence[str] = ()
    forbid: Sequence[str] = ()
    only_preferred: bool = False
    max_temperature: float | None = None

@dataclass(frozen=True)
class Workload:
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

@dataclass(frozen=True)
class Selection:
    device: Device
    candidates: list[dict[str, Any]]
    @property
    def predicted_time(self) -> float: ...
    @property
    def predicted_cost(self) -> float: ...
    @property
    def predicted_energy(self) -> float: ...
    def explain(self) -> str: ...

def decide(policy: ExecutionPolicy | str, workload: Workload | None = None, *, devices: Iterable[Device] | None = None) -> Selection: ...
def current_policy() -> ExecutionPolicy | str | None: ...

class execution_policy:
    def __init__(self, policy: ExecutionPolicy | str, workload: Workload | None = None) -> None: ...
    def __enter__(self) -> Selection: ...
    def __exit__(self, kind: type[BaseException] | None, what: BaseException | None, where: TracebackType | None) -> None: ...
