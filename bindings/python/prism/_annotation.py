"""What a file in the format of ClinVar's VCF knows of variants: significance, gene and disease."""
import gzip
import os
import zlib

from . import _c
from . import _given as given

_files = {}


def register_annotation(name, file):
    """Gives a file of known variants a name for annotate_variants, such as "clinvar". PRISM downloads nothing."""
    given.text(name, "register_annotation: name")
    _files[name] = given.path(file, "register_annotation: file")


def _file_of(source):
    file = _files.get(given.path(source, "annotate_variants: source"), source)
    if not os.path.exists(file):
        raise _c.NotFoundError(f"there is no annotation {os.fspath(source)!r}: it is the path of a VCF file in ClinVar's format, or a name that "
                               f"register_annotation gave one; names are {', '.join(sorted(_files)) or 'none'}")
    return file


def _records(file):
    """(contig, position, id, before, after, {key: value}) of each alternative."""
    with open(file, "rb") as raw:
        compressed = raw.read(2) == b"\x1f\x8b"
    try:
        with (gzip.open if compressed else open)(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if number == 1 and not line.startswith("##fileformat=VCF"):
                    raise _c.InvalidError(f"{file} is no VCF file: it begins with {line[:20]!r}")
                if line.startswith("#") or not line.strip():
                    continue
                fields = line.rstrip("\r\n").split("\t")
                if len(fields) < 8 or not fields[1].isdigit():
                    raise _c.InvalidError(f"{file}, line {number}: this is no VCF record")
                info = dict(part.partition("=")[::2] for part in fields[7].split(";"))
                for after in fields[4].split(","):
                    yield fields[0], int(fields[1]), fields[2], fields[3], after, info
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as why:
        raise _c.InvalidError(f"{file} cannot be read as VCF: {why}") from None


def _shortest(position, before, after):
    """The same change with the fewest bases."""
    while len(before) > 1 and len(after) > 1 and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    while len(before) > 1 and len(after) > 1 and before[0] == after[0]:
        position, before, after = position + 1, before[1:], after[1:]
    return position, before, after


def _words(info, key):
    """"_" stands for a blank, "|" separates values, and characters may have %-codes."""
    from urllib.parse import unquote
    return unquote(info.get(key, "")).replace("_", " ").replace("|", ", ")


def annotate_variants(variants, source):
    """The variants with id, significance, gene and disease of those that the source lists.

    variants: of call_variants. source: a VCF file with the keys CLNSIG, GENEINFO and CLNDN, as ClinVar's, or a name of register_annotation.
    "chr1" and "1" are the same chromosome."""
    out = given.several(variants, "annotate_variants: variants")
    if not all(hasattr(each, "chromosome") for each in out):
        raise TypeError(f"annotate_variants takes the variants of call_variants, not {given.shown(variants)}")
    places = {(each.chromosome.removeprefix("chr"), *_shortest(*each[1:4])): i for i, each in enumerate(out)}
    for contig, position, id, before, after, info in _records(_file_of(source)):
        at = places.get((contig.removeprefix("chr"), *_shortest(position, before, after)))
        if at is not None:
            genes = ", ".join(each.partition(":")[0] for each in info.get("GENEINFO", "").split("|"))
            out[at] = out[at]._replace(id="" if id == "." else id, significance=_words(info, "CLNSIG"), gene=genes, disease=_words(info, "CLNDN"))
    return out
