from collections.abc import Callable, Sequence
from typing import Any

from . import Device
from ._pipeline import Pipeline

class Assignment:
    operation: str
    targets: tuple[str | Device, ...]
    ratios: tuple[float, ...]

class ExecutionStrategy:
    assigned: dict[str, Assignment]
    def __init__(self) -> None: ...
    def assign(self, operation: str, target: str | Device | Sequence[str | Device], distribution: str | None = None,
               split_ratio: Sequence[float] | None = None) -> ExecutionStrategy: ...

class Executor:
    strategy: ExecutionStrategy
    report: Any
    def __init__(self, strategy: ExecutionStrategy) -> None: ...
    def run(self, operation: Pipeline[Any] | Callable[..., Any], data: Any, /, *common: Any, in_flight: int = 8, **named: Any) -> Any: ...
