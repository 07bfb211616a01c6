"""Everything there is to say about one database: facts, lengths, and what was changed when it was read. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.headers import parse_header
from swgui.core.organisms.subjects import describe_organisms
from swgui.core.words import count
from swgui.gui.databases.rows import STATES, DatabaseRow, day_and_time
from swgui.gui.words.formatting import file_size
from swgui.gui.words.wording import KIND_NAMES, LETTERS
from swgui.io.database.file import database_facts, open_database, stored_report
from swgui.io.sequences.report import ReadReport

BINS = 48
LONGEST = 3  # sequences named
SOURCES = 6  # files named


@dataclass(frozen=True, slots=True, eq=False)
class LengthFigure:
    """How the lengths of sequences are spread.

    Parameters
    ----------
    counts : ndarray, shape=(bins,), dtype=int64
    """

    edges: NDArray[np.int64]  # a bin holds the lengths from its edge up to, but not with, the next one
    counts: NDArray[np.int64]
    median: int
    longest: int
    unit: str  # ``residue`` or ``base``


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """What the page shows of the chosen database."""

    facts: list[tuple[str, str]]  # name and text
    lengths: LengthFigure | None = None  # none if there are no two lengths to compare
    report: ReadReport | None = None  # none if the database cannot be read


def describe_database(row: DatabaseRow, gpu_memory: int, gpu_bytes_per_residue: int) -> Details:
    """Gather what there is to say; opens the file, so call it from a worker.

    Parameters
    ----------
    gpu_memory : int
        Bytes, 0 without a GPU.

    Raises
    ------
    DatabaseError
        If the file cannot be read any more.
    """
    if row.known is None:
        state = STATES[row.state].meaning
        return Details([("State", row.reason if row.state == "unreadable" else state), ("File", str(row.path))])
    facts = database_facts(row.file)
    database = open_database(row.file)
    report = stored_report(row.file)
    unit = LETTERS[facts.alphabet.name]
    lengths = np.diff(database.offsets)  # longest first
    told = [
        ("State", row.reason or STATES[row.state].meaning),
        (
            "Content",
            f"{count(facts.sequences, f'{KIND_NAMES[facts.alphabet.name]} sequence')}, {count(facts.residues, unit)}",
        ),
    ]
    if len(lengths):
        told.append(("Lengths", _spread(lengths, unit)))
    if len(lengths) > 1:
        told.append(("Longest", _longest(database, lengths)))
    if database.stored_organisms is not None:
        told.append(("Organisms", describe_organisms(database.stored_organisms)))
    told.append(("Reading", _reading(report)))
    told.append(("Made", f"{day_and_time(facts.made)} by {facts.program}"))
    sources = row.known.sources
    for number, source in enumerate(sources[:SOURCES]):
        more = f" and {len(sources) - SOURCES:,} more" if number == SOURCES - 1 and len(sources) > SOURCES else ""
        told.append(("Source" if not number else "", f"{source}{'' if source.exists() else ' (gone)'}{more}"))
    told.append(("File", f"{row.file} ({file_size(facts.size)})"))
    told.append(("Checksum", facts.checksum))
    if gpu_memory:
        fits = facts.residues * gpu_bytes_per_residue < gpu_memory
        told.append(("GPU", "fits the GPU's memory" if fits else "larger than the GPU's memory: sent in parts"))
    return Details(told, length_figure(lengths, unit), report)


def length_figure(lengths: NDArray[np.int64], unit: str) -> LengthFigure | None:
    """Count lengths in bins that grow by a constant factor, as far as whole numbers allow."""
    known = lengths[lengths > 0]
    low, high = int(known.min(initial=2**62)), int(known.max(initial=0))
    if low >= high:
        return None
    edges = np.unique(np.rint(np.geomspace(low, high + 1, BINS + 1)).astype(np.int64))
    counts, _ = np.histogram(known, bins=edges)
    return LengthFigure(edges, counts.astype(np.int64), int(np.median(known)), high, unit)


def _spread(lengths: NDArray[np.int64], unit: str) -> str:
    if lengths[0] == lengths[-1]:
        return f"{'all of ' if len(lengths) > 1 else ''}{count(int(lengths[0]), unit)}"
    half = int(lengths[np.searchsorted(np.cumsum(lengths), lengths.sum() / 2)])
    return (
        f"{int(lengths[-1]):,} to {count(int(lengths[0]), unit)}, median {int(np.median(lengths)):,}; "
        f"half of all {unit}s are in sequences of {half:,} or longer"
    )


def _longest(database: EncodedDatabase, lengths: NDArray[np.int64]) -> str:
    named = []
    for at in range(min(LONGEST, len(lengths))):
        index = int(database.order[at])
        name = parse_header(database.ids[index], database.descriptions[index]).name
        named.append(f"{name or 'without a name'} ({int(lengths[at]):,})")
    return ", ".join(named)


def _reading(report: ReadReport) -> str:
    remarks = sum(report.counts.values())
    found = f"{count(remarks, 'remark')}, see the input report" if remarks else "nothing was changed"
    return f"{report.format}; {found}" if report.format else found
