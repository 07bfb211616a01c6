"""The request for the alignment of one long pair, and the identity of unfinished work on it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from swgui.core.alignment import Alignment
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.pair.problem import STRANDS, PairMode, PairPlan, PairProblem, PairSettings, Strand
from swgui.core.plain import plain, replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, check_strand
from swgui.io.saved.pair_states import DIFFERENCES
from swgui.jobs.pair.events import PairEvent

PASSING: Final = ("threads",)  # settings without influence on what is kept


@dataclass(frozen=True, slots=True, eq=False)
class PairRequest(PairSettings):
    """Everything that decides the alignment of one pair.

    Raises
    ------
    InvalidParameter
        If that makes no sense.
    """

    # query, subject: cleaned, of the scheme's alphabet, not empty
    query: SequenceRecord
    subject: SequenceRecord
    scheme: ScoringScheme
    method: str = "auto"  # ``auto`` or a name in `swgui.core.methods.pair.PAIR_METHODS`
    options: EngineOptions = field(default_factory=EngineOptions)
    checkpoint: Path | None = None  # a file that keeps the state of the work; if it exists, the work continues from it
    name: str = ""  # name of the run; empty for the names of both sequences
    run_id: str = ""  # of a kept run that is resumed; empty for a new one
    # The plan (`plan_pair`); None: it is planned when the work begins
    plan: PairPlan | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, record in (("query", self.query), ("subject", self.subject)):
            if not record.residues:
                raise InvalidParameter(name, record.id, f"The {name} '{record.id}' has no residues.")
        check_strand(self.strand, self.scheme.alphabet)
        if self.limit < 1:
            raise InvalidParameter("limit", self.limit, f"{self.limit} alignments cannot be listed; 1 is the least.")
        if self.min_score < 1:
            raise InvalidParameter("min-score", self.min_score, f"A least score of {self.min_score} is not above 0.")
        if self.limit > 1 and self.mode is not PairMode.LOCAL:
            raise InvalidParameter(
                "limit", self.limit, f"A {self.mode} alignment has no next best one.", hint="Choose the local mode."
            )
        if self.limit > 1 and self.score_only:
            raise InvalidParameter(
                "limit", self.limit, "Further alignments need the first one, so the score alone is not enough."
            )

    @property
    def strands(self) -> tuple[Strand, ...]:
        """The strands of the query to align."""
        return STRANDS if self.strand == "both" else (self.strand,)

    @property
    def outline(self) -> PairProblem:
        """The request to an engine for one strand, without the sequences: for planning.

        If further alignments are wanted it excludes one, so that a method that finds none refuses beforehand.
        """
        rows, columns = len(self.query.residues), len(self.subject.residues)
        outline = PairProblem.outline(rows, columns, self.scheme, self.mode, score_only=self.score_only)
        return replace(outline, excluded=(Alignment.from_runs(0, 0, (), 0),)) if self.limit > 1 else outline

    def problems(self) -> dict[Strand, PairProblem]:
        """Return the request to an engine for each strand, with the sequences encoded; `strands` in order."""
        alphabet = self.scheme.alphabet
        subject, codes = alphabet.encode(self.subject.residues), alphabet.encode(self.query.residues)
        queries: dict[Strand, EncodedQuery] = {}
        for strand in self.strands:
            minus = strand == "minus"
            on_strand = alphabet.reverse_complement(codes) if minus else codes
            queries[strand] = EncodedQuery(self.query.id, on_strand, strand=-1 if minus else 1)
        return {
            strand: PairProblem(query, subject, self.scheme, self.mode, self.score_only)
            for strand, query in queries.items()
        }


AlignPair = Callable[[PairRequest, threading.Event, PairPlan | None], Iterator[PairEvent]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointIdentity(PairSettings):
    """The facts that must equal those of a kept state to continue from it; devices and threads are not among them."""

    # query, subject, matrix: SHA-256 of residues and scores, in hexadecimal
    query: str
    subject: str
    matrix: str
    gap_costs: tuple[int, int]  # of the first residue of a gap and of each further one
    method: str
    settings: Mapping[str, str]  # of the method, as planned

    @classmethod
    def of(cls, request: PairRequest, plan: PairPlan) -> CheckpointIdentity:
        """Return the identity of a piece of work."""
        scheme = request.scheme
        return cls(
            query=_checksum(request.query.residues),
            subject=_checksum(request.subject.residues),
            matrix=_checksum(scheme.matrix.scores.tobytes()),
            gap_costs=(scheme.gap_first, scheme.gap_extend),
            method=plan.method,
            settings=deciding(plan),
            **request.settings_asked,
        )

    def facts(self) -> dict[str, object]:
        """Return it as the log has it: plain JSON values, by what the user reads of a difference."""
        names = {name.replace("min_", "least_").replace("_", " "): value for name, value in plain(self).items()}
        return {DIFFERENCES[name]: value for name, value in names.items()}

    @property
    def asked(self) -> str:
        """A digest of what decides the outcome, whatever the method."""
        asked = (*self.gap_costs, str(self.mode), self.strand, self.score_only, self.limit, self.min_score)
        return _digest(self.query, self.subject, self.matrix, _checksum(repr(asked).encode()))


def deciding(plan: PairPlan) -> dict[str, str]:
    """Return those settings of a plan that its kept state depends on."""
    return {name: value for name, value in plan.settings.items() if name not in PASSING}


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(*checksums: str) -> str:
    return hashlib.sha256(b"".join(map(bytes.fromhex, checksums))).hexdigest()[:32]
