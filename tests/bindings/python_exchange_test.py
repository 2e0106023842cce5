"""Arrays of the package `prism` for other libraries, and theirs for PRISM, on the device of PRISM_DEVICE_SELECTOR: python_exchange_test.py
PACKAGE_FOLDER."""
import copy
import gc
import pathlib
import sys
import threading
import unittest
import weakref
import zlib

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None
ON_HOST = prism.Device().backend == "host"
F = prism.float32 # every device has it


class Producer:
    """An array of a library that knows versions of DLPack only from 1.0 on, or none."""

    def __init__(self, array, versioned):
        self.array, self.versioned = array, versioned

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **asked):
        if not self.versioned and asked:
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**asked)


class DLPack(unittest.TestCase):
    @unittest.skipUnless(numpy, "needs NumPy")
    def test_asarray_without_a_copy_refuses_what_only_a_copy_gives(self):
        bools, fixed = numpy.ones(3, bool), numpy.arange(3.0)
        fixed.flags.writeable = False
        for values in (fixed, [1, 2], 3):
            with self.assertRaisesRegex(ValueError, "copy=False"):
                prism.asarray(values, copy=False)
        try:
            prism.asarray(bools, copy=False) # from NumPy 1.25 on
        except ValueError as why:
            self.assertIn("copy=False", str(why))

    def test_an_array_comes_back_without_a_copy_with_and_without_versions(self):
        x = prism.asarray([[1, 2, 3], [4, 5, 6]], dtype=F)
        for versioned in (False, True):
            y = prism.from_dlpack(Producer(x.T, versioned))
            self.assertEqual((y.tolist(), y.dtype, y.device), ([[1, 4], [2, 5], [3, 6]], F, x.device))
            y[0, 1] = 40
            self.assertEqual(x[1, 0].item(), 40)
            x[1, 0] = 4
        self.assertIn("versioned", repr(x.__dlpack__(max_version=(1, 0))))
        self.assertNotIn("versioned", repr(x.__dlpack__(max_version=(0, 8))))

    def test_memory_of_another_device_is_named_and_not_copied_against_the_will(self):
        x = prism.ones(3, dtype=F)
        if ON_HOST:
            with self.assertRaisesRegex(BufferError, r"not on \(2, 0\)"):
                x.__dlpack__(dl_device=(2, 0))
        else:
            self.assertIn(x.__dlpack_device__()[0], (4, 7)) # kDLOpenCL, kDLVulkan
            with self.assertRaises(BufferError):
                x.__dlpack__(dl_device=(1, 0), copy=False)
            with self.assertRaisesRegex(BufferError, "another device"):
                memoryview(x)

    def test_a_copy_on_request_shares_nothing(self):
        x = prism.ones(3, dtype=F)
        y = prism.from_dlpack(x, copy=True) if ON_HOST else x.copy()
        y[0] = 7
        self.assertEqual(x.tolist(), [1, 1, 1])

    def test_elements_of_every_device_are_copied_to_the_host_if_that_is_asked(self):
        if not any(each.backend == "host" for each in prism.devices()):
            self.skipTest(f"{prism.Device()} is the only device here")
        for device in prism.devices():
            with self.subTest(device=str(device)):
                x = prism.asarray([1.0, 2.0], dtype=F, device=device)
                y = prism.from_dlpack(x, device="host")
                self.assertEqual((y.device.backend, y.tolist()), ("host", [1.0, 2.0]))
                if device.backend != "host":
                    with self.assertRaises(BufferError):
                        prism.from_dlpack(x, device="host", copy=False)

    def test_a_capsule_can_be_used_once(self):
        capsule = prism.ones(3, dtype=F).__dlpack__()

        class Same:
            def __dlpack_device__(self):
                return prism.ones(1, dtype=F).__dlpack_device__()

            def __dlpack__(self, **asked):
                return capsule
        self.assertEqual(prism.from_dlpack(Same()).tolist(), [1, 1, 1])
        with self.assertRaisesRegex(BufferError, "was used"):
            prism.from_dlpack(Same())

    def test_memory_lives_as_long_as_capsules_that_nobody_takes(self):
        try:
            made = prism.Memory.of([1.0, 2.0], F)
        except prism.UnsupportedError:
            self.skipTest(f"{prism.Device().name} has no memory that the host can read")
        watch = weakref.ref(made)
        capsules = [made.__dlpack__(), made.__dlpack__(max_version=(1, 0))]
        del made
        gc.collect()
        self.assertIsNotNone(watch())
        capsules.clear()
        gc.collect()
        self.assertIsNone(watch())

    @unittest.skipUnless(numpy and ON_HOST, "needs NumPy and the host device")
    def test_numpys_elements_are_used_where_they_are(self):
        theirs = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        ours = prism.from_dlpack(theirs)
        theirs[0, 0] = 9
        self.assertEqual(ours[0, 0].item(), 9)
        ours[1, 2] = 8
        self.assertEqual(ours[1, 2].item(), 8) # waits for the write
        self.assertEqual(theirs[1, 2], 8)
        self.assertEqual(prism.asarray(numpy.asfortranarray(theirs), copy=False).tolist(), theirs.tolist())
        copied = prism.asarray(theirs)
        theirs[0, 0] = 1
        self.assertEqual(copied[0, 0].item(), 9)

    @unittest.skipUnless(numpy and ON_HOST, "needs NumPy and the host device")
    def test_another_librarys_memory_is_freed_on_the_last_use_whatever_the_thread(self):
        freed = []

        class Watched(numpy.ndarray):
            def __del__(self):
                freed.append(threading.get_ident())
        theirs = numpy.ones(1000).view(Watched)
        ours = prism.from_dlpack(theirs)
        part = ours[10:20]
        del theirs, ours
        gc.collect()
        self.assertEqual(freed, [])
        kept = [part]
        del part
        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()
        gc.collect()
        self.assertEqual(len(freed), 1)

    @unittest.skipUnless(numpy and ON_HOST, "needs NumPy and the host device")
    def test_what_arrives_read_only_is_copied_or_refused(self):
        theirs = numpy.arange(3.0)
        theirs.flags.writeable = False
        try:
            theirs.__dlpack__(max_version=(1, 0))
        except (TypeError, BufferError):
            self.skipTest(f"NumPy {numpy.__version__} exports no read-only arrays by DLPack")
        ours = prism.from_dlpack(theirs)
        ours[0] = 5
        self.assertEqual(theirs[0], 0)
        with self.assertRaisesRegex(BufferError, "read-only"):
            prism.from_dlpack(theirs, copy=False)

    @unittest.skipUnless(numpy, "no NumPy")
    def test_types_without_a_counterpart_are_named(self):
        with self.assertRaisesRegex(BufferError, "16"):
            prism.from_dlpack(numpy.ones(3, dtype=numpy.float16))
        with self.assertRaisesRegex(ValueError, "need no copy"):
            prism.asarray([1.0], copy=False)


@unittest.skipIf(torch is None, "no PyTorch (python3-torch)")
class PyTorch(unittest.TestCase):
    """A consumer and producer that is not PRISM's."""

    @unittest.skipUnless(ON_HOST, "PyTorch of processors reads the host's memory")
    def test_a_tensor_of_each_type_shares_the_elements(self):
        for name in ("uint8", "int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128"):
            x = prism.asarray([[1, 2, 3], [4, 5, 6]], dtype=name)
            for array in (x, x.T, x[:, ::2]):
                tensor = torch.from_dlpack(array)
                self.assertEqual((str(tensor.dtype), tuple(tensor.shape), tensor.tolist()), (f"torch.{name}", array.shape, array.tolist()))
            tensor[0, 0] = 9
            self.assertEqual(x.tolist(), [[9, 2, 3], [4, 5, 6]])

    @unittest.skipUnless(ON_HOST, "PyTorch of processors reads the host's memory")
    def test_an_array_over_a_tensor_shares_its_elements_and_keeps_them(self):
        tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        x = prism.from_dlpack(tensor.t(), copy=False)
        tensor[1, 2] = 50
        self.assertEqual(x.tolist(), [[0, 3], [1, 4], [2, 50]])
        x[0, 1] = 30
        self.assertEqual(tensor[1, 0].item(), 30)
        del tensor
        gc.collect()
        self.assertEqual(float(prism.sum(x * 2)), 2 * (0 + 30 + 1 + 4 + 2 + 50))

    @unittest.skipUnless(ON_HOST, "PyTorch of processors reads the host's memory")
    def test_a_tensor_outlives_its_array(self):
        tensor = torch.from_dlpack(prism.ones(1000, dtype=F) + 1)
        gc.collect()
        self.assertEqual(float(tensor.sum()), 2000)

    def test_elements_of_any_device_reach_a_tensor_and_come_back(self):
        x = prism.reshape(prism.arange(12, dtype=F), (3, 4))
        tensor = torch.utils.dlpack.from_dlpack(x.__dlpack__(dl_device=(1, 0))) if any(d.backend == "host" for d in prism.devices()) else torch.tensor(x.tolist())
        twice = prism.asarray(prism.from_dlpack(tensor * 2), device=prism.Device())
        self.assertEqual((twice.device, twice.tolist()), (x.device, (x * 2).tolist()))


class Buffers(unittest.TestCase):
    @unittest.skipUnless(ON_HOST, "the host cannot read this device's memory")
    def test_a_buffer_is_the_array_itself_with_its_strides(self):
        x = prism.reshape(prism.arange(6, dtype=prism.int32), (2, 3))
        view = memoryview(x.T)
        self.assertEqual((view.shape, view.strides, view.format, view.readonly), ((3, 2), (4, 12), "i", False))
        view[2, 1] = 50
        self.assertEqual(x[1, 2].item(), 50)
        self.assertEqual(bytes(x)[:8], b"\0\0\0\0\1\0\0\0")
        self.assertEqual(memoryview(prism.ones((0, 2), dtype=F)).nbytes, 0)
        with self.assertRaisesRegex(BufferError, "contiguous"):
            zlib.crc32(x[:, ::2])

    @unittest.skipUnless(ON_HOST, "the host cannot read this device's memory")
    def test_memory_and_an_array_over_it_share_elements(self):
        m = prism.Memory.of([1.0, 2.0, 3.0])
        from prism._functions import _over_memory
        x = _over_memory(m[::-1])
        x[0] = 7
        self.assertEqual(x.tolist(), [7, 2, 1]) # waits for the write
        self.assertEqual(m.tolist(), [1, 2, 7])
        prism.run("scal", x, alpha=2)
        del m
        gc.collect()
        self.assertEqual(x.tolist(), [14, 4, 2])
        copied = prism.asarray(prism.Memory.of([1.0]))
        copied[0] = 2
        self.assertEqual(copied.tolist(), [2])


class Defaults(unittest.TestCase):
    def test_a_copy_by_the_module_copy_stays_on_the_device(self):
        for device in prism.devices():
            x = prism.ones(3, dtype=F, device=device)
            for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
                made[0] = 7
                self.assertEqual((x.tolist(), made.tolist(), made.device), ([1, 1, 1], [7, 1, 1], device))
        memory = prism.Memory.of([1.0, 2.0], F, device=prism.devices()[-1])
        for made in (copy.copy(memory), copy.deepcopy(memory)):
            self.assertEqual((made.tolist(), made.device), ([1, 2], memory.device))

    def test_arrays_are_made_on_the_device_of_their_scope(self):
        others = [each for each in prism.devices() if each != prism.Device()]
        if not others:
            self.skipTest("one device only")
        before = prism.ones(2, dtype=F).device
        with prism.device(others[0]):
            self.assertEqual(prism.ones(2, dtype=F).device, others[0])
        self.assertEqual(prism.ones(2, dtype=F).device, before)


unittest.main()
