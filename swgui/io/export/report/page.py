"""A report as one HTML file: tables that can be sorted, pictures, alignments, links.

It has no scripts and loads nothing from anywhere; light and dark are the reader's choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, TextIO

from swgui.core.headers import header_of
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.hits.table import HitTable
from swgui.core.verdict.hits import judge
from swgui.core.verdict.queries import judge_query, significant_alignments
from swgui.core.words import count
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.export.grouping import tables_by_query
from swgui.io.export.methods_text import paragraph
from swgui.io.export.provenance import as_text, provenance
from swgui.io.export.report import picture, sorting
from swgui.io.export.text import pairwise_text
from swgui.io.export.values import clean_text

_TABLE: Final = (
    "rank", "sseqid", "stitle", "score", "bitscore", "evalue", "verdict", "pident", "qcovhsp", "scovhsp", "sstrand",
)  # fmt: skip
_OF_SEVERAL: Final = ("n_hsps", "sum_evalue")

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: Canvas; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n, td.id { white-space: nowrap; }
td.id { min-width: 8rem; }
.out { font-size: .85em; opacity: .85; }
pre { font: 13px/1.35 ui-monospace, monospace; overflow-x: auto; padding: .6rem; border: 1px solid #8886; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { opacity: .75; } dd { margin: 0; }
@media print { pre { break-inside: avoid; overflow: visible; white-space: pre-wrap; } }
"""
_NOTHING_FROM_ELSEWHERE: Final = "default-src 'none'; style-src 'unsafe-inline'"


def write_html(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the search, a table of hits per query, and their alignments; all texts escaped."""
    keys = (*_TABLE, *_OF_SEVERAL) if result.search.max_hsps > 1 else _TABLE
    chosen = [
        HIT_COLUMNS[key] for key in keys if key != "sstrand" or result.translation or result.scheme.alphabet.complements
    ]
    title = escape(f"Search of {clean_text(result.database.name)}")
    file.write(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_FROM_ELSEWHERE}">\n<title>{title}</title>\n'
        f"<style>{_STYLE}{sorting.STYLE}{sorting.rules(chosen)}{picture.STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
    _write_facts(result, file)
    number = 0
    for of_query, tables in tables_by_query(result, hits):
        group = [hit for table in tables for hit in table.hits()]
        file.write(f"<h2>{_text(of_query.query.header)}</h2>\n<p>{len(of_query.query.residues):,} residues, ")
        verdict = judge_query(of_query, significant_alignments(group))
        file.write(f"{count(len(group), 'hit')}. <strong>{_text(verdict)}</strong></p>\n")
        if group:
            file.write(picture.picture(group, len(of_query.query.residues), number))
            _write_table(chosen, tables, number, file)
            for offset, hit in enumerate(group):
                file.write(f'<p id="hit{number + offset}">{_text(judge(hit, result))}</p>\n')
                file.write(f"<pre>{escape(pairwise_text(hit, result.scheme).strip())}</pre>\n")
            number += len(group)
    file.write("</body>\n</html>\n")


def _write_facts(result: SearchResult, file: TextIO) -> None:
    scheme, database = result.scheme, result.database
    file.write(f"<p>{count(len(database), 'sequence')}, {database.residues:,} residues. {escape(scheme.matrix.name)}, ")
    file.write(f"{_text(as_text(provenance(result)['gap_rule']))}.</p>\n")
    file.write(f"<details>\n<summary>How this was searched</summary>\n<p>{_text(paragraph(result))}</p>\n<dl>\n")
    for key, value in provenance(result).items():
        file.write(f"<dt>{escape(key.replace('_', ' '))}</dt><dd>{_text(as_text(value))}</dd>\n")
    file.write("</dl>\n</details>\n")


def _write_table(columns: list[Column], tables: list[HitTable], first: int, file: TextIO) -> None:
    file.write(f'<table style="grid-template-columns: {sorting.layout(columns)}">\n<thead><tr>')
    for column in columns:
        numeric = ' class="n"' if column.kind != "text" else ""
        file.write(f"<th{numeric}>{sorting.head(column, first)}</th>")
    file.write("</tr></thead>\n<tbody>\n")
    hits = (hit for table in tables for hit in table.hits())
    texts = (sorting.texts_of(column, tables) for column in columns)
    rows = zip(hits, sorting.places(columns, tables), zip(*texts, strict=True), strict=True)
    for offset, (hit, places, of_row) in enumerate(rows):
        cells = []
        for column, written in zip(columns, of_row, strict=True):
            text = _text(written)
            if column.key == "sseqid":
                name = _text(header_of(hit.subject).name)
                cells.append(f'<td class="id" title="{text}"><a href="#hit{first + offset}">{name}</a></td>')
            elif column.key == "stitle":
                cells.append(f"<td>{_about(hit)}{_links(hit)}</td>")
            else:
                cells.append(f"<td>{text}</td>" if column.kind == "text" else f'<td class="n">{text}</td>')
        file.write(f'<tr style="{places}">{"".join(cells)}</tr>\n')
    file.write("</tbody>\n</table>\n")


def _about(hit: Hit) -> str:
    """Return what a subject is, for people: its title and its organism where the header tells them apart."""
    header = header_of(hit.subject)
    organism = f" <i>{_text(header.organism)}</i>" if header.source and header.organism else ""
    return f"{_text(header.title)}{organism}"


def _links(hit: Hit) -> str:
    """Return the pages about a subject as a line of their own; nothing is loaded before they are clicked."""
    pages = header_of(hit.subject).links
    made = (f'<a href="{escape(page.url)}" rel="noreferrer">{escape(page.name)}</a>' for page in pages)
    return f'<div class="out">{" · ".join(made)}</div>' if pages else ""


def _text(text: str) -> str:
    return escape(clean_text(text))


FORMATS: Final = (
    ExportFormat("html", "Report (HTML)", ".html", "report in one file: tables and alignments", write_html),
)
