import os
from collections.abc import Iterable
from dataclasses import dataclass

from . import Device

Hardware = str | Device | tuple[str | Device, int]

@dataclass(frozen=True)
class Prediction:
    hardware: str
    count: int
    time: float
    lower: float
    upper: float
    cost: float
    energy: float
    throughput: float
    @property
    def error(self) -> float: ...

class PerformanceModel:
    def __init__(self) -> None: ...
    def register_pattern(self, name: str, compute_intensity: float, parallelism_degree: str = "high", memory_access_pattern: str = "structured",
                         branch_divergence: str | float = "low", *, data_type: str = "fp32") -> None: ...
    def observe(self, workload: str, device: str | Device, data_size: float, seconds: float) -> None: ...
    def predict_performance(self, workload: str, data_size: float, available_hardware: Iterable[Hardware]) -> list[Prediction]: ...
    def predict_together(self, workload: str, data_size: float, available_hardware: Iterable[Hardware]) -> Prediction: ...
    def save(self, file: str | os.PathLike[str]) -> None: ...
    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> PerformanceModel: ...
