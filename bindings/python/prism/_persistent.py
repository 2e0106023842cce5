"""prism.PersistentKernel: tasks that are prepared once and run as one submission, as often as needed."""
from ctypes import byref, c_size_t
from typing import NamedTuple

from . import _c, _ranks
from . import _given as given
from ._array import Array
from ._backend_info import backend_name, get_available_backends
from ._c import library
from ._device import devices
from ._kernels import Kernel
from ._memory import Memory

_MODES = ("offline", "online")


class _Task(NamedTuple):
    kernel: Kernel
    given: object # the arguments of prism_launch
    count: int
    extents: list
    after: tuple # None: all before it
    rank: int
    phase: int
    written: list # arrays
    alive: object


class _Graph:
    """Tasks as commands of a graph, in their order."""

    def __init__(self, queue, tasks):
        self._queue = queue
        self._graph = _c.handle(library.prism_graph_begin, queue.value)
        try:
            for each in tasks.values():
                _c.call(library.prism_launch, queue.value, each.kernel._handle.value, *each.extents, each.given, each.count, None, 0, None)
        finally:
            _c.call(library.prism_graph_end, self._graph.value)

    def run(self):
        _c.call(library.prism_graph_run, self._queue.value, self._graph.value, None, 0, None)

    def describe(self):
        return _c.text(library.prism_graph_text, self._graph.value)


class _Batch:
    """Tasks of one set of PRISM_EXPORT_TASKS as a prism::task_batch: one launch for all where the device makes progress."""

    def __init__(self, queue, tasks, kernels, name):
        self._tasks = _c.handle(library.prism_tasks_create, queue.value, kernels._handle.value, name.encode())
        places, last = {}, set() # `last`: those that no task waits for
        for number, each in tasks.items():
            after = sorted(last) if each.after is None else [places[i] for i in each.after if i in places]
            place = c_size_t()
            _c.call(library.prism_tasks_add, self._tasks.value, each.kernel._handle.value, each.extents[0][0], each.given, each.count,
                    (c_size_t * max(len(after), 1))(*after), len(after), byref(place))
            places[number] = place.value
            last = (last - set(after)) | {place.value}

    def run(self):
        _c.call(library.prism_tasks_run, self._tasks.value, None, 0, None)

    def describe(self):
        return _c.text(library.prism_tasks_text, self._tasks.value)


def _set_of(tasks):
    """(library, name) of a set of PRISM_EXPORT_TASKS that has the kernels of all tasks, or None."""
    kernels = {each.kernel.name for each in tasks.values()}
    libraries = {each.kernel._library for each in tasks.values()}
    if len(libraries) != 1 or None in libraries or any(each.extents[1] is not None for each in tasks.values()):
        return None
    [only] = libraries
    return next(((only, name) for name, each in only._tasks.items() if kernels <= set(each)), None)


class PersistentKernel:
    """Tasks on one backend: launches of kernels, prepared once.

    Kernels of one set of PRISM_EXPORT_TASKS are one prism::task_batch: one launch for all tasks where the device's groups pass messages
    to each other, else one submission of a launch for each level. Other kernels are a graph, in the order of add(); describe() states
    which.

    mode: "offline": the tasks are fixed by the first run; "online": tasks may be added between runs. backend: "host" (or "cpu"), "opencl", "vulkan";
    fallback_backends: those that are tried, in order, where it is not available. world_size, mpi_rank: of an MPI program, whose ranks
    all add the same tasks, each over its own memory. Each rank runs every world_size-th task, and the ranks send each other what their
    tasks wrote, before another rank's task uses it and at the end. communicator: what they send it by, default mpi4py's COMM_WORLD."""

    def __init__(self, mode, backend="host", fallback_backends=None, world_size=1, mpi_rank=0, communicator=None):
        if mode not in _MODES:
            raise ValueError(f"PersistentKernel: mode is {' or '.join(map(repr, _MODES))}, not {mode!r}")
        if not (isinstance(world_size, int) and isinstance(mpi_rank, int) and 0 <= mpi_rank < world_size):
            raise ValueError(f"PersistentKernel: mpi_rank is from 0 to world_size - 1, not {mpi_rank!r} of {world_size!r}")
        wanted, present = [backend, *(fallback_backends or [])], [each.backend for each in devices()]
        found = next((each for each in map(backend_name, wanted) if each in present), None)
        if found is None:
            raise _c.NotFoundError(f"PersistentKernel: no backend of {', '.join(wanted)} is available; available are "
                                   f"{', '.join(dict.fromkeys(present)) or ', '.join(get_available_backends())}")
        self._communicator = _ranks.world(world_size, mpi_rank, communicator)
        self.mode, self.backend, self.world_size, self.mpi_rank = mode, found, world_size, mpi_rank
        self.device = next(each for each in devices() if each.backend == found)
        self._queue = _c.handle(library.prism_queue_create, self.device._handle.value, 1) # PRISM_IN_ORDER
        self._tasks, self._uses, self._phases = [], _ranks.Uses(), None

    def __len__(self):
        return len(self._tasks)

    def add(self, kernel, *arguments, range, local=None, after=None):
        """A task: kernel(*arguments, range=range). Its memory must be on this backend's device. after: numbers of the tasks that it
        waits for, from 0 in the order of add(); default all before it. Tasks that wait for each other in no way may run together."""
        if not isinstance(kernel, Kernel):
            raise TypeError(f"add: a task is a kernel of prism.library, not {kernel!r}")
        if self._phases is not None and self.mode == "offline":
            raise _c.InvalidError("add: the tasks of an offline PersistentKernel are fixed by its first run; use mode=\"online\"")
        for each in arguments:
            if isinstance(each, (Memory, Array)) and each.device != self.device:
                raise _c.InvalidError(f"add: {kernel.name} has memory of {each.device!r}; this kernel runs on {self.device!r}")
        if len(arguments) != len(kernel._parameters):
            raise TypeError(f"{kernel.signature}: {len(arguments)} arguments, not {len(kernel._parameters)}")
        wrong = [each for each in after or () if not (isinstance(each, int) and 0 <= each < len(self))]
        if wrong:
            raise _c.InvalidError(f"add: after={wrong[0]!r} is no earlier task; there are {len(self)}, numbered from 0")
        alive = []
        all = [kernel._argument(text, value, alive) for text, value in zip(kernel._parameters, arguments)]
        extents = [kernel._extents(each, what) for each, what in ((range, "range"), (local, "local"))]
        memory = [(value, text.startswith("const ")) for text, value in zip(kernel._parameters, arguments) if text.endswith("*")]
        rank, phase = len(self) % self.world_size, self._phase(memory, after)
        self._tasks.append(_Task(kernel, (_c.Argument * max(len(all), 1))(*all), len(all), extents, None if after is None else tuple(after),
                                 rank, phase, [value for value, const in memory if not const], (alive, arguments)))
        self._phases = None
        return self

    def _phase(self, memory, after):
        """The phase of the next task, which is 0 with one rank."""
        if self.world_size == 1:
            return 0
        rank = len(self) % self.world_size
        ranges = [((value.pointer, value.pointer + value.nbytes), const) for value, const in memory]
        reads, writes = [each for each, _ in ranges], [each for each, const in ranges if not const]
        others = [self._tasks[i].phase + (self._tasks[i].rank != rank) for i in after or ()]
        out = max([self._uses.phase(reads, writes, rank), *others])
        self._uses.add(reads, writes, rank, out)
        return out

    def _prepared(self):
        """For each phase: what this rank runs, or None, and {array: the rank that wrote it last}."""
        if self._phases is None:
            phases = []
            for phase in range(1 + max((each.phase for each in self._tasks), default=-1)):
                tasks = {i: each for i, each in enumerate(self._tasks) if each.phase == phase}
                mine = {i: each for i, each in tasks.items() if each.rank == self.mpi_rank}
                found = _set_of(mine) if mine else None
                made = None if not mine else _Batch(self._queue, mine, *found) if found else _Graph(self._queue, mine)
                written = {id(array): (array, each.rank) for each in tasks.values() for array in each.written}
                phases.append((made, list(written.values())))
            self._phases = phases
        return self._phases

    def run(self, times=1):
        """Runs the tasks, `times` times one after the other, and waits. With several ranks all must call it."""
        for _ in range(given.whole(times, "run: times")):
            for made, written in self._prepared():
                if made is not None:
                    made.run()
                if self._communicator is not None:
                    _c.call(library.prism_queue_wait, self._queue.value)
                    for array, root in written:
                        _ranks.broadcast(self._communicator, self._queue.value, array, root)
        _c.call(library.prism_queue_wait, self._queue.value)

    def describe(self):
        """Of this rank, such as "3 commands, 1 submission, 2 barriers", or "9 tasks in 1 launch of 2 groups". One line a phase."""
        return "\n".join("no tasks" if made is None else made.describe() for made, _ in self._prepared()) or "no tasks"

    def __repr__(self):
        return f"<prism.PersistentKernel of {len(self)} tasks on {self.device.name}>"
