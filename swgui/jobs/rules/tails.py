"""Pairs of primers without a product that have one where their 5' tails are left off."""

from __future__ import annotations

from typing import Final

import numpy as np

from swgui.core.control import Check
from swgui.core.plain import replace
from swgui.core.rules.naming import listed
from swgui.core.rules.primers import Primers
from swgui.core.words import agree, count
from swgui.jobs.rules.blocks import scan_block
from swgui.jobs.rules.run import RuleRun, expected

ANNEALING: Final = 18  # bases at the 3' end of a primer that are compared, all of which must match
PLACES: Final = 4_000_000_000  # that are tested for a hint: two seconds of a core


def tail_hints(run: RuleRun, rule: Primers, check: Check = lambda: None) -> list[str]:
    """Return a sentence on pairs of primers of a run that have products only without their 5' tails.

    The tails count in the length of a product, as they do in the tube: where only `longest` or `shortest` excludes it
    there is nothing to say of tails.

    Primers are compared whole, since a certificate speaks of whole primers. It is not looked for in a database that
    would take longer than `PLACES`.

    Raises
    ------
    Stopped
        By `check`.
    """
    request = run.request
    rows = [number for number, row in enumerate(run.by_query()) if not row["places"] and "cannot_be_met" not in row]
    pairs = [request.queries[2 * number : 2 * number + 2] for number in rows]
    kept = [n for n, pair in enumerate(pairs) if max(len(one.residues) for one in pair) > ANNEALING]
    if not kept:
        return []
    cut = [replace(one, residues=one.residues[-ANNEALING:]) for n in kept for one in pairs[n]]
    tails = np.array([sum(max(len(one.residues) - ANNEALING, 0) for one in pairs[n]) for n in kept], np.int64)
    exact = Primers(0, 0, max(1, rule.shortest - int(tails.max())), rule.longest)
    other = RuleRun(replace(request, rule=exact, queries=tuple(cut), as_given=(), repairs=()), run.database)
    if expected(other) > PLACES:
        return []
    scan = other.scan(other.scanner(), check)
    found = np.zeros(len(kept), np.int64)
    for block in other.blocks_left(scan):
        places = scan_block(scan, other.database, block)[1]
        sizes = places.end - places.start + tails[places.query]
        within = (sizes >= rule.shortest) & (sizes <= rule.longest)
        found += np.bincount(places.query[within], minlength=len(kept))
    names = [request.names[rows[n]] for n, products in zip(kept, found, strict=True) if products]
    if not names:
        return []
    has = agree(len(names), "has no product", "have no product")
    return [
        f"{count(len(names), 'pair')} of primers ({listed(names)}) {has}, but "
        f"{count(int(found.sum()), 'product')} where only the last {ANNEALING} bases of each primer are compared: "
        "leave off 5' tails that the template lacks."
    ]
