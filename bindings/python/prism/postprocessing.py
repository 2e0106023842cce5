"""Reports for people.

    print(prism.postprocessing.generate_report(variants))
    prism.postprocessing.generate_report(variants, "report.html", stages=pipeline.report)"""
import html
import os

from . import _given as given

# The first group that the significance begins with.
_GROUPS = (("pathogenic", ("Pathogenic",)), ("likely pathogenic", ("Likely pathogenic",)), ("uncertain", ("Uncertain", "Conflicting")),
           ("likely benign", ("Likely benign",)), ("benign", ("Benign",)), ("other", ("",)))
_HEAD = ("change", "gene", "disease", "genotype", "reads", "quality")


def _by_significance(variants):
    """[(group, [variant])] of the groups that have variants, the most serious first."""
    groups = {name: [] for name, _ in _GROUPS} | {"not listed": []}
    for each in variants:
        name = next(name for name, begins in _GROUPS if each.significance.startswith(begins)) if each.significance else "not listed"
        groups[name].append(each)
    return [(name, some) for name, some in groups.items() if some]


def _cells(v):
    return (f"{v.chromosome}:{v.position} {v.before} > {v.after}", v.gene, v.disease, v.genotype, f"{v.support} of {v.depth}", f"{v.quality:.0f}")


def _stage_rows(report):
    """[(stage, device, items, seconds)] of a PipelineReport, and the name of the slowest stage."""
    rows = [(s.name, ", ".join(s.devices), str(s.items), f"{s.busy:.3f}") for s in report.stages]
    return rows, max(report.stages, key=lambda s: s.busy / s.places).name


def _text(variants, stages):
    lines = [f"variants: {len(variants)}"]
    for name, some in _by_significance(variants):
        lines.append(f"{name}: {len(some)}")
        lines += ["  " + "  ".join(filter(None, _cells(each))) for each in some]
    if stages:
        lines += ["stages"] + [f"  {name}  {device}  {items} items  {busy} s" for name, device, items, busy in stages[0]]
        lines.append(f"the bottleneck is {stages[1]}")
    return "\n".join(lines) + "\n"


def _table(head, rows):
    def row(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(each)}</{tag}>" for each in cells) + "</tr>\n"
    return "<table>\n" + row("th", head) + "".join(row("td", each) for each in rows) + "</table>\n"


def _page(variants, stages):
    out = ("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Variants</title>\n<style>body{font:15px/1.4 sans-serif;"
           "max-width:60rem;margin:2rem auto}td,th{text-align:left;padding:.2rem .8rem .2rem 0}</style>\n</head>\n<body>\n"
           f"<h1>Variants: {len(variants)}</h1>\n")
    for name, some in _by_significance(variants):
        out += f"<h2>{name}: {len(some)}</h2>\n" + _table(_HEAD, map(_cells, some))
    if stages:
        out += "<h2>Stages</h2>\n" + _table(("stage", "device", "items", "seconds"), stages[0])
        out += f"<p>The bottleneck is {html.escape(stages[1])}.</p>\n"
    return out + "</body>\n</html>\n"


def generate_report(variants, file=None, *, stages=None):
    """The report as a text: variants by significance, and the stages of a pipeline with the slowest one.

    variants: of prism.genomics. file: also written there; a name that ends in .html gives a page. stages: the report of a pipeline."""
    variants = given.several(variants, "generate_report: variants")
    if not all(hasattr(each, "significance") for each in variants):
        raise TypeError(f"generate_report takes the variants of call_variants, not {given.shown(variants)}")
    if stages is not None and not hasattr(stages, "stages"):
        raise TypeError(f"generate_report: stages is the report of a pipeline, not {given.shown(stages)}")
    rows = _stage_rows(stages) if stages is not None and stages.stages else None
    text = _text(variants, rows)
    if file is not None:
        with open(given.path(file, "generate_report: file"), "w", encoding="utf-8") as out:
            out.write(_page(variants, rows) if os.fspath(file).endswith(".html") else text)
    return text
