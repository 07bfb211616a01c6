"""The client's side: a connection to a scheduler, the workers found there, and searches dealt out to them.

Everything here runs on one thread with an event loop of its own. Dask is asked for messages only: each
unit is submitted to one worker by its address, so that Dask neither moves nor repeats work. Two units are
under way per worker: one computes while the answer of the other travels.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import queue
import threading
import uuid
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import distributed

import swgui
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, EngineUnavailable, SwguiError, said_by
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cluster import tasks
from swgui.engines.cluster.scorer import UnitRequest, UnitScores, WorkerFacts
from swgui.engines.cluster.security import NAME, NO_SCHEDULER_HINT, ClusterSettings
from swgui.engines.cluster.shards import ShardName, Unit, WorkPool, take_shard

CONNECT_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.25  # how often the workers are counted
STOP_SECONDS: Final = 5.0  # a worker that does not answer a stop by then is left alone
LANES: Final = 2  # units under way per worker
FIRST_CELLS: Final = 1e8  # of the first unit of a worker whose speed is not known
SHORTEST_SECONDS: Final = 0.05  # of a unit near the end of a search
GROWTH: Final = 8.0  # of a unit over the one before
MAX_RESULTS: Final = 256  # waiting to be taken; beyond, nothing new is handed out
FAILURES: Final = 2  # workers that may say they failed on the same unit before the search ends
DEATHS: Final = 5  # workers that may end while they have the same unit

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Member:
    """A worker that may be used.

    Parameters
    ----------
    address : str
    facts : WorkerFacts
    held : set of ShardName
        What it has in memory, as far as is known here.
    speed : float
        Cells per second over its last unit; 0 if not known.
    cells : float
        Cells of its last unit.
    problem : SwguiError, optional
        Why it is not used any more.
    """

    address: str
    facts: WorkerFacts
    held: set[ShardName]
    speed: float = 0.0
    cells: float = 0.0
    problem: SwguiError | None = None
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def label(self) -> str:
        """Name for results and live figures, different for each worker."""
        return f"{self.facts.device} ({self.facts.name})"


class Session:
    """A connection to a scheduler.

    Parameters
    ----------
    settings : ClusterSettings
    names : sequence of str
        Use only workers with these names; all if empty.

    Raises
    ------
    EngineUnavailable
        If there is no scheduler or no worker, or a worker cannot be used.
    """

    def __init__(self, settings: ClusterSettings, names: Sequence[str] = ()) -> None:
        self.settings = settings
        self.names = frozenset(names)
        self.members: dict[str, Member] = {}
        self.refused: dict[str, SwguiError] = {}
        self._keys = itertools.count()
        self._id = uuid.uuid4().hex
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="swgui-cluster", daemon=True)
        self._thread.start()
        self._client: Any = None
        try:
            self._call(self._connect())
        except BaseException:
            self.close()
            raise

    @property
    def where(self) -> str:
        """Address of the scheduler."""
        return self.settings.connection.address

    def start(self, run: Run) -> Future[None]:
        """Begin a search; the future ends with it."""
        return asyncio.run_coroutine_threadsafe(run.main(), self._loop)

    def refresh(self) -> None:
        """Look again which workers there are."""
        self._call(self._look())

    def close(self) -> None:
        """Leave the scheduler; searches under way are stopped."""
        if self._loop.is_closed():
            return
        try:
            asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result(2 * STOP_SECONDS)
        except Exception:  # the scheduler may be gone; nothing depends on a farewell
            _log.debug("leaving the cluster", exc_info=True)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    async def addresses(self) -> set[str]:
        """Return the addresses of all workers there are now; `EngineFault` if the scheduler is lost."""
        client = self._client
        if client is not None and client.status == "running":
            try:
                return set(await asyncio.wait_for(client.scheduler.ncores(), self.settings.stall_seconds))
            except (OSError, TimeoutError, AttributeError):  # the latter: taken apart while it was asked
                _log.debug("asking the scheduler", exc_info=True)
        raise EngineFault(
            f"The connection to the scheduler at {self.where} was lost.",
            hint="What was scored until then is kept. Start the scheduler again and search once more.",
        )

    async def ask(self, address: str, function: Callable[..., _T], *arguments: object) -> _T:
        """Run one of the functions of `tasks` on a worker."""
        future: Any = self._client.submit(
            function,
            *arguments,
            key=f"swgui-{function.__name__}-{self._id}-{next(self._keys)}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        try:
            answer: _T = await future
            return answer
        finally:
            future.release()

    async def send(self, address: str, name: ShardName, database: EncodedDatabase) -> None:
        """Send a shard to a worker, which keeps it."""
        scattered = await self._client.scatter(
            [take_shard(database, name)], workers=[address], hash=False, direct=False
        )
        try:
            await self.ask(address, tasks.keep_shard, name, scattered[0])
        finally:
            scattered[0].release()

    async def stop(self, address: str, run: str) -> None:
        """Stop a run on a worker, if the worker can be reached."""
        client = self._client
        if client is None or client.status != "running":
            return
        try:
            await asyncio.wait_for(client.run(tasks.stop_run, run, workers=[address], on_error="ignore"), STOP_SECONDS)
        except (OSError, TimeoutError, ValueError):  # gone, or about to be
            _log.debug("stopping %s", address, exc_info=True)

    async def greet(self, address: str) -> Member | None:
        """Find out whether a worker can be used; None and an entry in `refused` if not."""
        limit = self.settings.stall_seconds
        try:
            version = await asyncio.wait_for(self.ask(address, tasks.worker_version), limit)
            if version != swgui.__version__:
                raise _wrong_version(address, version)
            facts = await asyncio.wait_for(self.ask(address, tasks.worker_facts), limit)
            if facts.problem:
                raise EngineUnavailable(NAME, f"The worker {facts.name} cannot score: {facts.problem}", hint=facts.hint)
        except EngineUnavailable as refusal:
            self.refused[address] = refusal
        except TimeoutError:
            self.refused[address] = EngineUnavailable(NAME, f"The worker {address} did not answer for {limit:g} s.")
        except (ImportError, AttributeError):
            self.refused[address] = _wrong_version(address, "")
        except Exception as error:
            reason = f"The worker {address} could not be asked: {said_by(error)}"
            self.refused[address] = EngineUnavailable(NAME, reason)
        else:
            if not self.names or facts.name in self.names:
                member = Member(address, facts, set(facts.shards), speed=facts.gcups * 1e9)
                self.members[address] = member
                return member
            self.refused[address] = EngineUnavailable(NAME, f"The worker {facts.name} was not chosen.")
        return None

    async def _connect(self) -> None:
        connection = self.settings.connection
        make_client: Any = distributed.Client
        try:
            self._client = await make_client(
                connection.address,
                security=connection.security(),
                asynchronous=True,
                set_as_default=False,
                direct_to_workers=False,
                timeout=CONNECT_SECONDS,
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineUnavailable(
                NAME,
                f"There is no Dask scheduler at {self.where}: {said_by(error)}",
                hint=NO_SCHEDULER_HINT,
            ) from error
        for _ in range(int(min(CONNECT_SECONDS, self.settings.stall_seconds) / POLL_SECONDS) + 1):
            if await self.addresses():
                break
            await asyncio.sleep(POLL_SECONDS)
        await self._look()
        for refusal in self.refused.values():
            if not self.names:  # with names, workers that were not asked for do not matter
                raise refusal
        if missing := self.names - {member.facts.name for member in self.members.values()}:
            raise EngineUnavailable(
                NAME,
                f"There is no worker '{min(missing)}' at {self.where}.",
                hint="Leave the choice of devices empty to use all workers.",
            )
        if not self.members:
            raise EngineUnavailable(
                NAME,
                f"The scheduler at {self.where} has no workers.",
                hint=f"Start some with 'swgui worker {self.where}'.",
            )

    async def _look(self) -> None:
        now = await self.addresses()
        for gone in self.members.keys() - now:
            del self.members[gone]
        await asyncio.gather(*(self.greet(address) for address in now - self.members.keys() - self.refused.keys()))

    async def _leave(self) -> None:
        others = _own_tasks() - _own_tasks("stop")
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if stops := _own_tasks("stop"):  # the workers are to hear of it before the connection ends
            await asyncio.wait(stops, timeout=STOP_SECONDS / 2)
        if self._client is not None:
            await self._client.close()

    def _call(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class Run:
    """One search, dealt out to the workers.

    Parameters
    ----------
    session : Session
    queries : sequence of EncodedQuery
    database : EncodedDatabase
    scheme : ScoringScheme
    pool : WorkPool
        The work to do.

    Attributes
    ----------
    results : SimpleQueue
        ``(unit, scores, label of the worker)``, each unit once.
    """

    def __init__(
        self,
        session: Session,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        pool: WorkPool,
    ) -> None:
        self.results: queue.SimpleQueue[tuple[Unit, UnitScores, str]] = queue.SimpleQueue()
        self._session = session
        self._queries = queries
        self._database = database
        self._scheme = scheme
        self._pool = pool
        self._id = uuid.uuid4().hex
        self._lanes: dict[str, list[asyncio.Task[None]]] = {}
        self._busy: dict[str, set[Unit]] = {}
        self._changed = asyncio.Event()
        self._failure: Exception | None = None

    async def main(self) -> None:
        """Score everything; raises `EngineFault` if that is not possible."""
        me = asyncio.current_task()
        assert me is not None
        me.set_name(f"swgui-run-{self._id}")
        try:
            await self._supervise()
        finally:
            lanes = [lane for lanes in self._lanes.values() for lane in lanes]
            for lane in lanes:
                lane.cancel()
            # What still computes, computes for nothing; nobody waits for it to stop.
            stops = [self._session.stop(address, self._id) for address, units in self._busy.items() if units]
            for number, stop in enumerate(stops):
                _background.add(task := asyncio.create_task(stop, name=f"swgui-stop-{self._id}-{number}"))
                task.add_done_callback(_background.discard)

    async def _supervise(self) -> None:
        """Give every worker its lanes, as workers come and go."""
        session, loop = self._session, asyncio.get_running_loop()
        greeting: dict[str, asyncio.Task[Member | None]] = {}
        alone_since = loop.time()
        try:
            while not self._pool.finished:
                if self._failure is not None:
                    raise self._failure
                now = await session.addresses()
                for gone in self._lanes.keys() - now:
                    self._dismiss(gone)
                for address in now - self._lanes.keys() - greeting.keys() - session.refused.keys():
                    if member := session.members.get(address):
                        self._employ(member)
                    else:
                        greeting[address] = asyncio.create_task(session.greet(address), name=f"swgui-greet-{address}")
                for address, task in list(greeting.items()):
                    if task.done():
                        del greeting[address]
                        if member := task.result():
                            self._employ(member)
                if any(not lane.done() for lanes in self._lanes.values() for lane in lanes) or greeting:
                    alone_since = loop.time()
                elif loop.time() - alone_since > session.settings.stall_seconds:
                    raise self._nobody_left()
                await self._wait_for_change(POLL_SECONDS)
        finally:
            for task in greeting.values():
                task.cancel()

    def _employ(self, member: Member) -> None:
        member.problem = None
        self._lanes[member.address] = [
            asyncio.create_task(self._lane(member), name=f"swgui-lane-{member.address}-{number}")
            for number in range(LANES)
        ]

    def _dismiss(self, address: str) -> None:
        """Take the work back from a worker that is gone."""
        _log.info("the worker %s is gone", address)
        for lane in self._lanes.pop(address):
            lane.cancel()
        member = self._session.members.pop(address, None)
        for unit in self._busy.pop(address, set()):
            unit.deaths += 1
            if unit.deaths >= DEATHS and member is not None:
                self._fail(
                    EngineFault(
                        f"{DEATHS} workers ended while they had the same piece of work, {member.facts.name} the last.",
                        hint="Their own messages say why; too little memory is the usual reason.",
                    )
                )

    async def _lane(self, member: Member) -> None:
        """Score units on a worker, one after the other."""
        try:
            while not self._pool.finished and member.problem is None:
                unit = None
                if self.results.qsize() < MAX_RESULTS:
                    unit = self._pool.take(member.address, member.held, self._wanted(member))
                if unit is None:
                    await self._wait_for_change(POLL_SECONDS if self.results.qsize() else None)
                else:
                    await self._work(member, unit)
        except Exception as error:
            self._fail(error)

    async def _work(self, member: Member, unit: Unit) -> None:
        """Have a unit scored by a worker; if that takes too long, others may have it too."""
        address = member.address
        self._busy.setdefault(address, set()).add(unit)
        task = asyncio.create_task(self._score(member, unit), name=f"swgui-unit-{self._id}")
        try:
            done, _ = await asyncio.wait([task], timeout=self._patience(member, unit))
            if not done:
                _log.warning("the worker %s has been silent for long; its work is given to others", address)
                self._give_back(unit)
                await asyncio.wait([task])  # late scores count if nobody was faster
            await self._take_in(member, unit, task)
        finally:
            if not task.done():
                task.cancel()
            self._busy.get(address, set()).discard(unit)
            if not unit.done:
                self._give_back(unit)

    async def _take_in(self, member: Member, unit: Unit, task: asyncio.Task[UnitScores]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None or task.cancelled():
            if member.address in await self._session.addresses():
                text = said_by(error) if error is not None else "its work was cancelled."
                self._retire(member, unit, EngineFault(f"The worker {member.facts.name} failed: {text}"))
            return  # a worker that is gone is dismissed by `_supervise`
        answer = task.result()
        if answer.state == "failed":
            message = f"The worker {member.facts.name} failed: {answer.message}"
            self._retire(member, unit, EngineFault(message, hint=answer.hint))
        elif answer.state == "scored":
            if answer.seconds > 0 and unit.cells:
                member.speed, member.cells = unit.cells / answer.seconds, unit.cells
            if self._pool.count(unit):
                self.results.put((unit, answer, member.label))
            if self._pool.finished:
                self._notify()

    async def _score(self, member: Member, unit: Unit) -> UnitScores:
        request = UnitRequest(
            run=self._id,
            shard=unit.shard,
            start=unit.start - unit.shard.start,
            stop=unit.stop - unit.shard.start,
            queries=tuple(self._queries[unit.queries[0] : unit.queries[1]]),
            scheme=self._scheme,
        )
        while True:
            async with member.sending:
                if unit.shard not in member.held:
                    if not await self._session.ask(member.address, tasks.open_shard, unit.shard):
                        await self._session.send(member.address, unit.shard, self._database)
                    member.held.add(unit.shard)
            answer = await self._session.ask(member.address, tasks.score_unit, request)
            if answer.state != "missing":
                return answer
            member.held.discard(unit.shard)  # dropped there to make room

    def _wanted(self, member: Member) -> float:
        if not member.speed:
            return FIRST_CELLS
        lanes = LANES * max(1, len(self._lanes))
        even = self._pool.cells_left / (2 * lanes)  # so that all end together
        largest = member.speed * self._session.settings.unit_seconds
        if member.cells:
            largest = min(largest, GROWTH * member.cells)
        return max(min(largest, even), member.speed * SHORTEST_SECONDS)

    def _patience(self, member: Member, unit: Unit) -> float:
        expected = unit.cells / member.speed if member.speed else 0.0
        return max(self._session.settings.stall_seconds, 10 * expected)

    def _retire(self, member: Member, unit: Unit, problem: EngineFault) -> None:
        """Use a worker no more in this search."""
        _log.warning("%s", problem)
        member.problem = problem
        self._blame(unit, problem)
        if all(lane.done() for lanes in self._others(member) for lane in lanes):
            self._fail(problem)

    def _others(self, member: Member) -> list[list[asyncio.Task[None]]]:
        return [
            lanes
            for address, lanes in self._lanes.items()
            if (other := self._session.members.get(address)) is not None
            and other is not member
            and other.problem is None
        ]

    def _blame(self, unit: Unit, problem: EngineFault) -> None:
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

    def _nobody_left(self) -> EngineFault:
        session = self._session
        reasons = [str(problem) for problem in session.refused.values()]
        return EngineFault(
            f"The scheduler at {session.where} has had no usable worker for {session.settings.stall_seconds:g} s."
            + (f" {reasons[-1]}" if reasons else ""),
            hint=f"Start workers with 'swgui worker {session.where}' and search once more.",
        )


_background: set[asyncio.Task[None]] = set()  # the loop itself holds tasks only weakly


def _own_tasks(kind: str = "") -> set[asyncio.Task[Any]]:
    return {task for task in asyncio.all_tasks() if task.get_name().startswith(f"swgui-{kind}")}


def _wrong_version(address: str, version: str) -> EngineUnavailable:
    if version:
        return EngineUnavailable(
            NAME,
            f"The worker {address} runs swgui {version}, this program is swgui {swgui.__version__}.",
            hint="Install the same version on both sides.",
        )
    return EngineUnavailable(
        NAME,
        f"The Dask worker {address} was not started by 'swgui worker', or by an older one than {swgui.__version__}.",
        hint="Start workers with 'swgui worker', or with --preload swgui.jobs.cluster.worker.",
    )
