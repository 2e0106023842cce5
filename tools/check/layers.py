"""The layer rules of tools/check/layers.txt: reads them, checks includes against them, writes the table of docs/layout.md."""
import pathlib

FILE = pathlib.Path(__file__).with_name("layers.txt")
BEGIN, END = "<!-- written by check.py --write-layout -->", "<!-- end of the table -->"


class Layers:
    def __init__(self, text):
        self.rules = {}       # folder -> (subject, folders and headers that it may include)
        self.lines = {}       # folder -> number of the line of its rule
        self.used = set()     # (folder, folder or header that it may include), of the includes seen
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3 or parts[0] in self.rules:
                raise ValueError(f"{FILE.name}:{number}: a rule is `FOLDER | subject | includes`, one for each folder")
            self.rules[parts[0]] = parts[1], parts[2].split()
            self.lines[parts[0]] = number

    def of(self, path):
        """The longest folder of the rules that the path lies in; None without one."""
        return max((f for f in self.rules if str(path).startswith(f + "/")), key=len, default=None)

    def allows(self, path, target):
        """Whether a file may include a header, both relative to the root. A header of the file's own folder needs no rule."""
        layer = self.of(path)
        if self.of(target) == layer:
            return True
        permissions = [a for a in self.rules[layer][1] if target == a or target.startswith(a + "/")]
        self.used.update((layer, a) for a in permissions)
        return bool(permissions)

    def unused(self):
        """(number of the line, folder, permission) of each permission that none of the includes passed to allows() needed."""
        for folder, (_, targets) in self.rules.items():
            yield from ((self.lines[folder], folder, target) for target in targets if (folder, target) not in self.used)

    def table(self):
        rows = ["| folder | purpose | may include |", "|---|---|---|"]
        for folder, (subject, targets) in self.rules.items():
            rows.append(f"| `{folder}` | {subject} | {' '.join(f'`{t}`' for t in targets)} |")
        return "\n".join(rows)

    def layout(self, text):
        """docs/layout.md with the table of the current rules."""
        before, rest = text.split(BEGIN, 1)
        return before + BEGIN + "\n" + self.table() + "\n" + END + rest.split(END, 1)[1]


def public_headers(paths):
    """Name in angle brackets -> file, of the headers that PRISM installs: those below a folder `include`."""
    return {str(path).split("/include/", 1)[1]: str(path) for path in paths if "/include/" in str(path)}


def read():
    return Layers(FILE.read_text())
