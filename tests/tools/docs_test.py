"""The documents' examples, run as a reader would: docs_test.py REPOSITORY BUILD.

A fenced block whose language is followed by `file=NAME` is written into an empty folder; `console run` blocks are run there,
in order, with the build's programs on PATH and the paths `build/bin/...`, `./prism`, `samples`, `kernels` and `bindings` leading to the build
and the repository. Lines that begin with `$ ` are commands; what follows them must be their output, where `...` stands for any
text, a line `...` alone for any lines. A command must succeed unless a line `[exit N]` follows its output. `run if=NAME` (a program, or python3-MODULE): only
where that program is installed.

Every C++ block is compiled: `file=NAME` as a program, `part` as a fragment. The last comment `<!-- around ... -->` before a fragment
has the program around it, in which the line `// here` stands for the fragment; all fragments are compiled together.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
SHARED = pathlib.Path(os.environ.get("PRISM_CACHE_DIR", BUILD / "test-cache"), "documents")  # by all documents and runs
BLOCK = re.compile(r"^```(\w+)[ \t]+([^\n]*)\n(.*?)^```$", re.M | re.S)
AROUND = re.compile(r"^<!-- around\n(.*?)^-->$", re.M | re.S)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def examples(path):
    """(line number, attributes, body) of each block that is marked."""
    text = path.read_text()
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[2].strip(), found[3]


def fragments(path):
    """(line number, C++ text) of each block marked as `part`, with the program around it."""
    text = path.read_text()
    around = [(found.end(), found[1]) for found in AROUND.finditer(text)]
    for found in BLOCK.finditer(text):
        if found[1] != "cpp" or found[2].strip() != "part":
            continue
        line = text.count("\n", 0, found.start()) + 1
        before = [program for end, program in around if end <= found.start()]
        program = before[-1] if before else "#include <prism/prism.hpp>\n// here\n"
        begin, _, end = program.partition("// here\n")
        includes = [each for each in begin.split("\n") if each.startswith("#include")]
        rest = "\n".join(each for each in begin.split("\n") if not each.startswith("#include"))
        own = [each if each.startswith("#include") else "" for each in found[3].split("\n")]
        body = "\n".join("" if each.startswith("#include") else each for each in found[3].split("\n"))
        yield line, includes + own, f'{rest}\n#line {line + 1} "{path.name}"\n{body}\n#line 1 "around"\n{end}'


def commands(body):
    """[(command, expected lines)] of a console block."""
    all_commands = []
    for line in body.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            all_commands.append((line[2:], []))
        else:
            all_commands[-1][1].append(line)
    return all_commands


def matches(expected, output):
    """Whether `output` equals the document's; `...` stands for any text."""
    pattern = ""
    for line in expected:
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"[ \t]*\n"
    return re.fullmatch(pattern, output if not output or output.endswith("\n") else output + "\n") is not None


def is_installed(name):
    """A program, or a module of Debian's Python that has the package's name."""
    if name.startswith("python3-"):
        return subprocess.run(["/usr/bin/python3", "-c", f"import {name.removeprefix('python3-')}"], capture_output=True).returncode == 0
    return shutil.which(name) is not None


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """`probed` has what the drivers answered to their probes, with which each document's own cache begins."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.probed = pathlib.Path(folder.name, "cache")
        subprocess.run([BUILD / "bin/prism-info"], env=cls.environment(cls.probed), capture_output=True, check=True)
        for file in cls.probed.iterdir():
            if not file.name.startswith("probe-"):
                shutil.rmtree(file) if file.is_dir() else file.unlink()

    @staticmethod
    def environment(cache):
        return {**{k: v for k, v in os.environ.items() if not k.startswith("PRISM_")}, "PRISM_CACHE_DIR": str(cache)}

    def link_build(self, folder, compiler):
        """The build's files under build/, with the prism++ of the documents."""
        for place in ("build", "build/bin"):
            (folder / place).mkdir()
        for file in [*BUILD.iterdir(), *(BUILD / "bin").iterdir()]:
            if file.name not in ("bin", "prism++"):
                (folder / "build" / file.relative_to(BUILD)).symlink_to(file)
        (folder / "build/bin/prism++").symlink_to(pathlib.Path(compiler, "prism++"))

    def run_document(self, path):
        with tempfile.TemporaryDirectory() as folder:
            compiler = self.compiler()
            self.link_build(pathlib.Path(folder), compiler)
            (pathlib.Path(folder) / "prism").symlink_to(ROOT / "prism")
            (pathlib.Path(folder) / "samples").symlink_to(ROOT / "samples")
            (pathlib.Path(folder) / "kernels").symlink_to(ROOT / "kernels")
            (pathlib.Path(folder) / "bindings").symlink_to(ROOT / "bindings")
            environment = {**self.environment(f"{folder}/cache"), **self.cache_of_objects(folder)}
            environment["PATH"] = f"{compiler}:{BUILD}/bin:{environment['PATH']}"
            shutil.copytree(self.probed, f"{folder}/cache")
            for number, attributes, body in examples(path):
                where = f"{path.relative_to(ROOT)}:{number}"
                if name := re.fullmatch(r"file=([\w./-]+)", attributes):
                    file = pathlib.Path(folder, name[1])
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(body)
                elif attributes == "part":
                    continue
                elif needed := re.fullmatch(r"run(?: if=([\w+-]+))?", attributes):
                    if needed[1] and not is_installed(needed[1]):
                        print(f"{where}: skipped, {needed[1]} is not installed", file=sys.stderr)
                        continue
                    for command, expected in commands(body):
                        self.run_command(where, folder, environment, command, expected)
                else:
                    self.fail(f"{where}: a fenced block may say `run`, `part` or `file=NAME`, not `{attributes}`")

    @staticmethod
    def cache_of_objects(folder):
        """What CMake compiles is not compiled again while the example, the headers and the compiler are the same."""
        if not shutil.which("ccache"):
            return {}
        return {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_DIR": f"{SHARED}/objects", "CCACHE_BASEDIR": folder}

    def compiler(self):
        """A folder with a prism++ whose precompiled headers the documents share; each has its own cache of programs. The documents have no
        more combinations of options than prism++ keeps headers for; with those of the other tests it would make them again in each run."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = pathlib.Path(folder.name, "prism++")
        program.write_text(f'#!/bin/sh\nPRISM_CACHE_DIR="{SHARED}" exec "{BUILD}/bin/prism++" "$@"\n')
        program.chmod(0o755)
        return folder.name

    def test_every_fragment_of_cpp_compiles(self):
        """In one program, each in a namespace of its own, because parsing the headers takes most of the time."""
        all_fragments = [(f"{path.stem.lower().replace('-', '_')}_{line}", some, body) for path in DOCUMENTS for line, some, body in fragments(path)]
        self.assertGreater(len(all_fragments), 10)
        includes = dict.fromkeys(each for _, some, _ in all_fragments for each in some if each)
        text = "\n".join(includes) + "\n" + "\n".join(f"namespace fragment_of_{name} {{\n{body}\n}}" for name, _, body in all_fragments)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "fragments.cpp")
            file.write_text(text)
            done = subprocess.run([str(BUILD / "bin/prism++"), "-fsyntax-only", "-Wall", "-Wno-unused", "-I", str(ROOT / "kernels/include"), "-I", str(ROOT), str(file)],
                                  capture_output=True, text=True, timeout=280)
            self.assertEqual((done.returncode, done.stderr), (0, ""), "fragments of the documents")

    def run_command(self, where, folder, environment, command, expected):
        status = 0
        if expected and (found := re.fullmatch(r"\[exit (\d+)\]", expected[-1])):
            status, expected = int(found[1]), expected[:-1]
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=280)
        said = f"{where}: `{command}` ended with {done.returncode} and said:\n{done.stdout}"
        self.assertEqual(done.returncode, status, said)
        if expected or done.stdout.strip():
            self.assertTrue(matches(expected, done.stdout), f"{said}the document shows:\n" + "\n".join(expected))

    def test_an_output_is_compared_with_what_the_document_shows(self):
        self.assertTrue(matches(["a ... c"], "a b c\n"))
        self.assertTrue(matches(["...", "last"], "first\nsecond\nlast\n"))
        self.assertFalse(matches(["a"], "b\n"))
        self.assertFalse(matches([], "something\n"))

    def test_no_fragment_of_cpp_escapes_the_compiler(self):
        for path in DOCUMENTS:
            text = path.read_text()
            for found in re.finditer(r"^```(?:cpp|c\+\+)\b([^\n]*)$", text, re.M):
                self.assertRegex(found[1].strip(), r"^(part|file=\S+)$", f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}")

    def test_a_fragment_is_compiled_with_the_program_around_it(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("<!-- around\n#include <a>\nvoid f() {\n// here\n}\n-->\n```cpp part\nint x;\n```\n")
            [(line, includes, text)] = fragments(page)
            self.assertEqual((line, includes[0]), (7, "#include <a>"))
            self.assertRegex(text, r"void f\(\) \{\n+#line 8 \"page.md\"\nint x;\n+#line 1 \"around\"\n\}\n")

    def test_the_messages_of_the_page_of_errors_are_those_of_the_sources(self):
        literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
        texts = []
        for folder in ("compiler", "runtime", "devices", "extras", "tools"):
            for path in [*(ROOT / folder).rglob("*.cpp"), *(ROOT / folder).rglob("*.hpp")]:
                joined = re.sub(r'"\s*\n\s*"', "", path.read_text())  # adjacent literals are one text
                texts += [found[1].replace('\\"', '"') for found in literal.finditer(joined)]
        all_texts = "\n".join(texts)
        page = (ROOT / "docs/errors.md").read_text()
        rows = [line.split("|")[1] for line in page.split("\n") if line.startswith("| `")]
        self.assertGreater(len(rows), 40)
        for row in rows:
            for message in re.findall(r"`([^`]+)`", row):
                for part in message.split("…"):
                    self.assertIn(part.strip(" ;,:"), all_texts, row)

    def test_the_page_of_versions_has_the_numbers_of_the_sources(self):
        page = (ROOT / "docs/versions.md").read_text()
        for name, file in (("image::format_version", "devices/api/image.hpp"), ("interface_version", "devices/api/backend.hpp"),
                           ("PRISM_PROVIDER_ABI", "kernels/include/prism/provider.h")):
            number = re.search(rf"\b{name.rpartition(':')[2]} =? ?(\d+)", (ROOT / file).read_text())[1]
            self.assertIn(f"`{name}`, now {number} ", page)

    def test_the_documents_have_examples_that_run(self):
        marked = {path.name for path in DOCUMENTS if any(True for _ in examples(path))}
        self.assertLessEqual({"README.md", "getting-started.md", "prism-info.md"}, marked)


def one_document(path):
    return lambda self: self.run_document(path)


for document in DOCUMENTS:
    if any(True for _ in examples(document)):
        setattr(Documents, f"test_the_examples_of_{document.stem.lower().replace('-', '_')}_run", one_document(document))

if __name__ == "__main__":
    unittest.main(verbosity=1)
