"""registry_python.py FOLDER PACKAGE...: a Python with modules of Python's registry, in a virtual environment of its own.

The modules bring newer versions of NumPy than Debian's, so they stay apart. FOLDER/vendors has an .icd file for Intel's OpenCL driver if a
package brought it: the variable OCL_ICD_VENDORS takes it. The driver's own .icd file names a folder that is not there. Exits with 1 and
leaves no FOLDER if pip or the registry cannot be had."""
import pathlib
import shutil
import subprocess
import sys

DRIVER = "libintelocl.so"


def make(folder, packages):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "bin/python", "install", "--quiet",
                    "--only-binary", ":all:", *packages], check=True)
    (folder / "vendors").mkdir()
    if (folder / "lib" / DRIVER).exists():
        (folder / "vendors/intel.icd").write_text(f"{folder / 'lib' / DRIVER}\n")


def main():
    folder, packages = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    try:
        make(folder, packages)
    except (OSError, subprocess.CalledProcessError) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(f"registry_python.py: {problem}")


if __name__ == "__main__":
    main()
