"""prism.kernel: one operation with implementations for different devices. A call runs the first that the device can run."""
import functools
import hashlib
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

from . import _c
from . import _given as given
from ._function import Function, arrays_in, moved
from ._kernels import Library, text_kernel
from ._selection import get_device

_LANGUAGES = ("python", "sycl", "opencl", "spirv")
_lock = threading.RLock()
_families = {}
_libraries = {}


def _compiler():
    """prism++ of the build or of the installation next to libprism-c, else of PATH."""
    build = pathlib.Path(_c.library._name).resolve().parent.parent / "bin/prism++"
    found = str(build) if build.exists() else shutil.which("prism++")
    if found is None:
        raise _c.NotFoundError("prism.kernel: prism++ compiles SYCL sources, and was not found next to libprism-c or in PATH; "
                               "give a compiled library (.so) as source")
    return found


def _cache_folder():
    base = os.environ.get("PRISM_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(base) / "prism" / "python-kernels"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def compiled(source):
    """The library of a source file of SYCL with PRISM_EXPORT_KERNEL, compiled by prism++ where the file or the compiler is new."""
    compiler, text = _compiler(), pathlib.Path(source).read_bytes()
    key = hashlib.sha256(text + compiler.encode() + str(os.path.getmtime(compiler)).encode()).hexdigest()[:24]
    target = _cache_folder() / f"{pathlib.Path(source).stem}-{key}.so"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            made = pathlib.Path(folder) / "kernels.so"
            root = pathlib.Path(__file__).resolve().parents[3]
            includes = [f"-I{root / each}" for each in ("bindings/c/include", "kernels/include") if (root / each).is_dir()]
            done = subprocess.run([compiler, "-O2", "-fPIC", "-shared", *includes, str(source), "-o", str(made)], capture_output=True, text=True)
            if done.returncode:
                raise _c.InvalidError(f"prism.kernel: {source} does not compile:\n{done.stderr.strip()}")
            os.replace(made, target)
    return target


def _library(source):
    file = pathlib.Path(source)
    if not file.exists():
        raise _c.NotFoundError(f"prism.kernel: there is no file {file}")
    with _lock:
        made = file.resolve() if file.suffix == ".so" else compiled(file) # a changed source has another library
        if made not in _libraries:
            _libraries[made] = Library(made)
        return _libraries[made]


class Text:
    """A kernel in OpenCL C or SPIR-V, built once for each device that calls it."""

    def __init__(self, language, source, name, dimensions, parameters):
        self.language, self.source, self.name, self.dimensions, self.parameters = language, source, name, dimensions, parameters
        self._built = {}

    def _bytes(self):
        if self.language == "opencl" and isinstance(self.source, str) and "{" in self.source:
            return self.source.encode()
        file = pathlib.Path(self.source)
        if not file.exists():
            raise _c.NotFoundError(f"prism.kernel: {self.name}: there is no file {file}")
        return file.read_bytes()

    def on(self, device):
        """The kernel for the device. UnsupportedError where the device takes no such text."""
        with _lock:
            if device not in self._built:
                self._built[device] = text_kernel(device, self.language, self._bytes(), self.name, self.dimensions, self.parameters)
            return self._built[device]


class Variant:
    """An implementation: what it needs of the device, and what runs it."""

    def __init__(self, name, run, target, requires, fallback, text=None):
        self.name, self.run, self.target, self.requires, self.fallback = name, run, target, dict(requires or {}), fallback
        self.text = text

    def refusal(self, device):
        """Why the device does not take the kernel's language; empty if it does."""
        try:
            if self.text is not None:
                self.text.on(getattr(device, "executes_on", device))
        except _c.UnsupportedError as why:
            return re.sub(r"^(\w+: )?(source_kernel: )?", "", str(why))
        return ""

    def lacking(self, capabilities):
        """What the device lacks; empty if it has all."""
        out = []
        if self.target and not capabilities.meets(self.target):
            out.append(f"it is no {self.target}")
        for name, wanted in self.requires.items():
            has = _has(capabilities, name, 1 if isinstance(wanted, bool) else wanted)
            if has is (wanted is False):
                out.append(f"it has {name}" if wanted is False else f"it has no {name}" + ("" if wanted is True else f" {wanted}"))
        return "; ".join(out)


def _has(capabilities, name, version):
    if name == "mixed_precision":
        return capabilities.supports_data_type("fp16") or capabilities.supports_data_type("bf16")
    return capabilities.has_feature(name, version)


class KernelFamily:
    """The implementations of an operation."""

    def __init__(self, name):
        self.name, self.variants = name, []

    def choose(self, device=None):
        """The implementation for the device (default: the default device), and a line for each that was passed over."""
        device = device or get_device()
        capabilities, passed = device.capabilities(), []
        needing = [v for v in self.variants if not v.fallback and (v.target or v.requires or v.text)]
        plain = [v for v in self.variants if not v.fallback and v not in needing]
        for each in [*needing, *plain, *(v for v in self.variants if v.fallback)]:
            lacks = each.lacking(capabilities) or each.refusal(device)
            if not lacks:
                return each, passed
            passed.append(f"{each.name}: {lacks}")
        raise _c.UnsupportedError(f"no kernel of \"{self.name}\" runs on {device.name}:\n  " + "\n  ".join(passed) +
                                  "\nadd one for every device by @prism.kernel(fallback=True)")

    def __call__(self, *arguments, **named):
        return self.choose()[0].run(*arguments, **named)

    def explain(self, device=None):
        """The chosen implementation, and why others were passed over."""
        chosen, passed = self.choose(device)
        return "\n".join([f"{chosen.name}: chosen", *passed])


class KernelFunction:
    """What prism.kernel makes: a name of the operation. Calling it runs the implementation for the default device."""

    def __init__(self, body, family):
        functools.update_wrapper(self, body)
        self.family = family

    def __call__(self, *arguments, **named):
        return self.family(*arguments, **named)

    def explain(self, device=None):
        """The implementation for the device (default: the default device), and why others were passed over."""
        return self.family.explain(device)

    def __repr__(self):
        return f"<prism.kernel {self.__name__}, one of {len(self.family.variants)} of \"{self.family.name}\">"


def _launcher(body, kernel_on, items, local):
    """Launches kernel_on(device), over as many items as `items` says: by default the largest array's."""
    def run(*arguments, **named):
        if named:
            raise TypeError(f"{body.__name__}: a kernel of a source file takes its arguments by position")
        device = get_device()
        runs_on = getattr(device, "executes_on", device)
        there = moved(arguments, device)
        count = items(*arguments) if items else max((each.size for each in arrays_in(there)), default=0)
        kernel_on(runs_on)(*there, range=_whole_groups(count, local), local=local, device=runs_on)
        for before, after in zip(arrays_in(arguments), arrays_in(there)):
            if before is not after: # the caller's array has the results, wherever it is
                before[...] = after.to_device(before.device)
    return run


def _whole_groups(count, local):
    """The next multiples of the work-group's extents."""
    if local is None:
        return count
    counts, locals_ = (each if isinstance(each, tuple) else (each,) for each in (count, local))
    return tuple(-(-n // each) * each for n, each in zip(counts, locals_))


def _require_consistent(name, language, options):
    """Whether the arguments belong to the language."""
    if language not in _LANGUAGES:
        raise _c.UnsupportedError(f"prism.kernel: {name}: there is no language {language!r}; there are "
                                  f"{', '.join(map(repr, _LANGUAGES))}. For a device's own language write OpenCL C or SPIR-V, or one SYCL kernel "
                                  "for all devices")
    if (options["source"] is not None) != (language != "python"):
        raise ValueError(f"prism.kernel: {name}: language={language!r} " +
                         ("takes no source: its body is the kernel" if language == "python" else "needs source=, the file of the kernel"))
    texts_only = [each for each in ("parameters", "dimensions") if options[each] is not None and language not in ("opencl", "spirv")]
    if texts_only:
        raise ValueError(f"prism.kernel: {name}: {' and '.join(texts_only)} belong to language=\"opencl\" and \"spirv\", not to {language!r}")


def kernel(body=None, *, target=None, language="python", source=None, requires=None, fallback=False, operation=None, items=None, local=None,
           entry=None, parameters=None, dimensions=None):
    """A decorator: an implementation of an operation. A call of any of them runs the first that the default device can run: those with
    needs in order, then those without, then the fallback. Kernels in a device's own language come among those with needs.

    target: a device, vendor path or type, such as "nvidia" or "gpu". requires: {"tensor_cores": 2, "mixed_precision": True}: versions, or
    whether the device has it. fallback: for devices that no other one runs on.
    language: "python", a function over arrays; otherwise the kernel of the function's name in `source`: "sycl", a file with
    PRISM_EXPORT_KERNEL or its compiled library, for all devices; "opencl", a file of OpenCL C or the text itself, for OpenCL devices; "spirv",
    a module, for Vulkan devices and OpenCL devices that take it.
    entry: the kernel's name in the source, by default the function's (glslangValidator makes "main").
    items: items(*arguments), how many work-items; by default as many as the largest array has elements. local: the work-group's extents;
    the items are then rounded up to whole groups. parameters: such as "float*, float, uint32", for a module, whose driver may not know
    them. dimensions: of the range of a text, by default 1.
    operation: its name; without one a plain kernel begins an operation, and those with needs or fallback=True join the one of their module
    that takes the same arguments."""
    options = dict(target=target, language=language, source=source, requires=requires, fallback=fallback, operation=operation, items=items,
                   local=local, entry=entry, parameters=parameters, dimensions=dimensions)
    if body is None:
        return functools.partial(kernel, **options)
    if not callable(body) or not hasattr(body, "__name__"):
        raise TypeError(f"prism.kernel decorates a function, not {given.shown(body)}; options have names: @prism.kernel(target=\"gpu\")")
    _require_consistent(body.__name__, language, options)
    name = entry or body.__name__
    text = Text(language, source, name, dimensions or 1, parameters) if language in ("opencl", "spirv") else None
    if language == "python":
        run = Function(body)
    else:
        of_library = functools.cache(lambda: getattr(_library(source), name)) # at the first call
        run = _launcher(body, text.on if text else lambda device: of_library(), items, local)
    arguments = tuple(inspect.signature(body).parameters)
    key = operation if operation is not None else (body.__module__, arguments)
    with _lock:
        joins = operation is not None or target or requires or fallback or text
        if key not in _families or not joins:
            _families[key] = KernelFamily(operation or body.__name__)
        family = _families[key]
        family.variants = [each for each in family.variants if each.name != body.__name__]
        family.variants.append(Variant(body.__name__, run, target, requires, fallback, text))
    return KernelFunction(body, family)
