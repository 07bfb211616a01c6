"""The report of a search on paper: the answer, then of each query its verdict, a drawing, a table and alignments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Final

import numpy as np

from swgui.core.headers import header_of
from swgui.core.hits.along_query import CLASS_COLOURS, SCORE_CLASSES, axis_marks
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit, HitTable
from swgui.core.profiles.logo import Logo
from swgui.core.table import TEXTS
from swgui.core.verdict.answers import search_answer
from swgui.core.verdict.hits import judge
from swgui.core.verdict.kinds import BORDERLINE, SIGNIFICANT
from swgui.core.verdict.queries import judge_query, significant_alignments
from swgui.core.words import count, format_evalue
from swgui.io.cells import clean_text, fact_text
from swgui.io.export.along import bars_of
from swgui.io.export.base import ExportOptions
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.export.grouping import tables_by_query
from swgui.io.export.html_report import left_out, listed_here, texts_of
from swgui.io.export.provenance import provenance
from swgui.io.export.text import alignment_text
from swgui.io.methods.searches import paragraph
from swgui.io.paper.flow import FIXED_SIZE, Cell, Field, Flow, stretch
from swgui.io.paper.letters import FIXED_WIDTH, shortened, width_of
from swgui.io.paper.logos import logo_marks, logos_of_hit
from swgui.io.paper.marks import BLACK, GREY, TEXT_WIDTH, Bar, Mark, Page, Words, foot
from swgui.io.paper.pdf import write_pdf

ALIGNED: Final = 10  # hits of one query whose alignments a file has
DRAWN: Final = 30  # hits of one query that are drawn
# Width of each column in points; the description takes what the others leave.
_WIDTHS: Final = {
    "rank": 18.0, "star": 20.0, "sseqid": 70.0, "stitle": 0.0, "organism": 76.0, "database": 54.0, "bitscore": 34.0,
    "evalue": 40.0, "verdict": 42.0, "pident": 26.0, "qcovhsp": 32.0, "scovhsp": 37.0, "sstrand": 26.0, "note": 60.0,
}  # fmt: skip
_LINES: Final = {"stitle": 2, "note": 4}  # of a cell, at most
_NAMES, _ROW, _BAR, _TOP = 92.0, 9.0, 6.6, 34.0  # of the drawing, in points
_MARKS: Final = 10  # numbers on its axis
_SMALL: Final = 7.0
LOGOS: Final = (
    "Logos above and below the alignments: the profiles of query and subject; a letter is as high as its share of the "
    "information of its column."
)
_LOGO: Final = 26.0  # height of one, in points
_NAMED: Final = re.compile(r"\w+ +\d+ +")  # what stands before the residues of a line

Aligned = Callable[[int, Hit], bool]  # takes the place of a hit in its list, from 0, and the hit


def first_ones(place: int, hit: Hit) -> bool:
    """Return whether a file has the alignments of a hit: of the best one, and of the first that are not chance."""
    return not place or (place < ALIGNED and not hit.log10_evalue > BORDERLINE.value)


def write_report(result: SearchResult, hits: Iterable[Hit], file: IO[bytes], options: ExportOptions) -> None:
    """Write the report as a PDF file."""
    title = title_of(result)
    write_pdf(report_pages(result, hits), file, title, f"swgui {result.version}", partial(foot, foot_text(result)))


def title_of(result: SearchResult) -> str:
    """Return the title of the report."""
    return f"Search of {clean_text(result.database.name)}"


def foot_text(result: SearchResult) -> str:
    """Return the text at the foot of each page."""
    return f"{title_of(result)} · swgui {clean_text(result.version)} · {clean_text(result.finished_at[:10])}"


def report_pages(
    result: SearchResult, hits: Iterable[Hit], aligned: Aligned = first_ones, only: QueryResult | None = None
) -> Iterator[Page]:
    """Yield the pages of the report.

    Parameters
    ----------
    hits : iterable of Hit
        In the order of the report, those of one query together, with their alignments.
    aligned : callable
        Returns whether the alignments of a hit are printed.
    only : QueryResult, optional
        The query whose hits are printed, where that is one of several.
    """
    flow = Flow()
    _front(flow, result)
    for of_query, tables in tables_by_query(result, hits):
        if only is not None and of_query is not only:
            continue
        flow.skip(18)
        _query(flow, result, of_query, tables, aligned)
        yield from flow.taken()
    _how(flow, result)
    yield from flow.rest()


def _front(flow: Flow, result: SearchResult) -> None:
    """Write the title, the answer and a line for each of several queries."""
    answer, database = search_answer(result), result.database
    flow.heading(title_of(result), 17)
    flow.skip(4)
    flow.text(clean_text(answer.sentence), 11, "bold")
    flow.skip(3)
    for line in answer.lines:
        flow.text(f"{clean_text(line.name)}: {clean_text(line.said)}", 8.5, indent=8)
    flow.skip(4)
    where = f"{count(len(database), 'sequence')}, {count(database.residues, database.alphabet.letter)}"
    scores = f"{result.scheme.matrix.name}, {fact_text(provenance(result)['gap_rule'])}"
    flow.text(f"{where}. {clean_text(scores)}. swgui {result.version}, {result.finished_at[:10]}.", 8, colour=GREY)


def _query(
    flow: Flow, result: SearchResult, of_query: QueryResult, tables: Sequence[HitTable], aligned: Aligned
) -> None:
    group = [hit for table in tables for hit in table.hits()]
    length, query = len(of_query.query.residues), of_query.query
    name = clean_text(header_of(query).name)
    flow.heading(name, 13, with_next=190 if group else 40)
    if (header := clean_text(query.header)) != name:
        flow.text(header, 8, colour=GREY)
    flow.skip(3)
    flow.text(f"{count(length, result.search.query_alphabet.letter)}, {listed_here(of_query, len(group))}.", 9)
    flow.text(judge_query(of_query, significant_alignments(group)), 9, "bold")
    if not group:
        return
    flow.skip(8)
    flow.drawing(*drawing(group, length))
    flow.skip(8)
    _table(flow, result, tables)
    flow.skip(6)
    printed = [hit for place, hit in enumerate(group) if aligned(place, hit)]
    if printed and result.database.profiles is not None:
        flow.text(LOGOS, 8, colour=GREY)
    for hit in printed:
        flow.skip(10)
        flow.need(130)
        flow.text(clean_text(hit.subject.header), 8.5, "bold")
        flow.text(clean_text(judge(hit, result)), 8)
        flow.skip(3)
        for row in hit.rows():
            _alignment(flow, alignment_text(row, result.scheme).strip("\n"), logos_of_hit(row, of_query, result))
            flow.skip(4)
    if left := len(group) - len(printed):
        flow.skip(6)
        said = f"The alignments of {count(left, 'further hit')} are not here; the formats html and text have all."
        flow.text(said, 8, colour=GREY)


def _alignment(flow: Flow, text: str, logos: tuple[Logo, Logo] | None) -> None:
    """Write an alignment; where profiles were compared, their logos above and below its blocks."""
    if logos is None:
        flow.fixed(text.split("\n"))
        return
    head, *blocks = (part.split("\n") for part in text.split("\n\n"))
    flow.fixed(head)
    cell, begin = FIXED_SIZE * FIXED_WIDTH, 0
    for lines in blocks:
        named = _NAMED.match(lines[0])
        left = named.end() if named is not None else 0
        columns = range(begin, begin + len(lines[0][left:].split(" ")[0]))
        flow.skip(5)
        flow.need(2 * _LOGO + FIXED_SIZE * 2 * len(lines))
        flow.drawing(_LOGO, logo_marks(logos[0], columns, left * cell, cell, _LOGO))
        flow.fixed(lines)
        flow.skip(2)
        flow.drawing(_LOGO, logo_marks(logos[1], columns, left * cell, cell, _LOGO))
        begin = columns.stop


def _table(flow: Flow, result: SearchResult, tables: Sequence[HitTable]) -> None:
    """Write the table of the hits of one query, with a line below those that are significant."""
    absent, texts = left_out(result), {key: _texts(HIT_COLUMNS[key], tables) for key in _WIDTHS}
    keys = [key for key in _WIDTHS if key not in absent and any(texts[key])]
    columns = [HIT_COLUMNS[key] for key in keys]
    fields = stretch([_field(column) for column in columns], keys.index("stitle") if "stitle" in keys else 1)
    flow.table(fields, _rows(keys, texts, tables))


def _texts(column: Column, tables: Sequence[HitTable]) -> list[str]:
    """Return the cells of a column with as many digits as a reader needs: two of E, one decimal of shares."""
    if column.kind not in ("evalue", "real"):
        texts = texts_of(column, tables)
        return ["*" if text else "" for text in texts] if column.key == "star" else texts
    write = format_evalue if column.kind == "evalue" else "{:.1f}".format
    numbers = [number for table in tables for number in column.numbers(table)[table.first].tolist()]
    return ["" if number != number else write(number) for number in numbers]


def _field(column: Column) -> Field:
    return Field(column.head, _WIDTHS[column.key], column.kind not in TEXTS, _LINES.get(column.key, 1))


def _rows(keys: Sequence[str], texts: dict[str, list[str]], tables: Sequence[HitTable]) -> Iterator[list[Cell] | str]:
    """Yield the cells of each hit, and the words of the line below the significant ones."""
    hits = [hit for table in tables for hit in table.hits()]
    before = False
    for row, hit in enumerate(hits):
        significant = hit.log10_evalue <= SIGNIFICANT.value
        if before and not significant:
            yield f"above: significant, E ≤ {SIGNIFICANT.text}"
        before = significant
        header = header_of(hit.subject)
        known = {"sseqid": header.name, "stitle": header.title}
        pages = header.links
        yield [
            Cell(clean_text(known.get(key, texts[key][row])), pages[0].url if key == "sseqid" and pages else "")
            for key in keys
        ]


def drawing(group: Sequence[Hit], length: int) -> tuple[float, list[Mark]]:
    """Return the height and the marks of a drawing of the best hits along their query, darker for more bits.

    Parameters
    ----------
    group : sequence of Hit
        Those of one query, in order; hits without an alignment are left out.
    length : int
        Residues of the query.
    """
    rows = [hit for hit in group if hit.alignment is not None]
    if not rows:
        return 0, []
    shown = rows[:DRAWN]
    marks = [*_legend(group), *_axis(length)]
    for place, hit in enumerate(shown):
        marks += _bars(hit, _TOP + _ROW * place, length)
    height = _TOP + _ROW * len(shown)
    if len(rows) > len(shown):
        height += _ROW
        others = f"The other {len(rows) - len(shown):,} are in the table."
        marks.append(Words(0, height - 2, others, _SMALL, colour=GREY))
    return height, marks


def _x(position: float, length: int) -> float:
    """Return the place of the left edge of a residue, counted from 1."""
    return _NAMES + (TEXT_WIDTH - _NAMES) * (position - 1) / max(length, 1)


def _legend(group: Sequence[Hit]) -> Iterator[Mark]:
    with_bits = any(not np.isnan(hit.bit_score) for hit in group)
    yield Words(0, 7, "bits" if with_bits else "score", _SMALL, colour=GREY)
    for number, (colour, (_, words, _)) in enumerate(zip(CLASS_COLOURS[False], SCORE_CLASSES, strict=True)):
        x = _NAMES + 76 * number
        yield Bar(x, 1.5, 12, _BAR, colour)
        yield Words(x + 15, 7, words, _SMALL, colour=GREY)


def _axis(length: int) -> Iterator[Mark]:
    line = _TOP - 5
    yield Words(0, line - 3, "query", _SMALL, colour=GREY)
    yield Bar(_NAMES, line, TEXT_WIDTH - _NAMES, 1.0, BLACK)
    for mark in axis_marks(length, _MARKS):
        label, at = f"{mark:,}", {length: 1.0, 1: 0.0}.get(mark, 0.5)  # a share of the label left of its residue
        yield Words(_x(mark + at, length) - at * width_of(label, _SMALL), line - 3, label, _SMALL, colour=GREY)


def _bars(hit: Hit, top: float, length: int) -> Iterator[Mark]:
    name = shortened(clean_text(header_of(hit.subject).name), _NAMES - 6, _SMALL)
    yield Words(0, top + _BAR - 0.6, name, _SMALL)
    for bar in bars_of(hit):
        x = _x(bar.start, length)
        width = max(_x(bar.end + 1, length) - x, 0.8)
        yield Bar(x, top + _BAR * bar.top, width, _BAR * bar.height, CLASS_COLOURS[False][bar.shade])


def _how(flow: Flow, result: SearchResult) -> None:
    """Write how the search was made, and all of its facts."""
    flow.skip(18)
    flow.heading("How this was searched", 13)
    flow.skip(3)
    flow.text(clean_text(paragraph(result)), 8.5)
    flow.skip(6)
    for key, value in provenance(result).items():
        flow.text(f"{key.replace('_', ' ')}: {clean_text(fact_text(value))}", _SMALL + 0.5, colour=GREY)
