"""Numbers with their nouns, times and E-values, as window, command line and files say them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

SHORTEST: Final = 0.095  # seconds; a time below it is "under 0.1 s" unless it was measured
MIN_READ: Final = -300  # decadic logarithm of the smallest E-value that is written as a number for people


def printable(name: str) -> str:
    """Return the name of a file fit for texts: bytes that are no UTF-8 become the replacement character."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def count(number: int, singular: str, plural: str = "") -> str:
    """Return ``1 hit`` or ``2,310 hits``; without `plural` an ``s`` is put behind `singular`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def agree(number: int, one: str, several: str) -> str:
    """Return the form of a word that agrees with a number: ``agree(1, "is", "are")`` is ``is``."""
    return one if number == 1 else several


def giga_cells(cells: float) -> str:
    """Return a number of matrix cells in thousands of millions: ``1,740 G cells``, ``0.31 G cells``."""
    giga = cells / 1e9
    return f"{giga:,.0f} G cells" if giga >= 1000 else f"{giga:.3g} G cells"


def file_size(size: float) -> str:
    """Return a number of bytes in words: ``812 bytes``, ``92.6 MB``."""
    if size < 1000:
        return count(int(size), "byte")
    for unit, share in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)):
        if size < share * 999.5 or unit == "TB":
            value = size / share
            return f"{value:,.0f} {unit}" if value >= 99.95 else f"{value:.1f} {unit}"
    raise AssertionError


def duration(seconds: float, *, measured: bool = False) -> str:
    """Return a time as people say it: ``0.4 s``, ``12 s``, ``3 min 20 s``, ``2 h 5 min``.

    Parameters
    ----------
    measured : bool
        Whether short times are given with a digit more: ``4.7 ms`` and ``0.12 s`` for ``under 0.1 s`` and ``0.1 s``.
    """
    if seconds < SHORTEST:
        return f"{1000 * seconds:.1f} ms" if measured else "under 0.1 s"
    if seconds < 9.95:
        return f"{seconds:.{2 if measured else 1}f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{round(whole / 60)} min"
    hours, rest = divmod(round(whole / 60), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def format_evalue(log10_evalue: float, digits: int = 2) -> str:
    """Write an E-value from its decadic logarithm; never 0 because of underflow.

    Parameters
    ----------
    log10_evalue : float
        NaN gives an empty text.
    digits : int
        Significant digits.

    Examples
    --------
    >>> format_evalue(-1234.5), format_evalue(-3.0), format_evalue(1.0)
    ('3.2e-1235', '0.0010', '10')
    """
    if math.isnan(log10_evalue):
        return ""
    if math.isinf(log10_evalue):
        return "0" if log10_evalue < 0 else "inf"
    return spell_evalue(*evalue_figures(log10_evalue, digits), digits)


def short_evalue(log10_evalue: float) -> str:
    """Write an E-value for people, as `format_evalue` does, but ``< 1e-300`` for all below.

    Examples
    --------
    >>> short_evalue(-1234.5), short_evalue(-9.0)
    ('< 1e-300', '1.0e-09')
    """
    return f"< 1e{MIN_READ}" if log10_evalue < MIN_READ else format_evalue(log10_evalue)


def equal_evalue(log10_evalue: float) -> str:
    """Write ``E = 1.0e-09`` or ``E < 1e-300`` for a sentence, from the decadic logarithm of E, which is known."""
    text = short_evalue(log10_evalue)
    return f"E {text}" if text.startswith("<") else f"E = {text}"


def evalue_figures(log10_evalue: float, digits: int) -> tuple[int, int]:
    """Return the first figures of an E-value, as `spell_evalue` takes them, and its exponent."""
    exponent = math.floor(log10_evalue)
    mantissa = f"{10.0 ** (log10_evalue - exponent):.{digits - 1}f}"
    return int(mantissa.replace(".", "")), exponent


@lru_cache(maxsize=1 << 16)
def spell_evalue(figures: int, exponent: int, digits: int) -> str:
    """Write an E-value from its first figures, as many as `digits` says, and its exponent.

    Where rounding went over, there is a figure more.
    """
    if figures >= 10**digits:
        figures, exponent = 10 ** (digits - 1), exponent + 1
    mantissa = f"{figures / 10 ** (digits - 1):.{digits - 1}f}"
    if exponent < -4 or exponent > 5:
        return f"{mantissa}e{exponent:+03d}"
    value = float(mantissa) * 10.0**exponent
    return f"{value:.{max(0, digits - 1 - exponent)}f}"
