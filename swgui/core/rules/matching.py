"""Matches of residues under a rule: the meaning of ambiguous residues, as tables and as bit masks for the scanners."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter

Ambiguity = Literal["strict", "sets", "wild"]
AMBIGUITIES: Final[dict[Ambiguity, str]] = {
    "strict": "a residue matches only itself; {wildcard} matches nothing",
    "sets": "an ambiguous residue matches each one it stands for; {wildcard} matches nothing",
    "wild": "an ambiguous residue matches each one it stands for; {wildcard} matches every residue",
}
ONE_MASS: Final = "ILJ"  # isoleucine, leucine, and the symbol that stands for either
EQUATED: Final = "I, L and J match each other, as residues of one mass"
MAX_SYMBOLS: Final = 31  # bits of a mask; one is left for separators of subjects


def residue_sets(alphabet: Alphabet) -> list[frozenset[str]]:
    """Return the plain residues of each symbol, by code; a symbol with a single one is plain.

    Selenocysteine and pyrrolysine are residues of their own here, and U of RNA is T.
    """
    sets = []
    for symbol in alphabet.letters:
        expanded = alphabet.expansions.get(symbol, "")
        sets.append(frozenset(expanded if len(expanded) > 1 else alphabet.alike.get(symbol, symbol)))
    return sets


def meaning(alphabet: Alphabet, ambiguity: Ambiguity, *, equate_il: bool = False) -> str:
    """Return the matches of ambiguous residues in words; parameters as of `match_table`."""
    text = AMBIGUITIES[ambiguity].format(wildcard=alphabet.wildcard)
    return f"{text}; {EQUATED}" if equate_il else text


def match_table(
    alphabet: Alphabet, ambiguity: Ambiguity = "strict", *, pattern: bool = False, equate_il: bool = False
) -> NDArray[np.bool_]:
    """Return a table of the symbols of a query that match symbols of a subject.

    Parameters
    ----------
    ambiguity : str
        What ambiguous residues match, one of `AMBIGUITIES`.
    pattern : bool
        True if the query is a pattern, as primers and PAMs are: its ambiguous residues, the wildcard too, mean each of
        theirs, and `ambiguity` applies to those of subjects alone; strictly, they match nothing.
    equate_il : bool
        True if isoleucine and leucine of proteins are the same residue, as for a mass spectrometer.

    Returns
    -------
    ndarray, shape=(symbols, symbols), dtype=bool
        Rows are symbols of the query.

    Raises
    ------
    InvalidParameter
        If the alphabet has more than `MAX_SYMBOLS` symbols, or `ambiguity` is not known.
    """
    if len(alphabet) > MAX_SYMBOLS:
        raise InvalidParameter(
            "alphabet", alphabet.name, f"Rules read alphabets of at most {MAX_SYMBOLS} symbols, not {alphabet.name}."
        )
    if ambiguity not in AMBIGUITIES:
        known = ", ".join(AMBIGUITIES)
        raise InvalidParameter(
            "ambiguity", ambiguity, f"'{ambiguity}' is no way to read ambiguous residues.", hint=known
        )
    sets = residue_sets(alphabet)
    one = frozenset("I")
    if equate_il:
        sets = [
            one if letter in ONE_MASS else residues for letter, residues in zip(alphabet.letters, sets, strict=True)
        ]
    wildcard = alphabet.letters.index(alphabet.wildcard)
    plain = np.array([len(symbols) == 1 for symbols in sets])
    meet = np.array([[bool(query & subject) for subject in sets] for query in sets])
    alike = alphabet.alike_codes[: len(sets)].copy()
    if equate_il:
        alike[[alphabet.letters.index(letter) for letter in ONE_MASS]] = alphabet.letters.index("I")
    table: NDArray[np.bool_]
    if ambiguity == "strict":
        table = meet & plain[None, :] if pattern else alike[:, None] == alike[None, :]
    else:
        table = meet.copy()
    if not pattern:
        table[wildcard] = ambiguity == "wild"
    table[:, wildcard] = ambiguity == "wild"
    return table


def masks(table: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return a number for each row of a table, shape (q, s): bit s is set where it matches symbol s of a subject."""
    bits = np.uint32(1) << np.arange(table.shape[1], dtype=np.uint32)
    sums: NDArray[np.uint32] = np.where(table, bits[None, :], np.uint32(0)).sum(axis=1, dtype=np.uint32)
    return sums
