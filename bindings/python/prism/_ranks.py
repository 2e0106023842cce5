"""Divides tasks among the ranks of an MPI program: which rank runs which task in which phase, and what ranks send each other between phases.

Every rank has all tasks, and memory of its own for them. Task i runs on rank i modulo the number of ranks. A task that uses what
another rank wrote runs in a later phase than that task; after each phase the ranks broadcast what its tasks wrote. So each rank has
all results in the end."""
import ctypes

from . import _c
from ._c import library


class Uses:
    """What tasks did to memory so far: for each range of addresses [first, end), the phase and the rank of its last write, and the
    latest phase of a read."""

    def __init__(self):
        self._ranges = {}

    def phase(self, reads, writes, rank):
        """The earliest phase of a task of the rank that reads and writes these ranges."""
        out = 0
        for (first, end), (written, writer, read) in self._ranges.items():
            if any(first < b and a < end for a, b in (*reads, *writes)) and written >= 0:
                out = max(out, written + (writer != rank))
            if any(first < b and a < end for a, b in writes):
                out = max(out, read)
        return out

    def add(self, reads, writes, rank, phase):
        for each in reads:
            written, writer, read = self._ranges.get(each, (-1, 0, 0))
            self._ranges[each] = written, writer, max(read, phase)
        for each in writes:
            read = self._ranges.get(each, (-1, 0, 0))[2]
            self._ranges[each] = phase, rank, read


def world(size, rank, communicator):
    """The communicator of `size` ranks, of which this process is `rank`: what the caller gave, else mpi4py's COMM_WORLD."""
    if size == 1:
        return None
    if communicator is None:
        try:
            from mpi4py import MPI
        except ImportError as why:
            raise _c.NotFoundError(f"PersistentKernel: {size} ranks send each other their results by mpi4py, which cannot be imported ({why}). "
                                   "Install it (python3-mpi4py, or pip install mpi4py), or give communicator=, an object with Get_size(), "
                                   "Get_rank() and Bcast(buffer, root=)") from None
        communicator = MPI.COMM_WORLD
    found = communicator.Get_size(), communicator.Get_rank()
    if found != (size, rank):
        raise _c.InvalidError(f"PersistentKernel: world_size={size}, mpi_rank={rank}, but this process is rank {found[1]} of {found[0]}; start "
                              f"the program by mpirun -n {size}, and give each process its own rank")
    return communicator


def broadcast(communicator, queue, array, root):
    """Sends the array's elements from one rank to the others, into their own memory."""
    data = bytearray(array.nbytes)
    host = (ctypes.c_char * len(data)).from_buffer(data)
    if communicator.Get_rank() == root:
        _c.call(library.prism_copy_to_host, queue, host, array.pointer, len(data), None, 0, None)
        _c.call(library.prism_queue_wait, queue)
    communicator.Bcast(data, root=root)
    if communicator.Get_rank() != root:
        _c.call(library.prism_copy_from_host, queue, array.pointer, host, len(data), None, 0, None)
        _c.call(library.prism_queue_wait, queue)
