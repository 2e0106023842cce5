"""The last table of `./prism bench --arrays`: what programs of NumPy often ask of a million numbers, one function a row, against NumPy. A ratio
is of one round, in which NumPy and the devices run one after the other."""
import collections
import contextlib
import functools
import statistics
import time

import numpy as np

ROUNDS, SECONDS, COUNT = 5, 0.02, 10 ** 6
Given = collections.namedtuple("Given", "x y single whole byte word flag places m matrix few")


def given():
    rng = np.random.default_rng(4)
    side = int(COUNT ** 0.5)
    x, y = rng.random(COUNT) - 0.5, rng.random(COUNT) + 0.1
    matrix = rng.random((300, 300)) + 300 * np.eye(300)
    return Given(x, y, x.astype("float32"), rng.integers(-1000, 1000, COUNT), rng.integers(0, 100, COUNT).astype("uint8"), rng.integers(0, 1000, COUNT).astype("int32"),
                 x > 0, rng.integers(0, COUNT, COUNT), x.reshape(side, side), matrix, rng.random((1000, 8, 8)))


def both(function):
    """A function of either library."""
    return function, function


def named(ours, theirs):
    """A function of PRISM by the Array API's name, and NumPy's."""
    return ours, theirs


FORMS = {
    "x + y": both(lambda xp, a: a.x + a.y), "x * 2 + 1": both(lambda xp, a: a.x * 2 + 1), "x ** 2": both(lambda xp, a: a.x ** 2),
    "y ** 0.5": both(lambda xp, a: a.y ** 0.5), "y ** 1.7": both(lambda xp, a: a.y ** 1.7), "sqrt": both(lambda xp, a: xp.sqrt(a.y)),
    "log": both(lambda xp, a: xp.log(a.y)), "tanh": both(lambda xp, a: xp.tanh(a.x)), "exp of float32": both(lambda xp, a: xp.exp(a.single)),
    "x < y": both(lambda xp, a: a.x < a.y), "x == y": both(lambda xp, a: a.x == a.y), "isnan": both(lambda xp, a: xp.isnan(a.x)),
    "flag & (x < 0.2)": both(lambda xp, a: a.flag & (a.x < 0.2)), "where": both(lambda xp, a: xp.where(a.flag, a.x, a.y)), "clip": both(lambda xp, a: xp.clip(a.x, -0.2, 0.2)),
    "int32 + int32": both(lambda xp, a: a.word + a.word), "uint8 + uint8": both(lambda xp, a: a.byte + a.byte), "int64 // 7": both(lambda xp, a: a.whole // 7),
    "int64 % 7": both(lambda xp, a: a.whole % 7), "largest of uint8": both(lambda xp, a: xp.max(a.byte)), "sum of uint8": both(lambda xp, a: xp.sum(a.byte)),
    "count_nonzero": both(lambda xp, a: xp.count_nonzero(a.flag)), "mean": both(lambda xp, a: xp.mean(a.x)), "std": both(lambda xp, a: xp.std(a.x)),
    "std, axis 0": both(lambda xp, a: xp.std(a.m, axis=0)), "prod": both(lambda xp, a: xp.prod(a.y)), "sum of x[::2]": both(lambda xp, a: xp.sum(a.x[::2])),
    "sum of the transposed, axis 0": both(lambda xp, a: xp.sum(a.m.T, axis=0)),
    "cumulative sum": named(lambda xp, a: xp.cumulative_sum(a.x), lambda xp, a: xp.cumsum(a.x)), "diff": both(lambda xp, a: xp.diff(a.x)),
    "x[flag]": both(lambda xp, a: a.x[a.flag]), "x[places]": both(lambda xp, a: a.x[a.places]), "nonzero": both(lambda xp, a: xp.nonzero(a.flag)[0]),
    "m + m.T": both(lambda xp, a: a.m + a.m.T), "x[::-1] + y": both(lambda xp, a: a.x[::-1] + a.y), "roll": both(lambda xp, a: xp.roll(a.x, 17)),
    "concatenated": named(lambda xp, a: xp.concat([a.x, a.y]), lambda xp, a: xp.concatenate([a.x, a.y])), "tile": both(lambda xp, a: xp.tile(a.x, 2)),
    "m - its means": both(lambda xp, a: a.m - xp.mean(a.m, axis=1, keepdims=True)), "five-point stencil": both(
        lambda xp, a: a.m[1:-1, 1:-1] * 4 - a.m[:-2, 1:-1] - a.m[2:, 1:-1] - a.m[1:-1, :-2] - a.m[1:-1, 2:]),
    "sort": both(lambda xp, a: xp.sort(a.x)), "argsort": both(lambda xp, a: xp.argsort(a.x)), "sort, axis 0": both(lambda xp, a: xp.sort(a.m, axis=0)),
    "unique": both(lambda xp, a: xp.unique(a.whole)), "median": both(lambda xp, a: xp.median(a.x)), "percentile": both(lambda xp, a: xp.percentile(a.x, 30)),
    "histogram": both(lambda xp, a: xp.histogram(a.x, 50)[0]), "bincount": both(lambda xp, a: xp.bincount(a.word)),
    "searchsorted": both(lambda xp, a: xp.searchsorted(a.m[0] * 0 + xp.arange(1000) * 0.001 - 0.5, a.x)), "isin": both(lambda xp, a: xp.isin(a.whole, xp.arange(10))),
    "dot": named(lambda xp, a: xp.vecdot(a.x, a.y), lambda xp, a: xp.dot(a.x, a.y)), "norm": named(
        lambda xp, a: xp.linalg.vector_norm(a.x), lambda xp, a: xp.linalg.norm(a.x)),
    "matrix times vector": both(lambda xp, a: a.m @ a.m[0]), "vector times matrix": both(lambda xp, a: a.m[0] @ a.m), "1,000 products of 8 x 8": both(lambda xp, a: a.few @ a.few),
    "solve, 300": both(lambda xp, a: xp.linalg.solve(a.matrix, a.matrix[0])), "inv, 300": both(lambda xp, a: xp.linalg.inv(a.matrix)),
    "svd, 300": both(lambda xp, a: xp.linalg.svd(a.matrix)[1]), "fft": both(lambda xp, a: xp.fft.fft(a.x + 0j)), "arange": both(lambda xp, a: xp.arange(COUNT) * 1.5),
    "linspace": both(lambda xp, a: xp.linspace(0, 1, COUNT) + 0.5),
}


def warm(runs, scopes=None):
    """Runs each until its kernels are built: a device interprets an expression until its launches have cost as much as a build."""
    for name, run in runs.items():
        least = 3 if name in ("NumPy", "host") else 20
        begin = time.perf_counter()
        with scopes[name]() if scopes else contextlib.nullcontext():
            while least > 0 or (name not in ("NumPy", "host") and time.perf_counter() - begin < 0.7):
                run()
                least -= 1


def until_idle():
    """Returns when the threads of the last run sleep: OpenBLAS's wait awake for the next call and would take a processor from the next run."""
    for _ in range(200):
        wall, used = time.perf_counter(), time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.2 * (time.perf_counter() - wall):
            return


def timed_alone(timed, run, scope):
    """The wall time of a call in µs, without the one that wakes threads; the scope is entered before, as a program enters it."""
    until_idle()
    with scope():
        run()
        return timed(run, SECONDS)[0]


def table(devices, timed, done):
    """Prints it. devices: name to prism.Device; timed and done as in arrays.py."""
    import prism
    operands = given()
    on = {}
    for name, device in devices.items():
        with prism.device(device):
            on[name] = Given(*map(prism.asarray, operands))
    columns = ["of 1,000,000 numbers", "NumPy µs"]
    for name in devices:
        columns += [f"{name} µs", f"NumPy / {name}"]
    print("\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    for form, (ours, theirs) in FORMS.items():
        expected = theirs(np, operands)
        runs, scopes = {"NumPy": lambda: theirs(np, operands)}, {"NumPy": contextlib.nullcontext}
        for name, device in devices.items():
            def run(arrays=on[name]):
                done(ours(prism, arrays))
            scopes[name] = functools.partial(prism.device, device)
            with prism.device(device):
                np.testing.assert_allclose(np.asarray(ours(prism, on[name]).to_device("host")), expected, rtol=1e-5, atol=1e-9, err_msg=f"{form} on {name}")
            runs[name] = run
        warm(runs, scopes)
        rounds = [{name: timed_alone(timed, run, scopes[name]) for name, run in runs.items()} for _ in range(ROUNDS)]
        micros = {name: statistics.median(r[name] for r in rounds) for name in runs}
        text = f"| {form} | {micros['NumPy']:,.0f} |"
        for name in devices:
            ratios = sorted(r["NumPy"] / r[name] for r in rounds)
            text += f" {micros[name]:,.0f} | {statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f}) |"
        print(text, flush=True)
