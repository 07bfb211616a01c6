"""Keep the figures of BENCHMARKS.md for every release, and draw how they change.

    python3 packaging/benchmarks.py store      # -> benchmarks/VERSION.json, from the tables of BENCHMARKS.md
    python3 packaging/benchmarks.py plot       # -> docs/images/benchmarks.svg, over all stored releases

Needs nothing but Python. A release is not complete without both (CONTRIBUTING.md).
"""

from __future__ import annotations

import json
import re
import runpy
import sys
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks"
PICTURE = ROOT / "docs" / "images" / "benchmarks.svg"

# What the plot follows: title, heading of the section, first cell of the row, column.
FOLLOWED = (
    ("One H200, 20 queries, geometric mean", "One H200", "geometric mean", "GCUPS, whole scan"),
    ("One H200, 500 mixed queries", "Many queries, small database", "500 mixed", "GCUPS"),
    ("Two H200, query of 5,478", "Two and four H200", "5478", "2 devices"),
    ("CPU engine, two cores, query of 4,985", "The CPU engine", "4,985", "engine"),
)
SHADES = ("#0B5CAD", "#C2410C", "#0F766E", "#7C3AED")


def version() -> str:
    """Return the release that is being worked on."""
    return str(runpy.run_path(str(ROOT / "swgui" / "version.py"))["RELEASE"]).partition(".dev")[0]


def sections(text: str) -> list[dict[str, Any]]:
    """Return the sections of a Markdown text: heading, words and tables."""
    found: list[dict[str, Any]] = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("#"):
            found.append({"heading": line.lstrip("# "), "words": "", "tables": []})
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not lines[at - 1].startswith("|"):
                found[-1]["tables"].append({"heads": cells, "rows": []})
            elif not set(line) <= set("|-: "):
                found[-1]["tables"][-1]["rows"].append(cells)
        elif line.strip():
            found[-1]["words"] = f"{found[-1]['words']} {line.strip()}".strip()
    return [section for section in found if section["tables"]]


def store() -> Path:
    """Write the figures of this version."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{version()}.json"
    content = {"version": version(), "sections": sections((ROOT / "BENCHMARKS.md").read_text("utf-8"))}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def figure(release: dict[str, Any], heading: str, row: str, column: str) -> float | None:
    """Return one figure of a release; None if it was not measured."""
    for section in release["sections"]:
        for table in section["tables"] if section["heading"] == heading else ():
            if column in table["heads"]:
                at = table["heads"].index(column)
                for cells in table["rows"]:
                    if cells[0] == row:
                        number = re.match(r"[\d,.]+", cells[at])
                        return float(number[0].replace(",", "")) if number else None
    return None


def releases() -> list[dict[str, Any]]:
    """Return all stored releases, oldest first."""
    stored = [json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")]
    return sorted(stored, key=lambda release: [int(part) for part in re.findall(r"\d+", release["version"])])


def plot() -> Path:
    """Draw every followed figure over the releases, each in a panel of its own from 0."""
    known = releases()
    width, height, left, top, bottom = 760, 150, 70, 34, 26
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height * len(FOLLOWED)}" '
        f'viewBox="0 0 {width} {height * len(FOLLOWED)}" font-family="sans-serif" font-size="12" role="img" '
        'aria-label="Speed of each release in GCUPS">',
        f'<rect width="{width}" height="{height * len(FOLLOWED)}" fill="#FFFFFF"/>',
    ]
    for panel, (title, *place) in enumerate(FOLLOWED):
        base, shade = panel * height, SHADES[panel % len(SHADES)]
        points = [(at, value) for at, release in enumerate(known) if (value := figure(release, *place)) is not None]
        most = max((value for _, value in points), default=1.0) * 1.15
        floor = base + height - bottom

        def across(at: int) -> float:
            return left + (width - left - 60) * (at + 0.5) / max(1, len(known))

        def down(value: float, floor: float = floor, most: float = most) -> float:
            return floor - (height - top - bottom) * value / most

        parts.append(
            f'<text x="{left}" y="{base + 20}" fill="#1B2330" font-weight="bold">{escape(title)}, GCUPS</text>'
        )
        parts.append(f'<line x1="{left}" y1="{floor}" x2="{width - 20}" y2="{floor}" stroke="#8A94A3"/>')
        parts.append(f'<text x="{left - 8}" y="{floor + 4}" fill="#556070" text-anchor="end">0</text>')
        for at, release in enumerate(known):
            name = escape(release["version"])
            parts.append(
                f'<text x="{across(at):.0f}" y="{floor + 18}" fill="#556070" text-anchor="middle">{name}</text>'
            )
        line = " ".join(f"{across(at):.1f},{down(value):.1f}" for at, value in points)
        if len(points) > 1:
            parts.append(f'<polyline points="{line}" fill="none" stroke="{shade}" stroke-width="2"/>')
        for at, value in points:
            x, y = across(at), down(value)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{shade}"/>')
            parts.append(f'<text x="{x + 9:.1f}" y="{y + 4:.1f}" fill="#1B2330">{value:,.10g}</text>')
    PICTURE.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")
    return PICTURE


def main() -> int:
    """Carry out the arguments; return the exit status."""
    tasks = {"store": store, "plot": plot}
    if len(sys.argv) != 2 or sys.argv[1] not in tasks:
        print(__doc__)
        return 2
    print(tasks[sys.argv[1]]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
