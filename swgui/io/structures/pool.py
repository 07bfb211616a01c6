"""Reading many structure files on all cores, in order."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Final, TypeAlias

from swgui.io.structures.members import Member
from swgui.io.structures.processes import OwnContext
from swgui.io.structures.reading import StructureFile, explained, read_structure

BATCH: Final = 32  # files handed to a process at a time
_WORTH_PROCESSES: Final = 256  # files; starting processes takes as long as reading some hundred
_IN_FLIGHT: Final = 3  # batches for each process

Outcome: TypeAlias = "tuple[Member, StructureFile | str]"  # what was read, or why nothing could be


def read_member(member: Member) -> StructureFile | str:
    """Return what was read of a file, or in a sentence why it cannot be read."""
    chain, model = (member.choice.chain, member.choice.model) if member.choice else ("", 0)
    try:
        return read_structure(member.read(), member.name, chain, model)
    except OSError as fault:
        return f"'{member.name}' cannot be read: {fault.strerror or fault}."
    except Exception as fault:  # a file in thousands may break a parser in a way that nobody foresaw
        return explained(fault)


def read_members(found: Iterator[Member], check: Callable[[], None], processes: int = 0) -> Iterator[Outcome]:
    """Read structure files, in their order.

    Parameters
    ----------
    found : iterator of Member
    check : callable
        Called between batches; what it raises ends the reading.
    processes : int
        0 for as many as there are cores; 1 for none besides this one.

    Yields
    ------
    Outcome
    """
    first = list(islice(found, _WORTH_PROCESSES if processes != 1 else 0))
    processes = processes or cores()
    batches = _batches(first, found)
    if processes > 1 and len(first) == _WORTH_PROCESSES and _can_start():
        yield from _in_processes(batches, check, processes)
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


def _in_processes(batches: Iterator[list[Member]], check: Callable[[], None], processes: int) -> Iterator[Outcome]:
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
                waiting = deque((each, pool.submit(_read_batch, each)) for each, _ in waiting)
            yield from zip(batch, read, strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, OwnContext(), signal.signal, (signal.SIGINT, signal.SIG_IGN))


def _can_start() -> bool:
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
