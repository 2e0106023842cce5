"""prism.picture: an array of two dimensions as a PNG image, for files and notebooks."""
import math
import struct
import zlib

from . import _given as given

# Colours at equal distances from the smallest number to the largest.
_MAPS = {"grey": ((0, 0, 0), (255, 255, 255)),
         "viridis": ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)),
         "diverging": ((59, 76, 192), (221, 221, 221), (180, 4, 38))}


def _table(name):
    stops = _MAPS[given.one_of(name, _MAPS, "picture: colours")]
    out = []
    for i in range(256):
        k = min(int(i / 255 * (len(stops) - 1)), len(stops) - 2)
        part = i / 255 * (len(stops) - 1) - k
        out.append(bytes(round(a + (b - a) * part) for a, b in zip(stops[k], stops[k + 1])))
    return b"".join(out)


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


class Picture:
    """A PNG image, which notebooks show."""

    def __init__(self, png):
        self.png = png

    def _repr_png_(self):
        return self.png


def picture(x, /, file=None, *, colours="viridis", low=None, high=None):
    """The picture of an array of two dimensions, a pixel for each number, the first row on top. Notebooks show it; it is written to `file`
    where one is given. colours: "viridis", "grey" or "diverging", from `low` to `high`, by default the smallest and the largest finite
    number; NaN is shown as `low`. ValueError for other dimensions. Waits."""
    from ._functions import asarray
    rows = asarray(x)
    if rows.ndim != 2 or not rows.size or rows.dtype.kind == "c":
        raise ValueError(f"picture: an array of real numbers of 2 dimensions, not of the shape {rows.shape} and type {rows.dtype}")
    rows = rows.tolist()
    finite = [float(each) for row in rows for each in row if math.isfinite(each)] or [0.0]
    least = float(min(finite) if low is None else given.real(low, "picture: low"))
    most = float(max(finite) if high is None else given.real(high, "picture: high"))
    scale = 255 / (most - least) if most > least else 0.0
    lines = b"".join(b"\0" + bytes(0 if each != each else round(min(max((min(max(each, least), most) - least) * scale, 0), 255)) for each in row)
                     for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    out = Picture(b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"PLTE", _table(colours)) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b""))
    if file is not None:
        with open(file, "wb") as to:
            to.write(out.png)
    return out
