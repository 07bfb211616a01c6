"""One job timed, and other programs at the same job."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from speed.data import DataMissing
from speed.whole.child import CommandFailed, Measurement, program, take
from speed.whole.files import Files
from speed.whole.peers import PEERS, TOP, Peer, PeerSearch
from speed.whole.rows import Row
from swgui.core.engines import Kind
from swgui.engines.registry import facts

LONG: Final = 20.0  # seconds
TIMINGS: Final = "--timings"
TRACED: Final = ("search", "pair", "network")  # commands that know this option
FOLDERS: Final = ("SWGUI_CACHE_DIR", "SWGUI_CONFIG_DIR", "SWGUI_DATA_DIR", "CUPY_CACHE_DIR")


@dataclass(frozen=True, slots=True)
class Beside:
    """Costs of another program.

    Parameters
    ----------
    name : str
    taken : Measurement or None
        None if it could not do it.
    why : str
        Why not.
    """

    name: str
    taken: Measurement | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """Costs of one job.

    Parameters
    ----------
    row : Row
    command : str
        The words, names of files in place.
    runs : tuple of Measurement
        The quickest first; nothing if it could not be done.
    why : str
        Why not.
    beside : tuple of Beside
    """

    row: Row
    command: str = ""
    runs: tuple[Measurement, ...] = ()
    why: str = ""
    beside: tuple[Beside, ...] = field(default=())

    @property
    def median(self) -> Measurement | None:
        """The run that counts."""
        return self.runs[(len(self.runs) - 1) // 2] if self.runs else None

    def as_json(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "job": self.row.key,
            "title": self.row.title,
            "wanted": self.row.wanted,
            "command": self.command,
            "why": self.why,
            "runs": [asdict(run) for run in self.runs],
            "beside": [asdict(one) for one in self.beside],
        }


@dataclass
class Bench:
    """Settings of all jobs.

    Parameters
    ----------
    files : Files
    repeats : int
        Runs of which the median counts.
    limit : float
        Seconds that a run may take.
    gpus : int
        GPUs of this computer.
    no_gpu : str
        Why there is none.
    engine : str
        With which searches are done in place of their own; empty for their own.
    peers : tuple of str
        Names of `PEERS`.
    """

    files: Files
    repeats: int
    limit: float
    gpus: int
    no_gpu: str = ""
    engine: str = ""
    peers: tuple[str, ...] = ()
    _warm: set[tuple[str, ...]] = field(default_factory=set)
    _built: dict[str, str] = field(default_factory=dict)  # why a database could not be made, by its prefix

    def measure(self, row: Row) -> Result:
        """Time a job, and the other programs at it; the result says what could not be done."""
        engine = self.engine if row.searches and self.engine else row.engine
        needed = row.devices if engine == row.engine else 0
        if needed > self.gpus:
            return Result(row, why=self.no_gpu or f"needs {needed} GPUs, there is {self.gpus}")
        try:
            words = self._words(row, engine)
            runs = self._runs(row, words)
        except (DataMissing, CommandFailed) as error:
            return Result(row, why=str(error))
        return Result(row, " ".join(words), runs, beside=tuple(self._beside(row, engine)))

    def _words(self, row: Row, engine: str) -> list[str]:
        if row.code:
            return [str(self.files.path("python")), "-c", row.code]
        chosen = ("--engine", engine) if row.searches else ()
        timed = (TIMINGS,) if row.words[:1] and row.words[0] in TRACED else ()
        return [*program(), *map(self.files.word, row.words), *chosen, *timed]

    def _runs(self, row: Row, words: Sequence[str]) -> tuple[Measurement, ...]:
        """Return the runs, the quickest first; before them one that fills the caches, if no other job has.

        A job that takes long is run once: the computer's moods do not count then.
        """
        used = (row.engine, *row.files)
        if not row.cold and used not in self._warm:
            self._warm.add(used)
            self._once(row, words)
        runs = [self._once(row, words)]
        if runs[0].seconds < LONG:
            runs += [self._once(row, words) for _ in range(self.repeats - 1)]
        return tuple(sorted(runs, key=lambda run: run.seconds))

    def _once(self, row: Row, words: Sequence[str]) -> Measurement:
        with tempfile.TemporaryDirectory(dir=self.files.folder) as empty:
            more = {name: self.files.word(value) for name, value in row.variables} | (
                dict.fromkeys(FOLDERS, empty) if row.cold else {}
            )
            taken = take(words, self.files.folder, self.limit, more)
        if row.code:
            return Measurement(float(taken.output), None, taken.memory, {})
        if row.by_cpu and taken.cpu_seconds is not None:
            return Measurement(taken.cpu_seconds, taken.cpu_seconds, taken.memory, {})
        return taken

    def _beside(self, row: Row, engine: str) -> Iterator[Beside]:
        """Time the programs compared with a job, once each: they are not the subject of the measurement."""
        if row.beside:
            words = [self.files.word(word) for word in row.beside]
            yield self._other(" ".join(("python", *words[1:])), words)
        if not row.alike or row.cold:
            return
        on_gpu = facts(engine).kind is Kind.GPU
        for name in self.peers:
            peer = PEERS[name]
            able = row.alike in peer.searches and (on_gpu or not peer.gpu)
            found = peer.find() if able else None
            if found is not None:
                yield self._peer(name, peer, self._asked(row, found))

    def _asked(self, row: Row, found: str) -> PeerSearch:
        queries, database = (self.files.path(row.files[place]) for place in (0, -1))  # one file: against itself
        top = row.words[row.words.index("--top") + 1] if "--top" in row.words else TOP
        plain = self.files.path(f"{database.stem}.fasta")
        return PeerSearch(found, queries, plain, top, self.files.folder, row.alike)

    def _peer(self, name: str, peer: Peer, asked: PeerSearch) -> Beside:
        if peer.build is not None:
            if asked.prefix not in self._built:
                self._built[asked.prefix] = self._other(name, peer.build(asked)).why
            if why := self._built[asked.prefix]:
                return Beside(name, None, why)
        return self._other(name, peer.searches[asked.kind](asked))

    def _other(self, name: str, words: Sequence[str]) -> Beside:
        try:
            return Beside(name, take(words, self.files.folder, self.limit))
        except CommandFailed as error:
            return Beside(name, None, error.message)
