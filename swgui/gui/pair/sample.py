"""A simulated pair to try the Pair page with: substitutions, gaps, and a stretch that is reverse-complemented."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.records import SequenceRecord

LENGTH = 6_000
INVERTED = (3_600, 4_400)  # of the subject
LOST = (1_500, 1_740)  # of the subject
CHANGED = 0.06
GAPS = 24
SEED = 2024


@dataclass(frozen=True, slots=True)
class Sample:
    """Two sequences of one kind."""

    query: SequenceRecord
    subject: SequenceRecord
    alphabet: Alphabet


def sample_pair() -> Sample:
    """Return two related sequences, the same ones every time."""
    chance = np.random.default_rng(SEED)
    bases = np.frombuffer(b"ACGT", dtype=np.uint8)
    subject = bases[chance.integers(0, 4, LENGTH)]
    query = subject.copy()
    changed = chance.random(LENGTH) < CHANGED
    query[changed] = bases[chance.integers(0, 4, int(changed.sum()))]
    start, stop = INVERTED
    query[start:stop] = _inverted(query[start:stop])
    parts, at = [], 0
    for gap in np.sort(chance.choice(LENGTH, GAPS, replace=False)).tolist():
        parts.append(query[at:gap])
        size = int(chance.integers(1, 9))
        if gap % 2:
            parts.append(bases[chance.integers(0, 4, size)])
            at = gap
        else:
            at = min(gap + size, LENGTH)
    parts.append(query[at:])
    query = np.concatenate(parts)
    query = np.concatenate([query[: LOST[0]], query[LOST[1] :]])
    kept = "with substitutions, gaps and a reverse-complemented stretch"
    return Sample(
        SequenceRecord("sample_query", f"simulated: the subject {kept}", query.tobytes()),
        SequenceRecord("sample_subject", "simulated: random bases", subject.tobytes()),
        NUCLEOTIDE,
    )


def _inverted(bases: NDArray[np.uint8]) -> NDArray[np.uint8]:
    codes = NUCLEOTIDE.encode(bases.tobytes())
    return np.frombuffer(NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(codes)), dtype=np.uint8)
