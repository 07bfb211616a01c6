"""Files with a substitution matrix in NCBI format."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from pathlib import Path
from typing import Final

from swgui.core.alphabet import Alphabet
from swgui.core.errors import MatrixError
from swgui.core.scoring import SCORE_LIMIT, SubstitutionMatrix, build_matrix
from swgui.io.read_report import shown

_LARGEST_FILE: Final = 1 << 20
_NUMBER: Final = r"[+-]?\d+"


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
        return data.removeprefix(BOM_UTF8).decode("utf-8")
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
                raise _wrong(name, number, 0, f"the letter {repeated} occurs twice in the header")
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
    if re.fullmatch(_NUMBER, word):
        raise _wrong(name, line, column, f"a letter is expected here, not '{shown(word, 20)}'")
    raise _wrong(name, line, column, f"'{shown(word, 20)}' is not a {alphabet.name} letter")


def _score(name: str, word: str, line: int, column: int) -> int:
    if not re.fullmatch(_NUMBER, word) or len(word) > 9:
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
