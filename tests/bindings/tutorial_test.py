"""The notebook docs/tutorial.ipynb runs from its first cell to its last: tutorial_test.py REPOSITORY.

By nbconvert where it is installed with IPython's kernel and Matplotlib (./prism setup --all); everywhere else, the cells are run one after another in
one namespace, without those that have the tag `picture`, which are named.
"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
NOTEBOOK = json.loads((ROOT / "docs/tutorial.ipynb").read_text())
JUPYTER = all(importlib.util.find_spec(name) for name in ("nbconvert", "ipykernel", "matplotlib"))
PROMISED = ("tones: [50, 120]", "nvidia.h100: 0.30 s", "1 launch", "16 frames of (128, 128) points", "points in the set: ", "chr1:16 A > T")


def cells():
    """(number, source, tags) of each cell with code."""
    for number, cell in enumerate(NOTEBOOK["cells"], 1):
        if cell["cell_type"] == "code":
            yield number, "".join(cell["source"]), cell["metadata"].get("tags", [])


class Tutorial(unittest.TestCase):
    @unittest.skipUnless(JUPYTER, "nbconvert, ipykernel or Matplotlib is not installed")
    def test_the_notebook_runs_and_shows_what_its_text_promises(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", "--output-dir", folder, ROOT / "docs/tutorial.ipynb"],
                                  capture_output=True, text=True, timeout=280)
            self.assertEqual(done.returncode, 0, done.stderr)
            results = [result for cell in json.loads(pathlib.Path(folder, "tutorial.ipynb").read_text())["cells"] for result in cell.get("outputs", [])]
        printed = "".join("".join(result.get("text", "")) for result in results)
        for expected in PROMISED:
            self.assertIn(expected, printed)
        kinds = [kind for result in results for kind in result.get("data", {})]
        self.assertEqual([kinds.count(kind) for kind in ("image/png", "image/svg+xml", "text/html")], [2, 1, 1], "two pictures, a trace, an animation")

    @unittest.skipIf(JUPYTER, "nbconvert runs the notebook")
    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_every_cell_without_a_picture_runs_and_says_what_its_text_promises(self):
        os.chdir(ROOT)
        namespace, printed = {"__name__": "__main__"}, io.StringIO()
        for number, source, tags in cells():
            if "picture" in tags:
                print(f"cell {number}: skipped, nbconvert, ipykernel or Matplotlib is not installed", file=sys.stderr)
                continue
            with contextlib.redirect_stdout(printed):
                exec(compile(source, f"cell {number} of docs/tutorial.ipynb", "exec"), namespace)
        for expected in PROMISED:
            self.assertIn(expected, printed.getvalue())

    def test_the_notebook_is_kept_without_results(self):
        for cell in NOTEBOOK["cells"]:
            self.assertEqual((cell.get("outputs", []), cell.get("execution_count")), ([], None), "clear the outputs before a commit")


if __name__ == "__main__":
    unittest.main()
