import os
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar, overload

from . import Device

P = ParamSpec("P")
R = TypeVar("R")

class Variant:
    name: str
    target: str | None
    fallback: bool

class KernelFamily:
    name: str
    variants: list[Variant]
    def choose(self, device: Device | None = None) -> tuple[Variant, list[str]]: ...
    def explain(self, device: Device | None = None) -> str: ...

class KernelFunction:
    family: KernelFamily
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    def explain(self, device: Device | None = None) -> str: ...

@overload
def kernel(body: Callable[..., Any]) -> KernelFunction: ...
@overload
def kernel(body: None = None, *, target: str | None = None, language: str = "python", source: str | os.PathLike[str] | None = None,
           requires: Mapping[str, bool | int | float | str] | None = None, fallback: bool = False, operation: str | None = None,
           items: Callable[..., int | tuple[int, ...]] | None = None, local: int | tuple[int, ...] | None = None,
           entry: str | None = None, parameters: str | None = None, dimensions: int | None = None) -> Callable[[Callable[..., Any]], KernelFunction]: ...
