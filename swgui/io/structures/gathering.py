"""From folders, archives and files of structures to their chains: on all cores, resumed where it was stopped."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from swgui.core.errors import SequenceError
from swgui.core.records import Remark
from swgui.core.structures.chain import Chain
from swgui.core.words import count
from swgui.io.read_report import ReadReport
from swgui.io.structures.journal import Journal
from swgui.io.structures.members import Member, members
from swgui.io.structures.naming import is_archive_name
from swgui.io.structures.reading import StructureFile, explained, read_structure

_HIDING = threading.Lock()
BATCH: Final = 32  # files handed to a process at a time
_WORTH_PROCESSES: Final = 256  # files; starting processes takes as long as reading some hundred
_IN_FLIGHT: Final = 3  # batches for each process
Outcome: TypeAlias = "tuple[Member, StructureFile | str]"  # the content, or why reading failed
Progress = Callable[[int, int], None]  # called with the number of files read, and of all; 0 if unknown


class _Process(SpawnProcess):
    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - the name that multiprocessing calls
        with _no_main():
            return SpawnProcess._Popen(process_obj)


class OwnContext(SpawnContext):
    """Starts processes anew, so that no lock of another thread is in them, and without the script of the caller."""

    Process = _Process


@contextmanager
def _no_main() -> Iterator[None]:
    """Let a process that is started now find no main script to run again."""
    with _HIDING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def read_member(member: Member) -> StructureFile | str:
    """Return the chains of a file, or a sentence on why it cannot be read."""
    chain, model = (member.choice.chain, member.choice.model) if member.choice else ("", 0)
    try:
        return read_structure(member.read(), member.name, chain, model)
    except OSError as fault:
        return f"'{member.name}' cannot be read: {fault.strerror or fault}."
    except Exception as fault:  # a file in thousands may break a parser in an unforeseen way
        return explained(fault)


def read_members(members: Iterator[Member], check: Callable[[], None], processes: int = 0) -> Iterator[Outcome]:
    """Read structure files, in their order.

    Parameters
    ----------
    check : callable
        Called between batches; what it raises ends the reading.
    processes : int
        0 for as many as there are cores; 1 for none besides this one.

    Yields
    ------
    Outcome
    """
    first = list(islice(members, _WORTH_PROCESSES if processes != 1 else 0))
    processes = processes or cores()
    batches = _batches(first, members)
    if processes > 1 and len(first) == _WORTH_PROCESSES and can_start():
        yield from in_processes(batches, check, processes)
        return
    for batch in batches:
        for member in batch:
            check()
            yield member, read_member(member)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batches(first: list[Member], rest: Iterator[Member]) -> Iterator[list[Member]]:
    for start in range(0, len(first), BATCH):
        yield first[start : start + BATCH]
    while batch := list(islice(rest, BATCH)):
        yield batch


def _read_batch(batch: list[Member]) -> list[StructureFile | str]:
    return [read_member(member) for member in batch]


def in_processes(batches: Iterator[list[Member]], check: Callable[[], None], processes: int) -> Iterator[Outcome]:
    """Yield the structures of batches, read by several processes, in their order."""
    waiting: deque[tuple[list[Member], Future[list[StructureFile | str]]]] = deque()
    pool = _pool(processes)
    try:
        while True:
            for batch in islice(batches, _IN_FLIGHT * processes - len(waiting)):
                waiting.append((batch, pool.submit(_read_batch, batch)))
            if not waiting:
                return
            check()
            batch, future = waiting.popleft()
            try:
                read = future.result()
            except BrokenProcessPool:
                pool.shutdown(wait=False, cancel_futures=True)
                read = _one_by_one(batch)
                pool = _pool(processes)
                waiting = deque((batch, pool.submit(_read_batch, batch)) for batch, _ in waiting)
            yield from zip(batch, read, strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, OwnContext(), signal.signal, (signal.SIGINT, signal.SIG_IGN))


def can_start() -> bool:
    """Whether processes can be started here."""
    with _pool(1) as pool:
        try:
            return pool.submit(int).result() == 0
        except BrokenProcessPool:
            return False


def _one_by_one(batch: list[Member]) -> list[StructureFile | str]:
    """Read a batch of which a file ends the process that reads it, each file in a process of its own."""
    read: list[StructureFile | str] = []
    for member in batch:
        with _pool(1) as pool:
            try:
                read += pool.submit(_read_batch, [member]).result()
            except BrokenProcessPool:
                read.append(f"'{member.name}' ended the process that read it.")
    return read


def gather(
    sources: Sequence[str | os.PathLike[str]],
    journal: Journal,
    report: ReadReport,
    *,
    told: Progress | None = None,
    check: Callable[[], None] = lambda: None,
    processes: int = 0,
) -> Iterator[Chain]:
    """Read structures and yield their chains in the order of the sources.

    Parameters
    ----------
    sources : sequence of paths
        As for `members`.
    journal : Journal
        Files it holds are not read again.
    report : ReadReport
        Gets a remark for each file that is left out, and for what was noticed.
    check : callable
        Called every now and then; what it raises ends the reading, and the journal keeps what was read.
    processes : int
        0 for as many as there are cores.

    Raises
    ------
    SequenceError
        If no file has a chain of protein.
    """
    order: list[str] = []
    said: list[str] = []
    files = members(sources, said.append)
    total = 0
    if not any(is_archive_name(source) for source in sources):  # archives are walked through while they are read
        files = iter(every := list(files))
        total = len(every)
    unread = _unread(files, journal, order)
    if told is not None:
        told(len(journal), total)
    for number, (member, outcome) in enumerate(read_members(unread, check, processes), 1):
        journal.add(member.key, outcome)
        if number % BATCH == 0:
            journal.flush()
            if told is not None:
                told(len(order), total)
    journal.flush()
    for text in said:
        report.add(Remark("note", text))
    yield from _chains(order, journal, report, sources, check)


def _unread(members: Iterator[Member], journal: Journal, order: list[str]) -> Iterator[Member]:
    """Pass on what the journal lacks; put the keys of all into `order`."""
    for member in members:
        order.append(member.key)
        if member.key not in journal.read:
            yield member


def _chains(
    order: list[str],
    journal: Journal,
    report: ReadReport,
    sources: Sequence[str | os.PathLike[str]],
    check: Callable[[], None],
) -> Iterator[Chain]:
    yielded, fault = 0, ""
    for key in order:
        check()
        outcome = journal.get(key)
        if isinstance(outcome, str):
            fault = fault or outcome
            report.add(Remark("unread", outcome))
            continue
        for remark in outcome.remarks:
            report.add(Remark("note", remark))
        yield from outcome.chains
        yielded += len(outcome.chains)
    if not yielded:
        journal.remove()  # there is nothing to continue with
        where = ", ".join(f"'{Path(source).name}'" for source in sources[:3])
        if order:
            raise SequenceError(
                f"No chain of protein was read from {where}: {count(len(order), 'file')} left out. {fault}"
            )
        hint = "Structures are files with names like 1tim.pdb, 1tim.cif.gz, or tar archives of them."
        raise SequenceError(f"There is no structure in {where}.", hint=hint)
