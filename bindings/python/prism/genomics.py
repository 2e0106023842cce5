"""Genomics: reads and genomes from files, and their local alignment on every device.

    reads = prism.genomics.load_sequences("samples.fastq")
    genome = prism.genomics.load_reference("genome.fa")
    found = prism.genomics.align(reads, genome, algorithm="smith-waterman")

Files are FASTA or FASTQ, plain or compressed by gzip. From reads to variants in VCF it is samples/genomics, in C++."""
import ctypes
import gzip
import os
import pathlib
from ctypes import Structure, c_char_p, c_int32, c_size_t, c_uint64, c_void_p
from typing import NamedTuple

from . import _c
from ._c import library
from ._kernel import Variant
from ._memory import queue_of
from ._selection import get_device
from ._tuner import register_algorithm

LONGEST_READ = 256 # bases; prism/align.hpp


class _Alignment(Structure):
    _fields_ = [("score", c_int32), ("unused", c_int32), ("first", c_uint64), ("count", c_uint64)]


library.prism_align.argtypes = [c_void_p, ctypes.POINTER(c_char_p), c_size_t, c_char_p, c_int32, ctypes.POINTER(_Alignment), _c._E]


class Sequence(NamedTuple):
    """A read or a genome: its name and its bases as a text of A, C, G, T and N."""
    name: str
    bases: str


class Alignment(NamedTuple):
    """The best local alignment of a read: its score (match 2, mismatch -2, a gap of n 3 + n - 1), whether the other strand fits better, and
    the bases of the genome that it lies in: genome[begin:end]."""
    read: Sequence
    score: int
    reverse: bool
    begin: int
    end: int


def _lines(file):
    path = pathlib.Path(file)
    try:
        data = path.read_bytes()
    except OSError as why:
        raise _c.NotFoundError(f"{path} cannot be read: {why.strerror}") from None
    try:
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("ascii").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as why:
        raise _c.InvalidError(f"{path} is no text of FASTA or FASTQ: {why}") from None


def parse_fastq(text, name="(text)"):
    """The reads of a text of FASTQ, or of its lines. InvalidError names the line that is wrong."""
    lines = text.splitlines() if isinstance(text, str) else list(text)
    while lines and not lines[-1].strip():
        lines.pop()
    out = []
    for at in range(0, len(lines), 4):
        record = [each.strip() for each in lines[at:at + 4]]
        if not record[0].startswith("@"):
            raise _c.InvalidError(f"{name}, line {at + 1}: a read begins with \"@\" and its name, not {record[0][:20]!r}")
        if len(record) < 4 or not record[2].startswith("+"):
            raise _c.InvalidError(f"{name}, line {at + 3}: after the bases of {record[0][:40]} there must be \"+\" and the qualities")
        if len(record[3]) != len(record[1]):
            raise _c.InvalidError(f"{name}, line {at + 4}: {len(record[1])} bases, but {len(record[3])} qualities")
        out.append(Sequence(record[0][1:].split()[0] if record[0][1:].strip() else "", record[1].upper()))
    return out


def parse_fasta(text, name="(text)"):
    """The sequences of a text of FASTA, or of its lines."""
    out = []
    for number, line in enumerate(text.splitlines() if isinstance(text, str) else text, 1):
        line = line.strip()
        if line.startswith(">"):
            out.append([line[1:].split()[0] if line[1:].strip() else "", []])
        elif line and not out:
            raise _c.InvalidError(f"{name}, line {number}: a sequence begins with \">\" and its name, not {line[:20]!r}")
        elif line:
            out[-1][1].append(line.upper())
    return [Sequence(each, "".join(parts)) for each, parts in out]


def load_sequences(file):
    """The reads of a FASTQ or FASTA file."""
    lines = _lines(file)
    return (parse_fastq if lines and lines[0].startswith("@") else parse_fasta)(lines, os.fspath(file))


def load_reference(file):
    """The first sequence of a FASTA file."""
    found = parse_fasta(_lines(file), os.fspath(file))
    if not found:
        raise _c.InvalidError(f"{file} has no sequence")
    return found[0]


_OTHER = str.maketrans("ACGT", "TGCA")


def reverse_complement(bases):
    """The bases of the other strand, in its direction."""
    return bases.translate(_OTHER)[::-1]


# The length of the pieces of the genome: short ones give more work-items, long ones repeat less.
algorithm_database = {
    "smith-waterman": {
        "variants": [
            {"name": "short pieces", "hardware_requirements": {"backend": "gpu"}, "parameters": {"pieces": 256}},
            {"name": "long pieces", "hardware_requirements": {"backend": "cpu"}, "parameters": {"pieces": 2048}},
            {"name": "basic", "hardware_requirements": {}, "parameters": {"pieces": 1024}},
        ]
    }
}


def _as_sequence(given):
    return given if isinstance(given, Sequence) else Sequence("", given.upper())


def _scores(reads, genome, pieces, device):
    texts = (c_char_p * len(reads))(*(each.encode() for each in reads))
    out = (_Alignment * len(reads))()
    _c.call(library.prism_align, queue_of(device), texts, len(reads), genome.encode(), pieces, out)
    return out


class SequenceAligner:
    """Aligns reads by an algorithm of the database, in the variant that suits the device.

    adaptation_strategy: "performance": of the variants whose requirements the device meets, the first; "basic": the one without
    requirements. config: a configuration of AutoTuner("sequence-alignment"), which decides instead."""

    def __init__(self, algorithm="smith-waterman", adaptation_strategy="performance", config=None):
        if algorithm not in algorithm_database:
            raise _c.NotFoundError(f"there is no algorithm \"{algorithm}\"; there are {', '.join(algorithm_database)}")
        if adaptation_strategy not in ("performance", "basic"):
            raise ValueError(f"SequenceAligner: adaptation_strategy is \"performance\" or \"basic\", not {adaptation_strategy!r}")
        self.algorithm, self.adaptation_strategy, self.config = algorithm, adaptation_strategy, config

    def variant(self, device=None):
        """The entry of the database for the device (default: the default device)."""
        capabilities = (device or get_device()).capabilities()
        lines = []
        for each in algorithm_database[self.algorithm]["variants"]:
            needs = dict(each["hardware_requirements"])
            if self.adaptation_strategy == "basic" and needs:
                continue
            target = ".".join(str(needs.pop(key)) for key in ("backend", "device_type") if key in needs) or None
            lacks = Variant(each["name"], None, target, needs, False).lacking(capabilities)
            if not lacks:
                return each
            lines.append(f"{each['name']}: {lacks}")
        raise _c.UnsupportedError(f"no variant of \"{self.algorithm}\" runs here:\n  " + "\n  ".join(lines))

    def align(self, sequences, reference):
        """[Alignment] of each read, of both strands the better, on the default device. sequences: of load_sequences, or texts; at most 256
        bases each. reference: of load_reference, or a text."""
        device, reads, genome = get_device(), [_as_sequence(each) for each in sequences], _as_sequence(reference)
        pieces = self.config["pieces"] if self.config is not None else self.variant(device)["parameters"]["pieces"]
        forward = [each.bases for each in reads]
        found = _scores(forward + [reverse_complement(each) for each in forward], genome.bases, pieces, device)
        out = []
        for i, read in enumerate(reads):
            there, back = found[i], found[len(reads) + i]
            best = back if back.score > there.score else there
            out.append(Alignment(read, best.score, best is back, best.first, best.first + best.count))
        return out


def align(sequences, reference, algorithm="smith-waterman"):
    """SequenceAligner(algorithm).align(sequences, reference)."""
    return SequenceAligner(algorithm).align(sequences, reference)


align_sequences = align


def _tuned(data, config):
    reads, genome = data if isinstance(data, tuple) else (data, "".join(_as_sequence(each).bases for each in data))
    return [(each.score, each.reverse) for each in SequenceAligner(config=config).align(reads, genome)]


register_algorithm("sequence-alignment", _tuned, {"pieces": [256, 1024, 2048]}, {"pieces": 1024},
                   items=lambda data: len(data[0] if isinstance(data, tuple) else data))
