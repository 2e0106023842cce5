"""Indices of prism.Array with arrays, masks, slices, new axes, an ellipsis and integers together, against NumPy: python_index_test.py
PACKAGE_FOLDER."""
import os
import random
import struct
import sys
import unittest
import zlib

sys.path.insert(0, os.path.realpath(sys.argv.pop()))
try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed (Debian's package python3-numpy)")
    sys.exit(77)
import prism

CASES = int(os.environ.get("INDEX_CASES", 300))


def as_prism(key):
    """The key with arrays of PRISM in place of some of NumPy's."""
    turned = tuple(prism.asarray(each) if isinstance(each, numpy.ndarray) and each.ndim % 2 else each for each in key)
    return turned[0] if len(turned) == 1 else turned


def random_key(draw, shape):
    """Items for some of the dimensions; arrays of one shape, or of shapes that are repeated."""
    together = draw.choice([(), (1,), (2,), (3,), (2, 3), (0,)])
    items, d = [], 0
    while d < len(shape) and draw.random() < 0.9:
        n, kind = shape[d], draw.choice("isanmsa" if len(items) else "iseanma")
        if kind == "n" and sum(each is None for each in items) < 8: # fewer than 32 dimensions
            items.append(None)
            continue
        if kind == "e" and Ellipsis not in [each for each in items if each is Ellipsis]:
            items.append(Ellipsis)
            d += draw.randint(0, len(shape) - d)
            continue
        if kind == "m":
            rank = draw.randint(1, min(2, len(shape) - d))
            mask = numpy.zeros(shape[d:d + rank], bool)
            count = together[-1] if together else 1
            free = list(range(mask.size))
            draw.shuffle(free)
            mask.reshape(-1)[free[:count if draw.random() < 0.8 else 1]] = True
            items.append(mask)
            d += rank
            continue
        if kind == "a" and n:
            extents = together[draw.randint(0, len(together)):]
            values = numpy.array([draw.randint(-n, n - 1) for _ in range(int(numpy.prod(extents)))], draw.choice([numpy.int64, numpy.int32]))
            values = values.reshape(extents)
            items.append(values.tolist() if extents and values.size and draw.random() < 0.3 else values)
        elif kind == "i" and n:
            items.append(draw.randint(-n, n - 1))
        else:
            start, stop = (draw.choice([None, draw.randint(-n - 1, n + 1)]) for _ in range(2))
            items.append(slice(start, stop, draw.choice([None, 1, 2, -1, -2])))
        d += 1
    if draw.random() < 0.05:
        items.insert(draw.randint(0, len(items)), draw.choice([True, False]))
    if d < len(shape) and not any(each is Ellipsis for each in items) and draw.random() < 0.2:
        items.append(Ellipsis)
    return tuple(items)


class Indices(unittest.TestCase):
    def check(self, key, shape, draw):
        source = numpy.arange(int(numpy.prod(shape)), dtype=numpy.float32).reshape(shape)
        mine = prism.asarray(source)
        if draw.random() < 0.3: # an array whose elements are in another order
            source, mine = source.T, prism.permute_dims(mine, tuple(reversed(range(len(shape)))))
        try:
            expected = source[key]
        except (IndexError, DeprecationWarning): # the warning: NumPy accepts such an index of no elements
            with self.assertRaises(IndexError, msg=f"{key} of {source.shape}"):
                mine[as_prism(key)]
            return 0
        if expected.ndim > 32:
            return 0
        try:
            got = mine[as_prism(key)]
        except IndexError:
            self.assertEqual(expected.size, 0, f"{key} of {source.shape}") # where NumPy does not look at the indices
            return 0
        self.assertEqual((got.shape, got.tolist()), (expected.shape, expected.tolist()), f"{key} of {source.shape}")
        target, mine = source.copy(), mine.copy()
        values = numpy.arange(expected.size, dtype=numpy.float32).reshape(expected.shape) + 1000
        if numpy.unique(expected).size != expected.size: # places that occur twice: one value
            values = numpy.float32(7)
        elif expected.ndim and draw.random() < 0.3:
            values = values[(slice(0, 1),) * draw.randint(1, expected.ndim)]
            values = values if numpy.broadcast_shapes(values.shape, expected.shape) == expected.shape else numpy.float32(7)
        target[key] = values
        mine[as_prism(key)] = float(values) if values.ndim == 0 else prism.asarray(values) if draw.random() < 0.5 else values
        self.assertEqual(mine.tolist(), target.tolist(), f"{key} of {source.shape}, set")
        return 1

    def test_random_keys_read_and_write_the_elements_that_numpy_does(self):
        draw, good = random.Random(33), 0
        for _ in range(CASES):
            shape = tuple(draw.choice([1, 2, 3, 4, 4]) for _ in range(draw.randint(1, 4)))
            good += self.check(random_key(draw, shape), shape, draw)
        self.assertGreater(good, CASES // 2)

    def test_the_dimensions_of_index_arrays_stand_where_numpy_puts_them(self):
        draw, x = random.Random(1), (4, 5, 6)
        two, mask = numpy.array([0, 2]), numpy.array([True, False, True, False])
        for key in ((slice(None), [0, 1]), (Ellipsis, two), (None, two), (mask, 1), (two, slice(None), two), (0, slice(None), two), (slice(None), 0, two),
                    (slice(None), two, None, two), (two, None, 1), (two, Ellipsis, two, two), (slice(None), two[:, None], two), (slice(None), two, 1),
                    (mask,), (mask, slice(1, None, 2), two), (mask, Ellipsis, 0), (True, two), (slice(None), True), (False,), ([],),
                    (numpy.ones((4, 5), bool), two[:1]), (numpy.array(1), two), (numpy.int32(1), slice(None), two), (two, two), ([True, False, True, True],)):
            for _ in range(4):
                self.check(key, x, draw)

    def test_lists_of_arrays_without_elements_have_their_shape(self):
        for shape in ((0,), (2, 0), (0, 2), (2, 0, 1), (2, 3, 0)):
            self.assertEqual(prism.zeros(shape).tolist(), numpy.zeros(shape).tolist(), str(shape))

    def test_a_mask_of_the_second_dimension_selects_columns(self):
        x = prism.reshape(prism.arange(12), (3, 4))
        self.assertEqual(x[:, prism.asarray([True, False, False, True])].tolist(), [[0, 3], [4, 7], [8, 11]])
        x[:, [0, 2]] += 100
        self.assertEqual(x.tolist(), [[100, 1, 102, 3], [104, 5, 106, 7], [108, 9, 110, 11]])
        x[1, [1, 3]] = [-1, -2]
        self.assertEqual(x[1].tolist(), [104, -1, 106, -2])

    def test_indices_that_name_no_element_are_refused_with_their_dimension(self):
        x = prism.zeros((3, 4, 5))
        for key, text in (((slice(None), [0, 4]), "index 4 is out of range for dimension 1"), ((Ellipsis, [-6]), "index -6 .* dimension 2 with 5"),
                          (([0, 1], slice(None), [9, 0]), "index 9 .* dimension 2"), ((3, [0]), "out of range"), ([3], "index 3 .* dimension 0"),
                          (([0, 1], [0, 1, 2]), r"\(2,\), \(3,\) cannot be broadcast"), ((0, 0, 0, [0]), "4 indices for an array of 3"),
                          ((slice(None), [True, False]), r"mask of the shape \(2,\)"), ((Ellipsis, [0], Ellipsis), "one ellipsis"),
                          ((slice(None), [0.5]), "integers or bool"), ((numpy.ones((2, 4), bool),), "a mask of the shape")):
            with self.assertRaisesRegex(IndexError, text, msg=str(key)):
                x[key]
            with self.assertRaisesRegex(IndexError, text, msg=str(key)):
                x[key] = 1.0
        with self.assertRaises(ValueError):
            x[:, [0, 1]] = prism.ones(3)

    def test_bounds_beyond_64_bits_end_where_the_array_does(self):
        x, its = prism.arange(5), numpy.arange(5)
        for key in (slice(-10**30, 10**30), slice(2**63, None), slice(None, None, 10**30), slice(None, -2**70)):
            self.assertEqual(x[key].tolist(), its[key].tolist(), key)
        class Large:
            def __index__(self):
                return 2**70
        for key in (10**30, -2**64, (Ellipsis, 2**63), Large()):
            with self.assertRaises(IndexError):
                x[key]

    def test_in_looks_at_all_elements(self):
        x = prism.asarray([[1, 2], [3, 4]])
        self.assertIn(3, x)
        self.assertNotIn(5, x)
        self.assertNotIn("a word", x)
        self.assertNotIn(1, prism.zeros((0, 2)))

    def test_views_of_fresh_arrays_share_their_elements_as_those_of_numpy(self):
        views = {"reshape": lambda xp, x: xp.reshape(x, (4,)), "its reshape": lambda xp, x: x.reshape(-1), "ravel": lambda xp, x: xp.ravel(x),
                 "squeeze": lambda xp, x: xp.squeeze(xp.expand_dims(x, 0)), "flip": lambda xp, x: xp.flip(x), "transpose": lambda xp, x: x.T,
                 "broadcast_to": lambda xp, x: xp.broadcast_to(x, (3, 2, 2)), "broadcast_arrays": lambda xp, x: xp.broadcast_arrays(x, xp.ones((3, 1, 1)))[0]}
        for make in ("zeros", "ones", "full"):
            given = ((2, 2), 7.0) if make == "full" else ((2, 2),)
            for name, view in views.items():
                (x, its), seen = ((getattr(xp, make)(*given) for xp in (prism, numpy))), []
                for xp, base in ((prism, x), (numpy, its)):
                    part = view(xp, base)
                    base[1, 0] = 5
                    if "broadcast" not in name: # NumPy's are read-only
                        part[..., 0] = 3
                    seen.append((part.tolist(), base.tolist()))
                self.assertEqual(*seen, f"{name} of {make}")
        z = prism.zeros((2, 2))
        prism.reshape(z, (4,), copy=False)[1] = 9
        self.assertEqual(z.tolist(), [[0, 9], [0, 0]])


class Pictures(unittest.TestCase):
    def test_a_picture_has_a_pixel_for_each_number(self):
        png = prism.picture(prism.asarray([[0.0, 1.0, 2.0], [4.0, 3.0, float("nan")]]), colours="grey").png
        self.assertEqual((png[:8], struct.unpack(">II", png[16:24])), (b"\x89PNG\r\n\x1a\n", (3, 2)))
        begin = png.index(b"IDAT")
        lines = zlib.decompress(png[begin + 4:begin + 4 + struct.unpack(">I", png[begin - 4:begin])[0]])
        self.assertEqual(lines, bytes([0, 0, 64, 128, 0, 255, 191, 0]))
        palette = png.index(b"PLTE") + 4
        self.assertEqual(png[palette + 3 * 64:palette + 3 * 65], bytes([64, 64, 64]))
        with self.assertRaisesRegex(ValueError, "2 dimensions"):
            prism.picture(prism.ones(3))


if __name__ == "__main__":
    unittest.main(warnings="error")
