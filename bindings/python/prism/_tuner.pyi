import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import Device

@dataclass(frozen=True)
class Algorithm:
    name: str
    run: Callable[[Any, dict[str, Any]], Any]
    parameters: dict[str, list[Any]]
    default: dict[str, Any]
    items: Callable[[Any], float]

def register_algorithm(name: str, run: Callable[[Any, dict[str, Any]], Any], parameters: Mapping[str, Sequence[Any]], default: Mapping[str, Any] | None = None,
                       items: Callable[[Any], float] = ...) -> Algorithm: ...

class Configuration(dict[str, Any]):
    algorithm: str
    device: str
    ended: str
    gain: float
    trials: list[tuple[str, float, str, str]]

class AutoTuner:
    algorithm: Algorithm
    def __init__(self, algorithm: str | Algorithm, optimization_target: str = "throughput", *, search: str = "model", max_trials: int = 100,
                 max_seconds: float = 60.0, repetitions: int = 3, database: str | os.PathLike[str] | None = None, version: str = "") -> None: ...
    def tune(self, sample_data: Any, target_device: str | Device | None = None, *, same: Callable[[Any, Any], bool] | None = None) -> Configuration: ...
