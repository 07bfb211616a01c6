"""From named rows of text to an alignment in the columns of its query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import INVALID, Alphabet, guess_alphabet
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment, close_ends
from swgui.core.words import count
from swgui.io.profiles.base import ProfileText
from swgui.io.sequences.report import shown

GAPS: Final = b"-._~"
_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANGE: Final = re.compile(r"(.+)/(\d{1,10})-(\d{1,10})")

_Codes = NDArray[np.uint8]
_Flags = NDArray[np.bool_]


@dataclass(slots=True)
class TextRow:
    """One row as a file has it.

    Parameters
    ----------
    name, description : str
    line : int
        Where it begins.
    parts : list of str
        Its residues and gap signs, in pieces.
    """

    name: str
    description: str
    line: int
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> bytes:
        """All pieces, without blanks."""
        return "".join("".join(self.parts).split()).encode("ascii", "replace").replace(b"?", b"X")


def alignment_of(
    source: ProfileText, rows: Sequence[TextRow], matches: str = "", *, a3m: bool = False, name: str = ""
) -> MasterAlignment:
    """Return the alignment of rows, in the columns where the query has residues.

    The query is the first row. Where `matches` says which columns count and the first row has a gap in one of them,
    the consensus (the most frequent residue of each column) is the query, as one row more.

    Parameters
    ----------
    matches : str
        One sign for each column, a gap sign where it does not count (the RF line of Stockholm).
    a3m : bool
        Whether lower-case residues are insertions, and dots are nothing.
    name : str
        Of the consensus.

    Raises
    ------
    ProfileError
        If there is no row, or rows are not of one length, or have signs that are no residues.
    """
    if not rows:
        raise source.error("the alignment is empty", hint="An alignment has one row at least.")
    alphabet = guess_alphabet(b"".join(row.text for row in rows[:200]).translate(None, GAPS + b"*"))
    coded = [_coded(source, row, alphabet) for row in rows]
    columns = [
        _a3m_matches(row.text) if a3m else np.ones(len(codes), dtype=bool)
        for row, codes in zip(rows, coded, strict=True)
    ]
    _check_lengths(source, rows, [int(flags.sum()) for flags in columns], a3m=a3m)
    wanted = _flags(source, matches, int(columns[0].sum()))
    kept = wanted & (coded[0][columns[0]] < DELETION)
    consensus = bool(matches) and not np.array_equal(kept, wanted)
    if consensus:
        kept = wanted
    if not kept.any():
        raise source.error(f"'{shown(rows[0].name)}', the first row, has no residues", line=rows[0].line)
    made = [_row(row, codes, flags, kept) for row, codes, flags in zip(rows, coded, columns, strict=True)]
    filled = [row for row in made if row.residues]
    if len(filled) < len(made):
        source.remarks.append(
            f"{source.name}: {count(len(made) - len(filled), 'row')} without residues in columns that count left out."
        )
    if consensus:
        filled.insert(0, _consensus(name or "consensus", filled, alphabet))
    return MasterAlignment(alphabet, tuple(filled))


def _coded(source: ProfileText, row: TextRow, alphabet: Alphabet) -> _Codes:
    """Return the codes of a row, `DELETION` for gap signs."""
    table = bytearray([INVALID]) * 256
    for letter in _LETTERS.decode():
        table[ord(letter)] = alphabet.code(letter if letter.upper() in alphabet.letters else alphabet.wildcard)
    if "*" in alphabet.letters:
        table[ord("*")] = alphabet.code("*")
    for gap in GAPS:
        table[gap] = DELETION
    codes = np.frombuffer(row.text.translate(bytes(table)), dtype=np.uint8)
    if (codes == INVALID).any():
        at = int(np.argmax(codes == INVALID))
        sign = chr(row.text[at])
        raise source.error(
            f"'{shown(sign)}' in column {at + 1} of '{shown(row.name)}' is neither a residue nor a gap sign",
            line=row.line,
        )
    return codes


def _a3m_matches(text: bytes) -> _Flags:
    """Say which signs of a row of A3M stand in a column: capitals, gaps and stops."""
    signs = np.frombuffer(text, dtype=np.uint8)
    return ((signs >= ord("A")) & (signs <= ord("Z"))) | np.isin(signs, np.frombuffer(b"-_~*", dtype=np.uint8))


def _check_lengths(source: ProfileText, rows: Sequence[TextRow], lengths: Sequence[int], *, a3m: bool) -> None:
    for row, length in zip(rows, lengths, strict=True):
        if length != lengths[0]:
            what = "Lower-case residues of A3M are not counted." if a3m else "Gap signs fill up rows of an alignment."
            raise source.error(
                f"'{shown(row.name)}' has {length} columns, the first row {lengths[0]}", line=row.line, hint=what
            )


def _flags(source: ProfileText, matches: str, columns: int) -> _Flags:
    if not matches:
        return np.ones(columns, dtype=bool)
    signs = np.frombuffer(matches.encode("ascii", "replace"), dtype=np.uint8)
    if len(signs) != columns:
        raise source.error(f"the line RF has {len(signs)} columns for rows of {columns}")
    return ~np.isin(signs, np.frombuffer(GAPS, dtype=np.uint8))


def _row(row: TextRow, codes: _Codes, columns: _Flags, kept: _Flags) -> AlignedRow:
    """Return one row in the columns that are kept; what it has between its first and last of them are insertions."""
    matched = columns.copy()
    matched[columns] = kept
    place = np.cumsum(matched) - 1  # the kept column of each sign, or the one before it
    closed = close_ends(codes[matched])
    inside = np.flatnonzero(closed < DELETION)
    name, start = _name(row.name)
    if not len(inside):
        return AlignedRow(name, row.description, closed)
    residues = codes < DELETION
    first = int(np.flatnonzero(matched)[inside[0]])
    insertions: dict[int, bytes] = {}
    for at in np.flatnonzero(residues & ~matched & (place >= inside[0]) & (place < inside[-1])).tolist():
        column = int(place[at])
        insertions[column] = insertions.get(column, b"") + row.text[at : at + 1].upper()
    return AlignedRow(name, row.description, closed, insertions, start + int(residues[:first].sum()))


def _name(name: str) -> tuple[str, int]:
    """Return a name without the range behind it, and where the range begins."""
    found = _RANGE.fullmatch(name)
    if not found or not 0 < int(found[2]) <= int(found[3]):
        return name, 0
    return found[1], int(found[2]) - 1


def _consensus(name: str, rows: Sequence[AlignedRow], alphabet: Alphabet) -> AlignedRow:
    codes = np.stack([row.codes for row in rows])
    counts = np.stack([(codes == code).sum(axis=0) for code in range(len(alphabet))])
    best = np.where(counts.max(axis=0) > 0, counts.argmax(axis=0), alphabet.code(alphabet.wildcard))
    return AlignedRow(name, "consensus", best.astype(np.uint8))
