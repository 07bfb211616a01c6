"""How single values are written: E-values, texts, spreadsheet cells."""

from __future__ import annotations

import math
import re
from typing import Final

# Line breaks, other controls, and the marks that turn the direction of writing, which could disguise a name.
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")
_FORMULA_STARTS: Final = ("=", "+", "-", "@")


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
    exponent = math.floor(log10_evalue)
    mantissa = f"{10.0 ** (log10_evalue - exponent):.{digits - 1}f}"
    if mantissa.startswith("10"):  # rounding went over
        mantissa, exponent = f"{1:.{digits - 1}f}", exponent + 1
    if exponent < -4 or exponent > 5:
        return f"{mantissa}e{exponent:+03d}"
    value = float(mantissa) * 10.0**exponent
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def clean_text(text: str) -> str:
    """Make a text from a file fit for one line: controls and direction marks become blanks."""
    return _UNSAFE.sub(" ", text).strip()


def spreadsheet_text(text: str) -> str:
    """Make a text fit for a spreadsheet cell: one that would run as a formula gets an apostrophe in front."""
    cleaned = clean_text(text)
    return f"'{cleaned}" if cleaned.startswith(_FORMULA_STARTS) else cleaned
