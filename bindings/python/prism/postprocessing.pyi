import os
from collections.abc import Iterable

from ._pipeline import PipelineReport
from .genomics import Variant

def generate_report(variants: Iterable[Variant], file: str | os.PathLike[str] | None = None, *, stages: PipelineReport | None = None) -> str: ...
