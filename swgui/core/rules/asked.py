"""Queries of a rule: whether the rule accepts them, their repairs, and those that no place could ever meet.

Everything that takes queries (command line, library, window) makes its request by `RuleRequest.given`, which asks here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, Alphabet, letter_of
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.base import Rule, WithPam
from swgui.core.rules.matching import Ambiguity
from swgui.core.rules.naming import listed, queries_named
from swgui.core.words import agree, count

WITH_PAM: Final[tuple[str, ...]] = get_args(WithPam)
NO_CONTROL: Final = "No control could be planted: nothing is known of whether the scan lists what it must."
Row = Mapping[str, Any]  # statements of a certificate on a query and its places


def repaired(
    rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, with_pam: str = "auto"
) -> tuple[tuple[SequenceRecord, ...], tuple[str, ...]]:
    """Return queries as the rule takes them, and a sentence for each kind of change.

    U of nucleotides becomes T. A guide that ends (or begins, with a PAM at 5') with bases that fit the PAM, and has
    the length of a guide without them only, loses them.

    Raises
    ------
    InvalidParameter
        If a guide has the length of one with and without its PAM, or contradicts `with_pam`.
    """
    if with_pam not in WITH_PAM:
        raise InvalidParameter("with_pam", with_pam, f"Guides are written with their PAM: {', '.join(WITH_PAM)}.")
    if alphabet.name != NUCLEOTIDE.name:
        return tuple(queries), ()
    made, remarks = list(queries), []
    if of_rna := [number for number, record in enumerate(made) if b"U" in record.residues]:
        for number in of_rna:
            made[number] = replace(made[number], residues=made[number].residues.replace(b"U", b"T"))
        remarks.append(f"U was read as T in {queries_named([made[number].id for number in of_rna])}.")
    if with_pam == "no":
        return tuple(made), tuple(remarks)
    without, said = rule.without_pam(made, alphabet, with_pam)
    return tuple(without), (*remarks, *said)


def unmet(
    rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, ambiguity: Ambiguity = "strict"
) -> dict[int, str]:
    """Return the reasons why no place could meet the rule, for the queries known to be so, by their numbers.

    Residues that match nothing (X of proteins, N of nucleotides, unless they match all) are differences wherever the
    query is placed. Primers are numbered by pairs.
    """
    blank = b"" if ambiguity == "wild" or rule.paired else alphabet.wildcard.encode()
    reasons = {}
    for number, group in enumerate(groups(rule, queries)):
        if rule.plain_may_be_unmet or (blank and any(blank in record.residues for record in group)):
            each = [np.frombuffer(record.residues, np.uint8) != ord(blank or b"\0") for record in group]
            reasons[number] = rule.why_unmet(each, blank.decode())
    return {number: why for number, why in reasons.items() if why}


def groups(rule: Rule, queries: Sequence[SequenceRecord]) -> Iterator[Sequence[SequenceRecord]]:
    """Yield the queries that a place is one of, as places count them: pairs of primers, single ones otherwise."""
    step = 1 + rule.paired
    return (queries[first : first + step] for first in range(0, len(queries), step))


def refuse_unmet(rule: Rule, names: Sequence[str], reasons: Mapping[int, str]) -> None:
    """Raise `SequenceError` if there are reasons for all queries, which are named so, and no place could be found."""
    if len(reasons) < len(names):
        return
    which = f"Query {names[0]}" if len(names) == 1 else f"None of the {len(names):,} queries, such as {names[0]},"
    raise SequenceError(
        f"{which} can{'not' * (len(names) == 1)} be met by any place: {reasons[0]}.",
        hint=rule.unmet_hint,
    )


def letter_remarks(
    rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, ambiguity: Ambiguity, plain: str = ""
) -> list[str]:
    """Return a sentence for each kind of letter of queries that matches less than a reader may expect.

    Letters of `plain` match what a reader expects in any case.
    """
    if rule.paired or ambiguity == "wild":
        return []  # those of primers mean each of their bases
    several = {one for one, of in alphabet.expansions.items() if len(of) > 1} - {alphabet.wildcard, *plain}
    unless = "unless ambiguous residues match what they stand for"
    kinds = {  # letters, and verbs for one of them, or several
        alphabet.wildcard: ("matches nothing and is a difference everywhere", ""),
        "".join(sorted(several)) if ambiguity == "strict" else "": (
            f"matches only itself, {unless}",
            f"match only themselves, {unless}",
        ),
        "*" if "*" in alphabet.letters else "": ("matches only a stop", ""),
    }
    remarks = []
    for letters, (does, do) in kinds.items():
        held = {letter for record in queries for letter in letters if letter.encode() in record.residues}
        ids = [record.id for record in queries if any(letter.encode() in record.residues for letter in held)]
        if ids:
            remarks.append(f"{', '.join(sorted(held))} in {queries_named(ids)} {agree(len(held), does, do)}.")
    return remarks


def none_of(where: str, facts: Mapping[str, Any]) -> str:
    """Return the sentence that the database has no place for the queries; `facts` as of `remarks`."""
    rows: Sequence[Row] = facts.get("found_by_query", ())
    met = sum("cannot_be_met" not in row for row in rows)
    which = "query that can be met" if met == 1 else f"{met:,} queries that can be met"
    return f"No place in {where} meets the rule{f' for the {which}' if met < len(rows) else ''}."


def remarks(facts: Mapping[str, Any]) -> list[str]:
    """Return the remarks that belong to a number of places.

    Which queries have no place, which no place could meet, which records were read across their origin, and whether no
    control could be planted.

    Parameters
    ----------
    facts : mapping
        Facts of a certificate: ``rule``, ``queries``, ``found_by_query``, ``controls``, ``database`` and ``complete``.
    """
    rows: Sequence[Row] = facts.get("found_by_query", ())
    barren = [row["query"] for row in rows if not row["places"] and "cannot_be_met" not in row]
    said = []
    if barren and facts["complete"] and len(rows) > 1:
        have = agree(len(barren), "has", "have")
        said.append(f"{len(barren):,} of {len(rows):,} queries {have} no place: {listed(barren)}.")
    reasons = {number: row["cannot_be_met"] for number, row in enumerate(rows) if "cannot_be_met" in row}
    said += unmet_note([row["query"] for row in rows], reasons)
    said += topology_note(facts)
    controls = facts["controls"]
    return said if controls is None or controls["within"] else [*said, NO_CONTROL]


def database_letter(facts: Mapping[str, Any]) -> str:
    """Return the word for one letter of the database's sequences: base or residue; facts as of a certificate."""
    return letter_of(NUCLEOTIDE.name if "frames" in facts["rule"] else facts["queries"]["alphabet"])


def topology_note(facts: Mapping[str, Any]) -> list[str]:
    """Return a sentence on which records of nucleotides were read across their origin; `facts` as of `remarks`."""
    total, circular = facts["database"]["sequences"], facts["database"].get("circular", {}).get("records", 0)
    if database_letter(facts) != letter_of(NUCLEOTIDE.name) or not total:
        return []
    if not circular:
        return ["All records were read as linear, from end to end."]
    verb = agree(circular, "was", "were")
    if circular == total:
        return [f"{'The record' if total == 1 else 'All records'} {verb} read as circular, across the origin."]
    are = count(circular, "record is", "records are")
    return [f"{are} circular and {verb} read across the origin, all others as linear."]


def unmet_note(names: Sequence[str], reasons: Mapping[int, str]) -> list[str]:
    """Return a sentence that names the queries that no place could meet, by their numbers; none if there are none."""
    if not reasons:
        return []
    number, why = next(iter(reasons.items()))
    of = agree(len(reasons), "it", "them")
    which = listed([names[one] for one in reasons])
    example = why if len(reasons) == 1 else f"{names[number]}: {why}"
    return [
        f"{len(reasons):,} of {count(len(names), 'query', 'queries')} cannot be met, so the result says nothing about "
        f"{of}: {which} ({example})."
    ]
