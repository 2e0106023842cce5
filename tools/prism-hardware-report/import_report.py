"""Puts a hardware report into the documents: docs/hardware/NAME.md, and a row of docs/hardware/index.md for each device.

usage: import_report.py ROOT REPORT.json

report.md is expected in the same folder. A report of the same devices and drivers replaces the one before.
"""
import json
import pathlib
import re
import sys

HEAD = """# Hardware

One report for each machine on which [`prism-hardware-report`](../hardware-report.md) ran. `./prism bench --import REPORT.json`
writes this page.

| device | driver | tests passed | failed | triad GB/s | launch and wait us | report |
|---|---|---:|---:|---:|---:|---|
"""


def figure(results, name):
    values = [f["value"] for r in results for f in r.get("figures", []) if f["name"].startswith(name)]
    return f"{values[0]:.4g}" if values else ""


def devices(report):
    """(id, name, driver) of each device that ran something."""
    ran = {r["device"] for r in report["results"] if r["verdict"] != "no time"}
    for backend in (report["prism_info"] or {"backends": []})["backends"]:
        for d in backend["devices"]:
            if (id_ := f"{backend['name']}:{d['index']}") in ran:
                yield id_, d["name"], d["driver_version"]


def rows(report, page):
    for id_, name, driver in devices(report):
        results = [r for r in report["results"] if r["device"] == id_]
        count = {v: sum(r["verdict"] == v for r in results) for v in ("passed", "failed")}
        text = name.replace("|", "\\|")
        yield (f"| `{id_}` {text} | {driver.replace('|', chr(92) + '|')} | {count['passed']} | {count['failed']} | {figure(results, 'triad')} | "
               f"{figure(results, 'launch and wait')} | [{page}]({page}) |\n")


def page_name(report):
    """From the first device that is no processor of this machine, else the first."""
    names = [name for id_, name, driver in devices(report)]
    others = [name for id_, name, driver in devices(report) if not id_.startswith("host:")]
    return re.sub(r"[^a-z0-9]+", "-", (others or names)[0].lower()).strip("-") + ".md"


def main(root, file):
    try:
        report = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"bench --import: {file} cannot be read: {error}")
    if not isinstance(report, dict) or report.get("schema") != "prism-hardware-report/1":
        sys.exit(f"bench --import: {file} is no report of prism-hardware-report")
    if not any(devices(report)):
        sys.exit(f"bench --import: no device ran anything in {file}")
    text = file.with_suffix(".md")
    if not text.exists():
        sys.exit(f"bench --import: {text} is missing; prism-hardware-report writes it together with {file.name}")
    folder = root / "docs/hardware"
    folder.mkdir(exist_ok=True)
    page = page_name(report)
    (folder / page).write_text(text.read_text())
    index = folder / "index.md"
    old = index.read_text() if index.exists() else HEAD
    kept = [line for line in old[len(HEAD):].splitlines(True) if f"]({page})" not in line] if old.startswith(HEAD) else []
    index.write_text(HEAD + "".join(sorted(kept + list(rows(report, page)))))
    print(f"docs/hardware/{page} and docs/hardware/index.md are written")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
