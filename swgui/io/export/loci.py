"""Columns that say where hits lie among the features of their subjects."""

from __future__ import annotations

import numpy as np

from swgui.core.hits.table import HitTable
from swgui.core.loci.annotation import Annotation
from swgui.core.loci.columns import LocusReader, Where
from swgui.core.translation.frames import subject_frames
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.export.rows import read_on_spans


def where_hits_lie(table: HitTable) -> tuple[int, Where | None]:
    """Return the number of lines, and the positions of their alignments on the subjects; None without any."""
    rows = np.flatnonzero(table.there)
    if table.aligned is None or not len(rows):
        return table.lines, None
    *_, first, last = (ends[rows] for ends in read_on_spans(table))
    frames = subject_frames(table.strands[rows])
    return table.lines, Where(
        table.subjects.database,
        rows,
        table.subjects.db_index[table.hit[rows]],
        np.minimum(first, last) - 1,
        np.maximum(first, last),
        frames if frames.any() else None,
    )


def locus_columns(annotation: Annotation | None) -> tuple[LocusReader[HitTable], tuple[Column, ...]]:
    """Return the reader of loci and its columns for hits.

    Parameters
    ----------
    annotation : Annotation or None
        Features of a file; None for those of the database.
    """
    reader = LocusReader(annotation, where_hits_lie)
    return reader, tuple(
        Column(
            one.key, one.title, one.description, one.kind, "alignment", read=one.read, unit=one.unit, on_request=True
        )
        for one in reader.columns()
    )


def bring_loci() -> tuple[LocusReader[HitTable], Column]:
    """Add the column of the sentence to those that hits can have, until the program ends; no file is read yet."""
    reader, columns = locus_columns(None)
    HIT_COLUMNS[columns[0].key] = columns[0]
    return reader, columns[0]
