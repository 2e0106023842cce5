"""Arrays on the devices against NumPy: ./prism bench --arrays [largest size]. One process; each round measures NumPy and then
each device, and a ratio is of one round. A line has the median of the rounds and their spread, of wall time and of processor
time: on a busy machine only the second compares."""
import pathlib
import statistics
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bindings/python"))
started = time.perf_counter()
import prism

imported = time.perf_counter() - started
try:
    import numexpr
except ImportError:
    numexpr = None

ROUNDS = 7
DEVICES = {"host": "host", "PoCL": "opencl:cpu", "lavapipe": "vulkan:name=llvmpipe"}


def timed(run, seconds):
    """Wall and processor time of a call in µs: the mean of as many as fit the time."""
    begin, used, count = time.perf_counter(), time.process_time(), 0
    while count == 0 or time.perf_counter() - begin < seconds:
        run()
        count += 1
    return (time.perf_counter() - begin) / count * 1e6, (time.process_time() - used) / count * 1e6


def done(x):
    x.pointer  # evaluates and waits


def present():
    """The devices of this machine, by the names of the table."""
    out = {}
    for name, selector in DEVICES.items():
        try:
            out[name] = prism.Device(selector)
        except prism.NotFoundError as why:
            print(f"no {name}: {why}")
    return out


class Table:
    def __init__(self, devices):
        self.devices = devices
        columns = ["what", "elements", "NumPy µs"]
        for name in list(devices) + (["numexpr"] if numexpr else []):
            columns += [f"{name} µs", f"NumPy / {name}", "spread", "by processor time", "spread"]
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")

    def row(self, what, n, make, numpy_run, other=None):
        """make(device) gives what a device runs."""
        runs = [make(device) for device in self.devices.values()] + ([other] if numexpr else [])
        for run in filter(None, [numpy_run, *runs]):
            for _ in range(3):  # builds of kernels, and the choice among them
                run()
        seconds = 0.01
        rounds = [[each and timed(each, seconds) for each in [numpy_run, *runs]] for _ in range(ROUNDS)]
        text = f"| {what} | {n:,} | {statistics.median(r[0][0] for r in rounds):,.1f} |"
        for k in range(1, len(runs) + 1):
            if not rounds[0][k]:
                text += " | | | | |"
                continue
            text += f" {statistics.median(r[k][0] for r in rounds):,.1f} |"
            for time_of in (0, 1):
                ratios = [r[0][time_of] / max(r[k][time_of], 1e-3) for r in rounds]
                text += f" {statistics.median(ratios):.2f} | {min(ratios):.2f}–{max(ratios):.2f} |"
        print(text, flush=True)


def chains(table, n, x, y, on):
    text = "(x * 2 + y) * (x - y) / (y + 1.5) + x * x"
    p, q = ({device: on(device, a) for device in table.devices.values()} for a in (x, y))
    table.row("chain of 8", n, lambda d: lambda: done((p[d] * 2 + q[d]) * (p[d] - q[d]) / (q[d] + 1.5) + p[d] * p[d]),
              lambda: (x * 2 + y) * (x - y) / (y + 1.5) + x * x,
              lambda: numexpr.evaluate(text, local_dict={"x": x, "y": y}))
    table.row("sin(x) * exp(-y)", n, lambda d: lambda: done(prism.sin(p[d]) * prism.exp(-q[d])), lambda: np.sin(x) * np.exp(-y),
              lambda: numexpr.evaluate("sin(x) * exp(-y)", local_dict={"x": x, "y": y}))
    table.row("sum", n, lambda d: lambda: float(prism.sum(p[d])), lambda: float(x.sum()))
    table.row("largest", n, lambda d: lambda: float(prism.max(p[d])), lambda: float(x.max()))
    table.row("position of the largest", n, lambda d: lambda: int(prism.argmax(p[d])), lambda: int(x.argmax()))
    table.row("sum of (x - y)²", n, lambda d: lambda: float(prism.sum((p[d] - q[d]) * (p[d] - q[d]))), lambda: float(((x - y) ** 2).sum()),
              lambda: float(numexpr.evaluate("sum((x - y) ** 2)", local_dict={"x": x, "y": y})))
    none = np.zeros(n, bool)
    b = {device: on(device, none) for device in table.devices.values()}
    table.row("any, of bool", n, lambda d: lambda: bool(prism.any(b[d])), lambda: bool(none.any()))


def axes(table, n, x, on):
    side = 10 ** (len(str(n)) // 2)
    if n % side or n <= 1000:
        return
    m = x.reshape(-1, side)
    cube = m.reshape(m.shape[0], 10, -1)
    column = np.random.default_rng(3).random((n // side, 1))
    g, h, c = ({device: on(device, a) for device in table.devices.values()} for a in (m, cube, column))
    table.row("row + column", n, lambda d: lambda: done(g[d] + c[d]), lambda: m + column)
    table.row("sum, axis 0", n, lambda d: lambda: done(prism.sum(g[d], axis=0)), lambda: m.sum(axis=0))
    table.row("sum, axis 1", n, lambda d: lambda: done(prism.sum(g[d], axis=1)), lambda: m.sum(axis=1))
    for axis in (0, 1):
        table.row(f"largest of axis {axis}", n, lambda d: lambda: done(prism.max(g[d], axis=axis)), lambda: m.max(axis=axis))
        table.row(f"position of the largest, axis {axis}", n, lambda d: lambda: done(prism.argmax(g[d], axis=axis)),
                  lambda: m.argmax(axis=axis))
    table.row("sum, middle axis", n, lambda d: lambda: done(prism.sum(h[d], axis=1)), lambda: cube.sum(axis=1))
    table.row("sum of squares, axis 0", n, lambda d: lambda: done(prism.sum(g[d] * g[d], axis=0)), lambda: (m * m).sum(axis=0))


def main(largest):
    print(f"import prism: {imported * 1e3:.0f} ms beyond NumPy\n")

    def on(device, values):
        with prism.device(device):
            return prism.asarray(values)

    table = Table(present())
    for n in (10 ** k for k in range(3, 9)):
        if n > largest:
            break
        x, y = (np.random.default_rng(seed).random(n) for seed in (1, 2))
        chains(table, n, x, y, on)
        axes(table, n, x, on)
    for n in (100, 1000):
        x = np.random.default_rng(1).random((n, n))
        p = {device: on(device, x) for device in table.devices.values()}
        table.row(f"matmul of {n} x {n}", n * n, lambda d: lambda: done(p[d] @ p[d]), lambda: x @ x)
    with prism.device("host"):
        p = prism.asarray([1.0, 2.0])
        print(f"\na recorded operation: {min(timed(lambda: p + p, 0.1)[0] for _ in range(5)):.2f} µs")


main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10 ** 7)
