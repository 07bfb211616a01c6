"""Pairs of primers without a product that have one without their 5' tails, or with one of them turned round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.control import Check
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.naming import listed
from swgui.core.rules.places import Places
from swgui.core.rules.primers import Primers
from swgui.core.rules.question import Question
from swgui.core.rules.repair import Hint, Repair
from swgui.core.words import agree, count
from swgui.jobs.rules.blocks import scan_block
from swgui.jobs.rules.run import RuleRun, expected

ANNEALING: Final = 18  # bases at the 3' end of a primer that are compared, all of which must match
PLACES: Final = 4_000_000_000  # that are tested for a hint: two seconds of a core


def tail_hints(run: RuleRun, rule: Primers, check: Check = lambda: None) -> list[Hint]:
    """Return a hint on pairs of primers of a run that have products only without their 5' tails.

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
    rows, pairs = without_product(run)
    kept = [n for n, pair in enumerate(pairs) if max(len(one.residues) for one in pair) > ANNEALING]
    cut = [(replace(one, residues=one.residues[-ANNEALING:]) for one in pairs[n]) for n in kept]
    tails = np.array([sum(max(len(one.residues) - ANNEALING, 0) for one in pairs[n]) for n in kept], np.int64)
    exact = Primers(0, 0, max(1, rule.shortest - max(tails, default=0)), rule.longest)

    def within(places: Places) -> NDArray[np.bool_]:
        sizes = places.end - places.start + tails[places.query]
        return (sizes >= rule.shortest) & (sizes <= rule.longest)

    found = products_of(run, exact, [one for pair in cut for one in pair], check, within)
    names = [request.names[rows[n]] for n, products in zip(kept, found, strict=False) if products]
    if not names:
        return []
    has = agree(len(names), "has no product", "have no product")
    return [
        Hint(
            f"{count(len(names), 'pair')} of primers ({listed(names)}) {has}, but "
            f"{count(sum(found), 'product')} where only the last {ANNEALING} bases of each primer are compared: "
            "leave off 5' tails that the template lacks."
        )
    ]


def turned_hints(run: RuleRun, rule: Primers, check: Check = lambda: None) -> list[Hint]:
    """Return a hint on each pair without a product that has one where one of its primers is turned round.

    Such primers were written in the direction of one strand, not each from 5' to 3'. Raises as `tail_hints`.
    """
    request, (rows, pairs) = run.request, without_product(run)
    asked = []
    for forward, reverse in pairs:
        asked += [forward, _turned(reverse, request.alphabet), _turned(forward, request.alphabet), reverse]
    found = products_of(run, rule, asked, check)
    hints = []
    for row, pair, products in zip(rows, pairs, zip(found[::2], found[1::2], strict=True), strict=False):
        side = 1 if products[0] >= products[1] else 0  # of the primer that is turned
        if number := max(products):
            name = pair[side].id
            said = (
                f"The pair of primers {request.names[row]} has no product, but {count(number, 'product')} with the "
                f"reverse complement of {name}: write both primers from 5' to 3'."
            )
            hints.append(Hint(said, Repair(f"Turn {name} round", "", partial(_turn, place=2 * row + side))))
    return hints


def _turned(primer: SequenceRecord, alphabet: Alphabet) -> SequenceRecord:
    codes = alphabet.reverse_complement(alphabet.encode(primer.residues))
    return replace(primer, residues=alphabet.decode(codes))


def _turn(question: Question, place: int) -> Question:
    """Return a question with the reverse complement of one of its queries."""
    queries = list(question.queries)
    queries[place] = _turned(queries[place], question.alphabet)
    return replace(question, queries=tuple(queries))


def without_product(run: RuleRun) -> tuple[list[int], list[tuple[SequenceRecord, SequenceRecord]]]:
    """Return the numbers of the pairs of a run that have no product though one is possible, and these pairs."""
    queries = run.request.queries
    rows = [number for number, row in enumerate(run.by_query()) if not row["places"] and "cannot_be_met" not in row]
    return rows, [(queries[2 * number], queries[2 * number + 1]) for number in rows]


def products_of(
    run: RuleRun,
    rule: Primers,
    queries: Sequence[SequenceRecord],
    check: Check,
    within: Callable[[Places], NDArray[np.bool_]] | None = None,
) -> list[int]:
    """Return the number of products of other pairs in the database of a run; empty where it would take too long.

    Parameters
    ----------
    queries : sequence of SequenceRecord
        Forward and reverse primers in turn.
    within : callable, optional
        Returns which products count.
    """
    if not queries:
        return []
    other = RuleRun(replace(run.request, rule=rule, queries=tuple(queries), as_given=(), repairs=()), run.database)
    if expected(other) > PLACES:
        return []
    scan = other.scan(other.scanner(), check)
    found = np.zeros(len(queries) // 2, np.int64)
    for block in other.blocks_left(scan):
        places = scan_block(scan, other.database, block)[1]
        those = places.query if within is None else places.query[within(places)]
        found += np.bincount(those, minlength=len(found))
    counts: list[int] = found.tolist()
    return counts
