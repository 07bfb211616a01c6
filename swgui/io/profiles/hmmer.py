"""Profile HMMs of HMMER3 (``.hmm``): see `swgui.core.profiles.plan7` for what their scores become."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.profiles.calibration import calibrate
from swgui.core.profiles.implied import implied_model
from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.profiles.plan7 import TRANSITIONS, Plan7, local_profile
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import ScoreProfile
from swgui.io.cells import clean_text
from swgui.io.profiles.base import ProfileText, all_symbols

Floats = NDArray[np.float64]

AMINO: Final = "ACDEFGHIKLMNPQRSTVWY"
# Frequencies of residues in Swiss-Prot 50.8, which HMMER3 takes as background (p7_AminoFrequencies in its sources).
AMINO_FREQUENCIES: Final = np.array([
    0.0787945, 0.0151600, 0.0535222, 0.0668298, 0.0397062, 0.0695071, 0.0229198, 0.0590092, 0.0594422, 0.0963728,
    0.0237718, 0.0414386, 0.0482904, 0.0395639, 0.0540978, 0.0683364, 0.0540687, 0.0673417, 0.0114135, 0.0304133,
])  # fmt: skip

_ALPHABETS: Final[dict[str, tuple[Alphabet, str, Floats]]] = {
    "amino": (PROTEIN, AMINO, AMINO_FREQUENCIES),
    "dna": (NUCLEOTIDE, "ACGT", np.full(4, 0.25)),
    "rna": (NUCLEOTIDE, "ACGU", np.full(4, 0.25)),
}
_HEADER: Final = re.compile(r"HMMER3/[a-f]\b")
_OLD: Final = re.compile(r"HMMER[12]")

_Lines = Iterator[tuple[int, str]]


def is_hmm(text: str) -> bool:
    """Whether a text begins as models of HMMER do, of any version."""
    return text.lstrip().startswith("HMMER")


def read_hmm(source: ProfileText) -> list[SequenceRecord]:
    """Return every model of a file as a query, with its consensus as residues.

    Raises
    ------
    ProfileError
        If it is of HMMER2, breaks the format, or is of neither amino acids nor bases.
    """
    records = []
    lines = source.lines()
    for number, line in lines:
        if not line.strip():
            continue
        if _OLD.match(line):
            raise source.error("the model is of HMMER2", line=number, hint="Convert it with hmmconvert of HMMER3.")
        if not _HEADER.match(line):
            raise source.error("a model of HMMER3 should begin here", line=number, hint="Its first word is HMMER3/f.")
        records.append(_model(source, lines, number))
    return records


def _model(source: ProfileText, lines: _Lines, first: int) -> SequenceRecord:
    """Read one model behind its first line."""
    facts: dict[str, str] = {}
    for _, line in lines:
        key, _, value = line.strip().partition(" ")
        if key == "HMM":
            break
        facts.setdefault(key, value.strip())
    else:
        raise source.error("the model ends before its positions", line=first, hint="The file may be cut off.")
    kind = facts.get("ALPH", "").lower()
    if kind not in _ALPHABETS:
        raise source.error(
            f"a model of the alphabet '{kind}' is not searched with", line=first, hint="It must be amino, DNA or RNA."
        )
    alphabet, letters, frequencies = _ALPHABETS[kind]
    length = facts.get("LENG", "")
    if not length.isdecimal() or not 0 < int(length) <= 1_000_000:
        raise source.error("the model has no usable length (LENG)", line=first)
    match, transitions, consensus = _positions(source, lines, int(length), len(letters))
    scores, gaps = local_profile(Plan7(np.exp(-match), -transitions), frequencies)
    columns = dict(zip(letters.replace("U", "T"), scores.T.astype(np.int64), strict=True))
    name = facts.get("NAME", "") or source.name
    best = np.argmin(match, axis=1)
    residues = "".join(letter if letter.isalpha() else letters[i] for letter, i in zip(consensus, best, strict=True))
    profile = ScoreProfile(f"{source.name} {name}", alphabet, all_symbols(columns, alphabet), gaps, UNITS_PER_BIT)
    return SequenceRecord(name.split()[0], facts.get("DESC", ""), residues.upper().encode(), profile=profile)


def _positions(source: ProfileText, lines: _Lines, length: int, symbols: int) -> tuple[Floats, Floats, str]:
    """Return match emissions (m, symbols) and transitions (m + 1, 7) as they are written, and the consensus."""
    words = _words(source, lines)
    next(words)  # names of transitions
    number, line = next(words)
    if line[0] == "COMPO":
        number, line = next(words)
    transitions = [_values(source, *next(words), 0, len(TRANSITIONS))]  # `line` was the insertion of node 0
    match, consensus = [], []
    for position in range(1, length + 1):
        number, line = next(words)
        if line[0] != str(position):
            raise source.error(f"position {position} of the model is expected here", line=number)
        match.append(_values(source, number, line, 1, symbols))
        named = line[symbols + 2 : symbols + 3]
        consensus.append(named[0] if named and len(named[0]) == 1 else "-")
        next(words)  # insertions: they score 0
        transitions.append(_values(source, *next(words), 0, len(TRANSITIONS)))
    number, line = next(words)
    if line[0] != "//":
        raise source.error(f"the model has more than {length} positions", line=number)
    return np.array(match), np.array(transitions), "".join(consensus)


def _words(source: ProfileText, lines: _Lines) -> Iterator[tuple[int, list[str]]]:
    number = 0
    for number, line in lines:
        if words := line.split():
            yield number, words
    raise source.error("the model is not complete", line=number, hint="The file may be cut off.")


def _values(source: ProfileText, number: int, words: list[str], first: int, count: int) -> list[float]:
    """Return negative logarithms of probabilities; those of 0 are written as ``*``."""
    wanted = words[first : first + count]
    try:
        values = [float("inf") if word == "*" else float(word) for word in wanted]
    except ValueError:
        values = []
    if len(values) != count or not all(value >= -1e-6 for value in values):
        raise source.error(f"{count} logarithms of probabilities are expected here", line=number)
    return values


def write_hmm(record: SequenceRecord) -> str:
    """Return a query with a profile as a model that hmmsearch reads, calibrated as hmmbuild does it.

    See `implied_model` for what becomes of gap costs.
    """
    profile = record.profile
    assert profile is not None
    kind = "amino" if profile.alphabet is PROTEIN else "DNA"
    _, letters, frequencies = _ALPHABETS[kind.lower()]
    model = implied_model(profile)
    order = [profile.alphabet.letters.index(letter) for letter in letters]
    emitted = model.match[:, order]
    msv, viterbi, forward, slope = calibrate(Plan7(emitted, model.transitions), frequencies / frequencies.sum())
    insertion = " " * 10 + _logs(frequencies)
    out = np.exp(model.transitions)
    lines = ["HMMER3/f [swgui]", f"NAME  {'_'.join(clean_text(record.id).split()) or 'profile'}"]
    if record.description:
        lines.append(f"DESC  {clean_text(record.description)}")
    lines += [f"LENG  {len(profile)}", f"ALPH  {kind}", "RF    no", "MM    no", "CONS  yes", "CS    no", "MAP   yes"]
    lines += [
        f"STATS LOCAL {name:<8} {place:9.4f} {slope:8.5f}"
        for name, place in (("MSV", msv), ("VITERBI", viterbi), ("FORWARD", forward))
    ]
    lines += ["HMM     " + "".join(f"{letter:>9}" for letter in letters)]
    lines += [" " * 10 + "     ".join(f"{a.lower()}->{b.lower()}" for a, b in TRANSITIONS), insertion]
    lines.append(" " * 10 + _logs(out[0]))
    for index, residue in enumerate(record.residues.decode().lower()):
        lines += [f"{index + 1:>7}   {_logs(emitted[index])} {index + 1:>6} {residue} - - -", insertion]
        lines.append(" " * 10 + _logs(out[index + 1]))
    return "\n".join([*lines, "//", ""])


def _logs(probabilities: Floats) -> str:
    """Return negative logarithms as HMMER writes them."""
    with np.errstate(divide="ignore"):
        values = -np.log(probabilities)
    return " ".join(f"{'*' if np.isinf(value) else f'{abs(value):.5f}':>8}" for value in values.tolist())
