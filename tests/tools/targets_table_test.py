"""./prism bench --targets writes its table between the comments of a page, and nothing else. usage: targets_table_test.py REPOSITORY BUILD"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
BEGIN, END = "<!-- written by ./prism bench --targets -->", "<!-- end of the table of targets -->"


class targets_table(unittest.TestCase):
    def run_with(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(text)
            command = [sys.executable, ROOT / "bench/targets.py", ROOT, BUILD, "--kernels", "1", "--rounds", "1", "--sets", "host", "--page", page]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, done.stderr, page.read_text()

    def test_the_table_has_compile_time_size_and_start(self):
        status, errors, text = self.run_with(f"before\n{BEGIN}\nold\n{END}\nafter\n")
        self.assertEqual(status, 0, errors)
        self.assertRegex(text, rf"(?s)^before\n{BEGIN}\n.*\n\| host \| [\d.]+ s \| \d+ KiB \| \d+, \d+ ms \|\n.*\n{END}\nafter\n$")
        self.assertNotIn("old", text)

    def test_the_repository_has_the_table_of_all_sets(self):
        table = (ROOT / "docs/performance-reasons.md").read_text().split(BEGIN)[1].split(END)[0]
        for targets in ("host", "opencl", "vulkan", "host,opencl", "host,vulkan", "host,opencl,vulkan"):
            self.assertIn(f"\n| {targets} | ", table)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
