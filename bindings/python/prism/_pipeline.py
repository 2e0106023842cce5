"""prism.pipeline: a Python function whose stages run on devices of their own, with several items in flight.

Each item runs the whole function in a thread. A stage admits one item at a time for each of its devices (or `replicas`), so that
different stages overlap; stages wait in order of arrival, and at most `in_flight` items are under way, which bounds the memory."""
import contextlib
import contextvars
import functools
import threading
import time
from dataclasses import dataclass, field

from . import _c
from ._policy import current_policy, decide
from ._selection import entered, find_device, get_device

_running = contextvars.ContextVar("prism_pipeline_item", default=None)


class PipelineError(_c.Error):
    """A stage raised. `stage` and `item` say where; __cause__ is the exception."""

    def __init__(self, stage, item, cause):
        super().__init__(f"stage \"{stage}\", item {item}: {type(cause).__name__}: {cause}")
        self.stage, self.item = stage, item

    def __reduce__(self):
        return PipelineError, (self.stage, self.item, self.__cause__)


class _Cancelled(BaseException):
    """Ends the other items after an error."""


@dataclass
class StageReport:
    """devices: the name of each with the number of its items. busy: seconds, all together. waited: for a place in the stage."""
    name: str
    devices: dict = field(default_factory=dict)
    items: int = 0
    busy: float = 0.0
    waited: float = 0.0
    places: int = 1
    reason: str = ""


@dataclass
class PipelineReport:
    """What a run of a pipeline did. stages: a StageReport each. wall: seconds from the start to the end. print() shows a table."""
    stages: list
    wall: float = 0.0

    @property
    def efficiency(self):
        """Of the stage that limits: its busy time on each place divided by the wall time. At best 1."""
        return max((each.busy / each.places for each in self.stages), default=0.0) / self.wall if self.wall else 0.0

    def text(self):
        """A table."""
        rows = [("stage", "device", "items", "busy", "waited", "why")]
        rows += [(s.name, ", ".join(f"{name} ({n})" for name, n in s.devices.items()), str(s.items), f"{s.busy:.3f} s", f"{s.waited:.3f} s", s.reason)
                 for s in self.stages]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, f"wall {self.wall:.3f} s, efficiency {self.efficiency:.2f}"])

    __str__ = text


class Results(list):
    """The results of a run, in the order of its items, and its report."""
    report: PipelineReport


class _Places:
    """The places of a stage on one device. Items enter in order of arrival."""

    def __init__(self, device, count):
        self.device, self.free, self.queue = device, count, []
        self.changed = threading.Condition()

    @contextlib.contextmanager
    def held(self, run):
        me = object()
        with self.changed:
            self.queue.append(me)
            try:
                while not (self.free and self.queue[0] is me):
                    self.changed.wait(0.1)
                    run.check()
                self.free -= 1
            finally:
                self.queue.remove(me)
                self.changed.notify_all()
        try:
            yield
        finally:
            with self.changed:
                self.free += 1
                self.changed.notify_all()


def _preferred(names):
    """The first of the devices that there is, and the reason where an earlier one is missing."""
    missing = []
    for name in names:
        try:
            return find_device(name), f"there is no {', no '.join(missing)}" if missing else ""
        except _c.NotFoundError:
            missing.append(str(name))
    return None, f"there is no {', no '.join(missing)}: chosen by the policy"


class _Stage:
    """A stage during one run: its devices, and how its items are shared among them."""

    def __init__(self, name, devices, ratios, replicas, reason):
        self.places = [_Places(device, replicas) for device in devices]
        self.ratios, self.given = ratios, [0] * len(devices)
        self.report = StageReport(name, places=replicas * len(devices), reason=reason)
        self.lock = threading.Lock()

    def next_places(self):
        """The device that is furthest behind its share."""
        with self.lock:
            total = sum(self.given) + 1
            i = max(range(len(self.places)), key=lambda k: self.ratios[k] * total - self.given[k])
            self.given[i] += 1
            return self.places[i]

    def record(self, device, busy, waited):
        with self.lock:
            r = self.report
            r.items, r.busy, r.waited = r.items + 1, r.busy + busy, r.waited + waited
            r.devices[device.name] = r.devices.get(device.name, 0) + 1


class _Run:
    """One run: its stages, and the first error."""

    def __init__(self, assigned):
        self.assigned, self.stages, self.lock = assigned, {}, threading.Lock()
        self.error = None
        self.home, self.policy = get_device(), current_policy()

    def check(self):
        if self.error is not None:
            raise _Cancelled

    def stage(self, name, preferred, dispatch, policy, workload, replicas):
        with self.lock:
            if name not in self.stages:
                self.stages[name] = self._made(name, preferred, dispatch, policy, workload, replicas)
            return self.stages[name]

    def _made(self, name, preferred, dispatch, policy, workload, replicas):
        assigned = self.assigned.get(name)
        if assigned is not None and assigned.ratios:
            return _Stage(name, [find_device(each) for each in assigned.targets], assigned.ratios, replicas, "by the strategy")
        reason, device = "", None
        if assigned is not None:
            device, reason = _preferred(assigned.targets)
            if device is None:
                find_device(assigned.targets[0]) # raises, with what there is
        elif preferred:
            device, reason = _preferred([preferred] if isinstance(preferred, str) else list(preferred))
        if device is None and (dispatch == "auto" or preferred):
            device = decide(policy or self.policy or "priority=speed", workload).device
        return _Stage(name, [device or self.home], [1.0], replicas, reason)


@contextlib.contextmanager
def stage(name, preferred_backend=None, *, dispatch=None, policy=None, workload=None, replicas=1):
    """A stage of the running prism.pipeline; within it, its device is the default device, which `as` gives.

    preferred_backend: a device or a list of devices, of which the first that there is serves; where there is none, the policy chooses.
    dispatch="auto": the policy chooses, for `workload` (None: a job of medium size). Neither: the device of the caller."""
    item = _running.get()
    if item is None:
        raise _c.InvalidError(f"stage \"{name}\": stages are for functions under @prism.pipeline")
    if dispatch not in (None, "auto"):
        raise ValueError(f"stage \"{name}\": dispatch is \"auto\" or None, not {dispatch!r}")
    if not isinstance(replicas, int) or replicas < 1:
        raise ValueError(f"stage \"{name}\": replicas is a number from 1, not {replicas!r}")
    run, number = item
    run.check()
    mine = run.stage(name, preferred_backend, dispatch, policy, workload, replicas)
    places = mine.next_places()
    arrived = time.perf_counter()
    with places.held(run):
        begun = time.perf_counter()
        try:
            with entered(places.device):
                yield places.device
        except Exception as why:
            raise why if isinstance(why, PipelineError) else PipelineError(name, number, why) from why
        finally:
            mine.record(places.device, time.perf_counter() - begun, begun - arrived)


class Pipeline:
    """What prism.pipeline makes. A call runs one item; run() runs many, with stages overlapping. `report` is of the last run."""

    def __init__(self, body):
        functools.update_wrapper(self, body)
        self._body, self.report = body, None

    def __call__(self, *arguments, **named):
        return self._run([arguments], named, {}, 1)[0]

    def run(self, items, /, *common, in_flight=8, strategy=None, **named):
        """The results of the items, in their order, as a list with a `report`. Each item is the first argument of the function;
        the others are the same for all. in_flight: items under way. The first error ends the run as PipelineError."""
        if not isinstance(in_flight, int) or in_flight < 1:
            raise ValueError(f"run: in_flight is a number from 1, not {in_flight!r}")
        return self._run([(each, *common) for each in items], named, {} if strategy is None else strategy.assigned, in_flight)

    def _run(self, calls, named, assigned, in_flight):
        run, results = _Run(assigned), Results([None] * len(calls))
        numbers, begun = iter(range(len(calls))), time.perf_counter()
        take = threading.Lock()

        def work():
            while run.error is None:
                with take:
                    number = next(numbers, None)
                if number is None:
                    return
                token = _running.set((run, number))
                try:
                    with entered(run.home):
                        results[number] = self._body(*calls[number], **named)
                except _Cancelled:
                    return
                except BaseException as why:
                    with run.lock:
                        run.error = run.error or why
                finally:
                    _running.reset(token)

        if len(calls) == 1:
            work()
        else:
            threads = [threading.Thread(target=contextvars.copy_context().run, args=(work,), name=f"{self.__name__} {i}")
                       for i in range(min(in_flight, len(calls)))]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        results.report = self.report = PipelineReport([each.report for each in run.stages.values()], time.perf_counter() - begun)
        if run.error is not None:
            raise run.error
        return results

    def __repr__(self):
        return f"<prism.pipeline {self.__name__}>"


def pipeline(body):
    """A decorator: the function's stages (`with prism.stage(name, ...)`) run on devices of their own."""
    return Pipeline(body)
