"""Functions with NumPy's names against NumPy, with random shapes and values, on the device of PRISM_DEVICE_SELECTOR:
python_numpy_names_test.py PACKAGE_FOLDER."""
import pathlib
import random
import sys
import unittest
import warnings

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

try:
    import numpy
except ImportError:
    print("skipped: needs NumPy")
    sys.exit(77)
if not prism.Device().has("fp64"):
    print("skipped: the functions of whole numbers give float64, which the device lacks")
    sys.exit(77)
ROUNDS = 20


class Numbers:
    """Random arrays of NumPy."""

    def __init__(self, seed):
        self.choose, self.random = random.Random(seed), numpy.random.default_rng(seed)

    def shape(self, least=1, most=3, extent=5):
        return tuple(self.choose.randint(1, extent) for _ in range(self.choose.randint(least, most)))

    def floats(self, shape=None, nan=0.0, kind="f8"):
        out = numpy.round(self.random.standard_normal(self.shape() if shape is None else shape) * 4, 2).astype(kind)
        return numpy.where(self.random.random(out.shape) < nan, numpy.asarray(numpy.nan, kind), out)

    def whole(self, shape=None, low=-5, high=6, kind="i8"):
        return self.random.integers(low, high, self.shape() if shape is None else shape).astype(kind)

    def any(self, shape=None):
        shape = self.shape() if shape is None else shape
        kind = self.choose.choice(("f8", "f4", "i8", "i4", "c16", "?"))
        if kind == "?":
            return self.random.random(shape) < 0.5
        if kind == "c16":
            return self.floats(shape) + 1j * self.floats(shape)
        return self.whole(shape, kind=kind) if kind[0] == "i" else self.floats(shape, kind=kind)

    def axis(self, array, none=True):
        return self.choose.choice([*range(-array.ndim, array.ndim), *([None] if none else [])])


class Names(unittest.TestCase):
    def same(self, call, *arrays, exact=False, types=True):
        """The result of call(module, *arrays) in both."""
        try:
            wanted = call(numpy, *arrays)
        except Exception as why: # then PRISM's is an error too
            with self.assertRaises(Exception, msg=f"{why!r} of {arrays}"):
                self.flat(call(prism, *map(prism.asarray, arrays)))
            return
        found = call(prism, *(prism.asarray(each) if isinstance(each, numpy.ndarray) else each for each in arrays))
        ours, theirs = self.flat(found), self.flat(wanted)
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs):
            self.assertEqual(a.shape, b.shape, f"of {arrays}")
            if types:
                self.assertEqual(a.dtype.kind, b.dtype.kind, f"{a.dtype} and {b.dtype} of {arrays}")
            loose = 1e-5 if "float32" in (str(a.dtype), str(b.dtype)) or any(getattr(each, "dtype", None) == numpy.float32 for each in arrays) else 1e-11
            numpy.testing.assert_allclose(a, b, rtol=0 if exact else loose, atol=0 if exact else loose * 10, err_msg=f"of {arrays}")

    def flat(self, value):
        if isinstance(value, (tuple, list)):
            return [part for each in value for part in self.flat(each)]
        return [numpy.asarray(value)]

    def rounds(self):
        return (Numbers(seed) for seed in range(ROUNDS))

    def test_segments_first_elements_and_partitions_are_those_of_numpy(self):
        choose = random.Random(5)
        for kind in ("f4", "i8", "u1", "?"):
            for n in (1, 6, 3000):
                values = numpy.asarray([choose.randint(0, {"?": 1, "f4": 2}.get(kind, 9)) for _ in range(n)]).astype(kind)
                x, offsets = prism.asarray(values), sorted({0, n, *(choose.randint(0, n) for _ in range(n // 2))})
                for name, function in (("sum", numpy.sum), ("prod", numpy.prod), ("min", numpy.min), ("max", numpy.max)):
                    wanted = [function(values[a:b]) for a, b in zip(offsets, offsets[1:])]
                    found = prism.segmented_reduce(x, prism.asarray(offsets), operation=name)
                    self.assertEqual(found.tolist(), numpy.asarray(wanted).tolist(), (kind, n, name))
                    scanned = prism.segmented_scan(x, prism.asarray(offsets), operation=name)
                    self.assertEqual(prism.take(scanned, prism.asarray(offsets[1:]) - 1).tolist(), found.tolist(), (kind, n, name))
                before = prism.segmented_scan(x, prism.asarray(offsets), exclusive=True)
                self.assertEqual((before + x).tolist(), prism.segmented_scan(x, prism.asarray(offsets)).tolist())
                for largest in (True, False):
                    k = choose.randint(0, n)
                    order = numpy.argsort(-values.astype("f8") if largest else values, kind="stable")[:k]
                    found = prism.topk(x, k, largest=largest)
                    self.assertEqual((found.values.tolist(), found.indices.tolist()), (values[order].tolist(), order.tolist()))
                elements, count = prism.partition_where(x, x.astype("bool"))
                self.assertEqual((elements.tolist(), count), (numpy.concatenate([values[values != 0], values[values == 0]]).tolist(), numpy.count_nonzero(values)))
        with self.assertRaisesRegex(ValueError, "ascend from 0 to 3"):
            prism.segmented_reduce(prism.ones(3), prism.asarray([0, 2]))
        with self.assertRaisesRegex(ValueError, "operation is one of sum, prod"):
            prism.segmented_scan(prism.ones(3), prism.asarray([0, 3]), operation="mean")

    def test_elements_are_repeated_by_a_count_of_each(self):
        for n in self.rounds():
            a = n.any()
            axis = n.axis(a)
            counts = n.random.integers(0, 4, a.size if axis is None else a.shape[axis])
            self.same(lambda m, x, c: m.repeat(x, c, axis=axis), a, counts, exact=True)
            self.same(lambda m, x: m.repeat(x, [2], axis=axis), a, exact=True)
            self.same(lambda m, x, c: m.repeat(x, c[:-1], axis=axis), a, numpy.concatenate([counts, [1]]), exact=True)
        for wrong, text in (([1, -1, 2], "negative"), ([1, 2], "2 counts for 3 elements"), ([0.5, 1, 2], "whole number")):
            with self.assertRaisesRegex((TypeError, ValueError), text):
                prism.repeat(prism.arange(3), wrong)

    def test_elements_are_inserted_and_deleted(self):
        for n in self.rounds():
            a = n.any()
            axis = n.axis(a)
            extent = a.size if axis is None else a.shape[axis]
            places = [n.choose.randint(-extent, extent - 1), [n.choose.randint(-extent, extent - 1) for _ in range(3)], slice(1, None, 2), slice(None, None, -2), []]
            for at in places:
                self.same(lambda m, x: m.delete(x, at, axis=axis), a, exact=True)
            mask = n.random.random(extent) < 0.5
            self.same(lambda m, x, k: m.delete(x, k, axis=axis), a, mask, exact=True)
            for at in (*places[:3], extent, [0, extent]):
                self.same(lambda m, x: m.insert(x, at, True, axis=axis), a, exact=True)
            rest = () if axis is None else tuple(each for i, each in enumerate(a.shape) if i != axis % a.ndim)
            several = n.whole((2, *rest) if axis in (None, 0) else (*rest[:axis % a.ndim], 2, *rest[axis % a.ndim:])).astype(a.dtype)
            self.same(lambda m, x, v: m.insert(x, [0, extent], v, axis=axis), a, several, exact=True)
            self.same(lambda m, x, v: m.insert(x, 0, v, axis=axis), a, n.whole((2, *rest)).astype(a.dtype), exact=True)
        with self.assertRaisesRegex(IndexError, "beyond the 3 elements"):
            prism.delete(prism.arange(3), 3)
        with self.assertRaisesRegex(IndexError, "beyond the 3 elements"):
            prism.insert(prism.arange(3), 4, 0)

    def test_numbers_are_rounded_to_digits(self):
        for n in self.rounds():
            for a in (n.floats() * 100, n.whole(high=30000), n.floats(kind="f4"), n.floats((3,)) + 1j * n.floats((3,)), n.whole(low=0, high=200, kind="u1")):
                for digits in (-2, -1, 0, 1, 3):
                    self.same(lambda m, x: m.round(x, digits), a, exact=a.dtype.kind in "iu")
                    self.same(lambda m, x: x.round(digits), a)
            self.same(lambda m, x: m.around(x, decimals=2), n.floats())

    def test_differences_have_ends_of_their_own(self):
        for n in self.rounds():
            a = n.choose.choice((n.floats(), n.whole(), n.floats(kind="f4")))
            axis = n.axis(a, none=False)
            for order in (0, 1, 2, 9):
                self.same(lambda m, x: m.diff(x, order, axis=axis, prepend=0), a)
                self.same(lambda m, x: m.diff(x, n=order, axis=axis), a)
                self.same(lambda m, x, y: m.diff(x, order, axis=axis, prepend=y, append=1), a, a)

    def test_numbers_are_scaled_by_powers_of_two(self):
        for n in self.rounds():
            self.same(lambda m, x, e: m.ldexp(x, e), n.floats((4,)), n.whole((4,), low=-1100, high=1100), exact=True)
            self.same(lambda m, x: m.ldexp(x, 3), n.floats(kind="f4"), exact=True)
        self.same(lambda m, x: m.ldexp(x, 2000), numpy.asarray([5e-324, -1e-300]), exact=True)

    def test_statistics_of_nothing_are_no_numbers(self):
        self.assertTrue(numpy.isnan(prism.percentile(prism.zeros(0), 50).item()))
        self.assertEqual(prism.quantile(prism.zeros((0, 3), dtype=prism.int32), [0.1, 0.5], axis=0).shape, (2, 3))
        self.same(lambda m, x: m.cov(x), numpy.zeros((2, 0)))

    def test_complex_numbers_are_found_among_others(self):
        for n in self.rounds():
            a, b = (n.whole((7,), -2, 3) + 1j * n.whole((7,), -2, 3) for _ in range(2))
            b[0] = numpy.nan
            self.same(lambda m, x, y: m.isin(x, y), a.reshape(7, 1), b, exact=True)
            self.same(lambda m, x, y: m.isin(x, y, invert=True), a, b[:0], exact=True)

    def test_medians_and_quantiles(self):
        for n in self.rounds():
            for a in (n.floats(), n.floats(nan=0.1), n.whole(), n.floats(kind="f4")):
                axis = n.choose.choice([n.axis(a), tuple(range(a.ndim))[:2]])
                keep = n.choose.random() < 0.5
                for name in ("median", "nanmedian"):
                    self.same(lambda m, x: getattr(m, name)(x, axis=axis, keepdims=keep), a)
                method = n.choose.choice(("linear", "lower", "higher", "midpoint", "nearest"))
                for name, q in (("quantile", [0, 0.3, 0.5, 1]), ("percentile", 37.5), ("nanquantile", 0.7), ("nanpercentile", [10, 20, 99, 100])):
                    self.same(lambda m, x: getattr(m, name)(x, q, axis=axis, keepdims=keep, method=method), a)
                self.same(lambda m, x: m.quantile(x, numpy.array([[0.1, 0.2], [0.9, 1]]), axis=axis), a)

    def test_functions_that_leave_out_nan(self):
        for n in self.rounds():
            for a in (n.floats(nan=0.3), n.floats(nan=1.0), n.whole(), n.floats(nan=0.2, kind="f4")):
                axis, keep = n.axis(a), n.choose.random() < 0.5
                for name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd"):
                    self.same(lambda m, x: getattr(m, name)(x, axis=axis, keepdims=keep), a)
                self.same(lambda m, x: m.nanvar(x, axis=axis, ddof=1), a)
                for name in ("nanargmax", "nanargmin", "nancumsum", "nancumprod"):
                    self.same(lambda m, x: getattr(m, name)(x, axis=axis), a)
            a = numpy.where(n.random.random((3, 4)) < 0.3, n.choose.choice((numpy.inf, -numpy.inf, numpy.nan)), n.floats((3, 4)))
            self.same(lambda m, x: m.nan_to_num(x), a)
            self.same(lambda m, x: m.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-3.0), a)

    def test_averages_and_covariances(self):
        for n in self.rounds():
            a = n.choose.choice((n.floats(), n.whole()))
            axis = n.axis(a)
            self.same(lambda m, x: m.average(x, axis=axis), a)
            self.same(lambda m, x, w: m.average(x, axis=axis, weights=w, returned=True), a, numpy.abs(n.floats(a.shape)) + 0.5)
            axis = n.axis(a, none=False)
            self.same(lambda m, x, w: m.average(x, axis=axis, weights=w), a, numpy.abs(n.floats((a.shape[axis],))) + 0.5)
            self.same(lambda m, x: m.ptp(x, axis=axis), a)
            matrix, other = n.floats((3, 6)), n.floats((2, 6)) + (1j if n.choose.random() < 0.3 else 0)
            rows, weights, counts = n.choose.random() < 0.5, numpy.abs(n.floats((6,))) + 0.1, n.whole((6,), 1, 4)
            self.same(lambda m, x: m.cov(x, rowvar=rows), matrix)
            self.same(lambda m, x, y: m.cov(x, y, bias=True), matrix, other)
            self.same(lambda m, x, f, w: m.cov(x, fweights=f, aweights=w, ddof=n.choose.choice((None,))), matrix, counts, weights)
            self.same(lambda m, x, f: m.cov(x, fweights=f), matrix, counts)
            self.same(lambda m, x: m.corrcoef(x, rowvar=rows), matrix)
            self.same(lambda m, x: m.cov(x), matrix[0])

    def test_counts_and_histograms(self):
        for n in self.rounds():
            numbers = n.whole((20,), 0, 9, kind=n.choose.choice(("i8", "u1", "i4")))
            self.same(lambda m, x: m.bincount(x, minlength=n.choose.choice((5,))), numbers, exact=True)
            self.same(lambda m, x, w: m.bincount(x, weights=w), numbers, n.floats((20,)))
            self.same(lambda m, x: m.bincount(x), n.whole((20,), -1, 9))
            a = n.choose.choice((n.floats(), n.whole(), n.floats((200,))))
            bins = n.choose.choice((1, 4, 10))
            self.same(lambda m, x: m.histogram(x, bins), a)
            self.same(lambda m, x: m.histogram(x, bins, range=(-2, 3), density=True), a)
            self.same(lambda m, x, w: m.histogram(x, bins, weights=w), a, n.floats(a.shape))
            edges = numpy.sort(n.floats((5,)))
            self.same(lambda m, x, e: m.histogram(x, e), a, edges)
            self.same(lambda m, x: m.histogram_bin_edges(x, bins), a)
            for each in (edges, edges[::-1].copy(), numpy.sort(n.whole((5,)))):
                for right in (False, True):
                    self.same(lambda m, x, e: m.digitize(x, e, right=right), a, each, exact=True)

    def test_joining_and_dividing(self):
        for n in self.rounds():
            shape = n.shape(1, 3, 4)
            a, b = n.floats(shape), n.floats(shape)
            for name in ("vstack", "hstack", "dstack", "column_stack", "row_stack", "concatenate"):
                self.same(lambda m, x, y: getattr(m, name)([x, y]), a, b, exact=True)
            axis = n.axis(a)
            self.same(lambda m, x, y: m.append(x, y, axis=axis), a, b, exact=True)
            self.same(lambda m, x, y: m.concatenate((x, y), axis), a, n.whole(shape), exact=True)
            axis, count = n.axis(a, none=False), n.choose.randint(1, 4)
            self.same(lambda m, x: m.array_split(x, count, axis), a, exact=True)
            self.same(lambda m, x: m.split(x, count, axis), a, exact=True)
            self.same(lambda m, x: m.split(x, [1, 2], axis), a, exact=True)
            for name in ("vsplit", "hsplit", "dsplit"):
                self.same(lambda m, x: getattr(m, name)(x, 1), a, exact=True)
            for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
                self.same(lambda m, x: getattr(m, name)(x), n.floats(n.shape(0, 3)), exact=True)

    def test_turning_and_padding(self):
        for n in self.rounds():
            a = n.any(n.shape(2, 4, 4))
            i, j, k = n.axis(a, none=False), n.axis(a, none=False), n.choose.randint(-5, 5)
            self.same(lambda m, x: m.moveaxis(x, i, j), a, exact=True)
            self.same(lambda m, x: m.moveaxis(x, (0, 1), (1, 0)), a, exact=True)
            self.same(lambda m, x: m.swapaxes(x, i, j), a, exact=True)
            self.same(lambda m, x: m.rot90(x, k), a, exact=True)
            for name in ("flipud", "fliplr", "ravel", "transpose", "trace"):
                self.same(lambda m, x: getattr(m, name)(x), a)
            self.same(lambda m, x: m.diagonal(x, k, 1, 0), a, exact=True)
            self.same(lambda m, x: m.trace(x, k, 1, 0), a)
            width = n.choose.choice((2, (1, 3), [(n.choose.randint(0, 7), n.choose.randint(0, 7)) for _ in a.shape]))
            for mode in ("edge", "reflect", "symmetric"):
                self.same(lambda m, x: m.pad(x, width, mode), a, exact=True)
            narrow = [(n.choose.randint(0, extent), n.choose.randint(0, extent)) for extent in a.shape] # NumPy 1.24 repeats wrongly beyond the extent
            self.same(lambda m, x: m.pad(x, narrow, "wrap"), a, exact=True)
            self.same(lambda m, x: m.pad(x, width), a, exact=True)
            self.same(lambda m, x: m.pad(x, width, constant_values=(1, 2)), n.floats(a.shape), exact=True)

    def test_places_and_choices(self):
        for n in self.rounds():
            a = n.whole(low=-1, high=2)
            for name in ("argwhere", "flatnonzero"):
                self.same(lambda m, x: getattr(m, name)(x), a, exact=True)
            shape = n.shape(1, 4)
            places = n.whole((3, 2), 0, numpy.prod(shape))
            self.same(lambda m, x: m.unravel_index(x, shape), places, exact=True)
            self.same(lambda m, *x: m.ravel_multi_index(x, shape), *numpy.unravel_index(places, shape), exact=True)
            self.same(lambda m, x: m.unravel_index(x, (1, 1)), n.whole((5,), 0, 3), exact=True)
            axis = n.axis(a, none=False)
            order = numpy.argsort(a, axis=axis, kind="stable")
            self.same(lambda m, x, i: m.take_along_axis(x, i, axis), a, order, exact=True)
            def write(m, x, i):
                x = m.asarray(x, copy=True) if m is prism else x.copy()
                m.put_along_axis(x, i, 9, axis)
                return x
            self.same(write, a, order[(slice(None),) * axis + (slice(0, 1),)] if axis >= 0 else order, exact=True)
            self.same(lambda m, x: m.indices(shape) if m is prism else m.indices(shape), a, exact=True)
            self.same(lambda m, x, y: m.ix_(x, y), n.whole((3,)), n.whole((2,)) > 0, exact=True)
            count, k = n.choose.randint(0, 5), n.choose.randint(-6, 6)
            self.same(lambda m, x: (m.tri(count, 3, k), m.tril_indices(count, k), m.triu_indices(count, k, 4), m.identity(count)), a, exact=True)
            self.same(lambda m, x: (m.diag(x, k), m.diag(m.diag(x, k), k)), n.floats((4,)), exact=True)
            self.same(lambda m, x: m.diag(x, k), n.floats((3, 5)), exact=True)
            self.same(lambda m, x: m.diagflat(x, k), n.any((2, 3)), exact=True)
            self.same(lambda m, c, x: m.compress(c, x, axis=0), n.whole((a.shape[0],)) > 0, a, exact=True)
            self.same(lambda m, c, x: m.extract(c, x), n.whole(a.shape) > 0, a, exact=True)
            self.same(lambda m, c, d, x, y: m.select([c, d], [x, y], 7), n.whole(a.shape) > 0, n.whole(a.shape) > 1, a, n.floats(a.shape), exact=True)
            self.same(lambda m, x, y: m.lexsort((x, y)), n.whole((12,), 0, 3), n.whole((12,), 0, 3), exact=True)

    def test_sets(self):
        for n in self.rounds():
            a, b = n.choose.choice(((n.whole(), n.whole()), (n.floats(nan=0.2), n.floats()), (n.whole(kind="i4"), n.floats())))
            self.same(lambda m, x: m.unique(x, return_index=True, return_inverse=True, return_counts=True), a, exact=True)
            self.same(lambda m, x, y: m.isin(x, y), a, b, exact=True)
            self.same(lambda m, x, y: m.isin(x, y, invert=True), a, b[:0], exact=True)
            for name in ("in1d", "union1d"):
                self.same(lambda m, x, y: getattr(m, name)(x, y), a, b, exact=True)
            for name in ("intersect1d", "setdiff1d", "setxor1d"):
                self.same(lambda m, x, y: getattr(m, name)(x, y), n.whole(), n.whole(), exact=True)
            self.same(lambda m, x, y: (m.array_equal(x, y), m.array_equal(x, x), m.array_equiv(x, y), m.array_equal(x, x, equal_nan=True)), a, b, exact=True)

    def test_products_and_sums_along(self):
        for n in self.rounds():
            a, b = n.any(n.shape(1, 3, 4)), n.any(n.shape(1, 3, 4))
            self.same(lambda m, x, y: m.kron(x, y), a, b)
            self.same(lambda m, x, y: m.inner(x, y), n.floats((2, 3)), n.floats((4, 3)))
            self.same(lambda m, x, y: m.vdot(x, y), n.floats((2, 3)) + 1j, n.floats((3, 2)) * 1j)
            axis = n.axis(a)
            self.same(lambda m, x: m.cumprod(x, axis=axis), n.choose.choice((n.floats(a.shape), n.whole(a.shape), n.whole(a.shape, kind="i4"))))
            v, w = n.any((n.choose.randint(1, 9),)), n.any((n.choose.randint(1, 9),))
            for mode in ("full", "same", "valid"):
                self.same(lambda m, x, y: m.convolve(x, y, mode), v, w)
                self.same(lambda m, x, y: m.correlate(x, y, mode), v if v.dtype != bool else v.astype("i8"), w if w.dtype != bool else w.astype("i8"))
            self.same(lambda m, p, x: m.polyval(p, x), n.floats((4,)), n.floats())
            self.same(lambda m, x: m.vander(x, 3, increasing=True), n.floats((4,)))
            self.same(lambda m, x: m.vander(x), n.whole((4,)))

    def test_sampled_functions(self):
        for n in self.rounds():
            points = numpy.sort(n.floats((6,)))
            self.same(lambda m, x, p, f: m.interp(x, p, f), n.floats(nan=0.1), points, n.floats((6,)))
            self.same(lambda m, x, p, f: m.interp(x, p, f, left=-1.5, right=2.5), numpy.concatenate([points, n.floats((3,))]), numpy.unique(points), n.floats((numpy.unique(points).size,)))
            self.same(lambda m, x, p, f: m.interp(x, p, f, period=3.0), n.floats(), numpy.array([0.1, 2.5, 1.3]), n.floats((3,)))
            self.same(lambda m, x, p, f: m.interp(x, p, f), n.floats(), points[:1], n.floats((1,)))
            y = n.floats(n.shape(1, 3, 6))
            axis = n.axis(y, none=False)
            self.same(lambda m, x: m.trapz(x, dx=0.5, axis=axis), y)
            self.same(lambda m, x, p: m.trapz(x, p, axis=axis), y, numpy.sort(n.floats((y.shape[axis],))))
            wide, places = n.floats((4, 5)), numpy.cumsum(numpy.abs(n.floats((5,))) + 0.1)
            for order in (1, 2):
                self.same(lambda m, x: m.gradient(x, edge_order=order), wide)
                self.same(lambda m, x: m.gradient(x, 0.5, axis=0, edge_order=order), wide)
                self.same(lambda m, x, p: m.gradient(x, p, axis=1, edge_order=order), wide, places)
            self.same(lambda m, x: m.ediff1d(x), wide)

    def test_functions_of_elements(self):
        for n in self.rounds():
            a, b = n.floats((4, 5)), n.floats((5,))
            for name in ("exp2", "cbrt", "fabs", "deg2rad", "rad2deg", "radians", "degrees", "sinc", "isposinf", "isneginf", "isreal", "iscomplex", "absolute", "arctan", "rint",
                         "fix", "modf", "angle", "amax", "amin", "iscomplexobj", "isrealobj", "ndim", "shape", "size", "copy"):
                self.same(lambda m, x: getattr(m, name)(x), a)
            special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.5, -2.5])
            for name in ("sinc", "cbrt", "modf", "isposinf", "isneginf", "fabs"):
                self.same(lambda m, x: getattr(m, name)(x), special)
            for name in ("fmod", "fmax", "fmin", "heaviside", "divmod", "arctan2", "mod", "true_divide"):
                self.same(lambda m, x, y: getattr(m, name)(x, y), n.floats((4, 5), nan=0.1), b + 0.37)
                self.same(lambda m, x: getattr(m, name)(x, 2.0), a)
            self.same(lambda m, x, y: m.float_power(x, y), numpy.abs(a), b)
            self.same(lambda m, x, y: (m.fmod(x, y), *m.divmod(x, y)), n.whole((6,)), n.whole((6,), 1, 5))
            self.same(lambda m, x: (m.angle(x, deg=True), m.isreal(x), m.conjugate(x), m.iscomplexobj(x)), a + 1j * (b > 0))
            self.same(lambda m, x: (m.invert(x), m.left_shift(x, 2), m.right_shift(x, 1), m.power(x, 2)), n.whole((6,)))
            self.same(lambda m, x: (m.logspace(0, 2, 5), m.geomspace(1, 1000, 4), m.geomspace(-1, -8, 3, endpoint=False)), a)

    def test_methods_of_arrays(self):
        for n in self.rounds():
            a = n.any(n.shape(2, 3, 4))
            order, axis = n.choose.sample(range(a.ndim), a.ndim), n.axis(a, none=False)
            self.same(lambda m, x: (x.transpose(), x.transpose(order), x.transpose(*order), x.swapaxes(0, axis), x.diagonal(), x.trace(1), x.conj()), a)
            self.same(lambda m, x: (x.repeat(2, axis), x.repeat(3), x.take([1, 0], 1), x.take([0]), x.nonzero(), x.cumprod(axis)), n.whole(a.shape), exact=True)
            self.same(lambda m, x, y: (x.dot(y), x.clip(-1, 1), x.argsort(axis=0)), n.floats((3, 4)) + n.whole((3, 4)) * 0.001, n.floats((4,)))

            def ordered(m, x):
                x = x.copy()
                x.sort(axis)
                y = x.copy()
                y.fill(3)
                return x, y
            self.same(ordered, n.floats(a.shape), exact=True)

    def test_linear_algebra(self):
        for n in self.rounds():
            a = n.floats((3, 3)) + 6 * numpy.eye(3) + (1j if n.choose.random() < 0.3 else 0)
            for order in (None, "fro", "nuc", 1, -1, 2, -2, numpy.inf):
                self.same(lambda m, x: m.linalg.norm(x, order), a)
                if order != "nuc":
                    self.same(lambda m, x: m.linalg.cond(x, order), a, types=False) # complex in NumPy
            self.same(lambda m, x: (m.linalg.norm(x, 3, axis=0), m.linalg.norm(x, axis=1, keepdims=True), m.linalg.norm(x, "fro", axis=(0, 1))), a)
            self.same(lambda m, x: m.sort(m.abs(m.linalg.eigvals(x))), a)
            tall, b = n.floats((5, 3)), n.floats((5, 2))
            self.same(lambda m, x, y: tuple(m.linalg.lstsq(x, y, rcond=None)), tall, b)
            self.same(lambda m, x, y: m.linalg.lstsq(x, y, rcond=None)[0], tall.T, b[:3, 0])
            self.same(lambda m, *x: m.linalg.multi_dot(x), n.floats((4,)), n.floats((4, 5)), n.floats((5, 2)), n.floats((2, 3)))
            self.same(lambda m, *x: m.linalg.multi_dot(x), n.floats((2, 4)), n.floats((4, 5)), n.floats((5,)))
            self.same(lambda m, x: (m.fft.rfft2(x), m.fft.irfft2(m.fft.rfft2(x))), n.floats((4, 6)))

    def test_wrong_calls_name_what_is_wrong(self):
        x = prism.asarray([1.0, 2.0])
        for error, words, call in ((ValueError, "0 to 1", lambda: prism.quantile(x, 2)), (ValueError, "method is one of", lambda: prism.median(x) is prism.quantile(x, 0.5, method="best")),
                                   (TypeError, "no order", lambda: prism.median(x + 0j * prism.asarray([1j, 1j]))), (ValueError, "negative", lambda: prism.bincount(prism.asarray([-1]))),
                                   (TypeError, "whole numbers", lambda: prism.bincount(x)), (ValueError, "neither rise", lambda: prism.digitize(x, prism.asarray([1.0, 3.0, 2.0]))),
                                   (ValueError, "equal parts", lambda: prism.split(x, 3)), (IndexError, "axis 3", lambda: prism.array_split(x, 2, 3)), (ValueError, "pad: mode", lambda: prism.pad(x, 1, "ramp")),
                                   (ValueError, "all elements are NaN", lambda: prism.nanargmax(x * prism.nan)), (TypeError, "prism.asarray", lambda: prism.median([1.0])),
                                   (IndexError, "beyond", lambda: prism.unravel_index(prism.asarray([9]), (2, 2))), (ZeroDivisionError, "sum 0", lambda: prism.average(x, weights=[1.0, -1.0])),
                                   (ValueError, "weights of the shape", lambda: prism.average(x, weights=[1.0])), (ValueError, "vectors", lambda: prism.convolve(prism.ones((2, 2)), x)),
                                   (ValueError, "edge_order", lambda: prism.gradient(x, edge_order=3)), (ValueError, "one sign", lambda: prism.geomspace(-1, 1)), (ValueError, "2 dimensions or more", lambda: prism.vsplit(x, 1))):
            with self.assertRaisesRegex(error, words):
                call()


warnings.filterwarnings("ignore") # NumPy's of slices with NaN alone
unittest.main(warnings="ignore")
