"""The bottleneck of a search of a packed file, its drive or computing, and up to how many queries at a time."""

from __future__ import annotations

from typing import Final

from swgui.core.database import EncodedDatabase
from swgui.core.words import count, file_size
from swgui.io.database.packed.database import PackedDatabase
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.opening import bytes_in_memory, fits_memory
from swgui.io.database.packed.reading import BlockReader
from swgui.jobs.search.estimate import Calibration, all_remembered
from swgui.jobs.search.opening import on_gpus_in_blocks

QUERY: Final = 400  # residues of the query that is spoken of


def on_disk(file: PackedFile) -> str:
    """Return the size of a packed file, and whether a search keeps it in memory, in words."""
    facts, size = file.header.facts, file.header.size
    kept = "kept in memory" if fits_memory(facts) else "read block by block"
    if fits_memory(facts) and on_gpus_in_blocks(facts):
        kept += ", on a GPU read block by block"
    each = f", {size / facts.residues:.2f} bytes a residue" if facts.residues else ""
    needed = file_size(bytes_in_memory(facts))
    return f"{file_size(size)}{each}, {count(len(file), 'block')}; in a search {kept} ({needed})"


def what_waits(file: PackedFile) -> str:
    """Return the seconds a pass over a file takes from its drive, measured now, and those of computing, in words."""
    with BlockReader(file, direct=True) as reader:
        rate = reader.rate()
    if not rate:
        return "nothing to read"
    reading = file.header.size / rate
    told = f"{_seconds(reading)} from the drive at {file_size(rate)}/s, measured now"
    known = min(all_remembered(), key=lambda one: one.rate(QUERY), default=None)
    if known is None:
        return f"{told}; the speed of this computer is not known before its first search in the window"
    return f"{told}; {_beside(reading, known, file.header.facts.residues)}"


def waits_of(database: EncodedDatabase) -> str:
    """Return the bottleneck of a search of a database read block by block; empty if it is in memory."""
    read = [member for member in database.members if isinstance(member, PackedDatabase)]
    each = [
        f"{file_size(member.blocks.file.header.size)}, read block by block: {what_waits(member.blocks.file)}"
        for member in read
    ]
    return "; ".join(f"{one.name}: {text}" if len(read) > 1 else text for one, text in zip(read, each, strict=True))


def _beside(reading: float, known: Calibration, residues: int) -> str:
    computing = (known.per_query + residues * known.rate(QUERY)) * known.factor
    one = f"a query of {QUERY} residues computes for {_seconds(computing)} ('{known.engine}')"
    if computing >= reading:
        return f"{one}, so that no search waits for the drive"
    return (
        f"{one}: searches wait for the drive, up to {count(int(reading / computing) + 1, 'query', 'queries')} at a time"
    )


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 100 else f"{value / 60:,.0f} min"
