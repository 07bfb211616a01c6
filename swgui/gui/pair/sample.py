"""A made-up pair to try the Pair page with: substitutions, gaps, and a stretch that is turned round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.records import SequenceRecord

LENGTH = 6_000
TURNED = (3_600, 4_400)  # of the target
LOST = (1_500, 1_740)  # of the target
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
    letters = np.frombuffer(b"ACGT", dtype=np.uint8)
    target = letters[chance.integers(0, 4, LENGTH)]
    query = target.copy()
    changed = chance.random(LENGTH) < CHANGED
    query[changed] = letters[chance.integers(0, 4, int(changed.sum()))]
    start, stop = TURNED
    query[start:stop] = _turned(query[start:stop])
    parts, at = [], 0
    for gap in np.sort(chance.choice(LENGTH, GAPS, replace=False)).tolist():
        parts.append(query[at:gap])
        size = int(chance.integers(1, 9))
        if gap % 2:
            parts.append(letters[chance.integers(0, 4, size)])
            at = gap
        else:
            at = min(gap + size, LENGTH)
    parts.append(query[at:])
    query = np.concatenate(parts)
    query = np.concatenate([query[: LOST[0]], query[LOST[1] :]])
    kept = "with substitutions, gaps and a stretch turned round"
    return Sample(
        SequenceRecord("sample_query", f"made up: the target {kept}", query.tobytes()),
        SequenceRecord("sample_target", "made up: letters by chance", target.tobytes()),
        NUCLEOTIDE,
    )


def _turned(letters: np.ndarray) -> np.ndarray:
    codes = NUCLEOTIDE.encode(letters.tobytes())
    return np.frombuffer(NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(codes)), dtype=np.uint8)
