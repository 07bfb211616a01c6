"""Verification of a pair: its score is computed again by another engine, and each alignment is added up again."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import closing
from typing import Any, Final

import msgspec

from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.packing import plan_chunks
from swgui.core.pair.problem import STRANDS, PairMode
from swgui.core.pair.result import PairResult
from swgui.core.pair.view import score_and_count
from swgui.engines import registry
from swgui.engines.facts import CPU, REFERENCE
from swgui.engines.reference_scores import score_all
from swgui.jobs.events import Finished, Stage
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair

ADDING: Final = "Adding up the alignments again"


class PairCheck(msgspec.Struct, frozen=True):
    """The comparisons of a verification of a pair.

    Parameters
    ----------
    stated, found : int
        The score as it was saved, and as it was computed again.
    by : str
        The engine that computed it again, in words.
    alignments : int
        How many alignments were added up again.
    differing : tuple of str
        The differences, a sentence each.
    """

    stated: int
    found: int
    by: str
    alignments: int
    differing: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return self.stated == self.found and not self.differing

    def describe(self) -> list[str]:
        """Return the comparisons and the differences, in sentences."""
        same = self.stated == self.found
        said = [
            f"The score {self.stated:,} was computed again by {self.by}, and is the same."
            if same
            else f"The score is {self.stated:,} in the file and {self.found:,} by {self.by}."
        ]
        if self.alignments:
            one = self.alignments == 1
            if self.differing:
                added = "was added up again" if one else "were added up again"
            else:
                added = "adds up to its score" if one else "add up to their scores"
            said.append(f"{self.alignments:,} alignment{'' if one else 's'} {added}.")
        return [*said, *self.differing]


def verify_pair(result: PairResult, cancel: threading.Event) -> Generator[Any, None, PairCheck]:
    """Compute the score of a pair again and add up its alignments; return the comparisons.

    The engine of searches, which shares no code with those of pairs, computes a local score; the method of the CPU
    computes any other, and the report says so if it also made the pair.

    Raises
    ------
    InvalidParameter
        If it was not finished, or its residues are not known.
    Stopped
        If it was stopped before all was compared.
    """
    if result.state != "finished" or result.best is None:
        message = "This pair was not aligned to its end, so there is no score to compare with."
        raise InvalidParameter("file", result.state, message, hint="Resume it first.")
    if not result.has_residues:
        message = "The file has the score alone, without the residues of the two sequences."
        raise InvalidParameter("file", result.query.id, message, hint="Align them again, with their alignments.")
    found, by = yield from (_searched if result.mode is PairMode.LOCAL else _aligned)(result, cancel)
    yield Stage(ADDING)
    differing = _differing(result)
    if cancel.is_set():
        raise Stopped
    return PairCheck(result.best.score, found, by, len(result.alignments), differing)


def _searched(result: PairResult, cancel: threading.Event) -> Generator[Any, None, tuple[int, str]]:
    """Return the score that a search finds, and its engine."""
    name = CPU.name if registry.probe(CPU.name).available else REFERENCE.name
    yield Stage(f"Scoring with the engine '{name}'")
    database = encode_database([result.subject], result.scheme.alphabet).arrays()
    scores = []
    with closing(registry.make_engine(name, EngineOptions())) as engine:
        for strand in STRANDS if result.strand == "both" else (result.strand,):
            query = result.encoded_query(strand)
            plans = plan_chunks(database.offsets, engine.chunk_limits((query,), database))
            scored = score_all(engine, query, database, plans, result.scheme, cancel)
            if scored is None:
                raise Stopped
            scores.append(int(scored.scores[0]))
    return max(scores), f"the engine '{name}' of searches"


def _aligned(result: PairResult, cancel: threading.Event) -> Generator[Any, None, tuple[int, str]]:
    """Return the score by the method of the CPU."""
    request = PairRequest(
        result.query,
        result.subject,
        result.scheme,
        CPU_METHOD,
        mode=result.mode,
        strand=result.strand,
        score_only=True,
    )
    outcome: Any = None
    for event in align_pair(request, cancel):
        if isinstance(event, Finished):
            outcome = event.outcome
        else:
            yield event
    if outcome is None or outcome.state != "finished":
        raise Stopped
    again = ", the method that aligned the pair, once more" if result.method == CPU_METHOD else ""
    return int(outcome.score), f"the method '{CPU_METHOD}'{again}"


def _differing(result: PairResult) -> tuple[str, ...]:
    said = []
    for hsp in result.alignments:
        query = result.encoded_query(hsp.strand)
        score, counts = score_and_count(hsp.alignment, query, result.subject_codes, result.scheme)
        if score != hsp.score:
            said.append(f"Alignment {hsp.index:,} adds up to {score:,}, not to {hsp.score:,}.")
        if counts != hsp.counts:
            said.append(f"Alignment {hsp.index:,} has other counts than are stated.")
    best = max((hsp.score for hsp in result.alignments), default=None)
    if best is not None and best != result.score:
        said.append(f"The best alignment has a score of {best:,}, not of {result.score:,}.")
    return tuple(said)
