"""Run a search by rule block by block, and certify what was done."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import meaning
from swgui.core.rules.places import Places, concatenated
from swgui.core.rules.repair import Hint
from swgui.core.rules.request import RuleRequest
from swgui.core.scoring import check_same_alphabet
from swgui.engines.facts import CPU, GPU
from swgui.engines.host import usable_cores
from swgui.engines.rules import make_scanner
from swgui.engines.rules.scanner import Scanner
from swgui.io.database.packed.opening import in_blocks
from swgui.io.read_report import ReadReport
from swgui.jobs.certificate import NO_SIGNATURE, sealed
from swgui.jobs.events import Progress
from swgui.jobs.rules.answer import answer_to
from swgui.jobs.rules.blocks import Block, blocks_of, digest_of, residues_until, scan_block
from swgui.jobs.rules.checks import Checks, check_places
from swgui.jobs.rules.circles import circles_of
from swgui.jobs.rules.controls import Controls, plant
from swgui.jobs.rules.found import Background, Found
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.work.base import work_of

SCANNING: Final = "Scanning"
FORMATS: Final = ("swgui rule certificate 2", "swgui rule certificate 1")  # the latest first, which is written
LISTED: Final = 1000  # sequences that were left out
DROPPED: Final = ("empty", "unread")  # kinds of remarks of the reader on what is not in the database
NOT_SAID: Final = (
    "This says which places meet the rule, and nothing on function, expression, allergenicity, specificity in a cell "
    "or the validity of a patent."
)


@dataclass(slots=True, eq=False)
class RuleRun:
    """A search by rule: what is done, and what was found so far."""

    request: RuleRequest
    database: EncodedDatabase = field(repr=False)
    blocks: list[Block] = field(default_factory=list, repr=False)  # that were scanned
    places: list[Places] = field(default_factory=list, repr=False)  # of each of them
    controls: Controls | None = None
    checks: Checks | None = None
    seconds: float = 0.0
    device: str = ""
    # run_id, command: the kept run that it continues, and the command that asked for it; empty if there is none
    run_id: str = ""
    command: str = ""
    # By what code it was scanned (`swgui.engines.rules.make_scanner`)
    code: dict[str, str] = field(default_factory=dict)
    # What was noticed when the file of the database was read
    reading: ReadReport = field(default_factory=ReadReport, repr=False)
    resumed: bool = False
    _expected: int = field(default=-1, repr=False)  # `expected`, once that is known

    def __post_init__(self) -> None:
        # So that blocks are the same wherever it is scanned, and a packed file need not fit into memory.
        self.database = in_blocks(self.database)

    @property
    def complete(self) -> bool:
        """Whether all blocks were scanned, and what was found was checked again."""
        return self.controls is not None and self.checks is not None and self._scanned == len(self.database)

    @property
    def _scanned(self) -> int:
        return self.blocks[-1].last if self.blocks else 0

    def found(self) -> Places:
        """Return the places of all blocks that were scanned, sorted."""
        return concatenated(self.places).sorted()

    def outcome(self, fasta: NDArray[np.float64] | None = None, background: Background | None = None) -> Found:
        """Return the findings for an answer, with the figures of an allergen check where they are known."""
        return Found(self.request, self.database, self.found(), self._scanned, self.complete, fasta, background)

    def by_query(self) -> list[dict[str, Any]]:
        """Return the number of places of each query, and by differences; or why no place could meet it."""
        queries = np.concatenate([np.zeros(0, np.int64), *(places.query for places in self.places)])
        differences = np.concatenate([np.zeros(0, np.int64), *(places.differences for places in self.places)])
        pairs, counts = np.unique(np.stack([queries, differences]), axis=1, return_counts=True)
        rows: list[dict[str, Any]] = [{"query": name, "places": 0, "by_differences": {}} for name in self.request.names]
        for query, number, found in zip(*pairs.tolist(), counts.tolist(), strict=True):
            rows[query]["places"] += found
            rows[query]["by_differences"][str(number)] = found
        for query, why in self.request.unmet.items():
            rows[query]["cannot_be_met"] = why
        return rows

    def facts(self) -> dict[str, Any]:
        """Return the facts of a certificate that decide its result, before there is a result."""
        return {
            "rule": rule_facts(self.request),
            "queries": query_facts(self.request),
            "found_by_query": self.by_query(),
            "complete": self.complete,
            "controls": None if self.controls is None else {**asdict(self.controls), "ok": self.controls.ok},
            "database": {"sequences": len(self.database), **topology_facts(self.request, self.database)},
        }

    def hints(self, check: Check = lambda: None) -> list[Hint]:
        """Return hints on why nothing may have been found; raises `Stopped` by `check`."""
        return work_of(self.request.rule).hints(self, check) if self.complete else []

    def scan(self, scanner: Scanner, check: Check) -> RuleScan:
        """Return the rule and its queries for a scanner."""
        request = self.request
        return RuleScan(
            request.rule,
            [request.alphabet.encode(record.residues) for record in request.queries],
            request.alphabet,
            scanner,
            ambiguity=request.ambiguity,
            equate_il=request.equate_il,
            both_strands=request.both_strands,
            frames=request.frames,
            code=request.code,
            circles=circles_of(request, self.database),
            check=check,
        )

    def scanner(self) -> Scanner:
        """Return the requested scanner, or the first that is ready; errors as of `scan_all`."""
        check_same_alphabet(self.request.database_alphabet, self.database.alphabet, "database")
        rule, engine = self.request.rule, self.request.engine
        seconds = expected(self) / work_of(rule).pace
        named = CPU.name if rule.on_cpu else engine
        scanner, self.device, self.code = make_scanner(named, seconds, self.request.options)
        if rule.on_cpu and engine == GPU.name:
            self.device += f" ({rule.on_cpu})"
        return scanner

    def begin(self, check: Check) -> RuleScan:
        """Return the rule and its queries for the best scanner, after the planted controls; errors as of `scan_all`."""
        scan = self.scan(self.scanner(), check)
        if self.controls is None:
            codes = [self.request.alphabet.encode(record.residues) for record in self.request.queries]
            request, unmet = self.request, self.request.unmet
            met = np.array([number for number in range(len(request.names)) if number not in unmet], np.int64)
            self.controls = plant(scan, request.rule, codes, request.alphabet, met)
        if not self.controls.ok:
            raise EngineFault(f"The planted controls were not listed as they must be on {self.device}.")
        return scan

    def blocks_left(self, scan: RuleScan) -> Iterator[Block]:
        """Yield the blocks that were not scanned yet."""
        sample = self.request.scanned_lengths(np.array([3000]))
        cells = scan.expected(sample) // 3000 if self.request.rule.unit == "cells" else 0
        yield from blocks_of(self.database, self._scanned, cells, scan.check)

    def scan_all(
        self,
        check: Check = lambda: None,
        progress: Callable[[int, int], None] = lambda done, total: None,
        keep: Callable[[RuleRun], None] = lambda run: None,
    ) -> None:
        """Scan the blocks that are left, and check what was found again; errors as of `steps`.

        Parameters
        ----------
        check : callable
            Called every few hundred milliseconds; raises `Stopped` to give up. Blocks that were scanned are kept.
        progress : callable
            Called with residues that were scanned, and all.
        keep : callable
            Called after each block.
        """
        for event in self.steps(check, keep):
            progress(event.done, event.total)

    def steps(
        self,
        check: Check,
        keep: Callable[[RuleRun], None] = lambda run: None,
        pause: Callable[[], float] = lambda: 0.0,
    ) -> Generator[Progress, None, None]:
        """Scan the blocks that are left, and check what was found again; an event after each block.

        Parameters
        ----------
        check, keep : as of `scan_all`
        pause : callable
            Called between blocks; returns how many seconds the run rested.

        Raises
        ------
        AlphabetMismatch
            If the database is of another kind than the queries.
        EngineFault
            If a planted control was not listed as it must be, or a place that was found is not as it was found.
        Stopped
            As ``check``.
        """
        self.resumed = bool(self.blocks)
        began = time.perf_counter()
        before = self.seconds
        scan = self.begin(check)
        for block in self.blocks_left(scan):
            done, places = scan_block(scan, self.database, block)
            self.blocks.append(done)
            self.places.append(places)
            self.seconds = before + time.perf_counter() - began
            keep(self)
            scanned = residues_until(self.database, done.last)
            yield Progress(scanned, self.database.residues, self.seconds, stage=SCANNING, unit="residues")
            began += pause()
        if (tested := sum(block.tested for block in self.blocks)) != (wanted := expected(self)):
            raise EngineFault(f"{tested:,} places were tested, but there are {wanted:,}.")
        self.checks = check_places(self.request, self.database, self.found(), check)
        self.seconds = before + time.perf_counter() - began


def expected(run: RuleRun) -> int:
    """Return how many places or cells the rule has in the database, from its lengths alone."""
    if run._expected < 0:
        scan, database = run.scan(_NoScanner(), lambda: None), run.database
        rows = (np.arange(piece.first, piece.stop) for piece in database.pieces)
        read = (scan.circles.scanned(some, database.lengths_of(some)) for some in rows)
        run._expected = sum(scan.expected(run.request.scanned_lengths(lengths)) for lengths in read)
    return run._expected


def expected_seconds(run: RuleRun) -> float:
    """Return about how long the scan takes on the cores that it may use."""
    return expected(run) / work_of(run.request.rule).pace / (run.request.options.threads or usable_cores())


class _NoScanner:
    """Stands where nothing is scanned."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def certificate(run: RuleRun, command: str = "") -> dict[str, Any]:
    """Return the certificate of a run, for JSON.

    ``expected`` follows from the lengths of the database, ``tested`` was counted block by block; ``left_out`` are the
    sequences that were not scanned, none in a complete run.
    """
    return sealed(_facts(run, command))


def _facts(run: RuleRun, command: str) -> dict[str, Any]:
    request, database, places, own = run.request, run.database, run.found(), run.facts()
    lengths = database.lengths_seen(2)  # the shortest and the longest among them
    counts = np.bincount(places.differences, minlength=1) if len(places) else np.zeros(1, np.int64)
    return {
        "format": FORMATS[0],
        "database": {
            "name": database.name,
            "path": request.database,
            "checksum": database.checksum,
            **own.pop("database"),
            "residues": database.residues,
            "ambiguous_residues": sum(block.ambiguous for block in run.blocks),  # in what was scanned
            "shortest": min(lengths, default=0),
            "longest": max(lengths, default=0),
        },
        "expected": expected(run),
        "tested": sum(block.tested for block in run.blocks),
        "found": len(places),
        "found_by_differences": {str(count): int(number) for count, number in enumerate(counts) if number},
        "subjects_found": len(np.unique(places.subject)),
        **_left_out(run),
        **own,
        "resumed": run.resumed,
        "checks": None if run.checks is None else asdict(run.checks),
        "blocks": [asdict(block) for block in run.blocks],
        "result_sha256": digest_of(places),
        "answer": answer_to(run.outcome()).facts(),
        "program": f"swgui {swgui.__version__}",
        "device": run.device,
        "code": run.code,
        "computer": platform.platform(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 3),
        "command": command,
        "not_said": f"{NOT_SAID} {request.rule.not_said}".rstrip(),
        "checksum_is": NO_SIGNATURE,
    }


def rule_facts(request: RuleRequest) -> dict[str, Any]:
    """Return the facts of the rule in a certificate."""
    return {
        "name": request.rule.name,
        "sentence": request.sentence(),
        "parameters": {name: _plain(value) for name, value in asdict(request.rule).items()},
        "ambiguous_residues": request.ambiguity,
        "ambiguous_residues_mean": meaning(request.alphabet, request.ambiguity, equate_il=request.equate_il),
        **({"equate_il": True} if request.equate_il else {}),
        "strands": request.strands if request.alphabet.name == NUCLEOTIDE.name else "one",
        **({"frames": list(request.frames), "genetic_code": request.code} if request.frames else {}),
        **({"circular": True} if request.circular else {}),
    }


def topology_facts(request: RuleRequest, database: EncodedDatabase) -> dict[str, Any]:
    """Return how many records are read across their origin, and how many residues before and behind, if any is."""
    circles = circles_of(request, database)
    records = len(database) if circles.members is None else len(circles.members)
    return {"circular": {"records": records, "before": circles.before, "behind": circles.behind}} if records else {}


def query_facts(request: RuleRequest) -> dict[str, Any]:
    """Return the facts of the queries in a certificate."""
    return {
        "count": len(request.queries),
        "alphabet": request.alphabet.name,
        "sha256": _digest(f">{record.id}\n{record.residues.decode()}" for record in request.queries),
        "sequences": _listed(request.queries),
        **(
            {"repairs": list(request.repairs), "as_given": _listed(request.as_given), "with_pam": request.with_pam}
            if request.repairs
            else {}
        ),
    }


def _listed(records: Sequence[SequenceRecord]) -> list[list[str]]:
    return [[record.id, record.residues.decode()] for record in records]


def _left_out(run: RuleRun) -> dict[str, Any]:
    """Return how many sequences were left out, and why: those that were not scanned, and records without a sequence.

    The first `LISTED` are named.
    """
    left = len(run.database) - run._scanned
    dropped = sum(run.reading.counts[kind] for kind in DROPPED)
    facts: dict[str, Any] = {"left_out": left + dropped}
    if left:
        some = run.database.sources(run._scanned, min(run._scanned + LISTED, len(run.database)))
        listed = [run.database.ids[index] for index in some.tolist()]
        facts |= {"left_out_reason": "The search was stopped before.", "left_out_sequences": listed}
    if dropped:
        said = [remark.message for remark in run.reading.remarks if remark.kind in DROPPED]
        facts |= {"dropped_by_reader": dropped, "dropped_by_reader_reasons": said[:LISTED]}
    return facts


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction) else value


def _digest(texts: Sequence[str] | Any) -> str:
    import hashlib  # here: for certificates and the place of a stopped run

    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
