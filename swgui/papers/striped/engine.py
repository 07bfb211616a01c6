"""`striped-score`, `striped-align`, `chunked-align-1` and `chunked-align-2`: one long pair, strip by strip.

After J. Li, S. Ranka and S. Sahni, "Pairwise Sequence Alignment for Very Long Sequences on GPUs" (2012). All four
compute every cell once in strips over all multiprocessors, in one launch. The three alignments also keep the strips'
border columns with the *start states* of the optimal paths to each border cell, look up from the best cell which
strips (or chunks) the path runs through, and compute just those again, all at once, for the path inside them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from swgui.core.alignment import Alignment, rescore
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, ScoreMismatch
from swgui.core.methods.base import AUTO
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
)
from swgui.core.scoring import ScoringScheme
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import device
from swgui.engines.cuda.card import Card
from swgui.papers.striped.choice import StripChoice, choose_strip, expected_seconds
from swgui.papers.striped.machine import CardMachine
from swgui.papers.striped.run import StripRun, best_of
from swgui.papers.striped.shape import (
    LARGEST,
    STATE_WORDS,
    Sides,
    States,
    StripShape,
    formula_of,
    memory_of,
)

BATCH: Final = 32  # T unless it is set
CHUNK: Final = 512  # h unless it is set
STATIC_SHARED: Final = 64  # bytes of shared memory that kernels take besides


@dataclass(frozen=True, slots=True)
class StripMethod:
    """What sets one of the four methods apart."""

    states: States
    chunked: bool = False


METHODS: Final[Mapping[str, StripMethod]] = MappingProxyType(
    {
        "striped-score": StripMethod(States.NONE),
        "striped-align": StripMethod(States.STRIP),
        "chunked-align-1": StripMethod(States.STRIP, chunked=True),
        "chunked-align-2": StripMethod(States.CHUNK, chunked=True),
    }
)


def create_pair_engine(method: str, options: EngineOptions) -> StripedEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    found = device.probe()
    if not found.available:
        raise EngineUnavailable(method, found.reason, hint=found.hint)
    PAIR_METHODS[method].check(options.settings)
    chosen = check_one_device(method, device.choose(found.devices, options.devices))
    return StripedEngine(method, Card(device.import_cupy(), chosen), options.settings)


def check_one_device(method: str, chosen: Sequence[DeviceInfo]) -> DeviceInfo:
    """Refuse several devices."""
    if len(chosen) > 1:
        raise InvalidParameter(
            "device",
            ",".join(one.id for one in chosen),
            f"The method '{method}' runs on one device.",
            hint="Name one, or choose the method wavefront.",
        )
    return chosen[0]


def score_too_large(method: str, limit: int) -> EngineFault:
    """Make the error for a pair whose score could be above what a method can report."""
    return EngineFault(
        f"A score of this pair may be above {limit:,} and could not be reported by '{method}'.",
        hint="Use a matrix with smaller values, or choose the method cpu.",
    )


def check_problem(method: str, problem: PairProblem) -> None:
    """Refuse what the published methods are not for."""
    if problem.mode is not PairMode.LOCAL:
        raise InvalidParameter(
            "mode",
            problem.mode.value,
            f"The method '{method}' finds local alignments only.",
            hint="Choose the method wavefront or cpu.",
        )
    if problem.excluded:
        raise InvalidParameter(
            "limit",
            len(problem.excluded) + 1,
            f"The method '{method}' finds the best alignment only, not the next ones.",
            hint="Choose the method wavefront or cpu.",
        )


class StripedEngine:
    """One of the four methods on one card.

    Parameters
    ----------
    method : str
        In `METHODS`.
    settings : Mapping[str, str]
        ``strip``, ``chunk`` and ``threshold``, each a number or ``auto``; what is left out is ``auto``.
    """

    def __init__(self, method: str, card: Card, settings: Mapping[str, str]) -> None:
        self.method = method
        self.devices: tuple[DeviceInfo, ...] = (card.info,)
        self.phases: dict[str, float] = {}  # seconds of each phase of the last run, as the paper reports them
        self._card = card
        self._kind = METHODS[method]
        self._settings = dict(settings)

    def plan(self, problem: PairProblem) -> PairPlan:
        """Say what it will cost; `InvalidParameter` if it is not for these methods."""
        self._check(problem)
        sides = Sides.of(problem)
        shape, chosen = self._shape(sides, problem.scheme)
        return self._plan(shape, chosen, len(sides.rows), len(sides.columns), len(problem.scheme.alphabet))

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment; there are no checkpoints, so `resume` is not looked at."""
        self._check(problem)
        sides = Sides.of(problem)
        rows, columns = len(sides.rows), len(sides.columns)
        if min(rows, columns) * sides.highest + 4 * problem.scheme.gap_first >= LARGEST:
            raise score_too_large(self.method, LARGEST)
        if not rows or not columns or not sides.highest:
            yield from nothing(problem)
            return
        shape, _ = self._shape(sides, problem.scheme)
        machine = CardMachine(self._card)
        self.phases = {}
        with self._card.at_work():
            run = StripRun(machine, shape, sides)
        expected = expected_seconds(shape, rows, columns, self._card.multiprocessors)
        yield from self._align(machine, run, expected, problem, cancel)

    def close(self) -> None:
        """Give back the memory that is not in use."""
        self._card.release()

    def _align(
        self,
        machine: CardMachine,
        run: StripRun,
        expected: float,
        problem: PairProblem,
        cancel: threading.Event,
    ) -> Iterator[PairStep]:
        cells = problem.cells
        seconds: list[float] = []
        with self._card.at_work():
            machine.mark()
            run.start_scoring()
        for goes_on in machine.watch(cancel, expected, seconds):
            if not goes_on:
                return
            yield self._progress(machine, run, cells)
        with self._card.at_work():
            end = run.end()
        self.phases["phase 1"] = seconds[-1]
        yield PairProgress("Scoring", cells, cells, best=end)
        yield PairScored(end)
        if problem.score_only:
            return
        if not end.score:
            yield PairAligned(Alignment.from_runs(0, 0, (), 0), machine.used_bytes)
            return
        with self._card.at_work():
            machine.mark()
            pieces = run.find_pieces()
            self.phases["phase 2"] = machine.elapsed()
            again = run.start_path(pieces)
        for goes_on in machine.watch(cancel, expected, seconds):
            if not goes_on:
                return
            yield PairProgress("Aligning", cells, cells + again, best=end)
        with self._card.at_work():
            alignment = run.alignment(pieces)
        self.phases["phase 3"] = seconds[-1] - self.phases["phase 2"]
        added = rescore(alignment, problem.query, problem.subject, problem.scheme)
        if added != end.score:
            raise ScoreMismatch("the subject", end.score, added)
        yield PairProgress("Aligning", cells + again, cells + again, best=end)
        yield PairAligned(alignment, machine.used_bytes)

    def _progress(self, machine: CardMachine, run: StripRun, cells: int) -> PairProgress:
        with self._card.at_work():
            rows = int(machine.peek(run.done)[0])
            best = best_of(machine.peek(run.best_cells).reshape(-1, 4), column_first=run.shape.column_first)
        ends = (best[1] + 1, best[2] + 1)
        end = PairEnd(best[0], *(reversed(ends) if run.sides.swapped else ends)) if best[0] else None
        return PairProgress("Scoring", min(rows * run.shape.strip, cells), cells, best=end)

    def _check(self, problem: PairProblem) -> None:
        check_problem(self.method, problem)
        if not problem.score_only and self._kind.states is States.NONE:
            raise InvalidParameter(
                "score-only",
                "no",
                f"The method '{self.method}' finds the score and where the alignment ends, not the alignment.",
                hint="Ask for the score only, or choose striped-align, chunked-align-1, chunked-align-2 or wavefront.",
            )

    def _setting(self, name: str) -> int | None:
        value = self._settings.get(name, AUTO)
        return None if value == AUTO else int(value)

    def _shape(self, sides: Sides, scheme: ScoringScheme) -> tuple[StripShape, StripChoice]:
        """Choose what is not set."""
        rows, columns, letters = len(sides.rows), len(sides.columns), len(scheme.alphabet)
        score_bytes = sides.score_bytes(scheme.gap_first)
        with self._card:
            free = self._card.free_memory()

        def shape_of(strip: int) -> StripShape:
            chunk = (self._setting("chunk") or CHUNK) if self._kind.chunked else 0
            return StripShape(
                strip=strip,
                chunk=chunk,
                batch=self._setting("threshold") or BATCH,
                states=self._kind.states,
                letters=letters,
                score_bytes=score_bytes,
                gap_first=scheme.gap_first,
                gap_extend=scheme.gap_extend,
                column_first=not sides.swapped,
                dpx=self._card.dpx,
            )

        def problem(shape: StripShape) -> str:
            needed = shape.shared_bytes(shape.states)
            limit = self._card.shared_limit
            if needed + STATIC_SHARED > limit:
                return f"takes {needed // 1024} KiB of shared memory, {self._card.label} has {limit // 1024}"
            if shape.states is States.STRIP and (rows + 2) * (shape.strip + 2) >= STATE_WORDS:
                return f"has more start states than fit 32 bits at {rows:,} rows"
            memory = sum(memory_of(shape, rows, columns, letters).values())
            if memory > free:
                return (
                    f"takes {memory / 2**20:,.0f} MiB of device memory, {self._card.label} has {free / 2**20:,.0f} free"
                )
            return ""

        asked = self._setting("strip")
        if asked is not None:
            shape = shape_of(asked)
            if trouble := problem(shape):
                raise InvalidParameter(
                    "strip",
                    asked,
                    f"A strip width of {asked} {trouble}.",
                    hint="Leave the strip width to the program, or choose the method wavefront or cpu.",
                )
            return shape, StripChoice(asked, expected_seconds(shape, rows, columns, self._card.multiprocessors), ())
        return choose_strip(self.method, shape_of, problem, rows, columns, self._card.multiprocessors)

    def _plan(self, shape: StripShape, chosen: StripChoice, rows: int, columns: int, kinds: int) -> PairPlan:
        cells = rows * columns
        aligned = self._kind.states is not States.NONE
        again = (
            0
            if not aligned
            else cells + rows * shape.strip
            if not shape.chunk
            else (rows + shape.most_pieces(rows, columns) * shape.chunk) * shape.strip
        )
        settings = {"strip": str(shape.strip), "threshold": str(shape.batch)}
        if shape.chunk:
            settings["chunk"] = str(shape.chunk)
        memory = memory_of(shape, rows, columns, kinds)
        remarks = [*chosen.remarks, "There are no checkpoints: after a restart this method begins anew."]
        if aligned:
            remarks.append(
                f"Directions take at most {memory['directions'] / 2**20:,.1f} MiB; the paper's formula gives "
                f"{formula_of(shape, rows, columns) / 2**20:,.1f} MiB."
            )
        return PairPlan(
            method=self.method,
            devices=(self._card.label,),
            cells=cells,
            cells_at_most=cells + again,
            memory=memory,
            settings=settings,
            seconds=chosen.seconds,
            remarks=tuple(remarks),
        )


def nothing(problem: PairProblem) -> Iterator[PairStep]:
    """Report a pair of which nothing scores above 0."""
    yield PairScored(PairEnd(0, 0, 0))
    if not problem.score_only:
        yield PairAligned(Alignment.from_runs(0, 0, (), 0))
