"""The table of scores that ``psiblast -out_ascii_pssm`` writes."""

from __future__ import annotations

import re
from math import log
from typing import Final

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.score_profile import PROFILE_LIMIT, ScoreProfile
from swgui.core.records import SequenceRecord
from swgui.io.profiles.base import ProfileText
from swgui.io.profiles.symbols import all_symbols

AMINO: Final = "ARNDCQEGHILKMFPSTWYV"
TITLE: Final = "Last position-specific scoring matrix computed"
_LAMBDA: Final = re.compile(r"PSI Ungapped\s+\S+\s+(\d*\.\d+)")
_USUAL: Final = 0.3176  # lambda of half bits, if the table does not say


def is_ascii_pssm(text: str) -> bool:
    """Whether a text is such a table."""
    return text.lstrip().startswith(TITLE)


def read_ascii_pssm(source: ProfileText) -> list[SequenceRecord]:
    """Return the profile of a table; its gap costs are those of the search, since the table has none.

    Raises
    ------
    ProfileError
        If a line does not fit.
    """
    lines = [(number, line.split()) for number, line in source.lines() if line.strip()]
    letters = lines[1][1] if len(lines) > 1 else []
    order = "".join(letters[: len(AMINO)])
    if sorted(order) != sorted(AMINO):
        raise source.error("the 20 amino acids should stand here", line=lines[min(1, len(lines) - 1)][0])
    residues: list[str] = []
    rows: list[list[int]] = []
    for number, words in lines[2:]:
        if not words[0].isdecimal():
            break
        residue = words[1].upper() if len(words) > 1 else ""
        if words[0] != str(len(rows) + 1) or len(residue) != 1 or residue not in PROTEIN.letters:
            raise source.error(f"position {len(rows) + 1} and its residue should stand here", line=number)
        residues.append(residue)
        rows.append(_scores(source, number, words[2 : 2 + len(AMINO)]))
    if not rows:
        raise source.error("the table has no positions", hint="The file may be cut off.")
    found = _LAMBDA.search(source.text)
    units = log(2) / (float(found[1]) if found and float(found[1]) > 0 else _USUAL)
    scores = all_symbols(dict(zip(order, np.array(rows, dtype=np.int64).T, strict=True)), PROTEIN)
    profile = ScoreProfile(source.name, PROTEIN, scores, source.gaps(len(rows), units), units)
    return [SequenceRecord("", "", "".join(residues).encode(), profile=profile)]


def _scores(source: ProfileText, number: int, words: list[str]) -> list[int]:
    try:
        values = [int(word) for word in words]
    except ValueError:
        values = []
    if len(values) != len(AMINO) or max(map(abs, values)) > PROFILE_LIMIT:
        raise source.error(f"{len(AMINO)} scores should stand here", line=number)
    return values
