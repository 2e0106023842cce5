"""The manual pages, the programs' --help and docs/environment.md say the same: manual_test.py REPOSITORY BUILD."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
MANUAL = ROOT / "docs/man"
PROGRAMS = {"prism-info": BUILD / "bin/prism-info", "prism++": BUILD / "bin/prism++", "prism-bench": BUILD / "bin/prism-bench",
            "prism-probe": BUILD / "bin/prism-probe", "prism-demo": BUILD / "bin/prism-demo", "prism-tune": BUILD / "bin/prism-tune", "prism-pack": BUILD / "bin/prism-pack",
            "prism-hardware-report": BUILD / "bin/prism-hardware-report", "prism": ROOT / "prism"}
ITSELF = {"--help", "--fsycl"}


def plain(page):
    """The page's text without roff's markup."""
    text = re.sub(r"^\.[A-Z]+ ?", "", page.read_text(), flags=re.M)
    return text.replace("\\-", "-").replace("\\&", "").replace('"', "")


def help_of(name):
    done = subprocess.run([str(PROGRAMS[name]), "--help"], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


class Manual(unittest.TestCase):
    def test_every_program_has_a_page_and_every_page_a_program(self):
        self.assertEqual({p.stem for p in MANUAL.glob("*.1")}, set(PROGRAMS))

    def test_every_page_has_the_sections_a_reader_looks_for(self):
        for page in MANUAL.glob("*.1"):
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES"):
                self.assertRegex(page.read_text(), rf"(?m)^\.SH {section}$", page.name)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_no_page_has_errors_of_markup(self):
        for page in MANUAL.glob("*.1"):
            done = subprocess.run(["groff", "-man", "-ww", "-z", str(page)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    def test_help_succeeds_with_examples_and_names_the_options_of_the_page(self):
        for name, program in PROGRAMS.items():
            if not program.exists():
                continue  # not in this build
            status, text = help_of(name)
            self.assertEqual(status, 0, name)
            self.assertRegex(text.lower(), r"example", name)
            page = plain(MANUAL / f"{name}.1")
            for option in options(text) - ITSELF:
                self.assertIn(option, page, f"{name} --help names {option}, its page does not")
            for option in options(page[page.index("\nOPTIONS" if "\nOPTIONS" in page else "\nCOMMANDS"):page.index("\nEXIT STATUS")]) - ITSELF:
                self.assertIn(option, text, f"the page of {name} names {option}, its --help does not")

    def test_the_table_of_environment_variables_is_that_of_prism_info(self):
        printed = subprocess.run([str(PROGRAMS["prism-info"]), "--environment"], capture_output=True, text=True)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        table = (ROOT / "docs/environment.md").read_text().replace("\\|", "|")
        entries = re.findall(r"^(PRISM_\w+)(?:  \(default (.*)\))?\n  (.*)$", printed.stdout, re.M)
        self.assertGreater(len(entries), 10)
        for name, default, meaning in entries:
            shown = f"| `{name}` | {f'`{default}`' if default else ''} | {meaning} |"
            self.assertIn(shown, table)


if __name__ == "__main__":
    unittest.main(verbosity=1)
