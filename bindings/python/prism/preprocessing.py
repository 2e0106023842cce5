"""Texts of files as sequences; the functions are those of prism.genomics."""
from .genomics import parse_fasta, parse_fastq

__all__ = ["parse_fasta", "parse_fastq"]
