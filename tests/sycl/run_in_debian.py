"""Runs a suite with the lavapipe of another version of Debian: run_in_debian.py SYSTEM PROGRAM (`./prism check --all matrix-units`).

SYSTEM is a folder that tools/setup/debian.py made, with the package mesa-vulkan-drivers. The program and PRISM's libraries are those of
this build; what it needs of Debian 12 and SYSTEM does not have comes from this machine. The exit status is the program's.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/setup"))
import debian


def needed_libraries(program):
    """This machine's libraries that the program needs, without PRISM's."""
    text = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    return [pathlib.Path(each) for each in re.findall(r"=> (/(?:usr/)?lib\S*)", text)]


def main():
    system, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    build = program.parents[1]
    driver = next((system / "usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
    with tempfile.TemporaryDirectory(dir=build) as more:
        for library in needed_libraries(program):
            if not any((system / "usr/lib").rglob(library.name)):
                shutil.copy(library, more)
        command = (f"LD_LIBRARY_PATH='{more}' VK_DRIVER_FILES=/{driver.relative_to(system)} PRISM_CACHE=off "
                   f"PRISM_DEVICE_SELECTOR=vulkan:name=llvmpipe '{program}'")
        sys.exit(subprocess.run(debian.command_in(system, command, [build])).returncode)


if __name__ == "__main__":
    main()
