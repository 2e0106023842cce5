from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import Device, Error
from ._policy import ExecutionPolicy, Workload
from ._strategy import ExecutionStrategy

R = TypeVar("R")

class PipelineError(Error):
    stage: str
    item: int

@dataclass
class StageReport:
    name: str
    devices: dict[str, int] = ...
    items: int = 0
    busy: float = 0.0
    waited: float = 0.0
    places: int = 1
    reason: str = ""

@dataclass
class PipelineReport:
    stages: list[StageReport]
    wall: float = 0.0
    @property
    def efficiency(self) -> float: ...
    def text(self) -> str: ...

class Results(list[R]):
    report: PipelineReport

class Pipeline(Generic[R]):
    report: PipelineReport | None
    def __init__(self, body: Callable[..., R]) -> None: ...
    def __call__(self, *arguments: Any, **named: Any) -> R: ...
    def run(self, items: Iterable[Any], /, *common: Any, in_flight: int = 8, strategy: ExecutionStrategy | None = None, **named: Any) -> Results[R]: ...

def stage(name: str, preferred_backend: str | Sequence[str] | None = None, *, dispatch: str | None = None, policy: ExecutionPolicy | str | None = None,
          workload: Workload | None = None, replicas: int = 1) -> AbstractContextManager[Device]: ...
def pipeline(body: Callable[..., R]) -> Pipeline[R]: ...
