"""What a table says of one alignment of a subject that has several."""

from __future__ import annotations

from swgui.core.hits.table import Hit
from swgui.gui.hits.columns import ColumnView
from swgui.gui.hits.data import HitData
from swgui.gui.words import formatting
from swgui.io.export.columns import is_of_alignment
from swgui.io.export.rows import span


def part_of(data: HitData, row: int, part: int) -> Hit | None:
    """Return one alignment of a hit, as a hit; None while the hit is not kept."""
    alignments = data.alignments(row)
    return alignments[part] if part < len(alignments) else None


def part_text(data: HitData, row: int, part: int, view: ColumnView) -> str:
    """Return one cell; empty in columns that speak of the whole subject."""
    if view.key == "sseqid":
        return f"{part + 1:,} of {data.how_many(row)[0]:,}"
    hit = part_of(data, row, part)
    if hit is None:
        return formatting.NOTHING if view.kind in ("number", "bar") and is_of_alignment(view.column) else ""
    if view.key == "stitle":  # short: the strand has a column of its own
        place = span(hit)
        return f"{place.subject_start:,} to {place.subject_end:,}" if place else ""
    if view.kind in ("map", "tick", "star") or not is_of_alignment(view.column):
        return ""
    value = data.part_values(row, view.column)[part]
    return str(value) if view.column.kind == "text" else view.show(float(value))


def part_tip(data: HitData, row: int, part: int, view: ColumnView) -> str:
    """Return one cell in words that stand alone, for tool tips and screen readers."""
    text, hit = part_text(data, row, part, view), part_of(data, row, part)
    if view.key == "sseqid":
        return f"Alignment {text}"
    if view.key == "stitle" and hit is not None:
        return f"Subject {text}{f', {read}' if (read := formatting.strand(hit.strand)) else ''}"
    return text


def map_of(data: HitData, row: int, part: int) -> tuple[list[tuple[int, int]], int]:
    """Return the stretches of the query, from 1, that an alignment or all of a hit cover, and the query's length."""
    spans = data.along_query(row)
    shown = spans if part < 0 else spans[part : part + 1]
    return [ends for _, ends in shown], data.query_length
