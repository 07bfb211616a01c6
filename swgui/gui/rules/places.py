"""Places of a rule on their sequences, for the Locus page."""

from __future__ import annotations

import numpy as np

from swgui.core.loci.place import Marks, Place
from swgui.core.rules.places import Places
from swgui.core.words import count
from swgui.gui.rules.work import RuleResult


def place_of(result: RuleResult, row: int) -> Place:
    """Return a place of a rule, with all others on its sequence."""
    places, request = result.places, result.request
    index = int(places.subject[row])

    def marks() -> tuple[Marks, ...]:
        own = places.take(np.flatnonzero(places.subject == index))
        names = tuple(request.names[number] for number in own.query.tolist())
        title = f"{count(len(own), 'place')} of the rule {request.rule.name}"
        found = Marks(title, own.start, own.end, own.strand, names)
        return (_primers(result, own), found) if request.rule.paired else (found,)

    start, end = int(places.start[row]), int(places.end[row])
    origin = f"place of {request.names[int(places.query[row])]}"
    return Place(result.database, index, start, end, marks, origin, request.code)


def _primers(result: RuleResult, products: Places) -> Marks:
    """Return the primers at both ends of products."""
    records = result.request.queries
    pairs = [(records[2 * number], records[2 * number + 1]) for number in products.query.tolist()]
    ends = [pair if strand > 0 else pair[::-1] for pair, strand in zip(pairs, products.strand.tolist(), strict=True)]
    left = np.array([len(one.residues) for one, _ in ends], np.int64)
    right = np.array([len(other.residues) for _, other in ends], np.int64)
    return Marks(
        "Primers",
        np.concatenate([products.start, products.end - right]),
        np.concatenate([products.start + left, products.end]),
        np.repeat(np.array([1, -1], np.int8), len(ends)),
        tuple(record.id for side in (0, 1) for record in (pair[side] for pair in ends)),
    )
