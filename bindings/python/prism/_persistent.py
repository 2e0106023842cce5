"""prism.PersistentKernel: kernels that are prepared once and run as one submission, as often as needed."""
from ctypes import c_size_t, c_void_p

from . import _c
from ._array import Array
from ._backend_info import get_available_backends
from ._c import library
from ._device import devices
from ._kernels import Kernel
from ._memory import Memory

library.prism_graph_begin.argtypes = [c_void_p, _c._E, _c._E]
library.prism_graph_end.argtypes = [c_void_p, _c._E]
library.prism_graph_run.argtypes = [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, _c._E]
library.prism_graph_text.argtypes = [c_void_p, *_c._TEXT]
_MODES = ("offline", "online")


class PersistentKernel:
    """Tasks on one backend: launches of kernels of prism.library, in the order of add(), recorded as a graph.

    mode: "offline": the tasks are fixed by the first run; "online": tasks may be added between runs. backend: "host", "opencl", "vulkan";
    fallback_backends: those that are tried, in order, where it is not available. world_size, mpi_rank: of an MPI program, whose ranks each
    run every world_size-th task."""

    def __init__(self, mode, backend="host", fallback_backends=None, world_size=1, mpi_rank=0):
        if mode not in _MODES:
            raise ValueError(f"PersistentKernel: mode is {' or '.join(map(repr, _MODES))}, not {mode!r}")
        if not (isinstance(world_size, int) and isinstance(mpi_rank, int) and 0 <= mpi_rank < world_size):
            raise ValueError(f"PersistentKernel: mpi_rank is from 0 to world_size - 1, not {mpi_rank!r} of {world_size!r}")
        wanted, present = [backend, *(fallback_backends or [])], [each.backend for each in devices()]
        found = next((each for each in wanted if each in present), None)
        if found is None:
            raise _c.NotFoundError(f"PersistentKernel: no backend of {', '.join(wanted)} is available; available are "
                                   f"{', '.join(dict.fromkeys(present)) or ', '.join(get_available_backends())}")
        self.mode, self.backend, self.world_size, self.mpi_rank = mode, found, world_size, mpi_rank
        self.device = next(each for each in devices() if each.backend == found)
        self._queue = _c.handle(library.prism_queue_create, self.device._handle.value, 1) # PRISM_IN_ORDER
        self._tasks, self._graph = [], None

    def __len__(self):
        return len(self._tasks)

    def add(self, kernel, *arguments, range, local=None):
        """A task: kernel(*arguments, range=range), after the tasks before it. Its memory must be on this backend's device."""
        if not isinstance(kernel, Kernel):
            raise TypeError(f"add: a task is a kernel of prism.library, not {kernel!r}")
        if self._graph is not None and self.mode == "offline":
            raise _c.InvalidError("add: the tasks of an offline PersistentKernel are fixed by its first run; use mode=\"online\"")
        for each in arguments:
            if isinstance(each, (Memory, Array)) and each.device != self.device:
                raise _c.InvalidError(f"add: {kernel.name} has memory of {each.device!r}; this kernel runs on {self.device!r}")
        if len(arguments) != len(kernel._parameters):
            raise TypeError(f"{kernel.signature}: {len(arguments)} arguments, not {len(kernel._parameters)}")
        alive = []
        given = [kernel._argument(text, value, alive) for text, value in zip(kernel._parameters, arguments)]
        extents = [kernel._extents(each, what) for each, what in ((range, "range"), (local, "local"))]
        self._tasks.append((kernel, (_c.Argument * max(len(given), 1))(*given), len(given), extents, (alive, arguments)))
        self._graph = None
        return self

    def _prepared(self):
        if self._graph is None:
            mine = self._tasks[self.mpi_rank::self.world_size]
            if not mine:
                return None
            graph = _c.handle(library.prism_graph_begin, self._queue.value)
            try:
                for kernel, given, count, extents, _ in mine:
                    _c.call(library.prism_launch, self._queue.value, kernel._handle.value, extents[0], extents[1], given, count, None, 0, None)
            finally:
                _c.call(library.prism_graph_end, graph.value)
            self._graph = graph
        return self._graph

    def run(self, times=1):
        """Runs this rank's tasks, `times` times one after the other, and waits."""
        graph = self._prepared()
        if graph is not None:
            for _ in range(times):
                _c.call(library.prism_graph_run, self._queue.value, graph.value, None, 0, None)
            _c.call(library.prism_queue_wait, self._queue.value)

    def describe(self):
        """Such as "3 commands, 1 submission, 2 barriers", of this rank."""
        graph = self._prepared()
        return "no tasks" if graph is None else _c.text(library.prism_graph_text, graph.value)

    def __repr__(self):
        return f"<prism.PersistentKernel of {len(self)} tasks on {self.device.name}>"
