"""Molecular dynamics of a fluid of Lennard-Jones particles, on every device (docs/chemistry.md).

    positions, box = prism.chemistry.lattice(864, density=0.8442)
    fluid = prism.chemistry.Fluid(positions, box, temperature=1.4)
    fluid.run(1000, thermostat=prism.chemistry.Rescaling(0.722))
    print(fluid.measure())

Units are reduced: lengths in sigma, energies in epsilon, masses in the particle's. Positions, velocities and forces are NumPy arrays of
float32 with the shape (particles, 3). The library libprism-chemistry (samples/chemistry) computes; a fluid belongs to one thread at a time."""
import ctypes
import functools
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from typing import NamedTuple

from . import _c
from . import _given as given
from ._curve import curve as _curve
from ._selection import find_device, get_device


@functools.cache
def _library():
    """Opened at the first use: most programs use no chemistry."""
    library = _c.open_library("libprism-chemistry.so.0")
    text, floats, doubles = [c_char_p, c_size_t], c_void_p, POINTER(c_double)
    for name, types in {
            "lattice": [c_size_t, c_double, doubles, floats], "run": [c_void_p, c_size_t, c_int, c_double, c_size_t, c_double],
            "fluid": [c_char_p, c_size_t, floats, floats, c_double, c_double, c_double, c_double, c_uint64, POINTER(c_void_p)],
            "measure": [c_void_p, doubles], "read": [c_void_p, c_int, floats], "add": [c_void_p, c_size_t, floats],
            "distribution": [c_char_p, c_double, c_size_t, c_double, POINTER(c_void_p)], "values": [c_void_p, c_void_p, c_void_p]}.items():
        getattr(library, "prism_chemistry_" + name).argtypes = types + text
    for name in ("fluid_destroy", "distribution_destroy"):
        getattr(library, "prism_chemistry_" + name).argtypes = [c_void_p]
        getattr(library, "prism_chemistry_" + name).restype = None
    return library


_call = _c.library_caller(_library, "prism_chemistry_")


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("prism.chemistry needs NumPy: its arrays are NumPy's. Install it, for example by apt-get install python3-numpy") from None
    return numpy


def _vectors(values, what):
    numpy = _numpy()
    try:
        out = numpy.ascontiguousarray(values, dtype=numpy.float32)
    except (TypeError, ValueError) as why:
        raise TypeError(f"{what} are numbers: {why}") from None
    if out.ndim != 2 or out.shape[1] != 3:
        raise _c.InvalidError(f"{what} have the shape (particles, 3), not {out.shape}")
    return out


def _count(value, what, least=0):
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value.__index__() < 2 ** 31:
        raise ValueError(f"{what} is a whole number of {least} or more, not {value!r}")
    return value.__index__()


def _name(device):
    return (get_device() if device is None else find_device(device))._selector().encode()


class Measurement(NamedTuple):
    """A state in numbers. kinetic, potential: energies of all particles; the potential is shifted, 0 at the cut-off. temperature: about the
    common motion. pressure: by the virial, without what lies beyond the cut-off. momentum: (x, y, z)."""
    step: int
    time: float
    kinetic: float
    potential: float
    temperature: float
    pressure: float
    momentum: tuple

    @property
    def total(self):
        """The energy, which stays without a thermostat."""
        return self.kinetic + self.potential


class Rescaling(NamedTuple):
    """A thermostat that multiplies all velocities in every `period`-th step, so that the temperature is exact then. Momentum stays."""
    temperature: float
    period: int = 10


class Andersen(NamedTuple):
    """A thermostat that gives each particle a random velocity of the temperature, `collisions` times in a unit of time. The states are those of
    the canonical ensemble; momentum and paths are not conserved."""
    temperature: float
    collisions: float = 1.0


def _thermostat(law):
    if law is None:
        return 0, 1.0, 1, 1.0
    if isinstance(law, (Rescaling, Andersen)):
        temperature = given.real(law.temperature, "the temperature of a thermostat")
        return (1, temperature, _count(law.period, "a period", 1), 1.0) if isinstance(law, Rescaling) else \
            (2, temperature, 1, given.real(law.collisions, "the collisions of a thermostat"))
    raise TypeError(f"a thermostat is prism.chemistry.Rescaling(temperature), Andersen(temperature) or None, not {given.shown(law)}")


def lattice(count, density):
    """(positions, box): `count` particles on a face-centred cubic lattice, and the side of the box in which they have the density. A count of
    4 k^3 fills the lattice: 256, 500, 864, 1372."""
    out, box = _numpy().empty((_count(count, "a count", 1), 3), dtype="float32"), c_double()
    _call("lattice", len(out), given.real(density, "lattice: density"), ctypes.byref(box), out.ctypes.data)
    return out, box.value


class Fluid:
    """Particles in a periodic cube with the side `box`, and their motion by velocity Verlet.

    velocities: an array, or None for random ones of `temperature` without common momentum. cutoff: of the potential; the box is at least two of
    them long. seed: of all random numbers. device: a prism.Device or its name, as "opencl:cpu"; None for the default device.
    InvalidError says what cannot be simulated: particles that overlap, a box that is too short."""

    def __init__(self, positions, box, *, velocities=None, temperature=None, cutoff=2.5, time_step=0.004, seed=1, device=None):
        at = _vectors(positions, "positions")
        if (velocities is None) == (temperature is None):
            raise TypeError("a fluid starts with velocities or with a temperature: Fluid(positions, box, temperature=1.0)")
        moving = None if velocities is None else _vectors(velocities, "velocities")
        if moving is not None and len(moving) != len(at):
            raise _c.InvalidError(f"{len(at)} particles were given {len(moving)} velocities")
        box, cutoff, time_step = (given.real(value, f"Fluid: {name}") for name, value in (("box", box), ("cutoff", cutoff), ("time_step", time_step)))
        out = c_void_p()
        _call("fluid", _name(device), len(at), at.ctypes.data, None if moving is None else moving.ctypes.data,
              0.0 if temperature is None else given.real(temperature, "Fluid: temperature"), box, cutoff, time_step, _count(seed, "a seed"),
              ctypes.byref(out))
        self._handle, self._particles, self.box = out.value, len(at), box

    def __del__(self):
        if getattr(self, "_handle", None):
            _library().prism_chemistry_fluid_destroy(self._handle)

    def __len__(self):
        return self._particles

    def run(self, steps, *, every=None, thermostat=None):
        """Moves by so many steps. A list of Measurement: one after each `every` steps, or none. numpy.array([m[:6] for m in list]) is a table."""
        how, left, out = _thermostat(thermostat), _count(steps, "a number of steps"), []
        part = left if every is None else _count(every, "the distance of measurements", 1)
        while left > 0:
            now = min(part, left)
            _call("run", self._handle, now, *how)
            left -= now
            if every is not None and now == part:
                out.append(self.measure())
        return out

    def measure(self):
        """Energies, temperature and pressure now. Error where the time step was too long."""
        v = (c_double * 9)()
        _call("measure", self._handle, v)
        return Measurement(int(v[0]), *v[1:6], tuple(v[6:]))

    def _read(self, what):
        out = _numpy().empty((self._particles, 3), dtype="float32")
        _call("read", self._handle, what, out.ctypes.data)
        return out

    @property
    def positions(self):
        """In the box; a copy."""
        return self._read(0)

    @property
    def velocities(self):
        """An array (particles, 3) of float32; a copy."""
        return self._read(1)

    @property
    def forces(self):
        """An array (particles, 3) of float32, at the present positions; a copy."""
        return self._read(2)

    def __repr__(self):
        return f"<prism.chemistry.Fluid {self._particles} particles, box {self.box:g}>"


class RadialDistribution:
    """g(r): particles at a distance from another one, over those of an ideal gas, averaged over the states that were added.

    bins: 1 to 4096, up to the distance `reach`, at most and by default half a box."""

    def __init__(self, box, bins=100, *, reach=None, device=None):
        out = c_void_p()
        if reach is not None and not given.real(reach, "RadialDistribution: reach") > 0:
            raise _c.InvalidError(f"distances reach to a positive number, not {reach!r}")
        self._bins = _count(bins, "a number of bins", 1)
        _call("distribution", _name(device), given.real(box, "RadialDistribution: box"), self._bins, 0.0 if reach is None else float(reach), ctypes.byref(out))
        self._handle = out.value

    def __del__(self):
        if getattr(self, "_handle", None):
            _library().prism_chemistry_distribution_destroy(self._handle)

    def add(self, positions):
        """Adds a state: an array (particles, 3) of places in the box."""
        at = _vectors(positions, "positions")
        _call("add", self._handle, len(at), at.ctypes.data)

    def _both(self):
        numpy = _numpy()
        distances, values = numpy.empty(self._bins), numpy.empty(self._bins)
        _call("values", self._handle, distances.ctypes.data, values.ctypes.data)
        return distances, values

    @property
    def distances(self):
        """The middles of the bins."""
        return self._both()[0]

    @property
    def values(self):
        """g at the distances."""
        return self._both()[1]

    def save(self, file):
        """Writes g(r) as a picture in SVG."""
        distances, values = self._both()
        pictured = _curve(distances.tolist(), values.tolist(), "distance r / sigma", "g(r)")
        with open(given.path(file, "save: file"), "w", encoding="utf-8") as to:
            to.write(pictured)
