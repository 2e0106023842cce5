"""Strategies: which operation runs on which devices, and how its work is divided."""
import threading
import warnings
from dataclasses import dataclass

from . import _c
from . import _given as given
from ._array import Array, call
from ._function import Function, moved
from ._pipeline import Pipeline
from ._selection import entered, find_device


@dataclass(frozen=True)
class Assignment:
    """ratios: the share of each target, with the sum 1; empty: the first target that there is does all."""
    operation: str
    targets: tuple
    ratios: tuple = ()


class ExecutionStrategy:
    """Assigns operations (the stages of a pipeline, or functions) to devices."""

    def __init__(self):
        self.assigned = {}

    def assign(self, operation, target, distribution=None, split_ratio=None):
        """Assigns the operation to a device or a list of devices.

        distribution: None: the first device of the list that there is does all of it; "data_parallel": all of them share it, in the
        proportions of split_ratio (None: equal shares). Devices are looked up when the strategy runs.

        >>> ExecutionStrategy().assign("alignment", ["nvidia.h100", "aws.trainium"], "data_parallel", [0.3, 0.7])
        <prism.ExecutionStrategy alignment>
        """
        given.text(operation, "assign: operation")
        targets = (target,) if isinstance(target, str) or not isinstance(target, (list, tuple)) else tuple(target)
        if not targets:
            raise ValueError(f"assign: \"{operation}\" has no target")
        if distribution not in (None, "data_parallel"):
            raise ValueError(f"assign: \"{operation}\": distribution is \"data_parallel\" or None, not {distribution!r}")
        if split_ratio is not None:
            if distribution is None:
                raise ValueError(f"assign: \"{operation}\": split_ratio is for distribution=\"data_parallel\"")
            split_ratio = [given.real(each, f"assign: \"{operation}\": a share of split_ratio") for each in given.several(split_ratio, "assign: split_ratio")]
            if len(split_ratio) != len(targets):
                raise ValueError(f"assign: \"{operation}\" has {len(targets)} targets and {len(split_ratio)} shares in split_ratio")
            if any(each < 0 for each in split_ratio) or sum(split_ratio) <= 0:
                raise ValueError(f"assign: \"{operation}\": the shares of split_ratio are not negative and not all zero, not {split_ratio!r}")
        ratios = () if distribution is None else split_ratio or [1] * len(targets)
        self.assigned[operation] = Assignment(operation, targets, tuple(each / sum(ratios) for each in ratios))
        return self

    def __repr__(self):
        return f"<prism.ExecutionStrategy {', '.join(self.assigned)}>"


def shares(items, ratios):
    """[(first, count)]: 0..items divided in these proportions."""
    ends, total = [], 0.0
    for each in ratios:
        total += each
        ends.append(round(items * total))
    return [(first, last - first) for first, last in zip([0, *ends[:-1]], [*ends[:-1], items])]


def _joined(parts, home):
    if all(isinstance(each, Array) for each in parts):
        return call("concat", [moved(each, home) for each in parts], 0)
    if all(isinstance(each, (list, tuple)) for each in parts):
        return type(parts[0])(item for part in parts for item in part)
    try:
        import numpy
    except ImportError:
        numpy = None
    if numpy is not None and all(isinstance(each, numpy.ndarray) for each in parts):
        return numpy.concatenate(parts)
    raise TypeError(f"a divided operation returns arrays or lists, which can be joined, not {type(parts[0]).__name__}")


class Executor:
    """Runs pipelines and functions by a strategy. `report` is a PipelineReport of the last pipeline, or [(device, items)] of the last
    function."""

    def __init__(self, strategy):
        if not isinstance(strategy, ExecutionStrategy):
            raise TypeError(f"Executor: a strategy is a prism.ExecutionStrategy, not {strategy!r}")
        self.strategy, self.report = strategy, None

    def run(self, operation, data, /, *common, in_flight=8, **named):
        """Runs a prism.pipeline over a list of batches, each stage where the strategy says; of a divided stage, each device gets its
        share of the batches. Or runs a function whose name the strategy has: its data is divided along the first axis among the
        devices, which work at the same time, and the results are joined."""
        if isinstance(operation, Pipeline):
            batches = data if isinstance(data, (list, tuple)) else [data]
            out = operation.run(batches, *common, in_flight=in_flight, strategy=self.strategy, **named)
            self.report = out.report
            known = [each.name for each in out.report.stages]
            for name in self.strategy.assigned:
                if name not in known:
                    warnings.warn(f"the strategy assigns \"{name}\", but the pipeline ran no stage of that name; it ran {', '.join(known)}", stacklevel=2)
            return out if isinstance(data, (list, tuple)) else out[0]
        name = getattr(operation, "__name__", None)
        if name not in self.strategy.assigned:
            raise _c.NotFoundError(f"the strategy assigns nothing to the function \"{name}\"; it assigns {', '.join(self.strategy.assigned) or 'nothing'}")
        return self._divided(operation, data, common, named, self.strategy.assigned[name])

    def _divided(self, operation, data, common, named, to):
        if not to.ratios:
            found = next((each for each in map(_found, to.targets) if each is not None), None) or find_device(to.targets[0])
            devices, parts = [found], [(0, len(data))]
        else:
            devices = [find_device(each) for each in to.targets]
            parts = shares(len(data), to.ratios)
        body = operation._body if isinstance(operation, Function) else operation
        results, errors = [None] * len(parts), []

        def work(i):
            first, count = parts[i]
            try:
                with entered(devices[i]):
                    results[i] = Function(body)(data[first:first + count], *common, **named)
            except BaseException as why:
                errors.append(why)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(parts)) if parts[i][1]]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.report = [(device.name, count) for device, (_, count) in zip(devices, parts)]
        if errors:
            raise errors[0]
        return _joined([each for each, (_, count) in zip(results, parts) if count], devices[0])


def _found(name):
    try:
        return find_device(name)
    except _c.NotFoundError:
        return None
