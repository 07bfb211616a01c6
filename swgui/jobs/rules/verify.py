"""Check the certificate of a search by rule: count what it says again, and scan blocks of its database again."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE
from swgui.core.control import Check, checking
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import RunFileError, SwguiError
from swgui.core.plain import Count, from_plain, replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import NO_CONTROL
from swgui.core.rules.matching import Ambiguity
from swgui.core.rules.request import BOTH, PLUS, RuleRequest
from swgui.core.translation.genetic_codes import STANDARD
from swgui.core.words import count
from swgui.io.database.checked import check_content
from swgui.io.read_report import ReadReport
from swgui.jobs.certificate import damaged
from swgui.jobs.events import Event, Stage
from swgui.jobs.members import FULL_HINT, CertificateCheck, checksum_problems, compare, each, members_of
from swgui.jobs.rules.answer import answer_to, with_answer
from swgui.jobs.rules.background import fasta_identities, measure_background, with_background
from swgui.jobs.rules.blocks import Block, piece_of, residues_until, scan_block
from swgui.jobs.rules.checks import Checks, check_places
from swgui.jobs.rules.known import rules
from swgui.jobs.rules.run import FORMATS, RuleRun, certificate, topology_facts
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.work.window import BY_PRACTICE

SAMPLE: Final = 4  # blocks that are scanned again unless the request is for all
_QUESTION: Final = "'rule' and 'queries'"
_LENGTHS: Final = "'rule', 'queries' and the lengths of the sequences"
_DATABASE: Final = "the database"
_SCAN: Final = "'rule', 'queries' and a scan of the whole database"
_BLOCK: Final = "'rule', 'queries' and a scan of the block"
_GIVEN: Final = "'queries.as_given' and 'queries.with_pam'"
_LETTERS: Final = "'rule.ambiguous_residues' and 'rule.equate_il'"
_STRANDS: Final = "'rule.name', 'rule.strands' and 'queries.alphabet'"
_READING: Final = "the file of the database as it is read, and 'blocks'"
_CIRCLES: Final = "'rule', 'queries' and the database"
_PLANTED: Final = "planted controls, scanned again"
_SHUFFLED: Final = "searches by 'rule' with shuffled 'queries'"
_WORDED: Final = "an earlier version words it so"
_CONTROLLED: Final = "an earlier version planted other controls"
_CHECKED: Final = "an earlier version checked other places again"
_RAN: Final = "nothing tells afterwards when, where and by what it ran"
_UNREAD: Final = "the file at hand does not tell what its reader dropped"
_NAMED: Final = "a file may be renamed; the checksum identifies its content"
_OF_READING: Final = ("left_out", "dropped_by_reader", "dropped_by_reader_reasons")
_OF_SCAN: Final = ("found", "digest", "ambiguous")  # members of blocks
MEMBERS: Final = (
    *each("", str, "asked", "", "format"),
    *each("rule.", str, "asked", "", "name"),
    *each("rule.", str, "always", _QUESTION, "sentence", earlier=_WORDED),
    *each("rule.", dict[str, Any], "asked", "'rule.parameters' as this version writes them", "parameters"),
    *each("rule.", Ambiguity, "asked", "", "ambiguous_residues"),
    *each("rule.", str, "always", _LETTERS, "ambiguous_residues_mean", earlier=_WORDED),
    *each("rule.", Literal[True], "asked", "", "equate_il", optional=True),
    *each("rule.", Literal["both", "plus", "one"], "asked", _STRANDS, "strands", earlier=_WORDED),
    *each("rule.", list[Literal[1, 2, 3, -1, -2, -3]], "asked", "'rule.frames'", "frames", optional=True),
    *each("rule.", Count, "asked", "'rule.frames' and 'rule.genetic_code'", "genetic_code", optional=True),
    *each("rule.", Literal[True], "asked", "'rule.circular'", "circular", optional=True),
    *each("queries.", Count, "always", "'queries.sequences'", "count"),
    *each("queries.", str, "asked", "", "alphabet"),
    *each("queries.", str, "always", "'queries.sequences'", "sha256"),
    *each("queries.", list[tuple[str, str]], "asked", _GIVEN, "sequences"),
    *each("queries.", list[str], "always", _GIVEN, "repairs", optional=True),
    *each("queries.", list[tuple[str, str]], "asked", "'queries.sequences'", "as_given", optional=True),
    *each("queries.", str, "asked", "'queries.as_given'", "with_pam", optional=True),
    *each("database.", str, "stated", _NAMED, "name", "path"),
    *each("database.", str, "full", _DATABASE, "checksum"),
    *each("database.", Count, "always", _DATABASE, "sequences", "residues", "shortest", "longest"),
    *each("database.", Count, "full", _SCAN, "ambiguous_residues"),
    *each("database.circular.", Count, "always", _CIRCLES, "records", "before", "behind", optional=True),
    *each("", Count, "always", _LENGTHS, "expected"),
    *each("", Count, "always", f"'blocks', {_LENGTHS}", "tested"),
    *each("", Count, "full", _SCAN, "found", "subjects_found"),
    *each("", dict[str, Count], "full", _SCAN, "found_by_differences"),
    *each("", list[None], "always", "'queries'", "found_by_query", optional=True),
    *each("found_by_query.*.", str, "always", "'queries'", "query", optional=True),
    *each("found_by_query.*.", Count, "full", _SCAN, "places", optional=True),
    *each("found_by_query.*.", dict[str, Count], "full", _SCAN, "by_differences", optional=True),
    *each("found_by_query.*.", str, "always", _QUESTION, "cannot_be_met", optional=True),
    *each("answer.", str, "full", _SCAN, "sentence", optional=True),
    *each("answer.", list[None], "always", "'queries'", "lines", optional=True),
    *each("answer.lines.*.", str, "always", "'queries'", "name", optional=True),
    *each("answer.lines.*.", str, "full", _SCAN, "said", optional=True),
    *each("answer.lines.*.", dict[str, Count], "full", _SCAN, "counts", optional=True),
    *each("", Count, "always", _READING, "left_out"),
    *each("", str, "always", _READING, "left_out_reason", optional=True),
    *each("", list[str], "always", _READING, "left_out_sequences", "dropped_by_reader_reasons", optional=True),
    *each("", Count, "always", _READING, "dropped_by_reader", optional=True),
    *each("", bool, "always", "'blocks', 'controls' and 'checks'", "complete"),
    *each("", bool, "stated", _RAN, "resumed"),
    *each("", None, "always", _PLANTED, "controls", optional=True),
    *each("controls.", Count, "always", _PLANTED, "within", "within_found", "beyond", earlier=_CONTROLLED),
    *each("controls.", Count, "always", _PLANTED, "beyond_found"),
    *each("controls.", bool, "always", _PLANTED, "ok"),
    *each("", None, "always", _SCAN, "checks", optional=True),
    *each("checks.", Count, "full", _SCAN, "places"),
    *each("checks.", Count, "full", _SCAN, "recounted", "fitted", "aligned", earlier=_CHECKED),
    *each("", list[None], "always", _DATABASE, "blocks", optional=True),
    *each("blocks.*.", Count, "always", _DATABASE, "first", "last"),
    *each("blocks.*.", Count, "always", _LENGTHS, "tested"),
    *each("blocks.*.", Count, "always", _BLOCK, "found", "ambiguous"),
    *each("blocks.*.", str, "always", _BLOCK, "digest"),
    *each("", str, "full", _SCAN, "result_sha256"),
    *each("", str, "stated", _RAN, "program", "device", "computer", "date", "command"),
    *each("", dict[str, str], "stated", _RAN, "code"),
    *each("", float, "stated", _RAN, "seconds"),
    *each("", str, "always", "'rule.name'", "not_said"),
    *each("background.", Count, "full", _SHUFFLED, "shuffles", "seed", optional=True),
    *each("background.", list[Count], "full", _SHUFFLED, "subjects_passing", optional=True),
    *each("background.", str, "full", _SHUFFLED, "sentence", optional=True),
    *each("", str, "always", "the records of this version", "checksum_is", since=2),
    *each("", str, "always", "all other members", "certificate_sha256"),
)


def request_of(
    facts: Mapping[str, Any], database: str, engine: str = "auto", options: EngineOptions | None = None
) -> RuleRequest:
    """Return the request in a certificate; `RunFileError` where it has none."""
    try:
        rule, queries = facts["rule"], facts["queries"]
        alphabet = ALPHABETS[queries["alphabet"]]
        earlier = rule["strands"] == "one" and alphabet.name == NUCLEOTIDE.name  # as format 1 called `PLUS`
        given = queries.get("as_given", queries["sequences"])
        records = tuple(SequenceRecord(name, "", residues.encode()) for name, residues in given)
        make = partial(RuleRequest.given, with_pam=queries["with_pam"]) if "as_given" in queries else RuleRequest
        return make(
            rules()[rule["name"]].of_plain(rule["parameters"]),
            records,
            alphabet,
            database,
            ambiguity=rule["ambiguous_residues"],
            strands=PLUS if earlier or rule["strands"] == PLUS else BOTH,
            engine=engine,
            options=options or EngineOptions(),
            frames=tuple(rule.get("frames", ())),
            code=rule.get("genetic_code", STANDARD),
            circular=rule.get("circular", False),
            equate_il=rule.get("equate_il", False),
        )
    except SwguiError as fault:
        raise damaged("", f"'rule' and 'queries' are no valid request: {fault}") from fault
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as fault:
        raise damaged("", "'rule' and 'queries' are no request to a rule") from fault


def verify_certificate(
    facts: Mapping[str, Any],
    request: RuleRequest,
    database: EncodedDatabase,
    cancel: threading.Event,
    *,
    reading: ReadReport | None = None,
    full: bool = False,
) -> Generator[Event, None, CertificateCheck]:
    """Compare a certificate with what is counted and scanned again.

    Parameters
    ----------
    facts : Mapping
        Of the form that `check_form` demands.
    reading : ReadReport, optional
        What was noticed when the file of the database was read; without it what the reader dropped is not verified.
    full : bool
        Scan all blocks, not `SAMPLE` of them.

    Raises
    ------
    RunFileError
        If it is damaged, or lists places as this version does not.
    DatabaseError
        If the database file is damaged.
    AlphabetMismatch, EngineFault, Stopped
        As `RuleRun.scan_all`.
    """
    check, outcome = checking(cancel), CertificateCheck()
    blocks = from_plain(list[Block], facts["blocks"])
    run = RuleRun(request, database, reading=reading or ReadReport())
    earlier = facts["format"] != FORMATS[0]
    if earlier:
        _check_meaning(run, facts)
    scan = run.begin(check)
    if layout := _layout(blocks, run):
        return CertificateCheck([*layout, *checksum_problems(facts)], work="no block was scanned again")
    outcome.problems += _left_out(blocks, run)
    chosen = range(len(blocks)) if full else _sample(len(blocks))
    unknown = yield from _scan_again(run, scan, blocks, chosen)
    again_residues = sum(_residues(run, blocks[number]) for number in chosen)
    letters = count(again_residues, run.database.alphabet.letter)
    outcome.work = f"{len(chosen)} of {count(len(blocks), 'block')} ({letters}) scanned again"
    whole = len(chosen) == len(blocks)
    if whole:
        check_content(database, cancel)
    else:
        outcome.problems += _sums(facts, blocks)
    again = _made_again(facts, run, check, whole=whole)
    if reading is None:
        unknown |= dict.fromkeys(_OF_READING, _UNREAD)
    members = members_of(MEMBERS, facts, FORMATS)
    compare(facts, again, members, outcome, full=whole, earlier=earlier, unknown=unknown)
    _say_controls(run, outcome)
    return outcome


def _made_again(facts: Mapping[str, Any], run: RuleRun, check: Check, *, whole: bool) -> dict[str, Any]:
    """Return the certificate of a run, of the format of another one; `whole` if all of its blocks were scanned."""
    request, database = run.request, run.database
    if facts["checks"] is not None:
        run.checks = check_places(request, database, run.found(), check) if whole else Checks()
    again = {**certificate(run), "format": facts["format"]}
    sentence = facts["rule"]["sentence"]
    if request.rule.reworded(sentence) == again["rule"]["sentence"]:
        again["rule"]["sentence"] = sentence
    if whole and request.is_allergen_check and run.complete:
        again = _with_figures(facts, again, run, check)
    return again


def _with_figures(facts: Mapping[str, Any], again: dict[str, Any], run: RuleRun, check: Check) -> dict[str, Any]:
    """Return the certificate of an allergen check with the figures that another one has."""
    request, database = run.request, run.database
    practice = any(BY_PRACTICE in line.get("counts", {}) for line in facts.get("answer", {}).get("lines", ()))
    fasta = fasta_identities(request, database, run.found(), check) if practice else None
    background = measure_background(request, database, check) if "background" in facts else None
    again = again if background is None else with_background(again, background)
    return with_answer(again, answer_to(run.outcome(fasta, background)))


def _sample(blocks: int) -> list[int]:
    return sorted(np.random.default_rng().permutation(blocks)[:SAMPLE].tolist())


def _residues(run: RuleRun, block: Block) -> int:
    return residues_until(run.database, block.last) - residues_until(run.database, block.first)


def _layout(blocks: Sequence[Block], run: RuleRun) -> list[str]:
    """Return where blocks are not consecutive, or outside the database."""
    problems, before = [], 0
    for number, block in enumerate(blocks):
        name = f"'blocks.{number}.first' and 'blocks.{number}.last' are {block.first:,} and {block.last:,}"
        if block.first != before:
            problems.append(f"{name}, but the block before it ends at 'blocks.{number - 1}.last', {before:,}.")
        elif piece_of(run.database, block) is None:
            problems.append(f"{name}, which the database does not have as a block.")
        before = block.last
    return problems


def _left_out(blocks: Sequence[Block], run: RuleRun) -> list[str]:
    left = len(run.database) - (blocks[-1].last if blocks else 0)
    if not left:
        return []
    said = f"{count(left, 'sequence')} of the database were left out, behind 'blocks.{len(blocks) - 1}.last'"
    return [f"The certificate is not complete: {said}."]


def _scan_again(
    run: RuleRun, scan: RuleScan, blocks: Sequence[Block], chosen: Sequence[int]
) -> Generator[Event, None, dict[str, str]]:
    """Give a run the blocks of a certificate, some of them scanned again; returns what is not known of the others."""
    unknown, done = dict[str, str](), 0
    for number, block in enumerate(blocks):
        if number in chosen:
            again, places = scan_block(scan, run.database, Block(block.first, block.last))
            run.places.append(places)
            done += 1
            yield Stage("Scanning again", done, len(chosen))
        else:
            subjects = run.database.sources(block.first, block.last)
            read = scan.circles.scanned(subjects, run.database.lengths_of(subjects))
            again = replace(block, tested=scan.expected(run.request.scanned_lengths(read)))
            unknown |= dict.fromkeys((f"blocks.{number}.{name}" for name in _OF_SCAN), FULL_HINT)
        run.blocks.append(again)
    return unknown


def _sums(facts: Mapping[str, Any], blocks: Sequence[Block]) -> list[str]:
    """Return which counts of places contradict each other."""
    found, problems = facts["found"], []
    if found != (total := sum(block.found for block in blocks)):
        problems.append(f"'found' is stated as {found:,}, but 'blocks' have {total:,} places together.")
    if found != (total := sum(facts["found_by_differences"].values())):
        problems.append(f"'found' is stated as {found:,}, but 'found_by_differences' has {total:,} places together.")
    by_query = facts.get("found_by_query")
    if by_query and found != (total := sum(row.get("places", 0) for row in by_query)):
        problems.append(f"'found' is stated as {found:,}, but 'found_by_query' has {total:,} places together.")
    return problems


def _say_controls(run: RuleRun, outcome: CertificateCheck) -> None:
    """Return how many controls were planted again; where none could be, the certificate is not confirmed."""
    made = run.controls
    assert made is not None  # after `RuleRun.begin`
    within = f"{made.within_found:,} of {made.within:,} within the limit were listed"
    beyond = f"{made.beyond_found:,} of {made.beyond:,} beyond it" if made.beyond else "none beyond it could be planted"
    outcome.remarks.append(f"Controls, planted and scanned again: {within}, {beyond}.")
    if not made.within:
        outcome.warnings.append(NO_CONTROL)


def _check_meaning(run: RuleRun, facts: Mapping[str, Any]) -> None:
    """Raise `RunFileError` if earlier commits listed other places by the rule, or in the database."""
    former = run.request.rule.former_meaning(facts["rule"]["sentence"])
    if topology_facts(run.request, run.database) and "circular" not in facts["database"]:
        former = "reads circular records as if they had ends"
    if former:
        raise RunFileError(
            "",
            f"The certificate {former}, as another version of this program did ({facts['program']}).",
            hint="Check it with that version, or search again.",
        )
