"""One search distributed among the workers of a cluster.

Each unit is submitted to one worker by its address, so that Dask neither moves nor repeats work. Two units are
under way per worker: one computes while the answer of the other travels.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import uuid
from collections.abc import Sequence
from typing import Final

from swgui.core.database import ArrayDatabase
from swgui.core.errors import EngineFault, sentence_of
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.programs import Translation
from swgui.engines.cluster import tasks
from swgui.engines.cluster.scorer import UnitRequest, UnitScores
from swgui.engines.cluster.session import POLL_SECONDS, ClusterWorker, Session
from swgui.engines.cluster.shards import Unit, WorkPool

UNITS_PER_WORKER: Final = 2  # units under way per worker
FIRST_CELLS: Final = 1e8  # cells of the first unit of a worker of unknown speed
SHORTEST_SECONDS: Final = 0.05  # seconds of a unit near the end of a search
GROWTH: Final = 8.0  # growth of a unit over the one before
MAX_RESULTS: Final = 256  # units in the queue; at this number no new ones are sent
FAILURES: Final = 2  # workers that may say they failed on the same unit before the search ends
DEATHS: Final = 5  # workers that may end while they have the same unit

_log = logging.getLogger(__name__)
_background: set[asyncio.Task[None]] = set()  # the loop itself holds tasks only weakly


class Run:
    """One search, distributed among the workers.

    Attributes
    ----------
    results : SimpleQueue
        ``(unit, scores, label of the worker)``, each unit once.
    """

    def __init__(
        self,
        session: Session,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        scheme: ScoringScheme,
        pool: WorkPool,
        translation: Translation | None = None,
    ) -> None:
        self.results: queue.SimpleQueue[tuple[Unit, UnitScores, str]] = queue.SimpleQueue()
        self._session = session
        self._queries = queries
        self._database = database
        self._scheme = scheme
        self._pool = pool
        self._translation = translation
        self._id = uuid.uuid4().hex
        self._lanes: dict[str, list[asyncio.Task[None]]] = {}
        self._busy: dict[str, set[Unit]] = {}
        self._changed = asyncio.Event()
        self._failure: Exception | None = None

    async def main(self) -> None:
        """Score everything; raises `EngineFault` if that is not possible."""
        current = asyncio.current_task()
        assert current is not None
        current.set_name(f"swgui-run-{self._id}")
        try:
            await self._supervise()
        finally:
            lanes = [lane for lanes in self._lanes.values() for lane in lanes]
            for lane in lanes:
                lane.cancel()
            # Later results are not used; the caller does not wait for the workers to stop.
            stops = [self._session.stop(address, self._id) for address, units in self._busy.items() if units]
            for number, stop in enumerate(stops):
                _background.add(task := asyncio.create_task(stop, name=f"swgui-stop-{self._id}-{number}"))
                task.add_done_callback(_background.discard)

    async def _supervise(self) -> None:
        """Give every worker its lanes, as workers come and go."""
        session, loop = self._session, asyncio.get_running_loop()
        greetings: dict[str, asyncio.Task[ClusterWorker | None]] = {}
        alone_since = loop.time()
        try:
            while not self._pool.finished:
                if self._failure is not None:
                    raise self._failure
                now = await session.addresses()
                for gone in self._lanes.keys() - now:
                    self._remove_worker(gone)
                for address in now - self._lanes.keys() - greetings.keys() - session.refused.keys():
                    if worker := session.members.get(address):
                        self._add_worker(worker)
                    else:
                        greetings[address] = asyncio.create_task(session.greet(address), name=f"swgui-greet-{address}")
                for address, task in list(greetings.items()):
                    if task.done():
                        del greetings[address]
                        if worker := task.result():
                            self._add_worker(worker)
                if any(not lane.done() for lanes in self._lanes.values() for lane in lanes) or greetings:
                    alone_since = loop.time()
                elif loop.time() - alone_since > session.settings.stall_seconds:
                    raise self._no_worker_left()
                await self._wait_for_change(POLL_SECONDS)
        finally:
            for task in greetings.values():
                task.cancel()

    def _add_worker(self, worker: ClusterWorker) -> None:
        worker.problem = None
        self._lanes[worker.address] = [
            asyncio.create_task(self._lane(worker), name=f"swgui-lane-{worker.address}-{number}")
            for number in range(UNITS_PER_WORKER)
        ]

    def _remove_worker(self, address: str) -> None:
        """Take the work back from a worker that is gone."""
        _log.info("the worker %s is gone", address)
        for lane in self._lanes.pop(address):
            lane.cancel()
        worker = self._session.members.pop(address, None)
        for unit in self._busy.pop(address, set()):
            unit.deaths += 1
            if unit.deaths >= DEATHS and worker is not None:
                self._fail(
                    EngineFault(
                        f"{DEATHS} workers ended while they had the same piece of work, {worker.facts.name} the last.",
                        hint="Their own messages say why; too little memory is the usual reason.",
                    )
                )

    async def _lane(self, worker: ClusterWorker) -> None:
        """Score units on a worker, one after the other."""
        try:
            while not self._pool.finished and worker.problem is None:
                unit = None
                if self.results.qsize() < MAX_RESULTS:
                    unit = self._pool.take(worker.address, worker.held, self._wanted(worker))
                if unit is None:
                    await self._wait_for_change(POLL_SECONDS if self.results.qsize() else None)
                else:
                    await self._work(worker, unit)
        except Exception as error:
            self._fail(error)

    async def _work(self, worker: ClusterWorker, unit: Unit) -> None:
        """Have a unit scored by a worker; if that takes too long, other workers may score it, too."""
        address = worker.address
        self._busy.setdefault(address, set()).add(unit)
        task = asyncio.create_task(self._score(worker, unit), name=f"swgui-unit-{self._id}")
        try:
            done, _ = await asyncio.wait([task], timeout=self._timeout(worker, unit))
            if not done:
                _log.warning("the worker %s has been silent for long; its work is given to others", address)
                self._give_back(unit)
                await asyncio.wait([task])  # late scores count if no other worker was faster
            await self._take_in(worker, unit, task)
        finally:
            if not task.done():
                task.cancel()
            self._busy.get(address, set()).discard(unit)
            if not unit.done:
                self._give_back(unit)

    async def _take_in(self, worker: ClusterWorker, unit: Unit, task: asyncio.Task[UnitScores]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None or task.cancelled():
            if worker.address in await self._session.addresses():
                text = sentence_of(error) if error is not None else "its work was cancelled."
                self._exclude(worker, unit, EngineFault(f"The worker {worker.facts.name} failed: {text}"))
            return  # a worker that is gone is removed by `_supervise`
        answer = task.result()
        if answer.state == "failed":
            message = f"The worker {worker.facts.name} failed: {answer.message}"
            self._exclude(worker, unit, EngineFault(message, hint=answer.hint))
        elif answer.state == "scored":
            if answer.seconds > 0 and unit.cells:
                worker.speed, worker.cells = unit.cells / answer.seconds, unit.cells
            if self._pool.count(unit):
                self.results.put((unit, answer, worker.label))
            if self._pool.finished:
                self._notify()

    async def _score(self, worker: ClusterWorker, unit: Unit) -> UnitScores:
        request = UnitRequest(
            run=self._id,
            shard=unit.shard,
            start=unit.start - unit.shard.start,
            stop=unit.stop - unit.shard.start,
            queries=tuple(self._queries[unit.queries[0] : unit.queries[1]]),
            scheme=self._scheme,
            translation=self._translation,
        )
        while True:
            async with worker.sending:
                if unit.shard not in worker.held:
                    if not await self._session.ask(worker.address, tasks.open_shard, unit.shard):
                        await self._session.send(worker.address, unit.shard, self._database)
                    worker.held.add(unit.shard)
            answer = await self._session.ask(worker.address, tasks.score_unit, request)
            if answer.state != "missing":
                return answer
            worker.held.discard(unit.shard)  # the worker dropped it to make room

    def _wanted(self, worker: ClusterWorker) -> float:
        if not worker.speed:
            return FIRST_CELLS
        lanes = UNITS_PER_WORKER * max(1, len(self._lanes))
        even = self._pool.cells_left / (2 * lanes)  # so that all workers end together
        largest = worker.speed * self._session.settings.unit_seconds
        if worker.cells:
            largest = min(largest, GROWTH * worker.cells)
        return max(min(largest, even), worker.speed * SHORTEST_SECONDS)

    def _timeout(self, worker: ClusterWorker, unit: Unit) -> float:
        expected = unit.cells / worker.speed if worker.speed else 0.0
        return max(self._session.settings.stall_seconds, 10 * expected)

    def _exclude(self, worker: ClusterWorker, unit: Unit, problem: EngineFault) -> None:
        _log.warning("%s", problem)
        worker.problem = problem
        self._count_failure(unit, problem)
        if all(lane.done() for lanes in self._others(worker) for lane in lanes):
            self._fail(problem)

    def _others(self, worker: ClusterWorker) -> list[list[asyncio.Task[None]]]:
        return [
            lanes
            for address, lanes in self._lanes.items()
            if (other := self._session.members.get(address)) is not None
            and other is not worker
            and other.problem is None
        ]

    def _count_failure(self, unit: Unit, problem: EngineFault) -> None:
        """End the search if the unit itself seems to be the reason."""
        unit.failures += 1
        if unit.failures >= FAILURES and not unit.done:
            self._fail(problem)

    def _give_back(self, unit: Unit) -> None:
        self._pool.give_back(unit)
        self._notify()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _wait_for_change(self, seconds: float | None) -> None:
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return

    def _no_worker_left(self) -> EngineFault:
        session = self._session
        reasons = [str(problem) for problem in session.refused.values()]
        return EngineFault(
            f"The scheduler at {session.where} has had no usable worker for {session.settings.stall_seconds:g} s."
            + (f" {reasons[-1]}" if reasons else ""),
            hint=f"Start workers with 'swgui worker {session.where}' and search once more.",
        )
