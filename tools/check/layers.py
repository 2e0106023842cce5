"""The layer rules of tools/check/layers.txt: reads them, checks includes against them, writes the table of docs/layout.md."""
import pathlib

FILE = pathlib.Path(__file__).with_name("layers.txt")
BEGIN, END = "<!-- written by check.py --write-layout -->", "<!-- end of the table -->"


class Layers:
    def __init__(self, text):
        self.rules = {}       # folder -> (subject, folders and headers that it may include)
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3 or parts[0] in self.rules:
                raise ValueError(f"{FILE.name}:{number}: a rule is `FOLDER | subject | includes`, one for each folder")
            self.rules[parts[0]] = parts[1], parts[2].split()

    def of(self, path):
        """The longest folder of the rules that the path lies in; None without one."""
        return max((f for f in self.rules if str(path).startswith(f + "/")), key=len, default=None)

    def allows(self, path, target):
        """Whether a file may include a header, both relative to the root."""
        layer = self.of(path)
        if layer is None or self.of(target) == layer:
            return True
        return any(target == a or target.startswith(a + "/") for a in self.rules[layer][1])

    def table(self):
        rows = ["| folder | purpose | may include |", "|---|---|---|"]
        for folder, (subject, targets) in self.rules.items():
            rows.append(f"| `{folder}` | {subject} | {' '.join(f'`{t}`' for t in targets)} |")
        return "\n".join(rows)

    def layout(self, text):
        """docs/layout.md with the table of the current rules."""
        before, rest = text.split(BEGIN, 1)
        return before + BEGIN + "\n" + self.table() + "\n" + END + rest.split(END, 1)[1]


def read():
    return Layers(FILE.read_text())
