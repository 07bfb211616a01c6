"""The kinds of verdict, the thresholds between them, and which hits are of which kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import HitColumns

Kind = Literal["significant", "borderline", "bias", "chance", "unknown"]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Meaning of a word in the column; also the order in which verdicts are sorted and counted.
MEANINGS: Final[dict[Kind, str]] = {
    "significant": "hardly ever expected by chance",
    "borderline": "worth another look",
    "bias": "probably only composition: significant without the correction, but not with it",
    "chance": "not distinguishable from chance",
    "unknown": "there is no E-value",
}
KINDS: Final[tuple[Kind, ...]] = tuple(MEANINGS)


class Threshold(msgspec.Struct, frozen=True):
    """A number that verdicts depend on, as users see it."""

    name: str  # the compared value and the comparison
    value: float  # E-values as decadic logarithms
    text: str  # the value as people read it
    meaning: str  # the consequence


SIGNIFICANT: Final = Threshold(
    "E at most", -3.0, "0.001", "significant: fewer than one search in 1,000 has such a hit by chance"
)
BORDERLINE: Final = Threshold("E at most", -1.0, "0.1", "borderline; above, it is not distinguishable from chance")
Z_AGREES: Final = Threshold("Z of shuffled copies at least", 8.0, "8", "composition is not the reason for the score")
Z_REACHED: Final = Threshold("Z of shuffled copies below", 3.0, "3", "shuffled copies score as high")
BIASED: Final = Threshold(
    "lambda ratio below",
    0.8,
    "0.8",
    "both aligned regions are rich in the same residues; usual is 0.9 to 1",
)
COVERED: Final = Threshold("coverage at least", 70.0, "70 %", "the sequence is covered, not only a part of it")
PART: Final = Threshold("coverage below", 50.0, "50 %", "a part of the sequence, perhaps a domain")
DISTANT: Final = Threshold("identity below", 30.0, "30 %", "a matrix for distant relatives may show more")
SHORT: Final = Threshold("residues of the query below", 35.0, "35", "a matrix for short queries is needed")
THRESHOLDS: Final = (SIGNIFICANT, BORDERLINE, Z_AGREES, Z_REACHED, BIASED, COVERED, PART, DISTANT, SHORT)


class Numbers(msgspec.Struct, frozen=True, eq=False):
    """Numbers that decide the kind of hits: arrays of one shape, or numbers; NaN if unknown."""

    log10_evalue: Floats
    log10_uncorrected: Floats  # of E without a correction for composition
    lambda_ratio: Floats
    shuffle_z: Floats


def _biased(of: Numbers) -> Mask:
    was_significant = (of.log10_uncorrected <= SIGNIFICANT.value) & (of.log10_evalue > SIGNIFICANT.value)
    return was_significant & ((of.shuffle_z < Z_AGREES.value) | (of.lambda_ratio < BIASED.value))


# The first rule that holds decides.
RULES: Final[tuple[tuple[Kind, Callable[[Numbers], Mask]], ...]] = (
    ("unknown", lambda of: np.isnan(of.log10_evalue)),
    ("significant", lambda of: of.log10_evalue <= SIGNIFICANT.value),
    ("bias", _biased),
    ("borderline", lambda of: of.log10_evalue <= BORDERLINE.value),
    ("chance", lambda of: ~np.isnan(of.log10_evalue)),
)


def kinds_of(hits: HitColumns) -> NDArray[np.int8]:
    """Return the kind of every hit as its place in `KINDS`, shape (k,)."""
    unknown = np.full(len(hits), np.nan)
    by = hits.composition
    columns = (by.log10_uncorrected, by.lambda_ratio, by.shuffle_z) if by is not None else (unknown,) * 3
    return _kinds(Numbers(hits.log10_evalues, *columns))


def kind_of(log10_evalue: float, log10_uncorrected: float, lambda_ratio: float, shuffle_z: float) -> Kind:
    """Return the kind of one hit; NaN for unknown numbers."""
    values = (np.array([value]) for value in (log10_evalue, log10_uncorrected, lambda_ratio, shuffle_z))
    return KINDS[int(_kinds(Numbers(*values))[0])]


def kinds_by(of: Numbers) -> list[Kind]:
    """Return the kind of each of many hits."""
    return list(map(KINDS.__getitem__, _kinds(of).tolist()))


def _kinds(of: Numbers) -> NDArray[np.int8]:
    masks = [rule(of) for _, rule in RULES]
    return np.select(masks, [np.int8(KINDS.index(kind)) for kind, _ in RULES]).astype(np.int8)


def explain_kinds() -> str:
    """Return the meanings of the words of the column, with their thresholds, on one line."""
    told = {
        "significant": f"E ≤ {SIGNIFICANT.text}",
        "borderline": f"E ≤ {BORDERLINE.text}",
        "bias": f"E ≤ {SIGNIFICANT.text} only without the correction for composition, and Z < {Z_AGREES.text} or a "
        f"lambda ratio < {BIASED.text}",
        "chance": f"E > {BORDERLINE.text}",
        "unknown": "no E-value",
    }
    return "; ".join(f"{kind}: {told[kind]}" for kind in KINDS)
