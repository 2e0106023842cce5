"""str and repr of random arrays against NumPy's: python_print_test.py PACKAGE_FOLDER."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
try:
    import numpy
except ImportError:
    sys.exit(77)
import prism

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")
SHAPES = ((), (0,), (0, 3), (2, 0), (1,), (2,), (3,), (7,), (20,), (40,), (1, 1), (2, 3), (3, 17), (2, 2, 2), (1, 2, 21), (2, 1, 2, 9),
          (1, 1, 1, 1, 30), (1001,), (9, 120), (2, 700), (700, 2), (11, 11, 11), (1, 6, 200), (7, 1, 7, 30))
# NumPy 2.2 added the shape to the repr of a shortened array.
ADDS_SHAPE = tuple(int(part) for part in numpy.__version__.split(".")[:2]) >= (2, 2)


def numbers(count):
    """Random float64 numbers of one of several kinds."""
    kind = random.choice(("short", "long", "wide", "special", "whole", "large"))
    x = {"short": lambda: numpy.round(numpy.random.uniform(-10, 10, count), random.randint(0, 4)),
         "long": lambda: numpy.random.uniform(-2, 2, count),
         "wide": lambda: numpy.random.uniform(-1, 1, count) * 10.0 ** numpy.random.randint(-30, 30, count),
         "special": lambda: numpy.random.choice([0.0, -0.0, 1, -1, 0.5, numpy.nan, numpy.inf, -numpy.inf, 0.1, 1e5, 1e-3], count),
         "whole": lambda: numpy.random.randint(-100, 100, count).astype("float64"),
         "large": lambda: numpy.random.uniform(-1, 1, count) * 10.0 ** random.randint(-5, 18)}[kind]()
    if count and random.random() < 0.2:
        x[random.randrange(count)] = random.choice((numpy.nan, numpy.inf, -numpy.inf, 1e300 if random.random() < 0.5 else 0.3))
    return x


def random_array():
    shape, dtype = random.choice(SHAPES), random.choice(TYPES)
    count = int(numpy.prod(shape))
    with numpy.errstate(all="ignore"):
        if dtype == "bool":
            x = numpy.random.rand(count) < random.choice((0.5, 0.99))
        elif "int" in dtype:
            most = min(10 ** random.randint(1, 19), numpy.iinfo(dtype).max)
            x = numpy.random.randint(0 if dtype[0] == "u" else -most, most, count, dtype=dtype)
        elif dtype[0] == "c":
            x = numpy.empty(count, dtype)
            x.real, x.imag = numbers(count), numbers(count)
        else:
            x = numbers(count).astype(dtype)
    return x.reshape(shape)


class Print(unittest.TestCase):
    def test_str_and_repr_of_random_arrays_are_those_of_numpy(self):
        random.seed(1)
        numpy.random.seed(1)
        for _ in range(4000):
            x = random_array()
            with self.subTest(dtype=x.dtype.name, shape=x.shape, elements=x.ravel()[:8].tolist()):
                y = prism.asarray(x)
                self.assertEqual(str(y), str(x))
                if x.size <= 1000 or not ADDS_SHAPE:
                    self.assertEqual(repr(y), repr(x))


if __name__ == "__main__":
    unittest.main()
