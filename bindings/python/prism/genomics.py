"""Genomics: reads and genomes from files, their local alignment on every device, and variants.

    reads = prism.genomics.load_sequences("samples.fastq")
    genome = prism.genomics.load_reference("genome.fa")
    found = prism.genomics.align(reads, genome, algorithm="smith-waterman")
    variants = prism.genomics.annotate_variants(prism.genomics.call_variants(found), "clinvar.vcf")
    print(prism.postprocessing.generate_report(variants))

Files are FASTA, FASTQ or VCF, plain or compressed by gzip. Everything is in memory at once: the program 09_genomics (samples/genomics) streams
files of any size, and writes SAM and VCF."""
import ctypes
import gzip
import os
import pathlib
from ctypes import Structure, c_char_p, c_int32, c_size_t, c_uint64, c_void_p
from typing import NamedTuple

from . import _c
from . import _given as given
from ._annotation import annotate_variants, register_annotation
from ._c import library
from ._kernel import Variant as _KernelVariant
from ._memory import queue_of as _queue_of
from ._selection import find_device, get_device
from ._tuner import register_algorithm

LONGEST_READ = 256 # bases; prism/align.hpp
MATCH = 2 # the score of a base


class _Alignment(Structure):
    _fields_ = [("score", c_int32), ("unused", c_int32), ("first", c_uint64), ("count", c_uint64)]


library.prism_call_variants.argtypes = [c_void_p, ctypes.POINTER(c_char_p), c_size_t, c_char_p, ctypes.POINTER(_Alignment),
                                        ctypes.POINTER(c_void_p), _c._E]
library.prism_variants_text.argtypes = [c_void_p, c_char_p, c_size_t, ctypes.POINTER(c_size_t), _c._E]
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


class Alignments(list):
    """The alignments of reads. reference: the genome, a Sequence."""

    def __init__(self, all, reference):
        super().__init__(all)
        self.reference = reference


class Variant(NamedTuple):
    """A change of one ("0/1") or both ("1/1") copies of the genome, as in VCF: position from 1; before, after: its bases. depth: reads over the
    position; support: those with the change. quality, genotype_quality: phred. The other fields come from annotate_variants."""
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


def _lines(file):
    if isinstance(file, str) and "://" in file:
        raise _c.NotFoundError(f"{file} is an address, and prism.genomics reads files of this machine: copy it here, and give its path")
    path = pathlib.Path(given.path(file, "a file of sequences"))
    try:
        data = path.read_bytes()
    except OSError as why:
        raise _c.NotFoundError(f"{path} cannot be read: {why.strerror}") from None
    try:
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("ascii").splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as why:
        raise _c.InvalidError(f"{path} is no text of FASTA or FASTQ: {why}") from None


def _is_file(text):
    """Whether it is a path, and not a text: texts of FASTQ and FASTA begin with "@" or ">" or have several lines, bases are letters."""
    return isinstance(text, os.PathLike) or (isinstance(text, str) and "\n" not in text and text.strip()[:1] not in ("", "@", ">")
                                             and not text.isalpha())


def _text_lines(text, what):
    lines = text.splitlines() if isinstance(text, str) else given.several(text, f"{what}: a text, or its lines,")
    for each in lines:
        given.text(each, f"{what}: a line")
    return lines


def parse_fastq(text, name="(text)"):
    """The reads of a text of FASTQ, of its lines, or of a file by its path. InvalidError names the line that is wrong.

    >>> parse_fastq("@r1\\nACGT\\n+\\nIIII\\n")
    [Sequence(name='r1', bases='ACGT')]
    """
    if _is_file(text):
        return parse_fastq(_lines(text), os.fspath(text))
    lines = _text_lines(text, "parse_fastq")
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
    """The sequences of a text of FASTA, of its lines, or of a file by its path."""
    if _is_file(text):
        return parse_fasta(_lines(text), os.fspath(text))
    out = []
    for number, line in enumerate(_text_lines(text, "parse_fasta"), 1):
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
    """The bases of the other strand, in its direction.

    >>> reverse_complement("AACGTN")
    'NACGTT'
    """
    given.text(bases, "reverse_complement: bases")
    return bases.translate(_OTHER)[::-1]


# The length of the pieces of the genome: short ones give more work-items, long ones repeat less. An entry may have a "performance_model":
# {"seconds": of a call, "seconds_per_cell": of one base of a read against one of the genome}, such as AutoTuner's trials give.
algorithm_database = {
    "smith-waterman": {
        "variants": [
            {"name": "short pieces", "hardware_requirements": {"backend": "gpu"}, "parameters": {"pieces": 256}},
            {"name": "long pieces", "hardware_requirements": {"backend": "cpu"}, "parameters": {"pieces": 2048}},
            {"name": "basic", "hardware_requirements": {}, "parameters": {"pieces": 1024}},
        ]
    }
}


def _as_sequence(value):
    if not isinstance(value, (Sequence, str)):
        raise TypeError(f"a read or a genome is a prism.genomics.Sequence or a text of bases, not {given.shown(value)}")
    return value if isinstance(value, Sequence) else Sequence("", value.upper())


def _predicted(entry, cells):
    """Seconds of an entry with a performance model, else None."""
    model = entry.get("performance_model")
    if model is None:
        return None
    unknown = sorted(set(model) - {"seconds", "seconds_per_cell"})
    if unknown:
        raise _c.InvalidError(f"algorithm_database: the performance model of {entry['name']!r} has {unknown[0]!r}; it may have "
                              "\"seconds\" and \"seconds_per_cell\"")
    return model.get("seconds", 0) + model.get("seconds_per_cell", 0) * cells


def _scores(reads, genome, pieces, device):
    texts = (c_char_p * len(reads))(*(each.encode() for each in reads))
    out = (_Alignment * len(reads))()
    _c.call(library.prism_align, _queue_of(device), texts, len(reads), genome.encode(), pieces, out)
    return out


class SequenceAligner:
    """Aligns reads by an algorithm of the database, in the variant that suits the device.

    adaptation_strategy: "performance": of the variants whose requirements the device meets, the one whose performance model predicts the
    shortest time, where any has a model, else the first; "basic": the one without requirements. config: a configuration of
    AutoTuner("sequence-alignment"), which decides instead."""

    def __init__(self, algorithm="smith-waterman", adaptation_strategy="performance", config=None):
        if not isinstance(algorithm, str) or algorithm not in algorithm_database:
            raise _c.NotFoundError(f"there is no algorithm \"{algorithm}\"; there are {', '.join(algorithm_database)}")
        if adaptation_strategy not in ("performance", "basic"):
            raise ValueError(f"SequenceAligner: adaptation_strategy is \"performance\" or \"basic\", not {adaptation_strategy!r}")
        self.algorithm, self.adaptation_strategy, self.config = algorithm, adaptation_strategy, config

    def variant(self, device=None, cells=None):
        """The entry of the database for the device (default: the default device). cells: bases of the reads times those of the genome;
        performance models need them."""
        capabilities = (get_device() if device is None else find_device(device)).capabilities()
        able, lines = [], []
        for each in algorithm_database[self.algorithm]["variants"]:
            needs = dict(each["hardware_requirements"])
            if self.adaptation_strategy == "basic" and needs:
                continue
            target = ".".join(str(needs.pop(key)) for key in ("backend", "device_type") if key in needs) or None
            lacks = _KernelVariant(each["name"], None, target, needs, False).lacking(capabilities)
            if lacks:
                lines.append(f"{each['name']}: {lacks}")
            else:
                able.append(each)
        if not able:
            raise _c.UnsupportedError(f"no variant of \"{self.algorithm}\" runs here:\n  " + "\n  ".join(lines))
        times = [] if cells is None else [_predicted(each, cells) for each in able]
        known = [time for time in times if time is not None]
        return able[times.index(min(known))] if known else able[0]

    def align(self, sequences, reference):
        """Alignments, of both strands of each read the better, on the default device. sequences: of load_sequences, or texts; at most 256
        bases each. reference: of load_reference, the path of its file, or a text of bases."""
        genome = load_reference(reference) if _is_file(reference) else _as_sequence(reference)
        device, reads = get_device(), [_as_sequence(each) for each in given.several(sequences, "align: sequences")]
        cells = 2 * sum(len(each.bases) for each in reads) * len(genome.bases)
        pieces = self.variant(device, cells)["parameters"]["pieces"] if self.config is None else self.config.get("pieces")
        if not isinstance(pieces, int):
            raise _c.InvalidError(f"SequenceAligner: a configuration has \"pieces\", a number of bases, not {self.config!r}; "
                                  "AutoTuner(\"sequence-alignment\").tune finds one")
        forward = [each.bases for each in reads]
        found = _scores(forward + [reverse_complement(each) for each in forward], genome.bases, pieces, device)
        out = []
        for i, read in enumerate(reads):
            there, back = found[i], found[len(reads) + i]
            best = back if back.score > there.score else there
            out.append(Alignment(read, best.score, best is back, best.first, best.first + best.count))
        return Alignments(out, genome)


def align(sequences, reference, algorithm="smith-waterman"):
    """SequenceAligner(algorithm).align(sequences, reference).

    >>> [each.score for each in align(["ACGT"], "TTACGTT")]
    [8]
    """
    return SequenceAligner(algorithm).align(sequences, reference)


align_sequences = align


def call_variants(alignments, least_score=0.5):
    """[Variant]: what the aligned reads change in the genome, which has two copies. A change needs four reads and a quality of 20.

    alignments: of align(). least_score: alignments with a smaller part of the best possible score do not count."""
    if not isinstance(alignments, Alignments):
        raise TypeError(f"call_variants takes what align() returned, not {type(alignments).__name__}")
    texts, found = (c_char_p * len(alignments))(), (_Alignment * len(alignments))()
    for i, each in enumerate(alignments):
        texts[i] = (reverse_complement(each.read.bases) if each.reverse else each.read.bases).encode()
        score = each.score if each.score >= least_score * MATCH * len(each.read.bases) else 0
        found[i] = _Alignment(score, 0, each.begin, each.end - each.begin)
    called = _c.handle(library.prism_call_variants, _queue_of(get_device()), texts, len(alignments), alignments.reference.bases.encode(), found)
    out = []
    for line in _c.text(library.prism_variants_text, called.value).splitlines():
        position, before, after, depth, support, quality, copies, genotype_quality = line.split("\t")
        out.append(Variant(alignments.reference.name, int(position), before, after, int(depth), int(support), float(quality),
                           "1/1" if copies == "2" else "0/1", int(genotype_quality)))
    return out


def _tuned(data, config):
    reads, genome = data if isinstance(data, tuple) else (data, "".join(_as_sequence(each).bases for each in data))
    return [(each.score, each.reverse) for each in SequenceAligner(config=config).align(reads, genome)]


register_algorithm("sequence-alignment", _tuned, {"pieces": [256, 1024, 2048]}, {"pieces": 1024},
                   items=lambda data: len(data[0] if isinstance(data, tuple) else data))
