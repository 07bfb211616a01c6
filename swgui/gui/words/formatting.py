"""Numbers on the screen: thousands separators, few digits, a dash for unknown ones."""

from __future__ import annotations

import math

from swgui.core.translation.frames import SHIFTING, query_frame, subject_frame
from swgui.core.words import count, format_evalue, short_evalue
from swgui.core.words import file_size as file_size

NOTHING = "–"


def whole(value: float) -> str:
    """Whole number with thousands separators; a dash if unknown."""
    return NOTHING if math.isnan(value) else f"{int(value):,}"


def tenths(value: float) -> str:
    """One decimal, for bit scores and percentages; a dash if unknown."""
    return NOTHING if math.isnan(value) else f"{value:,.1f}"


def log_ten(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def signed(value: int) -> str:
    """Whole number with its sign: ``+11``, ``−4``, ``0``."""
    return f"{value:+d}".replace("-", "\N{MINUS SIGN}") if value else "0"


def evalue(log10_evalue: float) -> str:
    """Write an E-value with two digits from its decadic logarithm, ``< 1e-300`` for all below; a dash if unknown."""
    return short_evalue(log10_evalue) or NOTHING


def limit(log10_evalue: float) -> str:
    """Write an E-value that a user chose, without trailing zeros: ``10``, ``0.001``, ``1e-20``."""
    if -4 <= log10_evalue <= 5:
        return f"{float(f'{10**log10_evalue:.3g}'):,.6g}"
    return format_evalue(log10_evalue).replace(".0e", "e").replace("e+0", "e").replace("e+", "e")


def strand(reading: int) -> str:
    """Return the reading of sequences: ``minus strand``, ``frame +2``, ``frames +2 and -1``; empty for the plus strand.

    A strand has no frame if the reading may shift.
    """
    pair = [frame for frame in (query_frame(reading), subject_frame(reading)) if frame]
    if pair and abs(pair[0]) == SHIFTING:
        return "plus strand" if pair[0] > 0 else "minus strand"
    frames = [f"{frame:+d}" for frame in pair]
    if frames:
        return f"{'frames' if len(frames) > 1 else 'frame'} {' and '.join(frames)}"
    return "minus strand" if reading < 0 else ""


def alignments(number: int, strands: int, significant: int = 0, *, noun: bool = True, frames: bool = False) -> str:
    """Return the number of alignments of a subject: ``7 alignments, 2 strands``, without the noun ``7, 2 strands``.

    Parameters
    ----------
    significant : int
        Number of significant ones: named if others are not.
    frames : bool
        Whether frames were counted in place of strands.
    """
    if not number:
        return NOTHING
    both = f", {strands} {'frames' if frames else 'strands'}" if strands > 1 else ""
    strong = f" ({significant:,} significant)" if 0 < significant < number else ""
    return (count(number, "alignment") if noun else f"{number:,}") + strong + both
