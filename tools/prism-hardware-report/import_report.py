"""Puts a hardware report into the documents: docs/hardware/NAME.md, a row of docs/hardware/index.md for each device, and both
in the lists of pages.

usage: import_report.py ROOT REPORT.json

A report of the same devices replaces the one before. The page is written from the JSON alone; paths of the machine do not
get into it.
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
VERDICTS = ("passed", "failed", "skipped", "no time")
MEASURED = ("bandwidth", "bench")
# What a line of a failed program's output says, most telling first.
REASONS = [re.compile(text) for text in (
    r"prism: asynchronous error: (.*)", r"what\(\): +(.*)", r'exception with description "(.*)" thrown', r"prism-[a-z]+: (.*)",
    r"^(?:FAILED|DIFFERS):? (.*)", r"^\S+:\d+: Failure$")]
LONGEST_REASON = 180
MOST_TESTS = 6


def without_paths(text):
    return re.sub(r"(?<![\w.])/(?:[\w.+:@-]+/)+", "", text.replace("../", ""))


def cell(text):
    """Text inside a cell of a table, without the machine's paths."""
    return without_paths(text).replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    """A table, or nothing without rows. A head that ends with a colon is of a column of numbers."""
    if not rows:
        return ""
    lines = ["| " + " | ".join(h.rstrip(":") for h in head) + " |",
             "|" + "|".join("---:" if h.endswith(":") else "---" for h in head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(cell(str(c)) for c in row) + " |" for row in rows]) + "\n"


def figure(results, name):
    values = [f["value"] for r in results for f in r.get("figures", []) if f["name"].startswith(name)]
    return f"{values[0]:.4g}" if values else ""


def devices(report):
    """(id, the device's description) of each that ran something, hardware first."""
    ran = {r["device"] for r in report["results"] if r["verdict"] != "no time"}
    found = [(f"{backend['name']}:{d['index']}", d) for backend in (report["prism_info"] or {"backends": []})["backends"]
             for d in backend["devices"]]
    return sorted((one for one in found if one[0] in ran), key=lambda one: one[1].get("type") != "gpu")


def results_of(report, device):
    return [r for r in report["results"] if r["device"] == device]


def tests_of(report, device):
    return [r for r in results_of(report, device) if r["subject"] not in MEASURED]


def index_rows(report, page):
    for device, d in devices(report):
        count = {v: sum(r["verdict"] == v for r in tests_of(report, device)) for v in VERDICTS}
        results = results_of(report, device)
        yield (f"| `{device}` {cell(d['name'])} | {cell(d['driver_version'])} | {count['passed']} | {count['failed']} | "
               f"{figure(results, 'triad')} | {figure(results, 'launch and wait')} | [{page}]({page}) |\n")


def reason_of(result):
    """Why a program failed, in one line: what its output says, after how it ended."""
    lines = result.get("output", "").splitlines()
    if "did not end" in result["reason"]:
        running = [line.split()[-1] for line in lines if line.startswith("[ RUN ")]
        return result["reason"] + (f", in `{running[-1]}`" if running else "")
    for pattern in REASONS:
        for at, line in enumerate(lines):
            if not (found := pattern.search(line)):
                continue
            said = found[1] if pattern.groups else line + " " + " ".join(x.strip() for x in lines[at + 1:at + 5] if not x.startswith("["))
            said = without_paths(said)
            return f"{result['reason']}: " + (said if len(said) <= LONGEST_REASON else said[:LONGEST_REASON - 3] + "...")
    return result["reason"]


def machine(report):
    wanted = ("processor", "memory", "system")
    lines = [f"- {name}: {report['machine'][name]}\n" for name in wanted if name in report.get("machine", {})]
    lines += [f"- {cell(note)}\n" for note in report.get("notes", [])]
    rows = [[f"`{device}`", d["name"], d["platform"]["name"], d["driver_version"], d["platform"].get("version", d.get("version", ""))]
            for device, d in devices(report)]
    return "## Machine\n\n" + "".join(lines) + "\n" + table(["device", "name", "platform", "driver", "interface"], rows)


def tests(report):
    rows = []
    for device, _ in devices(report):
        by_subject = {}
        for r in tests_of(report, device):
            by_subject.setdefault(r["subject"], []).append(r)
        for subject, all_of in by_subject.items():
            rows.append([f"`{device}`", subject] + [sum(r["verdict"] == v for r in all_of) for v in VERDICTS] +
                        [f"{sum(r['seconds'] for r in all_of):.0f}"])
    return ("## Tests\n\nPrograms, each with many tests. `skipped`: the program says that the device lacks what it needs; `no time`: the "
            "report's minutes were over.\n\n" + table(["device", "subject", *(v + ":" for v in VERDICTS), "seconds:"], rows)) if rows else ""


def failures(report):
    rows = []
    for device, _ in devices(report):
        for r in results_of(report, device):
            if r["verdict"] == "failed":
                names = r.get("failed_tests", [])
                more = f" and {len(names) - MOST_TESTS} more" if len(names) > MOST_TESTS else ""
                rows.append([f"`{device}`", f"`{r['program']}`", ", ".join(f"`{t}`" for t in names[:MOST_TESTS]) + more, reason_of(r)])
    if not rows:
        return "## What fails\n\nNothing.\n"
    return ("## What fails\n\n`PRISM_DEVICE_SELECTOR=DEVICE PROGRAM --gtest_filter=TEST` repeats a failure.\n\n" +
            table(["device", "program", "tests", "why"], rows))


def figures(report):
    shown = [device for device, _ in devices(report) if any(r.get("figures") for r in results_of(report, device))]
    by_name = {}
    for device in shown:
        for r in results_of(report, device):
            for f in r.get("figures", []):
                by_name.setdefault((f["name"], f["unit"]), {})[device] = f"{f['value']:.4g}"
    rows = [[name, unit] + [values.get(device, "") for device in shown] for (name, unit), values in by_name.items()]
    return "## Figures\n\n" + table(["figure", "unit", *(f"`{device}`:" for device in shown)], rows) if rows else ""


def seconds(value):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if abs(value) * factor >= 1:
            break
    return f"{value * factor:.3g} {unit}"


def goal(row):
    wanted = row.get("goal")
    if not wanted:
        return ""
    limit = f"{wanted['limit']:.2f}" if wanted["what"] == "ratio" else (
        f"theirs + {seconds(wanted['limit'])}" if wanted["what"] == "excess_s" else seconds(wanted["limit"]))
    return ("met: " if wanted["met"] else "missed: ") + limit


def compared(row):
    wall = row["wall"]
    ratio = wall["ratio"]
    return [row["theirs"], seconds(wall["ours_s"]["median"]), seconds(wall["theirs_s"]["median"]),
            f"{ratio['median']:.2f} [{ratio['q1']:.2f} {ratio['q3']:.2f}]", goal(row)]


def traffic(row):
    """GB/s of a row that names its traffic."""
    found = re.search(r"(\d+) MiB of traffic", row["ours"])
    return f"{int(found[1]) * 2**20 / row['wall']['ours_s']['median'] * 1e-9:.0f} GB/s" if found else ""


def row_of(bench, name):
    return next((row["wall"] for row in bench["rows"] if row["name"] == name), None)


def goals(report):
    """What issue 36 wants of a GPU, and what each device reached; devices without such rows are left out."""
    columns = {}
    for device, _ in devices(report):
        for bench in (r["bench"] for r in results_of(report, device) if r.get("bench")):
            means = {m["theirs"]: m["wall_ratio"] for m in bench["kernel_geomeans"]}
            by_hand = next((ratio for theirs, ratio in means.items() if theirs in ("hand-written OpenCL C", "hand-written GLSL")), None)
            cuda, triad = means.get("hand-written CUDA C"), row_of(bench, "large triad, copy")
            launch = row_of(bench, "usm")
            columns[device] = [f"{by_hand:.2f}" if by_hand else "", f"{1 / cuda:.2f}" if cuda else "",
                               f"{1 / triad['ratio']['median']:.2f}" if triad else "",
                               f"{launch['excess_s']['median'] * 1e6:+.1f} us" if launch else ""]
    columns = {device: values for device, values in columns.items() if any(values)}
    wanted = ("the kernels' time over that of hand-written kernels on the same driver: at most 1.05",
              "the kernels' speed over that of hand-written CUDA C: at least 0.90",
              "triad's bandwidth over that of a copy by CUDA: at least 0.90",
              "the time to submit a launch over that of the driver's own calls: at most +2 us")
    rows = [[name] + [values[at] for values in columns.values()] for at, name in enumerate(wanted)]
    return "## Goals\n\n" + table(["goal", *(f"`{device}`:" for device in columns)], rows) if columns else ""


def against(report):
    """One section for each device that has rows against others' code."""
    text = ""
    head = ["against", "ours:", "theirs:", "ratio:", "goal"]
    for device, d in devices(report):
        for r in results_of(report, device):
            bench = r.get("bench")
            if not bench:
                continue
            rows = [row for row in bench["rows"] if row["device"] != "host threads"]
            kernels = [[row["name"], *compared(row)] for row in rows if row["subject"] in ("kernels", "cuda") or row["name"] == "triad"]
            rest = [[f"{row['subject']}: {row['name']}", f"{row['ours']} {traffic(row)}".strip(), *compared(row)]
                    for row in rows if row["subject"] not in ("kernels", "cuda") and row["name"] != "triad"]
            text += (f"## `{device}` against others' code\n\n" +
                     "".join(f"- geometric mean over {m['kernels']} kernels against {m['theirs']}: {m['wall_ratio']:.3f} of its time "
                             f"({'met' if m['met'] else 'missed'}: {m['limit']:.2f})\n" for m in bench["kernel_geomeans"]) +
                     "".join(f"- {'failed' if gap['failed'] else 'left out'}: {gap['subject']}: {cell(gap['reason'])}\n"
                             for gap in bench["skipped"] if gap["subject"] != "all" and gap["device"] not in ("null device", "host threads")) +
                     "\n" + table(["kernel", *head], sorted(kernels)) + "\n" + table(["row", "of PRISM", *head], rest) + "\n")
    return ("Times are medians of alternating runs in one process; ratio: ours / theirs, median and quartiles; below 1 PRISM is faster.\n\n" +
            text) if text else ""


def page_title(report):
    """The first device that is no processor of this machine, else the first."""
    names = [d["name"] for device, d in devices(report)]
    others = [d["name"] for device, d in devices(report) if not device.startswith("host:")]
    return (others or names)[0]


def page_text(report):
    name = page_title(report)
    version = (report["prism_info"] or {}).get("prism_version", "")
    summary = []
    for device, d in devices(report):
        ran = [r for r in tests_of(report, device) if r["verdict"] in ("passed", "failed")]
        summary.append(f"`{device}` ({cell(d['platform']['name'])}) passes {sum(r['verdict'] == 'passed' for r in ran)} of {len(ran)} test programs")
    parts = [f"# {cell(name)}\n\nPRISM {version} on this machine, by [`prism-hardware-report`](../hardware-report.md) in "
             f"{report['seconds'] / 60:.1f} minutes: {'; '.join(summary)}.\n",
             machine(report), goals(report), tests(report), failures(report), figures(report), against(report)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def page_name(report):
    return re.sub(r"[^a-z0-9]+", "-", page_title(report).lower()).strip("-") + ".md"


def list_pages(root, page, about):
    """Lists the pages of hardware after that of the report, in the index and in the site's navigation, once."""
    pages = (("hardware/index.md", "the machines on which the hardware report ran"), (f"hardware/{page}", about))
    for file, mark, lines in (
            ("docs/index.md", "| [hardware-report.md](hardware-report.md) |", [f"| [{name}]({name}) | {text} |\n" for name, text in pages]),
            ("tools/site/mkdocs.yml", "      - hardware-report.md\n", [f"      - {name}\n" for name, _ in pages])):
        path = root / file
        text = path.read_text().splitlines(True)
        known = max((at for at, line in enumerate(text) if line.startswith(mark) or "hardware/" in line), default=None)
        if known is None:
            sys.exit(f"bench --import: {file} does not list hardware-report.md")
        path.write_text("".join(text[:known + 1] + [line for line in lines if line not in text] + text[known + 1:]))


def main(root, file):
    try:
        report = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"bench --import: {file} cannot be read: {error}")
    if not isinstance(report, dict) or report.get("schema") != "prism-hardware-report/1":
        sys.exit(f"bench --import: {file} is no report of prism-hardware-report")
    if not devices(report):
        sys.exit(f"bench --import: no device ran anything in {file}")
    folder = root / "docs/hardware"
    folder.mkdir(exist_ok=True)
    page = page_name(report)
    (folder / page).write_text(page_text(report))
    index = folder / "index.md"
    old = index.read_text() if index.exists() else HEAD
    kept = [line for line in old[len(HEAD):].splitlines(True) if f"]({page})" not in line] if old.startswith(HEAD) else []
    index.write_text(HEAD + "".join(sorted(kept + list(index_rows(report, page)))))
    list_pages(root, page, f"what passes on {page_title(report)}, what fails and why, ratios against hand-written code and CUDA")
    print(f"docs/hardware/{page} and docs/hardware/index.md are written, and listed in docs/index.md and tools/site/mkdocs.yml")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
