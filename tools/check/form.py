"""Compares the form of C and C++ files with `.clang-format` in the root, by clang-format of LLVM 19.

Other releases of clang-format break some lines differently, so only this one is used. It cannot break strings, tables and comments:
long_lines.txt has the files with lines that are longer than its limit, and how many. Their numbers only become smaller.
"""
import pathlib
import shutil
import subprocess

PROGRAM = "clang-format-19"
SUFFIXES = {".cpp", ".hpp", ".h", ".c"}
FILES_A_CALL = 100
MOST = 110  # columns: ColumnLimit of .clang-format
LIST = pathlib.Path(__file__).with_name("long_lines.txt")


def files_of(root, paths):
    return [str(path) for path in paths if path.suffix in SUFFIXES and (root / path).is_file()]


def allowed_long_lines():
    return {name: int(count) for count, name in (line.split() for line in LIST.read_text().splitlines() if not line.startswith("#"))}


def long_lines(texts, allowed):
    """`texts`: path -> text of all tracked files. (path, line, what) of each file with more or fewer long lines than allowed."""
    for path, text in texts.items():
        if pathlib.PurePosixPath(path).suffix not in SUFFIXES:
            continue
        found, most = [number for number, line in enumerate(text.split("\n"), 1) if len(line) > MOST], allowed.get(path, 0)
        if len(found) > most:
            yield path, found[-1], f"{len(found)} lines of more than {MOST} columns, {most} allowed: break the string or the table"
        elif len(found) < most:
            yield path, 1, f"only {len(found)} lines of more than {MOST} columns: lower its number in tools/check/{LIST.name}"
    for path in allowed:
        if path not in texts and f"tools/check/{LIST.name}" in texts:
            yield f"tools/check/{LIST.name}", 1, f"{path} does not exist: delete its line"


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
