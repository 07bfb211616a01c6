"""Cleaning the letters of a record: what is kept, replaced or left out, and the remarks about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.records import Remark
from swgui.io.sequences.report import shown

_BLANKS: Final = b" \t\n\r\f\v"
_UPPER: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GAPS: Final = b"-.~_"
_COMMENT_LINE: Final = re.compile(rb"^[;#!][^\n]*", re.MULTILINE)
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_BLOCK: Final = 1 << 20

# Why a rare letter deserves a remark.
_ODD_LETTERS: Final = {
    ("protein", "B"): "aspartate or asparagine",
    ("protein", "Z"): "glutamate or glutamine",
    ("protein", "J"): "leucine or isoleucine",
    ("protein", "U"): "selenocysteine, scored as cysteine unless the matrix has U",
    ("protein", "O"): "pyrrolysine, scored as X unless the matrix has O",
    ("protein", "*"): "a stop",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands, for messages.

    Parameters
    ----------
    record : int
        From 1.
    line : int
        Line of its header, 0 if unknown.
    by_lines : bool
        Whether the letters are given with their line breaks, the first line being ``line + 1``.
    """

    record: int
    line: int
    name: str
    by_lines: bool = False


class LetterCleaner:
    """Turns raw text of records into letters of one alphabet, upper-case ones unless case matters there.

    Blanks and line ends are dropped without a word. A record of plain upper-case letters costs two
    passes of ``bytes.translate``; only others are looked at more closely.

    Attributes
    ----------
    plain_letters : bytes
        About which nothing is said.
    """

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.lower_case_records = 0
        rare = {letter for kind, letter in _ODD_LETTERS if kind == alphabet.name}
        rare |= set(alphabet.expansions) - {alphabet.wildcard, "U"} if alphabet.name == "nucleotide" else set()
        letters = alphabet.letters.encode()
        self._rare = "".join(sorted(rare)).encode()
        self.plain_letters = letters.translate(None, self._rare)
        self._plain = self.plain_letters + _BLANKS
        # '?' is the unknown residue of alignment formats; every other letter becomes the wildcard.
        table = bytearray(range(256))
        wildcard = ord(alphabet.wildcard)
        for letter in _UPPER:
            lower = letter + 32 if alphabet.case_matters else letter
            table[letter] = letter if letter in letters else wildcard
            table[letter + 32] = lower if lower in letters else wildcard
        table[ord("?")] = wildcard
        self._table = bytes(table)
        kept = set(letters) | set(_UPPER) | set(_UPPER.lower()) | {ord("?")}
        self._left_out = bytes(sorted(set(range(128)) - kept))

    def plain(self, body: bytes) -> bytes | None:
        """Return the letters of a record if nothing has to be said about them, else None."""
        return None if body.translate(None, self._plain) else body.translate(None, _BLANKS)

    def clean(self, body: bytes, place: Place) -> tuple[bytes, list[Remark]]:
        """Return the letters of a record, and what was done to get them.

        Parameters
        ----------
        body : bytes
            UTF-8 text of the record without its header.
        """
        remarks: list[Remark] = []
        suspicious = body.translate(None, self._plain)
        if re.search(rb"[;#!]", suspicious):
            body = self._without_comments(body, place, remarks)
        if not suspicious.isascii():
            body = self._without_invalid_characters(body, place, remarks)
        suspicious = body.translate(None, self._plain)
        counts = _count_bytes(suspicious)
        if counts[97:123].any() and not self.alphabet.case_matters:
            self.lower_case_records += 1
            counts[65:91] += counts[97:123]
            counts[97:123] = 0
        for symbol in np.flatnonzero(counts):
            remark = self._remark(int(symbol), int(counts[symbol]), body, place)
            if remark:
                remarks.append(remark)
        return body.translate(self._table, self._left_out), remarks

    def invalid_share(self, body: bytes) -> float:
        """Return the share of letters that are not of the alphabet (X, the mask of both, not counted)."""
        letters = body.translate(None, bytes(sorted(set(range(256)) - set(_UPPER) - set(_UPPER.lower()))))
        invalid = self.alphabet.invalid(letters.translate(None, b"Xx"))
        return len(invalid) / len(letters) if letters else 0.0

    def _remark(self, symbol: int, count: int, body: bytes, place: Place) -> Remark | None:
        letter = chr(symbol)
        kind: Literal["odd", "replaced", "removed"]
        if symbol in self._rare:
            why = _ODD_LETTERS.get((self.alphabet.name, letter)) or "one of " + "".join(
                self.alphabet.expansions[letter]
            )
            kind, what = "odd", f"'{letter}' ({why}) {_was(count)} kept"
        elif symbol in _UPPER or symbol in _UPPER.lower() or letter == "?":
            if letter in self.alphabet.letters:
                return None  # lower case, and nothing else
            kind, what = "replaced", f"'{letter}' {_was(count)} replaced by {self.alphabet.wildcard}"
        elif symbol in _GAPS:
            kind, what = "removed", f"'{letter}' (gap sign) {_was(count)} left out"
        else:
            sign = f"'{letter}'" if letter.isprintable() else f"the control character {symbol}"
            kind, what = "removed", f"{sign} {_was(count)} left out"
        return self._located(kind, what, count, _first_of(body, symbol), body, place)

    def _located(
        self,
        kind: Literal["odd", "replaced", "removed", "note"],
        what: str,
        count: int,
        at: int,
        body: bytes,
        place: Place,
    ) -> Remark:
        times = f"{count:,} × " if count > 1 else ""
        line = place.line
        if place.by_lines:
            line = place.line + 1 + body.count(b"\n", 0, at)
            column = at - body.rfind(b"\n", 0, at)
            where = f"line {line}, column {column}"
        else:
            where = f"position {at + 1}"
        first = "first at " if count > 1 else "at "
        message = f"Record {place.record} '{place.name}': {times}{what}, {first}{where}."
        return Remark(kind, message, place.record, line, count)

    def _without_comments(self, body: bytes, place: Place, remarks: list[Remark]) -> bytes:
        """Blank out lines that begin with ; # or !, which old FASTA files use for comments."""
        if not place.by_lines:
            return body
        found = list(_COMMENT_LINE.finditer(body))
        if found:
            text = shown(found[0].group().decode("utf-8", "replace"), 40)
            what = f"comment line '{text}' {_was(len(found))} left out"
            remarks.append(self._located("note", what, len(found), found[0].start(), body, place))
        return _COMMENT_LINE.sub(b"", body)

    def _without_invalid_characters(self, body: bytes, place: Place, remarks: list[Remark]) -> bytes:
        """Replace letters beyond ASCII by the wildcard and leave out other signs; blanks go silently."""
        text = body.decode("utf-8", "surrogateescape")
        counts: dict[str, int] = {}
        for found in _NON_ASCII.finditer(text):
            counts[found.group()] = counts.get(found.group(), 0) + 1
        wildcard = self.alphabet.wildcard
        replacement: dict[int, str] = {}
        for sign, count in counts.items():
            is_letter = sign.isalpha()
            replacement[ord(sign)] = wildcard if is_letter else ""
            if sign.isspace() or sign in "\ufeff\u200b":
                continue
            name = shown(sign) if sign.isprintable() else f"the character U+{ord(sign):04X}"
            what = f"'{name}' {_was(count)} " + (f"replaced by {wildcard}" if is_letter else "left out")
            at = len(text[: text.index(sign)].encode("utf-8", "surrogateescape"))
            remarks.append(self._located("replaced" if is_letter else "removed", what, count, at, body, place))
        return text.translate(replacement).encode("ascii")


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _count_bytes(data: bytes) -> NDArray[np.int64]:
    """Count each byte value, in blocks because `bincount` widens its input eightfold."""
    counts = np.zeros(256, dtype=np.int64)
    for start in range(0, len(data), _BLOCK):
        counts += np.bincount(np.frombuffer(data[start : start + _BLOCK], dtype=np.uint8), minlength=256)
    return counts


def _first_of(body: bytes, symbol: int) -> int:
    """Position of the first occurrence in either case."""
    places = [at for sign in {symbol, ord(chr(symbol).lower())} if (at := body.find(bytes([sign]))) >= 0]
    return min(places)
