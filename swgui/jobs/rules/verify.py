"""Check a certificate: count what it says again, and scan blocks of its database again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from swgui.core.alphabet import ALPHABETS
from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.plain import from_plain
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import NO_CONTROL
from swgui.core.rules.request import BOTH, PLUS, RuleRequest
from swgui.core.rules.rule import LEFT_OUT, RULES, Edits, Guides, Identity, Rule
from swgui.core.translation.genetic_codes import STANDARD
from swgui.core.words import count
from swgui.jobs.certificate import CertificateError, checksum_of, damaged
from swgui.jobs.rules.blocks import Block, piece_of, residues_until, scan_block
from swgui.jobs.rules.run import RuleRun, certificate

SAMPLE: Final = 4  # blocks that are scanned again unless all are asked for
_REPEATED: Final = {  # what a certificate of the same places says again, and what it is called
    "expected": "the places that the rule has in the database",
    "rule": "the sentence of the rule",
    "database": "what is said of the database",
    "queries": "the checksum of the queries",
}
_OF_ALL: Final = {
    "found": "the number of places",
    "found_by_differences": "the numbers of places by their differences",
    "subjects_found": "the number of subjects with places",
    "found_by_query": "the places of each query",
    "result_sha256": "the checksum of all places",
}
_ADDED: Final = ("found_by_query",)  # certificates of commits before 1a309ba8 lack it
# Sentences of `edits` and of `identity` before commits 3d8e8936 and a999ef51
_ONE_KIND: Final = ", gaps in the "
_TOGETHER: Final = "together"
_OVER_QUERY: Final = "counted over the residues of the query."
_BOTH_STRANDS: Final = "Every site on both strands "  # so the sentence of guides began before commit 342b8dd3


@dataclass(slots=True)
class CertificateCheck:
    """What was compared with a certificate, and what differs."""

    problems: list[str] = field(default_factory=list)  # a sentence for each difference
    # scanned, blocks: blocks that were scanned again, and all
    scanned: int = 0
    blocks: int = 0
    residues: int = 0  # in those that were scanned again

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return not self.problems

    def describe(self) -> str:
        """Say in a sentence what was compared."""
        again = f"{self.scanned} of {count(self.blocks, 'block')} ({count(self.residues, 'residue')})"
        said = "The certificate holds" if self.ok else "The certificate does not hold"
        return f"{said}: counts, checksums and planted controls were compared, and {again} scanned again."


def request_of(facts: Mapping[str, Any], database: str, engine: str = "auto") -> RuleRequest:
    """Return what a certificate says was asked; `CertificateError` where it does not say it."""
    try:
        rule, queries = facts["rule"], facts["queries"]
        values: dict[str, Any] = dict(rule["parameters"])
        if "identity" in values:
            values["identity"] = Fraction(values["identity"])
        given = queries.get("as_given", queries["sequences"])
        records = tuple(SequenceRecord(name, "", residues.encode()) for name, residues in given)
        make = partial(RuleRequest.given, with_pam=queries["with_pam"]) if "as_given" in queries else RuleRequest
        return make(
            RULES[rule["name"]](**values),
            records,
            ALPHABETS[queries["alphabet"]],
            database,
            ambiguity=rule["ambiguous_residues"],
            strands=PLUS if rule["strands"] == PLUS else BOTH,
            engine=engine,
            frames=tuple(rule.get("frames", ())),
            code=rule.get("genetic_code", STANDARD),
            circular=rule.get("circular", False),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as fault:
        raise damaged(facts.get("path", "")) from fault


def verify_certificate(
    facts: Mapping[str, Any],
    request: RuleRequest,
    database: EncodedDatabase,
    *,
    full: bool = False,
    check: Check = lambda: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CertificateCheck:
    """Compare a certificate with what is counted and scanned again.

    Parameters
    ----------
    full : bool
        Scan all blocks, not `SAMPLE` of them.

    Raises
    ------
    CertificateError
        If it is damaged, or lists places as this version does not.
    AlphabetMismatch, EngineFault, Stopped
        As `RuleRun.scan_all`.
    """
    try:
        blocks = from_plain(list[Block], facts["blocks"])
    except (KeyError, ValueError) as fault:
        raise damaged("") from fault
    _check_meaning(request.rule, facts)
    outcome = CertificateCheck(blocks=len(blocks))
    outcome.problems += _about_itself(facts, blocks, database)
    run = RuleRun(request, database)
    scan = run.begin(check)
    if run.controls is not None and not run.controls.within:
        outcome.problems.append(NO_CONTROL)
    chosen = range(len(blocks)) if full else _sample(len(blocks))
    inside = [number for number in chosen if piece_of(run.database, blocks[number]) is not None]
    if len(inside) < len(chosen):
        outcome.problems.append("The certificate has blocks that the database does not have.")
    for number in inside:
        block = blocks[number]
        again, places = scan_block(scan, run.database, Block(block.first, block.last))
        run.blocks.append(again)
        run.places.append(places)
        outcome.scanned += 1
        outcome.residues += residues_until(run.database, block.last) - residues_until(run.database, block.first)
        progress(outcome.scanned, len(inside))
        outcome.problems += _different(block, again)
    outcome.problems += _repeated(facts, run, full=full)
    return outcome


def _sample(blocks: int) -> list[int]:
    chosen = np.random.default_rng().choice(blocks, min(SAMPLE, blocks), replace=False)
    return sorted(int(number) for number in chosen)


def _about_itself(facts: Mapping[str, Any], blocks: list[Block], database: EncodedDatabase) -> list[str]:
    """Return what contradicts itself in a certificate."""
    problems = []
    if facts.get("certificate_sha256") != checksum_of(facts):
        problems.append("The certificate was changed after it was written: it has another checksum than it says.")
    borders = [0, *(block.last for block in blocks)]
    if any(block.first != before or block.last <= before for before, block in zip(borders, blocks, strict=False)):
        problems.append("The blocks of the certificate do not stand one behind the other.")
    left = len(database) - borders[-1]
    if left or facts.get("left_out") != facts.get("dropped_by_reader", 0) or facts.get("complete") is not True:
        problems.append(f"The certificate is not complete: {count(left, 'sequence')} of the database were left out.")
    for name, total in (("tested", "tested"), ("found", "found")):
        if sum(getattr(block, name) for block in blocks) != facts.get(name):
            problems.append(f"The number of places that were {total} is not the sum of those of the blocks.")
    if sum(block.ambiguous for block in blocks) != facts["database"].get("ambiguous_residues"):
        problems.append("The number of ambiguous residues is not the sum of those of the blocks.")
    if facts.get("tested") != facts.get("expected"):
        problems.append("Not as many places were tested as were expected.")
    return problems


def _different(block: Block, again: Block) -> list[str]:
    where = f"In sequences {block.first + 1:,} to {block.last:,}"
    problems = []
    if block.tested != again.tested:
        problems.append(f"{where} {again.tested:,} places are tested, not {block.tested:,}.")
    if block.ambiguous != again.ambiguous:
        problems.append(f"{where} {again.ambiguous:,} residues are ambiguous, not {block.ambiguous:,}.")
    if block.found != again.found:
        problems.append(f"{where} {again.found:,} places meet the rule, not {block.found:,}.")
    elif block.digest != again.digest:
        problems.append(f"{where} other places meet the rule: their checksums differ.")
    return problems


def _repeated(facts: Mapping[str, Any], run: RuleRun, *, full: bool) -> list[str]:
    """Return what a certificate that is made again says otherwise."""
    again = json.loads(json.dumps(certificate(run)))
    names = {**_REPEATED, **(_OF_ALL if full else {})}
    problems = []
    for name, words in names.items():
        said = facts.get(name)
        if name == "database" and isinstance(said, dict):
            without = ("path", "name", "ambiguous_residues")  # which stands in the blocks
            said, again[name] = (
                {key: value for key, value in facts.items() if key not in without} for facts in (said, again[name])
            )
        if name == "rule" and isinstance(said, dict):
            said = {**said, "sentence": _reworded(run.request.rule, str(said.get("sentence")))}
        if said != again[name] and not (said is None and name in _ADDED):
            problems.append(f"The certificate is wrong about {words}.")
    return problems


def _check_meaning(rule: Rule, facts: Mapping[str, Any]) -> None:
    """Raise `CertificateError` if the sentence is one of earlier commits, by which other places are listed."""
    if former := _former_meaning(rule, str(facts["rule"].get("sentence"))):
        raise CertificateError(
            f"The certificate {former}, as another version of this program did ({facts.get('program', 'unknown')}).",
            hint="Check it with that version, or search again.",
        )


def _former_meaning(rule: Rule, sentence: str) -> str:
    """Return how a sentence of earlier commits understood a rule otherwise; empty if it did not."""
    match rule:
        case Guides() if (rule.dna_bulges or rule.rna_bulges) and sentence.startswith(_BOTH_STRANDS):
            return "lists a site of a guide in each of its readings"
        case Edits() if _ONE_KIND in sentence or (rule.gaps and rule.gaps_in == "both" and _TOGETHER not in sentence):
            return "limits insertions and deletions one by one"
        case Identity() if _OVER_QUERY in sentence:
            return "counts insertions as residues of the query that do not match"
    return ""


def _reworded(rule: Rule, sentence: str) -> str:
    """Return the sentence of a rule as this version words it."""
    if isinstance(rule, Edits) and rule.leaves_out and LEFT_OUT not in sentence:
        first = rule.sentence()
        return sentence.replace(first.removesuffix(LEFT_OUT), first, 1)
    if not sentence.startswith(_BOTH_STRANDS):
        return sentence
    return f"Every site {sentence.removeprefix(_BOTH_STRANDS)} Both strands are searched."
