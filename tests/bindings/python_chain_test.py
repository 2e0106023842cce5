"""Backends as objects, detection, selection, the chain and a remote backend in Python: python_chain_test.py PACKAGE_FOLDER."""
import logging
import os
import pathlib
import platform
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism
from prism import backend
from prism.backend import Backend, CPUBackend, CPUDevice, GPUBackend, GPUDevice, OperationProperties, ReferenceBackend, RemoteBackend

GPUS = [each for each in prism.devices() if each.type == "gpu"]


class Broken(Backend):
    """A backend whose device fails."""

    def __init__(self):
        self.calls = 0

    def execute(self, operation, inputs):
        self.calls += 1
        raise prism.Error("the device is lost")

    def is_available(self):
        return True

    def get_capabilities(self):
        return {}


class Detection(unittest.TestCase):
    def test_the_machine_is_described(self):
        info = prism.detect_devices()
        self.assertGreaterEqual(info.cpu_cores, 1)
        self.assertGreater(info.memory_limit_bytes, 1 << 20)
        self.assertEqual((info.gpu_count, info.platform_system), (len(GPUS), platform.system()))
        self.assertEqual((len(info.gpu_names), len(info.gpu_memory_bytes)), (info.gpu_count, info.gpu_count))
        flags = pathlib.Path("/proc/cpuinfo").read_text() if pathlib.Path("/proc/cpuinfo").exists() else ""
        if platform.machine() == "x86_64" and flags:
            self.assertEqual(info.has_avx2, " avx2" in flags)
            self.assertEqual(info.has_avx512, " avx512f" in flags)
        self.assertFalse(info.has_neon and info.has_avx2)

    def test_a_selector_forces_a_backend_only_if_it_leaves_no_other(self):
        program = "import prism; print(prism.detect_devices().forced_backend, *sorted({each.backend for each in prism.devices()}))"
        for selector in ("", "host", "cpu", "host;opencl", "*"):
            done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PRISM_DEVICE_SELECTOR": selector, "PYTHONPATH": str(FOLDER)})
            self.assertEqual(done.returncode, 0, done.stderr)
            forced, *left = done.stdout.split()
            self.assertEqual(forced, left[0] if selector and len(left) == 1 else "None", f"{selector}: {left}")
            if selector == "host":
                self.assertEqual(left, ["host"])

    def test_backends_of_prism_have_names_types_and_libraries(self):
        names = prism.get_available_backends()
        self.assertIn("host", names)
        self.assertTrue(prism.is_backend_available("host") and not prism.is_backend_available("cuda"))
        for name in names:
            info = prism.get_backend_info(name)
            self.assertTrue(info["display_name"] and info["type"] and info["available"])
            self.assertIsInstance(info["required_libs"], list)
        self.assertTrue(prism.is_backend_available("cpu"))
        self.assertEqual(prism.get_backend_info("cpu"), prism.get_backend_info("host"))
        with self.assertRaisesRegex(LookupError, "no backend \"cuda\"; there are .*host"):
            prism.get_backend_info("cuda")

    def test_limits_and_data_types_are_those_of_the_devices(self):
        host = prism.Device("host")
        self.assertEqual(prism.supports_data_type("host", "fp64"), host.has("fp64"))
        self.assertFalse(prism.supports_data_type("host", "fp4"))
        self.assertEqual(prism.get_max_shared_memory("host"), host.limit("local_memory"))
        self.assertGreater(prism.get_max_memory("host"), 1 << 20)
        with self.assertRaisesRegex(LookupError, "cuda"):
            prism.supports_data_type("cuda", "fp64")

    def test_backends_can_be_reordered_by_a_number(self):
        before = prism.get_backend_info("host")["priority"]
        self.addCleanup(prism.set_device_priority, "host", before)
        prism.set_device_priority("host", 1000)
        self.assertEqual(prism.get_available_backends()[0], "host")


class Selection(unittest.TestCase):
    def test_the_named_backend_is_selected(self):
        chosen = prism.select_backend(backend_name="cpu", op_props=OperationProperties("elementwise_add", 1024, False), device_info=prism.detect_devices())
        self.assertIsInstance(chosen, CPUBackend)
        self.assertIsInstance(prism.select_backend("reference"), ReferenceBackend)

    def test_without_a_name_the_chain_decides(self):
        self.addCleanup(prism.set_backend_priority, ["gpu", "cpu", "reference"])
        if not GPUS:
            self.assertIsInstance(prism.select_backend(op_props=OperationProperties("matmul", 1 << 30)), CPUBackend)
        prism.set_backend_priority(["reference", "cpu"])
        self.assertIsInstance(prism.select_backend(), ReferenceBackend)

    @unittest.skipIf(GPUS, "this machine has a GPU")
    def test_an_operation_that_requires_a_gpu_is_refused_where_there_is_none(self):
        with self.assertRaisesRegex(prism.UnsupportedError, "requires a GPU.*host"):
            prism.select_backend(op_props=OperationProperties("conv2d", 1 << 20, requires_gpu=True))
        with self.assertRaisesRegex(LookupError, "there is no GPU 0.*host"):
            GPUDevice()
        with self.assertRaisesRegex(LookupError, "\"gpu\" is not available; available are cpu, reference"):
            prism.select_backend("gpu")
        self.assertFalse(GPUBackend().is_available())
        with self.assertRaisesRegex(prism.NotFoundError, "^there is no device \"gpu\"\n  devices of this machine: host"):
            prism.Tensor([1]).to_device("gpu")

    def test_wrong_names_are_refused_with_what_there_is(self):
        for call in (prism.select_backend, prism.set_backend, lambda name: prism.set_backend_priority([name]), backend.get_backend):
            with self.assertRaisesRegex(LookupError, "no backend \"tpu\"; there are cpu, gpu, reference"):
                call("tpu")
        with self.assertRaisesRegex(ValueError, "once"):
            prism.set_backend_priority(["cpu", "cpu"])
        with self.assertRaisesRegex(LookupError, "CPU device 1"):
            CPUDevice(1)


class Execution(unittest.TestCase):
    def test_cpu_and_reference_agree(self):
        cpu, reference = CPUBackend(), ReferenceBackend()
        a, b = [[1.0, -2.0], [3.5, 4.0]], [[0.5, 1.0], [2.0, -1.0]]
        for operation, inputs in (("add", [a, b]), ("sub", [a, b]), ("mul", [a, b]), ("div", [a, b]), ("matmul", [a, b]), ("maximum", [a, b]),
                                  ("relu", [a]), ("exp", [a]), ("abs", [a]), ("sum", [a])):
            fast, slow = cpu.execute(operation, inputs), reference.execute(operation, inputs)
            for x, y in zip(prism.reshape(prism.asarray(fast), (-1,)).tolist(), prism.reshape(prism.asarray(slow), (-1,)).tolist()):
                self.assertAlmostEqual(x, y, 12, operation)
        self.assertEqual(ReferenceBackend.add([1, 2, 3], [4, 5, 6]), [5, 7, 9])
        with self.assertRaisesRegex(prism.UnsupportedError, "fly.*add"):
            cpu.execute("fly", [a])
        with self.assertRaisesRegex(ValueError, "2 and 1 elements"):
            reference.execute("add", [[1, 2], [1]])

    def test_a_wrong_number_of_operands_is_named(self):
        for each in (CPUBackend(), ReferenceBackend()):
            with self.assertRaisesRegex(prism.InvalidError, "\"add\" takes a list of 2 operands, not of 1"):
                each.execute("add", [[1]])
            with self.assertRaisesRegex(prism.InvalidError, "\"relu\" takes a list of 1 operand, not of 2"):
                each.execute("relu", [[1], [2]])

    def test_a_failure_names_no_function_of_the_c_interface(self):
        for call in (lambda: prism.matmul(prism.ones((3, 4)), prism.ones((3, 4))), lambda: prism.Device("nonsense"), lambda: prism.decide("colour=red"),
                     lambda: prism.library("/no/such.so"), lambda: prism.Device("host").limit("colour")):
            with self.assertRaises(prism.Error) as caught:
                call()
            self.assertNotRegex(str(caught.exception), "^prism_")

    def test_the_cpu_names_its_simd_level(self):
        caps, info = CPUBackend().get_capabilities(), prism.detect_devices()
        wanted = "AVX-512" if info.has_avx512 else "AVX2" if info.has_avx2 else "NEON" if info.has_neon else "scalar"
        self.assertEqual((caps["simd_level"], caps["threads"], caps["fp64_support"]), (wanted, info.cpu_cores, True))

    def test_tensor_is_a_name_of_the_array(self):
        out = prism.Tensor([1, 2, 3]) + prism.Tensor([4, 5, 6])
        self.assertIsInstance(out, prism.Tensor)
        self.assertIsInstance(out, prism.Array)
        self.assertEqual(out.tolist(), [5, 7, 9])
        self.assertEqual(prism.Tensor(range(3)).tolist(), [0, 1, 2])
        self.assertNotIsInstance([1], prism.Tensor)

    def test_arrays_move_between_every_two_devices(self):
        for source in prism.devices():
            for target in prism.devices():
                x = prism.reshape(prism.arange(3_000_000, dtype=prism.float32, device=source), (3, -1))[1:, ::2] # 4 MB, not contiguous
                moved = x.to_device(target)
                self.assertEqual(moved.device, target)
                self.assertEqual(float(moved[1, -1]), float(x[1, -1]), (source, target))
                self.assertEqual(moved.to_device("host").tobytes(), x.tobytes(), (source, target))


class Chain(unittest.TestCase):
    def setUp(self):
        self.addCleanup(prism.set_backend_priority, ["gpu", "cpu", "reference"])
        self.addCleanup(prism.set_backend, None)

    def add(self, name, made):
        prism.register_backend(name, made)
        self.addCleanup(prism.unregister_backend, name)
        return made

    def test_a_failing_backend_hands_over_with_a_line_in_the_log(self):
        broken = self.add("broken", Broken())
        prism.set_backend_priority(["broken", "reference"])
        with self.assertLogs("prism.backends", logging.WARNING) as seen:
            self.assertEqual(backend.execute("add", [[1], [2]]), [3])
        self.assertEqual(broken.calls, 1)
        self.assertIn("broken failed, the next is tried: the device is lost", seen.output[0])

    def test_a_backend_that_is_set_hands_over_to_none(self):
        self.add("broken", Broken())
        prism.set_backend("broken")
        with self.assertRaisesRegex(prism.Error, "the device is lost"):
            backend.execute("add", [[1], [2]])

    def test_where_all_fail_each_reason_is_named(self):
        self.add("broken", Broken())
        prism.set_backend_priority(["broken"])
        with self.assertLogs("prism.backends", logging.WARNING), self.assertRaisesRegex(prism.Error, "(?s)could run \"add\".*broken: the device is lost"):
            backend.execute("add", [[1], [2]])

    def test_a_mistake_of_the_program_is_not_handed_over(self):
        prism.set_backend_priority(["reference", "cpu"])
        with self.assertRaisesRegex(ValueError, "elements"):
            backend.execute("add", [[1, 2], [1]])
        prism.set_backend_priority(["cpu", "reference"])
        with self.assertRaises(prism.InvalidError):
            backend.execute("add", [[1, 2], [1, 2, 3]])

    def test_a_class_registers_as_a_backend_and_auto_is_the_one_in_use(self):
        self.add("broken", Broken)
        self.assertIsInstance(backend.get_backend("broken"), Broken)
        prism.set_backend_priority(["broken", "cpu"])
        self.assertIs(backend.get_backend(), backend.get_backend("broken"))
        prism.set_backend("reference")
        self.assertIsInstance(backend.get_backend("auto"), ReferenceBackend)
        with self.assertRaisesRegex(ValueError, "the name by which get_backend chooses"):
            prism.register_backend("auto", Broken())

    def test_registration_refuses_what_is_no_backend_and_taken_names(self):
        with self.assertRaisesRegex(TypeError, "prism.Backend"):
            prism.register_backend("x", object())
        with self.assertRaisesRegex(ValueError, "already"):
            prism.register_backend("cpu", Broken())
        with self.assertRaisesRegex(ValueError, "built in"):
            prism.unregister_backend("cpu")
        with self.assertRaises(TypeError):
            Backend()

    def test_a_remote_backend_computes_and_its_end_is_noticed(self):
        server = backend.serve_backend(ReferenceBackend())
        remote = self.add("remote", RemoteBackend(server.url, timeout=20))
        self.assertTrue(remote.is_available())
        self.assertIn("add", remote.get_capabilities()["operations"])
        prism.set_backend("remote")
        self.assertEqual(backend.execute("matmul", [[[1, 2], [3, 4]], prism.asarray([[1, 0], [0, 1]])]), [[1, 2], [3, 4]])
        with self.assertRaisesRegex(prism.UnsupportedError, "no operation \"fly\""):
            backend.execute("fly", [1])
        with self.assertRaisesRegex(prism.Error, "ValueError: reference: operands"):
            backend.execute("add", [[1, 2], [1]])
        server.shutdown()
        server.server_close()
        self.assertFalse(remote.is_available())
        with self.assertRaisesRegex(ConnectionError, "does not answer /execute.*start its server .*or choose another backend by set_backend"):
            backend.execute("add", [[1], [2]])
        prism.set_backend(None)
        prism.set_backend_priority(["remote", "cpu"])
        with self.assertLogs("prism.backends", logging.WARNING) as seen:
            self.assertEqual(backend.execute("add", [[1], [2]]).tolist(), [3])
        self.assertIn("remote", seen.output[0])


unittest.main()
