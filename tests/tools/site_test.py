"""The documentation's site: every page is in its navigation and in the index, and where mkdocs and doxygen are installed it builds."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools/site"))
import site_pages


class Site(unittest.TestCase):
    def test_every_page_is_listed(self):
        done = subprocess.run([ROOT / "prism", "site", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_page_that_nobody_can_reach_is_named(self):
        found = list(site_pages.problems({"a.md", "b.md"}, "nav:\n  - Start:\n      - a.md\n      - c.md\n      - a.md\n", "| [a](a.md) | one |\n"))
        self.assertEqual(found, ["docs/b.md is not listed in tools/site/mkdocs.yml",
                                 "tools/site/mkdocs.yml lists c.md, which docs/ does not have",
                                 "tools/site/mkdocs.yml lists a.md twice", "docs/b.md is not listed in docs/index.md"])

    def test_figures_and_architecture_stay_short_and_leave_reasons_to_other_pages(self):
        for page, most in (("performance.md", 120), ("architecture.md", 150)):
            self.assertLessEqual(len((ROOT / "docs" / page).read_text().splitlines()), most, f"{page}: move reasons to their own page")

    def test_an_option_that_does_not_exist_is_refused(self):
        self.assertEqual(subprocess.run([ROOT / "prism", "site", "--chekc"], capture_output=True).returncode, 2)

    @unittest.skipUnless(shutil.which("mkdocs") and shutil.which("doxygen"), "mkdocs or doxygen is not installed")
    def test_it_builds_with_a_reference_of_the_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / "prism", "site"], env={**os.environ, "PRISM_BUILD_DIR": folder},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            site = pathlib.Path(folder, "site")
            self.assertIn("&lt;prism/graph.hpp&gt;", (site / "headers.html").read_text())
            self.assertTrue((site / "search/search_index.json").exists())
            self.assertIn("execution_policy", (site / "reference/annotated.html").read_text())


unittest.main()
