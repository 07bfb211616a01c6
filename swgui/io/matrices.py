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
from swgui.core.profiles.log_odds import IN_UNITS
from swgui.core.scoring import SCORE_LIMIT, SubstitutionMatrix, build_matrix, match_mismatch
from swgui.io.sequences.report import shown
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

_SIMPLE_NAME: Final = re.compile(r"\+?(\d{1,6})/-(\d{1,6})")
_LARGEST_FILE: Final = 1 << 20
_EXACT: Final = 1e-4
_NUMBER: Final = re.compile(r"[+-]?\d+")


def matrix_names(alphabet: Alphabet) -> tuple[str, ...]:
    """Return the names of matrices for an alphabet, the usual ones first; `FRACTIONAL` are known besides."""
    own = _of_file(alphabet)
    return _LISTED.get(alphabet.name, ()) + _SIMPLE.get(alphabet.name, ()) + ((own.name,) if own else ())


def _of_file(alphabet: Alphabet) -> SubstitutionMatrix | None:
    """Return the matrix in the file of an alphabet; None if it is of no file."""
    from swgui.io.alphabets import alphabet_record  # which reads matrices with what is here

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
    if alphabet.name == "nucleotide" and (simple := _SIMPLE_NAME.fullmatch(wanted)):
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


def read_matrix_file(path: Path) -> str:
    """Return the text of a file with a matrix; `MatrixError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as fault:
        raise MatrixError(f"The matrix file '{path}' cannot be read: {fault.strerror}.") from fault
    if len(data) > _LARGEST_FILE:
        raise MatrixError(f"'{path.name}' is too large for a matrix file.", hint="A matrix has some 25 lines.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MatrixError(f"'{path.name}' is not a text file.", hint="A matrix file is plain text.") from None


def parse_matrix(text: str, alphabet: Alphabet, name: str) -> SubstitutionMatrix:
    """Read a matrix in NCBI format.

    Lines with ``#`` are comments. The first other line has the subject letters, every line behind it
    a query letter and one whole number per subject letter. The matrix need not be symmetric. Letters of
    the alphabet that the file lacks are derived as in `swgui.core.scoring.build_matrix`.

    Raises
    ------
    MatrixError
        With line and column of what is wrong.
    """
    letters = set(alphabet.letters)
    columns: list[str] = []
    pairs: dict[tuple[str, str], int] = {}
    rows: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = [(word[0], word.start() + 1) for word in re.finditer(r"\S+", line.split("#", 1)[0])]
        if not words:
            continue
        if not columns:
            columns = [_letter(name, alphabet, word, number, offset) for word, offset in words]
            if repeated := next((c for c in columns if columns.count(c) > 1), None):
                raise _wrong(name, number, 0, f"the letter {repeated} stands twice in the header")
            continue
        row = _letter(name, alphabet, words[0][0], number, words[0][1])
        if row in rows:
            raise _wrong(name, number, 1, f"the row {row} was there before, in line {rows[row]}")
        rows[row] = number
        values = words[1:]
        if len(values) != len(columns):
            raise _wrong(
                name, number, 0, f"the row {row} has {len(values)} scores for {len(columns)} letters in the header"
            )
        for column, (word, offset) in zip(columns, values, strict=True):
            pairs[row, column] = _score(name, word, number, offset)
    if not columns:
        raise MatrixError(f"Matrix '{name}' is empty.", hint="Its first line has the letters, as in NCBI's files.")
    if missing := [c for c in columns if c not in rows]:
        raise MatrixError(f"Matrix '{name}' has no row for {', '.join(missing)}, though the header has the letter.")
    if extra := [c for c in rows if c not in columns]:
        raise MatrixError(f"Matrix '{name}' has a row for {', '.join(extra)}, but the header lacks the letter.")
    return build_matrix(name, alphabet, {(q, s): score for (q, s), score in pairs.items() if {q, s} <= letters})


def _letter(name: str, alphabet: Alphabet, word: str, line: int, column: int) -> str:
    """Check a letter; ``*`` is allowed in nucleotide files, too, where no sequence has it."""
    letter = word if alphabet.case_matters else word.upper()
    if letter == "*" or (len(letter) == 1 and letter in alphabet.letters):
        return letter
    if _NUMBER.fullmatch(word):
        raise _wrong(name, line, column, f"a letter should stand here, not '{shown(word, 20)}'")
    raise _wrong(name, line, column, f"'{shown(word, 20)}' is not a {alphabet.name} letter")


def _score(name: str, word: str, line: int, column: int) -> int:
    if not _NUMBER.fullmatch(word) or len(word) > 9:
        try:
            value = float(word)
        except ValueError:
            raise _wrong(name, line, column, f"'{shown(word, 20)}' is not a number") from None
        if not value.is_integer() or abs(value) > SCORE_LIMIT:
            fault = f"beyond ±{SCORE_LIMIT}" if abs(value) > SCORE_LIMIT else "not a whole number"
            raise _wrong(name, line, column, f"{shown(word, 20)} is {fault}")
        return int(value)
    value_read = int(word)
    if abs(value_read) > SCORE_LIMIT:
        raise _wrong(name, line, column, f"{word} is beyond ±{SCORE_LIMIT}")
    return value_read


def _wrong(name: str, line: int, column: int, fault: str) -> MatrixError:
    where = f"line {line}, column {column}" if column else f"line {line}"
    return MatrixError(
        f"Matrix '{name}', {where}: {fault}.",
        hint="Expected are a header line of letters, then lines of a letter and whole numbers, as in NCBI's files.",
    )


def original_matrix(matrix: SubstitutionMatrix) -> SubstitutionMatrix:
    """Return the matrix of which one in the units of profiles was made, if it ships; any other as it is."""
    name, of_profiles, _ = matrix.name.partition(IN_UNITS)
    try:
        return load_matrix(name, matrix.alphabet) if of_profiles else matrix
    except (SwguiError, OSError):
        return matrix
