from collections.abc import Sequence
from typing import Any, Protocol, Union

from . import Device, DType

class SupportsArray(Protocol):
    """An array of PRISM, of NumPy or of another library."""
    def __array__(self) -> Any: ...

class SupportsName(Protocol):
    """A type of elements of another library."""
    @property
    def name(self) -> str: ...

Operand = Union[SupportsArray, complex]
Axes = Union[int, tuple[int, ...], None]
Shape = Union[int, Sequence[int]]
DTypeLike = Union[DType, str, type, SupportsName]
DeviceLike = Union[Device, str]
