"""A worker of the cluster engine: a Dask worker with the best engine of its computer and access to its files.

Engines know no files and no self-check, so the parts are put together here: a `Scorer` is given a function
that finds database files by checksum and one that makes a checked engine. ``swgui worker`` calls `serve`;
``dask worker --preload swgui.jobs.cluster.worker`` calls `dask_setup`, with its options from the environment.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swgui.core.alphabet import TRACKS
from swgui.core.database import EncodedDatabase
from swgui.core.devices import device_ids
from swgui.core.engines import EngineOptions
from swgui.core.errors import DatabaseError, EngineUnavailable
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.programs import Translation
from swgui.engines import registry
from swgui.engines.base import Engine
from swgui.engines.cluster.ending import pass_over_abandoned
from swgui.engines.cluster.scorer import Scorer
from swgui.engines.cluster.security import Connection, no_scheduler
from swgui.engines.translated import with_frameshifts
from swgui.io.database.file import SUFFIX, database_facts, open_database
from swgui.io.database.library import user_databases
from swgui.jobs.check import device as selfcheck

if TYPE_CHECKING:
    from distributed import Worker

CONNECT_SECONDS: Final = 30
KEEP_MIB: Final = 4_096
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker works."""

    engine: str = "auto"  # a name of `local_engines`, or ``auto`` for the first of them that can be used
    options: EngineOptions = field(default_factory=EngineOptions)
    folders: tuple[Path, ...] = ()  # folders of database files, in addition to the user's own
    keep_mib: int = KEEP_MIB  # MiB of residues kept in memory at most
    name: str = ""  # shown to users of the cluster; different for each worker


def local_engines() -> tuple[str, ...]:
    """Return the engines a worker can use: those of its own computer, for it never passes work on."""
    return registry.listed_names()


def make_scorer(options: WorkerOptions) -> Scorer:
    """Put together what a worker needs; the engine is made when it is first asked for."""
    files = DatabaseFiles(options.folders)

    def shifting(engine: Engine, scheme: ScoringScheme, translation: Translation) -> Engine:
        return with_frameshifts(engine, scheme, translation, options.options)

    return Scorer(lambda: make_checked_engine(options), files.find, options.keep_mib << 20, shifting)


def make_checked_engine(options: WorkerOptions) -> Engine:
    """Make the best engine of this computer whose self-check passes.

    Raises
    ------
    EngineUnavailable
        If none can be used.
    InvalidParameter
        If the options name an engine or device that does not exist.
    """
    names = registry.auto_names() if options.engine == registry.AUTO else registry.resolve(options.engine)
    problem: EngineUnavailable | None = None
    for name in names:
        try:
            for device in registry.probe(name).devices:
                if not options.options.devices or device.id in options.options.devices:
                    for stage in selfcheck.require_exact(name, device, threading.Event()):
                        _log.info("%s", stage.name)
            return registry.make_engine(name, options.options)
        except EngineUnavailable as unavailable:
            _log.info("%s", unavailable)
            problem = unavailable
    assert problem is not None
    raise problem


class DatabaseFiles:
    """Finds database files by the checksum of their content.

    Parameters
    ----------
    folders : sequence of Path
        Searched in addition to the databases that the user of this computer knows.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._open: dict[str, EncodedDatabase] = {}
        self._seen: dict[Path, tuple[int, int, str]] = {}

    def find(self, checksum: str) -> EncodedDatabase | None:
        """Return the database with a checksum, memory-mapped, or None."""
        plain = checksum.partition(TRACKS)[0]
        if checksum not in self._open:
            for path in self._files():
                if self._checksum_of(path) == plain:
                    with suppress(DatabaseError):
                        database = open_database(path)
                        database = database if plain == checksum else database.in_two_tracks()
                        if database.checksum == checksum:
                            self._open[checksum] = database
                            break
        return self._open.get(checksum)

    def _files(self) -> Iterator[Path]:
        for folder in self._folders:
            with suppress(OSError):
                yield from sorted(folder.glob(f"*{SUFFIX}"))
        yield from (database.file for database in user_databases())

    def _checksum_of(self, path: Path) -> str:
        """Read the facts of a file, once as long as it does not change."""
        try:
            state = path.stat()
            seen = self._seen.get(path)
            if seen is None or seen[:2] != (state.st_size, state.st_mtime_ns):
                seen = state.st_size, state.st_mtime_ns, database_facts(path).checksum
                self._seen[path] = seen
        except (OSError, DatabaseError):
            return ""
        return seen[2]


async def serve(connection: Connection, options: WorkerOptions) -> None:
    """Work for a scheduler until it ends or a signal stops this process.

    The one port that is opened is that of Dask's messages, where the scheduler reaches it and nowhere else.

    Raises
    ------
    EngineUnavailable
        If the scheduler cannot be reached.
    """
    import dask
    from distributed import Worker as DaskWorker

    from swgui.engines.cluster.tasks import ScorerPlugin

    class Worker(DaskWorker):
        """Dask's worker without its HTTP server, which would be open even without a dashboard, and never encrypted."""

        def start_http_server(self, *arguments: object, **options: object) -> None:
            """Start none."""

    # Dask would look a hundred times a second what its threads are at; units tell how long they took.
    dask.config.set({"distributed.worker.profile.enabled": False})
    scorer = make_scorer(options)
    try:
        worker = await Worker(
            connection.address,
            nthreads=1,
            name=options.name or default_name(options),
            security=connection.security(),
            host=connection.own_address(),
            memory_limit=0,
            dashboard=False,
            death_timeout=CONNECT_SECONDS,
            plugins=(ScorerPlugin(scorer),),
        )
    except (OSError, TimeoutError, ValueError) as error:
        raise no_scheduler(connection.address, error) from error
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[object]] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: Ctrl+C ends the process as usual
            loop.add_signal_handler(number, lambda: ending.append(loop.create_task(worker.close(reason="stopped"))))
    await worker.finished()
    pass_over_abandoned(loop)


async def dask_setup(worker: Worker) -> None:
    """Make a worker of this program out of one that ``dask worker --preload swgui.jobs.cluster.worker`` started."""
    from swgui.engines.cluster.tasks import PLUGIN, ScorerPlugin

    await worker.plugin_add(ScorerPlugin(make_scorer(options_from_environment())), name=PLUGIN)


def options_from_environment() -> WorkerOptions:
    """Read the options of a preloaded worker: SWGUI_WORKER_ENGINE, _DEVICE, _THREADS, _KEEP_MIB and _DATABASES."""
    value = {name: os.environ.get(f"SWGUI_WORKER_{name}", "") for name in ("ENGINE", "DEVICE", "DATABASES")}
    number = {name: int(os.environ.get(f"SWGUI_WORKER_{name}") or 0) for name in ("THREADS", "KEEP_MIB")}
    return WorkerOptions(
        engine=value["ENGINE"] or "auto",
        options=EngineOptions(device_ids(value["DEVICE"]), number["THREADS"]),
        folders=tuple(Path(part) for part in value["DATABASES"].split(os.pathsep) if part),
        keep_mib=number["KEEP_MIB"] or KEEP_MIB,
    )


def default_name(options: WorkerOptions) -> str:
    """Return a name for a worker: computer, device if one was chosen, and process."""
    return "-".join([platform.node() or "worker", *options.options.devices, str(os.getpid())])
