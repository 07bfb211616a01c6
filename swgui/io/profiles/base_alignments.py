"""Alignments of RNA or DNA by column, with the structure that a Stockholm file has of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, guess_alphabet
from swgui.core.covariation.alignment import CODES, BaseAlignment, symbols_of
from swgui.core.errors import AlphabetMismatch, ProfileError
from swgui.core.scoring import ScoringScheme
from swgui.core.words import count
from swgui.io.matrices import load_matrix
from swgui.io.profiles.alignments import (
    GAPS,
    TextRow,
    check_lengths,
    clustal_rows,
    fasta_rows,
    is_a3m,
    is_clustal,
    is_fasta,
    is_stockholm,
    stockholm_of,
)
from swgui.io.profiles.base import ProfileText
from swgui.io.profiles.formats import LARGEST, profile_text
from swgui.io.read_report import shown
from swgui.io.sequences.sources import open_file

_BRACKETS: Final = {")": "(", ">": "<", "]": "[", "}": "{"}
_INSERTIONS: Final = b"abcdefghijklmnopqrstuvwxyz."  # of A3M
JUDGED: Final = 200  # rows that tell bases from residues of proteins
_SIGNS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*?" + GAPS
_READERS: Final[Sequence[tuple[Callable[[str], bool], Callable[[ProfileText], Sequence[TextRow]]]]] = (
    (is_fasta, lambda source: list(fasta_rows(source))),
    (is_clustal, clustal_rows),
)


def read_bases(path: str | os.PathLike[str]) -> tuple[BaseAlignment, tuple[str, ...]]:
    """Read an alignment of RNA or DNA in Stockholm, A3M, aligned FASTA or Clustal, which the content tells.

    Returns
    -------
    BaseAlignment
        All columns of the file; of A3M those of the query. Its structure is the line SS_cons of Stockholm.
    tuple of str
        Remarks on what was left out.

    Raises
    ------
    SequenceError
        If the file cannot be opened.
    ProfileError
        If it is no alignment, or breaks the rules of its format.
    AlphabetMismatch
        If it is of proteins.
    """
    place = Path(path)
    with open_file(place) as source:
        text = source.text().read(LARGEST + 1)
    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)  # asked for profiles alone
    given, kind = profile_text(text, place.name, scheme)
    name, structure = "", ""
    if is_stockholm(given.text):
        found = stockholm_of(given)
        rows, name, structure = found.rows, found.name, found.structure
    else:
        read = next((read for is_so, read in _READERS if is_so(given.text)), None)
        if read is None:
            raise given.error(f"the file is {kind.name}, not an alignment", hint="Give Stockholm, A3M or FASTA.")
        rows = read(given)
    symbols = _symbols(given, rows, a3m=is_a3m(given.text))
    partners = partners_of(given, structure, symbols.shape[1]) if structure else None
    made = BaseAlignment(name or place.stem, [row.name for row in rows], CODES[symbols], partners, symbols)
    return made, tuple(given.remarks)


def _symbols(source: ProfileText, rows: Sequence[TextRow], *, a3m: bool) -> NDArray[np.uint8]:
    if not rows:
        raise source.error("the alignment is empty", hint="An alignment has one row at least.")
    texts = [row.text for row in rows]
    for row, text in zip(rows, texts, strict=True):
        if wrong := text.translate(None, _SIGNS):
            column = text.index(wrong[:1])
            sign = shown("".join(row.parts)[column])
            raise source.error(
                f"'{sign}' in column {column + 1} of '{shown(row.name)}' is neither a base nor a gap",
                line=row.line_of(column),
            )
    letters = b"".join(texts[:JUDGED]).translate(None, GAPS + b"*?")
    if not letters:
        raise source.error(f"its first {count(min(len(texts), JUDGED), 'row')} have no bases")
    kind = guess_alphabet(letters)
    if kind is not NUCLEOTIDE:
        mismatch = AlphabetMismatch(NUCLEOTIDE.name, kind.name, f"alignment {source.name}")
        mismatch.hint = "Columns of RNA or DNA alone can be compared."
        raise mismatch
    if a3m:
        texts = [text.translate(None, _INSERTIONS) for text in texts]
    check_lengths(source, rows, [len(text) for text in texts], a3m=a3m)
    return symbols_of(texts)


def partners_of(source: ProfileText, structure: str, columns: int) -> NDArray[np.int64]:
    """Column that each one is paired with by a line SS_cons, shape (columns,); -1 without.

    Brackets of each kind pair among themselves, and so do letters: a capital one opens a pair of a pseudoknot.

    Raises
    ------
    ProfileError
        If the line has another number of columns, or a bracket without the other one.
    """
    if len(structure) != columns:
        raise source.error(f"the line SS_cons has {len(structure):,} columns for rows of {columns:,}")
    partners = np.full(columns, -1, dtype=np.int64)
    opened: dict[str, list[int]] = {}
    for column, sign in enumerate(structure):
        if sign in _BRACKETS.values() or "A" <= sign <= "Z":
            opened.setdefault(sign, []).append(column)
        elif sign in _BRACKETS or "a" <= sign <= "z":
            waiting = opened.get(_BRACKETS.get(sign, sign.upper()))
            if not waiting:
                raise _unpaired(source, sign, column)
            other = waiting.pop()
            partners[column], partners[other] = other, column
    if left := [(column, sign) for sign, columns_ in opened.items() for column in columns_]:
        raise _unpaired(source, left[0][1], left[0][0])
    return partners


def _unpaired(source: ProfileText, sign: str, column: int) -> ProfileError:
    return source.error(f"'{shown(sign)}' in column {column + 1:,} of the line SS_cons has no partner")
