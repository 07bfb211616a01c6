"""Low complexity in the queries, in words, before a search."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from swgui.core.alphabet import Alphabet
from swgui.core.headers import parse_header
from swgui.core.records import SequenceRecord
from swgui.core.statistics.masking import Interval, low_complexity

MAX_RESIDUES: Final = 2_000_000  # looked at in all
PIECE: Final = 50_000  # residues looked at in one go
MIN_SHARE: Final = 0.005  # below, there is no message


@dataclass(frozen=True, slots=True)
class Complexity:
    """Low complexity of one query."""

    name: str
    length: int  # residues looked at
    whole: bool  # whether these are all residues of the query
    stretches: tuple[Interval, ...]  # half-open, from 0

    @property
    def share(self) -> float:
        """Part of the residues looked at that is of low complexity, 0 to 1."""
        return sum(end - start for start, end in self.stretches) / max(self.length, 1)


def measure(records: Sequence[SequenceRecord], alphabet: Alphabet, stop: threading.Event) -> list[Complexity]:
    """Look for low complexity in queries, up to `MAX_RESIDUES` residues in all, or until `stop` is set."""
    complexities: list[Complexity] = []
    left, alphabet = MAX_RESIDUES, alphabet.residue_alphabet
    for record in records:
        length = min(len(record.residues), left)
        stretches: list[Interval] = []
        for start in range(0, length, PIECE):
            if stop.is_set():
                return complexities
            codes = alphabet.encode(record.residues[start : min(start + PIECE, length)])
            stretches += [(start + first, start + last) for first, last in low_complexity(codes, alphabet)]
        name = parse_header(record.id, record.description).name
        complexities.append(Complexity(name, length, length == len(record.residues), tuple(stretches)))
        left -= length
        if left <= 0:
            break
    return complexities


def in_words(complexities: Sequence[Complexity], queries: int) -> str:
    """Return a sentence on the share of low complexity; empty if there is nearly none.

    Parameters
    ----------
    queries : int
        How many there are, whether looked at or not.
    """
    most = max(complexities, key=lambda complexity: complexity.share, default=None)
    if most is None or most.share < MIN_SHARE:
        return ""
    share = f"{max(round(100 * most.share), 1)} %"
    part = "" if most.whole else f"the first {most.length:,} residues of "
    if queries == 1:
        return f"{share} of {part}the query is low-complexity"
    others = sum(complexity.share >= MIN_SHARE for complexity in complexities) - 1
    more = f"; {others:,} more" if others else ""
    not_seen = "" if len(complexities) == queries else f" ({len(complexities):,} of {queries:,} queries looked at)"
    return f"Low-complexity: {share} of {part}{most.name}{more}{not_seen}"
