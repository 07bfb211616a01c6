"""Tools that plant controls: queries with residues that match nothing."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet

Codes = NDArray[np.uint8]
BLANK: Final = 31  # a code that no residue matches


def turned(query: Codes, alphabet: Alphabet) -> Codes:
    """Return the reverse complement of residues, of which some may be blank."""
    turned = alphabet.reverse_complement(np.where(query == BLANK, 0, query).astype(np.uint8))
    turned[query[::-1] == BLANK] = BLANK
    return turned


def blanked(
    query: Codes, count: int, rng: np.random.Generator, *, keep_first: int = 0, keep_last: int = 0
) -> Codes | None:
    """Return a query with so many blanks, those included that it has; None where that cannot be."""
    made = query.copy()
    inner = np.arange(keep_first, len(query) - keep_last)
    free = inner[query[inner] != BLANK]
    more = count - int((query == BLANK).sum())
    if (
        not 0 <= more <= len(free)
        or (query[:keep_first] == BLANK).any()
        or (query[len(query) - keep_last :] == BLANK).any()
    ):
        return None
    made[rng.permutation(free)[:more]] = BLANK
    return made


def first_base(alphabet: Alphabet, code: int) -> str:
    """Return a plain base that a base of a PAM stands for."""
    letter = alphabet.letters[code]
    return alphabet.expansions.get(letter, letter)[0]
