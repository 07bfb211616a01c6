"""Clean the letters of records: those of an alphabet only, with a remark on each change."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.errors import SequenceError
from swgui.core.records import Remark
from swgui.core.words import agree
from swgui.io.read_report import GAP_SIGN, shown

_BLANKS: Final = b" \t\n\r\f\v"
_UPPER: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GAPS: Final = b"-.~_"
# Old FASTA files have comments behind ; # or !. A line of capitals behind # or ! has residues and begins with the sign
# of a broken codon.
_COMMENT_LINE: Final = rb"(?m)^(?:;|[#!](?![!-`{-~]*[A-Z][!-`{-~]*$))[^\n]*"
_SEPARATORS: Final = b":|/"  # signs between chains that some programs write as one sequence
_JOINED: Final = rb"(?:[A-Z*]\s*|[a-z](?=[:|/]+[A-Za-z])|^\s*)([:|/])[:|/]*\s*(?=[A-Za-z]|\Z)"
MODIFIED: Final = rb"\([A-Za-z0-9]{1,5}\)"  # a residue by its code of the PDB, as (6MZ)
_NON_ASCII: Final = r"[^\x00-\x7f]"
_ESCAPED: Final = 0xDC00  # added to a byte that is not UTF-8, which is then read as Latin-1
_DASH: Final = "Pd"  # the category of dashes in Unicode
# Categories of what is no residue: blanks, controls, accents of the letter before, digits and dashes.
_LEFT_OUT: Final = ("Z", "C", "M", "N", _DASH)
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


class RecordPosition(msgspec.Struct, frozen=True):
    """Place of a record in its file, for messages."""

    record: int  # from 1
    line: int  # line of its header, 0 if unknown
    name: str
    by_lines: bool = False  # whether the letters are given with their line breaks, the first line being ``line + 1``


class LetterCleaner:
    """Turns raw text of records into residues of one alphabet, upper-case ones unless case matters there.

    Blanks and line ends are dropped without a remark. A record of plain upper-case letters costs two
    passes of ``bytes.translate``; only others are looked at more closely.

    Attributes
    ----------
    plain_letters : bytes
        Those that need no remark.
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
        # '?' is the unknown residue of some formats, '#' a broken codon of others: every other letter or sign becomes
        # the wildcard, so that all positions behind it stay as they are.
        table = bytearray(range(256))
        wildcard = ord(alphabet.wildcard)
        for letter in _UPPER:
            lower = letter + 32 if alphabet.case_matters else letter
            table[letter] = letter if letter in letters else wildcard
            table[letter + 32] = lower if lower in letters else wildcard
        kept = set(letters) | set(_UPPER) | set(_UPPER.lower())
        signs = set(range(ord("!"), 127)) - kept - set(_GAPS) - set(b"0123456789")
        for sign in signs:
            table[sign] = wildcard
        self._table = bytes(table)
        self._left_out = bytes(sorted(set(range(128)) - kept - signs))
        self._replaced = signs | set(_UPPER) | set(_UPPER.lower())
        self._separators = frozenset(signs & set(_SEPARATORS))

    def plain(self, body: bytes) -> bytes | None:
        """Return the residues of a record if they need no remark, else None."""
        return None if body.translate(None, self._plain) else body.translate(None, _BLANKS)

    def clean(self, body: bytes, place: RecordPosition) -> tuple[bytes, list[Remark]]:
        """Return the cleaned letters of a record, and the remarks on changes.

        Parameters
        ----------
        body : bytes
            UTF-8 text of the record without its header.

        Raises
        ------
        SequenceError
            If chains are joined in it by a sign between them.
        """
        remarks: list[Remark] = []
        suspicious = body.translate(None, self._plain)
        if re.search(rb"[;#!]", suspicious):
            body = self._without_comments(body, place, remarks)
        if b"(" in suspicious:
            body = self._without_modified(body, place, remarks)
        if any(sign in suspicious for sign in self._separators):
            self._refuse_chains(body, place)
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

    def _remark(self, symbol: int, count: int, body: bytes, place: RecordPosition) -> Remark | None:
        letter = chr(symbol)
        kind: Literal["odd", "replaced", "removed"]
        if symbol in self._rare:
            why = _ODD_LETTERS.get((self.alphabet.name, letter)) or "one of " + "".join(
                self.alphabet.expansions[letter]
            )
            kind, fault = "odd", f"'{letter}' ({why}) {agree(count, 'was', 'were')} kept"
        elif symbol in self._replaced:
            if letter in self.alphabet.letters:
                return None  # lower case, and nothing else
            kind, fault = "replaced", f"'{letter}' {agree(count, 'was', 'were')} replaced by {self.alphabet.wildcard}"
        elif symbol in _GAPS:
            kind, fault = "removed", f"'{letter}' {GAP_SIGN} {agree(count, 'was', 'were')} left out"
        else:
            sign = f"'{letter}'" if letter.isprintable() else f"the control character {symbol}"
            kind, fault = "removed", f"{sign} {agree(count, 'was', 'were')} left out"
        return self._located(kind, fault, count, _place_of(body, symbol), body, place)

    def _located(
        self,
        kind: Literal["odd", "replaced", "removed", "note"],
        fault: str,
        count: int,
        position: int,
        body: bytes,
        place: RecordPosition,
    ) -> Remark:
        times = f"{count:,} × " if count > 1 else ""
        line, where = _where(position, body, place)
        first = "first at " if count > 1 else "at "
        message = f"Record {place.record} '{place.name}': {times}{fault}, {first}{where}."
        return Remark(kind, message, place.record, line, count)

    def _refuse_chains(self, body: bytes, place: RecordPosition) -> None:
        """Refuse a separator next to residues; elsewhere, as in words, it is an ordinary sign."""
        for match in re.finditer(_JOINED, body):
            if match[1][0] in self._separators:
                line, where = _where(match.start(1), body, place)
                raise SequenceError(
                    f"Record {place.record} '{place.name}' has '{match[1].decode()}' at {where}, "
                    "as if chains were joined by it.",
                    line=line,
                    record=place.record,
                    hint="Write each chain as a record with a header of its own.",
                )

    def _without_comments(self, body: bytes, place: RecordPosition, remarks: list[Remark]) -> bytes:
        """Blank out comment lines."""
        if not place.by_lines:
            return body
        comments = list(re.finditer(_COMMENT_LINE, body))
        if comments:
            text = shown(comments[0].group().decode("utf-8", "replace"), 40)
            fault = f"comment line '{text}' {agree(len(comments), 'was', 'were')} left out"
            remarks.append(self._located("note", fault, len(comments), comments[0].start(), body, place))
        return re.sub(_COMMENT_LINE, b"", body)

    def _without_modified(self, body: bytes, place: RecordPosition, remarks: list[Remark]) -> bytes:
        """Replace each modified residue, a code of the PDB in brackets, by one wildcard."""
        found = list(re.finditer(MODIFIED, body))
        for code in dict.fromkeys(match.group() for match in found):
            of_code = [match.start() for match in found if match.group() == code]
            fault = f"'{code.decode()}' {agree(len(of_code), 'was', 'were')} replaced by {self.alphabet.wildcard}"
            remarks.append(self._located("replaced", fault, len(of_code), of_code[0], body, place))
        return re.sub(MODIFIED, self.alphabet.wildcard.encode(), body)

    def _without_invalid_characters(self, body: bytes, place: RecordPosition, remarks: list[Remark]) -> bytes:
        """Replace letters and signs beyond ASCII by the wildcard; leave out gaps, digits, controls and accents."""
        text = body.decode("utf-8", "surrogateescape")
        counts: dict[str, int] = {}
        for match in re.finditer(_NON_ASCII, text):
            counts[match.group()] = counts.get(match.group(), 0) + 1
        wildcard = self.alphabet.wildcard
        replacement: dict[int, str] = {}
        for sign, number in counts.items():
            meant = chr(ord(sign) - _ESCAPED) if ord(sign) >= _ESCAPED and not sign.isprintable() else sign
            kind = _DASH if meant == "\N{MINUS SIGN}" else unicodedata.category(meant)
            replaced = not kind.startswith(_LEFT_OUT)
            replacement[ord(sign)] = wildcard if replaced else ""
            if meant.isspace() or sign in "\ufeff\u200b":
                continue
            name = f"'{meant}'" if meant.isprintable() else f"the character U+{ord(meant):04X}"
            gap = f" {GAP_SIGN}" if kind == _DASH else ""
            fault = f"{name}{gap} {agree(number, 'was', 'were')} " + (
                f"replaced by {wildcard}" if replaced else "left out"
            )
            position = len(text[: text.index(sign)].encode("utf-8", "surrogateescape"))
            remarks.append(self._located("replaced" if replaced else "removed", fault, number, position, body, place))
        return text.translate(replacement).encode("ascii")


def _where(position: int, body: bytes, place: RecordPosition) -> tuple[int, str]:
    """Return the line of a place in the text of a record, and where that is in words."""
    if not place.by_lines:
        return place.line, f"position {position + 1}"
    line = place.line + 1 + body.count(b"\n", 0, position)
    column = position - body.rfind(b"\n", 0, position)
    return line, f"line {line}, column {column}"


def _count_bytes(data: bytes) -> NDArray[np.int64]:
    """Count each byte value, in blocks because `bincount` widens its input eightfold."""
    counts = np.zeros(256, dtype=np.int64)
    for start in range(0, len(data), _BLOCK):
        counts += np.bincount(np.frombuffer(data[start : start + _BLOCK], dtype=np.uint8), minlength=256)
    return counts


def _place_of(body: bytes, symbol: int) -> int:
    """Position of the first occurrence in either case."""
    places = [position for sign in {symbol, ord(chr(symbol).lower())} if (position := body.find(bytes([sign]))) >= 0]
    return min(places)
