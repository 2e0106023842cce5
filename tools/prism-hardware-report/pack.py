"""Packs prism-hardware-report with its programs and their libraries, so that a machine without PRISM can run it.

usage: pack.py BUILD ARCHIVE.tar.xz

The archive has one folder: the program, programs/ with its list, and lib/. The C library is the machine's own. The C++
library and the loaders of OpenCL and Vulkan lie in folders of their own: the program uses them only on a machine that has
none. Two runs over one build write the same bytes.
"""
import concurrent.futures
import io
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

OF_THE_MACHINE = re.compile(r"^(linux-vdso|ld-linux|libc\.so|libm\.so|libpthread|libdl|librt|libresolv)")
FOLDERS = {"libOpenCL.so.1": "opencl-loader", "libvulkan.so.1": "vulkan-loader", "libstdc++.so.6": "cxx-library", "libgcc_s.so.1": "cxx-library"}
COMPANIONS = {  # what a program starts or opens next to itself
    "prism-bench": ["bin/prism-bench-adopted", "bin/prism-bench-more-than-fits"],
    "sycl_loaded_library": ["lib/libsycl_loaded_kernels.so"],
}
OPENED = {"prism-bench": ["libclblast.so.1"]}  # libraries that a program opens by name while it runs
NAME = "prism-hardware-report"
MOST_MIB = 64
PIECE = 24 << 20  # bytes that one thread compresses: with fixed pieces the archive's bytes do not depend on the threads


def needed_libraries(file):
    """name -> path of each library that the loader would open with this file."""
    text = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=True).stdout
    missing = re.findall(r"^\s*(\S+) => not found", text, re.MULTILINE)
    if missing:
        sys.exit(f"pack: {file} needs {', '.join(missing)}, which cannot be found")
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.MULTILINE))


def opened_libraries(program):
    """name -> path of each library that the program opens by name, and of what those need."""
    text = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    known = dict(reversed(re.findall(r"^\s+(\S+) \(.*?\) => (\S+)", text, re.MULTILINE)))
    libraries = {}
    for name in OPENED.get(program, []):
        if name not in known:
            sys.exit(f"pack: {program} opens {name}, which is not installed here: ./prism setup installs it")
        libraries.update({name: known[name], **needed_libraries(known[name])})
    return libraries


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755)
    subprocess.run(["strip", "--strip-unneeded", str(target)], check=True, capture_output=True)


def stage(build, folder):
    """Fills the folder; returns the lines of the list."""
    lines = [line for line in (build / "bin/programs.txt").read_text().splitlines() if (build / "bin" / line.split()[1]).exists()]
    copy_stripped(build / "bin" / NAME, folder / NAME)
    libraries = {}
    for program in [line.split()[1] for line in lines] + ["prism-info", "prism-probe"]:
        for file in [f"bin/{program}", *COMPANIONS.get(program, [])]:
            copy_stripped(build / file, folder / file.replace("bin/", "programs/"))
            libraries.update(needed_libraries(build / file))
        libraries.update(opened_libraries(program))
    for name, path in libraries.items():
        if not OF_THE_MACHINE.match(name):
            copy_stripped(pathlib.Path(path).resolve(), folder / "lib" / FOLDERS.get(name, ".") / name)
    shutil.copytree(build / "shaders", folder / "programs/shaders", ignore=lambda where, names: [
        n for n in names if not pathlib.Path(where, n).is_dir() and not n.endswith((".cl", ".cu", ".spv"))])
    (folder / "programs/programs.txt").write_text("".join(line + "\n" for line in lines))
    return lines


def write_archive(folder, archive):
    """Names in order, without times and owners; one stream of xz for each piece, which readers join."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_dir():
                continue
            entry = tar.gettarinfo(str(path), f"{NAME}/{path.relative_to(folder)}")
            entry.mtime = entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            with open(path, "rb") as data:
                tar.addfile(entry, data)
    text = plain.getbuffer()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:  # lzma holds no lock of Python
        pieces = threads.map(lambda at: lzma.compress(text[at:at + PIECE], preset=6), range(0, len(text), PIECE))
        archive.write_bytes(b"".join(pieces))


def main(build, archive):
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        lines = stage(build, pathlib.Path(folder))
        write_archive(pathlib.Path(folder), archive)
    mib = archive.stat().st_size / (1 << 20)
    print(f"{archive}: {len(lines)} programs, {mib:.1f} MiB. On the other machine:\n"
          f"  tar xf {archive.name} && {NAME}/{NAME}")
    if mib > MOST_MIB:
        sys.exit(f"pack: the archive is larger than {MOST_MIB} MiB")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(os.path.abspath(sys.argv[2])))
