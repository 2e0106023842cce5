"""Docstrings, their examples and the stubs of the package `prism`, on the host device: python_docstrings_test.py PACKAGE_FOLDER."""
import ast
import doctest
import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(FOLDER))
import prism

for _name in dir(prism): # loads what `import prism` does not
    getattr(prism, _name)

MODULES = {name: module for name, module in sorted(sys.modules.items()) if name.split(".")[0] == "prism" and getattr(module, "__file__", "").endswith(".py")}


def public(module):
    """{name: object} of the functions and classes that a program calls by `module`, without those of other packages."""
    return {name: each for name, each in vars(module).items() if not name.startswith("_") and (inspect.isclass(each) or inspect.isroutine(each))
            and (getattr(each, "__module__", None) or "").split(".")[0] == "prism"}


def members(of):
    """{name: member} of a class: its public methods, properties and classes, those of its bases in the package too."""
    return {name: inspect.getattr_static(of, name) for base in of.__mro__ if base.__module__.split(".")[0] == "prism" for name, each in vars(base).items()
            if not name.startswith("_") and (inspect.isroutine(each) or inspect.isclass(each) or isinstance(each, (property, staticmethod, classmethod)))}


def stubbed(file):
    """The names that a stub defines or imports."""
    out = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            out.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            out |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            out.add(node.target.id)
        elif isinstance(node, ast.Assign):
            out |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return out


class Docstrings(unittest.TestCase):
    maxDiff = None

    def test_every_example_of_a_docstring_gives_what_it_says(self):
        tried = 0
        for module in MODULES.values():
            failed, attempted = doctest.testmod(module)
            self.assertEqual(failed, 0, module.__name__)
            tried += attempted
        self.assertGreaterEqual(tried, 10)

    def test_every_public_name_says_what_it_does(self):
        for module in (each for name, each in MODULES.items() if "._" not in name):
            for name, each in public(module).items():
                self.assertTrue(inspect.getdoc(each), f"{module.__name__}.{name} has no docstring")

    def test_every_method_and_property_of_a_public_class_says_what_it_does(self):
        seen, missing = 0, set()
        for module in (each for name, each in MODULES.items() if "._" not in name):
            for name, each in public(module).items():
                for member in members(each) if inspect.isclass(each) else ():
                    seen += 1
                    if not inspect.getdoc(getattr(each, member)):
                        missing.add(f"{module.__name__}.{name}.{member}")
        self.assertEqual(sorted(missing), [])
        self.assertGreater(seen, 200)

    def test_every_public_name_has_a_stub(self):
        names = stubbed(FOLDER / "prism/__init__.pyi")
        self.assertEqual(sorted(set(public(prism)) - names), [])

    def test_mypy_accepts_the_stubs_and_right_uses_and_finds_wrong_ones(self):
        mypy = [sys.executable, "-m", "mypy", "--strict", "--warn-unused-ignores"]
        if subprocess.run([*mypy, "--version"], capture_output=True).returncode:
            self.skipTest("mypy is not installed")
        right = ["prism.sum(x, axis=(0, 1))", "prism.median(x * 2, axis=0)", "prism.einsum('ij->ji', x)", "prism.where(x > 1, x, 0.0)", "prism.nn.conv2d(x, x, padding=(1, 2))",
                 "prism.sparse.csr_array(x) @ x", "prism.unique_counts(x).counts + 1", "prism.histogram(x, bins=[0.0, 1.0])[1]", "prism.zeros((2, 3), dtype='float32', device='host')",
                 "prism.pad(x, ((1, 2), (0, 0)), 'edge')", "prism.savez('all', first=x)", "prism.convolve(x, x, 'same')"]
        wrong = ["prism.median([1.0])", "prism.sum(x, axis='rows')", "prism.nn.pool2d(x, kind='least')", "prism.einsum(x, x)", "prism.convolve(x, x, 'best')", "prism.sort(x, descending='yes')",
                 "prism.zeros('three')", "prism.sparse.multiply(x, x)", "x @ 'text'", "prism.split(x, 1.5)"]
        with tempfile.TemporaryDirectory() as folder:
            use = pathlib.Path(folder) / "use.py"
            use.write_text("\n".join(["import prism", "x = prism.ones((2, 2))", *right, *wrong]) + "\n")
            stubs = sorted(str(each) for each in (FOLDER / "prism").glob("*.pyi"))
            done = subprocess.run([*mypy, "use.py", *stubs], cwd=folder, env={"MYPYPATH": str(FOLDER), "PATH": "/usr/bin"}, capture_output=True, text=True)
            found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith("use.py:") and " error: " in line}
            self.assertEqual(found, set(range(len(right) + 3, len(right) + len(wrong) + 3)), done.stdout)
            self.assertNotIn(".pyi:", done.stdout)


unittest.main()
