"""What a corpus costs to check: the table of `docs/scale.md`, from the measured rates.

    python benches/cost.py            prints the table
    python benches/cost.py --check    fails if the page has another one
    python benches/cost.py --write    puts it into the page
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "scale.md"

#: Megabytes per second of one core, by what a corpus consists of, as `benches/batch.py` of the validator measures them. What a document
#: costs besides its bytes makes small ones slower.
RATES = {"prose of 5 KB": 70.0, "prose of 2 KB": 40.0, "diagrams of 190 bytes": 6.0}

#: Dollars for an hour of one core.
PRICE = 0.04

#: What is checked, how many terabytes it has, and of what.
CORPORA = [
    ("The Stack v3, if every file were prose of 5 KB", 113.7, "prose of 5 KB"),
    ("The Stack v2, if every file were prose of 5 KB", 67.5, "prose of 5 KB"),
    ("Common Crawl, the extracted text of one crawl", 9.0, "prose of 5 KB"),
    ("10 billion diagrams of 190 bytes", 1.9, "diagrams of 190 bytes"),
    ("1 billion answers of 2 KB", 2.0, "prose of 2 KB"),
    ("1 million documents of 5 KB", 0.005, "prose of 5 KB"),
]

BEGIN, END = "<!-- cost: begin -->\n", "<!-- cost: end -->\n"


def duration(hours: float) -> str:
    """Hours, minutes or seconds, whichever reads best."""
    if hours >= 1:
        return f"{hours:,.1f} h"
    minutes = hours * 60
    return f"{minutes:.1f} min" if minutes >= 1 else f"{minutes * 60:.1f} s"


def table() -> str:
    """The table."""
    lines = [
        "| corpus | size | core-hours | on 100 cores | reading on 100 cores | at $0.04 per core-hour |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, terabytes, contents in CORPORA:
        rate = RATES[contents]
        hours = terabytes * 1e6 / rate / 3600
        size = f"{terabytes:g} TB" if terabytes >= 1 else f"{terabytes * 1000:g} GB"
        spent = f"{hours:,.0f}" if hours >= 10 else f"{hours:.2g}"
        price = f"${hours * PRICE:,.2f}" if hours * PRICE >= 0.01 else "under a cent"
        lines.append(f"| {name} | {size} | {spent} | {duration(hours / 100)} | {rate * 100 / 1000:g} GB/s | {price} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    text = PAGE.read_text("utf-8") if arguments else ""
    match = re.search(f"{re.escape(BEGIN)}(.*?){re.escape(END)}", text, re.DOTALL)
    if not arguments:
        print(table(), end="")
        return 0
    if match is None:
        print(f"{PAGE}: no table between the markers", file=sys.stderr)
        return 1
    if arguments == ["--write"]:
        PAGE.write_text(text[: match.start(1)] + table() + text[match.end(1) :], "utf-8")
        return 0
    if match.group(1) != table():
        print(f"{PAGE}: run benches/cost.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
