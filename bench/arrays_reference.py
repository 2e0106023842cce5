"""arrays_reference.py LIBRARY: one other array library of `./prism bench --arrays`, in a process of its own, as its threads and its drivers
would disturb the others. LIBRARY: torch, jax or dpnp, which the Python that runs this file must have.

It prints its version, then answers each line of its input. "ROW<tab>N<tab>SECONDS" (for "matmul" N is the matrix's side) asks for the wall
and processor time of that row of array_rows.py in µs, "-" means that the library cannot compute it. All libraries use float64."""
import importlib
import sys
import time
import types

import numpy as np

import array_rows


def torch_library():
    import torch

    def largest(x, axis=None):
        return x.amax() if axis is None else x.amax(dim=axis)

    xp = types.SimpleNamespace(sin=torch.sin, exp=torch.exp, any=torch.any, max=largest,
                               sum=lambda x, axis=None: x.sum() if axis is None else x.sum(dim=axis),
                               argmax=lambda x, axis=None: torch.argmax(x) if axis is None else torch.argmax(x, dim=axis))
    return torch.__version__, xp, torch.from_numpy, lambda function: function, lambda result: None


def jax_library():
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    import jax.numpy

    def compiled(function):
        run = jax.jit(lambda a: function(jax.numpy, a))
        return lambda _, a: run(a)

    return jax.__version__, jax.numpy, jax.numpy.asarray, compiled, lambda result: result.block_until_ready()


def dpnp_library():
    import dpnp

    queue = dpnp.asarray(0.0).sycl_queue
    return f"{dpnp.__version__} on {queue.sycl_device.name}", dpnp, dpnp.asarray, lambda function: function, lambda result: queue.wait()


LIBRARIES = {"torch": torch_library, "jax": jax_library, "dpnp": dpnp_library}


def timed(run, seconds):
    """Wall and processor time of a call in µs: the mean of as many as fit the time."""
    begin, used, count = time.perf_counter(), time.process_time(), 0
    while count == 0 or time.perf_counter() - begin < seconds:
        run()
        count += 1
    return (time.perf_counter() - begin) / count * 1e6, (time.process_time() - used) / count * 1e6


def main(name):
    version, xp, convert, prepare, wait = LIBRARIES[name]()
    print(version, flush=True)
    functions = {row: prepare(function) for row, function in array_rows.ROWS.items()}
    known = {}
    for line in sys.stdin:
        row, n, seconds = line.rstrip("\n").split("\t")
        kind = "matmul" if row == "matmul" else "rows"
        if (kind, n) not in known:
            make = array_rows.product_operands if kind == "matmul" else array_rows.operands
            known = {(kind, n): array_rows.Operands(*map(convert, make(int(n))))}  # of one size at a time
        operands = known[kind, n]
        try:
            wall, processor = timed(lambda: wait(functions[row](xp, operands)), float(seconds))
            print(f"{wall}\t{processor}", flush=True)
        except (RuntimeError, TypeError, ValueError, NotImplementedError):
            print("-", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
