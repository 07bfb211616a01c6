"""Profiles of nucleotides: the frequencies of replaced bases, and the composition of databases.

Related bases are identical in half of the places, and differ by a transition in a quarter of them, by assumption: of
the shares that were tried on families of structured RNA (identity 45 to 65 %) these found the most relatives. The
matrix whose frequencies these are scores 1 for equal bases, 0 for a transition and -1 for a transversion, in bits.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final, Literal

import msgspec
import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment, RowTable
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix, build_matrix

BASES: Final = "ACGT"
PURINES: Final = "AG"
SEEN: Final = 10_000_000  # bases of a database that are counted at most
SHORT: Final = 20  # bases; a shorter query seldom has a hit beyond chance
LONGEST: Final = 30_000  # bases that a profile has at most
PRIOR: Final = 1_000.0  # bases of each kind that are added to those counted


class SearchedBases(msgspec.Struct, frozen=True):
    """Facts of a nucleotide database that profiles for it are made with."""

    shares: tuple[float, float, float, float]  # of A, C, G and T on both strands together
    mean_length: float  # of its sequences


def searched_bases(database: EncodedDatabase) -> SearchedBases | None:
    """Return the facts of a nucleotide database; None of another one."""
    if database.alphabet.name != NUCLEOTIDE.name:
        return None
    counts, left = np.full(len(BASES), PRIOR), SEEN
    for piece in database.pieces:
        if left <= 0:
            break
        codes = piece.open().codes[:left]
        plain = np.bincount(NUCLEOTIDE.alike_codes[codes], minlength=len(BASES))[: len(BASES)]
        counts += plain
        left -= len(codes)
    both = counts + counts[::-1]  # A pairs with T, C with G
    a, c, g, t = (both / both.sum()).tolist()
    return SearchedBases((a, c, g, t), database.residues / max(len(database), 1))


def longest_summed(columns: int, recipe: Recipe, bases: SearchedBases | None) -> float:
    """Return the length up to which sequences are judged by sums over all alignments (`swgui.jobs.iterate.sums`).

    Parameters
    ----------
    columns : int
        Of the profile. 0 is returned if none is judged so: gaps must be so cheap that many alignments are alike.
    bases : SearchedBases, optional
        None where the database is no nucleotide one.
    """
    if bases is None:
        return 0.0
    subjects = recipe.gap_costs(columns, bases.mean_length).subjects
    return 0.0 if subjects == math.inf else subjects * columns


def check_bases(record: SequenceRecord) -> None:
    """Raise `InvalidParameter` if no profile can be made of a nucleotide query."""
    length, name = len(record.residues), record.id
    if length > LONGEST:
        raise InvalidParameter(
            "queries",
            name,
            f"The query '{name}' has {length:,} bases; a profile of nucleotides has at most {LONGEST:,}.",
            hint="Search with a part of it, or without rounds.",
        )
    unknown = record.residues.upper().count(b"N")
    if 2 * unknown > length:
        raise InvalidParameter(
            "queries",
            name,
            f"The query '{name}' is N in {unknown:,} of its {length:,} bases, which is more than half.",
            hint="Search with the part that is known.",
        )


def short_sentence(record: SequenceRecord) -> str:
    """Return a sentence on a nucleotide query that is very short; empty on others."""
    length = len(record.residues)
    return (
        f"'{record.id}' has {length} bases: few hits of so short a query are beyond chance." if length < SHORT else ""
    )


@cache
def related_bases() -> SubstitutionMatrix:
    """Return the matrix of related bases: 1 for equal ones, 0 for a transition, -1 for a transversion."""
    scores = {
        (one, other): 1 if one == other else 0 if (one in PURINES) == (other in PURINES) else -1
        for one in BASES
        for other in BASES
    }
    return build_matrix("related bases", NUCLEOTIDE, scores)


def matrix_behind(matrix: SubstitutionMatrix) -> SubstitutionMatrix:
    """Return the matrix whose frequencies a profile is made with: of nucleotides always that of related bases.

    Match and mismatch scores of nucleotide searches are chosen for sequences that are alike, and with their frequencies
    no distant relative is found.
    """
    return related_bases() if matrix.alphabet.name == NUCLEOTIDE.name else matrix


def written_with_u(alignment: MasterAlignment) -> bool:
    """Whether the query of an alignment is RNA that is written with U."""
    rna = alignment.alphabet.name == NUCLEOTIDE.name
    return rna and bool((alignment.query.codes == NUCLEOTIDE.code("U")).any())


def spelled(alignment: MasterAlignment, letter: Literal["T", "U"] | None = None) -> MasterAlignment:
    """Return an alignment of nucleotides with U for T, or T for U, in all rows; one of proteins as it is.

    Parameters
    ----------
    letter : {"T", "U"}, optional
        By default U if the query has one.
    """
    if alignment.alphabet.name != NUCLEOTIDE.name:
        return alignment
    t, u = NUCLEOTIDE.code("T"), NUCLEOTIDE.code("U")
    to_u = letter == "U" if letter else written_with_u(alignment)
    before, after = (t, u) if to_u else (u, t)
    if isinstance(alignment.rows, RowTable):
        table = alignment.rows
        both = table.codes, table.inserted
        codes, inserted = (np.where(some == before, after, some).astype(np.uint8) for some in both)
        return replace(alignment, rows=replace(table, codes=codes, inserted=inserted))
    return replace(alignment, rows=tuple(_row_spelled(row, before, after) for row in alignment.rows))


def _row_spelled(row: AlignedRow, before: int, after: int) -> AlignedRow:
    one, other = (NUCLEOTIDE.letters[code].encode() for code in (before, after))
    codes = np.where(row.codes == before, after, row.codes).astype(np.uint8)
    return replace(row, codes=codes, insertions={at: text.replace(one, other) for at, text in row.insertions.items()})
