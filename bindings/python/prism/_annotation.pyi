import os
from collections.abc import Iterable

from .genomics import Variant

def register_annotation(name: str, file: str | os.PathLike[str]) -> None: ...
def annotate_variants(variants: Iterable[Variant], source: str | os.PathLike[str]) -> list[Variant]: ...
