"""The documents' examples, run as a reader would: docs_test.py REPOSITORY BUILD.

A fenced block whose language is followed by `file=NAME` is written into an empty folder; `console run` blocks are run there,
in order, with the build's programs on PATH and the paths `build/bin/...`, `./prism`, `samples` and `kernels` leading to the build
and the repository. Lines that begin with `$ ` are commands; what follows them must be their output, where `...` stands for any
text, a line `...` alone for any lines. A command must succeed unless a line `[exit N]` follows its output.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
BLOCK = re.compile(r"^```(\w+)[ \t]+([^\n]*)\n(.*?)^```$", re.M | re.S)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def examples(path):
    """(line number, attributes, body) of each block that is marked."""
    text = path.read_text()
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[2].strip(), found[3]


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


class Documents(unittest.TestCase):
    def run_document(self, path):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "build").symlink_to(BUILD)
            (pathlib.Path(folder) / "prism").symlink_to(ROOT / "prism")
            (pathlib.Path(folder) / "samples").symlink_to(ROOT / "samples")
            (pathlib.Path(folder) / "kernels").symlink_to(ROOT / "kernels")
            environment = {k: v for k, v in os.environ.items() if not k.startswith("PRISM_")}
            environment.update(PATH=f"{BUILD}/bin:{environment['PATH']}", PRISM_CACHE_DIR=f"{folder}/cache")
            for number, attributes, body in examples(path):
                where = f"{path.relative_to(ROOT)}:{number}"
                if name := re.fullmatch(r"file=([\w./-]+)", attributes):
                    file = pathlib.Path(folder, name[1])
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(body)
                elif attributes == "run":
                    for command, expected in commands(body):
                        self.run_command(where, folder, environment, command, expected)
                else:
                    self.fail(f"{where}: a fenced block may say `run` or `file=NAME`, not `{attributes}`")

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
