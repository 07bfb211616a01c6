"""How texts are written: on one line, and in cells of spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Final, TypeVar

H = TypeVar("H", bound=Hashable)

# Line breaks, other controls, and the marks that turn the direction of writing, which could disguise a name.
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")
_FORMULA_STARTS: Final = ("=", "+", "-", "@")
_FORMULAS: Final = frozenset(_FORMULA_STARTS)


def clean_text(text: str) -> str:
    """Make a text from a file fit for one line: controls and direction marks become blanks."""
    return (text if text.isprintable() else _UNSAFE.sub(" ", text)).strip()  # most are: eight times as fast


def spreadsheet_text(text: str) -> str:
    """Make a text fit for a spreadsheet cell: one that would run as a formula gets an apostrophe in front."""
    cleaned = clean_text(text)
    return f"'{cleaned}" if cleaned.startswith(_FORMULA_STARTS) else cleaned


def are_plain(texts: Sequence[str]) -> bool:
    """Tell whether texts are written as they are, by `clean_text` and `spreadsheet_text` alike; all at once."""
    printable = "".join(texts).isprintable() and list(map(str.strip, texts)) == list(texts)
    return printable and _FORMULAS.isdisjoint({text[:1] for text in texts})


def mapped(write: Callable[[H], str], values: Sequence[H]) -> list[str]:
    """Return what is written of each value; of equal ones it is made once."""
    written = {value: write(value) for value in set(values)}
    return [written[value] for value in values]
