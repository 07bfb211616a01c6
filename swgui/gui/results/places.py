"""Hits as places on the sequences of their subjects, for the Locus page."""

from __future__ import annotations

import numpy as np

from swgui.core.alignment import PLAIN
from swgui.core.loci.place import Marks, Place
from swgui.core.translation.frames import subject_frames
from swgui.core.translation.genetic_codes import STANDARD
from swgui.gui.hits.data import HitData
from swgui.gui.hits.places import SUBJECT
from swgui.gui.viewer.frames import pieces_of
from swgui.gui.viewer.shown import ShownHit
from swgui.io.export.loci import where_hits_lie


def place_of(data: HitData, row: int, part: int = SUBJECT) -> Place | None:
    """Return the place of an alignment of a hit; None while it is not aligned, or without alignment.

    Parameters
    ----------
    part : int
        Number of the alignment, `SUBJECT` for the best one.
    """
    hit = data.hit(row)
    if hit is None or not data.aligned[row]:
        return None
    table, name = hit.alone, data.query.id
    _, where = where_hits_lie(table)
    if where is None:
        return None
    frames = subject_frames(table.strands)
    strands = np.where(frames != 0, np.sign(frames), np.sign(table.strands))[where.rows].astype(np.int8)

    def marks() -> tuple[Marks, ...]:
        names = tuple(name for _ in where.rows)
        return (Marks(f"Alignments of {name}", where.starts, where.ends, strands, names, _shifts(data, row)),)

    number = max(part, 0)
    translation = data.result.translation
    code = STANDARD if translation is None else translation.subject_code
    start, end = int(where.starts[number]), int(where.ends[number])
    return Place(data.result.database, data.subject(row), start, end, marks, f"hit of {name}", code)


def _shifts(data: HitData, row: int) -> np.ndarray:
    """Return the bases of the subject at which the reading of any alignment shifts."""
    found = []
    for number, hit in enumerate(data.alignments(row)):
        if hit.alignment is None or hit.alignment.steps == PLAIN or not subject_frames([hit.strand])[0]:
            continue
        pieces = pieces_of(number, ShownHit.of(data.result, hit), of_query=False)
        ordered = sorted(pieces, key=lambda piece: piece.first)
        found += [piece.first - 1 for piece in ordered[1:]]
    return np.array(found, np.int64)
