"""Performance models, tuning, kernels with variants and persistent kernels in Python: python_models_test.py PACKAGE_FOLDER LIBRARY_OF_KERNELS."""
import pathlib
import sys
import tempfile
import time
import unittest

FOLDER, KERNELS = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism

CLOUD = FOLDER.parents[1] / "samples/fleet/cloud.yaml"


class Described(unittest.TestCase):
    def setUp(self):
        prism.initialize(CLOUD)
        self.addCleanup(prism.initialize)


class Models(Described):
    def made(self):
        model = prism.PerformanceModel()
        model.register_pattern(name="smith-waterman", compute_intensity=4.5, parallelism_degree="high", memory_access_pattern="structured",
                               branch_divergence="low")
        return model

    def test_hardware_and_counts_are_predicted_with_an_error(self):
        hardware = [("aws.graviton3", 1), ("aws.trainium", 2), ("nvidia.a100", 1)]
        made = self.made().predict_performance(workload="smith-waterman", data_size=1e9, available_hardware=hardware)
        self.assertEqual([(each.hardware, each.count) for each in made], [("aws.graviton3", 1), ("aws.trainium1", 2), ("nvidia.a100", 1)])
        graviton = made[0] # uses the host's memory: bandwidth is the limit
        self.assertAlmostEqual(graviton.time, 1e9 / 307.2e9, delta=graviton.time / 50)
        self.assertTrue(all(each.lower < each.time < each.upper and each.error > 0 and each.cost > 0 for each in made))
        one = self.made().predict_performance("smith-waterman", 1e9, ["aws.trainium"])[0]
        self.assertAlmostEqual(made[1].time, one.time / 2, delta=one.time / 20)

    def test_hardware_that_shares_the_data_is_faster_than_each_alone(self):
        model, names = self.made(), ["aws.graviton3", "aws.graviton4"]
        alone = [each.time for each in model.predict_performance("smith-waterman", 1e9, names)]
        self.assertLess(model.predict_together("smith-waterman", 1e9, names).time, min(alone))

    def test_observed_runs_reduce_the_error(self):
        model = self.made()
        before = model.predict_performance("smith-waterman", 1e9, ["host"])[0]
        for size in (1e8, 3e8, 1e9, 2e9):
            model.observe("smith-waterman", "host", size, size * 2e-9)
        after = model.predict_performance("smith-waterman", 1e9, ["host"])[0]
        self.assertAlmostEqual(after.time, 2, delta=0.1)
        self.assertLess(after.error, before.error / 2)
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder + "/model.json")
            again = prism.PerformanceModel.load(folder + "/model.json")
        self.assertEqual(again.predict_performance("smith-waterman", 1e9, ["host"])[0], after)

    def test_serial_random_and_divergent_patterns_take_longer(self):
        model = prism.PerformanceModel()
        model.register_pattern("plain", 100)
        model.register_pattern("serial", 100, parallelism_degree="low")
        model.register_pattern("random", 100, memory_access_pattern="random")
        model.register_pattern("divergent", 1e4, branch_divergence="high")
        model.register_pattern("even", 1e4)
        times = {name: model.predict_performance(name, 1e9, ["nvidia.h100"])[0].time for name in ("plain", "serial", "random", "divergent", "even")}
        self.assertGreater(times["serial"], 10 * times["plain"])
        self.assertGreaterEqual(times["random"], times["plain"])
        self.assertGreater(times["divergent"], 1.5 * times["even"])

    def test_wrong_uses_are_named(self):
        model = self.made()
        with self.assertRaisesRegex(LookupError, 'no pattern "sorting"; it has smith-waterman'):
            model.predict_performance("sorting", 1, ["host"])
        with self.assertRaisesRegex(ValueError, "parallelism_degree.*high, medium, low"):
            model.register_pattern("x", 1, parallelism_degree="some")
        with self.assertRaisesRegex(ValueError, "count of devices"):
            model.predict_performance("smith-waterman", 1, [("host", 0)])
        with self.assertRaisesRegex(prism.NotFoundError, "intel.gaudi"):
            model.predict_performance("smith-waterman", 1, ["intel.gaudi"])
        with self.assertRaises(prism.InvalidError):
            model.register_pattern("x", -1)


calls = []


def summing(data, config):
    calls.append(config)
    time.sleep(abs(config["block"] - 32) / 32 * 0.004 + 0.002)
    if config["style"] == "broken":
        raise RuntimeError("it cannot")
    return sum(data) + (1 if config["block"] == 64 else 0)


class Tuning(Described):
    def setUp(self):
        super().setUp()
        prism.register_algorithm("summing", summing, {"block": [8, 16, 32, 64], "style": ["plain", "broken"]})

    def test_the_fastest_right_configuration_wins(self):
        tuner = prism.AutoTuner(algorithm="summing", optimization_target="throughput", search="exhaustive")
        found = tuner.tune(sample_data=[1, 2, 3], target_device="aws.trainium")
        self.assertEqual(found, {"block": 32, "style": "plain"})
        self.assertEqual((found.algorithm, found.device, found.ended), ("summing", "aws.trainium1", "all tried"))
        self.assertGreater(found.gain, 1.2)
        outcomes = {config: outcome for outcome, _, config, _ in found.trials}
        self.assertEqual((outcomes["block=64 style=plain"], outcomes["block=32 style=broken"]), ("wrong", "failed"))

    def test_trials_are_kept_in_a_database(self):
        with tempfile.TemporaryDirectory() as folder:
            tuner = prism.AutoTuner("summing", search="exhaustive", database=folder + "/tuning.db")
            first = tuner.tune([1, 2, 3])
            calls.clear()
            self.assertEqual(tuner.tune([1, 2, 3]), first)
            self.assertEqual({each["block"] for each in calls}, {8}) # the default, to build its kernels: no trial is repeated
            self.assertTrue(pathlib.Path(folder, "tuning.db").exists())

    def test_wrong_uses_are_named(self):
        with self.assertRaisesRegex(LookupError, "sorting.*summing"):
            prism.AutoTuner("sorting")
        with self.assertRaisesRegex(ValueError, "throughput, latency"):
            prism.AutoTuner("summing", "beauty")
        with self.assertRaisesRegex(ValueError, "without spaces"):
            prism.register_algorithm("x", summing, {"block": ["a b"]})
        prism.register_algorithm("never", lambda data, config: {}[0] if data else 0, {"block": [1]})
        with self.assertRaises(KeyError):
            prism.AutoTuner("never").tune([1])


@prism.kernel
def add_anywhere(a, b):
    return a + b


@prism.kernel(target="nvidia", requires={"tensor_cores": 2, "mixed_precision": True})
def add_on_nvidia(a, b):
    return b + a


@prism.kernel(requires={"time_travel": True})
def needs_the_future(data):
    return data - 1


class Kernels(Described):
    def test_the_variant_for_the_device_runs(self):
        a, b = prism.asarray([1.0]), prism.asarray([2.0])
        self.assertEqual(add_anywhere(a, b).tolist(), [3])
        self.assertTrue(add_anywhere.explain().startswith("add_anywhere: chosen"))
        self.assertIn("add_on_nvidia: it is no nvidia", add_anywhere.explain())
        with prism.device("nvidia.h100"):
            self.assertTrue(add_anywhere.explain().startswith("add_on_nvidia: chosen"))
            self.assertEqual(add_on_nvidia(a, b).tolist(), [3])

    def test_without_a_fallback_the_error_says_what_is_lacking(self):
        with self.assertRaisesRegex(prism.UnsupportedError, "(?s)needs_the_future: it has no time_travel.*fallback=True"):
            needs_the_future(prism.asarray([1.0]))

    def test_a_fallback_runs_where_no_other_can(self):
        @prism.kernel(operation="careful", requires={"tensor_cores": 2})
        def optimized_kernel(data):
            return data * 0

        @prism.kernel(operation="careful", fallback=True)
        def basic_kernel(data):
            return data + 1
        self.assertEqual(optimized_kernel(prism.asarray([1.0])).tolist(), [2])
        with prism.device("nvidia.a100"):
            self.assertEqual(basic_kernel(prism.asarray([1.0])).tolist(), [0])

    def test_a_feature_can_be_excluded_and_versions_count(self):
        @prism.kernel(operation="excluding", requires={"tensor_cores": False})
        def without(data):
            return data

        @prism.kernel(operation="excluding", requires={"compute_capability": 9})
        def hopper(data):
            return data
        with prism.device("nvidia.h100"):
            self.assertIn("hopper: chosen", without.explain())
        with prism.device("nvidia.a100"), self.assertRaisesRegex(prism.UnsupportedError, "(?s)it has tensor_cores.*no compute_capability 9"):
            without.explain()

    def test_a_compiled_kernel_is_a_variant(self):
        @prism.kernel(language="sycl", source=KERNELS, operation="scaled sum")
        def saxpy(a, x, y):
            """y += a x"""
        x, y = prism.Memory.of([1.0, 2.0], "float32"), prism.Memory.of([10.0, 20.0], "float32")
        saxpy(2.0, x, y)
        self.assertEqual(y.tolist(), [12, 24])
        with self.assertRaises(TypeError):
            saxpy(2.0, x, y=y)

    def test_wrong_uses_are_named(self):
        with self.assertRaisesRegex(prism.UnsupportedError, "\"python\" or \"sycl\", not 'cuda'"):
            prism.kernel(lambda x: x, language="cuda")
        with self.assertRaisesRegex(ValueError, "belong together"):
            prism.kernel(lambda x: x, language="sycl")

        @prism.kernel(operation="from a file", language="sycl", source="/no/such/kernels.cpp")
        def saxpy(a, x, y):
            """y += a x"""
        with self.assertRaisesRegex(prism.NotFoundError, "no file /no/such/kernels.cpp"):
            saxpy(2.0, prism.asarray([1.0]), prism.asarray([1.0]))


class Persistent(unittest.TestCase):
    def made(self, **how):
        out = prism.PersistentKernel(how.pop("mode", "offline"), how.pop("backend", "host"), **how)
        x = prism.Memory.of([1.0, 2.0], "float32", device=out.device)
        y = prism.Memory.of([10.0, 20.0], "float32", device=out.device)
        return out, x, y, prism.library(KERNELS).saxpy

    def test_tasks_run_in_order_and_again_as_one_submission(self):
        for backend in {each.backend for each in prism.devices()}:
            tasks, x, y, saxpy = self.made(backend=backend)
            tasks.add(saxpy, 2.0, x, y, range=2).add(saxpy, 1.0, y, x, range=2)
            self.assertIn("2 commands, 1 submission", tasks.describe())
            tasks.run()
            self.assertEqual((x.tolist(), y.tolist()), ([13, 26], [12, 24]))
            tasks.run(times=2) # y += 2 x, x += y, twice
            self.assertEqual(y.tolist(), [12 + 26 + 2 * 51, 24 + 52 + 2 * 102])

    def test_ranks_share_the_tasks(self):
        for rank, wanted in ((0, [11, 22]), (1, [13, 26])):
            tasks, x, y, saxpy = self.made(world_size=2, mpi_rank=rank)
            tasks.add(saxpy, 1.0, x, y, range=2).add(saxpy, 3.0, x, y, range=2)
            tasks.run()
            self.assertEqual(y.tolist(), wanted)

    def test_a_fallback_is_used_and_an_error_lists_what_is_available(self):
        self.assertEqual(prism.PersistentKernel("offline", "cuda", fallback_backends=["mps", "host"]).backend, "host")
        with self.assertRaisesRegex(LookupError, "no backend of cuda, mps is available; available are .*host"):
            prism.PersistentKernel("offline", "cuda", fallback_backends=["mps"])

    def test_online_tasks_are_added_later_and_offline_ones_are_not(self):
        tasks, x, y, saxpy = self.made(mode="online")
        tasks.run()
        tasks.add(saxpy, 1.0, x, y, range=2).run()
        tasks.add(saxpy, 1.0, x, y, range=2).run()
        self.assertEqual(y.tolist(), [13, 26])
        fixed, x, y, saxpy = self.made()
        fixed.add(saxpy, 1.0, x, y, range=2).run()
        with self.assertRaisesRegex(prism.InvalidError, "online"):
            fixed.add(saxpy, 1.0, x, y, range=2)

    def test_wrong_uses_are_named(self):
        tasks, x, y, saxpy = self.made()
        for wrong in (lambda: prism.PersistentKernel("sideways"), lambda: prism.PersistentKernel("offline", world_size=2, mpi_rank=2)):
            with self.assertRaisesRegex(ValueError, "mode is|mpi_rank is from 0"):
                wrong()
        with self.assertRaisesRegex(TypeError, "a task is a kernel"):
            tasks.add(print, range=1)
        with self.assertRaisesRegex(TypeError, "1 arguments, not 3"):
            tasks.add(saxpy, 1.0, range=2)
        other = next((each for each in prism.devices() if each.backend != "host"), None)
        if other is not None:
            with self.assertRaisesRegex(prism.InvalidError, "saxpy has memory of"):
                tasks.add(saxpy, 1.0, prism.Memory.of([1.0], "float32", device=other), y, range=1)


unittest.main()
