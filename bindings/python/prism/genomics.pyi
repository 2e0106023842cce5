import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from . import Device

from ._annotation import annotate_variants as annotate_variants, register_annotation as register_annotation

LONGEST_READ: int
MATCH: int
algorithm_database: dict[str, dict[str, list[dict[str, Any]]]]

class Sequence(NamedTuple):
    name: str
    bases: str

class Alignment(NamedTuple):
    read: Sequence
    score: int
    reverse: bool
    begin: int
    end: int

class Alignments(list[Alignment]):
    reference: Sequence
    def __init__(self, all: Iterable[Alignment], reference: Sequence) -> None: ...

class Variant(NamedTuple):
    chromosome: str
    position: int
    before: str
    after: str
    depth: int
    support: int
    quality: float
    genotype: str
    genotype_quality: int
    id: str = ""
    significance: str = ""
    gene: str = ""
    disease: str = ""

class SequenceAligner:
    algorithm: str
    adaptation_strategy: str
    config: Mapping[str, Any] | None
    def __init__(self, algorithm: str = "smith-waterman", adaptation_strategy: str = "performance", config: Mapping[str, Any] | None = None) -> None: ...
    def variant(self, device: Device | None = None, cells: float | None = None) -> dict[str, Any]: ...
    def align(self, sequences: Iterable[Sequence | str], reference: Sequence | str | os.PathLike[str]) -> Alignments: ...

def parse_fastq(text: str | os.PathLike[str] | Iterable[str], name: str = "(text)") -> list[Sequence]: ...
def parse_fasta(text: str | os.PathLike[str] | Iterable[str], name: str = "(text)") -> list[Sequence]: ...
def load_sequences(file: str | os.PathLike[str]) -> list[Sequence]: ...
def load_reference(file: str | os.PathLike[str]) -> Sequence: ...
def reverse_complement(bases: str) -> str: ...
def align(sequences: Iterable[Sequence | str], reference: Sequence | str | os.PathLike[str], algorithm: str = "smith-waterman") -> Alignments: ...
def align_sequences(sequences: Iterable[Sequence | str], reference: Sequence | str | os.PathLike[str], algorithm: str = "smith-waterman") -> Alignments: ...
def call_variants(alignments: Alignments, least_score: float = 0.5) -> list[Variant]: ...
