"""Alignments of a pair as places on its subject, for the Locus page."""

from __future__ import annotations

import numpy as np

from swgui.core.database import encode_database
from swgui.core.loci.place import Marks, Place
from swgui.core.pair.result import PairAlignment, PairResult


def place_of(result: PairResult, current: PairAlignment) -> Place:
    """Return the place of an alignment on the subject, with the others; takes a second for a chromosome."""
    alignments = [hsp.alignment for hsp in result.alignments]
    starts, ends = (
        np.array([getattr(one, edge) for one in alignments], np.int64) for edge in ("subject_start", "subject_end")
    )
    strands = np.array([1 if hsp.strand == "plus" else -1 for hsp in result.alignments], np.int8)
    names = tuple(f"{result.query.id} #{hsp.index}" for hsp in result.alignments)
    marks = (Marks(f"Alignments of {result.query.id}", starts, ends, strands, names),)
    database = encode_database([result.subject], result.scheme.alphabet, name=result.subject.id)
    start, end = current.alignment.subject_start, current.alignment.subject_end
    return Place(database, 0, start, end, lambda: marks, f"alignment with {result.query.id}")
