"""The recipes for conda and Spack (tools/package/recipes) have the project's version and need what its build needs, and their commands configure
a copy of the sources.

conda's is rendered by rattler-build where Python has it (py-rattler-build of Python's registry); without it that test is skipped. Spack itself is
neither in Debian nor in Python's registry: its recipe runs here with stand-ins for Spack's directives.

usage: recipes_test.py ROOT
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
RECIPES = ROOT / "tools/package/recipes"
CONDA = RECIPES / "conda/recipe.yaml"
SPACK = RECIPES / "spack_repo/prism/packages/prism_sycl/package.py"
COMPILERS = {'compiler("c")', 'compiler("cxx")', "c", "cxx"}
OTHER_COMPILER = {'compiler("c")', "c"}  # the project's language C; Debian's g++ brings gcc


def rows(path, columns):
    lines = [line.split(None, columns - 1) for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [[*line, *[""] * (columns - len(line))] for line in lines]


def names(column):
    """What a recipe must need: the names in a column of names.txt."""
    return {line[column] for line in rows(RECIPES / "names.txt", 3)} - {"-"}


def project():
    """(version, LLVM's version) of the project."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(prism VERSION (\S+)", text, re.M)[1], re.search(r"^set\(PRISM_LLVM_VERSION (\d+) ", text, re.M)[1]


def conda_lists(text):
    """The lists of the recipe's requirements: build, host, run -> [(name, version)]. Enough of YAML for this file."""
    lists, key = {}, None
    for line in text[text.index("\nrequirements:"):text.index("\ntests:")].splitlines():
        if found := re.fullmatch(r"  (\w+):", line):
            key = lists.setdefault(found[1], [])
        elif found := re.fullmatch(r"    - (?:\$\{\{ (compiler\(\S+\)) \}\}|(\S+)(?: (.*))?)", line):
            key.append((found[1] or found[2], found[3] or ""))
    return lists


class spec(dict):
    """A Spack spec whose dependencies are all in one folder."""

    def __missing__(self, name):
        return types.SimpleNamespace(prefix=LLVM)


LLVM = f"/usr/lib/llvm-{project()[1]}"


def spack_package(**variants):
    """(an object of the recipe's class with these variants, the directives: name -> [(arguments, named arguments)])."""
    directives = {}

    def directive(name):
        return lambda *given, **named: directives.setdefault(name, []).append((given, named))

    class CMakePackage:
        def __init__(self):
            self.spec = spec()

        def define(self, name, value):
            return f"-D{name}={ {True: 'ON', False: 'OFF'}.get(value, value) }"

        def define_from_variant(self, name, variant):
            return self.define(name, variants[variant])

    every = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(every, name, directive(name))
    build_system = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    build_system.CMakePackage, build_system.generator = CMakePackage, directive("generator")
    modules = {"spack.package": every, build_system.__name__: build_system}
    for name in list(modules):
        for end in [at for at, letter in enumerate(name) if letter == "."]:
            modules.setdefault(name[:end], types.ModuleType(name[:end]))
    before = dict(sys.modules)
    sys.modules.update(modules)
    try:
        scope = {}
        exec(compile(SPACK.read_text(), str(SPACK), "exec"), scope)
    finally:
        sys.modules.clear()
        sys.modules.update(before)
    return scope["PrismSycl"](), directives


class Names(unittest.TestCase):
    def test_every_build_package_has_names_or_the_sign_that_it_needs_none(self):
        build = [line[0] for line in rows(ROOT / "tools/setup/packages.txt", 3) if line[1] == "build"]
        listed = [line[0] for line in rows(RECIPES / "names.txt", 3)]
        self.assertEqual(sorted(build), sorted(listed), "tools/setup/packages.txt against tools/package/recipes/names.txt")
        for name, conda, spack in rows(RECIPES / "names.txt", 3):
            self.assertEqual(conda == "-", spack == "-", name)


class Conda(unittest.TestCase):
    text = CONDA.read_text()

    def test_has_the_versions_of_the_project(self):
        context = dict(re.findall(r'^  (\w+): "(.*)"$', self.text, re.M))
        self.assertEqual((context["version"], context["llvm"]), project())

    def test_needs_what_the_build_needs(self):
        lists = conda_lists(self.text)
        needed = {name for key in ("build", "host") for name, _ in lists[key]}
        self.assertEqual({"compiler" if name in COMPILERS else name for name in needed}, names(1))
        self.assertLessEqual(set(lists["run"]), set(lists["host"]))
        for name, version in lists["host"]:
            self.assertEqual(version, "${{ llvm }}.*" if name in ("llvmdev", "clangdev", "clangxx", "lld") else "", name)

    @unittest.skipUnless(importlib.util.find_spec("rattler_build"), "py-rattler-build is not installed (Python's registry)")
    def test_is_rendered_by_rattler_build(self):
        import rattler_build
        rendered = rattler_build.Stage0Recipe.from_file(str(CONDA)).render(rattler_build.VariantConfig())
        self.assertEqual([(str(each.recipe.package.name), str(each.recipe.package.version)) for each in rendered], [("prism-sycl", project()[0])])
        self.assertIn(f"llvmdev {project()[1]}.*", [str(each) for each in rendered[0].recipe.requirements.host])


class Spack(unittest.TestCase):
    def test_has_the_versions_of_the_project(self):
        _, directives = spack_package(operations=True)
        self.assertEqual([given for given, _ in directives["version"]], [(project()[0],)])
        self.assertIn(f"@{project()[0]}", SPACK.read_text().split('"""')[1])
        llvm = next(given[0] for given, _ in directives["depends_on"] if given[0].startswith("llvm"))
        self.assertEqual(llvm.split()[0], f"llvm@{project()[1]}")
        self.assertEqual(directives["license"], [(("Apache-2.0",), {})])

    def test_depends_on_what_the_build_needs(self):
        _, directives = spack_package(operations=True)
        needed = [re.split(r"[@ ]", given[0])[0] for given, _ in directives["depends_on"]]
        self.assertEqual(set(needed) - OTHER_COMPILER, names(2))
        self.assertEqual(len(needed), len(set(needed)), "a dependency is there twice")
        variants = {given[0] for given, _ in directives["variant"]}
        for _, named in directives["depends_on"]:
            self.assertLessEqual(set(re.findall(r"[+~](\w+)", named.get("when", ""))), variants)
            self.assertLessEqual(set([named.get("type", ())] if isinstance(named.get("type"), str) else named.get("type", ())), {"build", "link", "run", "test"})

    def test_the_folders_have_the_names_that_spack_derives(self):
        self.assertRegex((SPACK.parents[2] / "repo.yaml").read_text(), r"(?m)^  namespace: prism$")
        self.assertEqual(SPACK.parents[2].parent.name, "spack_repo")
        self.assertRegex(SPACK.read_text(), r"(?m)^class PrismSycl\(CMakePackage\):$")


@unittest.skipUnless(pathlib.Path(LLVM, "include/clang").exists(), "clang's headers are not there")
class Commands(unittest.TestCase):
    """The recipes' commands configure a copy of the sources, without tests and benchmarks."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.source = pathlib.Path(folder.name, "prism")
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode:
            raise unittest.SkipTest("the sources are no git checkout")
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (cls.source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, cls.source / name)

    def configured(self, command, build):
        done = subprocess.run(command, shell=True, cwd=self.source, capture_output=True, text=True, env={**os.environ, "PREFIX": str(self.source / "prefix")})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertNotIn("Manually-specified variables were not used", done.stderr)
        cache = (self.source / build / "CMakeCache.txt").read_text()
        for option in ("PRISM_TESTS", "PRISM_BENCH"):
            self.assertRegex(cache, f"(?m)^{option}:BOOL=OFF$")
        return cache

    def test_of_conda(self):
        script = re.search(r"^  script:\n((?:    - .*\n)+)", CONDA.read_text(), re.M)[1]
        commands = [line[6:] for line in script.splitlines()]
        self.assertEqual([line.split()[1] for line in commands], ["--preset", "--build", "--install"])
        self.assertEqual(len({re.search(r"\bconda-build\b", line)[0] for line in commands}), 1)
        cache = self.configured(commands[0].replace('PRISM_LLVM_ROOT="$PREFIX"', f"PRISM_LLVM_ROOT={LLVM}"), "conda-build")
        self.assertRegex(cache, f"(?m)^CMAKE_INSTALL_PREFIX:PATH={self.source}/prefix$")
        self.assertRegex(cache, "(?m)^PRISM_KERNELS:BOOL=ON$")

    def test_of_spack(self):
        package, _ = spack_package(operations=False)
        cache = self.configured("cmake -G Ninja -S . -B spack-build " + " ".join(package.cmake_args()), "spack-build")
        self.assertRegex(cache, "(?m)^PRISM_KERNELS:BOOL=OFF$")
        self.assertIn("-DPRISM_KERNELS=ON", spack_package(operations=True)[0].cmake_args())


if __name__ == "__main__":
    unittest.main()
