"""The table of scores that ``psiblast -out_ascii_pssm`` writes."""

from __future__ import annotations

import re
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.implied import implied_frequencies
from swgui.core.profiles.log_odds import relative_entropy
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PROFILE_LIMIT, ScoreProfile
from swgui.core.statistics.background import background
from swgui.io.profiles.base import ProfileText, all_symbols

AMINO: Final = "ARNDCQEGHILKMFPSTWYV"
TITLE: Final = "Last position-specific scoring matrix computed"
_LAMBDA: Final = re.compile(r"PSI Ungapped\s+\S+\s+(\d*\.\d+)")
USUAL_LAMBDA: Final = 0.3176  # of BLOSUM62 without gaps, if a file does not say


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
        raise source.error("the 20 amino acids are expected here", line=lines[min(1, len(lines) - 1)][0])
    residues: list[str] = []
    rows: list[list[int]] = []
    for number, words in lines[2:]:
        if not words[0].isdecimal():
            break
        residue = words[1].upper() if len(words) > 1 else ""
        if words[0] != str(len(rows) + 1) or len(residue) != 1 or residue not in PROTEIN.letters:
            raise source.error(f"position {len(rows) + 1} and its residue are expected here", line=number)
        residues.append(residue)
        rows.append(_scores(source, number, words[2 : 2 + len(AMINO)]))
    if not rows:
        raise source.error("the table has no positions", hint="The file may be cut off.")
    match = _LAMBDA.search(source.text)
    units = log(2) / (float(match[1]) if match and float(match[1]) > 0 else USUAL_LAMBDA)
    scores = all_symbols(dict(zip(order, np.array(rows, dtype=np.int64).T, strict=True)), PROTEIN)
    profile = ScoreProfile(source.name, PROTEIN, scores, source.gaps(len(rows), units), units)
    return [SequenceRecord("", "", "".join(residues).encode(), profile=profile)]


def _scores(source: ProfileText, number: int, words: list[str]) -> list[int]:
    try:
        values = [int(word) for word in words]
    except ValueError:
        values = []
    if len(values) != len(AMINO) or max(map(abs, values)) > PROFILE_LIMIT:
        raise source.error(f"{len(AMINO)} scores are expected here", line=number)
    return values


def write_ascii_pssm(record: SequenceRecord) -> str:
    """Return the profile of a query as the table that psiblast writes, its scores in half bits as there.

    Percentages are the frequencies that the scores imply, pseudocounts and all; the last column, a weight that a
    profile does not have, is 0. Gap costs have no place in it.
    """
    assert record.profile is not None
    frequencies = implied_frequencies(record.profile)
    scores = in_matrix_units(frequencies)
    entropy = relative_entropy(frequencies, background(PROTEIN)[: len(AMINO)])
    lines = ["", f"{TITLE}, weighted observed percentages rounded down, information per position, and 0"]
    lines.append(" " * 9 + "".join(f"{letter:>4}" for letter in AMINO * 2))
    for index, residue in enumerate(record.residues.decode()):
        values = "".join(f"{score:4d}" for score in scores[index].tolist())
        percent = "".join(f"{int(100 * share):4d}" for share in frequencies[index].tolist())
        lines.append(f"{index + 1:5d} {residue}  {values} {percent}  {entropy[index]:.2f} 0.00")
    lines += ["", " " * 22 + "K         Lambda"]
    lines += [
        f"{name:<18} {k:8.4f}   {lambda_:8.4f}"
        for name, k, lambda_ in (
            ("Standard Ungapped", 0.1340, 0.3176),
            ("Standard Gapped", 0.0410, 0.2670),
            ("PSI Ungapped", 0.1340, USUAL_LAMBDA),
            ("PSI Gapped", 0.0410, 0.2670),
        )
    ]
    return "\n".join([*lines, ""])


def in_matrix_units(frequencies: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return scores of frequencies in the units of BLOSUM62, as psiblast has them; shape (m, 20)."""
    odds = np.maximum(frequencies, 1e-9) / background(PROTEIN)[: len(AMINO)]
    return np.asarray(np.rint(np.log(odds) / USUAL_LAMBDA), dtype=np.int64)
