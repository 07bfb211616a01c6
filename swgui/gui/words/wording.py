"""Numbers and settings in words, as the window shows them. No Qt."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from swgui.core.alphabet import letter_of
from swgui.core.errors import SwguiError, explained
from swgui.core.scoring import ScoringScheme
from swgui.core.words import SHORTEST, count, duration

T = TypeVar("T")
COST_LENGTHS = (1, 2, 3, 10)
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|min|h|d|[kMGTP]|[kKMGT]?B|GCUPS)\b|%)")
LEFT = 5  # seconds, from which on the time left is shown


class OfKinds(dict[str, T]):
    """Words for each kind of sequence."""

    def __init__(self, of_kinds: Mapping[str, T], other: Callable[[str], T]) -> None:
        super().__init__(of_kinds)
        self._other = other

    def __missing__(self, kind: str) -> T:
        return self._other(kind)


UNITS = OfKinds({"protein": "aa", "nucleotide": "bases"}, lambda kind: "residues")
KIND_NAMES = OfKinds({"protein": "protein", "nucleotide": "DNA or RNA"}, lambda kind: kind)
KIND_WORDS = OfKinds(
    {"protein": ("protein", "proteins"), "nucleotide": ("nucleotide sequence", "nucleotide sequences")},
    lambda kind: (f"{kind} sequence", f"{kind} sequences"),
)


def explain(error: BaseException) -> str:
    if isinstance(error, SwguiError):
        return str(error)
    if isinstance(error, OSError):
        return str(explained(error))
    if isinstance(error, MemoryError):
        return "The computer has too little free memory for this."
    return f"{type(error).__name__}: {error}"


def cells(number: float) -> str:
    """Return a number of matrix cells with a prefix, for example ``162 G cells``."""
    return f"{scaled(number)} cells"


def scaled(number: float) -> str:
    value, prefixes = float(number), ["", "k", "M", "G", "T", "P"]
    while abs(value) >= 999.5 and len(prefixes) > 1:
        value /= 1000
        prefixes.pop(0)
    prefix = prefixes[0]
    digits = 0 if prefix == "" or value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {prefix}".rstrip()


def percent(share: float) -> str:
    """Return a share of one in whole percent: ``26 %``."""
    return f"{100 * share:.0f} %"


def progress(done: float, total: float) -> str:
    """Return a progress in whole percent, rounded down: ``100 %`` means complete."""
    return f"{math.floor(100 * done / total + 1e-9) if total else 100} %"


def unbroken(text: str) -> str:
    """Return a text whose lines do not break between a number and its unit."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


def share_and_left(share: float, seconds: float) -> str:
    """Return the share of a work that is done and the time left by its speed so far; empty while that is short.

    Parameters
    ----------
    seconds : float
        Of the work so far.
    """
    left = seconds * (1 / share - 1) if share else 0.0
    return f"{percent(share)}, about {duration(left)} left" if left > LEFT else ""


def gap_costs(scheme: ScoringScheme) -> str:
    parts = [f"of {length} costs {scheme.gap_cost(length):,}" for length in COST_LENGTHS]
    return f"A gap {', '.join(parts)}."


def both_rules(scheme: ScoringScheme) -> str:
    """Return how programs write the gap costs of a scheme."""
    blast, others = (f"{first}/{scheme.gap_extend}" for first in (scheme.gap_open, scheme.gap_first))
    return f"Written {blast} in BLAST, {others} in EMBOSS and CUDASW++."


def queries(number: int, residues: int, kind: str) -> str:
    """Return a description of the queries, for example ``2 proteins (781 residues)``."""
    return f"{count(number, *KIND_WORDS[kind])} ({count(residues, letter_of(kind))})"


def plan(
    number: int,
    residues: int,
    kind: str,
    database: str,
    subjects: int,
    work: int,
    where: str,
    gcups: float | None,
    seconds: float | None = None,
    unknown: str = "The time is known after the first run.",
    *,
    brief: bool = False,
) -> str:
    """Return a sentence on what Search will do.

    Parameters
    ----------
    work : int
        Matrix cells, both strands included.
    where : str
        For example ``on NVIDIA H200``.
    gcups : float or None
        Speed measured before in the same place; None if there is none.
    seconds : float, optional
        Duration, if it is known better than from the speed alone.
    brief : bool
        Leave out queries and database.
    """
    sentence = (
        "Exact"
        if brief
        else (f"Search {queries(number, residues, kind)} against {database}, {count(subjects, 'sequence')}, exact")
    )
    sentence = f"{sentence}, {where}"
    if seconds is None and gcups is not None:
        seconds = work / gcups / 1e9
    if seconds is None:
        return f"{sentence}. {unknown}"
    return f"{sentence}: {'' if seconds < SHORTEST else 'about '}{duration(seconds)}."
