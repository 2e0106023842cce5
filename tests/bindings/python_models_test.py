"""Performance models, tuning, kernels with variants and persistent kernels in Python: python_models_test.py PACKAGE_FOLDER LIBRARY_OF_KERNELS."""
import concurrent.futures
import importlib.util
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

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
        for size in (1e9, 2e9, 4e9, 8e9): # larger than any cache, which is faster
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

    def test_a_product_for_tensor_cores_is_refused_without_them(self):
        a, b = prism.asarray([[1.0, 2.0], [3.0, 4.0]]), prism.asarray([[1.0, 0.0], [0.0, 2.0]])
        with self.assertRaisesRegex(prism.UnsupportedError, "has no tensor_cores; use standard_matmul"):
            prism.tensor_matmul(a, b)
        with prism.device("nvidia.a100"):
            self.assertEqual(prism.tensor_matmul(a, b).tolist(), [[1, 4], [3, 8]])
        self.assertEqual(prism.standard_matmul(a, b).tolist(), [[1, 4], [3, 8]])

    def test_a_compiled_kernel_is_a_variant(self):
        @prism.kernel(language="sycl", source=KERNELS, operation="scaled sum")
        def saxpy(a, x, y):
            """y += a x"""
        x, y = prism.Memory.of([1.0, 2.0], "float32"), prism.Memory.of([10.0, 20.0], "float32")
        saxpy(2.0, x, y)
        self.assertEqual(y.tolist(), [12, 24])
        with self.assertRaises(TypeError):
            saxpy(2.0, x, y=y)

    def test_a_source_file_is_compiled_once_and_again_when_it_changes(self):
        text = """#include <prism/kernel_library.hpp>
void shift(sycl::id<1> i, const float* x, float* y) { y[i] = x[i] + %d; }
PRISM_EXPORT_KERNEL(shift)
"""
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, PRISM_CACHE_DIR=folder):
            source = pathlib.Path(folder, "shift.cpp")
            for step, libraries in ((1, 1), (1, 1), (5, 2)):
                source.write_text(text % step)

                @prism.kernel(language="sycl", source=source, operation=f"shift by {step}")
                def shift(x, y):
                    """y = x + step"""
                x, y = prism.Memory.of([1.0, 2.0], "float32"), prism.Memory.of([0.0, 0.0], "float32")
                shift(x, y)
                self.assertEqual(y.tolist(), [1 + step, 2 + step])
                self.assertEqual(len(list(pathlib.Path(folder).rglob("shift-*.so"))), libraries)
            source.write_text("#error no kernel here\n")
            with self.assertRaisesRegex(prism.InvalidError, "shift.cpp does not compile:(.|\n)*no kernel here"):
                prism.kernel(lambda x: x, language="sycl", source=source, operation="shift by nothing")(x)

    def test_wrong_uses_are_named(self):
        with self.assertRaisesRegex(prism.UnsupportedError, "no language 'cuda'; there are 'python', 'sycl', 'opencl', 'spirv'"):
            prism.kernel(lambda x: x, language="cuda")
        for wrong, why in ((dict(language="sycl"), "language='sycl' needs source="), (dict(source="x.cl"), "takes no source"),
                           (dict(language="sycl", source="x.so", parameters="float*"), "parameters belong to language=\"opencl\" and \"spirv\"")):
            with self.assertRaisesRegex(ValueError, why):
                prism.kernel(lambda x: x, **wrong)

        @prism.kernel(operation="from a file", language="sycl", source="/no/such/kernels.cpp")
        def saxpy(a, x, y):
            """y += a x"""
        with self.assertRaisesRegex(prism.NotFoundError, "no file /no/such/kernels.cpp"):
            saxpy(2.0, prism.asarray([1.0]), prism.asarray([1.0]))


def queues(size):
    return [queue.Queue() for _ in range(size)]


class Ranks:
    """MPI's communicator among threads."""

    def __init__(self, size, rank, inboxes):
        self.size, self.rank, self.inboxes = size, rank, inboxes

    def Get_size(self):
        return self.size

    def Get_rank(self):
        return self.rank

    def Bcast(self, data, root=0):
        if self.rank == root:
            for i in set(range(self.size)) - {root}:
                self.inboxes[i].put(bytes(data))
        else:
            data[:] = self.inboxes[self.rank].get(timeout=60)


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

    def counting(self, count, **how):
        """Tasks on `count` integers each in two buffers, of a set of PRISM_EXPORT_TASKS."""
        out = prism.PersistentKernel("offline", **how)
        kernels = prism.library(KERNELS)
        memory = [prism.Memory.of([0] * count, "int64", device=out.device) for _ in range(2)]
        return out, kernels.set_to, kernels.add_to, *memory

    def test_tasks_of_one_set_are_one_batch_with_an_order_of_their_own(self):
        for backend in {each.backend for each in prism.devices()}:
            tasks, set_to, add_to, x, y = self.counting(50, backend=backend)
            tasks.add(set_to, 2, x, range=50).add(set_to, 10, y, range=50, after=[]).add(add_to, x, 3.0, y, range=50, after=[0, 1])
            tasks.add(add_to, y, 1.0, x, range=50)
            self.assertRegex(tasks.describe(), "^4 tasks (in 1 launch of|on 3 levels: 3 launches in one submission)")
            tasks.run(times=2)
            self.assertEqual((x.tolist(), y.tolist()), ([18] * 50, [16] * 50))
        with self.assertRaisesRegex(ValueError, "after=9 is no earlier task; there are 0"):
            tasks.__class__("online", tasks.backend).add(set_to, 1, x, range=1, after=[9])

    def test_tasks_of_other_kernels_are_a_graph(self):
        tasks, set_to, _, x, _ = self.counting(4)
        tasks.add(set_to, 2, x, range=4).add(prism.library(KERNELS).nothing, range=1)
        self.assertRegex(tasks.describe(), "2 commands") # of two libraries

    def ranks(self, size, body):
        """What body(rank, communicator) returns on each of `size` threads, which send each other data as MPI's ranks do."""
        hub = queues(size)
        with concurrent.futures.ThreadPoolExecutor(size) as pool:
            return [each.result(60) for each in [pool.submit(body, rank, Ranks(size, rank, hub)) for rank in range(size)]]

    def test_ranks_share_the_tasks_and_send_each_other_the_results(self):
        def body(rank, communicator):
            tasks, x, y, saxpy = self.made(world_size=2, mpi_rank=rank, communicator=communicator)
            tasks.add(saxpy, 1.0, x, y, range=2).add(saxpy, 3.0, x, y, range=2).add(saxpy, 1.0, y, x, range=2)
            tasks.run()
            return x.tolist(), y.tolist(), tasks.describe().count("command")
        self.assertEqual(self.ranks(2, body), [([15, 30], [14, 28], 2), ([15, 30], [14, 28], 1)])

    def test_a_rank_overwrites_what_another_rank_still_reads_only_later(self):
        def body(rank, communicator):
            tasks, set_to, add_to, x, y = self.counting(4, world_size=2, mpi_rank=rank, communicator=communicator)
            tasks.add(add_to, x, 1.0, y, range=4, after=[]).add(set_to, 5, x, range=4, after=[]) # rank 0 reads x, rank 1 writes it
            tasks.run(times=3)
            return x.tolist(), y.tolist()
        self.assertEqual(self.ranks(2, body), [([5] * 4, [10] * 4)] * 2)

        def in_a_later_phase(rank, communicator):
            tasks, set_to, add_to, x, y = self.counting(4, world_size=2, mpi_rank=rank, communicator=communicator)
            z = prism.Memory.of([0] * 4, "int64", device=tasks.device)
            tasks.add(set_to, 3, z, range=4).add(add_to, z, 1.0, y, range=4).add(add_to, x, 1.0, y, range=4) # ranks 0, 1, 0
            tasks.add(set_to, 5, x, range=4, after=[]) # rank 1
            tasks.run()
            return x.tolist(), y.tolist()
        self.assertEqual(self.ranks(2, in_a_later_phase), [([5] * 4, [3] * 4)] * 2)

    def test_ranks_without_mpi_or_with_another_number_are_refused(self):
        with self.assertRaisesRegex(prism.InvalidError, "world_size=3, mpi_rank=0, but this process is rank 0 of 2; start the program by mpirun -n 3"):
            prism.PersistentKernel("offline", world_size=3, communicator=Ranks(2, 0, queues(2)))
        if importlib.util.find_spec("mpi4py") is None:
            with self.assertRaisesRegex(prism.NotFoundError, "2 ranks send each other their results by mpi4py.*Install it .*or give communicator="):
                prism.PersistentKernel("offline", world_size=2)

    @unittest.skipUnless(importlib.util.find_spec("mpi4py") and shutil.which("mpirun"), "no mpi4py or no mpirun (openmpi-bin, python3-mpi4py)")
    def test_processes_of_mpirun_send_each_other_the_results(self):
        program = f"""import sys
sys.path.insert(0, {sys.path[0]!r})
import prism
from mpi4py import MPI
size, rank = MPI.COMM_WORLD.Get_size(), MPI.COMM_WORLD.Get_rank()
kernels = prism.library({KERNELS!r})
for backend in sorted({{each.backend for each in prism.devices()}}):
    tasks = prism.PersistentKernel("offline", backend, world_size=size, mpi_rank=rank)
    x, y = (prism.Memory.of([0] * 8, "int64", device=tasks.device) for _ in range(2))
    tasks.add(kernels.set_to, 2, x, range=8).add(kernels.set_to, 10, y, range=8).add(kernels.add_to, x, 3.0, y, range=8)
    tasks.add(kernels.add_to, y, 1.0, x, range=8)
    tasks.run(times=2)
    sys.stdout.write(f"{{backend}} {{x.tolist()[7]}} {{y.tolist()[7]}};")
"""
        backends = sorted({each.backend for each in prism.devices()})
        for ranks in (2, 3):
            done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), sys.executable, "-B", "-c", program],
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(done.stdout.split(";")), sorted([""] + [f"{each} 18 16" for each in backends] * ranks), done.stderr)

    def test_a_fallback_is_used_and_an_error_lists_what_is_available(self):
        for host in ("host", "cpu"):
            self.assertEqual(prism.PersistentKernel("offline", "cuda", fallback_backends=["mps", host]).backend, "host")
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
