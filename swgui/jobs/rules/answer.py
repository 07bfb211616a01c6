"""The answer of a search by rule: a sentence, and a line with numbers for each query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from swgui.core.answer import Answer, Line, Where
from swgui.core.words import count
from swgui.jobs.certificate import sealed
from swgui.jobs.rules.found import QUERY, Found
from swgui.jobs.rules.work.base import work_of


def answer_to(found: Found) -> Answer:
    """Return the answer of a search by rule. That of a search which was stopped only counts."""
    work, lines = work_of(found.request.rule), []
    for number, name in enumerate(found.names):
        mine = (Where.equal(QUERY, number),)
        if number in found.unmet:
            lines.append(Line(name, f"cannot be met: {found.unmet[number]}", (), mine))
            continue
        said = work.said(found, number) if found.complete else _so_far(found, number)
        lines.append(Line(name, said, work.counts(found, number), mine))
    return Answer(work.sentence(found) if found.complete else _stopped(found), tuple(lines))


def _so_far(found: Found, number: int) -> str:
    rows = found.of(number)
    return f"{count(rows.stop - rows.start, 'place')} so far" if rows.stop > rows.start else "none so far"


def _stopped(found: Found) -> str:
    number = len(found.places)
    so_far = f"So far {count(number, 'place')}" if number else "So far no place"
    return (
        f"Stopped after {found.scanned:,} of the {found.where}. {so_far}; the answer for the others is not known."
        if found.scanned < len(found.database)
        else f"Stopped before the places were checked. {so_far} in the {found.where}."
    )


def rule_answer(facts: Mapping[str, Any], asked: object = None) -> Answer:
    """Return the answer in a certificate, whose numbers choose no rows; older ones have a sentence alone."""
    if "answer" in facts:
        return Answer.of_facts(facts["answer"])
    from swgui.io.tables.rule_page import answer  # here: few certificates are of older versions

    return Answer(answer(facts))


def with_answer(facts: Mapping[str, Any], made: Answer) -> dict[str, Any]:
    """Return a certificate with another answer, to which the figures of an allergen check belong."""
    return sealed({**facts, "answer": made.facts()})
