"""Completes an installed tree before CPack packs it: prepare.py GENERATOR FOLDER VERSION CONTACT (tools/package/prepare.cmake calls it).

DEB: one folder a component. Each gets the copyright and the changelog that Debian asks for; manual pages are compressed.
Archives: one folder. The libraries that other distributions have in other versions are copied into lib/.
Both get the bill of materials in SPDX 2.3 (sbom.spdx.json) and equal times of all files, SOURCE_DATE_EPOCH, so that two builds
give the same bytes.
"""
import functools
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

BUNDLED = ("libtbb.so.12", "libyaml-cpp.so.0.7", "libboost_context.so.1.74.0", "libfmt.so.9")  # other versions in Ubuntu and Debian 13
LICENCES = {"libtbb12": "Apache-2.0", "libyaml-cpp0.7": "MIT", "libboost-context1.74.0": "BSL-1.0", "libfmt9": "MIT", "libc6": "LGPL-2.1-or-later",
            "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1", "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1", "libgomp1": "GPL-3.0-or-later WITH GCC-exception-3.1",
            "libllvm19": "Apache-2.0 WITH LLVM-exception", "libclang-cpp19": "Apache-2.0 WITH LLVM-exception", "zlib1g": "Zlib", "libtbbmalloc2": "Apache-2.0",
            "libclblast1": "Apache-2.0", "libclfft2": "Apache-2.0", "libdnnl2": "Apache-2.0", "ocl-icd-libopencl1": "BSD-2-Clause"}
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: PRISM

Files: *
Copyright: 2026 The authors of PRISM
License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
"""


# What lintian warns of and is meant: tag -> (the packages, the reason).
OVERRIDES = {
    "package-name-doesnt-match-sonames": (("compiler", "runtime", "operations"),
                                          "One package has PRISM's libraries of a kind with their programs; it is not made for several versions side by side."),
    "shared-library-lacks-version": (("compiler",), "clang loads the plug-in by its path; no program is linked to it."),
    "link-to-shared-library-in-wrong-package": (("operations",), "Those who compile with its libraries and those who run programs with them install one package."),
    "pkg-config-unavailable-for-cross-compilation": (("dev",), "The libraries are in /usr/lib, not in a folder of an architecture, so the file names that folder."),
}


def write_overrides(root, component):
    lines = [f"# {reason}\nprism-{component}: {tag}\n" for tag, (components, reason) in OVERRIDES.items() if component in components]
    if lines:
        file = root / "share/lintian/overrides" / f"prism-{component}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(lines))


def write_compressed(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path):
    text = subprocess.run(["objdump", "-p", path], text=True, capture_output=True, check=True).stdout
    return set(re.findall(r"^ *NEEDED +(\S+)", text, re.M))


def loader_paths():
    text = subprocess.run(["/sbin/ldconfig", "-p"], text=True, capture_output=True, check=True).stdout
    return {name: path for name, path in reversed(re.findall(r"^\s+(\S+) \(.*?x86-64.*?\) => (\S+)", text, re.M))}


@functools.cache
def package_of(path):
    """(name, version) of the Debian package that owns a library."""
    for each in (path, os.path.realpath(path), "/usr" + os.path.realpath(path)):
        done = subprocess.run(["dpkg", "-S", each], text=True, capture_output=True)
        if done.returncode == 0:
            name = done.stdout.split(": ")[0].split(",")[0]
            version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], text=True, capture_output=True, check=True).stdout
            return name.split(":")[0], version
    return None


def bill_of_materials(files, version, bundled):
    """SPDX 2.3: PRISM, and each library of a distribution that its programs need (inside of the archive: CONTAINS). Exits if one has no
    package or no known licence."""
    own, paths = {f.name for f in files}, loader_paths()
    libraries = {}
    for name in sorted({n for f in files if is_program(f) for n in needed(f)} - (own - set(bundled))):
        if name.startswith("libprism"):  # of this or of another of PRISM's packages
            continue
        found = package_of(paths[name]) if name in paths else None
        if not found:
            sys.exit(f"package: {name} belongs to no package of this system, so its version and its licence are unknown")
        if found[0] not in LICENCES:
            sys.exit(f"package: the licence of {found[0]}, which has {name}, is not in LICENCES of tools/package/prepare.py")
        libraries.setdefault(found, []).append(name)
    packages = [{"SPDXID": "SPDXRef-prism", "name": "prism", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "2026 The authors of PRISM", "filesAnalyzed": False}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-prism"}]
    for (name, its_version), sonames in sorted(libraries.items()):
        reference = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        licence = LICENCES[name]
        packages.append({"SPDXID": reference, "name": name, "versionInfo": its_version, "downloadLocation": "NOASSERTION", "licenseConcluded": licence,
                         "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False, "comment": ", ".join(sonames),
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:deb/debian/{name.replace('+', '%2B')}@{its_version.replace('+', '%2B').replace(':', '%3A')}?arch=amd64"}]})
        inside = set(sonames) & set(bundled)
        relations.append({"spdxElementId": "SPDXRef-prism", "relationshipType": "CONTAINS" if inside else "DEPENDS_ON", "relatedSpdxElement": reference})
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    return json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"prism-{version}",
                       "documentNamespace": f"https://spdx.org/spdxdocs/prism-{version}-{digest}",
                       "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)), "creators": ["Tool: prism-package"]},
                       "packages": packages, "relationships": relations}, indent=1) + "\n"


def regular_files(folder):
    return sorted(f for f in folder.rglob("*") if f.is_file() and not f.is_symlink())


def prepare_debian(folder, version, contact):
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(EPOCH))
    for component in sorted(p for p in folder.iterdir() if p.is_dir()):
        package, root = f"prism-{component.name}", component / "usr"
        documents = root / "share/doc" / package
        documents.mkdir(parents=True, exist_ok=True)
        (documents / "copyright").write_text(COPYRIGHT)
        (root / "share/doc/prism/LICENSE").unlink(missing_ok=True)  # Debian: the copyright file, which names the common licence
        write_overrides(root, component.name)
        write_compressed(documents / "changelog.gz", f"prism ({version}) stable; urgency=medium\n\n  * See CHANGELOG.md of prism-dev.\n\n"
                         f" -- {contact}  {date}\n".encode())
        for page in regular_files(root / "share/man"):
            write_compressed(page.with_name(page.name + ".gz"), page.read_bytes())
            page.unlink()
        (documents / "sbom.spdx.json").write_text(bill_of_materials(regular_files(component), version, ()))


def prepare_archive(folder, version, _):
    root = next(p.parent for p in folder.rglob("bin") if (p.parent / "lib").is_dir())
    paths = loader_paths()
    for name in BUNDLED:
        shutil.copyfile(os.path.realpath(paths[name]), root / "lib" / name)
        found = package_of(paths[name])
        licence = pathlib.Path("/usr/share/doc") / found[0] / "copyright"
        text = licence.read_text() if licence.exists() else f"{found[0]} {found[1]} of Debian: {LICENCES[found[0]]}\n"
        target = root / "share/doc/prism/licences" / found[0]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    (root / "share/doc/prism/sbom.spdx.json").write_text(bill_of_materials(regular_files(root), version, BUNDLED))


def main():
    generator, folder, version, contact = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    (prepare_debian if generator == "DEB" else prepare_archive)(folder, version, contact)
    for path in sorted(folder.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or path.parent.name == "bin" or "libexec" in path.parts
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)


if __name__ == "__main__":
    main()
