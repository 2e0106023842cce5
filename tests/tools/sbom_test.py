"""The bill of materials of PRISM's packages: every library that its programs need, with package, version and licence, in the form of SPDX 2.3.

usage: sbom_test.py ROOT BUILD
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(sys.argv.pop()).resolve()
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
sys.path.insert(0, str(ROOT / "tools/package"))
import prepare

# https://spdx.github.io/spdx-spec/v2.3/ : the fields that a document, a package and a relationship must have, and their forms
IDENTIFIER = r"SPDXRef-[A-Za-z0-9.-]+"
DOCUMENT = {"spdxVersion": "SPDX-2[.]3", "dataLicense": "CC0-1[.]0", "SPDXID": "SPDXRef-DOCUMENT", "name": ".+", "documentNamespace": r"https://[^#\s]+"}
PACKAGE = {"SPDXID": IDENTIFIER, "name": ".+", "versionInfo": ".+", "downloadLocation": "NOASSERTION|NONE|https?://.+"}
RELATIONSHIP = {"spdxElementId": IDENTIFIER, "relatedSpdxElement": IDENTIFIER, "relationshipType": "DESCRIBES|CONTAINS|DEPENDS_ON"}
LICENCES = {"Apache-2.0", "MIT", "BSL-1.0", "BSD-2-Clause", "LGPL-2.1-or-later", "GPL-3.0-or-later", "Zlib"}  # of SPDX' list, which these programs have
EXCEPTIONS = {"GCC-exception-3.1", "LLVM-exception"}


def programs():
    """What the packages have of this build: libraries, modules and programs."""
    names = [BUILD / "bin" / name for name in ("prism++", "prism-info", "prism-pack", "prism-tune", "prism-probe")]
    names += [f for folder in ("lib", "libexec") for f in sorted((BUILD / folder).rglob("*")) if not f.name.startswith("prism_test")]
    return [f for f in names if f.is_file() and not f.is_symlink() and prepare.is_program(f)]


def needed_by(files):
    text = subprocess.run(["readelf", "-d", *map(str, files)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))


@unittest.skipIf(subprocess.run(["sh", "-c", "command -v dpkg"], capture_output=True).returncode, "the packages are made on Debian, which has dpkg")
class BillOfMaterials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = programs()
        cls.bill = json.loads(prepare.bill_of_materials(cls.files, "0.1.0", prepare.BUNDLED))

    def test_every_needed_library_is_in_a_package_with_version_and_licence(self):
        self.assertGreater(len(self.files), 2)
        listed = {name: p for p in self.bill["packages"] for name in p.get("comment", "").split(", ") if name}
        self.assertEqual({name for name in needed_by(self.files) if not name.startswith("libprism")}, set(listed))
        for name, package in listed.items():
            owner = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package["name"]], capture_output=True, text=True).stdout
            self.assertEqual(package["versionInfo"], owner, name)
            self.assertEqual((package["licenseConcluded"], package["licenseDeclared"]), (prepare.LICENCES[package["name"]],) * 2)
        for name, whole in prepare.LICENCES.items():  # also of what this build does not need
            licence, _, exception = whole.partition(" WITH ")
            self.assertIn(licence, LICENCES, name)
            self.assertIn(exception, EXCEPTIONS | {""}, name)

    def test_what_the_archive_has_inside_is_contained_and_the_rest_is_depended_on(self):
        packages = {p["SPDXID"]: p for p in self.bill["packages"]}
        found = {"CONTAINS": set(), "DEPENDS_ON": set(), "DESCRIBES": set()}
        for relation in self.bill["relationships"]:
            found[relation["relationshipType"]].add(packages[relation["relatedSpdxElement"]]["name"])
        self.assertEqual(found["DESCRIBES"], {"prism"})
        inside = {p["name"] for p in packages.values() if set(p.get("comment", "").split(", ")) & set(prepare.BUNDLED)}
        self.assertEqual(found["CONTAINS"], inside)
        self.assertEqual(found["DEPENDS_ON"], {p["name"] for p in packages.values()} - inside - {"prism"})
        self.assertEqual(len(inside), len(set(prepare.BUNDLED) & needed_by(self.files)))

    def test_has_the_form_of_spdx(self):
        def expect(form, of):
            for field, pattern in form.items():
                self.assertRegex(of.get(field, ""), f"^(?:{pattern})$", f"{field} of {of.get('name', of)}")
        expect(DOCUMENT, self.bill)
        self.assertRegex(self.bill["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in self.bill["creationInfo"]["creators"]:
            self.assertRegex(creator, "^(Tool|Person|Organization): .+")
        for package in self.bill["packages"]:
            expect(PACKAGE, package)
            self.assertIs(package["filesAnalyzed"], False)
            for reference in package.get("externalRefs", []):
                self.assertEqual((reference["referenceCategory"], reference["referenceType"]), ("PACKAGE-MANAGER", "purl"))
                self.assertRegex(reference["referenceLocator"], r"^pkg:deb/debian/[a-z0-9.%B+-]+@[A-Za-z0-9.%~_-]+[?]arch=\w+$")
        identifiers = [p["SPDXID"] for p in self.bill["packages"]] + ["SPDXRef-DOCUMENT"]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for relation in self.bill["relationships"]:
            expect(RELATIONSHIP, relation)
            self.assertIn(relation["spdxElementId"], identifiers)
            self.assertIn(relation["relatedSpdxElement"], identifiers)

    def test_the_same_files_give_the_same_bytes(self):
        again = [prepare.bill_of_materials(files, "0.1.0", prepare.BUNDLED) for files in (self.files, self.files[::-1])]
        self.assertEqual(again[0], again[1])
        self.assertNotEqual(json.loads(prepare.bill_of_materials(self.files, "0.2.0", ()))["documentNamespace"], self.bill["documentNamespace"])

    def test_a_library_of_no_package_or_without_a_licence_ends_the_packing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for soname in ("libabsent.so.7", "libneedy.so"):
                subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-x", "none", f"-Wl,-soname,{soname}", "-Wl,--no-as-needed",
                                *([str(folder / "libabsent.so.7")] if soname == "libneedy.so" else []), "-o", str(folder / soname)], check=True)
            with self.assertRaisesRegex(SystemExit, "libabsent.so.7 belongs to no package"):
                prepare.bill_of_materials([folder / "libneedy.so"], "0.1.0", ())
        licences, prepare.LICENCES = prepare.LICENCES, {}
        try:
            with self.assertRaisesRegex(SystemExit, "the licence of .* is not in LICENCES"):
                prepare.bill_of_materials(self.files, "0.1.0", ())
        finally:
            prepare.LICENCES = licences


if __name__ == "__main__":
    unittest.main()
