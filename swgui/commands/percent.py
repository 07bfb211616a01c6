"""Identity, coverage, counts and parts as they are typed: one reading for every command."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from swgui.core.errors import InvalidParameter

if TYPE_CHECKING:
    from swgui.core.several.shares import Share

HOW = "a share as 0.9, or a percentage as 90; 1 is all"


def percent(text: str) -> float:
    """Percentage that is meant: a number up to 1 is a share (0.9, and 1 is 100 %), one above 1 or with % a percentage.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is not from 0 to 100 %.
    """
    try:
        number = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        number = Decimal(-1)
    number = number if number.is_finite() else Decimal(-1)
    value = number if text.endswith("%") or number > 1 else 100 * number
    if not 0 <= value <= 100:
        raise ArgumentTypeError(f"'{text}' is no share from 0 to 1 (0.9) and no percentage from 0 to 100 (90 or 90%)")
    return float(value)


def share(text: str) -> float:
    """Share, from 0 to 1, that is meant; otherwise as `percent`."""
    return float(Decimal(str(percent(text))) / 100)


def positive(text: str) -> int:
    """Whole number above 0 that is meant; ``argparse.ArgumentTypeError`` if it is none."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def part_of(text: str) -> Share:
    """Part of a database that ``3/16`` means.

    Raises
    ------
    argparse.ArgumentTypeError
        If there is no such part.
    """
    from swgui.core.several.shares import Share  # here: few searches are of a part

    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    if found is None:
        raise ArgumentTypeError(f"'{text}' is no part: 3/16 is the third of sixteen")
    try:
        return Share(int(found[1]), int(found[2]))
    except InvalidParameter as error:
        raise ArgumentTypeError(f"{error.message} {error.hint}".rstrip(".")) from None


def typed(value: float) -> float | str:
    """Text or number that `percent` reads as a percentage."""
    return f"{value:g}%" if 0 < value <= 1 else value


def read_as_share(name: str, text: str) -> str:
    """Notice for a value that earlier versions read as a percentage; empty for others."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return ""
    if not value.is_finite() or not 0 < value <= 1:
        return ""
    return f"{name} {text} is {percent(text):g} %; it was {value} % in earlier versions, which is written {value}% now."
