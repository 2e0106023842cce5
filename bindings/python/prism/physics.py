"""Physics: gravitational n-body simulation, the heat equation and the wave equation in two dimensions, on every device (docs/physics.md).

    pair = prism.physics.NBody([1, 3], [[-0.75, 0, 0], [0.25, 0, 0]], [[0, -1.06, 0], [0, 0.35, 0]])
    pair.step(0.001, 500)
    print(pair.position, pair.energy().total)

Arrays are NumPy's or anything that numpy.asarray() takes. A simulation runs on the device that is the thread's default when it is made, in
float32, or in float64 if dtype="float64". Its state stays on the device: step() copies nothing, and the
properties return new arrays. A simulation belongs to one thread at a time. Wrong input gives prism.InvalidError; float64 on a device
without it prism.UnsupportedError."""
import functools
import math
import struct
import zlib
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_void_p
from typing import NamedTuple

from . import _c
from . import _given as given

_TEXT = [c_char_p, c_size_t]
_FUNCTIONS = {"bodies": [c_int, c_size_t, c_void_p, c_void_p, c_void_p, c_double, c_double, c_double, POINTER(c_void_p), *_TEXT],
              "heat": [c_int, c_size_t, c_size_t, c_double, c_int, c_void_p, c_double, c_double, POINTER(c_void_p), *_TEXT],
              "wave": [c_int, c_size_t, c_size_t, c_double, c_int, c_void_p, c_void_p, c_double, c_double, POINTER(c_void_p), *_TEXT],
              "step": [c_void_p, c_double, c_size_t, *_TEXT], "read": [c_void_p, c_int, c_void_p, *_TEXT],
              "energy": [c_void_p, POINTER(c_double), *_TEXT], "destroy": [c_void_p]}


@functools.cache
def _library():
    """Opened at the first use, so that programs without physics do not load its kernels."""
    out = _c.open_library("libprism-physics.so.0")
    for name, types in _FUNCTIONS.items():
        getattr(out, "prism_physics_" + name).argtypes = types
    out.prism_physics_destroy.restype = None
    return out


_call = _c.library_caller(lambda: _library(), "prism_physics_")


class Energy(NamedTuple):
    """The kinetic and the potential energy of bodies."""
    kinetic: float
    potential: float

    @property
    def total(self):
        """Their sum."""
        return self.kinetic + self.potential


class _Simulation:
    """Owns a simulation of libprism-physics."""

    def __init__(self, dtype):
        import numpy
        self._handle = None
        try:
            self.dtype = numpy.dtype(dtype)
        except TypeError:
            self.dtype = None
        if dtype is None or self.dtype not in (numpy.float32, numpy.float64):
            raise _c.InvalidError(f"{type(self).__name__}: dtype is float32 or float64, not {self.dtype or given.shown(dtype)}")

    def _array(self, name, values, shape=None):
        """The given numbers as a contiguous array of the type; `shape` is checked where there is one."""
        import numpy
        try:
            out = numpy.ascontiguousarray(values, dtype=self.dtype)
        except (TypeError, ValueError) as why:
            raise _c.InvalidError(f"{type(self).__name__}: {name} is no array of numbers: {why}") from None
        if shape is not None and out.shape != shape:
            raise _c.InvalidError(f"{type(self).__name__}: {name} has the shape {out.shape} instead of {shape}")
        return out

    def _make(self, function, *arguments):
        handle = c_void_p()
        _call(function, int(self.dtype.itemsize == 8), *arguments, byref(handle))
        self._handle, self._destroy = handle.value, _library().prism_physics_destroy # which the end of Python no longer finds

    def __del__(self):
        if getattr(self, "_handle", None):
            self._destroy(self._handle)

    def _advance(self, time_step, steps):
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
            raise _c.InvalidError(f"{type(self).__name__}: the number of steps is {steps!r}; it is an integer of at least 0")
        _call("step", self._handle, time_step, steps)

    def _read(self, what, shape):
        import numpy
        out = numpy.empty(shape, self.dtype)
        _call("read", self._handle, what, out.ctypes.data)
        return out


class NBody(_Simulation):
    """Bodies that attract each other.

    mass: n numbers of at least 0. position, velocity: n rows of x, y, z. The acceleration of body i is the sum over j of
    constant * mass[j] * d / (|d|^2 + softening^2)^1.5 with d = position[j] - position[i]. method: "direct" computes all pairs, "barnes-hut"
    takes distant bodies together: theta = 0 takes none together, 0.5 has errors below 1 %, 1 is the largest. Time advances by the leapfrog."""

    def __init__(self, mass, position, velocity, *, constant=1.0, softening=0.0, method="direct", theta=0.5, dtype="float32"):
        super().__init__(dtype)
        if method not in ("direct", "barnes-hut"):
            raise _c.InvalidError(f"NBody: method is \"direct\" or \"barnes-hut\", not {method!r}")
        constant, softening = given.real(constant, "NBody: constant"), given.real(softening, "NBody: softening")
        if not 0 <= given.real(theta, "NBody: theta") <= 1:
            raise _c.InvalidError(f"NBody: theta is between 0 and 1, not {theta!r}")
        self.mass = self._array("mass", mass)
        if self.mass.ndim != 1:
            raise _c.InvalidError(f"NBody: mass has the shape {self.mass.shape}; it is one number for each body")
        self.mass = self.mass.copy() # later changes of the given array do not change it
        self._shape = (len(self.mass), 3)
        places, speeds = self._array("position", position, self._shape), self._array("velocity", velocity, self._shape)
        self.time = 0.0
        self._make("bodies", len(self.mass), self.mass.ctypes.data, places.ctypes.data, speeds.ctypes.data, constant, softening,
                   theta if method == "barnes-hut" else -1.0)

    def step(self, time_step, steps=1):
        """Advances the time by `steps` steps and waits for them. A negative time step goes back."""
        self._advance(given.real(time_step, "step: time_step"), steps)
        self.time += time_step * steps

    @property
    def position(self):
        """A new array of n rows of x, y, z."""
        return self._read(0, self._shape)

    @property
    def velocity(self):
        """A new array of n rows of x, y, z."""
        return self._read(1, self._shape)

    @property
    def acceleration(self):
        """A new array of n rows of x, y, z: at the present positions."""
        return self._read(2, self._shape)

    def energy(self):
        """Energy(kinetic, potential) at the present time, summed in double precision."""
        out = (c_double * 2)()
        _call("energy", self._handle, out)
        return Energy(*out)

    def momentum(self):
        """The sum of mass * velocity: an array of x, y, z in double precision."""
        return self.mass.astype("float64") @ self.velocity.astype("float64")


class _Field(_Simulation):
    """Values at the points of a grid."""

    def __init__(self, values, spacing, edges, dtype):
        super().__init__(dtype)
        if edges not in ("fixed", "periodic"):
            raise _c.InvalidError(f"{type(self).__name__}: edges is \"fixed\" or \"periodic\", not {edges!r}")
        self._start = self._array("the values", values)
        if self._start.ndim != 2:
            raise _c.InvalidError(f"{type(self).__name__}: the values have the shape {self._start.shape}; they are rows and columns of a grid")
        self._shape = self._start.shape
        self._steps = 0
        self._grid = (*self._shape, spacing, int(edges == "periodic"))

    @property
    def time(self):
        """The steps so far times time_step."""
        return self._steps * self.time_step

    def step(self, steps=1):
        """Advances the time by `steps` steps and waits for them."""
        self._advance(0.0, steps)
        self._steps += steps

    @property
    def values(self):
        """A new array of the values at the points."""
        return self._read(0, self._shape)


def _limit(name, spacing, rate, largest):
    for what, value in (("spacing", spacing), (name, rate)):
        given.real(value, f"the {what}")
        if not (value > 0 and math.isfinite(value)):
            raise _c.InvalidError(f"the {what} is {value!r}; it must be positive")
    return largest(spacing, rate)


class Heat(_Field):
    """The heat equation du/dt = diffusivity * (d2u/dx2 + d2u/dy2) on a grid, by explicit steps.

    values: rows and columns of the temperature, at least 3 x 3. spacing: the distance of neighbours. edges: "fixed": points at the edges keep
    their value; "periodic": opposite edges are neighbours. time_step: at most spacing^2 / (4 diffusivity), which is the default; a larger one
    is unstable and refused."""

    def __init__(self, values, *, diffusivity=1.0, spacing=1.0, time_step=None, edges="fixed", dtype="float32"):
        super().__init__(values, spacing, edges, dtype)
        largest = _limit("diffusivity", spacing, diffusivity, lambda h, d: h * h / (4 * d))
        self.time_step = largest if time_step is None else given.real(time_step, "Heat: time_step")
        self._make("heat", *self._grid, self._start.ctypes.data, diffusivity, self.time_step)
        del self._start


class Wave(_Field):
    """The wave equation d2u/dt2 = speed^2 * (d2u/dx2 + d2u/dy2) on a grid, by the leapfrog.

    values: rows and columns of the displacement, at least 3 x 3. velocity: of the same shape; default: at rest. spacing, edges: as of Heat.
    time_step: at most spacing / (sqrt(2) speed); default: nine tenths of it; a larger one is unstable and refused."""

    def __init__(self, values, velocity=None, *, speed=1.0, spacing=1.0, time_step=None, edges="fixed", dtype="float32"):
        super().__init__(values, spacing, edges, dtype)
        moving = self._start * 0 if velocity is None else self._array("velocity", velocity, self._shape)
        largest = _limit("speed", spacing, speed, lambda h, c: h / (math.sqrt(2) * c))
        self.time_step = 0.9 * largest if time_step is None else given.real(time_step, "Wave: time_step")
        self._make("wave", *self._grid, self._start.ctypes.data, moving.ctypes.data, speed, self.time_step)
        del self._start

    def energy(self):
        """The kinetic and the potential energy together, which the steps conserve."""
        out = c_double()
        _call("energy", self._handle, byref(out))
        return out.value


_COLD, _MIDDLE, _WARM = (59, 76, 192), (221, 221, 221), (180, 4, 38) # K. Moreland, "Diverging color maps", 2009


def save_picture(values, file, *, low=None, high=None, scale=1):
    """Writes rows and columns of numbers as a PNG file in colours from blue (low) to red (high; default: the extremes). scale: pixels of a point
    in each direction."""
    import numpy
    try:
        points = numpy.asarray(values, dtype="float64")
    except (TypeError, ValueError):
        raise _c.InvalidError(f"save_picture takes rows and columns of numbers, not {given.shown(values)}") from None
    if points.ndim != 2 or points.size == 0 or not numpy.isfinite(points).all():
        raise _c.InvalidError(f"save_picture takes rows and columns of finite numbers, not the shape {points.shape}")
    if isinstance(scale, bool) or not isinstance(scale, int) or not 1 <= scale <= 1000:
        raise _c.InvalidError(f"save_picture: scale is an integer from 1 to 1000, not {given.shown(scale)}")
    low, high = (given.real(found if limit is None else limit, f"save_picture: {name}")
                 for name, limit, found in (("low", low, points.min()), ("high", high, points.max())))
    if low > high:
        raise _c.InvalidError(f"save_picture: low is {low}, which is above high, {high}")
    part = numpy.clip((points - low) / (high - low), 0, 1) if high > low else numpy.full(points.shape, 0.5)
    channels = [numpy.interp(part, (0, 0.5, 1), ends) for ends in zip(_COLD, _MIDDLE, _WARM)]
    pixels = numpy.stack(channels, axis=-1).round().astype("uint8").repeat(scale, axis=0).repeat(scale, axis=1)
    height, width = pixels.shape[:2]
    rows = numpy.concatenate([numpy.zeros((height, 1), "uint8"), pixels.reshape(height, -1)], axis=1) # 0: the row is not filtered

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(given.path(file, "save_picture: file"), "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                  chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b""))
