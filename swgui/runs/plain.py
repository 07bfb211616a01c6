"""Runs of kinds that need no class of their own: a log while they run, and one file with the outcome when they end.

Of such a run there are, besides the note of every run:

* ``ID.run``, its log: the request, and the finished pieces of work; locked while it runs;
* ``ID.result``, the outcome in one file, once it has ended or was stopped.

A kind declares its steps and a codec, which turns requests and outcomes into plain values and arrays.
"""

from __future__ import annotations

import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, TextIO, get_type_hints

import numpy as np
from numpy.typing import NDArray

from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, Stopped, SwguiError
from swgui.core.plain import from_plain, plain
from swgui.core.table import Table
from swgui.engines.facts import CLUSTER
from swgui.io.saved.log import NO_LOG, Arrays, Entry, Log, in_use, read_log
from swgui.io.saved.pack import PackReader, PackWriter, damaged, manifest_of
from swgui.io.whole_file import save_bytes
from swgui.jobs.events import Finished
from swgui.jobs.kind import RESULT, load
from swgui.runs.kept import MAX_UNFINISHED, About, Ended, KindRuns, Packed
from swgui.runs.records import (
    STOPPED,
    NeededFile,
    RunError,
    RunRecord,
    new_id,
    not_kept,
    now,
    readable,
    started_by_id,
)

FORMAT: Final = "swgui run 1"
LOG: Final = ".run"
AWAY: Final = {"away": True}  # entry of the log of a run that another computer carries out
KEPT_AMONG_RUNS: Final = "The finished part is kept in the list of runs, where Resume continues it."


class Codec(ABC):
    """How the requests and outcomes of a kind become plain values and arrays, and lines of a list.

    Attributes
    ----------
    varies : tuple of str
        Parts of a packed outcome that may differ from run to run.
    """

    varies: ClassVar[tuple[str, ...]] = ("seconds",)

    @abstractmethod
    def pack_request(self, asked: Any) -> Packed:
        """Return the plain values of a request."""

    @abstractmethod
    def request(self, packed: Packed) -> Any:
        """Make a request again; `RunError` if what it needs is gone."""

    def travelling(self, asked: Any) -> Any:
        """Return a request with all that it reads in memory, for another computer.

        Raises
        ------
        RunError
            If this kind of run is carried out here alone.
        SwguiError
            If a file cannot be read.
        """
        raise without("is carried out on this computer alone")

    def brought(self, asked: Any, outcome: Any) -> Any:
        """Return the outcome that another computer found for a request, with what is known of the request here."""
        return outcome

    @abstractmethod
    def about(self, asked: Any) -> About:
        """Return the facts of a request for a list."""

    def content(self, asked: Any) -> str:
        """Return a checksum of the sequences of a request; empty if it is unknown before they are read.

        With it, a command that is repeated under a name of the list of runs finds its complete run (`finished`).
        """
        return ""

    @abstractmethod
    def pack(self, outcome: Any) -> Packed:
        """Return the plain values of an outcome."""

    @abstractmethod
    def outcome(self, asked: Any, packed: Packed) -> Any:
        """Make an outcome again."""

    @abstractmethod
    def ended(self, outcome: Any) -> Ended:
        """Return the facts of an outcome for a list."""

    def tables(self, asked: Any, outcome: Any) -> Mapping[str, Table[Any]]:
        """Return the tables of an outcome by name; the first is exported by default."""
        return {}

    def sentences(self, outcome: Any) -> list[str]:
        """Return the results of a run, a sentence each."""
        ended = self.ended(outcome)
        found = [] if ended.found is None else [f"{ended.found:,} found."]
        return found if ended.complete else [*found, ended.reason or "stopped: these are the results so far."]

    def values(self, asked: Any) -> Mapping[str, object]:
        """Return the options that ask for a request, by their keys, for its copy as a command and as Python."""
        raise without("cannot be copied as a command")

    def certificate(self, asked: Any, outcome: Any) -> dict[str, Any]:
        """Return the work and its results, as JSON values; `RunError` if this kind of run has no certificate."""
        raise without("has no certificate")

    @property
    def certified(self) -> bool:
        """Whether this kind of run has a certificate."""
        return type(self).certificate is not Codec.certificate

    def report(self, asked: Any, outcome: Any, file: TextIO, cancel: threading.Event) -> None:
        """Write a page (HTML) on the results; `RunError` if this kind of run has none."""
        raise without("has no page of a report")

    @property
    def reported(self) -> bool:
        """Whether this kind of run has a page on its results."""
        return type(self).report is not Codec.report

    def methods(self, asked: Any, outcome: Any) -> str:
        """Return a paragraph for a Methods section; `RunError` if this kind of run has none."""
        raise without("has no paragraph of methods")


def without(sentence: str) -> RunError:
    """Return the error that a kind of run lacks an ability."""
    return RunError(f"This kind of run {sentence}.", hint="The documentation of its package lists its abilities.")


class PlainCodec(Codec):
    """Of kinds whose request and outcome are records of plain values, and of arrays in fields of their own.

    Parameters
    ----------
    request, outcome : type
        Structs or dataclasses. An outcome may have ``complete``, ``found``, ``seconds``, ``fraction`` and ``reason``, a
        request ``name``, ``about``, ``queries`` and ``database``, for the list of runs.
    """

    def __init__(self, request: type, outcome: type) -> None:
        self._request, self._outcome = request, outcome

    def pack_request(self, asked: Any) -> Packed:
        """Return the fields of a request."""
        return _packed(asked)

    def request(self, packed: Packed) -> Any:
        """Make a request of its fields."""
        return _made(self._request, packed)

    def about(self, asked: Any) -> About:
        """Return the fields of a request as text."""
        queries, database = getattr(asked, "queries", 0), getattr(asked, "database", "")
        number = queries if isinstance(queries, int) else len(queries)
        return About(str(getattr(asked, "name", "")), str(getattr(asked, "about", "")), number, str(database))

    def pack(self, outcome: Any) -> Packed:
        """Return the fields of an outcome."""
        return _packed(outcome)

    def outcome(self, asked: Any, packed: Packed) -> Any:
        """Make an outcome of its fields."""
        return _made(self._outcome, packed)

    def ended(self, outcome: Any) -> Ended:
        """Return the fields of an outcome as text."""
        usual: dict[str, Any] = Ended(complete=True)._asdict()
        return Ended(**{name: getattr(outcome, name, value) for name, value in usual.items()})

    def values(self, asked: Any) -> Mapping[str, object]:
        """Return the plain fields of a request: the options of these keys ask for it."""
        return _packed(asked).facts


def compared(codec: Codec, asked: Any) -> list[Any]:
    """Return plain values that are the same for the same request alone."""
    packed: Packed = codec.pack_request(asked)
    return [packed.facts, {name: hashlib.sha256(array.tobytes()).hexdigest() for name, array in packed.arrays.items()}]


class Kept(NamedTuple):
    """An outcome with its request, and the run it is kept as."""

    asked: Any
    outcome: Any
    run_id: str = ""  # empty where it is not kept
    not_kept: str = ""  # why
    earlier: bool = False  # whether it was found by an earlier run, and nothing was computed now


class Resumed(NamedTuple):
    """A request that continues the run `run_id`."""

    asked: Any
    run_id: str


class PlainRuns(KindRuns):
    """The runs of a kind that declares its steps and a codec."""

    asked, result, state = LOG, RESULT, LOG

    @cached_property
    def codec(self) -> Codec:
        """The codec of the kind."""
        codec: Codec = load(self.kind.codec)
        return codec

    def ids(self) -> set[str]:
        """Return the runs of this kind: several kinds have files with this ending."""
        return {run_id for run_id in super().ids() if self._is_own(run_id)}

    def _is_own(self, run_id: str) -> bool:
        try:
            read_log(self.place(run_id, LOG), self.kind.name)
        except OSError:
            return False
        return True

    # Running

    def run(self, asked: Any, cancel: threading.Event) -> Iterator[Any]:
        """Carry out a request: its events, and `Finished` with a `Kept`; finished parts are kept after Stop.

        Raises
        ------
        Stopped
            If it was stopped before there was anything.
        SwguiError
            As the steps of the kind, or if a run is to be resumed that is active elsewhere.
        """
        resumes = asked.run_id if isinstance(asked, Resumed) else ""
        asked = asked.asked if isinstance(asked, Resumed) else asked
        log, problem = self._log(asked, resumes)
        done: Callable[[], object] = lambda: None  # noqa: E731
        try:
            if self.engine(asked)[1].on:
                outcome, done = yield from self._away(asked, cancel, log, problem)
            else:
                outcome = yield from load(self.kind.steps)(asked, cancel, log if log is not None else NO_LOG)
        except BaseException as fault:
            if log is not None and log.worth_keeping:
                log.close()
                if isinstance(fault, Stopped) and not fault.continues:
                    fault.hint = KEPT_AMONG_RUNS
            elif log is not None:
                log.delete()
            raise
        kept = self._kept(asked, outcome, log, problem)
        done()
        yield Finished(kept)

    def _away(
        self, asked: Any, cancel: threading.Event, log: Log | None, problem: str
    ) -> Generator[Any, None, tuple[Any, Callable[[], object]]]:
        """Have another computer carry out a request; return the outcome, and what to do once it is kept."""
        if log is None:
            raise RunError(problem)

        def begun() -> None:
            if not log.worth_keeping:
                log.add(AWAY)

        part, done = yield from self.carry_out_away(asked, log.path.stem, cancel, begun)
        outcome = self.codec.brought(asked, self.open_file(part).outcome)
        part.unlink()
        return outcome, done

    @property
    def travels(self) -> bool:
        """Whether another computer can carry out runs of this kind: its codec says so."""
        return type(self.codec).travelling is not Codec.travelling

    def sent(self, asked: Any) -> Packed:
        """Return a request with all that it reads."""
        if (engine := self.engine(asked)[0]) == CLUSTER.name:
            message = f"A {self.kind.noun} on another computer cannot have a cluster of this one."
            raise InvalidParameter("engine", engine, message, hint="Leave out --on, or --engine.")
        return self.codec.pack_request(self.codec.travelling(self.anew(asked)))

    def received(self, packed: Packed, find: Callable[[str, str], Path]) -> Any:
        """Return the request that another computer has sent; no file that it may name is opened, or looked for."""
        named = [*(file for value in packed.facts.values() for file in files_in(value)), packed.facts.get("split")]
        if not any(named):
            with readable("request"):
                asked = self.codec.request(packed)
            if self.codec.travelling(asked) is asked and self.engine(asked)[0] != CLUSTER.name:
                return asked
        raise RunError("The request names something of the other computer.")

    def cells(self, packed: Packed, residues: int) -> int:
        """Return the most cells that a comparison of the sent sequences computes."""
        return sum(array.size for array in packed.arrays.values() if array.dtype == np.uint8) ** 2

    def send(self, run_id: str, path: Path) -> None:
        """Write the whole result of a run to a file."""
        PlainRuns.export(self, run_id, path)

    def _log(self, asked: Any, resumes: str) -> tuple[Log | None, str]:
        """Return an open log; None if there can be none, and why."""
        if resumes:
            return Log(self.left(resumes), self.kind.name), ""
        try:
            self.folder.make()
            entry = self._entry(asked)
            return Log(self.place(new_id(), LOG), self.kind.name, entry.facts, entry.arrays), ""
        except (SwguiError, OSError) as fault:
            return None, not_kept(fault, while_it_ran=True)

    def keep(self, asked: Any, outcome: Any, run_id: str, made: str) -> None:
        """Keep an outcome that no run of this folder found, for example one of an earlier version's files.

        Parameters
        ----------
        made : str
            When; local time, ISO 8601.

        Raises
        ------
        FileNotWritten
            If it cannot be kept.
        """
        self.folder.make()
        entry = self._entry(asked, made)
        self.place(run_id, LOG).unlink(missing_ok=True)  # of a program that ended while it did this
        Log(self.place(run_id, LOG), self.kind.name, entry.facts, entry.arrays).close()
        self._save(entry, outcome, self.place(run_id, RESULT), made)

    def _entry(self, asked: Any, started: str = "") -> Entry:
        """Return the first entry of the log of a request."""
        packed, about = self.codec.pack_request(asked), self.codec.about(asked)
        facts = {"asked": packed.facts, "about": about._asdict(), "started": started or now()}
        facts["content"] = self.codec.content(asked)
        return Entry(facts, dict(packed.arrays))

    def _kept(self, asked: Any, outcome: Any, log: Log | None, problem: str) -> Kept:
        if log is None:
            return Kept(asked, outcome, not_kept=problem)
        run_id = log.path.stem
        try:
            self._save(log.asked, outcome, self.place(run_id, RESULT))
            if self.codec.ended(outcome).complete:
                log.forget()
            log.close()
            self.folder.keep_result(self.described(run_id))
        except (SwguiError, OSError) as fault:
            log.close()
            return Kept(asked, outcome, run_id, not_kept(fault))
        return Kept(asked, outcome, run_id, log.problem)

    # Kept

    def open(self, run_id: str) -> Kept:
        """Return the request and the outcome of a run.

        Raises
        ------
        RunError, RunFileError
            If there is no result, or it cannot be read.
        """
        return self.open_file(self.path(run_id))._replace(run_id=run_id)

    def open_file(self, path: Path) -> Kept:
        """Return the request and the outcome in a file that `save` wrote; `RunFileError` if it cannot be read."""
        with readable(path.stem), PackReader(path, f"a saved {self.kind.noun}") as pack, pack.watched():
            manifest = pack.manifest
            if manifest.get("format") != FORMAT or manifest.get("kind") != self.kind.name:
                raise damaged(path, f"it is no {self.kind.noun} of the format '{FORMAT}'")
            parts = [
                Packed(
                    manifest[part], {name: read_array(pack, f"{part}/{name}", *form) for name, form in listed.items()}
                )
                for part, listed in (("asked", manifest["asked_arrays"]), ("outcome", manifest["outcome_arrays"]))
            ]
            asked = self.codec.request(parts[0])
            return Kept(asked, self.codec.outcome(asked, parts[1]))

    def take_file(self, path: Path) -> str:
        """Keep the run of a file among the runs, and return its id; `RunFileError` if it cannot be read."""
        kept, run_id = self.open_file(path), new_id()
        self.keep(kept.asked, kept.outcome, run_id, str(manifest_of(path).get("finished", "")) or now())
        return run_id

    def needs(self, run_id: str) -> tuple[NeededFile, ...]:
        """Return the files that a request names."""
        with readable(run_id):
            return tuple(NeededFile(Path(place).name, place) for place in files_in(self._asked(run_id).facts["asked"]))

    def export(self, run_id: str, path: Path) -> None:
        """Write a run to a file of its own; `RunError` if it has no result, `FileNotWritten` if that fails."""
        content = self.path(run_id).read_bytes()
        save_bytes(path, lambda file: file.write(content))

    def write_file(self, asked: Any, outcome: Any, path: Path) -> None:
        """Write a request and its outcome to a file, whole or not at all; `FileNotWritten` if that is not possible."""
        self._save(self._entry(asked), outcome, path)

    def _save(self, asked: Entry, outcome: Any, path: Path, finished: str = "") -> None:
        packed = self.codec.pack(outcome)
        groups: dict[str, Arrays] = {"asked": asked.arrays, "outcome": packed.arrays}

        def write(file: Any) -> None:
            with PackWriter(file) as pack:
                manifest: dict[str, Any] = {"format": FORMAT, "kind": self.kind.name, "about": asked.facts["about"]}
                manifest |= {"started": asked.facts["started"], "asked": asked.facts["asked"]}
                manifest |= {"outcome": packed.facts, "ended": self.codec.ended(outcome)._asdict()}
                manifest["finished"] = finished or now()
                for part, arrays in groups.items():
                    listed = manifest[f"{part}_arrays"] = {}
                    for name, array in arrays.items():
                        listed[name] = [array.dtype.newbyteorder("<").str, list(array.shape)]
                        pack.array(f"{part}/{name}", array)
                pack.finish(manifest)

        save_bytes(path, write)

    def about(self, asked: Any) -> About:
        """Return the name in a list of a run with this request."""
        return self.codec.about(self.anew(asked))

    def anew(self, asked: Any) -> Any:
        """Return a request as it was before any of it was carried out."""
        return asked.asked if isinstance(asked, Resumed) else asked

    def engine(self, asked: Any) -> tuple[str, EngineOptions]:
        """Return which engine a request asks for, and with which devices and settings."""
        return super().engine(self.anew(asked))

    def resume(self, run_id: str) -> Resumed:
        """Return the request of a run that ended early; `run` of it continues. `RunError` if that is not possible."""
        self.left(run_id)
        return Resumed(self.again(run_id), run_id)

    def unfinished(self, asked: Any) -> str:
        """Return the newest run of the same work that is to be continued and not active; empty if there is none."""
        return next((record.id for record, _ in self._same_work(asked) if record.resumable), "")

    def finished(self, asked: Any, name: str) -> Kept | None:
        """Return the newest complete run of this name, with the same request and sequences; None if there is none.

        Sequences are the same if their checksum is known, now and of the run, and agrees.
        """
        for record, known in self._same_work(asked):
            if known and record.name == name and record.state == "done":
                with suppress(SwguiError):
                    return self.open(record.id)._replace(earlier=True)
        return None

    def _same_work(self, asked: Any) -> Iterator[tuple[RunRecord, bool]]:
        """Yield runs of the same request, newest first, and whether they are known to be of the same sequences.

        Active runs, and those that are known to be of other sequences, are left out.
        """
        wanted, content = compared(self.codec, asked), self.codec.content(asked)
        for run_id in sorted(self.ids(), reverse=True):
            with suppress(SwguiError, OSError):
                entry, idle = self._asked(run_id), not in_use(self.place(run_id, LOG))
                then = entry.facts.get("content", "")
                known = bool(content and then)
                if not idle or (known and then != content):
                    continue
                if compared(self.codec, self._request(run_id, entry)) == wanted:
                    yield self.record(run_id), known

    def again(self, run_id: str) -> Any:
        """Return the request of a run; `RunError` if it cannot be made again."""
        return self._request(run_id, self._asked(run_id))

    def _asked(self, run_id: str) -> Entry:
        with readable(run_id):
            return read_log(self.place(run_id, LOG), self.kind.name)[0]

    def _request(self, run_id: str, entry: Entry) -> Any:
        with readable(run_id):
            return self.codec.request(Packed(entry.facts["asked"], entry.arrays))

    def described(self, run_id: str) -> RunRecord:
        """Return the entry in a list of a run with a result."""
        with readable(run_id), PackReader(self.path(run_id), f"a saved {self.kind.noun}") as pack:
            manifest = pack.manifest
            ended = Ended(**manifest["ended"])
            reason = "" if ended.complete else ended.reason or STOPPED
            ended = ended._replace(fraction=min(ended.fraction, MAX_UNFINISHED), reason=reason)
            return self.line(
                run_id, About(**manifest["about"]), ended, str(manifest["started"]), str(manifest["finished"])
            )

    def interrupted(self, run_id: str) -> RunRecord:
        """Return the entry in a list of a run whose program ended while it ran."""
        with readable(run_id):
            entry, _ = read_log(self.place(run_id, LOG), self.kind.name)
            reason = f"The {self.kind.noun} was stopped, or the program ended, before there was a result."
            ended, started = Ended(complete=False, fraction=0.0, reason=reason), str(entry.facts["started"])
            about, on = About(**entry.facts["about"]), self.engine(self._request(run_id, entry))[1].on
            return self.line(run_id, about, ended, started or started_by_id(run_id), state="interrupted", on=on)

    def with_journal_progress(self, record: RunRecord) -> RunRecord:
        """Return the run itself: how far its log is beyond its result, only its steps know."""
        return record


def files_in(facts: object) -> Iterator[str]:
    """Yield the files of sequences in the plain values of a request, each once, as `packed_place` writes them."""
    if isinstance(facts, Mapping):
        if isinstance(place := facts.get("file"), str) and place:
            yield place
        for value in facts.values():
            yield from files_in(value)


def kind_of_file(path: Path) -> str:
    """Return the kind of the run that a file has the result of; empty if it is no such file."""
    manifest = manifest_of(path)
    return str(manifest.get("kind", "")) if manifest.get("format") == FORMAT else ""


def _packed(record: Any) -> Packed:
    """Return the fields of a record, arrays apart."""
    values = {name: getattr(record, name) for name in _fields(type(record))}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    return Packed({name: plain(value) for name, value in values.items() if name not in arrays}, arrays)


def _made(kind: type, packed: Packed) -> Any:
    """Make a record of its fields; `ValueError` if they do not fit."""
    hints = get_type_hints(kind)
    known = [name for name in _fields(kind) if name in packed.facts or name in packed.arrays]
    values = {
        name: packed.arrays[name] if name in packed.arrays else from_plain(hints[name], packed.facts[name])
        for name in known
    }
    return kind(**values)


def _fields(kind: type) -> tuple[str, ...]:
    names = getattr(kind, "__struct_fields__", None) or tuple(getattr(kind, "__dataclass_fields__", ()))
    return tuple(names)


def read_array(pack: PackReader, name: str, dtype: str, shape: list[int]) -> NDArray[Any]:
    """Read an array of a run's file, of the form that its manifest says; `ValueError` if it holds Python's objects."""
    if np.dtype(dtype).hasobject:
        raise ValueError(name)
    return pack.array(name, dtype, tuple(shape))
