"""Hits as text for the clipboard: a table (tab-separated and HTML) or sequences as FASTA. For a worker."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Sequence
from typing import Literal

from swgui.core.hits.table import Hit
from swgui.gui.hits.columns import BY_KEY, ColumnView
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import Describe, describe_some
from swgui.gui.hits.places import part_of
from swgui.gui.words import formatting
from swgui.io.export.base import NO_OPTIONS
from swgui.io.export.columns import is_of_alignment
from swgui.io.export.fasta import write_aligned_part, write_corrected, write_dna, write_record

Part = Literal["dna", "read", "subject"]


def rows_as_table(
    data: HitData, places: Sequence[tuple[int, int]], keys: Sequence[str], describe: Describe
) -> tuple[str, str]:
    """Return rows as tab-separated text and as an HTML table, with the columns' names in the first line.

    If a place is one alignment of its row, the table has the numbers of that alignment.

    Rows that have not been aligned yet are aligned if a column needs it. Numbers have no thousands
    separators; an empty cell is a value that is not known.
    """
    columns = [BY_KEY[key] for key in keys]
    filled = HitData(data.listed, data.marks)
    filled.unfolded = {row for row, part in places if part >= 0}
    if filled.unfolded or any(column.late for column in columns):
        hits, _ = describe_some(describe, data.listed, list(dict.fromkeys(row for row, _ in places)), math.inf)
        filled.add(hits)
    lines = [[column.title for column in columns]]
    lines += [[_cell(filled, *place, column) for column in columns] for place in places]
    text = "".join("\t".join(line) + "\n" for line in lines)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in lines[1:])
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in lines[0])
    return text, f"<table><tr>{head}</tr>{body}</table>"


def _cell(data: HitData, row: int, part: int, column: ColumnView) -> str:
    of_part = data.part_values(row, column.column) if part >= 0 and is_of_alignment(column.column) else ()
    if column.column.kind == "text" and (of_part or column.kind == "text"):
        return " ".join((str(of_part[part]) if of_part else data.text(row, column)).split())
    value = float(of_part[part]) if of_part else data.value(row, column.key)
    if math.isnan(value):
        return ""
    if column.show is formatting.whole:
        return str(int(value))
    if column.show is formatting.log_ten:
        return f"{value:.4f}"
    return column.show(value).replace(",", "")


def rows_as_fasta(data: HitData, places: Sequence[tuple[int, int]]) -> str:
    """Return subjects as FASTA, in the order given: whole, or the aligned part of one alignment."""
    file = io.StringIO()
    for row, part in places:
        if part >= 0:
            if (hit := part_of(data, row, part)) is not None:
                write_aligned_part(file, hit)
            continue
        record = data.result.database.record(data.subject(row))
        write_record(file, record.header, record.residues)
    return file.getvalue()


def alignments_as_fasta(data: HitData, row: int, part: int, kind: Part) -> str:
    """Return the sequences of alignments of a translated search as FASTA; empty while they are not known.

    Parameters
    ----------
    part : int
        The only alignment to write, -1 for all.
    kind : {"dna", "read", "subject"}
        The DNA as given, the protein translated from it, corrected at frameshifts, or the subject unchanged.
    """
    rows = data.alignments(row)
    chosen = [Hit(row.table.take_line(row.line), 0) for row in (rows if part < 0 else rows[part : part + 1])]
    file = io.StringIO()
    if kind == "subject":
        for one in chosen:
            write_aligned_part(file, one)
    else:
        write = write_dna if kind == "dna" else write_corrected
        write(data.result, chosen, file, NO_OPTIONS)
    return file.getvalue()


def identifiers(data: HitData, rows: Sequence[int]) -> str:
    """Return the accessions of some rows, one per line."""
    return "".join(f"{data.header(row).accession}\n" for row in rows)
