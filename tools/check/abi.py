"""The binary interface of prism.h against the committed one, bindings/c/prism-c.abi; part of `./prism check`.

abidiff (Debian's abigail-tools) compares types and functions. It reads them from debug information, which the library is built
without; so the check compiles a library of empty functions with prism.h's declarations, which takes less than a second and needs no
build. The version script prism-c.map must list exactly the declared functions. `check.py --write-abi` writes the committed file,
after an addition; it refuses where functions or members changed or went away, since programs that use them would
break. For a member that was added at the end of a struct with a size, remove the committed file first."""
import pathlib
import re
import shutil
import subprocess
import tempfile

HEADER, SCRIPT, BASE = "bindings/c/include/prism.h", "bindings/c/prism-c.map", "bindings/c/prism-c.abi"
OPTIONS = ["--no-show-locs", "--no-comp-dir-path", "--no-corpus-path", "--no-elf-needed", "--type-id-style", "hash"]


def prototypes(text):
    """[(function, its declaration without the semicolon)] of the header."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [(name, " ".join(whole.split())) for whole, name in
            re.findall(r"^((?:const )?\w+\*? (prism_\w+)\((?:[^;{}])*\));", text, flags=re.M)]


def listed(text):
    return re.findall(r"^\s+(prism_\w+);", text, flags=re.M)


def empty_library(root, folder):
    """A shared library with the header's functions, empty, and debug information."""
    source, library = folder / "empty.c", folder / "libprism-c.so"
    text = ["#include <prism.h>"]
    for _, declared in prototypes((root / HEADER).read_text()):
        result = re.match(r"(?:const )?\w+\*?", declared).group()
        body = "prism_view v = {0}; return v;" if result == "prism_view" else "return 0;"
        text.append(declared + " {" + body + "}")
    source.write_text("\n".join(text) + "\n")
    subprocess.run(["gcc", "-g", "-O0", "-w", "-fPIC", "-shared", "-Wl,-soname,libprism-c.so.0", f"-Wl,--version-script={root / SCRIPT}",
                    f"-I{root}/bindings/c/include", f"-I{root}/kernels/include", source, "-o", library], check=True)
    return library


def findings(root, write=False):
    """The texts of all findings; prints what it leaves out."""
    root = pathlib.Path(root)
    if not (root / HEADER).exists():
        return []
    declared = [name for name, _ in prototypes((root / HEADER).read_text())]
    script = listed((root / SCRIPT).read_text())
    out = [f"{SCRIPT}: {name}: prism.h declares it; list it" for name in declared if name not in script]
    out += [f"{SCRIPT}: {name}: prism.h does not declare it" for name in script if name not in declared]
    if out:
        return out
    missing = [tool for tool in ("gcc", "abidiff", "abidw") if not shutil.which(tool)]
    if missing:
        print(f"check: the binary interface of prism.h was not compared: no {missing[0]} (./prism setup --all installs abigail-tools)")
        return []
    with tempfile.TemporaryDirectory() as folder:
        library = empty_library(root, pathlib.Path(folder))
        base = root / BASE
        if base.exists():
            done = subprocess.run(["abidiff", base, library], capture_output=True, text=True)
            breaks = re.search(r"[1-9]\d* (Removed|Changed)", done.stdout) is not None
            if breaks or (done.returncode and not write):
                what = "programs that use it would break" if breaks else "after an addition: check.py --write-abi"
                return [f"{BASE}: prism.h has another binary interface ({what}):\n{(done.stdout + done.stderr).strip()}"]
        if write:
            subprocess.run(["abidw", *OPTIONS, library, "--out-file", base], check=True)
        elif not base.exists():
            return [f"{BASE}: missing: check.py --write-abi"]
    return []
