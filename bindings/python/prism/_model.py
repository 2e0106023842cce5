"""prism.PerformanceModel: how long a computation takes on devices, here or described, with the error of the prediction."""
import copy
import json
import pathlib
from ctypes import byref, c_size_t
from dataclasses import dataclass

from . import _c
from . import _given as given
from . import _description as descriptions
from ._c import library
from ._c_selection import PredictionStruct, struct
from ._policy import Workload
from ._selection import find_device

_DEGREES = ("high", "medium", "low")
_DIVERGENCE = {"low": 0.0, "medium": 0.5, "high": 1.0}
_ACCESS = {"structured": "sequential", "sequential": "sequential", "strided": "strided", "random": "random"}


@dataclass(frozen=True)
class Prediction:
    """Seconds; the time lies within lower and upper in nine of ten cases. cost: in the currency of the price. energy: joules, 0 for
    unknown power. throughput: bytes a second."""
    hardware: str
    count: int
    time: float
    lower: float
    upper: float
    cost: float
    energy: float
    throughput: float

    @property
    def error(self):
        """The larger distance of the interval's ends from the time, relative to it: 0.2 is 20 %."""
        return max(self.upper - self.time, self.time - self.lower) / self.time if self.time else 0.0


def _one_of(value, names, what):
    return given.one_of(value, names, f"register_pattern: {what}")


def _usable(description, degree):
    """The description with the part of the device that a computation of this degree of parallelism uses: all, half, or one unit."""
    units = max(description["compute_units"], 1)
    part = {"high": 1.0, "medium": 0.5, "low": 1.0 / units}[degree]
    if part == 1.0:
        return description
    out = copy.deepcopy(description)
    out["peak_gflops"] = {name: rate * part for name, rate in out["peak_gflops"].items()}
    return out


class PerformanceModel:
    """Patterns of computation and the runs that were observed. Before any run a prediction is the roofline of the description, with an
    interval of half to four times; runs narrow it. Any thread."""

    def __init__(self):
        self._handle = _c.handle(library.prism_model_create, None)
        self._degrees = {}

    def register_pattern(self, name, compute_intensity, parallelism_degree="high", memory_access_pattern="structured", branch_divergence="low", *,
                         data_type="fp32"):
        """A pattern, for each byte of data.

        compute_intensity: operations for a byte. parallelism_degree: "high" uses the whole device, "medium" half, "low" one compute unit.
        memory_access_pattern: "structured" (or "sequential"), "strided", "random". branch_divergence: "low", "medium", "high", or a number
        from 0 (work-items take the same branches) to 1 (neighbours never do)."""
        degree = _one_of(parallelism_degree, _DEGREES, "parallelism_degree")
        access = _ACCESS[_one_of(memory_access_pattern, _ACCESS, "memory_access_pattern")]
        divergence = branch_divergence if isinstance(branch_divergence, (int, float)) else \
            _DIVERGENCE[_one_of(branch_divergence, _DIVERGENCE, "branch_divergence")]
        given.text(name, "register_pattern: name"), given.text(data_type, "register_pattern: data_type")
        item = Workload(name, flops=given.real(compute_intensity, "register_pattern: compute_intensity"), bytes=1, bytes_to_move=1, access=access, divergence=divergence, data_type=data_type)
        _c.call(library.prism_model_register, self._handle.value, name.encode(), byref(item._struct()))
        self._degrees[name] = degree

    def _degree(self, name):
        if not isinstance(name, str) or name not in self._degrees:
            raise _c.NotFoundError(f"the model has no pattern \"{name}\"; it has {', '.join(self._degrees) or 'none'}: call register_pattern")
        return self._degrees[name]

    def observe(self, workload, device, data_size, seconds):
        """Records that a run over `data_size` bytes took so long on the device."""
        data_size, seconds = given.real(data_size, "observe: data_size"), given.real(seconds, "observe: seconds")
        one = descriptions.to_text([_usable(find_device(device).description, self._degree(workload))])
        _c.call(library.prism_model_observe, self._handle.value, workload.encode(), one, data_size, seconds)

    def predict_performance(self, workload, data_size, available_hardware):
        """[Prediction] for each entry of available_hardware: a device or its name, or (device, count) for so many of them, which share the
        data so that all finish together."""
        hardware = given.several(available_hardware, "predict_performance: available_hardware")
        return [self._predict(workload, data_size, [each if isinstance(each, tuple) else (each, 1)]) for each in hardware]

    def predict_together(self, workload, data_size, available_hardware):
        """The Prediction for all of the hardware sharing the data."""
        hardware = given.several(available_hardware, "predict_together: available_hardware")
        return self._predict(workload, data_size, [each if isinstance(each, tuple) else (each, 1) for each in hardware])

    def _predict(self, workload, data_size, hardware):
        degree, data_size = self._degree(workload), given.real(data_size, "the size of the data in bytes")
        if any(len(each) != 2 for each in hardware):
            raise ValueError(f"predict_performance: an entry of hardware is a device or (device, count), not {given.shown(hardware)}")
        devices = [find_device(device) for device, _ in hardware]
        counts = [count for _, count in hardware]
        if any(not isinstance(count, int) or count < 1 for count in counts):
            raise ValueError(f"predict_performance: a count of devices is a number from 1, not {counts!r}")
        out = struct(PredictionStruct)
        _c.call(library.prism_model_predict, self._handle.value, workload.encode(),
                descriptions.to_text(_usable(each.description, degree) for each in devices), (c_size_t * len(counts))(*counts), data_size, byref(out))
        return Prediction(", ".join(each.name for each in devices), sum(counts), out.total, out.lower, out.upper, out.cost, out.energy, out.throughput)

    def save(self, file):
        """Writes patterns and runs to a file, for load()."""
        model = json.loads(_c.text(library.prism_model_text, self._handle.value))
        pathlib.Path(given.path(file, "PerformanceModel.save: file")).write_text(json.dumps({"degrees": self._degrees, "model": model}, indent=1))

    @classmethod
    def load(cls, file):
        """The model of a file that save() wrote. NotFoundError or InvalidError names the file."""
        place = pathlib.Path(given.path(file, "PerformanceModel.load: file"))
        try:
            read = json.loads(place.read_text())
            model, degrees = json.dumps(read["model"]), dict(read["degrees"])
        except OSError as why:
            raise _c.NotFoundError(f"PerformanceModel.load: {file} cannot be read: {why.strerror}") from None
        except (ValueError, KeyError, TypeError) as why:
            raise _c.InvalidError(f"PerformanceModel.load: {file} is no file of PerformanceModel.save: {why}") from None
        out = cls()
        out._handle, out._degrees = _c.handle(library.prism_model_create, model.encode()), degrees
        return out

    def __repr__(self):
        return f"<prism.PerformanceModel {', '.join(self._degrees)}>"


