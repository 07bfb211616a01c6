"""Substitution matrices: those of Biopython and of scoring-matrices, some more, match/mismatch, and files.

``BLOSUM62`` is the classic file (as in Biopython, parasail, EMBOSS and ssearch36). BLAST+ and DIAMOND use
a newer one, which differs only for B, J, X and Z; Biopython ships it as ``BLASTP``, with J, O and U.
Biopython's ``BLOSUM80`` is in third bits; the one of BLAST+, in half bits, is ours (``BLOSUM80-NCBI``).
Scores with fractions are multiplied until they are whole, and the name says so: ``GONNET1992*10``. Gap costs count in
the same unit. Those of ``PFASUM`` have four digits, of which the first is kept.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Final

from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.errors import MatrixError, SwguiError
from swgui.core.scoring import SubstitutionMatrix, build_matrix, match_mismatch
from swgui.io.alphabets import alphabet_record
from swgui.io.matrix_files import parse_matrix, read_matrix_file
from swgui.paths import resources_dir

# The usual ones first, then the series, then those whose scores have fractions.
_USUAL: Final = {
    "protein": (
        "BLOSUM62", "VTML200", "VTML160", "OPTIMA5", "BLOSUM45", "BLOSUM50", "BLOSUM80-NCBI", "BLOSUM90",
        "PAM30", "PAM70", "PAM250", "BLOSUM80", "BLASTP", "FENG", "LEVIN", "MCLACHLAN", "RAO", "STR",
    ),
    "nucleotide": ("NUC.4.4", "BLASTN", "MEGABLAST", "HOXD70", "TRANS"),
}  # fmt: skip
_SERIES: Final = (
    *(f"BLOSUM{percent}" for percent in (30, 35, 40, 55, 60, 65, 70, 75, 85, 100)),
    *(f"PAM{distance}" for distance in range(10, 501, 10) if distance not in (30, 70, 250)),
    "VTML10", "VTML20", "VTML40", "VTML80", "VTML120", "GONNET",
)  # fmt: skip
FRACTIONAL: Final = (
    "BENNER6", "BENNER22", "BENNER74", "DAYHOFF", "GENETIC", "GONNET1992", "JOHNSON", "JONES", "MDM78", "RISLER",
    "PFASUM31", "PFASUM43", "PFASUM45", "PFASUM51", "PFASUM59", "PFASUM60", "PFASUM67", "PFASUM78",
)  # fmt: skip
_LISTED: Final = {"protein": (*_USUAL["protein"], *_SERIES), "nucleotide": _USUAL["nucleotide"]}
_SHIPPED: Final = {"protein": (*_LISTED["protein"], *FRACTIONAL), "nucleotide": _LISTED["nucleotide"]}

# Where they come from, if not from Biopython: files below resources, and the library scoring-matrices.
_OWN_FILES: Final = {
    "BLOSUM80-NCBI": "statistics/BLOSUM80_half_bits.txt",
    "VTML200": "matrices/VTML200.txt",
    "VTML160": "matrices/VTML160.txt",  # with B and Z, unlike that of the library
    "OPTIMA5": "matrices/OPTIMA5.txt",
}
_FROM_LIBRARY: Final = {*_SERIES, *(name for name in FRACTIONAL if name.startswith("PFASUM"))}

FACTORS: Final = (1, 10, 100)  # with which scores become whole numbers
_ROUNDED: Final = 10  # the factor where none does
TIMES: Final = "*"  # before the factor in the name of a matrix that was multiplied

# Match and mismatch pairs with published statistics; any other pair can be typed, too.
_SIMPLE: Final = {"protein": (), "nucleotide": ("+2/-3", "+1/-1", "+1/-2", "+1/-3", "+1/-4", "+4/-5", "+5/-4")}

_SIMPLE_NAME: Final = r"\+?(\d{1,6})/-(\d{1,6})"
_EXACT: Final = 1e-4


def matrix_names(alphabet: Alphabet) -> tuple[str, ...]:
    """Return the names of matrices for an alphabet, the usual ones first; `FRACTIONAL` are known besides."""
    own = _of_file(alphabet)
    return _LISTED.get(alphabet.name, ()) + _SIMPLE.get(alphabet.name, ()) + ((own.name,) if own else ())


def _of_file(alphabet: Alphabet) -> SubstitutionMatrix | None:
    """Return the matrix in the file of an alphabet; None if it is of no file."""
    record = None if alphabet.name in _LISTED else alphabet_record(alphabet.name)
    return record.matrix if record else None


def load_matrix(name_or_path: str, alphabet: Alphabet) -> SubstitutionMatrix:
    """Load a matrix by name (either case), by ``+match/-mismatch``, or from a file in NCBI format.

    Raises
    ------
    MatrixError
        If there is no such name or file, or the file breaks the format; the sentence tells line and
        column, the hint the choices.
    """
    wanted = str(name_or_path).strip()
    names = {name.upper(): name for name in _SHIPPED.get(alphabet.name, ())}
    if (plain := wanted.upper().partition(TIMES)[0]) in names:
        matrix = _load_shipped(names[plain], alphabet.name)
        if TIMES not in wanted or wanted.upper() == matrix.name:
            return matrix
    if alphabet.name == "nucleotide" and (simple := re.fullmatch(_SIMPLE_NAME, wanted)):
        return match_mismatch(alphabet, int(simple[1]), -int(simple[2]))
    own = _of_file(alphabet)
    if own is not None and wanted.upper() == own.name.upper():
        return own
    path = Path(wanted)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # a name too long or with a zero byte
        is_file = is_folder = False
    if is_file:
        return parse_matrix(read_matrix_file(path), alphabet, path.stem)
    if is_folder and wanted:
        raise MatrixError(f"'{wanted}' is a folder, not a matrix.", hint=_choices(alphabet))
    other = next((kind for kind, shipped in _SHIPPED.items() if wanted.upper() in map(str.upper, shipped)), None)
    if other:
        raise MatrixError(f"Matrix '{wanted}' is for {other} sequences, not {alphabet.name}.", hint=_choices(alphabet))
    raise MatrixError(f"There is no matrix and no file called '{wanted}'.", hint=_choices(alphabet))


def _choices(alphabet: Alphabet) -> str:
    names = ", ".join(matrix_names(alphabet))
    offer = f"Known for {alphabet.name}: {names}; or give" if names else "Give"
    return f"{offer} a file in NCBI format."


def factor_of(matrix: SubstitutionMatrix) -> int:
    """Return by what the scores of a matrix were multiplied to be whole numbers; 1 if they are as published."""
    factor = matrix.name.rpartition(TIMES)[2]
    return int(factor) if TIMES in matrix.name and factor.isdecimal() else 1


@functools.lru_cache(maxsize=32)
def _load_shipped(name: str, kind: str) -> SubstitutionMatrix:
    alphabet = alphabet_by_name(kind)
    if name in _OWN_FILES:
        return parse_matrix(read_matrix_file(resources_dir() / _OWN_FILES[name]), alphabet, name)
    values = _from_library(name) if name in _FROM_LIBRARY else _from_biopython(name)
    pairs = {pair: value for pair, value in values.items() if set(pair) <= set(alphabet.letters)}
    factor = next((f for f in FACTORS if all(_is_whole(value * f) for value in pairs.values())), _ROUNDED)
    return build_matrix(
        name if factor == 1 else f"{name}{TIMES}{factor}",
        alphabet,
        {pair: round(value * factor) for pair, value in pairs.items()},
    )


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < _EXACT


def _from_library(name: str) -> dict[tuple[str, str], float]:
    """Return the scores of pairs of letters from scoring-matrices, which has them in single precision."""
    from scoring_matrices.lib import ScoringMatrix

    matrix = ScoringMatrix.from_name(name)
    letters = str(matrix.alphabet)
    return {(letter, other): matrix[i][j] for i, letter in enumerate(letters) for j, other in enumerate(letters)}


def _from_biopython(name: str) -> dict[tuple[str, str], float]:
    """Return the scores of pairs of letters from a file of Biopython."""
    lines = read_matrix_file(_biopython_file(name)).splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {(row[0], letter): float(word) for row in rows[1:] for letter, word in zip(rows[0], row[1:], strict=True)}


def _biopython_file(name: str) -> Path:
    """Return the file of a matrix. Read here, because Biopython's own reader is imported with all of its aligners."""
    import Bio

    return Path(Bio.__file__).parent / "Align" / "substitution_matrices" / "data" / name


def original_matrix(matrix: SubstitutionMatrix) -> SubstitutionMatrix:
    """Return the matrix of which one in the units of profiles was made, if it ships; any other as it is."""
    from swgui.core.profiles.log_odds import IN_UNITS  # here: for what was made of profiles

    name, of_profiles, _ = matrix.name.partition(IN_UNITS)
    try:
        return load_matrix(name, matrix.alphabet) if of_profiles else matrix
    except (SwguiError, OSError):
        return matrix
