"""``PssmWithParameters`` as text: ``psiblast -out_pssm`` and the ``.smp`` files of CDD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import log
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PROFILE_LIMIT, PositionGaps, ScoreProfile
from swgui.core.words import count
from swgui.io.profiles.ascii_pssm import AMINO, USUAL_LAMBDA
from swgui.io.profiles.base import ProfileText, all_symbols

_TOKEN: Final = re.compile(r"""::=|[{},]|"(?:[^"]|"")*"|'[^']*'[HB]|[^\s{},"']+""")
_DEEPEST: Final = 60

Value: TypeAlias = "str | bytes | list[Value] | tuple[str, Value]"
STANDARD: Final = "-ABCDEFGHIKLMNPQRSTVWXYZU*OJ"  # NCBIstdaa: the position is the code
TYPE: Final = "PssmWithParameters"
MISSING: Final = -32768
_FINEST: Final = 4  # units of a matrix are divided by no more: scores stay small


def parse(text: str) -> tuple[str, Value]:
    """Return type and value of a text ``Type ::= value``.

    A value in braces becomes a list, a named one a tuple of name and value, text in double quotes and numbers
    and names `str`, and hexadecimal digits `bytes`.

    Raises
    ------
    ValueError
        If it is no such text.
    """
    tokens = _TOKEN.finditer(text)
    words = _Words(match.group() for match in tokens)
    name = words.take()
    if words.take() != "::=":
        raise ValueError("no '::='")
    return name, _item(words, 0)


def member(value: Value, *names: str) -> Value | None:
    """Return the value under nested names; None where it is missing."""
    for name in names:
        inside = value if isinstance(value, list) else [value]
        values = [item[1] for item in inside if isinstance(item, tuple) and item[0] == name]
        if not values:
            return None
        value = values[0]
    return value


class _Words:
    def __init__(self, words: Iterator[str]) -> None:
        self._words = words
        self.next = next(words, "")

    def take(self) -> str:
        word, self.next = self.next, next(self._words, "")
        if not word:
            raise ValueError("the text is cut off")
        return word


def _item(words: _Words, depth: int) -> Value:
    word = words.take()
    if depth > _DEEPEST:
        raise ValueError("too many braces")
    if word == "{":
        items: list[Value] = []
        while words.next != "}":
            items.append(_item(words, depth + 1))
            if words.next == ",":
                words.take()
        words.take()
        return items
    if word in ("}", ",", "::="):
        raise ValueError(f"'{word}' at a wrong place")
    if word.startswith('"'):
        return word[1:-1].replace('""', '"').replace("\n", "")
    if word.startswith("'"):
        digits = "".join(word[1:-2].split())
        return bytes.fromhex(digits + "0" * (len(digits) % 2)) if word[-1] == "H" else b""
    if words.next and words.next not in ("}", ","):
        return word, _item(words, depth + 1)
    return word


def is_asn_pssm(text: str) -> bool:
    """Whether a text begins as such a value does."""
    return text.lstrip().startswith((TYPE, "Pssm"))


def read_asn_pssm(source: ProfileText) -> list[SequenceRecord]:
    """Return the profile of a text. Scores in finer units than a quarter of those of a matrix are rounded to that.

    Gap costs are those it names (``rpsdbparams``), else those of the search.

    Raises
    ------
    ProfileError
        If it breaks the format, is of nucleotides, or has no scores.
    """
    try:
        _, value = parse(source.text)
    except (ValueError, RecursionError) as fault:
        raise source.error(f"the text is no complete ASN.1 value ({fault})", hint="The file may be cut off.") from fault
    pssm = member(value, "pssm")
    if pssm is None:
        raise source.error("there is no PSSM in it", hint="psiblast -out_pssm writes one.")
    if member(pssm, "isProtein") == "FALSE":
        raise source.error("the PSSM is of nucleotides, and only those of proteins are read")
    try:
        return [_record(source, value, pssm)]
    except ProfileError:
        raise
    except (ValueError, TypeError, IndexError, OverflowError) as fault:
        raise source.error("the layout of the PSSM is not that of psiblast", hint="Write it again.") from fault


def _record(source: ProfileText, value: Value, pssm: Value) -> SequenceRecord:
    columns, rows = int(_word(pssm, "numColumns")), int(_word(pssm, "numRows"))
    final = member(pssm, "finalData", "scores")
    if not isinstance(final, list):
        raise source.error(
            "the PSSM has no scores", hint="Write it with psiblast -save_pssm_after_last_round, or as an ASCII PSSM."
        )
    raw = np.array([int(str(word)) for word in final], dtype=np.int64)
    by_row = member(pssm, "byRow") == "TRUE"
    if raw.size != rows * columns or not columns or not set(AMINO) <= set(STANDARD[:rows]):
        raise source.error(f"the PSSM has {raw.size:,} scores for {columns} positions and {rows} residues")
    scores = raw.reshape(rows, columns) if by_row else raw.reshape(columns, rows).T
    finer = int(str(member(pssm, "finalData", "scalingFactor") or 1))
    scale = min(finer, _FINEST)
    lambda_ = _real(member(pssm, "finalData", "lambdaUngapped")) or USUAL_LAMBDA
    by_letter = {
        letter: _scaled(row, scale, finer)
        for letter, row in zip(STANDARD, scores, strict=False)
        if np.all(row > MISSING)
    }
    by_letter = {letter: row for letter, row in by_letter.items() if letter in PROTEIN.letters}
    profile = ScoreProfile(
        source.name,
        PROTEIN,
        all_symbols(by_letter, PROTEIN),
        _gaps(source, value, columns, scale, scale * log(2) / lambda_),
        scale * log(2) / lambda_,
    )
    name, title, residues = _query(pssm)
    if len(residues) != columns:
        raise source.error(
            f"the query of the PSSM has {count(len(residues), 'residue')} for {count(columns, 'position')}"
        )
    return SequenceRecord(name, title, residues, profile=profile)


def _scaled(row: NDArray[np.int64], scale: int, finer: int) -> NDArray[np.int64]:
    rounded: NDArray[np.float64] = np.rint(row * (scale / finer))
    return np.clip(rounded, -PROFILE_LIMIT, PROFILE_LIMIT).astype(np.int64)


def _gaps(source: ProfileText, value: Value, length: int, scale: int, units: float) -> PositionGaps:
    named = member(value, "params", "rpsdbparams") or []
    opened, extended = member(named, "gapOpen"), member(named, "gapExtend")
    if opened is None or extended is None:
        return source.gaps(length, units)
    extend = scale * int(str(extended))
    return PositionGaps.constant(length, scale * int(str(opened)) + extend, extend)


def _query(pssm: Value) -> tuple[str, str, bytes]:
    """Return identifier, title and residues of the query."""
    sequence = member(pssm, "query", "seq") or []
    name = member(sequence, "id")
    while isinstance(name, list | tuple):
        name = name[0] if isinstance(name, list) else name[1]
    title = member(sequence, "descr", "title")
    title = title if isinstance(title, str) else ""
    data = member(sequence, "inst", "seq-data") or ""
    coded = data[1] if isinstance(data, tuple) else data
    if isinstance(coded, bytes):
        length = int(_word(sequence, "inst", "length"))
        residues = "".join(STANDARD[code] for code in coded[:length])
    else:
        residues = "".join(str(coded).split()).upper()
    if title and (not name or str(name).startswith("Query_")):
        name, _, title = title.partition(" ")
    elif title.partition(" ")[0] == name:
        title = title.partition(" ")[2]
    cleaned = "".join(letter if letter in PROTEIN.letters else "X" for letter in residues)
    return str(name or ""), title, cleaned.encode()


def _word(value: Value, *names: str) -> str:
    word = member(value, *names)
    if not isinstance(word, str):
        raise ValueError(f"no {names[-1]}")
    return word


def _real(value: Value | None) -> float:
    """Return a real number: written as one, or as mantissa, base and exponent; 0 if there is none."""
    if isinstance(value, list) and len(value) == 3:
        mantissa, base, exponent = (float(str(part)) for part in value)
        return float(mantissa * base**exponent)
    return float(str(value)) if value is not None else 0.0
