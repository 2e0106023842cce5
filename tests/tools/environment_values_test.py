"""Every environment variable of docs/environment.md that has a form: a value that is not understood is named once, with what is known.

usage: environment_values_test.py REPOSITORY PROGRAM PRISM++
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT, PROGRAM, COMPILER = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(3))
WRONG = "not a value/at all"
ONE_KERNEL = "--gtest_filter=objects_that_were_moved_from.work_again_after_an_assignment"
# Any text is a value of these: a file to write or a folder to make. PRISM_RECORD_DEVICES: set or not.
ANY_TEXT = {"PRISM_TRACE", "PRISM_LEDGER", "PRISM_PROFILE", "PRISM_CACHE_DIR", "PRISM_DUMP_IR", "PRISM_RECORD_DEVICES"}
OF_COMPILER = {"PRISM_CLANG"}


def variables():
    """Those of the first table, which the library and prism++ read."""
    text = (ROOT / "docs/environment.md").read_text().split("\n## ")[0]
    return re.findall(r"^\| `(PRISM_\w+)`", text, re.M)


def run(command, **settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PRISM_") or k in ("PRISM_CACHE_DIR",)}
    done = subprocess.run(command, env={**clean, **settings}, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


class values(unittest.TestCase):
    def test_a_value_that_is_not_understood_is_named_once_with_what_is_known(self):
        seen = variables()
        self.assertGreater(len(seen), 30)
        for name in seen:
            if name in ANY_TEXT | OF_COMPILER:
                continue
            with self.subTest(variable=name):
                settings = {"PRISM_DEVICE_SELECTOR": "host", name: WRONG}
                _, text = run([PROGRAM, ONE_KERNEL], **settings)
                lines = [line for line in text.splitlines() if re.search(rf"\b{name}\b", line)]
                self.assertEqual(len(lines), 1, f"{name}={WRONG}: {text}")
                self.assertRegex(lines[0], r"use |using |known |expected |such as|is not used|cannot be read|no program|no file|ignored|:",
                                 "it says what is known, or what happens instead")

    def test_prismxx_names_a_compiler_that_does_not_exist(self):
        status, text = run([COMPILER, "-c", os.devnull], PRISM_CLANG=WRONG)
        self.assertNotEqual(status, 0)
        self.assertIn("PRISM_CLANG", text)

    def test_an_output_that_cannot_be_written_is_named(self):
        for name in ("PRISM_TRACE", "PRISM_LEDGER", "PRISM_PROFILE"):
            for place in ("/there/is/no/such/folder/file", "/dev/full"):
                with self.subTest(variable=name, place=place):
                    _, text = run([PROGRAM, ONE_KERNEL], **{"PRISM_DEVICE_SELECTOR": "host", name: place})
                    lines = [line for line in text.splitlines() if name in line]
                    self.assertEqual(len(lines), 1, text)
        _, text = run([PROGRAM, ONE_KERNEL], PRISM_DEVICE_SELECTOR="host", PRISM_LOG="debug,/dev/full", PRISM_CHEKC="1")
        self.assertEqual(len([line for line in text.splitlines() if "PRISM_LOG" in line]), 1, text)
        self.assertIn("PRISM_CHEKC is no variable", text, "the message that could not be written goes to standard error")

    def test_a_tool_whose_output_cannot_be_written_ends_with_an_error(self):
        for tool in ("prism-info", "prism-pack", "prism-tune", "prism-probe", "prism++"):
            program = COMPILER.parent / tool
            if not program.exists():
                continue
            for option in ("--help", "--version"):
                if (tool, option) == ("prism-probe", "--version"):
                    continue  # it has none
                with self.subTest(tool=tool, option=option), open("/dev/full", "w") as full:
                    done = subprocess.run([program, option], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn("standard output cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
