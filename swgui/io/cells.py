"""How values are written: names on one line, cells of tables and of spreadsheets, JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cache
from itertools import count, repeat
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.lines import ABOVE_ALL, BELOW_ALL, NOT_KNOWN
from swgui.core.table import SHORTEST, TEXTS, Column, Kind, Values, listed
from swgui.core.words import evalue_figures as figures_of_one
from swgui.core.words import format_evalue, spell_evalue

H = TypeVar("H", bound=Hashable)
S = TypeVar("S")

EVALUE_DIGITS: Final = 3  # in tables; BLAST writes as many
_WRITERS: Final[dict[Kind, Callable[[Column[Any]], Callable[[Any], str]]]] = {
    "integer": lambda column: str,
    "real": lambda column: ("{:.10g}" if column.decimals == SHORTEST else f"{{:.{column.decimals}f}}").format,
    "evalue": lambda column: lambda value: format_evalue(float(value), EVALUE_DIGITS),
}

# Line breaks, other controls, and the marks that turn the direction of writing, which could disguise a name.
_UNSAFE: Final = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+"
_UNSAFE_IN_JSON: Final = r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"  # others it escapes
_FORMULA_STARTS: Final = ("=", "+", "-", "@")
_FORMULAS: Final = frozenset(_FORMULA_STARTS)
_HALFWAY: Final = 1e-6


def clean_text(text: str) -> str:
    """Make a text from a file fit for one line: controls and direction marks become blanks."""
    return (text if text.isprintable() else re.sub(_UNSAFE, " ", text)).strip()  # most are: eight times as fast


def fact_text(value: object) -> str:
    """Return a fact as people read it; the entries of a list or table one after the other."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {entry}" for name, entry in value.items())
    return str(value)


def spreadsheet_text(text: str) -> str:
    """Make a text fit for a spreadsheet cell: one that would run as a formula gets an apostrophe in front.

    A sign alone, as of a strand, is none.
    """
    cleaned = clean_text(text)
    return f"'{cleaned}" if cleaned.startswith(_FORMULA_STARTS) and len(cleaned) > 1 else cleaned


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value as JSON, its letters as they are; signs that a terminal would obey are written as numbers."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    text = _json().encode(value) if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
    return text if text.isascii() and "\x7f" not in text else re.sub(_UNSAFE_IN_JSON, _as_number, text)


@cache
def _json() -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False)


def _as_number(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign[0]):04x}"


def from_spreadsheet(text: str) -> str:
    """Return a text as it was before `spreadsheet_text` protected it."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA_STARTS) else text


def free_name(name: str, number: int, taken: Collection[str], longest: int | None = None) -> str:
    """Return a name; with the first number from `number` on that makes it free where another has it.

    Parameters
    ----------
    longest : int, optional
        Letters that a name with a number keeps of the name.
    """
    free, numbers = name, count(number)
    while free in taken:
        free = f"{name[:longest]}_{next(numbers)}"
    return free


def distinct_names(names: Iterable[str], numbers: Iterable[int] | None = None) -> list[str]:
    """Return names of which no two are equal: the first of equal ones stays as it is, the others get a number.

    Parameters
    ----------
    names : iterable of str
        A name that another one has is never given.
    numbers : iterable of int, optional
        Of each name the number that is tried first: its place in its file, from 1. Without it copies count from 2.
    """
    given = list(names)
    taken, seen, made = set(given), set[str](), list[str]()
    if len(taken) == len(given):
        return given
    for name, number in zip(given, numbers or repeat(2), strict=False):
        free = free_name(name, number, taken) if name in seen else name
        seen.add(name)
        taken.add(free)
        made.append(free)
    return made


def sequence_names(ids: Iterable[str]) -> list[str]:
    """Return the names of the sequences of one file in tables: identifiers for one line, no two equal.

    The first of some equal ones keeps its name; each other has its place in the file, from 1, behind it (``name_3``).
    """
    return distinct_names(map(clean_text, ids), numbers=count(1))


def listed_names(ids: Sequence[str], listed: Iterable[int]) -> dict[int, str]:
    """Return the names of some sequences of a file by source index, as `sequence_names` among these alone."""
    indices = sorted(set(listed))
    names = distinct_names((clean_text(ids[index]) for index in indices), (index + 1 for index in indices))
    return dict(zip(indices, names, strict=True))


def are_plain(texts: Sequence[str]) -> bool:
    """Return whether texts are written unchanged, by `clean_text` and `spreadsheet_text` alike; all at once."""
    printable = "".join(texts).isprintable() and list(map(str.strip, texts)) == list(texts)
    return printable and _FORMULAS.isdisjoint({text[:1] for text in texts})


def mapped(write: Callable[[H], str], values: Sequence[H]) -> list[str]:
    """Return the text of each value; equal ones are converted once."""
    written = {value: write(value) for value in set(values)}
    return [written[value] for value in values]


def evalue_texts(log10_evalues: NDArray[np.floating[Any]], digits: int) -> list[str]:
    """Return `format_evalue` of many, with the same figures.

    Parameters
    ----------
    log10_evalues : ndarray, shape=(n,)
    """
    figures, exponents = evalue_figures(log10_evalues, digits)
    of_each = figures.tolist(), exponents.tolist()
    texts = [spell_evalue(first, exponent, digits) for first, exponent in zip(*of_each, strict=True)]
    for index in np.flatnonzero(figures < 0).tolist():
        texts[index] = format_evalue(float(log10_evalues[index]), digits)
    return texts


def evalue_figures(
    log10_evalues: NDArray[np.floating[Any]], digits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first figures of E-values and their exponents, as those of one by `swgui.core.words`.

    Parameters
    ----------
    log10_evalues : ndarray, shape=(n,)

    Returns
    -------
    figures, exponents : ndarray, shape=(n,), dtype=int64
        Figures are `NOT_KNOWN`, `BELOW_ALL` or `ABOVE_ALL` where there are none.
    """
    finite = np.isfinite(log10_evalues)
    given = np.where(finite, log10_evalues, 0.0).astype(np.float64)
    floors = np.floor(given)
    scaled = 10.0 ** (given - floors) * 10 ** (digits - 1)
    rounded = np.rint(scaled)
    figures, exponents = rounded.astype(np.int64), floors.astype(np.int64)
    # Halfway between two figures the last bit decides, which NumPy's powers do not share with Python's.
    for index in np.flatnonzero(np.abs(np.abs(scaled - rounded) - 0.5) < _HALFWAY).tolist():
        figures[index], exponents[index] = figures_of_one(float(given[index]), digits)
    if not finite.all():
        none = np.where(np.isnan(log10_evalues), NOT_KNOWN, np.where(log10_evalues < 0, BELOW_ALL, ABOVE_ALL))
        figures = np.where(finite, figures, none)
    return figures, exponents


def texts_of(column: Column[S], source: S, clean: Callable[[str], str] = clean_text) -> list[str]:
    """Return the value of each row of a table as written to files; empty where it is not known.

    Parameters
    ----------
    clean : callable
        Makes the names and titles of a ``text`` column fit for the file.
    """
    return written(column, column.read_all(source), clean)


def written(column: Column[Any], read: Values, clean: Callable[[str], str] = clean_text) -> list[str]:
    """Return values that were read for a column as written to files; as `texts_of` otherwise."""
    if column.kind == "evalue" and isinstance(read, np.ndarray):
        return evalue_texts(read, EVALUE_DIGITS)
    values = listed(read)
    if column.kind in TEXTS:
        words = ["" if value is None else str(value) for value in values]
        return words if column.kind == "word" or are_plain(words) else mapped(clean, words)
    write = _WRITERS[column.kind](column)
    if None in values:
        return ["" if value is None else write(value) for value in values]
    return list(map(write, values))


def literals(column: Column[S], source: S) -> list[str]:
    """Return the value of each row as JSON; E itself of an ``evalue`` column, with all of its exponent."""
    if column.kind == "evalue":
        return ["null" if text in ("", "inf") else text for text in texts_of(column, source)]
    values = column.values(source)
    if column.kind == "real" and column.decimals != SHORTEST:
        return ["null" if value is None else json_text(round(float(value), column.decimals)) for value in values]
    return [json_text(value) for value in values]
