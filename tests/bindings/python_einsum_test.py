"""prism.einsum against NumPy's, on the device of PRISM_DEVICE_SELECTOR: python_einsum_test.py PACKAGE_FOLDER."""
import pathlib
import random
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

try:
    import numpy
except ImportError:
    print("skipped: needs NumPy")
    sys.exit(77)
HAS_DOUBLE = prism.Device().has("fp64")
TYPES = ("float32", "complex64", "int32", "int64", "uint8", "bool") + (("float64", "complex128") if HAS_DOUBLE else ())


def numbers(shape, kind, seed):
    source = numpy.random.default_rng(seed)
    if kind == "bool":
        return source.random(shape) < 0.4
    if kind[0] in "iu":
        return source.integers(0, 5, shape).astype(kind)
    real = source.standard_normal(shape)
    return (real + 1j * source.standard_normal(shape)).astype(kind) if kind[0] == "c" else real.astype(kind)


def random_call(seed):
    """(expression, shapes, types), of which a few are wrong."""
    choose = random.Random(seed)
    extent = {name: choose.choice((1, 2, 3, 4)) for name in "abcdB"}
    unnamed, count = [choose.randint(1, 3) for _ in range(2)], choose.randint(1, 3)
    names, shapes, has_dots = [], [], choose.random() < 0.3
    for _ in range(count):
        part = [choose.choice("abcdB") for _ in range(choose.randint(1, 3))]
        shape = [extent[name] for name in part]
        if has_dots and choose.random() < 0.8:
            more = [n if choose.random() < 0.7 else 1 for n in unnamed[2 - choose.randint(0, 2):]]
            at = choose.randint(0, len(part))
            part[at:at], shape[at:at] = ["..."], more
        names.append("".join(part))
        shapes.append(shape)
    text = ",".join(names)
    if choose.random() < 0.7:
        used = sorted(set(text) - set(".,"))
        choose.shuffle(used)
        text += " -> " + ("..." if "..." in text else "") + "".join(used[:choose.randint(0, len(used))])
    kind = choose.choice(TYPES)
    return text, shapes, [kind if choose.random() < 0.7 else choose.choice(TYPES) for _ in range(count)]


class Einsum(unittest.TestCase):
    def test_random_expressions_have_numpys_results_types_and_errors(self):
        right = 0
        for seed in range(400):
            text, shapes, kinds = random_call(seed)
            theirs = [numbers(shape, kind, seed) for shape, kind in zip(shapes, kinds)]
            what = f"seed {seed}: {text!r} of {shapes}, {kinds}"
            try:
                wanted = numpy.asarray(numpy.einsum(text, *theirs))
            except ValueError:
                with self.assertRaises(ValueError, msg=what):
                    prism.einsum(text, *map(prism.asarray, theirs))
                continue
            if not HAS_DOUBLE and wanted.dtype.itemsize == (16 if wanted.dtype.kind == "c" else 8) and wanted.dtype.kind in "fc":
                continue
            found = numpy.asarray(prism.einsum(text, *map(prism.asarray, theirs)))
            self.assertEqual((found.shape, found.dtype), (wanted.shape, wanted.dtype), what)
            numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4, err_msg=what)
            right += 1
        self.assertGreater(right, 200)

    def test_views_and_recorded_expressions_are_operands(self):
        theirs = numbers((6, 4), "float32", 1)
        ours = prism.asarray(theirs)
        for make in (lambda x: x[::2, ::-1], lambda x: x[1:4] * 2 + 1, lambda x: x.T[:3]):
            wanted = numpy.einsum("ij,kj->ik", make(theirs), make(theirs))
            numpy.testing.assert_allclose(numpy.asarray(prism.einsum("ij,kj->ik", make(ours), make(ours))), wanted, rtol=1e-5)
        numpy.testing.assert_allclose(numpy.asarray(prism.einsum("ij,ij->", ours, theirs, optimize=False)), numpy.sum(theirs * theirs), rtol=1e-5)

    def test_sums_without_terms_are_zero(self):
        for kind in ("float32", "int32"):
            self.assertEqual(prism.einsum("ij,jk->ik", prism.ones((2, 0), dtype=kind), prism.ones((0, 3), dtype=kind)).tolist(), [[0, 0, 0], [0, 0, 0]])

    def test_integers_wrap_around_as_numpys_do(self):
        a = numpy.full((3, 3), 200, "uint8")
        self.assertEqual(prism.einsum("ij,jk->ik", prism.asarray(a), prism.asarray(a)).tolist(), numpy.einsum("ij,jk->ik", a, a).tolist())

    def test_names_may_be_lists_of_whole_numbers(self):
        a, b = numbers((2, 3), "float32", 1), numbers((3, 4), "float32", 2)
        ours = prism.asarray(a), prism.asarray(b)
        for lists in (([0, 1], [1, 2], [2, 0]), ([30, 1], [1, 5]), ([0, 1], [1, 2], [])):
            wanted = numpy.einsum(a, lists[0], b, *lists[1:])
            numpy.testing.assert_allclose(prism.einsum(ours[0], lists[0], ours[1], *lists[1:]).tolist(), wanted, rtol=1e-5)
        numpy.testing.assert_allclose(prism.einsum(ours[0], [..., 1], [1, ...]).tolist(), numpy.einsum(a, [..., 1], [1, ...]), rtol=1e-5)
        with self.assertRaisesRegex(ValueError, "a name is a whole number from 0 to 51"):
            prism.einsum(ours[0], [0, 52])

    def test_wrong_calls_say_what_is_wrong(self):
        x = prism.ones((2, 3), dtype="float32")
        for error, words, call in ((ValueError, "has 2 elements; another has 3", lambda: prism.einsum("ij,jk", x, x)), (ValueError, "column", lambda: prism.einsum("i%", x)),
                                   (TypeError, "prism.asarray", lambda: prism.einsum("i", [1])), (TypeError, "is a text", lambda: prism.einsum(3, x)),
                                   (ValueError, "no array", lambda: prism.einsum("i")), (ValueError, "operand|dimension", lambda: prism.einsum("i", x))):
            with self.assertRaisesRegex(error, words):
                call()


unittest.main()
