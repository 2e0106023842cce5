"""Every environment variable of PRISM that the tree reads is in docs/environment.md, and that page names no other."""
import pathlib
import re

PAGE = "docs/environment.md"
NAMES = "runtime/support/environment.hpp"
# How the sources of each language read an environment variable.
READS = {".cpp": r'(?:getenv|variable)\("(PRISM_[A-Z_]+)"', ".hpp": r'getenv\("(PRISM_[A-Z_]+)"',
         ".sh": r"\$\{(PRISM_[A-Z_]+)", "prism": r"\$\{(PRISM_[A-Z_]+)", ".py": r'environ(?:\.get\(|\[)"(PRISM_[A-Z_]+)"'}
# Projects of their own, with documents of their own.
OTHERS = ("samples/backends/", "samples/remote/")


def read_in(texts):
    """Variable -> the first (path, line) that reads it."""
    found = {}
    for path, text in texts.items():
        pattern = r'"(PRISM_[A-Z_]+)"' if path == NAMES else READS.get("prism" if path == "prism" else pathlib.PurePosixPath(path).suffix)
        if pattern is None or path.startswith(OTHERS):
            continue
        for match in re.finditer(pattern, text):
            found.setdefault(match[1], (path, text.count("\n", 0, match.start()) + 1))
    return found


def findings(texts):
    """`texts`: path -> text of all tracked files. (path, line, what) of each variable that only the code or only the page has."""
    if PAGE not in texts:
        return
    page, read = texts[PAGE], read_in(texts)
    documented = {match[1]: page.count("\n", 0, match.start()) + 1 for match in re.finditer(r"`(PRISM_[A-Z_]+)`", page)}
    for name, (path, line) in read.items():
        if name not in documented:
            yield path, line, f"{name} is read, but not in {PAGE}"
    for name, line in documented.items():
        if name not in read:
            yield PAGE, line, f"{name} is documented, but nothing reads it"
