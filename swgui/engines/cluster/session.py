"""The client's side: a connection to a scheduler and the workers found there.

Everything here runs on one thread with an event loop of its own. Dask only carries messages.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import uuid
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import distributed

import swgui
from swgui.core.database import ArrayDatabase
from swgui.core.errors import EngineFault, EngineUnavailable, SwguiError, sentence_of
from swgui.engines.cluster import tasks
from swgui.engines.cluster.ending import end, pass_over_abandoned
from swgui.engines.cluster.scorer import WorkerFacts
from swgui.engines.cluster.security import NAME, ClusterSettings, no_scheduler
from swgui.engines.cluster.shards import ShardName, take_shard

CONNECT_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.25  # how often the workers are counted
STOP_SECONDS: Final = 5.0  # a worker that does not answer a stop by then is left alone

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class ClusterWorker:
    """A worker that may be used."""

    address: str
    facts: WorkerFacts
    held: set[ShardName]  # shards in its memory, as far as this computer knows
    speed: float = 0.0  # cells per second over its last unit; 0 if not known
    cells: float = 0.0  # cells of its last unit
    problem: SwguiError | None = None  # why it is not used any more
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def label(self) -> str:
        """Name for results and live figures, different for each worker."""
        return f"{self.facts.device} ({self.facts.name})"


class Session:
    """A connection to a scheduler.

    Parameters
    ----------
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
        self.members: dict[str, ClusterWorker] = {}
        self.refused: dict[str, SwguiError] = {}
        self._keys = itertools.count()
        self._id = uuid.uuid4().hex
        self.loop = asyncio.new_event_loop()
        pass_over_abandoned(self.loop)
        self._thread = threading.Thread(target=self.loop.run_forever, name="swgui-cluster", daemon=True)
        self._thread.start()
        self._client: Any = None
        try:
            self.call(self._connect())
        except BaseException:
            self.close()
            raise

    @property
    def where(self) -> str:
        """Address of the scheduler."""
        return self.settings.connection.address

    def start(self, work: Coroutine[Any, Any, None]) -> Future[None]:
        """Begin the work of a search; the future ends with it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def refresh(self) -> None:
        """Look again which workers there are."""
        self.call(self._look())

    def close(self) -> None:
        """Leave the scheduler; searches under way are stopped."""
        if self.loop.is_closed():
            return
        try:
            asyncio.run_coroutine_threadsafe(self._leave(), self.loop).result(2 * STOP_SECONDS)
        except Exception:  # the scheduler may be gone; nothing depends on a farewell
            _log.debug("leaving the cluster", exc_info=True)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(STOP_SECONDS)
        if not self._thread.is_alive():
            self.loop.close()

    async def addresses(self) -> set[str]:
        """Return the addresses of all workers there are now; `EngineFault` if the scheduler is lost."""
        client = self._client
        if client is not None and client.status == "running":
            try:
                return set(await asyncio.wait_for(client.scheduler.ncores(), self.settings.stall_seconds))
            except (OSError, TimeoutError, AttributeError):  # the latter: removed during the call
                _log.debug("asking the scheduler", exc_info=True)
        raise EngineFault(
            f"The connection to the scheduler at {self.where} was lost.",
            hint="The scores so far are kept. Start the scheduler again and search once more.",
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

    async def send(self, address: str, name: ShardName, database: ArrayDatabase) -> None:
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

    async def greet(self, address: str) -> ClusterWorker | None:
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
            reason = f"The worker {address} did not answer: {sentence_of(error)}"
            self.refused[address] = EngineUnavailable(NAME, reason)
        else:
            if not self.names or facts.name in self.names:
                member = ClusterWorker(address, facts, set(facts.shards), speed=facts.gcups * 1e9)
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
            raise no_scheduler(self.where, error) from error
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
        await end(_own_tasks() - _own_tasks("stop"), STOP_SECONDS / 2)
        if stops := _own_tasks("stop"):  # the workers are to hear of it before the connection ends
            await asyncio.wait(stops, timeout=STOP_SECONDS / 2)
        try:
            if self._client is not None:
                await self._client.close()
        finally:
            await end(asyncio.all_tasks() - {asyncio.current_task()}, STOP_SECONDS / 2)

    def call(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


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
