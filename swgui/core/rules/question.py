"""A question to a rule as a user writes it, and the repairs that it may need before it becomes a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from swgui.core.alphabet import Alphabet
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import groups, repaired, unmet
from swgui.core.rules.base import Rule
from swgui.core.rules.matching import Ambiguity
from swgui.core.rules.repair import Repair
from swgui.core.words import count


@dataclass(frozen=True, slots=True)
class Question:
    """Rule and queries as a user gives them; fields as of `swgui.core.rules.request.RuleRequest`."""

    rule: Rule
    queries: tuple[SequenceRecord, ...] = field(repr=False)
    alphabet: Alphabet
    ambiguity: Ambiguity = "strict"
    with_pam: str = "auto"
    equate_il: bool = False


def repairs_of(question: Question) -> list[Repair]:
    """Return the repairs of a question: those of its rule first, then those that leave queries out."""
    found = [*question.rule.repairs(question)]
    try:
        made, _ = repaired(question.rule, question.queries, question.alphabet, question.with_pam)
    except SwguiError:
        return found  # its rule must know first how the queries are to be read
    asked = replace(question, queries=made)
    return [*found, *_of_letters(asked), *_left_out(question, made)]


def _unmet(question: Question) -> int:
    return len(unmet(question.rule, question.queries, question.alphabet, question.ambiguity))


def _of_letters(question: Question) -> Iterator[Repair]:
    """Yield the repair of queries whose letters match nothing, if it helps."""
    if question.ambiguity != "wild" and _unmet(replace(question, ambiguity="wild")) < _unmet(question):
        letter = question.alphabet.wildcard
        yield Repair.to(f"Let {letter} match any residue", "--ambiguous wild", ambiguity="wild")


def _left_out(question: Question, made: Sequence[SequenceRecord]) -> Iterator[Repair]:
    """Yield the repair that leaves out queries that no place can meet or the rule refuses, if others stay."""
    rule = question.rule
    dropped = set(unmet(rule, made, question.alphabet, question.ambiguity))
    for number, group in enumerate(groups(rule, made)):
        try:
            for record in group:
                rule.check_query(record.id, len(record.residues))
        except SwguiError:
            dropped.add(number)
    total = len(made) // (1 + rule.paired)
    if dropped and len(dropped) < total:
        kept = [group for number, group in enumerate(groups(rule, question.queries)) if number not in dropped]
        what = count(len(dropped), "pair" if rule.paired else "query", "pairs" if rule.paired else "queries")
        stay = tuple(record for group in kept for record in group)
        yield Repair.to(f"Leave out {what} that cannot be met", "", queries=stay)


def hint_of(repairs: Sequence[Repair], said: str) -> str:
    """Return a hint with the options of the repairs that a text does not name yet; empty if there are none."""
    missing = [
        f"{one.options} ({one.said[0].lower()}{one.said[1:]})"
        for one in repairs
        if one.options and one.options not in said
    ]
    return f"Give {' or '.join(missing)}." if missing else ""
