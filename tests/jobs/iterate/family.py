"""A family that a query alone does not see whole, among sequences that are nobody's relatives."""

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.core.statistics.background import background

LETTERS = "ARNDCQEGHILKMFPSTWYV"
FAMILY = 16
STRANGERS = 600


def sequence(rng: np.random.Generator, length: int) -> str:
    """Return residues as frequent as they are by chance."""
    return "".join(rng.choice(list(LETTERS), length, p=background(PROTEIN)[:20]))


def evolved(rng: np.random.Generator, ancestor: str, share: float) -> str:
    """Return a descendant that keeps this share of the residues."""
    other = sequence(rng, len(ancestor))
    kept = rng.random(len(ancestor)) < share
    return "".join(a if keep else b for a, b, keep in zip(ancestor, other, kept, strict=True))


def family_records() -> list[SequenceRecord]:
    """Return the strangers, then the family."""
    rng = np.random.default_rng(11)
    ancestor = sequence(rng, 90)
    family = [SequenceRecord(f"kin{n}", "", evolved(rng, ancestor, 0.55).encode()) for n in range(FAMILY)]
    strangers = [SequenceRecord(f"other{n}", "", sequence(rng, 60 + n % 90).encode()) for n in range(STRANGERS)]
    return [*strangers, *family]
