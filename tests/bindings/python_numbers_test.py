"""Numbers at the ends of their types next to arrays, results that an array in place cannot hold, and functions whose formulas would
overflow, against NumPy: python_numbers_test.py PACKAGE_FOLDER."""
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


def both(values, dtype):
    return numpy.array(values, dtype), prism.asarray(numpy.array(values, dtype))


def of(array):
    """Its elements in NumPy, from any device."""
    return numpy.array(array.tolist(), str(array.dtype))


class Numbers(unittest.TestCase):
    def same(self, got, wanted):
        numpy.testing.assert_array_equal(of(got) if isinstance(got, prism.Array) else got, wanted)

    def test_an_integer_beyond_int64_is_one_next_to_uint64(self):
        n, p = both([2 ** 63 + 5, 1, 2 ** 63 + 4], "uint64")
        self.same(p > 2 ** 63, n > numpy.uint64(2 ** 63))
        self.same(p == 2 ** 63 + 4, n == numpy.uint64(2 ** 63 + 4))
        self.same(2 ** 63 + 4 != p, n != numpy.uint64(2 ** 63 + 4))
        self.same(p & (2 ** 64 - 1), n)
        self.assertEqual((p - 2 ** 63).dtype, prism.uint64)
        self.same(prism.maximum(p, 2 ** 63), numpy.maximum(n, numpy.uint64(2 ** 63)))

    def test_arrays_are_made_of_integers_beyond_int64(self):
        high = 2 ** 63
        for got, wanted in ((prism.full(2, high), [high] * 2), (prism.full(2, high + 1, dtype=prism.uint64), [high + 1] * 2), (prism.asarray([1, high]), [1, high]),
                            (prism.arange(high, high + 3), [high, high + 1, high + 2]), (prism.arange(high + 8, high, -4, dtype=prism.uint64), [high + 8, high + 4]),
                            (prism.arange(high - 1, high + 1), [high - 1, high]), (prism.clip(prism.asarray([1, high + 5], dtype="uint64"), 2, high + 1), [2, high + 1])):
            self.assertEqual((got.dtype, got.tolist()), (prism.uint64, wanted))
        self.assertEqual(prism.full(2, high, dtype=prism.float64).tolist(), [2.0 ** 63] * 2)
        self.assertEqual(prism.arange(-high, 2 ** 64 - 1, high).tolist(), [-2.0 ** 63, 0.0, 2.0 ** 63])
        self.assertEqual(prism.asarray([-1, high]).dtype, prism.float64)
        for wrong in (lambda: prism.full(2, high, dtype=prism.int64), lambda: prism.asarray([2 ** 64]), lambda: prism.asarray([high], dtype="int64")):
            with self.assertRaises((OverflowError, ValueError)):
                wrong()

    def test_lists_of_numpys_numbers_keep_their_type(self):
        for values in ([numpy.float32(1)], [numpy.int8(1), numpy.int16(2)], [numpy.float32(1), 2], [[numpy.float32(1)], [numpy.complex64(2)]], [True, numpy.uint8(3)], [numpy.arange(3, dtype="i2"), [1, 2, 3]]):
            self.assertEqual(prism.asarray(values).dtype, numpy.asarray(values).dtype.name)

    def test_integers_have_no_negative_powers(self):
        for wrong in (lambda: prism.arange(3) ** -1, lambda: prism.pow(prism.arange(3), -2)):
            with self.assertRaisesRegex(ValueError, "power of integers to -"):
                wrong()
        self.same(prism.asarray([2.0]) ** -1, [0.5])

    def test_real_numbers_have_imaginary_parts_of_zero(self):
        for kind in ("float32", "int8", "bool"):
            self.same(prism.asarray([1, 0], dtype=kind).imag, numpy.asarray([1, 0], kind).imag)

    def test_an_integer_that_does_not_fit_is_refused(self):
        for kind in ("int8", "int64", "bool"):
            with self.assertRaisesRegex(OverflowError, f"the integer 9223372036854775808 does not fit {kind}"):
                both([1], kind)[1] + 2 ** 63
        with self.assertRaisesRegex(OverflowError, "does not fit uint64"):
            both([1], "uint64")[1] + 2 ** 64
        self.same(both([1], "float32")[1] * 2 ** 64, numpy.array([2.0 ** 64], "float32"))

    def test_a_number_of_another_kind_promotes_as_in_functions(self):
        for values, number in (([1, 2, 3], 0.5), ([True, False], 1), ([4], 0.5), ([1.5], 1j)):
            n, p = both(values, None)
            for name in ("add", "multiply", "subtract", "power"):
                if n.dtype == bool and name in ("subtract", "power"):
                    continue
                if name == "power" and isinstance(number, complex):
                    continue # the last bit is the library's
                operator = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "subtract": lambda a, b: a - b, "power": lambda a, b: a ** b}[name]
                got, wanted = operator(p, number), operator(n, number)
                self.assertEqual(str(got.dtype), str(wanted.dtype), (name, values, number))
                for each in (got, getattr(prism, name)(p, number)): # the last bit of a power is the device's
                    numpy.testing.assert_allclose(of(each), wanted, rtol=1e-15 if name == "power" else 0)

    def test_an_operator_in_place_keeps_the_type_or_is_refused(self):
        for values, operand, operator in (([1, 2, 3], 2, "/="), ([1, 2, 3], prism.asarray([1.5, 2, 3]), "+="), ([1.5, 2.5], prism.asarray([1j]), "*="),
                                          ([True, False], prism.asarray([2]), "+="), ([1, 2], 0.5, "*=")):
            x = prism.asarray(values)
            before, kind = x.tolist(), str(x.dtype)
            with self.assertRaisesRegex(TypeError, f"in place: the result is .*, which an array of {kind} does not hold"):
                exec(f"x {operator} operand", {"x": x, "operand": operand})
            self.assertEqual(x.tolist(), before)
        x = prism.asarray(numpy.eye(3))
        with self.assertRaisesRegex(ValueError, "the result has the shape"):
            x @= prism.asarray([1.0, 2.0, 3.0])
        x = prism.asarray(numpy.array([1, 2], "float32"))
        x += prism.asarray(numpy.array([0.5, 1], "float64")) # of one kind: rounded, as in NumPy
        self.assertEqual((str(x.dtype), x.tolist()), ("float32", [1.5, 3.0]))
        x = prism.asarray(numpy.array([1, 2], "int8"))
        x += 3
        self.assertEqual((str(x.dtype), x.tolist()), ("int8", [4, 5]))

    def test_products_take_arrays_of_numpy(self):
        n, p = both([1.0, 2.0], "float64")
        self.same(numpy.eye(2) @ p, numpy.eye(2) @ n)
        self.same(p @ numpy.ones(2), 3.0)
        self.assertIsInstance(p @ numpy.ones(2), prism.Array)
        with self.assertRaisesRegex(TypeError, "unsupported operand"):
            p @ 2

    def test_gradient_neither_underflows_nor_spreads_nan(self):
        n, p = both([1, 2, 4, 7, 11], "float32")
        for spacing in (1e-15, 1.0, 1e14):
            for order in (1, 2):
                numpy.testing.assert_allclose(of(prism.gradient(p, spacing, edge_order=order)), numpy.gradient(n, spacing, edge_order=order), rtol=2e-6)
        places = numpy.array([0, 1, 3, 4, 7], "float64")
        numpy.testing.assert_allclose(of(prism.gradient(p.astype("float64"), prism.asarray(places * 1e-103))),
                                      numpy.gradient(n.astype("float64"), places * 1e-103), rtol=1e-12)
        n, p = both([1, numpy.nan, 3, 4], "float64")
        self.same(prism.gradient(p), numpy.gradient(n))
        self.same(prism.gradient(p, prism.asarray([0.0, 1, 2, 3])), numpy.gradient(n, [0.0, 1, 2, 3]))

    def test_edges_of_narrow_integers(self):
        for x, edges, kind in (([7], [100, 5, 2], "uint8"), ([0, -128, 127], [-128, 127], "int8"), ([0], [127, -128], "int8")):
            self.same(prism.digitize(both(x, kind)[1], both(edges, kind)[1]), numpy.digitize(numpy.array(x, kind), numpy.array(edges, kind)))
        with self.assertRaisesRegex(ValueError, "neither rise nor fall"):
            prism.digitize(both([3], "uint8")[1], both([5, 1, 7], "uint8")[1])

    def test_order_and_variance_of_infinities(self):
        inf = numpy.inf
        for values in ([1, inf, inf], [inf], [-1.7e308, 1.7e308], [-inf, 1, 2, inf], [1, 2, 3, 4], [-inf, inf]):
            n, p = both(values, "float64")
            with numpy.errstate(all="ignore"):
                self.same(prism.median(p), numpy.median(n))
                self.same(prism.nanmedian(p), numpy.nanmedian(n))
        self.same(prism.median(both([1.7e308, 1.7e308], "float64")[1]), 1.7e308) # NumPy's sum of both is infinite
        self.same(prism.quantile(both([1, inf, inf], "float64")[1], 0.75), inf)
        for values in ([inf], [inf, 1, 2], [1, numpy.nan, 3]):
            n, p = both(values, "float64")
            with numpy.errstate(all="ignore"):
                self.same(prism.nanvar(p), numpy.nanvar(n))

    def test_fmod_of_the_least_integers_and_of_zeros(self):
        for kind in ("int8", "int16", "int32", "int64"):
            least = numpy.iinfo(kind).min
            most = numpy.iinfo(kind).max
            (n1, p1), (n2, p2) = both([[least], [least + 1], [-7], [-1], [0], [5], [most]], kind), both([5, -5, 3, least, most], kind)
            self.same(prism.fmod(p1, p2), numpy.fmod(n1, n2))
        n, p = both([-0.0, 0.0, -7.5, 7.5, -6.0], "float64")
        got = of(prism.fmod(p, 3.0))
        self.same(got, numpy.fmod(n, 3.0))
        self.same(numpy.signbit(got), numpy.signbit(numpy.fmod(n, 3.0)))

    def test_the_negative_of_a_zero_is_the_other_zero(self):
        n, p = both([0.0, -0.0, 1.5], "float64")
        self.same(numpy.signbit(of(-p)), numpy.signbit(-n))
        self.assertEqual((1 / -p)[0].item(), -numpy.inf)

    def test_a_file_without_an_end_is_refused_by_its_first_bytes(self):
        with self.assertRaises(ValueError):
            prism.load("/dev/zero")


if __name__ == "__main__":
    unittest.main()
