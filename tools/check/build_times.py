"""The table of `./prism check --build-times`: which targets and files took the last build's time, from ninja's log.

Seconds are the durations of ninja's edges, summed over parallel jobs. An edge that ccache answered counts with its short duration. For
comparable figures use an empty build folder, CCACHE_DISABLE=1, and run nothing else.
"""
import collections
import json
import pathlib
import re


def edges(log):
    """output -> seconds of its last build."""
    lines = [line.split("\t") for line in log.read_text().splitlines() if not line.startswith("#")]
    return {fields[3]: (int(fields[1]) - int(fields[0])) / 1000 for fields in lines if len(fields) == 5}


def target_of(output):
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    return found[1] if found else "linked and generated"


def repeated(commands):
    """(number of objects, number of objects whose source file has another object)."""
    files = collections.Counter(one["file"] for one in json.loads(commands.read_text()))
    return files.total(), files.total() - len(files)


def table(build, rows=20):
    taken = edges(build / ".ninja_log")
    targets, counts = collections.Counter(), collections.Counter()
    for output, seconds in taken.items():
        targets[target_of(output)] += seconds
        counts[target_of(output)] += 1
    objects, repeats = repeated(build / "compile_commands.json")
    lines = [f"{sum(taken.values()):8.0f} s in {len(taken)} edges; {objects} objects, {repeats} of them from a file that has another object",
             "", " seconds  outputs  target"]
    lines += [f"{seconds:8.1f} {counts[name]:8}  {name}" for name, seconds in targets.most_common(rows)]
    lines += ["", " seconds  slowest"]
    lines += [f"{seconds:8.1f}  {output}" for output, seconds in collections.Counter(taken).most_common(rows // 2)]
    return "\n".join(lines)


def show(build):
    build = pathlib.Path(build)
    for name in (".ninja_log", "compile_commands.json"):
        if not (build / name).exists():
            print(f"check: {build} has no {name}, so nothing was built there with Ninja: ./prism build, or PRISM_BUILD_DIR=FOLDER")
            return 1
    print(table(build))
    return 0
