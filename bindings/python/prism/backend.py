"""Backends as objects: what executes operations by name, the chain in which they are tried, and backends that a program adds.

"cpu", "gpu" and "reference" are built in: PRISM's processors, its graphics devices, and plain Python in double precision. A program
adds others by register_backend, such as a RemoteBackend. What fails or cannot do an operation hands it to the next in the chain, with
a line in the log `prism.backends`; set_backend and a named backend allow no other."""
import abc
import functools
import json
import logging
import math
import platform
import threading
from dataclasses import dataclass, field

from . import _c
from . import _given as given
from ._array import Array, call
from ._c import library
from ._device import Device, backends, devices
from ._functions import asarray
from ._policy import Workload, decide
from ._selection import entered

log = logging.getLogger("prism.backends")
_lock = threading.RLock()


def _host(what):
    return _c.text(library.prism_host_text, what.encode())


@dataclass(frozen=True)
class DeviceInfo:
    """What this process may use. memory_limit_bytes: of the host. forced_backend: the only one that PRISM_DEVICE_SELECTOR leaves, or None. GPUs are hardware only."""
    cpu_cores: int
    memory_limit_bytes: "int | None"
    has_avx2: bool
    has_avx512: bool
    has_neon: bool
    gpu_count: int
    gpu_names: "list[str]"
    gpu_memory_bytes: "list[int]"
    platform_system: str
    forced_backend: "str | None"


def _gpus():
    return [each for each in devices() if each.type == "gpu"]


def detect_devices():
    """The processor, memory, instruction sets and GPUs, found at run time."""
    gpus = _gpus()
    return DeviceInfo(int(_host("cores")), int(_host("memory_bytes")) or None, _host("avx2") == "1", _host("avx512") == "1", _host("neon") == "1",
                      len(gpus), [each.name for each in gpus], [each.capabilities().memory_bytes for each in gpus], platform.system(),
                      _host("forced_backend") or None)


@dataclass(frozen=True)
class OperationProperties:
    """An operation to place: its name, the bytes of its operands, and whether only a GPU may run it."""
    op_type: str
    input_size_bytes: int = 0
    requires_gpu: bool = False


class Backend(abc.ABC):
    """What executes operations. Derive, and register by register_backend."""

    @abc.abstractmethod
    def execute(self, operation, inputs):
        """The result of the operation. UnsupportedError for one that the backend does not have."""

    @abc.abstractmethod
    def is_available(self):
        """Whether it can be used now."""

    @abc.abstractmethod
    def get_capabilities(self):
        """A dictionary."""


_ARRAY_OPERATIONS = {"add": "add", "sub": "subtract", "subtract": "subtract", "mul": "multiply", "multiply": "multiply", "div": "divide",
                     "divide": "divide", "matmul": "matmul", "sum": "sum", "sqrt": "sqrt", "exp": "exp", "sin": "sin", "cos": "cos", "abs": "abs",
                     "maximum": "maximum", "minimum": "minimum"}


_OF_TWO = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "matmul", "maximum", "minimum"}


def _require_operands(kind, operation, inputs):
    wanted, inputs = 2 if operation in _OF_TWO else 1, given.several(inputs, f"the {kind} backend: inputs")
    if len(inputs) != wanted:
        raise _c.InvalidError(f"the {kind} backend: \"{operation}\" takes a list of {wanted} operand{'s' * (wanted > 1)}, not of {len(inputs)}")


class _DeviceBackend(Backend):
    _kind = ""

    def _device(self):
        raise NotImplementedError

    def execute(self, operation, inputs):
        given.text(operation, f"the {self._kind} backend: an operation")
        if operation != "relu" and operation not in _ARRAY_OPERATIONS:
            raise _c.UnsupportedError(f"the {self._kind} backend has no operation \"{operation}\"; it has relu, {', '.join(sorted(_ARRAY_OPERATIONS))}")
        _require_operands(self._kind, operation, inputs)
        device = self._device()
        if operation == "relu":
            with entered(device):
                x = asarray(inputs[0])
                return call("maximum", x, asarray(0, dtype=x.dtype))
        with entered(device):
            operands = [each.to_device(device) if isinstance(each, Array) else asarray(each) for each in inputs]
            return call(_ARRAY_OPERATIONS[operation], *operands)

    def __repr__(self):
        return f"<prism {self._kind} backend>"


class CPUBackend(_DeviceBackend):
    """PRISM's host device: SIMD instructions and threads."""
    _kind = "cpu"

    def _device(self):
        return Device("host")

    def is_available(self):
        return any(name == "host" and available for name, available, _ in backends())

    @property
    def simd_level(self):
        """"AVX-512", "AVX2", "NEON" or "scalar"."""
        return next((name for name, flag in (("AVX-512", "avx512"), ("AVX2", "avx2"), ("NEON", "neon")) if _host(flag) == "1"), "scalar")

    def get_capabilities(self):
        caps = self._device().capabilities()
        return {"simd_level": self.simd_level, "threads": int(_host("cores")), "fp64_support": caps.supports_data_type("fp64"),
                "fp16_support": caps.supports_data_type("fp16")}


class GPUBackend(_DeviceBackend):
    """The first GPU, or the one of the number."""
    _kind = "gpu"

    def __init__(self, device_id=0):
        self.device_id = given.whole(device_id, "GPUBackend: device_id")

    def is_available(self):
        return len(_gpus()) > self.device_id

    def _device(self):
        gpus = _gpus()
        if len(gpus) <= self.device_id:
            raise _c.NotFoundError(f"there is no GPU {self.device_id}; there are {len(gpus)}; devices of this machine: "
                                   f"{', '.join(f'{d.backend}: {d.name} ({d.type})' for d in devices())}")
        return gpus[self.device_id]

    def get_capabilities(self):
        caps = self._device().capabilities()
        return {"name": self._device().name, "memory_bytes": caps.memory_bytes, "fp64_support": caps.supports_data_type("fp64"),
                "fp16_support": caps.supports_data_type("fp16")}


def CPUDevice(device_id=0):
    """The host device. It is one device, so its number is 0."""
    if device_id != 0:
        raise _c.NotFoundError(f"there is no CPU device {device_id}; the host device is one, with the number 0")
    return Device("host")


def GPUDevice(device_id=0):
    """The GPU of that number; NotFoundError, with what there is, where there is none."""
    return GPUBackend(device_id)._device()


def _elementwise(body):
    def run(*operands):
        lists = [each for each in operands if isinstance(each, list)]
        if not lists:
            for each in operands:
                given.real(each, "reference: an operand's element")
            return body(*operands)
        if len({len(each) for each in lists}) != 1:
            raise ValueError(f"reference: operands of {' and '.join(str(len(each)) for each in lists)} elements")
        return [run(*(each[i] if isinstance(each, list) else each for each in operands)) for i in range(len(lists[0]))]
    return run


def _plain(value):
    return _plain(value.tolist()) if hasattr(value, "tolist") else [_plain(each) for each in value] if isinstance(value, (list, tuple, range)) else value


def _flat(value):
    return [leaf for each in value for leaf in _flat(each)] if isinstance(value, list) else [value]


def _matmul(a, b):
    if len(a[0]) != len(b):
        raise ValueError(f"reference: matmul of {len(a)} x {len(a[0])} and {len(b)} x {len(b[0])}")
    return [[math.fsum(row[k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for row in a]


class ReferenceBackend(Backend):
    """Plain Python, in double precision and without PRISM: what others are compared with. Lists in, lists out."""
    _operations = {"add": _elementwise(lambda a, b: a + b), "sub": _elementwise(lambda a, b: a - b), "mul": _elementwise(lambda a, b: a * b),
                   "div": _elementwise(lambda a, b: a / b), "maximum": _elementwise(max), "minimum": _elementwise(min),
                   "sqrt": _elementwise(math.sqrt), "exp": _elementwise(math.exp), "sin": _elementwise(math.sin), "cos": _elementwise(math.cos),
                   "abs": _elementwise(abs), "relu": _elementwise(lambda a: max(a, 0)), "sum": lambda a: math.fsum(_flat(a)), "matmul": _matmul}
    _names = {"subtract": "sub", "multiply": "mul", "divide": "div"}

    def execute(self, operation, inputs):
        given.text(operation, "the reference backend: an operation")
        name = self._names.get(operation, operation)
        if name not in self._operations:
            raise _c.UnsupportedError(f"the reference backend has no operation \"{operation}\"; it has {', '.join(sorted(self._operations))}")
        _require_operands("reference", operation, inputs)
        return self._operations[name](*(_plain(each) for each in inputs))

    def is_available(self):
        return True

    def __repr__(self):
        return "<prism reference backend>"

    def get_capabilities(self):
        return {"operations": sorted(self._operations), "precision": "fp64"}

    @staticmethod
    def add(a, b):
        """The sums of elements.

        >>> ReferenceBackend.add([1, 2, 3], [4, 5, 6])
        [5, 7, 9]
        """
        return ReferenceBackend().execute("add", [a, b])


class RemoteBackend(Backend):
    """Operations on another server, by JSON: GET /health, GET /capabilities, POST /execute {"op", "inputs"} -> {"result"}. serve_backend() is
    such a server. timeout: seconds of each request."""

    def __init__(self, server_url, timeout=10.0):
        given.text(server_url, "RemoteBackend: server_url")
        self.server_url, self.timeout = server_url.rstrip("/"), given.real(timeout, "RemoteBackend: timeout")

    def _get(self, path, body=None):
        import urllib.error
        import urllib.request
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server_url + path, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as why:
            text = why.read().decode(errors="replace")
            kind = _c.UnsupportedError if why.code == 501 else _c.Error
            raise kind(f"the remote backend {self.server_url} refused {path}: {text}") from None
        except (OSError, ValueError) as why:
            raise ConnectionError(f"the remote backend {self.server_url} does not answer {path}: {why}; start its server (serve_backend), or choose "
                                  "another backend by set_backend") from None

    def execute(self, operation, inputs):
        return self._get("/execute", {"op": operation, "inputs": [_plain(each) for each in inputs]})["result"]

    def is_available(self):
        try:
            self._get("/health")
            return True
        except (ConnectionError, _c.Error):
            return False

    def get_capabilities(self):
        return self._get("/capabilities")


@functools.cache
def _handler():
    """The class of the server's answers."""
    from http.server import BaseHTTPRequestHandler

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, code, value):
            data = json.dumps(value).encode() if code == 200 else str(value).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            if self.path == "/health":
                self._answer(200, {"status": "ok"})
            elif self.path == "/capabilities":
                self._answer(200, self.server.backend.get_capabilities())
            else:
                self._answer(404, f"there is no {self.path}; there are /health, /capabilities, /execute")

        def do_POST(self):
            try:
                read = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                self._answer(200, {"result": _plain(self.server.backend.execute(read["op"], read["inputs"]))})
            except NotImplementedError as why:
                self._answer(501, why)
            except Exception as why:
                self._answer(400, f"{type(why).__name__}: {why}")

        def log_message(self, format, *arguments):
            log.debug(format, *arguments)
    return Handler


def serve_backend(backend, port=0, host="127.0.0.1"):
    """A server of the backend in threads of this process, at the address `host`; port 0 takes a free one. server.url;
    server.shutdown() and server.server_close() end it. Every program that reaches the port can run operations: keep it on trusted networks."""
    from http.server import ThreadingHTTPServer
    server = ThreadingHTTPServer((host, port), _handler())
    server.daemon_threads, server.backend = True, backend
    server.url = f"http://{host}:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True, name="prism backend server").start()
    return server


@dataclass
class _Registry:
    known: dict = field(default_factory=lambda: {"cpu": CPUBackend(), "gpu": GPUBackend(), "reference": ReferenceBackend()})
    priority: tuple = ("gpu", "cpu", "reference")
    forced: "str | None" = None


_registry = _Registry()


def get_backend(name="auto"):
    """The registered backend of that name; "auto": the one of set_backend, or the first of the chain that is available.

    >>> get_backend("reference").execute("matmul", [[[1, 2]], [[3], [4]]])
    [[11.0]]
    """
    given.text(name, "the name of a backend")
    if name == "auto":
        return select_backend()
    with _lock:
        if name not in _registry.known:
            raise _c.NotFoundError(f"there is no backend \"{name}\"; there are {', '.join(_registry.known)}: register_backend adds one")
        return _registry.known[name]


def register_backend(name, backend):
    """Adds a backend, at the end of the chain until set_backend_priority moves it. backend: a Backend, or a class or function that makes one."""
    given.text(name, "register_backend: name")
    if name == "auto":
        raise ValueError("register_backend: \"auto\" is the name by which get_backend chooses; give the backend another one")
    if callable(backend) and not isinstance(backend, Backend):
        backend = backend()
    if not isinstance(backend, Backend):
        raise TypeError(f"register_backend: \"{name}\" is a prism.Backend with execute, is_available and get_capabilities, not {backend!r}")
    with _lock:
        if name in _registry.known:
            raise ValueError(f"register_backend: there is a backend \"{name}\" already; unregister_backend removes it")
        _registry.known[name] = backend
        _registry.priority += (name,)


def unregister_backend(name):
    """Removes a backend that register_backend added."""
    get_backend(name)
    if name in _Registry().known:
        raise ValueError(f"unregister_backend: \"{name}\" is built in")
    with _lock:
        del _registry.known[name]
        _registry.priority = tuple(each for each in _registry.priority if each != name)
        _registry.forced = None if _registry.forced == name else _registry.forced


def set_backend_priority(names):
    """The chain: backends are tried in this order, and others not at all."""
    chain = tuple(given.several(names, "set_backend_priority: names"))
    for each in chain:
        get_backend(each)
    if not chain or len(set(chain)) != len(chain):
        raise ValueError(f"set_backend_priority: the chain names each backend once, and at least one, not {list(names)!r}")
    with _lock:
        _registry.priority = chain


def set_backend(name):
    """From now on this backend alone is used; None: the chain again."""
    if name is not None:
        get_backend(name)
    with _lock:
        _registry.forced = name


def list_backends():
    """{name: available} in the order of the chain."""
    with _lock:
        names = [*_registry.priority, *(each for each in _registry.known if each not in _registry.priority)]
    return {name: get_backend(name).is_available() for name in names}


_INTENSITY = {"matmul": None, "conv2d": 50.0} # operations for a byte; of a product it grows with the size


def _workload(properties):
    size = float(properties.input_size_bytes)
    if properties.op_type == "matmul":
        n = (size / 8) ** 0.5 # two square operands of floats
        return Workload("matmul", flops=2 * n ** 3, bytes=1.5 * size, bytes_to_move=1.5 * size)
    return Workload(properties.op_type, flops=size / 4 * _INTENSITY.get(properties.op_type, 0.25), bytes=1.5 * size, bytes_to_move=1.5 * size)


def select_backend(backend_name=None, op_props=None, device_info=None):
    """The backend for an operation: the named one, else by the predicted times of this operation and size on the devices, and the chain.

    device_info: of detect_devices(), which otherwise is called. An operation that requires a GPU is refused where there is none."""
    info = detect_devices() if device_info is None else device_info
    properties = op_props or OperationProperties("any")
    for value, kind, what in ((info, DeviceInfo, "device_info"), (properties, OperationProperties, "op_props")):
        if not isinstance(value, kind):
            raise TypeError(f"select_backend: {what} is a prism.backend.{kind.__name__}, not {given.shown(value)}")
    if properties.requires_gpu and info.gpu_count == 0:
        raise _c.UnsupportedError(f"the operation \"{properties.op_type}\" requires a GPU, and there is none; devices of this machine: "
                                  f"{', '.join(f'{d.backend}: {d.name} ({d.type})' for d in devices())}")
    name = backend_name or _registry.forced
    if name is not None:
        chosen = get_backend(name)
        if properties.requires_gpu and isinstance(chosen, (CPUBackend, ReferenceBackend)):
            raise _c.UnsupportedError(f"the operation \"{properties.op_type}\" requires a GPU; the backend \"{name}\" is none")
        if not chosen.is_available():
            raise _c.NotFoundError(f"the backend \"{name}\" is not available; available are {', '.join(n for n, ok in list_backends().items() if ok)}")
        return chosen
    if properties.requires_gpu:
        return get_backend("gpu")
    chain = [each for each in _registry.priority if get_backend(each).is_available()]
    if not chain:
        raise _c.NotFoundError(f"no backend of the chain {', '.join(_registry.priority)} is available")
    if chain[0] == "gpu" and "cpu" in chain and op_props is not None:
        faster = decide("priority=speed", _workload(properties), devices=[Device("host"), GPUDevice()])
        return get_backend("cpu" if faster.device.backend == "host" else "gpu")
    return get_backend(chain[0])


def execute(operation, inputs, backend=None):
    """Runs the operation on the named backend or the one of set_backend, and on no other; else on the first of the chain that can."""
    name = backend or _registry.forced
    if name is not None:
        return get_backend(name).execute(operation, inputs)
    failures = []
    for each in _registry.priority:
        one = get_backend(each)
        try:
            if not one.is_available():
                raise _c.NotFoundError("it is not available")
            return one.execute(operation, inputs)
        except (_c.Error, OSError) as why: # a device's or a connection's failure; a program's own error is not passed on
            if isinstance(why, _c.InvalidError):
                raise
            failures.append(f"{each}: {why}")
            log.warning("%s: the backend %s failed, the next is tried: %s", operation, each, why)
    raise _c.Error(f"no backend of the chain could run \"{operation}\":\n  " + "\n  ".join(failures))


class _TensorMeta(type):
    def __call__(cls, data, dtype=None, *, device=None):
        return asarray(list(data) if isinstance(data, range) else data, dtype=dtype, device=device)

    def __instancecheck__(cls, value):
        return isinstance(value, Array)


class Tensor(metaclass=_TensorMeta):
    """Another name of prism.Array; isinstance(array, Tensor).

    >>> (Tensor([1, 2, 3]) + Tensor([4, 5, 6])).tolist()
    [5, 7, 9]
    """
