"""Devices by vendor path, policies and decisions in Python: python_selection_test.py PACKAGE_FOLDER."""
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism

CLOUD = FOLDER.parents[1] / "samples/fleet/cloud.yaml"
# The description of the document, as it stands there.
TRAINIUM2 = """
device_type: "aws.trainium2"
compute_units: 128
memory_hierarchy:
  - level: "global"
    size_bytes: 32000000000  # 32GB
    bandwidth_gbps: 820
  - level: "shared"
    size_bytes: 1048576
    bandwidth_gbps: 1200
features:
  - name: "tensor_cores"
    version: 3
    operations:
      - name: "matmul"
        data_types: ["fp32", "fp16", "bf16", "int8"]
      - name: "conv2d"
        data_types: ["fp16", "bf16", "int8"]
  - name: "transformer_engine"
    version: 2
    operations:
      - name: "attention"
        data_types: ["fp16", "bf16"]
"""
SMITH_WATERMAN = prism.Workload("smith-waterman", flops=4.5e12, bytes=1e12, items=1e6)


class Described(unittest.TestCase):
    def setUp(self):
        prism.initialize(CLOUD)
        self.addCleanup(prism.initialize)


class Devices(Described):
    def test_a_vendor_path_selects_a_described_device(self):
        with prism.device(type="nvidia.h100") as inside:
            self.assertEqual(inside.name, "nvidia.h100")
            self.assertEqual(prism.get_device(), inside)
            self.assertEqual(prism.Device(), inside.executes_on)
        self.assertNotEqual(prism.get_device().name, "nvidia.h100")

    def test_a_version_selects_the_generation(self):
        with prism.device("aws.graviton", version=3) as inside:
            self.assertEqual(inside.name, "aws.graviton3")
        with prism.device("aws.graviton", version=4) as inside:
            self.assertEqual(inside.name, "aws.graviton4")

    def test_a_path_of_several_devices_selects_the_fastest(self):
        self.assertEqual(prism.find_device("aws.graviton").name, "aws.graviton4")
        self.assertTrue(prism.find_device("aws").name.startswith("aws."))

    def test_devices_of_this_machine_come_first(self):
        self.assertEqual(prism.find_device("host"), prism.Device("host"))

    def test_a_refusal_lists_what_there_is(self):
        for path, version in (("aws.graviton", 9), ("intel.gaudi", None)):
            with self.assertRaises(prism.NotFoundError) as caught:
                prism.find_device(path, version)
            for part in (path, prism.Device("host").name, "aws.trainium1"):
                self.assertIn(part, str(caught.exception))
        prism.initialize()
        with self.assertRaisesRegex(prism.NotFoundError, r"described devices: none; read some by prism.initialize"):
            prism.find_device("nvidia.h100")

    def test_the_description_of_the_document_loads_as_it_stands(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "hardware_description.yaml"
            file.write_text(TRAINIUM2)
            prism.initialize([CLOUD, file])
        found = prism.find_device("aws.trainium", 2)
        self.assertEqual((found.name, found.type), ("aws.trainium2", "accelerator"))
        self.assertTrue(found.capabilities().has_feature("transformer_engine", 2))
        self.assertEqual(found.capabilities().memory_bytes, 32000000000)

    def test_a_wrong_file_is_named_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wrong.yaml"
            file.write_text("name: x\ndevice_type: cpu\ncompute_units: many\n")
            with self.assertRaisesRegex(prism.InvalidError, r"wrong\.yaml.*compute_units"):
                prism.initialize(file)
            with self.assertRaisesRegex(prism.NotFoundError, "none.yaml"):
                prism.initialize(pathlib.Path(folder) / "none.yaml")
        self.assertTrue(prism.described_devices())

    def test_capabilities_have_versions_types_and_limits(self):
        device = prism.find_device("nvidia.h100")
        caps = device.capabilities()
        self.assertTrue(caps.has_feature("tensor_cores", min_version=2))
        self.assertFalse(caps.has_feature("tensor_cores", min_version=5))
        self.assertFalse(caps.has_feature("time_travel"))
        self.assertTrue(caps.supports_data_type("fp16") and not caps.supports_data_type("fp4"))
        self.assertTrue(caps.meets("memory>=64GiB") and device.has("fp64"))
        self.assertEqual(device.limit("compute_units"), 132)
        with self.assertRaisesRegex(LookupError, "colour"):
            device.limit("colour")
        mine = prism.get_device().capabilities()
        self.assertEqual(mine.has_feature("fp64"), prism.get_device().has("fp64"))

    def test_a_described_device_survives_pickling(self):
        device = prism.find_device("nvidia.a100")
        self.assertEqual(pickle.loads(pickle.dumps(device)).description, device.description)

    def test_every_figure_of_the_shipped_machines_has_a_source(self):
        for each in prism.described_devices():
            figures = {"compute_units", "memory_hierarchy", "peak_gflops", "launch_latency_us"}
            figures |= {name for name in ("transfer_gbps", "price_per_hour", "watts") if each.description[name]}
            self.assertEqual(figures - set(each.description["sources"]), set(), each.name)

    def test_a_process_default_is_set_by_a_policy(self):
        for device in prism.devices():
            self.assertEqual(prism.initialize(policy=f"require={device.backend}"), device)
            self.assertEqual(prism.Device(), device)


class Policies(Described):
    def test_speed_and_cost_select_different_devices(self):
        fast = prism.ExecutionPolicy(priority="speed", max_latency_ms=500, cost_constraint=None)
        cheap = prism.ExecutionPolicy(priority="cost_efficiency", min_throughput=100, max_cost_per_hour=10.0, require=("memory>=30GiB",))
        with prism.execution_policy(fast, SMITH_WATERMAN) as chosen:
            self.assertEqual(chosen.device.name, "nvidia.h100")
            self.assertLess(chosen.predicted_time, 0.5)
        with prism.execution_policy(cheap, SMITH_WATERMAN) as chosen:
            self.assertNotEqual(chosen.device.name, "nvidia.h100")
            self.assertLessEqual(chosen.device.description["price_per_hour"], 10)

    def test_each_limit_excludes_devices(self):
        for limit, excluded in (({"max_latency_ms": 1000}, "aws.graviton3"), ({"max_cost_per_hour": 5}, "nvidia.h100"),
                                ({"cost_constraint": 0.0005}, "nvidia.h100"), ({"max_power": 500}, "nvidia.h100"),
                                ({"min_throughput": 6e7}, "aws.graviton3"), ({"forbid": "aws"}, "aws.graviton3"),
                                ({"prefer": ["nvidia"], "only_preferred": True}, "aws.graviton3")):
            among = prism.described_devices()
            rows = {each["device"]: each for each in prism.decide(prism.ExecutionPolicy(**limit), SMITH_WATERMAN, devices=among).candidates}
            self.assertFalse(rows[excluded]["fits"], (limit, rows[excluded]))

    def test_throughput_is_in_items_a_minute(self):
        self.assertIn("min_throughput=100.0;", str(prism.ExecutionPolicy(min_throughput=6000, max_power=1)))

    def test_policies_nest_and_end(self):
        before = prism.get_device()
        with prism.execution_policy(prism.ExecutionPolicy(require=["nvidia.h100"])) as outer:
            with prism.execution_policy("priority=cost; require=aws.graviton>=4") as inner:
                self.assertEqual(prism.get_device(), inner.device)
                self.assertEqual(inner.device.name, "aws.graviton4")
            self.assertEqual(prism.get_device(), outer.device)
            self.assertIsInstance(prism.current_policy(), prism.ExecutionPolicy)
        self.assertEqual(prism.get_device(), before)
        self.assertIsNone(prism.current_policy())

    def test_each_thread_has_its_own_policy(self):
        seen = {}
        both = threading.Barrier(2)

        def work(path):
            with prism.execution_policy(prism.ExecutionPolicy(require=[path])):
                both.wait(20)
                seen[path] = prism.get_device().name
                both.wait(20)

        threads = [threading.Thread(target=work, args=(path,)) for path in ("nvidia.h100", "aws.graviton3")]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(seen, {"nvidia.h100": "nvidia.h100", "aws.graviton3": "aws.graviton3"})
        self.assertIsNone(prism.current_policy())

    def test_a_policy_that_nothing_fits_gives_the_table(self):
        with self.assertRaises(prism.NoDeviceError) as caught:
            prism.decide(prism.ExecutionPolicy(require=["time_travel"]))
        self.assertIn("no device fits", str(caught.exception))
        self.assertIn("nvidia.h100", str(caught.exception))
        with self.assertRaises(prism.NoDeviceError):
            with prism.execution_policy("require=time_travel"):
                self.fail("the scope was entered")
        self.assertIsNone(prism.current_policy())

    def test_wrong_policies_are_named(self):
        for wrong, part in (({"priority": "beauty"}, "beauty.*speed, latency"), ({"max_latency_ms": -1}, "max_latency_ms"),
                            ({"max_cost_per_hour": "ten"}, "max_cost_per_hour")):
            with self.assertRaisesRegex(ValueError, part):
                prism.ExecutionPolicy(**wrong)
        with self.assertRaisesRegex(TypeError, "require"):
            prism.ExecutionPolicy(require=[3])
        with self.assertRaisesRegex(TypeError, "a policy is"):
            prism.decide(3)
        with self.assertRaisesRegex(ValueError, "access is one of sequential, strided, random, not 'sideways'"):
            prism.decide("priority=speed", prism.Workload(access="sideways"))
        with self.assertRaisesRegex(prism.InvalidError, "position"):
            prism.decide("colour=red")

    def test_a_decision_among_many_devices_has_all_of_them(self):
        made = prism.decide("priority=speed", devices=[prism.find_device("nvidia.h100")] * 300)
        self.assertEqual(len(made.candidates), 300)
        self.assertEqual(made.explain().count("nvidia.h100"), 300)

    def test_a_decision_explains_itself(self):
        made = prism.decide("priority=speed", SMITH_WATERMAN)
        self.assertIn("=>", made.explain())
        self.assertEqual(made.candidates[0]["device"], made.device.name)
        self.assertGreater(made.predicted_energy, 0)
        self.assertGreater(made.predicted_cost, 0)


RIGHT = """
import prism
from prism.backend import Backend
with prism.device(type="nvidia.h100") as d:
    d.capabilities().has_feature("tensor_cores", min_version=2)
with prism.execution_policy(prism.ExecutionPolicy(max_latency_ms=3)) as s:
    print(s.device.name, s.predicted_time)
@prism.function
def f(x: prism.Array) -> prism.Array:
    return x
y: prism.Array = f(prism.asarray([1.0]))
@prism.pipeline
def p(x: int) -> str:
    with prism.stage("a", preferred_backend=["gpu"]):
        return str(x)
r: list[str] = p.run([1, 2])
e: float = prism.PerformanceModel().predict_performance("a", 1e9, [("host", 1)])[0].error
c: float = prism.AutoTuner("a").tune([1], "host").gain
@prism.kernel(requires={"tensor_cores": 2})
def k(a: prism.Array) -> prism.Array:
    return a
@prism.kernel(language="opencl", source="scale.cl", items=lambda x: (4, 4), local=(2, 2), dimensions=2)
def cl(x: prism.Array) -> None: ...
t: prism.PersistentKernel = prism.PersistentKernel("offline", world_size=1).add(prism.library("x.so").f, y, range=4, after=[])
w: prism.Array = prism.fft(prism.tensor_matmul(y, y))
b: Backend = prism.select_backend("cpu", prism.OperationProperties("add", 4))
"""


class Stubs(unittest.TestCase):
    def test_mypy_accepts_right_uses_and_finds_wrong_ones(self):
        mypy = [sys.executable, "-m", "mypy"]
        if subprocess.run([*mypy, "--version"], capture_output=True).returncode:
            self.skipTest("no mypy")
        with tempfile.TemporaryDirectory() as folder:
            for text, found in ((RIGHT, ""), ("import prism\nprism.ExecutionPolicy(max_latency_ms='x')\nprism.AutoTuner(3)\n", "Found 2 errors")):
                (pathlib.Path(folder) / "use.py").write_text(text)
                done = subprocess.run([*mypy, "use.py"], cwd=folder, env={"MYPYPATH": str(FOLDER), "PATH": "/usr/bin"}, capture_output=True, text=True)
                self.assertEqual(done.returncode, 1 if found else 0, done.stdout + done.stderr)
                self.assertIn(found, done.stdout)


unittest.main()
