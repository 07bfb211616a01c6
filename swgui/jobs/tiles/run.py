"""Measures every height of the tiles on one GPU, as the steps of a run; the result is kept for later searches.

First each height is timed in the variant that came with the program, so that all tables are complete; then other
numbers of threads, other skews and the other way to form maxima are tried, and the fastest stays. A height whose
alternatives are timed is timed again next to them, since clocks change. The scores of every run are compared with those
of the CPU: a variant that gives a wrong one is never chosen.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import datetime
from statistics import median
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.control import rest
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter, Stopped
from swgui.core.packing import plan_chunks
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.core.sweep.tile_rates import FAMILIES, TITLES, Family, Rate, TileRates
from swgui.engines import registry
from swgui.engines.base import TileRater, TileTrial
from swgui.engines.cuda.arithmetic import Arithmetic, Costs, Twins, plan_arithmetic
from swgui.engines.cuda.streaming.tables import BLOCK_THREADS, H200, Tables, skews_of, tables_of
from swgui.engines.cuda.streaming.variants import Tile, select_tile, time_of
from swgui.engines.digest import kernels_digest
from swgui.engines.facts import CPU, GPU, REFERENCE
from swgui.engines.host import usable_cores
from swgui.engines.reference_scores import score_all
from swgui.io.tile_rates import keep_rates
from swgui.jobs.events import Foretold, Found, Stage
from swgui.jobs.forecast import Forecast, foretelling
from swgui.jobs.tiles.material import Subjects, one_twin, queries_of, scheme_of
from swgui.jobs.tiles.tuning import TUNING

LANES: Final = 8  # of the tiles whose heights are timed
OTHER_LANES: Final = (4, 16, 32)
LANE_ROWS: Final = (24, 16, 12, 8)  # heights at which numbers of lanes are compared: the first that fits
PASS_LANES: Final = 16  # of the tile that is timed in one pass and in two
ALONE: Final = (16, 48)  # heights that one group is timed with, alone on the GPU
ALONE_RESIDUES: Final = 20_000
RESIDUES: Final = 1_000_000  # for each multiprocessor
MEMORY_SHARE: Final = 8  # of the free memory, one part in so many for residues
COMPILERS: Final = 16  # threads that compile, at most
LEAST_COST, MAX_COST = -0.5, 5.0  # of lanes: shares of time
NEVER: Final = 1e-3  # speed of a height that cannot run, which is never chosen
LENGTHS: Final = tuple(np.unique(np.geomspace(32, 4096, 60).astype(int)).tolist())  # of usual queries
SECONDS: Final = 150.0  # a measurement with all variants takes about so long, with 16 cores to compile
ROUNDS: Final = (
    "Timing every height as it came with the program",
    "Timing other numbers of threads",
    "Timing other skews",
    "Timing the other way to form maxima",
)


class TileRequest(msgspec.Struct, frozen=True):
    """Device and limits of a measurement."""

    engine: str = GPU.name
    device: str = ""  # empty for the first
    budget: float = 0.0  # seconds after which no further variant is tried; 0 for no limit
    repeats: int = 3  # timed runs of a variant
    residues: int = 0  # of the subjects; 0 for so many that the GPU is filled


class TileDone(Found, frozen=True, eq=False):
    """A variant was timed, or cannot run; so many of those of its round are done."""

    family: Family
    rate: Rate  # speed 0 if it cannot run or gives wrong scores
    reason: str
    done: int
    total: int


Event = Stage | Foretold | TileDone
Steps = Generator[Event, None, None]
Variant = tuple[Family, Rate]
Extras = tuple[dict[int, float], float, float, float]


def tile_steps(request: TileRequest, cancel: threading.Event) -> Generator[Event, None, TileRates]:
    """Measure the tiles of a GPU and keep what was found; the next searches on it use that.

    Raises
    ------
    Stopped
        If it was stopped: nothing is kept.
    InvalidParameter
        If its time was over before every height had been timed once, or the engine has no tiles.
    EngineUnavailable, EngineFault, FileNotWritten
    """
    with closing(registry.tile_rater(request.engine, request.device)) as rater:
        yield from foretelling(Forecast("tiles", request.budget or SECONDS, where="at most"))
        work = _Tuning(request, rater, cancel)
        yield Stage("Making up sequences")
        work.make_sequences()
        yield Stage("Timing one group of threads, lanes and passes")
        extras = work.extras()
        for number, variants in enumerate((work.own, work.other_threads, work.other_skews, work.other_maxima)):
            if number and work.over:
                break
            yield from work.tried(list(variants()), ROUNDS[number])
        found = work.result(*extras)
    keep_rates(found)
    return found


class _Tuning:
    """One measurement under way."""

    def __init__(self, request: TileRequest, rater: TileRater, cancel: threading.Event) -> None:
        self.request, self.rater, self.cancel = request, rater, cancel
        self.began = time.perf_counter()
        self.usual: dict[Variant, float] = {}  # speeds of the variants that came with the program
        self.best: dict[tuple[Family, int], Rate] = {}
        self.wrong: dict[Variant, str] = {}
        self.whole = True
        self._expected: dict[tuple[Family, int], NDArray[np.int64]] = {}

    @property
    def over(self) -> bool:
        """Whether its time is over; stops it if that is wanted."""
        self.began += rest(self.cancel)
        if self.cancel.is_set():
            raise Stopped
        over = 0 < self.request.budget < time.perf_counter() - self.began
        self.whole = self.whole and not over
        return over

    def make_sequences(self) -> None:
        most = self.rater.memory // MEMORY_SHARE
        residues = self.request.residues or min(RESIDUES * self.rater.multiprocessors, most)
        self._plain = Subjects.make(residues)
        self._tracks = Subjects.make(residues // 2, tracks=True)
        self._twin = one_twin(min(ALONE_RESIDUES, residues))

    # Variants to try

    def own(self) -> Iterator[Variant]:
        for family in FAMILIES:
            for rate in H200.rates[family]:
                yield family, rate

    def other_threads(self) -> Iterator[Variant]:
        for family, best in self._heights():
            yield family, best
            place = BLOCK_THREADS.index(best.threads)
            for threads in (*BLOCK_THREADS[max(place - 1, 0) : place], *BLOCK_THREADS[place + 1 : place + 2]):
                yield family, best._replace(threads=threads)

    def other_skews(self) -> Iterator[Variant]:
        for family, best in self._heights():
            yield family, best
            for skew in skews_of(family, best.rows):
                if skew != best.skew:
                    yield family, best._replace(skew=skew)

    def other_maxima(self) -> Iterator[Variant]:
        for family, best in self._heights() if self.rater.dpx else ():
            if family != "single":  # which has no halves
                yield family, best
                yield family, best._replace(halves=not best.halves)

    def _heights(self) -> Iterator[Variant]:
        """Yield the best variant so far of each height that can run."""
        for (family, _), best in self.best.items():
            if best.speed > NEVER:
                yield family, best

    # Timing

    def tried(self, variants: Sequence[Variant], name: str) -> Steps:
        """Time some variants, each compiled before its turn."""
        trials = [self._trial(family, rate) for family, rate in variants]
        with self._compiled(trials) as reasons:
            for number, (trial, reason) in enumerate(zip(trials, reasons, strict=True)):
                if self.over:
                    if not self._every_height:
                        raise InvalidParameter(
                            "budget",
                            self.request.budget,
                            "The time was over before every height had been timed once, so nothing is kept.",
                            hint="Allow more seconds.",
                        )
                    return
                yield Stage(name, number, len(trials))
                speed, why = self._outcome(trial, reason.result())
                rate = trial.rate._replace(speed=speed)
                self._note(trial.family, rate)
                yield TileDone(trial.family, rate, why, number + 1, len(trials))

    def _outcome(self, trial: TileTrial, why: str) -> tuple[float, str]:
        """Return the speed of a trial, 0 if it cannot run, and why not."""
        if why:
            return 0.0, why
        try:
            speed, best = self._speed(trial), self.best.get((trial.family, trial.rate.rows))
            if best is not None and self._every_height and speed > (1 + TUNING.worth) * best.speed:
                speed = min(speed, self._speed(trial))  # lest a chance decides
            return speed, ""
        except EngineFault as fault:
            if not self._every_height:  # a variant that came with the program
                raise
            return 0.0, str(fault)

    @property
    def _every_height(self) -> bool:
        return len(self.best) == sum(map(len, H200.rates.values()))

    def _note(self, family: Family, rate: Rate) -> None:
        """Keep a speed if its variant is the first of its height, the best so far measured again, or better."""
        if not self._every_height or (family, rate.rows) not in self.best:
            self.best[family, rate.rows] = rate = rate._replace(speed=max(rate.speed, NEVER))
            self.usual[family, rate._replace(speed=0.0)] = rate.speed
            return
        if rate.speed and (family, rate._replace(speed=0.0)) in self.usual:
            self.usual[family, rate._replace(speed=0.0)] = rate.speed
        best = self.best[family, rate.rows]
        same = best._replace(speed=0.0) == rate._replace(speed=0.0)
        if rate.speed and (same or rate.speed > (1 + TUNING.worth) * best.speed):
            self.best[family, rate.rows] = rate

    def _trial(self, family: Family, rate: Rate, lanes: int = LANES, passes: int = 1) -> TileTrial:
        queries = queries_of(family, passes * lanes * rate.rows)
        return TileTrial(family, rate, lanes, queries, scheme_of(family))

    @contextmanager
    def _compiled(self, trials: Iterable[TileTrial]) -> Iterator[list[Future[str]]]:
        # Not `Tasks`: each trial is waited for when its turn comes.
        threads = max(1, min(COMPILERS, usable_cores()))
        with ThreadPoolExecutor(threads, thread_name_prefix="swgui-compile") as pool:
            try:
                yield [pool.submit(self.rater.build, trial) for trial in trials]
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _speed(self, trial: TileTrial) -> float:
        """Return 10^12 cells per second of a trial that is built; 0 if a score is wrong."""
        subjects = self._tracks if trial.family == "beside" else self._plain
        timed = self.rater.time(trial, subjects.repeated, self.request.repeats, self.cancel)
        expected = subjects.expected(self._right(trial, subjects))
        if not np.array_equal(timed.scores, expected):
            rate = trial.rate._replace(speed=0.0)
            self.wrong[trial.family, rate] = (
                f"{TITLES[trial.family]}, {rate.rows} rows, {rate.threads} threads, skew {rate.skew}: "
                f"{int(np.count_nonzero(timed.scores != expected)):,} of {expected.size:,}"
            )
            return 0.0
        return timed.cells / median(timed.seconds) / 1e12

    def _right(self, trial: TileTrial, subjects: Subjects) -> NDArray[np.int64]:
        """Return the right scores of a trial, shape (queries, subjects of the base)."""
        key = trial.family, len(trial.queries[0])
        if key not in self._expected:
            name = CPU.name if registry.probe(CPU.name).available else REFERENCE.name
            with closing(registry.make_engine(name, EngineOptions())) as engine:
                self._expected[key] = np.stack(
                    [self._scored(engine, query, trial, subjects) for query in trial.queries]
                )
        return self._expected[key]

    def _scored(self, engine: Any, query: EncodedQuery, trial: TileTrial, subjects: Subjects) -> NDArray[np.int64]:
        plans = plan_chunks(subjects.base.offsets, engine.chunk_limits((query,), subjects.base))
        scored = score_all(engine, query, subjects.base, plans, trial.scheme, self.cancel)
        if scored is None:
            raise Stopped
        return scored.scores

    def extras(self) -> Extras:
        """Return costs of lanes, rows of a pass and of a step, and seconds of a row of a lone group."""
        rate = self._fitting(max(OTHER_LANES))
        several = [self._trial("packed", rate, lanes) for lanes in (LANES, *OTHER_LANES)]
        passes = [self._trial("packed", rate, PASS_LANES, count) for count in (1, 2)]
        alone = [self._trial("packed", self._rate(rows)) for rows in ALONE]
        with self._compiled([*several, *passes, *alone]) as reasons:
            for reason in reasons:
                if why := reason.result():
                    raise EngineFault(f"The kernel of a search cannot run on this GPU. {why}")
            speeds = [self._checked(self._speed, trial) for trial in several]
            once, twice = (self._checked(self._speed, trial) for trial in passes)
            short, long = (self._checked(self._alone, trial) for trial in alone)
        costs = {lanes: speeds[0] / speed - 1 for lanes, speed in zip(OTHER_LANES, speeds[1:], strict=True)}
        # Two passes have twice the rows, and each takes as long as `pass_rows` more: by the speed of one pass.
        pass_rows = max(0.0, PASS_LANES * rate.rows * (once / twice - 1))
        row = (long - short) / (ALONE[1] - ALONE[0])
        if row <= 0:
            raise EngineFault("The times of this GPU do not grow with the work, so its tiles cannot be measured.")
        return _as_in_searches({LANES: 0.0, **costs}, pass_rows, max(0.0, short / row - ALONE[0]), row)

    def _checked(self, timing: Callable[[TileTrial], float], trial: TileTrial) -> float:
        if self.cancel.is_set():
            raise Stopped
        found = timing(trial)
        if not found:
            raise EngineFault(
                f"The kernel of a search gives wrong scores on this GPU: {list(self.wrong.values())[-1]}."
            )
        return found

    def _alone(self, trial: TileTrial) -> float:
        """Return the seconds that one group takes for a block of four columns."""
        timed = self.rater.time(trial, self._twin, self.request.repeats, self.cancel)
        return median(timed.seconds) / timed.blocks

    def _fitting(self, lanes: int) -> Rate:
        """Return the first of `LANE_ROWS` whose tables fit shared memory with so many lanes."""
        for rows in LANE_ROWS[:-1]:
            rate = self._rate(rows)
            tile = Tile(lanes, rows, rate.threads, rate.skew)
            if tile.shared_bytes(self._arithmetic) <= self.rater.shared_limit:
                return rate
        return self._rate(LANE_ROWS[-1])

    @property
    def _arithmetic(self) -> Arithmetic:
        """That of a usual search of proteins."""
        return plan_arithmetic(Twins.SUBJECTS, Costs.for_queries(scheme_of("packed")), dpx=self.rater.dpx)

    def _rate(self, rows: int) -> Rate:
        return next(rate for rate in H200.rates["packed"] if rate.rows == rows)

    # The result

    def result(self, lanes_cost: dict[int, float], pass_rows: float, step_rows: float, row: float) -> TileRates:
        """Return all figures.

        Raises
        ------
        EngineFault
            If a variant that came with the program gives wrong scores.
        """
        if wrong := [text for variant, text in self.wrong.items() if variant in self.usual]:
            raise EngineFault(
                f"Tiles that came with the program give wrong scores on this GPU, so nothing is kept: {wrong[0]}.",
                hint="Do not use this GPU, and report this.",
            )
        device = self.rater.device
        rates = {family: tuple(self.best[family, rate.rows] for rate in H200.rates[family]) for family in FAMILIES}
        chosen = {(family, rate._replace(speed=0.0)) for family in FAMILIES for rate in rates[family]}
        found = TileRates(
            device=device.identity,
            driver=device.driver,
            kernels=kernels_digest(kernels=True),
            name=device.name,
            version=swgui.__version__,
            made=datetime.now().astimezone().isoformat(timespec="seconds"),
            seconds=time.perf_counter() - self.began,
            complete=self.whole,
            multiprocessors=self.rater.multiprocessors,
            rates=rates,
            lanes_cost=tuple(sorted(lanes_cost.items())),
            pass_rows=pass_rows,
            step_rows=step_rows,
            row_seconds=row,
            changed=len(chosen - set(self.usual)),
        )
        gains = self._gains(found)
        return replace(found, gain=float(np.mean(gains)), most=max(gains))

    def _gains(self, found: TileRates) -> list[float]:
        """Return by how much usual queries are scored faster with the tiles chosen now, by what was measured."""
        now = tables_of(found)
        assert now is not None, "only variants of the tables are tried"
        arithmetic, shared, gains = self._arithmetic, self.rater.shared_limit, []
        usual = {rate: speed for (family, rate), speed in self.usual.items() if family == "packed"}
        fastest = {rate._replace(speed=0.0): rate.speed for rate in found.rates["packed"]}
        for length in LENGTHS:
            before, after = (select_tile(length, arithmetic, shared, None, tables) for tables in (H200, now))
            gains.append(_time(now, usual, before, length) / _time(now, fastest, after, length) - 1)
        return gains


def _as_in_searches(lanes_cost: dict[int, float], pass_rows: float, step_rows: float, row: float) -> Extras:
    """Return the figures of real searches: those of the tables, by the ratio to their GPU measured in the same way."""
    costs = {lanes: H200.lanes_cost[lanes] + cost - TUNING.lanes_cost[lanes] for lanes, cost in lanes_cost.items()}
    return (
        {lanes: min(max(cost, LEAST_COST), MAX_COST) for lanes, cost in costs.items()},
        H200.pass_rows * pass_rows / TUNING.pass_rows,
        H200.step_rows * step_rows / TUNING.step_rows,
        H200.row_seconds * row / TUNING.row_seconds,
    )


def _time(tables: Tables, speeds: dict[Rate, float], tile: Tile, length: int) -> float:
    speed = speeds[Rate(tile.rows, tile.threads, tile.skew, 0.0, tile.halves)]
    return time_of(tables, speed, tile, length)
