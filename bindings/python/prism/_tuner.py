"""prism.AutoTuner: the parameters with which an algorithm is fastest on a device, found by trials and kept for later processes."""
import threading
import time
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass

from . import _c
from . import _given as given
from ._c import library
from ._c_selection import TRIAL, ParameterStruct, TuningOptionsStruct, struct
from ._function import evaluate
from ._selection import entered, find_device, get_device

_TARGETS = ("throughput", "latency")
_algorithms = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Algorithm:
    """An algorithm with parameters: run(data, config) returns a result, parameters are {name: values}."""
    name: str
    run: object
    parameters: "dict[str, list]"
    default: "dict[str, object]"
    items: object = len


def register_algorithm(name, run, parameters, default=None, items=len):
    """Makes an algorithm known to AutoTuner.

    run(data, config): computes with the configuration, a dictionary. parameters: {name: values}, neighbours similar. default: the
    configuration that is used without tuning (default: the first value of each). items(data): its size, for the database."""
    if not callable(run):
        raise TypeError(f"register_algorithm: run is a function of the data and a configuration, not {given.shown(run)}")
    if not isinstance(parameters, dict) or not parameters or any(isinstance(each, str) or not hasattr(each, "__getitem__") or not len(each) for each in parameters.values()):
        raise ValueError(f"register_algorithm: \"{name}\" needs parameters with values, as {{\"group\": [32, 64]}}")
    first = {key: values[0] for key, values in parameters.items()} if default is None else dict(default)
    for key, values in parameters.items():
        if first.get(key) not in values:
            raise ValueError(f"register_algorithm: \"{name}\": the default of {key} is one of {values!r}, not {first.get(key)!r}")
        if any(set(str(each)) & set(" =\t\n") for each in values):
            raise ValueError(f"register_algorithm: \"{name}\": the values of {key} are numbers or words without spaces and \"=\"")
    made = Algorithm(name, run, {key: list(values) for key, values in parameters.items()}, first, items)
    with _lock:
        _algorithms[name] = made
    return made


def algorithm_named(name):
    if isinstance(name, str) and name not in _algorithms:
        from . import genomics as _ # it registers PRISM's own
    with _lock:
        if not isinstance(name, str) or name not in _algorithms:
            raise _c.NotFoundError(f"there is no algorithm \"{name}\" to tune; there are {', '.join(sorted(_algorithms)) or 'none'}: "
                                   "prism.register_algorithm adds one")
        return _algorithms[name]


class Configuration(dict):
    """A configuration. device, algorithm: what it was tuned for. gain: how much faster than the default. trials: [(outcome, seconds,
    configuration, message)]. ended: why the search ended."""
    algorithm = device = ended = ""
    gain = 1.0
    trials = ()


def _text(config):
    return " ".join(f"{key}={value}" for key, value in config.items())


class AutoTuner:
    """Tunes a registered algorithm. optimization_target: "throughput" times a trial by several runs in a row, "latency" by the slowest of
    them. search: "model", "greedy", "random", "exhaustive". database: a file that keeps trials, "" for that of this user; None: none."""

    def __init__(self, algorithm, optimization_target="throughput", *, search="model", max_trials=100, max_seconds=60.0, repetitions=3,
                 database=None, version=""):
        given.one_of(optimization_target, _TARGETS, "AutoTuner: optimization_target")
        if not isinstance(repetitions, int) or repetitions < 1:
            raise ValueError(f"AutoTuner: repetitions is a number from 1, not {repetitions!r}")
        self.algorithm = algorithm if isinstance(algorithm, Algorithm) else algorithm_named(algorithm)
        self.optimization_target, self.repetitions = optimization_target, repetitions
        self._options = {"search": given.text(search, "AutoTuner: search"), "max_trials": given.whole(max_trials, "AutoTuner: max_trials", 1),
                         "max_seconds": given.real(max_seconds, "AutoTuner: max_seconds"),
                         "database": None if database is None else str(database).encode(), "operation": self.algorithm.name.encode(),
                         "kernel": f"{version} {optimization_target}".encode()}

    def tune(self, sample_data, target_device=None, *, same=None):
        """The fastest Configuration for the data on the device (default: the default device). A configuration counts only if its result
        equals that of the default one: same(a, b) compares (default: ==, of all elements of arrays)."""
        chosen = get_device() if target_device is None else find_device(target_device)
        kept, failure = {}, []
        values = {key: {str(each): each for each in given} for key, given in self.algorithm.parameters.items()}

        def measured(config):
            times = []
            with entered(chosen):
                for _ in range(self.repetitions):
                    begun = time.perf_counter()
                    out = self.algorithm.run(sample_data, config)
                    evaluate(out)
                    times.append(time.perf_counter() - begun)
            return out, sum(times) / len(times) if self.optimization_target == "throughput" else max(times)

        @TRIAL
        def trial(text, seconds, right, _):
            try:
                config = {key: values[key][value] for key, value in (word.split("=", 1) for word in text.decode().split())}
                out, seconds[0] = measured(config)
                right[0] = 1 if "first" not in kept or (same or _equal)(kept.setdefault("first", out), out) else 0
                kept.setdefault("first", out)
                return 0
            except Exception as why: # the search goes on with the other configurations
                failure.append(why)
                return 1

        with entered(chosen):
            measured(self.algorithm.default) # builds kernels, before the first time counts
        texts = [(key.encode(), (c_char_p * len(given))(*(str(each).encode() for each in given))) for key, given in self.algorithm.parameters.items()]
        parameters = (ParameterStruct * len(texts))(*(struct(ParameterStruct, name=key, values=given, count=len(given)) for key, given in texts))
        options = struct(TuningOptionsStruct, items=float(self.algorithm.items(sample_data)), **self._options)
        tuning = _c.handle(library.prism_tune, chosen._handle.value, parameters, len(texts), _text(self.algorithm.default).encode(), trial,
                           c_void_p(), byref(options))
        return self._result(tuning, chosen, values, failure)

    def _result(self, tuning, chosen, values, failure):
        def read(what):
            return _c.text(library.prism_tuning_text, tuning.value, what)

        best = read(b"best")
        if not best:
            raise _c.Error(f"tune: no configuration of \"{self.algorithm.name}\" gave a right result on {chosen.name}" +
                           (f": {type(failure[0]).__name__}: {failure[0]}" if failure else "")) from (failure[0] if failure else None)
        out = Configuration((key, values[key][value]) for key, value in (word.split("=", 1) for word in best.split()))
        out.algorithm, out.device, out.ended, out.gain = self.algorithm.name, chosen.name, read(b"ended"), float(read(b"gain"))
        lines = [line.split("\t", 3) for line in read(b"trials").splitlines()]
        out.trials = [(outcome, float(seconds), config, message) for outcome, seconds, config, message in lines]
        return out


def _equal(a, b):
    for one, other in ((a, b), (b, a)):
        if hasattr(one, "tolist"):
            return one.tolist() == (other.tolist() if hasattr(other, "tolist") else other)
    return a == b
