"""Common forms of array programs, which have short ways of their own in PRISM, against NumPy: python_forms_test.py PACKAGE_FOLDER."""
import os
import sys
import unittest

sys.path.insert(0, os.path.realpath(sys.argv.pop()))
try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed (Debian's package python3-numpy)")
    sys.exit(77)
import prism

ON_HOST = prism.get_device().backend == "host" # the other devices have one way for all types and sizes
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
TYPES = INTEGERS if ON_HOST else ["int8", "uint32"]
REALS = ["float32", "float64"] if ON_HOST else ["float64"]
SIZES = (1, 7, 1000, 1025, 5000) if ON_HOST else (1025,) # blocks of numbers have 1,024
SPECIAL = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.5, -2.0, 1e300, 5e-324]


def same(test, ours, theirs, what):
    ours = numpy.asarray(ours)
    test.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape), what)
    numpy.testing.assert_array_equal(ours, theirs, str(what))


class Forms(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(7)

    def numbers(self, kind, shape):
        return self.line(kind, int(numpy.prod(shape))).reshape(shape)

    def line(self, kind, size):
        if kind == "bool":
            return self.rng.integers(0, 2, size).astype(bool)
        if kind in INTEGERS:
            limits = numpy.iinfo(kind)
            out = self.rng.integers(limits.min, limits.max, size, dtype=kind, endpoint=True)
            out[:: 3] = self.rng.integers(0, 4, out[:: 3].size).astype(kind) # some are equal
            return out
        out = self.rng.normal(size=size).astype(kind)
        with numpy.errstate(over="ignore"):
            out[:: 5] = numpy.resize(numpy.array(SPECIAL), out[:: 5].size).astype(kind)
        return out

    def test_arithmetic_of_integers_wraps_in_their_type(self):
        for kind in TYPES:
            for size in SIZES:
                a, b = self.numbers(kind, size), self.numbers(kind, size)
                x, y = prism.asarray(a), prism.asarray(b)
                for name in "add subtract multiply maximum minimum bitwise_and bitwise_or bitwise_xor".split():
                    ours, theirs = getattr(prism, name), getattr(numpy, name)
                    same(self, ours(x, y), theirs(a, b), (name, kind, size))
                    same(self, ours(x, 3), theirs(a, numpy.array(3, kind)), (name, kind, size, "by a number"))
                    same(self, ours(100, y), theirs(numpy.array(100, kind), b), (name, kind, size, "of a number"))

    def test_comparisons_of_every_type(self):
        for kind in TYPES + REALS:
            for size in SIZES:
                a, b = self.numbers(kind, size), self.numbers(kind, size)
                x, y = prism.asarray(a), prism.asarray(b)
                for name in "equal not_equal less less_equal greater greater_equal".split():
                    ours, theirs = getattr(prism, name), getattr(numpy, name)
                    same(self, ours(x, y), theirs(a, b), (name, kind, size))
                    same(self, ours(x, 2), theirs(a, numpy.array(2, kind)), (name, kind, size, "with a number"))
                    same(self, ours(y, x[::-1]), theirs(b, a[::-1]), (name, kind, size, "reversed"))
        self.assertEqual(prism.asarray(numpy.array([1], "uint8")).dtype, prism.uint8)

    def test_questions_about_numbers_and_logic(self):
        for kind in REALS:
            a = self.numbers(kind, 3000)
            for name in "isnan isinf isfinite signbit".split():
                same(self, getattr(prism, name)(prism.asarray(a)), getattr(numpy, name)(a), (name, kind))
        a, b = self.numbers("bool", 3000), self.numbers("bool", 3000)
        for name in "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor equal not_equal".split():
            same(self, getattr(prism, name)(prism.asarray(a), prism.asarray(b)), getattr(numpy, name)(a, b), name)
        same(self, ~prism.asarray(a), ~a, "not")

    def test_logic_of_comparisons_of_the_same_numbers(self):
        for kind in TYPES + REALS:
            for size in SIZES:
                a, b, flag, other = self.numbers(kind, size), self.numbers(kind, size), self.line("bool", size), self.line("bool", size)
                given = [(prism, *map(prism.asarray, (a, b, flag, other))), (numpy, a, b, flag, other)]
                two, five = numpy.array([2, 5], kind)
                for name, expression in {
                    "a flag and a comparison": lambda xp, x, y, f, g: f & (x < y),
                    "a comparison with a number": lambda xp, x, y, f, g: f | (x >= two.item()),
                    "between numbers": lambda xp, x, y, f, g: (x > two.item()) & (x <= five.item()) & (x != y),
                    "the opposite": lambda xp, x, y, f, g: ~(x == y) ^ (f & ~g),
                    "flags alone": lambda xp, x, y, f, g: (f | ~g) & (g ^ f),
                    "arithmetic too": lambda xp, x, y, f, g: ((x + y) * x > y) | f,
                    "largest of two": lambda xp, x, y, f, g: (xp.maximum(x, y) == x) & f,
                }.items():
                    with numpy.errstate(all="ignore"):
                        ours, theirs = (expression(*each) for each in given)
                    same(self, ours, theirs, (name, kind, size))

    def test_chains_of_integers_wrap_after_each_step(self):
        for kind in TYPES:
            for size in SIZES:
                a, b = self.numbers(kind, size), self.numbers(kind, size)
                x, y = prism.asarray(a), prism.asarray(b)
                seven = numpy.array(7, kind)
                same(self, (x + y) * x - y, (a + b) * a - b, (kind, size))
                same(self, (x * 7 & y) - (x | 7), (a * seven & b) - (a | seven), (kind, size, "with numbers"))
                same(self, prism.maximum(x + y, y * 7), numpy.maximum(a + b, b * seven), (kind, size, "largest"))
                wider = "uint64" if kind == "uint64" else "int64"
                whole, hundred, limit = a.astype(wider), numpy.array(100, wider), numpy.array(120, wider)
                same(self, x.astype(wider) + 100 > 120, whole + hundred > limit, (kind, size, "a question of a wider sum"))
                same(self, x.astype(wider) + prism.maximum(x, y), whole + numpy.maximum(a, b), (kind, size, "wider"))

    def test_folds_of_narrow_numbers(self):
        for kind in TYPES + ["bool"]:
            for shape in ((1,), (100,), (70000,), (300, 7), (5, 3000), (40, 3, 90)) if ON_HOST else ((70000,), (40, 90)):
                a = self.numbers(kind, shape)
                x = prism.asarray(a)
                for axis in [None, *range(len(shape))]:
                    for name in ("min", "max", "any", "all"):
                        same(self, getattr(prism, name)(x, axis=axis), numpy.asarray(getattr(numpy, name)(a, axis=axis)), (name, kind, shape, axis))
                    same(self, prism.sum(x, axis=axis), numpy.asarray(numpy.sum(a, axis=axis)), ("sum", kind, shape, axis))
                    for name in ("argmin", "argmax"):
                        same(self, getattr(prism, name)(x, axis=axis), numpy.asarray(getattr(numpy, name)(a, axis=axis)), (name, kind, shape, axis))
                    same(self, prism.any(x < 100, axis=axis), numpy.asarray(numpy.any(a < 100, axis=axis)), ("any of questions", kind, shape, axis))
                    ours = numpy.asarray(prism.count_nonzero(x, axis=axis))
                    numpy.testing.assert_array_equal(ours, numpy.count_nonzero(a, axis=axis), str((kind, shape, axis)))

    def test_answers_of_flags_wherever_the_first_one_lies(self):
        for size in (1, 63, 70000, 200001):
            for value in (False, True):
                for place in (None, 0, size // 2, size - 1):
                    flags = numpy.full(size, value)
                    if place is not None:
                        flags[place] = not value
                    for name in ("any", "all", "min", "max", "argmin", "argmax"):
                        for x, y in ((flags, prism.asarray(flags)), (flags[1:], prism.asarray(flags)[1:]), (flags.reshape(1, -1), prism.asarray(flags.reshape(1, -1)))):
                            if x.size:
                                same(self, getattr(prism, name)(y), getattr(numpy, name)(x), (name, size, value, place))

    def test_the_larger_and_the_smaller_of_two_numbers_where_nan_is_none(self):
        for kind in TYPES:
            a, b = self.line(kind, 1003), self.line(kind, 1003)[::-1]
            for name in ("fmax", "fmin"):
                if kind != "bool":
                    same(self, getattr(prism, name)(prism.asarray(a), prism.asarray(b)), getattr(numpy, name)(a, b), (name, kind))
        for wrong in (lambda: prism.fmax(prism.asarray([1j]), prism.asarray([1j])),):
            self.assertRaises(prism.InvalidError, wrong)

    def test_powers_to_small_numbers(self):
        for kind in REALS:
            a = self.numbers(kind, 2000)
            x = prism.asarray(a)
            with numpy.errstate(all="ignore"):
                same(self, x ** 2, a * a, kind)
                same(self, x ** 3, a * a * a, kind)
                same(self, x ** 4, (a * a) * (a * a), kind)
                same(self, x ** -1, 1 / a, kind)
                for exponent in (2, 3, 4, -1, 0.5):
                    same(self, prism.pow(x, prism.full(x.shape, exponent, dtype=kind)), numpy.asarray(x ** exponent), (kind, exponent, "in an array"))
                half = numpy.where(a == -numpy.inf, numpy.inf, numpy.sqrt(a + 0)).astype(kind)
            ours = numpy.asarray(x ** 0.5)
            numpy.testing.assert_array_max_ulp(ours[~numpy.isnan(half)], half[~numpy.isnan(half)], 3)
            numpy.testing.assert_array_equal(numpy.isnan(ours), numpy.isnan(half))
            zero = numpy.asarray(prism.asarray(numpy.array([-0.0], kind)) ** 0.5)
            self.assertFalse(numpy.signbit(zero[0]), "pow(-0, 0.5) is 0, not -0")
        for kind in TYPES:
            a = self.numbers(kind, 1000)
            for exponent in (2, 3, 4):
                same(self, prism.asarray(a) ** exponent, a ** numpy.array(exponent, kind), (kind, exponent))
        same(self, prism.asarray([True, False]) ** 2, numpy.array([1, 0]), "of bool")
        same(self, prism.asarray([1, 2]) ** 2.0, numpy.array([1.0, 4.0]), "of integers to a fraction")

    def test_operators_in_place_write_what_the_operands_were(self):
        def shifted(x):
            x[1:] += x[:-1]
        def reversed_(x):
            x += x[::-1]
        def twice(x):
            x += x * x
        def halves(x):
            x[::2] *= x[::2] - x[1::2]
        def turned(x):
            x += x.T
        def by_row(x):
            x -= x[0]
        def by_one(x):
            x *= x[0, 1] * 2
        def columns(x):
            x[:, 1] -= x[:, 0] + x[:, 1]
        def named(x):
            held = x + 1
            x += held
            x *= held
        def root(x):
            x **= 2
        def relaxed(x):
            x += (x[::-1] - x) * 2 + (3 - x)
        def flow(x):
            x -= (x * 2 - 1) * (x + 1) + x
        for size in (40, 300):
            for kind in ("float64", "int32"):
                a = self.rng.integers(-3, 4, (size, size)).astype(kind)
                for change in (shifted, reversed_, twice, halves, turned, by_row, by_one, columns, named, root, relaxed, flow):
                    ours, theirs = prism.asarray(a), a.copy()
                    for _ in range(2):
                        change(ours), change(theirs)
                    same(self, ours, theirs, (change.__name__, size, kind))
        x = prism.asarray(numpy.arange(6.0))
        before = x * 1
        x += 1
        x += before
        same(self, before, numpy.arange(6.0), "an expression keeps the elements of when it was written")
        same(self, x, numpy.arange(6.0) * 2 + 1, "x")

    def test_products_of_batches_are_those_of_their_matrices(self):
        shapes = [((5, 3, 4), (5, 4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((3, 4), (6, 4, 1)), ((2, 3, 1, 4), (4, 5)), ((4,), (3, 4, 2)), ((3, 2, 4), (4,)),
                  ((0, 3, 4), (4, 2)), ((2, 3, 0), (2, 0, 4)), ((30, 40), (40,)), ((40,), (40, 30)), ((1, 40), (40, 1))]
        for kind in ("int16", "float32", "float64", "complex64", "complex128"):
            for left, right in shapes:
                a, b = ((self.rng.integers(-4, 5, s) + (1j * self.rng.integers(-4, 5, s) if kind[0] == "c" else 0)).astype(kind) for s in (left, right))
                x, y = prism.asarray(a), prism.asarray(b)
                same(self, x @ y, a @ b, (kind, left, right)) # of whole numbers, so the results are exact
                if len(left) > 2:
                    same(self, x[::-1] @ y, a[::-1] @ b, (kind, left, right, "reversed"))
                    turned, as_numpy = prism.permute_dims(x, (1, 0, *range(2, len(left)))), numpy.swapaxes(a, 0, 1)
                    if len(left) == 4:
                        same(self, turned @ prism.ones((left[-1], 2), dtype=kind), as_numpy @ numpy.ones((left[-1], 2), kind), (kind, left, "turned"))
                if len(left) > 1:
                    same(self, prism.swapaxes(x, -1, -2) @ x, numpy.swapaxes(a, -1, -2) @ a, (kind, left, "with itself"))

    def test_rows_are_sorted_with_nan_last(self):
        for kind in TYPES + REALS + ["bool"]:
            for shape in ((3, 1), (40, 90), (5, 3000), (0, 4), (4, 0)):
                a = self.numbers(kind, shape)
                for axis in (0, 1):
                    ours = numpy.asarray(prism.sort(prism.asarray(a), axis=axis))
                    numpy.testing.assert_array_equal(ours, numpy.sort(a, axis=axis), str((kind, shape, axis)))
                    falling = numpy.asarray(prism.sort(prism.asarray(a), axis=axis, descending=True))
                    numpy.testing.assert_array_equal(falling, numpy.flip(numpy.sort(a, axis=axis), axis=axis), str((kind, shape, axis)))

    def test_places_of_an_order_without_sorting_all(self):
        made = [numpy.array([3.0]), self.rng.normal(size=1001), self.rng.normal(size=200000), numpy.zeros(100000), numpy.arange(300000.0)[::-1],
                numpy.where(self.rng.random(100000) < 0.9, 1.0, self.rng.random(100000)), numpy.array([1.0, numpy.nan, 2.0]), self.numbers("float64", 90000),
                numpy.full(5, numpy.nan), self.rng.integers(-50, 50, 70001), self.numbers("uint8", 100000), self.numbers("float32", 70000)]
        for a in made:
            x = prism.asarray(a)
            whole = a.astype(float) if a.dtype.kind != "f" else a
            with numpy.errstate(all="ignore"):
                for q in (0, 10, 50, 99.9, 100):
                    numpy.testing.assert_allclose(numpy.asarray(prism.percentile(x, q)), numpy.percentile(whole, q), rtol=1e-6, err_msg=str((a.dtype, a.size, q)))
                numpy.testing.assert_allclose(numpy.asarray(prism.median(x)), numpy.median(whole), rtol=1e-6)
                numpy.testing.assert_allclose(numpy.asarray(prism.quantile(x, [0.2, 0.7])), numpy.quantile(whole, [0.2, 0.7]), rtol=1e-6)
                if not numpy.isnan(whole).all():
                    numpy.testing.assert_allclose(numpy.asarray(prism.nanmedian(x)), numpy.nanmedian(whole), rtol=1e-6)

    def test_counts_of_numbers_and_bins(self):
        for size in (0, 1, 5000, 100000):
            a = self.rng.integers(0, 300, size)
            same(self, prism.bincount(prism.asarray(a), minlength=10), numpy.bincount(a, minlength=10), size)
        same(self, prism.bincount(prism.asarray([5, 70000])), numpy.bincount([5, 70000]), "many numbers")
        a = numpy.round(self.rng.normal(size=50000), 2)
        for bins, among in ((1, None), (50, None), (7, (-1.0, 1.0)), (100, (0.1, 0.4)), (13, (1e9, 1e9 + 1e-6))):
            for kind in ("float32", "float64", "int64"):
                given = (a * 10).astype(kind)
                counts, edges = prism.histogram(prism.asarray(given), bins, among)
                expected, _ = numpy.histogram(given, numpy.asarray(edges))
                numpy.testing.assert_array_equal(numpy.asarray(counts), expected, str((bins, among, kind)))
        counts, _ = prism.histogram(prism.asarray(numpy.array([numpy.nan, 0.5, numpy.inf, -3.0])), 4, (0.0, 1.0))
        same(self, counts, numpy.array([0, 0, 1, 0]), "what lies outside does not count")
        for given, edges in ((numpy.array([1.0, numpy.inf, -numpy.inf]), [0.0, 1.0, numpy.inf]), (numpy.array([2 ** 63 - 1, 5]), [0, 5, 2 ** 63 - 1]),
                             (numpy.array([3, 4], "uint64"), [0, 3, 4])):
            same(self, prism.histogram(prism.asarray(given), prism.asarray(numpy.array(edges, dtype=given.dtype)))[0], numpy.histogram(given, numpy.array(edges, given.dtype))[0], edges)
        weights = self.rng.random(5000)
        heights = prism.histogram(prism.asarray(a[:5000]), 9, weights=prism.asarray(weights))[0]
        numpy.testing.assert_allclose(numpy.asarray(heights), numpy.histogram(a[:5000], 9, weights=weights)[0], rtol=1e-12)

    def test_quotients_and_remainders_by_one_number(self):
        for kind in TYPES:
            a, limits = self.numbers(kind, 3000), numpy.iinfo(kind)
            a[:4] = limits.min, limits.max, 0, limits.max - 1
            for by in (1, 2, 3, 7, 10, 100, 127, limits.max, limits.max - 1, limits.max // 2 + 1):
                same(self, prism.asarray(a) // by, a // numpy.array(by, kind), (kind, by))
                same(self, prism.asarray(a) % by, a % numpy.array(by, kind), (kind, by, "remainder"))
            if limits.min < 0:
                same(self, prism.asarray(a[1:]) // -3, a[1:] // numpy.array(-3, kind), (kind, "by -3"))

    def test_quotients_and_remainders_by_arrays(self):
        for kind in TYPES:
            for size in SIZES:
                a, b = self.numbers(kind, size), self.numbers(kind, size)
                with numpy.errstate(all="ignore"):
                    same(self, prism.asarray(a) // prism.asarray(b), a // b, (kind, size))
                    same(self, prism.asarray(a) % prism.asarray(b), a % b, (kind, size, "remainder"))

    def test_rows_at_places_of_the_first_axes(self):
        for kind in ("uint8", "float64", "complex128"):
            a = self.rng.integers(0, 99, (7, 5, 6)).astype(kind)
            x, places, others = prism.asarray(a), numpy.array([[6, 0, -1], [2, 2, -7]]), numpy.array([[4, -5, 0], [1, 1, 3]])
            ours = prism.asarray(places), prism.asarray(others)
            same(self, x[ours[0]], a[places], (kind, "rows of matrices"))
            same(self, x[ours[0], ours[1]], a[places, others], (kind, "rows"))
            same(self, prism.take(x, ours[0], axis=0), numpy.take(a, places, axis=0), (kind, "taken"))
            same(self, x[:, ::-1][ours[0]], a[:, ::-1][places], (kind, "rows that lie backwards"))
            same(self, x[:, :, 1:3][ours[0]], a[:, :, 1:3][places], (kind, "parts of rows"))
            same(self, x[prism.asarray(numpy.zeros(0, "int64"))], a[numpy.zeros(0, "int64")], (kind, "no row"))

    def test_what_is_among_others(self):
        for kind in TYPES:
            a = self.numbers(kind, 5000)
            for others in ([], [1], [0, 3, 100], list(range(50)), [numpy.iinfo(kind).min, numpy.iinfo(kind).max]):
                b = numpy.array(others, kind)
                same(self, prism.isin(prism.asarray(a), prism.asarray(b)), numpy.isin(a, b), (kind, others))
        nan = float("nan")
        for kind, others in (("float64", [1.5, nan]), ("float32", [-2.0, 0.0]), ("float64", list(range(9))), ("bool", [True]), ("bool", [False, True])):
            a, b = self.numbers(kind, 5000), numpy.array(others, kind)
            same(self, prism.isin(prism.asarray(a), prism.asarray(b)), numpy.isin(a, b), (kind, others))

    def test_places_of_a_mask(self):
        for size in (0, 1, 16384, 16385, 100000):
            for share in (0, 0.001, 0.5, 1):
                mask = self.rng.random(size) < share
                same(self, prism.nonzero(prism.asarray(mask))[0], numpy.nonzero(mask)[0], (size, share))
                a = self.rng.random(size)
                same(self, prism.asarray(a)[prism.asarray(mask)], a[mask], (size, share))

    def test_narrow_transposed_matrices_are_operands_and_are_copied(self):
        # Their rows are made sixteen at a time: the last ones of 17 and 33 rows are fewer, and 16,385 columns are too many.
        for rows, columns in ((16, 64), (17, 65), (33, 1000), (300, 700), (20, 16385)):
            for kind in ("uint8", "int8", "uint16", "int16", "bool"):
                a, b = (numpy.arange(rows * columns).reshape(shape) % (2 if kind == "bool" else 100)
                        for shape in ((columns, rows), (rows, columns)))
                a, b = a.astype(kind), b.astype(kind)
                x, y = prism.asarray(a), prism.asarray(b)
                case = (rows, columns, kind)
                same(self, x.T | y, a.T | b, case)
                same(self, prism.asarray(x.T, copy=True), a.T, case)
                if kind != "bool":
                    same(self, x.T * y + x.T, a.T * b + a.T, case)
                    same(self, y < x.T, b < a.T, case)
                    same(self, x.T[1:] - y[1:], a.T[1:] - b[1:], case)
                    same(self, x.T[:, 1:] + y[:, 1:], a.T[:, 1:] + b[:, 1:], case)

    def test_folds_of_transposed_matrices_are_those_of_their_copies(self):
        for shape in ((3, 5), (8, 700), (1000, 9), (257, 263), (40, 1031)):
            for kind in ("float32", "float64", "int64", "int32"):
                a = self.rng.normal(0, 100, shape).astype(kind)
                x = prism.asarray(a)
                copy = prism.asarray(a.T.copy())
                for name in "sum max min prod mean".split():
                    fold = getattr(prism, name)
                    same(self, fold(x.T, axis=0), numpy.asarray(fold(copy, axis=0)), (name, shape, kind))
                numpy.testing.assert_allclose(numpy.asarray(prism.sum(x.T * 2 - x.T, axis=0)), a.T.sum(axis=0), rtol=1e-3, atol=1e-2)
                same(self, prism.argmax(x.T, axis=0), numpy.argmax(a.T, axis=0), (shape, kind, "argmax"))
                same(self, prism.sum(x[:, ::2], axis=1), numpy.asarray(prism.sum(prism.asarray(a[:, ::2].copy()), axis=1)), (shape, kind, "every second"))

    def test_copies_of_every_order_keep_their_elements(self):
        for kind in TYPES + REALS + ["bool", "complex128"]:
            a = self.rng.integers(0, 2 if kind == "bool" else 100, (70, 201)).astype(kind)
            x = prism.asarray(a)
            for name, order in {
                "transposed": lambda m: m.T, "parts of rows": lambda m: m[3:, 5:190], "every second": lambda m: m[::2, ::2],
                "backwards": lambda m: m[::-1, ::-1], "transposed parts": lambda m: m[1:40, 2:150].T,
            }.items():
                same(self, prism.copy(order(x)), order(a), (name, kind))
                to, expected = prism.zeros(order(a).shape, dtype=kind), numpy.zeros(order(a).shape, kind)
                to[1:, 1:], expected[1:, 1:] = order(x)[1:, 1:], order(a)[1:, 1:]
                same(self, to, expected, (name, kind, "into a part"))

    def test_rows_are_sorted_stably(self):
        for kind in TYPES + REALS:
            for rows, size in ((1, 4), (9, 33), (5, 300), (3, 1000), (2, 5000)):
                a = self.numbers(kind, (rows, size))
                x = prism.asarray(a)
                for descending in (False, True):
                    theirs = numpy.sort(a[:, ::-1], axis=1, kind="stable")[:, ::-1] if descending else numpy.sort(a, axis=1, kind="stable")
                    ours = numpy.asarray(prism.sort(x, axis=1, descending=descending))
                    same(self, ours, theirs, (kind, rows, size, descending))
                    if kind in REALS and ON_HOST:
                        zeros = theirs == 0
                        numpy.testing.assert_array_equal(numpy.signbit(ours[zeros]), numpy.signbit(theirs[zeros]), str((kind, size, "signs of zeros")))
        narrow = self.rng.integers(-3, 4, (5, 2000)) * 10**15
        same(self, prism.sort(prism.asarray(narrow), axis=1), numpy.sort(narrow, axis=1), "few values")

    def test_elements_repeated_and_joined(self):
        for kind in TYPES + REALS + ["bool", "complex128"]:
            a = self.rng.integers(0, 2 if kind == "bool" else 100, (31, 57)).astype(kind)
            x = prism.asarray(a)
            for count in (0, 1, 2, 3, 4, 5, 40):
                for axis in (0, 1, None):
                    same(self, prism.repeat(x, count, axis=axis), numpy.repeat(a, count, axis), (kind, count, axis))
                    same(self, prism.repeat(x[::2].T, count, axis=axis), numpy.repeat(a[::2].T, count, axis), (kind, count, axis, "transposed"))
            for axis in (0, 1):
                same(self, prism.concat([x, x[:, ::-1], x], axis=axis), numpy.concatenate([a, a[:, ::-1], a], axis), (kind, axis))
            for width in (1, (0, 2), ((1, 0), (2, 3))):
                same(self, prism.pad(x, width), numpy.pad(a, width), (kind, width))
                same(self, prism.pad(x, width, constant_values=((1, 0), (0, 1))), numpy.pad(a, width, constant_values=((1, 0), (0, 1))), (kind, width, "values"))
        with self.assertRaises(ValueError):
            prism.pad(x, -1)

    def test_integers_widened_and_narrowed(self):
        for kind in TYPES + ["bool"]:
            a = self.line("bool", 1500) if kind == "bool" else self.numbers(kind, 1500)
            x = prism.asarray(a)
            for wide in TYPES + REALS:
                same(self, x.astype(wide), a.astype(wide), (kind, wide))
                same(self, x[::-2].astype(wide) + x[::-2].astype(wide), a[::-2].astype(wide) + a[::-2].astype(wide), (kind, wide, "added"))

    def test_rows_and_columns_of_integers_and_questions(self):
        for kind in TYPES + REALS:
            for rows, columns in ((70, 90), (3, 5000), (40, 63)):
                row, column, a = self.numbers(kind, columns), self.numbers(kind, (rows, 1)), self.numbers(kind, (rows, columns))
                r, c, x = map(prism.asarray, (row, column, a))
                flag = self.line("bool", columns)
                f = prism.asarray(flag)
                with numpy.errstate(all="ignore"):
                    if kind in INTEGERS:
                        same(self, r + c, row + column, (kind, columns, "sum"))
                        same(self, prism.maximum(x * r - c, x), numpy.maximum(a * row - column, a), (kind, columns, "of three"))
                        same(self, x[:, 1:] + c, a[:, 1:] + column, (kind, columns, "parts of rows"))
                        same(self, x[::2, 3:] * r[3:] + x[1::2, 3:], a[::2, 3:] * row[3:] + a[1::2, 3:], (kind, columns, "every second row")) if rows % 2 == 0 else None
                    same(self, (x < r) & f, (a < row) & flag, (kind, columns, "a question of rows"))
                    same(self, (x[None] != c) | ~f, (a[None] != column) | ~flag, (kind, columns, "of a column"))

    def test_a_reversed_column_of_two_long_rows(self):
        # each row is the share of one thread; the second one's element lies in front of the first one's
        for kind in ("uint8", "int16") if ON_HOST else ("uint8",):
            a, column = self.numbers(kind, (2, 10**6)), numpy.array([[3], [77]], kind)
            x, c = prism.asarray(a), prism.asarray(column)
            same(self, x + c[::-1], a + column[::-1], (kind, "sum"))
            same(self, x[1:] + prism.broadcast_to(c[::-1], (2, 10**6))[1:], a[1:] + column[:1], (kind, "the second row"))

    def test_rows_and_columns_that_an_expression_repeats(self):
        row, column, a = self.rng.random(90), self.rng.random((70, 1)), self.rng.random((70, 90))
        r, c, x = prism.asarray(row), prism.asarray(column), prism.asarray(a)
        for _ in range(40): # until a kernel of its own pays
            same(self, r + c, row + column, "sum")
            same(self, x * r - c, a * row - column, "of three")
            same(self, r[::-1] * c, row[::-1] * column, "reversed")


if __name__ == "__main__":
    unittest.main()
