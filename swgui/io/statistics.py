"""Published statistical parameters, and simulated ones, read from ``resources/statistics``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.statistics.evalue import GumbelParameters, KarlinAltschul
from swgui.io.matrices import load_matrix
from swgui.paths import resources_dir

_AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
_PROTEIN_SOURCE = "Altschul et al. (2001) and Park et al. (2012), as tabulated by NCBI BLAST+"
_SIMULATED_SOURCE = "estimated from random sequences by packaging/measuring/simulate_statistics.py"
_NUCLEOTIDE_SOURCE = "tabulated by NCBI BLAST+ for blastn"


def load_statistics(scheme: ScoringScheme, *, simulated: bool = False) -> KarlinAltschul | None:
    """Return the published parameters of a scheme, or None if there are none.

    The matrix is recognised by its values, not by its name: a file of one's own called BLOSUM62 gets the
    parameters of BLOSUM62 only if it is BLOSUM62.

    Parameters
    ----------
    simulated : bool
        Whether those that random sequences gave will do: where nothing can be fitted to the scores of a search.

    Returns
    -------
    KarlinAltschul or None
    """
    if scheme.alphabet.name == PROTEIN.name:
        name = _protein_matrix_name(scheme.matrix)
        published = _published(name, scheme.gap_open, scheme.gap_extend) if name else None
        return _simulated(scheme) if published is None and simulated else published
    pair = _match_mismatch(scheme.matrix)
    return _nucleotide_statistics(*pair, scheme.gap_open, scheme.gap_extend) if pair else None


def tabulated_gaps(matrix: SubstitutionMatrix) -> tuple[tuple[int, int], ...]:
    """Return the gap costs (open, extend; BLAST rule) that have published parameters for a matrix."""
    if matrix.alphabet.name == PROTEIN.name:
        name = _protein_matrix_name(matrix)
        return tuple((int(o), int(e)) for known, o, e in _protein_rows() if known == name and o != "-")
    pair = _match_mismatch(matrix)
    if pair is None:
        return ()
    divisor = math.gcd(*pair)
    match, mismatch = pair[0] // divisor, pair[1] // divisor
    return tuple((o * divisor, e * divisor) for a, b, o, e in _nucleotide_table() if (a, b) == (match, mismatch))


def _rows(name: str) -> Iterator[dict[str, str]]:
    with open(resources_dir() / "statistics" / name, encoding="utf-8", newline="") as file:
        rows = (line.rstrip("\r\n").split("\t") for line in file if not line.startswith("#"))
        names = next(rows)
        yield from (dict(zip(names, row, strict=True)) for row in rows)


def _common(row: dict[str, str]) -> dict[str, Any]:
    """Return the parameters that every table has."""
    columns = {"lambda_": "lambda", "k": "K", "h": "H", "alpha": "a", "beta": "beta"}
    numbers = {name: float(row[column]) for name, column in columns.items()}
    return {"gap_open": int(row["gap_open"]), "gap_extend": int(row["gap_extend"]), **numbers}


@cache
def _protein_rows() -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the rows of the table by matrix and gap costs, which are ``-`` without gaps."""
    return {(row["matrix"], row["gap_open"], row["gap_extend"]): row for row in _rows("protein.tsv")}


@cache
def _published(name: str, gap_open: int, gap_extend: int) -> KarlinAltschul | None:
    row = _protein_rows().get((name, str(gap_open), str(gap_extend)))
    if row is None:
        return None
    ungapped = next(other for (matrix, gaps, _), other in _protein_rows().items() if (matrix, gaps) == (name, "-"))
    gumbel = GumbelParameters(
        a=float(row["a"]),
        alpha=float(row["alpha_v"]),
        sigma=float(row["sigma"]),
        ungapped_a=float(ungapped["a"]),
        ungapped_alpha=float(ungapped["alpha_v"]),
    )
    return KarlinAltschul(matrix=name, **_common(row), gumbel=gumbel, source=_PROTEIN_SOURCE)


def _simulated(scheme: ScoringScheme) -> KarlinAltschul | None:
    row = _simulated_rows().get((scheme.matrix.name, scheme.gap_open, scheme.gap_extend))
    if row is None:
        return None
    plain = _plain_values(load_matrix(scheme.matrix.name, PROTEIN), _AMINO_ACIDS)
    if not np.array_equal(plain, _plain_values(scheme.matrix, _AMINO_ACIDS)):
        return None  # a file of the same name
    return KarlinAltschul(
        matrix=scheme.matrix.name,
        **_common(row),
        source=_SIMULATED_SOURCE,
        simulated=True,
    )


@cache
def _simulated_rows() -> dict[tuple[str, int, int], dict[str, str]]:
    return {(row["matrix"], int(row["gap_open"]), int(row["gap_extend"])): row for row in _rows("simulated.tsv")}


@cache
def _nucleotide_table() -> dict[tuple[int, int, int, int], KarlinAltschul]:
    table = {}
    for row in _rows("nucleotide.tsv"):
        match, mismatch, gap_open, gap_extend = (int(row[c]) for c in ("match", "mismatch", "gap_open", "gap_extend"))
        table[match, mismatch, gap_open, gap_extend] = KarlinAltschul(
            matrix=f"+{match}/{mismatch}",
            **_common(row),
            even=row["even"] == "yes",
            source=_NUCLEOTIDE_SOURCE,
        )
    return table


def _nucleotide_statistics(match: int, mismatch: int, gap_open: int, gap_extend: int) -> KarlinAltschul | None:
    """Look a scheme up, reduced by the common divisor of its scores: +2/-4 with 4/4 is +1/-2 with 2/2, doubled."""
    divisor = math.gcd(match, mismatch)
    if gap_open % divisor or gap_extend % divisor:
        return None
    entry = _nucleotide_table().get((match // divisor, mismatch // divisor, gap_open // divisor, gap_extend // divisor))
    if entry is None or divisor == 1:
        return entry
    return replace(
        entry,
        matrix=f"+{match}/{mismatch}",
        gap_open=gap_open,
        gap_extend=gap_extend,
        lambda_=entry.lambda_ / divisor,
        alpha=entry.alpha / divisor,
        source=f"{entry.source}, scaled by {divisor} from {entry.matrix}",
    )


@cache
def _protein_matrices() -> dict[bytes, str]:
    """Names of the tabulated matrices by their values for the twenty amino acids.

    BLOSUM80 exists in two scales. The published figures are for half bits, the file that Biopython ships is in
    third bits; with it, E-values would be wrong by many orders of magnitude.
    """
    return {_tabulated_values(name): name for name in sorted(_tabulated_names())}


def _tabulated_names() -> set[str]:
    return {name for name, gap_open, _ in _protein_rows() if gap_open != "-"}


def _tabulated_values(name: str) -> bytes:
    others = {"BLOSUM80": resources_dir() / "statistics" / "BLOSUM80_half_bits.txt"}
    return _plain_values(load_matrix(str(others.get(name, name)), PROTEIN), _AMINO_ACIDS).tobytes()


@lru_cache(maxsize=8)
def _protein_matrix_name(matrix: SubstitutionMatrix) -> str | None:
    values = _plain_values(matrix, _AMINO_ACIDS).tobytes()
    if matrix.name in _tabulated_names() and values == _tabulated_values(matrix.name):
        return matrix.name  # as its name says: the others need not be read
    return _protein_matrices().get(values)


def _plain_values(matrix: SubstitutionMatrix, letters: str) -> NDArray[np.int64]:
    codes = [matrix.alphabet.code(letter) for letter in letters]
    return matrix.scores[np.ix_(codes, codes)].astype(np.int64)


def _match_mismatch(matrix: SubstitutionMatrix) -> tuple[int, int] | None:
    """Return match and mismatch scores if the four bases have no others; None for what are no nucleotides."""
    if matrix.alphabet.name != NUCLEOTIDE.name:
        return None
    values = _plain_values(matrix, "ACGT")
    match, mismatch = int(values[0, 0]), int(values[0, 1])
    expected = np.where(np.eye(4, dtype=bool), match, mismatch)
    return (match, mismatch) if np.array_equal(values, expected) and match > 0 > mismatch else None
