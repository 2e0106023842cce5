"""Installs packages into clean systems and uses them: try.py FOLDER ROOT [NAME=SYSTEM.tar...]; `./prism package --test`.

Debian packages: lintian may find no error, and warn of nothing that their overrides do not name. They are installed into a bare Debian 12
(mmdebstrap makes it; needs root and a network) by one `apt-get install ./*.deb`. README's first program is compiled and run there, with the
operations package also a program of the operations library (docs/operations-blas.md). Then the packages are removed, and no file of theirs may
be left. prism-runtime alone must then run the first program.

The archive: unpacked into a folder of this machine, and moved, then the same programs. No program in it may need a glibc after 2.35. The programs
that were compiled here run on it in each other system: Debian 13, which mmdebstrap makes, and those of the command line, archives of a root
(an Ubuntu 24.04, say, which Debian's registry does not have). A system with clang 19 also compiles the first program.
"""
import contextlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "setup"))
import debian

MOST_GLIBC = (2, 35)  # Ubuntu 22.04's, docs/packages.md
MOST_BYTES = 64 * 2**20
COMPILER_IN = {"trixie": ["clang-19"]}  # what the archive does not have inside


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode:
        sys.exit(f"package: failed: {' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class program:
    """An example of a document: its source, and the output that the document shows."""

    def __init__(self, name, document, more=""):
        text = document.read_text()
        self.name, self.more = name, more
        self.source = re.search(rf"^```cpp file={name}.cpp\n(.*?)^```$", text, re.M | re.S)[1]

    def compile_command(self, driver, folder):
        return f"'{driver}' -O2 '{folder}/{self.name}.cpp' -o '{folder}/{self.name}' {self.more}"

    def check(self, text, where, wanted):
        if not re.search(wanted, text):
            sys.exit(f"package: {self.name}.cpp printed in {where}: {text!r}")
        print(f"   {where}: {self.name}: {text.strip().splitlines()[0]}", flush=True)


def programs_of(source, with_operations):
    """(program, the form of its output) of each program to try."""
    programs = [(program("axpy", source / "README.md"), r": 7\s*$")]
    if with_operations:
        programs.append((program("product", source / "docs/operations-blas.md", "-lprism_operations"), r"^14 32\n32 77\n"))
    return programs


def files_of_prism(root):
    found = set()
    for top in ("usr", "etc", "var/lib", "opt"):
        for path in (root / top).rglob("*prism*"):
            if "var/lib/apt" not in str(path):
                found.add(str(path.relative_to(root)))
    return found


@contextlib.contextmanager
def system_of(image):
    """A folder with the system of the archive, in which commands can run and apt-get finds the network."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name) / "root"
        root.mkdir()
        run("tar", "-xf", image, "-C", root)
        for device in ("null", "urandom"):
            (root / "dev" / device).unlink(missing_ok=True)
            run("mknod", "-m", "666", root / "dev" / device, "c", "1", {"null": "3", "urandom": "9"}[device])
        (root / "etc/resolv.conf").unlink(missing_ok=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        yield root


def made_system(folder, suite, packages):
    image = folder / f"{suite}.tar"
    if not image.exists() and (why := debian.make(suite, packages, image)):
        sys.exit(f"package: {why}")
    return image


def expect_nothing_left(root, before):
    left = files_of_prism(root) - before
    if left:
        sys.exit(f"package: after the removal there are left: {', '.join(sorted(left)[:10])}")
    print("   removed, and nothing is left", flush=True)


def try_debian(packages, programs, root):
    print(run("lintian", "--fail-on", "error,warning", "--tag-display-limit", "0", *packages).strip() or "   lintian: no findings", flush=True)
    before = files_of_prism(root)
    (root / "packages").mkdir()
    for package in packages:
        shutil.copy(package, root / "packages")
    inside = lambda command: run(*debian.command_in(root, command))
    inside("cd /packages && apt-get update -qq && apt-get install -y -qq --no-install-recommends ./*.deb")
    (root / "programs").mkdir()
    for each, form in programs:
        (root / f"programs/{each.name}.cpp").write_text(each.source)
        inside(each.compile_command("prism++", "/programs"))
        each.check(inside(f"/programs/{each.name}"), "Debian 12, from packages", form)
    inside("prism-info --select host && prism-info --doctor")
    purge = "apt-get purge -y -qq 'prism-*'"
    inside(purge)
    expect_nothing_left(root, before)
    inside("cd /packages && apt-get install -y -qq --no-install-recommends ./prism-runtime_*.deb")
    programs[0][0].check(inside("/programs/axpy"), "Debian 12, with prism-runtime alone", programs[0][1])
    inside(purge)
    expect_nothing_left(root, before)


def glibc_of(text):
    """The newest version of glibc that `objdump -T` names, as numbers."""
    return max((tuple(map(int, each.split("."))) for each in re.findall(r"\bGLIBC_([0-9.]+)", text)), default=(0,))


def check_form(archive, folder):
    """The archive's size, and the glibc that its programs need."""
    if archive.stat().st_size > MOST_BYTES:
        sys.exit(f"package: the archive has {archive.stat().st_size / 2**20:.1f} MiB, more than 64")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
            newest = glibc_of(run("objdump", "-T", path))
            if newest > MOST_GLIBC:
                sys.exit(f"package: {path.relative_to(folder)} needs glibc {'.'.join(map(str, newest))}; the archive is for 2.35 or later")


def try_archive(archive, programs, folder):
    """Leaves the moved archive and the compiled programs in the folder."""
    run("tar", "-xf", archive, "-C", folder)
    unpacked = next(p for p in folder.iterdir() if p.is_dir())
    check_form(archive, unpacked)
    moved = folder / "moved here"
    unpacked.rename(moved)
    for each, form in programs:
        (folder / f"{each.name}.cpp").write_text(each.source)
        run("sh", "-ec", each.compile_command(moved / "bin/prism++", folder))
        each.check(run(folder / each.name), f"the archive, moved ({archive.stat().st_size / 2**20:.1f} MiB)", form)
    return moved


def try_archive_in(root, name, moved, programs):
    """The moved archive in another system: programs that were compiled here, and one that is compiled there."""
    inside = lambda command: run(*debian.command_in(root, command))
    shutil.copytree(moved, root / "prism archive", symlinks=True)
    for each, form in programs:
        shutil.copy(moved.parent / each.name, root / each.name)
        each.check(inside(f"LD_LIBRARY_PATH='/prism archive/lib' /{each.name}"), f"{name}, the archive", form)
    inside("'/prism archive/bin/prism-info' --select host")
    if inside("command -v clang++-19 || true").strip():
        first, form = programs[0]
        (root / "again").mkdir()
        (root / f"again/{first.name}.cpp").write_text(first.source)
        inside(first.compile_command("/prism archive/bin/prism++", "/again"))
        first.check(inside(f"/again/{first.name}"), f"{name}, compiled there", form)
    else:
        print(f"   {name} has no clang 19: nothing is compiled there", flush=True)


def main():
    folder, source, others = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    packages = sorted(folder.glob("*.deb"))
    programs = programs_of(source, any(p.name.startswith("prism-operations_") for p in packages))
    with tempfile.TemporaryDirectory() as name:
        moved = try_archive(next(folder.glob("prism-*-Linux-*.tar.gz")), programs, pathlib.Path(name))
        with system_of(made_system(folder, "bookworm", [])) as root:
            try_debian(packages, programs, root)
        systems = [("Debian 13", made_system(folder, "trixie", COMPILER_IN["trixie"])), *(other.split("=", 1) for other in others)]
        for name_of_system, image in systems:
            with system_of(image) as root:
                try_archive_in(root, name_of_system, moved, programs)


if __name__ == "__main__":
    main()
