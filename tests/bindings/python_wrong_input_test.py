"""Wrong input for every public function, class and method of the package, on the host device: python_wrong_input_test.py PACKAGE_FOLDER.

Each parameter gets values of wrong types and sizes, one after another, while the others are right. A call may succeed. An error must be one that
PRISM words: it names what is wrong, and is none of those by which Python reports that code used a value of another type."""
import contextlib
import inspect
import io
import logging
import os
import pathlib
import re
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))
import prism

for _name in dir(prism): # loads what `import prism` does not
    getattr(prism, _name)


class Odd:
    """An object that is nothing of what functions take."""

    def __repr__(self):
        return "<odd>"


WRONG = [None, "colour", -1, 3.5, Odd(), [], {"a": 1}, b"x", float("nan"), 10 ** 30, [1, "a"], prism.asarray([1.0, 2.0]), prism.Memory.of([1.0])]
MATRIX = prism.asarray([[1.0, 2.0], [3.0, 4.0]])
RIGHT = {"shape": (2, 3), "x1": prism.asarray([1.0, 2.0]), "x2": prism.asarray([1.0, 2.0]), "width": 4, "height": 4, "frequency_name": "love", "n": 3,
         "time_factor": 0.0, "name": "host", "backend": "host", "field_data": [[0.5]], "text": "x", "device": "host", "policy": "priority=speed",
         "start": 0, "stop": 3, "num": 4, "obj": [1], "of": "float32", "dtype": "float32", "kind": "integral", "sequences": ["ACGT"], "reference": "ACGT",
         "operation": "add", "workload": "sorting", "tier": "basic", "mode": "online", "steps": 1, "box": 10.0, "count": 4, "density": 0.5, "spacing": 1.0}
NEVER = (AttributeError, KeyError, UnboundLocalError, NameError, ZeroDivisionError, RecursionError, AssertionError, SystemError)
UNWORDED = re.compile(r"unhashable|object is not|not subscriptable|unpack|not supported between|unsupported operand|has no attribute|bad argument|math domain"
                      r"|list index|tuple index|dictionary update|must be real number|missing \d+ required|not callable|^could not convert")
# They take anything, run as long as they are asked to, open a server, or are made by PRISM only.
LEFT_OUT = {"serve_backend", "PersistentKernel.run", "Results", "Kernel", "Selection", "Prediction", "StageReport", "PipelineReport", "Configuration", "Algorithm",
            "DeviceInfo", "Alignments", "Alignment", "Variant", "Sequence", "Measurement", "Energy", "Frame", "TierChoice", "Costs", "Capabilities", "KernelFunction",
            "Function", "Pipeline", "Array", "DeviceBackend", "Function.workload", "Pipeline.run", "Memory.view"}


def calls(parameters):
    """(name of the parameter, wrong value, positional arguments, named arguments) of each call to try."""
    for tried in (each for each in parameters if each.kind is not each.VAR_KEYWORD):
        for wrong in WRONG:
            arguments, named = [], {}
            for each in parameters:
                if each.kind is each.VAR_KEYWORD or each is not tried and (each.default is not each.empty or each.kind is each.VAR_POSITIONAL):
                    continue
                value = wrong if each is tried else RIGHT.get(each.name, MATRIX)
                if each.kind in (each.POSITIONAL_ONLY, each.VAR_POSITIONAL) or tried.kind is each.VAR_POSITIONAL and each.kind is not each.KEYWORD_ONLY:
                    arguments.append(value)
                else:
                    named[each.name] = value
            yield tried.name, wrong, arguments, named


def targets():
    """(name, callable) of everything public."""
    modules = {"prism": prism, **{f"prism.{name}": getattr(prism, name) for name in ("backend", "chemistry", "genomics", "nn", "physics", "postprocessing", "quantum_field")}}
    seen = set()
    for place, module in modules.items():
        for name, each in sorted(vars(module).items()):
            if name.startswith("_") or isinstance(each, types.ModuleType) or id(each) in seen or not (getattr(each, "__module__", None) or "").startswith("prism"):
                continue
            seen.add(id(each))
            if each in (prism.linalg, prism.fft):
                for member in (m for m in dir(each) if not m.startswith("_") and m != "LinAlgError"):
                    yield f"{place}.{name}.{member}", getattr(each, member)
            elif callable(each) and not (inspect.isclass(each) and issubclass(each, BaseException)):
                yield f"{place}.{name}", each
    objects = [MATRIX, prism.Memory.of([[1.0, 2.0], [3.0, 4.0]]), prism.Device(), prism.Device().capabilities(), prism.PerformanceModel(), prism.ExecutionStrategy(),
               prism.registry, prism.SequenceAligner(), prism.quantum_field.get_backend(), prism.PersistentKernel("online"), prism.backend.ReferenceBackend(),
               prism.backend.CPUBackend(), prism.Executor(prism.ExecutionStrategy())]
    for each in objects:
        for member in (m for m in dir(each) if not m.startswith("_") and not m.startswith(("register_", "unregister_"))):
            if callable(inspect.getattr_static(type(each), member, None)):
                yield f"{type(each).__name__}.{member}", getattr(each, member)


def complaint(why):
    """What is wrong with the error; empty for one that PRISM words."""
    if isinstance(why, NEVER) or type(why) is Exception:
        return "it is none of PRISM's errors"
    if isinstance(why, IndexError) and not isinstance(why, prism.Error) and not str(why).startswith(("an index", "index ")):
        return "an index of PRISM's own code is out of range"
    return "its words are Python's" if UNWORDED.search(str(why)) else ""


class WrongInput(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        # Functions that write a file get "colour" as its name.
        self.addCleanup(os.chdir, os.getcwd())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chdir(folder.name)

    def test_every_error_of_wrong_input_is_one_that_prism_words(self):
        found, tried = {}, 0
        for name, target in targets():
            if name.rpartition(".")[2] in LEFT_OUT or name in LEFT_OUT:
                continue
            try:
                parameters = list(inspect.signature(target).parameters.values())
            except ValueError: # of C: no signature
                continue
            for parameter, wrong, arguments, named in calls(parameters):
                tried += 1
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        out = target(*arguments, **named)
                        if isinstance(out, prism.Array) and out.size < 1000:
                            out.tolist()
                except Exception as why:
                    if complaint(why):
                        found.setdefault(f"{name}: {parameter}: {type(why).__name__}: {str(why)[:100]}", f"{wrong!r}: {complaint(why)}")
                finally:
                    prism.set_backend(None)
                    prism.initialize()
        self.assertGreater(tried, 2000)
        self.assertFalse(found, "\n".join(f"{name}: {why}" for name, why in found.items()))


unittest.main()
