"""Arrays on the devices against NumPy and other array libraries: ./prism bench --arrays [largest size]. In each round, NumPy, each device and
each library that is there run one after the other, and a ratio is of one round. The first table has the devices against NumPy, the second
the libraries against the host device: the medians of the rounds and their spread, of wall time and of processor time. On a busy machine
only the second kind compares. The third has common forms of a million numbers (array_forms.py).

numexpr and PyTorch are Debian's; JAX and dpnp are those of `./prism setup --all`, which gets them from Python's registry. Each of the last
three runs in a process of its own (arrays_reference.py)."""
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent / "bindings/python"
sys.path.insert(0, str(PACKAGE))
import prism

import array_forms
import array_rows
from arrays_reference import timed

try:
    import numexpr
except ImportError:
    numexpr = None

ROUNDS = 7
SECONDS = 0.01
LARGE = 10 ** 8  # from here on the host device, NumPy and numexpr: each of the others would hold the operands once more
DEVICES = {"host": "host", "PoCL": "opencl:cpu", "lavapipe": "vulkan:name=llvmpipe"}
REGISTRY = pathlib.Path(os.environ["PRISM_BUILD_DIR"]).resolve() / "registry-python"
OF_REGISTRY = {"JAX": "jax", "dpnp": "dpnp"}


def import_seconds():
    """How long `import prism` takes in new processes after NumPy's import: the compiled files of the modules are there, as in an
    installed package, since a first process writes them."""
    code = f"import sys, time; sys.path.insert(0, {str(PACKAGE)!r}); import numpy; t = time.perf_counter(); import prism; print(time.perf_counter() - t)"
    compiled = {**os.environ, "PYTHONPYCACHEPREFIX": str(REGISTRY.parent / "bench/python")}
    compiled.pop("PYTHONDONTWRITEBYTECODE", None)
    return [float(subprocess.run([sys.executable, "-c", code], env=compiled, capture_output=True, text=True, check=True).stdout)
            for _ in range(ROUNDS + 1)][1:]


def done(result):
    """Waits for a result of PRISM; a number is fetched."""
    if result.ndim:
        result.pointer
    else:
        result.item()


def present():
    """The devices of this machine, by the names of the table."""
    out = {}
    for name, selector in DEVICES.items():
        try:
            out[name] = prism.Device(selector)
        except prism.NotFoundError as why:
            print(f"no {name}: {why}")
    return out


class Process:
    """A library in a process of its own. A row that it cannot run, or in which it ends, has no time."""

    def __init__(self, module, python):
        drivers = {"OCL_ICD_VENDORS": str(REGISTRY / "vendors")} if module == "dpnp" else {}
        self.run = subprocess.Popen([str(python), "-B", str(HERE / "arrays_reference.py"), module], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **drivers})
        self.version = self.run.stdout.readline().strip()

    def times(self, row, n):
        try:
            self.run.stdin.write(f"{row}\t{n}\t{SECONDS}\n")
            self.run.stdin.flush()
            answer = self.run.stdout.readline().split()
        except BrokenPipeError:
            return None
        return tuple(map(float, answer)) if len(answer) == 2 else None


def references():
    """The libraries of this machine. One that is missing is named."""
    out = {}
    for name, module in {"PyTorch": "torch", **OF_REGISTRY}.items():
        python = REGISTRY / "bin/python" if name in OF_REGISTRY else pathlib.Path(sys.executable)
        process = Process(module, python) if python.exists() else None
        if process and process.version:
            out[name] = process
            print(f"{name} {process.version}")
        else:
            why = process.run.stderr.read().strip().splitlines()[-1:] if process else []
            print(" ".join([f"no {name}: ./prism setup --all installs it where it can be had.", *why]))
    print(f"numexpr {numexpr.__version__}, {numexpr.nthreads} threads" if numexpr else "no numexpr: ./prism setup --all installs it")
    return out


def cell(rounds, k, base, time_of):
    ratios = [r[base][time_of] / max(r[k][time_of], 1e-3) for r in rounds]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


class Table:
    """Prints a line for each row as it is measured, and gathers the lines of the second table."""

    def __init__(self, devices, processes):
        self.devices, self.processes = devices, processes
        columns = ["what", "elements", "NumPy µs"]
        for name in devices:
            columns += [f"{name} µs", f"NumPy / {name}", "by processor time"]
        self.head(columns)
        self.second = []

    @staticmethod
    def head(columns):
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)

    def row(self, what, n, operands, on, name=None):
        """name: what a library's process calls the row `what`; n: the size that it takes."""
        name = name or what
        function = array_rows.ROWS[name]
        runs = {"NumPy": lambda: function(np, operands)}
        expected = function(np, operands)
        for device, arrays in on.items():
            np.testing.assert_allclose(np.asarray(function(prism, arrays).to_device("host")), expected, rtol=1e-8, err_msg=f"{what} on {device}")
            runs[device] = lambda arrays=arrays: done(function(prism, arrays))
        if numexpr and name in array_rows.NUMEXPR:
            runs["numexpr"] = lambda: numexpr.evaluate(array_rows.NUMEXPR[name], local_dict={"x": operands.x, "y": operands.y})
        array_forms.warm(runs)
        processes = self.processes if operands.x.size < LARGE else {}
        others = [each for each, process in processes.items() if all([process.times(name, n) for _ in range(2)])]
        rounds = [{**{each: timed(run, SECONDS) for each, run in runs.items()},
                   **{each: self.processes[each].times(name, n) for each in others}} for _ in range(ROUNDS)]
        others = [each for each in others if all(r[each] for r in rounds)]
        micros = {each: f"{statistics.median(r[each][0] for r in rounds):,.1f}" for each in [*runs, *others]}
        text = f"| {what} | {operands.x.size:,} | {micros['NumPy']} |"
        for device in self.devices:
            if device not in micros:
                text += " | | |"
                continue
            text += f" {micros[device]} | {cell(rounds, device, 'NumPy', 0)} | {cell(rounds, device, 'NumPy', 1)} |"
        print(text, flush=True)
        text = f"| {what} | {operands.x.size:,} |"
        for each in ["numexpr", *self.processes]:
            compared = each in micros and "host" in micros
            text += f" {micros[each]} | {cell(rounds, 'host', each, 0)} | {cell(rounds, 'host', each, 1)} |" if compared else " | | |"
        self.second.append(text)

    def finish(self):
        columns = ["what", "elements"]
        for each in ["numexpr", *self.processes]:
            columns += [f"{each} µs", f"{each} / host", "by processor time"]
        print()
        self.head(columns)
        print("\n".join(self.second), flush=True)


def placed(devices, operands):
    """The operands on each device."""
    out = {}
    for name, device in devices.items():
        with prism.device(device):
            out[name] = array_rows.Operands(*map(prism.asarray, operands))
    return out


def main(largest):
    seconds = import_seconds()
    print(f"import prism: {statistics.median(seconds) * 1e3:.0f} ms beyond NumPy ({min(seconds) * 1e3:.0f}–{max(seconds) * 1e3:.0f})", flush=True)
    devices = present()
    table = Table(devices, references())
    for n in (10 ** k for k in range(3, 9)):
        if n > largest:
            break
        operands = array_rows.operands(n)
        on = placed(devices if n < LARGE else {name: each for name, each in devices.items() if name == "host"}, operands)
        for what in array_rows.rows_of(n):
            table.row(what, n, operands, on)
    for side in (100, 1000):
        operands = array_rows.product_operands(side)
        table.row(f"matmul of {side} x {side}", side, operands, placed(devices, operands), "matmul")
    table.finish()
    if largest >= array_forms.COUNT:
        array_forms.table(devices, timed, done)
    with prism.device("host"):
        p = prism.asarray([1.0, 2.0])
        print(f"\na recorded operation: {min(timed(lambda: p + p, 0.1)[0] for _ in range(5)):.2f} µs", flush=True)
    for selector in (DEVICES[name] for name in devices):
        for program in ("small-arrays", "typed-arrays"):
            subprocess.run([pathlib.Path(os.environ["PRISM_BUILD_DIR"]) / f"bin/prism-bench-{program}"],
                           env={**os.environ, "PRISM_DEVICE_SELECTOR": selector}, check=True)


main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10 ** 7)
