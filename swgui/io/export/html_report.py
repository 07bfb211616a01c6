"""A report as one HTML file: tables that can be sorted, drawings, alignments, links.

It has no scripts and loads nothing from anywhere; light and dark are the reader's choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, TextIO

import numpy as np

from swgui.core.headers import header_of
from swgui.core.hits.along_query import CLASS_COLOURS, SCORE_CLASSES, axis_marks
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit, HitTable
from swgui.core.verdict.answers import search_answer
from swgui.core.verdict.hits import judge
from swgui.core.verdict.queries import judge_query, significant_alignments
from swgui.core.words import count
from swgui.io.cells import clean_text, fact_text
from swgui.io.export.along import bars_of
from swgui.io.export.base import ExportOptions
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.export.grouping import tables_by_query
from swgui.io.export.provenance import provenance
from swgui.io.export.text import pairwise_text
from swgui.io.marks import STAR_SIGN
from swgui.io.methods.searches import paragraph

MAX_DRAWN: Final = 50  # hits drawn: what fits a screen
_WIDTH, _LEFT, _HEAD, _ROW, _BAR = 1000, 170, 44, 15, 11
_MARKS: Final = 12  # numbers on the axis
_NAME: Final = 22  # letters of a name
_SHADES: Final = tuple(f".c{number}" for number in range(len(SCORE_CLASSES)))

PICTURE_STYLE: Final = "".join(
    [
        "svg.along { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: currentColor; }\n",
        "svg.along .axis { stroke: currentColor; stroke-width: 2; }\n",
        *(f"{name} {{ fill: {shade}; }}\n" for name, shade in zip(_SHADES, CLASS_COLOURS[False], strict=True)),
        "@media (prefers-color-scheme: dark) {\n",
        *(f"{name} {{ fill: {shade}; }}\n" for name, shade in zip(_SHADES, CLASS_COLOURS[True], strict=True)),
        "}\n",
    ]
)
_WIDTHS: Final = {"sseqid": "fit-content(12rem)", "stitle": "minmax(20rem, 1fr)", "rank": "min-content"}
_SORTED_STYLE: Final = """
table { display: grid; }
thead, tbody, tr { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; }
th input { position: absolute; opacity: 0; }
thead tr { align-items: end; }
th label { cursor: pointer; }
th label:hover, th label:focus-within { text-decoration: underline; }
th label:has(:checked)::after { content: " \\25BE"; }
"""
_TABLE: Final = (
    "rank", "sseqid", "stitle", "database", "score", "bitscore", "evalue", "verdict", "pident", "qcovhsp", "scovhsp",
    "sstrand",
)  # fmt: skip
_OF_SEVERAL: Final = ("n_hsps", "sum_evalue")
_OF_MARKED: Final = ("star", "note")  # only where some hit has one
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: Canvas; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n { white-space: nowrap; }
td.id { min-width: 8.5rem; overflow-wrap: anywhere; }
td i { display: block; }
h2 { margin-bottom: 0; }
h2 + p { margin-top: 0; opacity: .75; }
.hit { margin: 1.5rem 0; }
.along { margin-bottom: .75rem; }
.hit p, .hit pre { margin: .3rem 0; }
.out { font-size: .85em; }
pre { font: 13px/1.35 ui-monospace, monospace; overflow-x: auto; padding: .6rem; border: 1px solid #8886; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { opacity: .75; } dd { margin: 0; }
@media (max-width: 60rem) { .wide { overflow-x: auto; } }
@media print {
  body { font-size: 11px; margin: 0; max-width: none; }
  td.id { min-width: 5rem; }
  tr, .hit, .along { break-inside: avoid; }
  h2, h2 + p, h2 + p + p, .hit p { break-after: avoid; }
  /* In the order of the search rows are those of a table: its head is repeated on every page. */
  table:has([value=rank]:checked) { display: table; width: 100%; border-collapse: collapse; }
  table:has([value=rank]:checked) thead { display: table-header-group; }
  table:has([value=rank]:checked) tbody { display: table-row-group; }
  table:has([value=rank]:checked) tr { display: table-row; }
  table:has([value=rank]:checked) .n { width: 1%; }
  th { position: static; vertical-align: bottom; }
  pre { font-size: 10px; overflow: visible; white-space: pre-wrap; }
  .out { display: none; }
  details::details-content { content-visibility: visible; display: block; }
  summary { list-style: none; font-weight: 600; }
}
"""
_NOTHING_FROM_ELSEWHERE: Final = "default-src 'none'; style-src 'unsafe-inline'"


def picture(group: Sequence[Hit], length: int, first: int) -> str:
    """Return a drawing of the best hits of a query as SVG: a row each, a bar for each alignment, darker for more bits.

    Parameters
    ----------
    group : sequence of Hit
        Those of one query, in order; hits without an alignment are left out.
    length : int
        Residues of the query.
    first : int
        Number of the first hit in the page, for links.

    Returns
    -------
    str
        Empty where there is nothing to draw.
    """
    rows = [(first + index, hit) for index, hit in enumerate(group) if hit.alignment is not None]
    if not rows:
        return ""
    shown = rows[:MAX_DRAWN]
    height = _HEAD + _ROW * len(shown) + (_ROW if len(rows) > MAX_DRAWN else 0)
    label = f"Where {count(len(shown), 'hit lies', 'hits lie')} along the query"
    opening = f'<svg class="along" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">'
    parts = [opening, *_head(group, length)]
    for place, (number, hit) in enumerate(shown):
        parts += _row(hit, _HEAD + _ROW * place, length, number)
    if len(rows) > MAX_DRAWN:
        parts.append(f'<text x="0" y="{height - 4}">The other {len(rows) - MAX_DRAWN:,} are in the table.</text>')
    return "\n".join([*parts, "</svg>\n"])


def _x(position: float, length: int) -> float:
    """Return the place of the left edge of a residue, counted from 1."""
    return _LEFT + (_WIDTH - _LEFT) * (position - 1) / max(length, 1)


def _head(group: Sequence[Hit], length: int) -> list[str]:
    """Return the legend and the axis."""
    with_bits = any(not np.isnan(hit.bit_score) for hit in group)
    parts = [f'<text x="0" y="11">{"bits" if with_bits else "score"}</text>']
    for number, (_, words, _) in enumerate(SCORE_CLASSES):
        x = _LEFT + 130 * number
        parts.append(f'<rect class="c{number}" x="{x}" y="1" width="16" height="{_BAR}"/>')
        parts.append(f'<text x="{x + 21}" y="11">{words}</text>')
    y = _HEAD - 6
    parts.append(f'<text x="0" y="{y - 4}">query</text><path class="axis" d="M{_LEFT} {y}H{_WIDTH}"/>')
    for mark in axis_marks(length, _MARKS):
        anchor, shift = {length: ("end", 1.0), 1: ("start", 0.0)}.get(mark, ("middle", 0.5))
        tick = _x(mark + shift, length)
        parts.append(f'<text x="{tick:.1f}" y="{y - 4}" text-anchor="{anchor}">{mark:,}</text>')
    return parts


def _row(hit: Hit, top: int, length: int, number: int) -> list[str]:
    name = clean_text(header_of(hit.subject).name)
    short = name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
    parts = [f'<a href="#hit{number}"><title>{escape(clean_text(hit.subject.header))}</title>']
    parts.append(f'<text x="0" y="{top + _BAR}">{escape(short)}</text>')
    for bar in bars_of(hit):
        x, y, thickness = _x(bar.start, length), top + 1 + _BAR * bar.top, _BAR * bar.height
        width = max(_x(bar.end + 1, length) - x, 1)
        parts.append(
            f'<rect class="c{bar.shade}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{thickness:.1f}"/>'
        )
    return [*parts, "</a>"]


def order_rules(columns: Sequence[Column]) -> str:
    """Return the rules that put rows in the order of the column whose button is pressed."""
    rule = 'table:has(input[value="{0}"]:checked) tbody tr {{ order: var(--{0}); }}\n'
    return "".join(rule.format(column.key) for column in columns)


def column_widths(columns: Sequence[Column]) -> str:
    """Return the widths of a table's columns: texts get what is left."""
    return " ".join(_WIDTHS.get(column.key, "fit-content(6rem)") for column in columns)


def sort_button(column: Column, table: int) -> str:
    """Return the head of a column: its name, as a button in a table."""
    pressed = " checked" if column.key == "rank" else ""
    button = f'<input type="radio" name="sort{table}" value="{column.key}"{pressed}>'
    return f'<label title="{escape(column.description)}">{button}{escape(column.heading)}</label>'


def texts_of(column: Column, tables: Sequence[HitTable]) -> list[str]:
    """Return the cells of a column, one per hit."""
    return [text for table in tables for text in np.array(column.texts(table), dtype=object)[table.first].tolist()]


def places_in_orders(columns: Sequence[Column], tables: Sequence[HitTable]) -> list[str]:
    """Return the places of every hit in all orders, as the properties that `order_rules` looks at.

    Numbers are sorted by value, where more is better from the top, unknown ones last; texts by their letters. Equal
    ones keep the order of the search.
    """
    made = [""] * sum(map(len, tables))
    for column in columns:
        if column.kind == "text":
            texts = [text.casefold() for text in texts_of(column, tables)]
            order = sorted(range(len(made)), key=texts.__getitem__)
        else:
            sign = 1 if column.kind == "evalue" or column.key == "rank" else -1
            numbers = [sign * number for t in tables for number in column.numbers(t)[t.first].tolist()]
            order = sorted(range(len(made)), key=lambda row: (numbers[row] != numbers[row], numbers[row]))
        for place, row in enumerate(order):
            made[row] += f"--{column.key}:{place};"
    return made


def write_html(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the search, a table of hits per query, and their alignments; all texts escaped."""
    absent = left_out(result)
    chosen = [HIT_COLUMNS[key] for key in (*_TABLE, *_OF_SEVERAL, *_OF_MARKED) if key not in absent]
    title = escape(f"Search of {clean_text(result.database.name)}")
    file.write(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_FROM_ELSEWHERE}">\n<title>{title}</title>\n'
        f"<style>{_STYLE}{_SORTED_STYLE}{order_rules(chosen)}{PICTURE_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
    _write_answer(result, file)
    _write_facts(result, file)
    places = {id(query): place for place, query in enumerate(result.queries)}
    number = 0
    for of_query, tables in tables_by_query(result, hits):
        group = [hit for table in tables for hit in table.hits()]
        verdict = judge_query(of_query, significant_alignments(group))
        name = _text(header_of(of_query.query).name)
        file.write(f'<h2 id="query{places[id(of_query)]}">{name}</h2>\n<p>{_text(of_query.query.header)}</p>\n')
        listed = listed_here(of_query, len(group))
        file.write(f"<p>{count(len(of_query.query.residues), result.search.query_alphabet.letter)}, {listed}. ")
        file.write(f"<strong>{_text(verdict)}</strong></p>\n")
        if group:
            file.write(picture(group, len(of_query.query.residues), number))
            several = any(len(hit.hsps) > 1 for hit in group)
            idle = set() if several else set(_OF_SEVERAL)
            idle |= {key for key in _OF_MARKED if not any(getattr(hit, key) for hit in group)}
            _write_table([one for one in chosen if one.key not in idle], tables, number, file)
            for offset, hit in enumerate(group):
                file.write(f'<section class="hit" id="hit{number + offset}">\n<p>{_text(judge(hit, result))}</p>\n')
                file.write(f"<pre>{escape(pairwise_text(hit, result.scheme).strip())}</pre>\n{_links(hit)}</section>\n")
            number += len(group)
    file.write("</body>\n</html>\n")


def left_out(result: SearchResult) -> set[str]:
    """Return the columns of reports that say nothing about the hits of this search."""
    stranded = bool(result.translation or result.scheme.alphabet.complements)
    several = len(result.database.names) > 1
    return {key for key, shown in (("sstrand", stranded), ("database", several)) if not shown}


def listed_here(of_query: QueryResult, here: int) -> str:
    """Return how many hits a query has, and how many of them a file has if that is not all."""
    total = count(len(of_query.hits.db_index), "hit")
    return total if here == len(of_query.hits.db_index) else f"{here:,} of {total} in this report"


def _write_answer(result: SearchResult, file: TextIO) -> None:
    """Write the answer of the search: its sentence, and a line for each of several queries."""
    answer = search_answer(result)
    file.write(f'<p class="answer"><strong>{_text(answer.sentence)}</strong></p>\n')
    if answer.lines:
        lines = (
            f'<li><a href="#query{place}">{_text(line.name)}</a>: {_text(line.said)}</li>\n'
            for place, line in enumerate(answer.lines)
        )
        file.write(f"<ul>\n{''.join(lines)}</ul>\n")


def _write_facts(result: SearchResult, file: TextIO) -> None:
    scheme, database = result.scheme, result.database
    file.write(
        f"<p>{count(len(database), 'sequence')}, {count(database.residues, database.alphabet.letter)}. "
        f"{escape(scheme.matrix.name)}, "
    )
    file.write(f"{_text(fact_text(provenance(result)['gap_rule']))}. ")
    file.write(f"swgui {_text(result.version)}, {_text(result.finished_at[:10])}.</p>\n")
    file.write(f"<details>\n<summary>How this was searched</summary>\n<p>{_text(paragraph(result))}</p>\n<dl>\n")
    for key, value in provenance(result).items():
        file.write(f"<dt>{escape(key.replace('_', ' '))}</dt><dd>{_text(fact_text(value))}</dd>\n")
    file.write("</dl>\n</details>\n")


def _write_table(columns: list[Column], tables: list[HitTable], first: int, file: TextIO) -> None:
    file.write(f'<div class="wide">\n<table style="grid-template-columns: {column_widths(columns)}">\n<thead><tr>')
    for column in columns:
        numeric = ' class="n"' if column.kind != "text" else ""
        file.write(f"<th{numeric}>{sort_button(column, first)}</th>")
    file.write("</tr></thead>\n<tbody>\n")
    hits = (hit for table in tables for hit in table.hits())
    texts = (texts_of(column, tables) for column in columns)
    rows = zip(hits, places_in_orders(columns, tables), zip(*texts, strict=True), strict=True)
    for offset, (hit, places, of_row) in enumerate(rows):
        cells = []
        for column, written in zip(columns, of_row, strict=True):
            text = _text(STAR_SIGN if column.key == "star" and written else written)
            if column.key == "sseqid":
                name = _text(header_of(hit.subject).name)
                cells.append(f'<td class="id" title="{text}"><a href="#hit{first + offset}">{name}</a></td>')
            elif column.key == "stitle":
                cells.append(f"<td>{_about(hit)}</td>")
            else:
                cells.append(f"<td>{text}</td>" if column.kind == "text" else f'<td class="n">{text}</td>')
        file.write(f'<tr style="{places}">{"".join(cells)}</tr>\n')
    file.write("</tbody>\n</table>\n</div>\n")


def _about(hit: Hit) -> str:
    """Return a readable name of a subject: its title and its organism where the header tells them apart."""
    header = header_of(hit.subject)
    organism = f" <i>{_text(header.organism)}</i>" if header.source and header.organism else ""
    return f"{_text(header.title)}{organism}"


def _links(hit: Hit) -> str:
    """Return the pages about a subject as a line of their own; nothing is loaded before they are clicked."""
    pages = header_of(hit.subject).links
    made = (f'<a href="{escape(page.url)}" rel="noreferrer">{escape(page.name)}</a>' for page in pages)
    return f'<p class="out">{" · ".join(made)}</p>\n' if pages else ""


def _text(text: str) -> str:
    return escape(clean_text(text))
