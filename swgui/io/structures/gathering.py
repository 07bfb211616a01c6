"""From folders, archives and files of structures to their chains: on all cores, resumed where it was stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from swgui.core.errors import SequenceError
from swgui.core.records import Remark
from swgui.core.structures.chain import Chain
from swgui.core.words import count
from swgui.io.sequences.report import ReadReport
from swgui.io.structures.journal import Journal
from swgui.io.structures.members import Member, members
from swgui.io.structures.naming import is_archive_name
from swgui.io.structures.pool import BATCH, read_members

Progress = Callable[[int, int], None]  # told how many files were read, and of how many; 0 where that is not known


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
    told : callable, optional
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
    found = members(sources, said.append)
    total = 0
    if not any(is_archive_name(source) for source in sources):  # archives are walked through while they are read
        found = iter(every := list(found))
        total = len(every)
    unread = _unread(found, journal, order)
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


def _unread(found: Iterator[Member], journal: Journal, order: list[str]) -> Iterator[Member]:
    """Pass on what the journal lacks; put the keys of all into `order`."""
    for member in found:
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
        for note in outcome.notes:
            report.add(Remark("note", note))
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
