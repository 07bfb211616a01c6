"""Frames of a database of DNA as sequences for a rule of proteins, and places back among the bases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.core.translation.frames import bases_of, frame_sizes, translate
from swgui.core.translation.genetic_codes import CODON, LETTERS, strand_tables
from swgui.jobs.rules.circles import Circles, residues_of
from swgui.jobs.rules.text import Text


def translated_text(bases: Text, frames: tuple[int, ...], code: int) -> Text:
    """Return the frames of sequences as a text: frame f of sequence k is number ``k * len(frames) + f``."""
    codes = bases.codes.astype(np.uint16)
    codons = np.zeros(max(len(codes) - CODON + 1, 0), np.uint16)
    for base in range(CODON):
        codons = codons * np.uint16(LETTERS) + codes[base : base + len(codons)]
    plus, minus = (table[codons] for table in strand_tables(code))
    sizes = frame_sizes(np.diff(bases.begins), frames)
    parts = [np.zeros(0, np.uint8)]
    for number, size in enumerate(sizes.tolist()):
        subject, frame = number // len(frames), frames[number % len(frames)]
        if frame > 0:
            first = int(bases.begins[subject]) + frame - 1
            parts.append(plus[first : first + CODON * size : CODON])
        elif size:
            first = int(bases.begins[subject + 1]) + frame + 1 - CODON * size
            parts.append(minus[first : first + CODON * size : CODON][::-1])
    return Text(np.concatenate(parts), np.concatenate([[0], np.cumsum(sizes)]))


def among_bases(places: Places, frames: tuple[int, ...], lengths: NDArray[Any]) -> Places:
    """Return places of a translated text as bases of sequences of these lengths, with the strands of their frames."""
    subject, frame = places.subject // len(frames), np.array(frames)[places.subject % len(frames)]
    first, last = bases_of(frame, places.start, places.end, lengths[subject])
    start, end = np.minimum(first, last) - 1, np.maximum(first, last)
    return replace(places, subject=subject, start=start, end=end, strand=np.sign(frame).astype(np.int8))


def frames_of(places: Places, lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return the frame of each place among bases, given the length of the subject of each."""
    plus = places.strand > 0
    frame = np.where(plus, places.start, np.asarray(lengths, np.int64) - places.end) % CODON + 1
    return np.where(plus, frame, -frame)


def translated(
    request: RuleRequest, database: EncodedDatabase, places: Places, circles: Circles
) -> tuple[RuleRequest, EncodedDatabase, Places]:
    """Return places as those of proteins: of a database of the frames in which they are, each translated on its own."""
    lengths = np.asarray(database.lengths_of(places.subject), np.int64)
    lengths = lengths + np.where(circles.among(places.subject), circles.behind, 0)
    ends = dict(zip(places.subject.tolist(), lengths.tolist(), strict=True))
    frame = frames_of(places, lengths)
    pairs, which = np.unique(np.stack([places.subject, frame]), axis=1, return_inverse=True)
    records = [
        SequenceRecord(
            f"{database.ids[subject]} (frame {number})",
            "",
            PROTEIN.decode(translate(residues_of(database, subject, 0, ends[subject]), number, request.code)),
        )
        for subject, number in pairs.T.tolist()
    ]
    before = np.abs(frame) - 1
    start = (np.where(frame > 0, places.start, lengths - places.end) - before) // CODON
    end = (np.where(frame > 0, places.end, lengths - places.start) - before) // CODON
    moved = {"subject": which.reshape(-1).astype(np.int64), "start": start, "end": end}
    proteins = replace(places, **moved, strand=np.ones(len(places), np.int8))
    return replace(request, frames=()), encode_database(records, PROTEIN, database.name), proteins
