"""Installs packages into clean systems and uses them: try.py FOLDER README [NAME=ROOT.tar...]; `./prism package --test`.

Debian packages: into a bare Debian 12 (made by mmdebstrap; needs root and a network) by one `apt-get install ./*.deb`. README's first
program is compiled and run there; then the packages are removed, and no file of theirs may be left. The archive: unpacked into a
folder of this machine, and moved, then the same program. lintian may find no error.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "setup"))
import debian


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode:
        sys.exit(f"package: failed: {' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def first_program(readme):
    return re.search(r"^```cpp file=axpy.cpp\n(.*?)^```$", readme.read_text(), re.M | re.S)[1]


def check_answer(text, where):
    if not text.rstrip().endswith(": 7"):
        sys.exit(f"package: README's program printed in {where}: {text!r}")
    print(f"   {where}: {text.strip()}", flush=True)


def files_of_prism(root):
    found = set()
    for top in ("usr", "etc", "var/lib", "opt"):
        for path in (root / top).rglob("*prism*"):
            if "var/lib/apt" not in str(path):
                found.add(str(path.relative_to(root)))
    return found


def try_debian(packages, program, root):
    print(run("lintian", "--fail-on", "error", "--tag-display-limit", "0", *packages).strip() or "   lintian: no findings", flush=True)
    before = files_of_prism(root)
    (root / "packages").mkdir()
    for package in packages:
        shutil.copy(package, root / "packages")
    (root / "packages/axpy.cpp").write_text(program)
    inside = lambda command: run(*debian.command_in(root, command))
    inside("cd /packages && apt-get update -qq && apt-get install -y -qq --no-install-recommends ./*.deb")
    inside("cd /packages && prism++ -O2 axpy.cpp -o axpy")
    check_answer(inside("/packages/axpy"), "Debian 12, from packages")
    inside("prism-info --select host && prism-info --doctor")
    inside("apt-get purge -y -qq 'prism-*'")
    shutil.rmtree(root / "packages")
    left = files_of_prism(root) - before
    if left:
        sys.exit(f"package: after the removal there are left: {', '.join(sorted(left)[:10])}")
    print("   removed, and nothing is left", flush=True)


def try_archive(archive, program, folder):
    run("tar", "-xf", archive, "-C", folder)
    unpacked = next(p for p in folder.iterdir() if p.is_dir())
    moved = folder / "moved here"
    unpacked.rename(moved)
    (folder / "axpy.cpp").write_text(program)
    run(moved / "bin/prism++", "-O2", folder / "axpy.cpp", "-o", folder / "axpy")
    check_answer(run(folder / "axpy"), f"the archive, moved ({archive.stat().st_size / 2**20:.1f} MiB)")
    if archive.stat().st_size > 64 * 2**20:
        sys.exit("package: the archive is larger than 64 MiB")


def main():
    packages, readme = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    program = first_program(readme)
    with tempfile.TemporaryDirectory() as name:
        try_archive(next(packages.glob("*.tar.gz")), program, pathlib.Path(name))
    image = packages / "debian12.tar"
    if not image.exists() and (why := debian.make("bookworm", [], image)):
        sys.exit(f"package: {why}")
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name) / "root"
        root.mkdir()
        run("tar", "-xf", image, "-C", root)
        for device in ("null", "urandom"):
            (root / "dev" / device).unlink(missing_ok=True)
            run("mknod", "-m", "666", root / "dev" / device, "c", "1", {"null": "3", "urandom": "9"}[device])
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        try_debian(sorted(packages.glob("*.deb")), program, root)


if __name__ == "__main__":
    main()
