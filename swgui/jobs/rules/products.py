"""Products of primers: their bases, and both primers drawn on the template."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.rules.matching import match_table
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.jobs.rules.circles import residues_of

GAP: Final = "..."
COMPLEMENT: Final = str.maketrans("ACGTRYSWKMBDHVN", "TGCAYRSWMKVHDBN")


def bases_of(request: RuleRequest, database: EncodedDatabase, places: Places) -> list[str]:
    """Return the residues of places as the database has them, of bases in the direction of the query."""
    alphabet, made = request.database_alphabet, []
    for row, strand in enumerate(places.strand.tolist()):
        codes = residues_of(database, int(places.subject[row]), int(places.start[row]), int(places.end[row]))
        codes = alphabet.reverse_complement(codes) if strand < 0 and alphabet.complements else codes
        made.append(alphabet.decode(codes).decode())
    return made


def drawn(request: RuleRequest, database: EncodedDatabase, place: Places) -> str:
    """Return both primers of one product above and below the strand that the forward primer reads."""
    (template,), number = bases_of(request, database, place), int(place.query[0])
    forward, reverse = request.queries[2 * number : 2 * number + 2]
    left, right = forward.residues.decode(), reverse.residues.decode()
    turned = right.translate(COMPLEMENT)[::-1]  # as it reads on the strand of the template
    begin, end = template[: len(left)], template[len(template) - len(right) :]
    width = max(len(forward.id), len(reverse.id), len("template"))
    behind = len(left) + len(GAP)
    alphabet = request.alphabet
    return "\n".join(
        [
            f"{forward.id:<{width}}  5'-{left}-3'{_melting(left, alphabet)}",
            f"{'':<{width}}     {_marks(left, begin, alphabet)}",
            f"{'template':<{width}}  5'-{begin}{GAP}{end}-3'",
            f"{'':<{width}}     {'':<{behind}}{_marks(turned, end, alphabet)}",
            f"{reverse.id:<{width}}  {'':<{behind}}3'-{right[::-1]}-5'{_melting(right, alphabet)}",
        ]
    )


def _melting(primer: str, alphabet: Alphabet) -> str:
    """Return the melting temperature of a primer, as the words behind it."""
    from swgui.core.melting import melting_text  # here: tables of other rules have no primers

    said = melting_text(primer, alphabet.expansions)
    return f"   {said}" if said else ""


def _marks(primer: str, template: str, alphabet: Alphabet) -> str:
    """Return a bar where a base of a primer matches the template, of which each ambiguous base means each of its."""
    table: NDArray[np.bool_] = match_table(alphabet, "strict", pattern=True)
    letters = alphabet.letters
    return "".join(
        "|" if table[letters.index(a), letters.index(b)] else " " for a, b in zip(primer, template, strict=True)
    )
