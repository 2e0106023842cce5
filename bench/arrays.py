"""Arrays, NumPy and numexpr on the host device: ./prism bench --arrays [largest size]. One process, the best of several
runs, wall time; numexpr where Python finds it."""
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


def best(run, seconds=0.6):
    """The least wall time of one call, of as many as fit the time, but at least three."""
    run()
    least, end, count = float("inf"), time.perf_counter() + seconds, 0
    while count < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        least, count = min(least, time.perf_counter() - begin), count + 1
    return least


def done(x):
    x.pointer  # evaluates and waits


def row(name, n, ours, numpy_run, other=None):
    a, b = best(ours), best(numpy_run)
    text = f"| {name} | {n:,} | {a * 1e6:,.1f} | {b * 1e6:,.1f} | {b / a:.2f} |"
    if other:
        c = best(other)
        text += f" {c * 1e6:,.1f} | {c / a:.2f} |"
    else:
        text += " | |"
    print(text, flush=True)


def main(largest):
    print(f"import prism: {imported * 1e3:.0f} ms beyond NumPy\n")
    print("| what | elements | PRISM µs | NumPy µs | NumPy / PRISM | numexpr µs | numexpr / PRISM |\n|---|---|---|---|---|---|---|")
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
        row("recorded operation", 2, lambda: p + p, lambda: None)


main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10 ** 8)
