"""Arrays, NumPy and numexpr on the host device: ./prism bench --arrays [largest size]. One process, the least wall and
processor time of several runs; numexpr where Python finds it. On a busy machine only processor times compare."""
import pathlib
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


def best(run, seconds=0.4):
    """The least wall and processor time of one call, of as many as fit the time, but at least three."""
    run()
    wall = processor = float("inf")
    end, count = time.perf_counter() + seconds, 0
    while count < 3 or time.perf_counter() < end:
        begin, used = time.perf_counter(), time.process_time()
        run()
        wall, processor = min(wall, time.perf_counter() - begin), min(processor, time.process_time() - used)
        count += 1
    return wall * 1e6, processor * 1e6


def done(x):
    x.pointer  # evaluates and waits


def row(name, n, ours, numpy_run, other=None):
    wall, processor = best(ours)
    text = f"| {name} | {n:,} | {wall:,.1f} | {processor:,.1f} |"
    for each in (numpy_run, other):
        if each:
            their_wall, their_processor = best(each)
            text += f" {their_wall:,.1f} | {their_processor:,.1f} | {their_wall / wall:.2f} | {their_processor / processor:.2f} |"
        else:
            text += " | | | |"
    print(text, flush=True)


def main(largest):
    print(f"import prism: {imported * 1e3:.0f} ms beyond NumPy\n")
    columns = ["what", "elements", "PRISM µs", "its processor µs"]
    for other in ("NumPy", "numexpr"):
        columns += [f"{other} µs", "its processor µs", f"{other} / PRISM", "by processor time"]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    with prism.device("host"):
        for n in (10 ** k for k in range(3, 9)):
            if n > largest:
                break
            x, y = (np.random.default_rng(seed).random(n) for seed in (1, 2))
            p, q = prism.asarray(x), prism.asarray(y)
            text = "(x * 2 + y) * (x - y) / (y + 1.5) + x * x"
            row("chain of 8", n, lambda: done((p * 2 + q) * (p - q) / (q + 1.5) + p * p), lambda: (x * 2 + y) * (x - y) / (y + 1.5) + x * x,
                numexpr and (lambda: numexpr.evaluate(text, local_dict={"x": x, "y": y})))
            row("sin(x) * exp(-y)", n, lambda: done(prism.sin(p) * prism.exp(-q)), lambda: np.sin(x) * np.exp(-y),
                numexpr and (lambda: numexpr.evaluate("sin(x) * exp(-y)", local_dict={"x": x, "y": y})))
            row("sum", n, lambda: float(prism.sum(p)), lambda: float(x.sum()))
            row("sum of (x - y)²", n, lambda: float(prism.sum((p - q) * (p - q))), lambda: float(((x - y) ** 2).sum()),
                numexpr and (lambda: float(numexpr.evaluate("sum((x - y) ** 2)", local_dict={"x": x, "y": y}))))
            side = 10 ** (len(str(n)) // 2)
            if n % side == 0 and n > 1000:
                m, g = x.reshape(-1, side), prism.reshape(p, (-1, side))
                column = np.random.default_rng(3).random((n // side, 1))
                pc = prism.asarray(column)
                row("row + column", n, lambda: done(g + pc), lambda: m + column)
                row("sum, axis 0", n, lambda: done(prism.sum(g, axis=0)), lambda: m.sum(axis=0))
                row("sum, axis 1", n, lambda: done(prism.sum(g, axis=1)), lambda: m.sum(axis=1))
        for n in (100, 1000):
            x = np.random.default_rng(1).random((n, n))
            p = prism.asarray(x)
            row("matmul", n * n, lambda: done(p @ p), lambda: x @ x)
        p = prism.asarray([1.0, 2.0])
        row("recorded operation", 2, lambda: p + p, None)


main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10 ** 8)
