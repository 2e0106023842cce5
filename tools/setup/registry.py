"""registry.py FOLDER PACKAGE...: unpacks packages of Python's registry, with those that they need, without installing them.

A driver's package holds shared libraries. They get into FOLDER/lib; FOLDER/vendors has an .icd file for each OpenCL driver among them, as the
variable OCL_ICD_VENDORS takes it, and FOLDER/first the libraries that a process must load before Debian's older ones (LD_LIBRARY_PATH): PRISM
links Debian's TBB, and Intel's driver wants a newer one. FOLDER/python has the modules, as PYTHONPATH takes it, and the programs of packages that bring some. Exits with 1 and leaves no FOLDER if pip or the registry cannot be had.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

DRIVERS = ("libintelocl.so",)
FIRST = "libtbb"


def unpack(wheel, into):
    """The files of a wheel's data/lib, which are the shared libraries of packages that are no Python modules, and the modules of the others."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            parts = pathlib.PurePosixPath(member.filename).parts
            if member.is_dir() or ".." in parts:
                continue
            if len(parts) == 4 and parts[0].endswith(".data") and parts[1:3] == ("data", "lib"):
                with archive.open(member) as source, open(into / "lib" / parts[3], "wb") as target:
                    shutil.copyfileobj(source, target)
            elif not parts[0].endswith((".data", ".dist-info")):
                file = pathlib.Path(archive.extract(member, into / "python"))
                if member.external_attr >> 16 & 0o100:
                    file.chmod(0o755)


def make(folder, final, packages):
    """Makes in `folder` what will lie in `final`."""
    with tempfile.TemporaryDirectory() as wheels:
        subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--only-binary", ":all:",
                        "--dest", wheels, *packages], check=True)
        for name in ("lib", "vendors", "first", "python"):
            (folder / name).mkdir(parents=True)
        for wheel in pathlib.Path(wheels).glob("*.whl"):
            unpack(wheel, folder)
    for library in sorted((folder / "lib").iterdir()):
        if library.name in DRIVERS:
            (folder / "vendors" / f"{library.stem}.icd").write_text(f"{final / 'lib' / library.name}\n")
        if library.name.startswith(FIRST):
            (folder / "first" / library.name).symlink_to(pathlib.Path("../lib", library.name))
    if not any((folder / "vendors").iterdir()):
        raise FileNotFoundError(f"the packages {', '.join(packages)} hold none of the drivers {', '.join(DRIVERS)}")


def main():
    folder, packages = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    made = folder.with_name(folder.name + ".part")
    shutil.rmtree(made, ignore_errors=True)
    try:
        make(made, folder, packages)
    except (OSError, subprocess.CalledProcessError, zipfile.BadZipFile) as problem:
        shutil.rmtree(made, ignore_errors=True)
        sys.exit(f"registry.py: {problem}")
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


if __name__ == "__main__":
    main()
