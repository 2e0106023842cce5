"""The quantum field in Python on every device: python_quantum_field_test.py PACKAGE_FOLDER."""
import cmath
import math
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism
from prism import quantum_field as q

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

FALLBACK = """
import logging, sys
sys.path.insert(0, sys.argv[1])
logging.basicConfig(format="%(message)s", stream=sys.stdout)
from prism import quantum_field as q
print("first", q.get_backend().name)
print("sum", round(sum(map(sum, q.generate_quantum_field(8, 8, "love", 0.0).tolist())), 4))
"""
VULKAN = """
import sys
sys.path.insert(0, sys.argv[1])
from prism import devices, quantum_field as q
if not any(each.backend == "vulkan" for each in devices()):
    sys.exit(77)
field = q.get_backend("vulkan").generate_quantum_field(8, 8, "love", 0.0)
assert field.device.backend == "vulkan", field.device
print(sum(map(sum, field.tolist())))
"""


def points(width, height):
    return [[(-1 + 2 * i / (width - 1), -1 + 2 * j / (height - 1)) for i in range(width)] for j in range(height)]


def field_at(x, y, hertz, time):
    distance = math.hypot(x, y) * q.PHI
    return math.sin(distance * 0.01 * hertz + math.atan2(y, x) * q.PHI + time * q.PHI ** q.PHI) * math.exp(-distance / q.PHI)


def pattern_at(x, y):
    radius = math.hypot(x, y)
    turns = math.log(max(radius, 1e-3)) / math.log(q.PHI) - math.atan2(y, x) * 2 / math.pi
    return math.cos(2 * math.pi * turns) * (1 - math.exp(-64 * radius * radius))


class Constant(q.AcceleratorBackend):
    """A field that is the same everywhere, for a machine of its own."""
    name = "constant"
    priority = 99
    ended = False

    def is_available(self):
        return True

    def get_capabilities(self):
        return dict.fromkeys(("thread_block_clusters", "multi_device", "async_execution", "tensor_cores", "half_precision"), False)

    def generate_quantum_field(self, width, height, frequency_name, time_factor):
        return [[1.0] * width] * height

    def calculate_field_coherence(self, field_data):
        return 1.0

    def generate_phi_pattern(self, width, height):
        raise prism.UnsupportedError("it has no patterns")

    def shutdown(self):
        self.ended = True


class Fields(unittest.TestCase):
    def each(self):
        made = q.detect_available_backends()
        self.assertGreaterEqual(len(made), 1)
        return made

    def test_fields_of_every_backend_are_right_and_one_launch(self):
        for backend in self.each():
            for name, time in (("love", 0.0), ("unity", 1.25)):
                field = backend.generate_quantum_field(31, 20, name, time)
                self.assertEqual((field.shape, field.dtype), ((20, 31), prism.float32))
                self.assertIn("1 launch", field.explain())
                for row, wanted in zip(field.tolist(), points(31, 20)):
                    for value, (x, y) in zip(row, wanted):
                        self.assertAlmostEqual(value, field_at(x, y, q.FREQUENCIES[name], time), delta=2e-5, msg=backend.name)

    def test_coherence_and_pattern_of_every_backend_are_right(self):
        for backend in self.each():
            field = backend.generate_quantum_field(64, 48, "heart", 0.5)
            values = [each for row in field.tolist() for each in row]
            wanted = abs(sum(cmath.exp(1j * math.pi * each) for each in values)) / len(values)
            self.assertAlmostEqual(backend.calculate_field_coherence(field), wanted, 5)
            self.assertAlmostEqual(backend.calculate_field_coherence([[0.5, 0.5]]), 1, 5)
            for row, wanted in zip(backend.generate_phi_pattern(16, 15).tolist(), points(16, 15)):
                for value, (x, y) in zip(row, wanted):
                    self.assertAlmostEqual(value, pattern_at(x, y), delta=2e-4, msg=backend.name)

    def test_backends_are_found_by_priority_and_by_name(self):
        found = self.each()
        self.assertEqual([each.priority for each in found], sorted((each.priority for each in found), reverse=True))
        self.assertIs(q.get_backend(), found[0])
        self.assertEqual(q.get_backend("cpu").generate_quantum_field(4, 4, "love", 0.0).device.backend, "host")
        with self.assertRaisesRegex(LookupError, "no backend \"cuda\" here; there are .*cpu"):
            q.get_backend("cuda")

    def test_capabilities_have_their_five_names(self):
        for backend in self.each():
            caps = backend.get_capabilities()
            self.assertEqual(set(caps), {"thread_block_clusters", "multi_device", "async_execution", "tensor_cores", "half_precision"})
            self.assertTrue(all(isinstance(each, bool) for each in caps.values()))

    def test_an_added_backend_is_preferred_and_one_that_cannot_hands_over(self):
        mine = Constant()
        q.register_backend(mine)
        try:
            self.assertIs(q.get_backend(), mine)
            self.assertEqual(q.generate_quantum_field(2, 1, "love", 0.0), [[1.0, 1.0]])
            with self.assertLogs("prism.quantum_field") as seen:
                self.assertEqual(q.generate_phi_pattern(4, 4).shape, (4, 4))
            self.assertIn("constant failed, the next is tried: it has no patterns", seen.output[0])
            with self.assertRaisesRegex(ValueError, "already"):
                q.register_backend(Constant())
        finally:
            q.unregister_backend("constant")
        self.assertTrue(mine.ended)
        with self.assertRaisesRegex(TypeError, "AcceleratorBackend"):
            q.register_backend(object())

    def test_a_device_that_fails_hands_over_to_the_next_with_a_line_in_the_log(self):
        names = [each.name for each in self.each()]
        if names[0] == "cpu" or "cpu" not in names:
            self.skipTest("the host device comes first here: no other to fail")
        backend = q.get_backend()._device().backend
        done = subprocess.run([sys.executable, "-B", "-c", FALLBACK, str(FOLDER)], capture_output=True, text=True,
                              env={**os.environ, "PRISM_WRAP": f"{backend}:fault(fail=1+)"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"first {names[0]}", done.stdout)
        self.assertIn(f"the backend {names[0]} failed, the next is tried", done.stdout)
        right = round(sum(field_at(x, y, 528, 0) for row in points(8, 8) for x, y in row), 4)
        self.assertAlmostEqual(float(done.stdout.split("sum ")[1]), right, 3)

    def test_wrong_arguments_are_named(self):
        backend = q.get_backend("cpu")
        with self.assertRaisesRegex(ValueError, "'hate'; there are ground, love"):
            backend.generate_quantum_field(4, 4, "hate", 0)
        with self.assertRaisesRegex(ValueError, "the width of a field in points is a whole number from 1 to [0-9]+, not 0"):
            q.generate_quantum_field(0, 4, "love", 0)
        with self.assertRaisesRegex(TypeError, "the time factor of a field, in seconds, is a number, not 'now'"):
            backend.generate_quantum_field(4, 4, "love", "now")
        with self.assertRaisesRegex(ValueError, "without points"):
            backend.calculate_field_coherence(prism.zeros((0, 4), dtype=prism.float32))


    def test_the_backend_of_vulkan_is_found_by_name(self):
        done = subprocess.run([sys.executable, "-B", "-c", VULKAN, str(FOLDER)], capture_output=True, text=True,
                              env={**os.environ, "PRISM_DEVICE_SELECTOR": "vulkan:name=llvmpipe"})
        if done.returncode == 77:
            self.skipTest("no Vulkan device llvmpipe (mesa-vulkan-drivers)")
        self.assertEqual(done.returncode, 0, done.stderr)
        right = round(sum(field_at(x, y, 528, 0) for row in points(8, 8) for x, y in row), 4)
        self.assertAlmostEqual(float(done.stdout), right, 3)


class Exchange(unittest.TestCase):
    def test_a_capsule_comes_back_as_the_field(self):
        for backend in q.detect_available_backends():
            field = backend.generate_quantum_field(8, 4, "love", 0.0)
            back = backend.from_dlpack(backend.to_dlpack(field))
            self.assertEqual(back.device, field.device)
            self.assertEqual(back.tolist(), field.tolist())

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_numpy_reads_the_field_of_the_host_where_it_is(self):
        field = q.get_backend("cpu").generate_quantum_field(8, 4, "love", 0.0)
        seen = numpy.from_dlpack(field)
        self.assertEqual(seen.tolist(), field.tolist())

    @unittest.skipIf(torch is None, "no PyTorch")
    def test_a_network_of_pytorch_reads_the_field(self):
        backend = q.get_backend("cpu")
        field = backend.generate_quantum_field(32, 32, "love", 0.0)
        tensor = torch.utils.dlpack.from_dlpack(backend.to_dlpack(field))
        model = torch.nn.Conv2d(1, 1, 3, padding=1, bias=False)
        torch.nn.init.constant_(model.weight, 1 / 9)
        with torch.no_grad():
            out = model(tensor.unsqueeze(0).unsqueeze(0))
        result = backend.from_dlpack(torch.utils.dlpack.to_dlpack(out.contiguous()))
        self.assertAlmostEqual(float(result[0, 0, 5, 5]), float(prism.mean(field[4:7, 4:7])), 5)


unittest.main()
