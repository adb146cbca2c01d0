"""The report of a run as a page: one file, without scripts, which opens anywhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLE = """
:root { color-scheme: light dark; --bar: #3b6fb6; --text: #1d2430; --soft: #5c6675; --line: #d9dee6; --page: #ffffff }
@media (prefers-color-scheme: dark) {
  :root { --bar: #6f9fe0; --text: #e6e9ee; --soft: #a3adbb; --line: #343c48; --page: #14181e }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; padding: 0; list-style: none }
.figures b { display: block; font-size: 1.4rem }
.figures span, caption, th { color: var(--soft) }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
td.number { text-align: right; white-space: nowrap } svg text { fill: var(--text); font: 13px system-ui, sans-serif }
svg rect { fill: var(--bar) } svg .soft { fill: var(--soft) }
"""

#: Bars of a chart; the others are added up.
_BARS = 20


def page(report: Mapping[str, Any]) -> str:
    """The page of a report."""
    documents = report["documents"]
    figures = [
        ("documents", f"{documents:,}"),
        ("valid", _share(report["valid"], documents)),
        ("invalid", _share(report["invalid"], documents)),
        ("not validated", f"{report['not_validated']:,}"),
        ("read", f"{report['bytes'] / 1e6:,.1f} MB"),
    ]
    if report["seconds"]:
        figures.append(("rate", f"{documents / report['seconds']:,.0f} documents/s"))
    state = "" if report["complete"] else f"<p><b>Not complete:</b> {report['units']['missing']} units are missing.</p>"
    sections = [
        _chart("Diagnostics by rule", {_rule(report, rule): count for rule, count in report["by_rule"].items()}),
        _chart("Documents by kind", report["by_kind"]),
        _chart("Invalid documents by kind", report["invalid_by_kind"]),
        _chart("Invalid documents by source", report["invalid_by_source"]),
        _chart("Documents that were not validated", report["by_error"]),
        _samples(report["samples"]),
        _table("Slowest documents", ["id", "source", "ms"], _slowest(report["slowest"])),
        _table("Not validated", ["id", "source", "error"], _poisoned(report["poisoned"])),
    ]
    list_ = "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in figures)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Proofmark: {documents:,} documents</title><style>{_STYLE}</style></head><body>"
        f'<h1>{documents:,} documents checked</h1>{state}<ul class="figures">{list_}</ul>'
        f"{''.join(sections)}"
        f"<p class=\"soft\">Proofmark {escape(report['proofmark'])}, rules {escape(report['ruleset'])}</p></body></html>\n"
    )


def _rule(report: Mapping[str, Any], rule: str) -> str:
    """The id of a rule with its name."""
    name = report["rules"].get(rule)
    return f"{rule} {name}" if name else rule


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.1%})" if whole else "0"


def _chart(title: str, counts: Mapping[str, int]) -> str:
    """A bar for each of the largest counts."""
    ordered = sorted(((name, count) for name, count in counts.items() if count), key=lambda pair: (-pair[1], pair[0]))
    if not ordered:
        return ""
    shown, others = ordered[:_BARS], sum(count for _, count in ordered[_BARS:])
    if others:
        shown = [*shown, (f"{len(ordered) - _BARS} others", others)]
    largest, row, left, width = max(count for _, count in shown), 24, 260, 520
    bars = []
    for number, (name, count) in enumerate(shown):
        top, length = number * row, max(1, round(count / largest * width))
        label = name if len(name) <= 36 else f"…{name[-35:]}"
        bars.append(
            f'<text x="{left - 10}" y="{top + 16}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{left}" y="{top + 4}" width="{length}" height="{row - 8}" rx="2"><title>{escape(name)}</title></rect>'
            f'<text class="soft" x="{left + length + 8}" y="{top + 16}">{count:,}</text>'
        )
    height = len(shown) * row
    return (
        f'<h2>{escape(title)}</h2><svg role="img" aria-label="{escape(title)}" '
        f'viewBox="0 0 {left + width + 110} {height}" width="100%">{"".join(bars)}</svg>'
    )


def _table(title: str, heads: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h2>{escape(title)}</h2><table><tr>{head}</tr>{body}</table>"


def _samples(samples: Mapping[str, list[Mapping[str, Any]]]) -> str:
    rows = [
        [rule, one["severity"], f"{one['id']}, line {one['line']}", one["message"]]
        for rule, of_rule in samples.items()
        for one in of_rule
    ]
    return _table("Samples of each finding", ["rule", "severity", "document", "message"], rows)


def _slowest(rows: list[Mapping[str, Any]]) -> list[list[str]]:
    return [[row["id"], row["source"], f"{row['micros'] / 1000:,.1f}"] for row in rows]


def _poisoned(rows: list[Mapping[str, Any]]) -> list[list[str]]:
    return [[row["id"], row["source"], row["error"]] for row in rows]
