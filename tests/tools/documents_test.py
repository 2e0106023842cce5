"""docs/from-the-documents.md names only what exists: documents_test.py REPOSITORY BUILD."""
import pathlib
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(ROOT / "tools/documents"))
import documents

KEPT = "3.1 | arrays | bindings/c/include/prism.h:prism_run | bindings.c.host | | "


def findings(line, tests=("bindings.c.host",)):
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.txt"
        rows.write_text(f"# rows\n## S0: backends\n{line}\n")
        return list(documents.problems(documents.read_rows(rows), tests, ROOT))


class Rows(unittest.TestCase):
    def test_a_row_whose_program_and_test_exist_is_kept(self):
        self.assertEqual(findings(KEPT), [])

    def test_a_program_that_does_not_exist_is_found(self):
        self.assertIn("there is no bindings/c/include/prysm.h", findings(KEPT.replace("prism.h:", "prysm.h:"))[0])

    def test_a_name_that_the_program_does_not_have_is_found(self):
        self.assertIn("prism.h has no prism_run_away", findings(KEPT.replace("prism_run", "prism_run_away"))[0])

    def test_a_test_that_does_not_exist_is_found(self):
        self.assertIn("no test matches bindings.d", findings(KEPT.replace("bindings.c.host", "bindings.d"))[0])

    def test_a_test_that_needs_a_package_is_looked_up_in_the_build_files(self):
        self.assertEqual(findings(KEPT.replace("bindings.c.host", "samples.ranks?")), [])
        self.assertEqual(len(findings(KEPT.replace("bindings.c.host", "samples.rank?"))), 1)

    def test_a_program_without_a_test_is_found(self):
        self.assertIn("a program and a test", findings(KEPT.replace("bindings.c.host", ""))[0])

    def test_a_row_that_is_not_done_says_so(self):
        rows = [documents.row("S0: backends", "3.1", "arrays", [], [], "", "no hardware")]
        self.assertIn("| 3.1 | arrays | **not yet** |  |  | no hardware |", list(documents.page(rows)))


class Page(unittest.TestCase):
    def test_every_row_names_programs_and_tests_that_exist(self):
        self.assertEqual(list(documents.problems(documents.read_rows(), documents.tests_of(str(BUILD)))), [])

    def test_the_page_has_the_rows(self):
        text = "\n".join(documents.page(documents.read_rows())) + "\n"
        self.assertEqual((ROOT / documents.PAGE).read_text(), text, "run tools/documents/documents.py")

    def test_every_document_has_rows(self):
        self.assertEqual({r.document[:2] for r in documents.read_rows()}, {"S0", "S1", "S2", "S3", "S4", "Pr"})


unittest.main()
