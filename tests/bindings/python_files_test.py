"""Files of arrays in the package `prism` against NumPy, on the device of PRISM_DEVICE_SELECTOR: python_files_test.py PACKAGE_FOLDER."""
import io
import os
import pathlib
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

try:
    import numpy
except ImportError:
    print("skipped: needs NumPy")
    sys.exit(77)
TYPES = [each for each in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")
         if prism.Device().has("fp64") or each not in ("float64", "complex128")]


def example(shape, kind, seed=1):
    random = numpy.random.default_rng(seed)
    if kind == "bool":
        return random.random(shape) < 0.5
    if kind[0] in "iu":
        return random.integers(0, 100, shape).astype(kind)
    numbers = random.standard_normal(shape)
    return (numbers + 1j * random.standard_normal(shape)).astype(kind) if kind[0] == "c" else numbers.astype(kind)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def assertSame(self, ours, theirs):
        ours = numpy.asarray(ours)
        self.assertEqual((ours.dtype, ours.shape), (theirs.dtype.newbyteorder("="), theirs.shape))
        numpy.testing.assert_array_equal(ours, theirs)

    def test_open_files_are_written_and_read(self):
        x, file = example((3, 4), TYPES[0]), io.BytesIO()
        prism.save(file, prism.asarray(x))
        self.assertSame(numpy.load(io.BytesIO(file.getvalue())), x)
        self.assertSame(prism.load(io.BytesIO(file.getvalue())), x)
        for write in (prism.savez, prism.savez_compressed):
            archive = io.BytesIO()
            write(archive, prism.asarray(x), b=prism.asarray(x[0]))
            self.assertSame(numpy.load(io.BytesIO(archive.getvalue()))["arr_0"], x)
            self.assertSame(prism.load(io.BytesIO(archive.getvalue()))["b"], x[0])
        with self.assertRaises(ValueError):
            prism.load(io.BytesIO(b"no array"))

    def test_numpy_reads_every_type_and_shape_that_prism_writes(self):
        path = self.folder / "x.npy"
        for kind in TYPES:
            for shape in ((), (0,), (3,), (2, 0, 4), (2, 3, 4), (1,) * 8):
                theirs = example(shape, kind)
                prism.save(path, prism.asarray(theirs))
                read = numpy.load(path)
                self.assertEqual((read.dtype, read.shape), (theirs.dtype, theirs.shape))
                numpy.testing.assert_array_equal(read, theirs)

    def test_numpy_reads_views_and_recorded_expressions_that_prism_writes(self):
        theirs, path = example((4, 6), "float32"), self.folder / "x.npy"
        ours = prism.asarray(theirs)
        for make in (lambda x: x[::-1, ::2], lambda x: x.T, lambda x: x[1:3, 2] * 2 + 1, lambda x: x[:0]):
            prism.save(path, make(ours))
            numpy.testing.assert_allclose(numpy.load(path), make(theirs), rtol=1e-6)

    def test_prism_reads_every_type_byte_order_and_element_order_that_numpy_writes(self):
        path = self.folder / "x.npy"
        for kind in TYPES:
            for order in "<>":
                for shape in ((), (0,), (5,), (3, 0), (2, 3, 4)):
                    theirs = example(shape, kind)
                    theirs = theirs.astype(theirs.dtype.newbyteorder(order))
                    for each in (theirs, numpy.asfortranarray(theirs)):
                        numpy.save(path, each)
                        self.assertSame(prism.load(path), each)

    def test_archives_pass_both_ways_by_name_in_order(self):
        named = {"b": example((3, 2), "float32"), "a": example((), "int64"), "empty": example((0, 2), "complex64"), "mask": example(7, "bool")}
        ours = {name: prism.asarray(each) for name, each in named.items()}
        for write, their_write in ((prism.savez, numpy.savez), (prism.savez_compressed, numpy.savez_compressed)):
            path = str(self.folder / write.__name__)
            write(path, ours["b"], **ours)
            with numpy.load(path + ".npz") as read:
                self.assertEqual(read.files, ["arr_0", *named])
                for name, each in named.items():
                    self.assertSame(read[name], each)
            their_write(path, **named)
            with prism.load(path + ".npz") as read:
                self.assertEqual((read.files, len(read), "a" in read, "c" in read), ([*named], 4, True, False))
                for name, each in named.items():
                    self.assertSame(read[name], each)

    def test_an_archive_has_as_many_arrays_as_are_given(self):
        path = self.folder / "many.npz"
        prism.savez(path, *(prism.full((2,), i, dtype="int32") for i in range(40)))
        read = prism.load(path)
        self.assertEqual([read[f"arr_{i}"].tolist() for i in range(40)], [[i, i] for i in range(40)])
        prism.savez(path)
        self.assertEqual((dict(prism.load(path)), numpy.load(path).files), ({}, []))

    def test_a_path_gets_the_suffix_that_numpy_adds(self):
        prism.save(self.folder / "a", prism.ones(2, dtype="float32"))
        prism.save(os.fsencode(self.folder / "b.npy").decode(), prism.ones(2, dtype="float32"))
        prism.savez(self.folder / "ä", x=prism.ones(2, dtype="float32"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy", "ä.npz"])
        self.assertEqual(prism.load(self.folder / "ä.npz")["x"].tolist(), [1, 1])

    def test_what_the_system_refuses_is_an_error_of_the_system(self):
        x, missing = prism.ones(2, dtype="float32"), self.folder / "none" / "x"
        for call in (lambda: prism.save(missing, x), lambda: prism.savez(missing, x), lambda: prism.load(missing)):
            with self.assertRaisesRegex(FileNotFoundError, "none/x"):
                call()
        with self.assertRaises(IsADirectoryError):
            prism.load(self.folder)

    def test_wrong_content_is_refused_with_the_path_and_the_reason(self):
        numpy.save(self.folder / "good.npy", numpy.arange(6.0, dtype="f4"))
        good = (self.folder / "good.npy").read_bytes()
        numpy.savez(self.folder / "good.npz", x=numpy.arange(6.0, dtype="f4"))
        archive = (self.folder / "good.npz").read_bytes()
        wrong = {"empty": b"", "text": b"no array", "short": good[:-1], "header": good[:20], "version": good[:6] + b"\x09" + good[7:],
                 "type": good.replace(b"<f4", b"<f2"), "archive": archive[:-30], "checksum": archive.replace(b"\x00\x00\x80?", b"\x00\x00\x81?"),
                 "object": good.replace(b"'<f4'", b"'|O' ")}
        for name, content in wrong.items():
            path = self.folder / name
            path.write_bytes(content)
            with self.assertRaisesRegex(prism.Error, f"{path}: .{{8}}") as why:
                prism.load(path)
            self.assertIsInstance(why.exception, ValueError)

    def test_wrong_arguments_are_named(self):
        x = prism.ones(2, dtype="float32")
        for call in (lambda: prism.save(3, x), lambda: prism.save(self.folder / "x", "y"), lambda: prism.load(None), lambda: prism.savez(self.folder / "x", [1])):
            with self.assertRaisesRegex(TypeError, "save|load"):
                call()
        with self.assertRaisesRegex(ValueError, "zero byte"):
            prism.save("a\0b", x)
        with self.assertRaisesRegex(ValueError, "arr_0"):
            prism.savez(self.folder / "x", x, arr_0=x)
        with self.assertRaisesRegex(TypeError, "prism.asarray"):
            prism.sin("x")


unittest.main()
