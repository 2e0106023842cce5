"""Functions, pipelines and strategies in Python: python_pipeline_test.py PACKAGE_FOLDER."""
import pathlib
import sys
import threading
import time
import unittest
import warnings

FOLDER = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:]
sys.path.insert(0, str(FOLDER))
import prism

CLOUD = FOLDER.parents[1] / "samples/fleet/cloud.yaml"


class Described(unittest.TestCase):
    def setUp(self):
        prism.initialize(CLOUD)
        self.addCleanup(prism.initialize)


@prism.function
def length(x, y):
    return prism.sqrt(x * x + y * y)


class Functions(Described):
    def test_expressions_inside_run_as_one_launch_and_are_complete(self):
        x, y = prism.asarray([3.0, 6.0]), prism.asarray([4.0, 8.0])
        self.assertIn("1 launch", length.explain(x, y))
        out = length(x, y)
        self.assertEqual(out.tolist(), [5, 10])
        self.assertIn("no launch", out.explain())

    def test_a_function_within_a_function_joins_its_launch(self):
        inner = []

        @prism.function
        def twice(x, y):
            inner.append(length(x, y).explain())
            return length(x, y) * 2
        x, y = prism.asarray([3.0]), prism.asarray([4.0])
        self.assertIn("1 launch", twice.explain(x, y))
        self.assertEqual(twice(x, y).tolist(), [10])
        self.assertIn("1 launch", inner[-1])

    def test_a_call_runs_on_the_device_of_the_scope_with_its_arrays(self):
        x = prism.asarray([3.0], device="host")
        for device in prism.devices():
            with prism.device(device):
                out = length(x, x)
            self.assertEqual(out.device, device)
            self.assertAlmostEqual(float(out[0]), 18 ** 0.5, 6)

    def test_the_policy_decides_by_the_work_of_each_call(self):
        @prism.function(work=lambda n: prism.Workload("count", flops=n, bytes=n / 1e3))
        def count(n):
            return prism.get_device().name
        policy = prism.ExecutionPolicy(require=["aws"], forbid=["inferentia"])
        with prism.execution_policy(policy):
            self.assertEqual(count.device_for(1e13).name, "aws.trainium1")
            self.assertEqual(count(1e3)[:12], "aws.graviton")

    def test_results_in_lists_and_dictionaries_are_complete(self):
        @prism.function
        def both(x):
            return {"a": x + 1, "b": [x * 2]}
        out = both(prism.asarray([1.0]))
        self.assertIn("no launch", out["a"].explain())
        self.assertIn("no launch", out["b"][0].explain())


@prism.pipeline
def genomic(batch, reference):
    with prism.stage("preprocessing", preferred_backend="graviton"):
        parsed = [each * 2 for each in batch]
    with prism.stage("alignment", dispatch="auto"):
        aligned = [each + reference for each in parsed]
    with prism.stage("variant_calling", preferred_backend=["inferentia9", "nvidia"]):
        called = sum(aligned)
    with prism.stage("reporting", preferred_backend="graviton"):
        return f"{called} on {prism.get_device().name}"


class Pipelines(Described):
    def test_a_call_runs_each_stage_on_its_device(self):
        self.assertEqual(genomic([1, 2], 10), "26 on aws.graviton4")
        stages = {each.name: each for each in genomic.report.stages}
        self.assertEqual(list(stages), ["preprocessing", "alignment", "variant_calling", "reporting"])
        self.assertEqual(stages["variant_calling"].devices, {"nvidia.h100": 1})
        self.assertIn("there is no inferentia9", stages["variant_calling"].reason)
        self.assertIn("efficiency", genomic.report.text())

    def test_batches_come_back_in_their_order(self):
        out = genomic.run([[i] for i in range(20)], 1, in_flight=5)
        self.assertEqual([each.split()[0] for each in out], [str(2 * i + 1) for i in range(20)])
        self.assertEqual([each.items for each in out.report.stages], [20] * 4)

    def test_stages_of_different_items_overlap_and_one_stage_admits_one_item(self):
        inside, most, both = [0, 0], [0, 0], [0]
        lock = threading.Lock()

        def at(k, change):
            with lock:
                inside[k] += change
                most[k] = max(most[k], inside[k])
                both[0] = max(both[0], sum(inside))

        @prism.pipeline
        def two(_):
            for k in (0, 1):
                with prism.stage(f"s{k}"):
                    at(k, 1)
                    time.sleep(0.005)
                    at(k, -1)

        two.run(range(8))
        self.assertEqual((most, both), ([1, 1], [2]))

    def test_replicas_of_a_stage_run_at_the_same_time(self):
        meet = threading.Barrier(2)

        @prism.pipeline
        def pairs(i):
            with prism.stage("meet", replicas=2):
                meet.wait(20)
                return i
        self.assertEqual(pairs.run(range(4)), [0, 1, 2, 3])

    def test_an_error_names_stage_and_item_and_ends_the_run(self):
        done = []

        @prism.pipeline
        def fails(i):
            with prism.stage("align"):
                if i == 3:
                    raise KeyError("no read")
                done.append(i)
        with self.assertRaisesRegex(prism.PipelineError, 'stage "align", item 3: KeyError') as caught:
            fails.run(range(1000), in_flight=2)
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertLess(len(done), 1000)

    def test_after_an_error_items_under_way_enter_no_stage(self):
        both, later, threads = threading.Barrier(2), [], {}

        @prism.pipeline
        def two(i):
            threads[i] = threading.current_thread()
            with prism.stage("start", replicas=2):
                both.wait(20)
                if i == 0:
                    raise OSError("no disk")
            threads[0].join(20) # it takes no further item: the run has its error
            with prism.stage("later"):
                later.append(i)
        with self.assertRaisesRegex(prism.PipelineError, "no disk"):
            two.run([0, 1])
        self.assertEqual(later, [])

    def test_wrong_uses_are_named(self):
        with self.assertRaisesRegex(prism.InvalidError, "under @prism.pipeline"):
            with prism.stage("alone"):
                pass

        @prism.pipeline
        def wrong(how):
            with prism.stage("s", **how):
                pass
        for how, part in (({"dispatch": "maybe"}, "dispatch"), ({"replicas": 0}, "replicas")):
            with self.assertRaisesRegex(ValueError, part):
                wrong(how)
        with self.assertRaisesRegex(ValueError, "in_flight"):
            wrong.run([], in_flight=0)

    def test_a_run_inherits_the_device_of_its_caller(self):
        @prism.pipeline
        def where(_):
            with prism.stage("s") as device:
                return device.name
        with prism.device("nvidia.a100"):
            self.assertEqual(where.run(range(3)), ["nvidia.a100"] * 3)


class Strategies(Described):
    def test_stages_run_where_the_strategy_says_and_share_by_its_ratio(self):
        strategy = prism.ExecutionStrategy()
        strategy.assign(operation="preprocessing", target="aws.graviton3")
        strategy.assign(operation="alignment", target=["nvidia.h100", "aws.trainium"], distribution="data_parallel", split_ratio=[0.3, 0.7])
        strategy.assign(operation="variant_calling", target="aws.inferentia")
        executor = prism.Executor(strategy)
        out = executor.run(genomic, [[i] for i in range(20)], 1)
        self.assertEqual([each.split()[0] for each in out], [str(2 * i + 1) for i in range(20)])
        stages = {each.name: each.devices for each in executor.report.stages}
        self.assertEqual(stages["preprocessing"], {"aws.graviton3": 20})
        self.assertEqual(stages["alignment"], {"nvidia.h100": 6, "aws.trainium1": 14})
        self.assertEqual(stages["variant_calling"], {"aws.inferentia2": 20})

    def test_a_function_is_divided_along_its_first_axis_and_joined(self):
        strategy = prism.ExecutionStrategy().assign("length", [d for d in prism.devices() if d.backend in ("host", "opencl")], "data_parallel")
        executor = prism.Executor(strategy)
        x = prism.arange(10, dtype=prism.float32)
        out = executor.run(length, x, 0.0)
        self.assertEqual(out.tolist(), list(range(10)))
        self.assertEqual(sum(items for _, items in executor.report), 10)

    def test_a_plain_function_over_a_list_is_divided_by_the_ratio(self):
        seen = {}

        def double(part):
            seen[prism.get_device().name] = len(part)
            return [2 * each for each in part]
        strategy = prism.ExecutionStrategy().assign("double", ["nvidia.h100", "aws.trainium"], "data_parallel", [0.3, 0.7])
        self.assertEqual(prism.Executor(strategy).run(double, list(range(10))), list(range(0, 20, 2)))
        self.assertEqual(seen, {"nvidia.h100": 3, "aws.trainium1": 7})

    def test_an_assignment_that_no_stage_has_is_warned_about(self):
        executor = prism.Executor(prism.ExecutionStrategy().assign("allignment", "host"))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            executor.run(genomic, [[1]], 1)
        self.assertIn("allignment", str(seen[0].message))
        self.assertIn("alignment, variant_calling", str(seen[0].message))

    def test_wrong_assignments_are_named(self):
        strategy = prism.ExecutionStrategy()
        for wrong, part in ((([], None, None), "no target"), ((["host"], "magic", None), "magic"), ((["host"], None, [1]), "split_ratio is for"),
                            ((["host", "gpu"], "data_parallel", [1]), "2 targets and 1"), ((["host"], "data_parallel", [0]), "not all zero")):
            with self.assertRaisesRegex(ValueError, part):
                strategy.assign("x", *wrong)
        with self.assertRaisesRegex(prism.NotFoundError, "assigns nothing to the function \"length\""):
            prism.Executor(strategy).run(length, [1])
        with self.assertRaisesRegex(prism.NotFoundError, "intel.gaudi"):
            prism.Executor(prism.ExecutionStrategy().assign("alignment", "intel.gaudi")).run(genomic, [[1]], 1)


unittest.main()
