"""Whether a rule can be asked of its queries: what is repaired in them, and which of them no place could ever meet.

Everything that takes queries (command line, library, window) makes its request by `RuleRequest.given`, which asks here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import Ambiguity, residue_sets
from swgui.core.rules.rule import (
    MAX_QUERY,
    Edits,
    Guides,
    Identity,
    Mismatches,
    Primers,
    Rule,
    Window,
    Words,
    percent,
)
from swgui.core.words import count

WithPam = Literal["auto", "yes", "no"]  # how guides are written; ``"auto"`` tells it by their lengths
WITH_PAM: Final[tuple[str, ...]] = get_args(WithPam)
NAMED: Final = 3  # queries in a note
LISTED: Final = 10  # queries in a sentence on a result
# Lengths of guides in use, by the side of their PAM: those of Cas9 and SaCas9, and those of Cas12a; and the length up
# to which a guide is one of Cas9 without doubt, whatever it ends with
GUIDES: Final = {"3": range(17, 23), "5": range(20, 26)}
PLAIN_GUIDE: Final = 20
NO_CONTROL: Final = "No control could be planted: nothing is known of whether the scan lists what it must."
Row = Mapping[str, Any]  # what a certificate says of a query and its places


def repaired(
    rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, with_pam: str = "auto"
) -> tuple[tuple[SequenceRecord, ...], tuple[str, ...]]:
    """Return queries as the rule takes them, and a sentence for each kind of change.

    U of nucleotides becomes T. A guide that ends (or begins, with a PAM at 5') with bases that fit the PAM, and has
    the length of a guide without them only, loses them.

    Raises
    ------
    InvalidParameter
        If a guide has the length of one with and without its PAM, or is not what `with_pam` says.
    """
    if with_pam not in WITH_PAM:
        raise InvalidParameter("with_pam", with_pam, f"Guides are written with their PAM: {', '.join(WITH_PAM)}.")
    if alphabet.name != NUCLEOTIDE.name:
        return tuple(queries), ()
    made, notes = list(queries), []
    if of_rna := [number for number, record in enumerate(made) if b"U" in record.residues]:
        for number in of_rna:
            made[number] = replace(made[number], residues=made[number].residues.replace(b"U", b"T"))
        notes.append(f"U was read as T in {_queries([made[number].id for number in of_rna])}.")
    if isinstance(rule, Guides) and with_pam != "no":
        made, said = _without_pam(rule, made, alphabet, with_pam)
        notes += said
    return tuple(made), tuple(notes)


def _without_pam(
    rule: Guides, guides: list[SequenceRecord], alphabet: Alphabet, with_pam: str
) -> tuple[list[SequenceRecord], list[str]]:
    size, pam = len(rule.pam), rule.pam.upper()
    sets = dict(zip(alphabet.letters, residue_sets(alphabet), strict=True))
    bases = [sets[base] for base in pam]
    made, ids, ends = [], [], []
    for guide in guides:
        text = guide.residues.decode()
        end = text[-size:] if rule.side == "3" else text[:size]
        fits = len(text) > size and (
            all(sets[base] <= allowed for base, allowed in zip(end, bases, strict=True)) or set(end) == {"N"}
        )
        if with_pam == "yes" and not fits:
            where = "end with" if rule.side == "3" else "begin with"
            raise InvalidParameter("with_pam", with_pam, f"Guide {guide.id} does not {where} the PAM {pam}.")
        if fits and (with_pam == "yes" or _holds_pam(rule, guide.id, len(text), end)):
            ids.append(guide.id)
            ends.append(end)
            guide = replace(guide, residues=(text[:-size] if rule.side == "3" else text[size:]).encode())
        made.append(guide)
    if not ids:
        return made, []
    verb, they = ("ended" if rule.side == "3" else "began"), ("it was" if len(ids) == 1 else "they were")
    shown = sorted(set(ends))
    which = ", ".join(shown[:NAMED]) + (", …" if len(shown) > NAMED else "")
    fit = "fits" if len(shown) == 1 else "fit"
    said = f"{_queries(ids)} {verb} with {which}, which {fit} the PAM {pam}: {they} left off."
    return made, [said[0].upper() + said[1:]]


def _holds_pam(rule: Guides, name: str, size: int, end: str) -> bool:
    """Tell whether bases that fit the PAM are the PAM, by the length of the guide; errors as of `repaired`."""
    lengths, rest = GUIDES[rule.side], size - len(end)
    if rest not in lengths or set(rule.pam.upper()) == {"N"}:
        return False
    if size not in lengths:
        return True
    if rule.side == "3" and size <= PLAIN_GUIDE:
        return False
    verb = "ends" if rule.side == "3" else "begins"
    raise InvalidParameter(
        "with_pam",
        "auto",
        f"Guide {name} {verb} with {end}, which fits the PAM: it has {size} bases with it, and {rest} without it.",
        hint="Say whether guides are written with their PAM: --with-pam yes or --with-pam no.",
    )


def unmet(
    rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, ambiguity: Ambiguity = "strict"
) -> dict[int, str]:
    """Return why no place could meet the rule, for the queries of which that is known, by their numbers.

    Residues that match nothing (X of proteins, N of nucleotides, unless they match all) are differences wherever the
    query is placed. Primers are numbered by pairs.
    """
    if isinstance(rule, Primers):
        pairs = zip(queries[::2], queries[1::2], strict=True)
        sizes = [max(len(record.residues) for record in pair) for pair in pairs]
        return {
            number: f"a primer of {size} bases has no product of at most {rule.longest}"
            for number, size in enumerate(sizes)
            if size > rule.longest
        }
    blank = b"" if ambiguity == "wild" else alphabet.wildcard.encode()
    reasons = {}
    for number, record in enumerate(queries):
        residues = record.residues
        if isinstance(rule, Window) or (blank and blank in residues):
            matching = np.frombuffer(residues, np.uint8) != ord(blank or b"\0")
            reasons[number] = _why_window(rule, matching) if isinstance(rule, Window) else _why(rule, matching, blank)
    return {number: why for number, why in reasons.items() if why}


def _why_window(rule: Window, matching: NDArray[np.bool_]) -> str:
    """Return why no window of a query can pass, given which of its residues can match, shape (n,); empty if one can."""
    sums = np.concatenate([[0], np.cumsum(matching)])
    size = min(len(matching), rule.length)
    best = int((sums[size:] - sums[: len(sums) - size]).max())
    if best > rule.length * rule.identity:
        return ""
    share, limit = f"{100 * best / rule.length:.4g}", percent(rule.identity)
    return (
        f"at most {best} of {rule.length} residues ({share} %) can be identical, and more than {limit} % are asked for"
    )


def _why(rule: Rule, matching: NDArray[np.bool_], blank: bytes) -> str:
    """Return why a query cannot be met, given which of its residues can match, shape (n,); empty if it can."""
    size, plain = len(matching), int(matching.sum())
    letter = blank.decode()
    blanks = (
        f"{size - plain} of its {size} residues {'is' if size - plain == 1 else 'are'} {letter}, which matches nothing"
    )
    if isinstance(rule, Identity):
        enough = plain >= size * rule.identity
        return "" if enough else f"{blanks}, and {percent(rule.identity)} % identity is asked for"
    if isinstance(rule, Words):
        longest = max(map(len, bytes(matching).split(b"\0")))
        return "" if longest >= rule.length else f"{blanks}, and no {rule.length} others stand side by side"
    if isinstance(rule, Edits) and rule.matching_ends and not (matching[0] and matching[-1]):
        return f"its first or last residue is {letter}, which matches nothing, and both must match"
    allowed = _residues_that_may_differ(rule)
    return "" if size - plain <= allowed else f"{blanks}, and {allowed or 'none'} may differ"


def _residues_that_may_differ(rule: Rule) -> int:
    """Return how many residues of a query may have no match, opposite another residue or a gap."""
    if isinstance(rule, Edits | Guides):
        return min(rule.limits.differences, rule.limits.mismatches + rule.limits.deletions)
    return rule.mismatches if isinstance(rule, Mismatches) else MAX_QUERY


def refuse_unmet(rule: Rule, names: Sequence[str], reasons: Mapping[int, str]) -> None:
    """Raise `SequenceError` if there are reasons for all queries, which are named so, and no place could be found."""
    if len(reasons) < len(names):
        return
    which = f"Query {names[0]}" if len(names) == 1 else f"None of the {len(names):,} queries, such as {names[0]},"
    raise SequenceError(
        f"{which} can{'not' * (len(names) == 1)} be met by any place: {reasons[0]}.",
        hint="Look for contiguous matches instead (swgui rule words)."
        if isinstance(rule, Window)
        else "Change the limits of the rule, or the queries.",
    )


def letter_notes(rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, ambiguity: Ambiguity) -> list[str]:
    """Return a sentence for each kind of letter of queries that matches less than a reader may expect."""
    if isinstance(rule, Primers) or ambiguity == "wild":
        return []  # those of primers stand for each of their bases
    several = {one for one, of in alphabet.expansions.items() if len(of) > 1} - {alphabet.wildcard}
    unless = "unless ambiguous residues match what they stand for"
    kinds = {  # letters, and what one of them, or several, do
        alphabet.wildcard: ("matches nothing and differs wherever it stands", ""),
        "".join(sorted(several)) if ambiguity == "strict" else "": (
            f"matches only itself, {unless}",
            f"match only themselves, {unless}",
        ),
        "*" if "*" in alphabet.letters else "": ("matches only a stop", ""),
    }
    notes = []
    for letters, (does, do) in kinds.items():
        held = {letter for record in queries for letter in letters if letter.encode() in record.residues}
        ids = [record.id for record in queries if any(letter.encode() in record.residues for letter in held)]
        if ids:
            notes.append(f"{', '.join(sorted(held))} in {_queries(ids)} {does if len(held) == 1 else do}.")
    return notes


def none_of(where: str, facts: Mapping[str, Any]) -> str:
    """Say that no place was found in what is named so; `facts` as of `remarks`."""
    rows: Sequence[Row] = facts.get("found_by_query", ())
    met = sum("cannot_be_met" not in row for row in rows)
    which = "query that can be met" if met == 1 else f"{met:,} queries that can be met"
    return f"No place in {where} meets the rule{f' for the {which}' if met < len(rows) else ''}."


def remarks(facts: Mapping[str, Any]) -> list[str]:
    """Return what must be said beside a number of places.

    Which queries have no place, which no place could meet, which records were read across their origin, and whether no
    control could be planted.

    Parameters
    ----------
    facts : mapping
        Of a certificate: ``rule``, ``queries``, ``found_by_query``, ``controls``, ``database`` and ``complete``.
    """
    rows: Sequence[Row] = facts.get("found_by_query", ())
    barren = [row["query"] for row in rows if not row["places"] and "cannot_be_met" not in row]
    said = []
    if barren and facts["complete"] and len(rows) > 1:
        have = "has" if len(barren) == 1 else "have"
        said.append(f"{len(barren):,} of {len(rows):,} queries {have} no place: {listed(barren)}.")
    reasons = {number: row["cannot_be_met"] for number, row in enumerate(rows) if "cannot_be_met" in row}
    said += unmet_note([row["query"] for row in rows], reasons)
    said += topology_note(facts)
    controls = facts["controls"]
    return said if controls is None or controls["within"] else [*said, NO_CONTROL]


def topology_note(facts: Mapping[str, Any]) -> list[str]:
    """Return a sentence on which records of nucleotides were read across their origin; `facts` as of `remarks`."""
    total, circular = facts["database"]["sequences"], facts["database"].get("circular", {}).get("records", 0)
    nucleotides = facts["queries"]["alphabet"] == NUCLEOTIDE.name or "frames" in facts["rule"]
    if not nucleotides or not total:
        return []
    if not circular:
        return ["All records were read as linear, from end to end."]
    verb = "was" if circular == 1 else "were"
    if circular == total:
        return [f"{'The record' if total == 1 else 'All records'} {verb} read as circular, across the origin."]
    are = count(circular, "record is", "records are")
    return [f"{are} circular and {verb} read across the origin, all others as linear."]


def unmet_note(names: Sequence[str], reasons: Mapping[int, str]) -> list[str]:
    """Return a sentence that names the queries that no place could meet, by their numbers; none if there are none."""
    if not reasons:
        return []
    number, why = next(iter(reasons.items()))
    of = "it" if len(reasons) == 1 else "them"
    which = listed([names[one] for one in reasons])
    example = why if len(reasons) == 1 else f"{names[number]}: {why}"
    return [
        f"{len(reasons):,} of {count(len(names), 'query', 'queries')} cannot be met, so that nothing is said of {of}: "
        f"{which} ({example})."
    ]


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """Return names, the first of many, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _queries(ids: Sequence[str]) -> str:
    return f"query {ids[0]}" if len(ids) == 1 else f"{len(ids):,} queries ({listed(ids, NAMED)})"
