"""Compares the form of C and C++ files with `.clang-format` in the root, by clang-format of LLVM 19.

Other releases of clang-format break some lines differently, so only this one is used.
"""
import shutil
import subprocess

PROGRAM = "clang-format-19"
SUFFIXES = {".cpp", ".hpp", ".h", ".c"}
FILES_A_CALL = 100


def files_of(root, paths):
    return [str(path) for path in paths if path.suffix in SUFFIXES and (root / path).is_file()]


def calls(root, paths, *options):
    names = files_of(root, paths)
    for first in range(0, len(names), FILES_A_CALL):
        yield subprocess.run([PROGRAM, *options, *names[first:first + FILES_A_CALL]], cwd=root, capture_output=True,
                             text=True)


def can_run(root):
    """Whether `.clang-format` and clang-format exist; prints a message if the program is missing."""
    if not (root / ".clang-format").exists():
        return False
    if shutil.which(PROGRAM) is None:
        print(f"check: the form of the C++ files is not checked: {PROGRAM} is not installed (./prism setup)")
        return False
    return True


def findings(root, paths):
    """(file, line) of the first difference in each file."""
    if not can_run(root):
        return
    seen = set()
    for call in calls(root, paths, "--dry-run", "--ferror-limit=1"):
        for line in call.stderr.splitlines():
            name, *rest = line.split(":")
            if len(rest) > 2 and rest[0].isdigit() and name not in seen:
                seen.add(name)
                yield name, int(rest[0])


def apply(root, paths):
    """Formats the files in place. Exit status: 0, or 1 if clang-format failed."""
    if not can_run(root):
        return 1
    failed = [call for call in calls(root, paths, "-i") if call.returncode]
    for call in failed:
        print(call.stderr, end="")
    return int(bool(failed))
