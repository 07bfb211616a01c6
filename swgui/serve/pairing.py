"""Rows of one organism side by side: with two chains at least (greedy), or with all of them (complete)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swgui.core.profiles.alignment import AlignedRow, MasterAlignment
from swgui.core.profiles.msa import paired


@dataclass(frozen=True, slots=True)
class PairedRows:
    """Rows of several chains in step."""

    # Rows of each chain, the same number for all; None where an organism has none
    rows: tuple[tuple[AlignedRow | None, ...], ...]
    organisms: tuple[str, ...] = ()  # number in the taxonomy, or name, of each row; the best joint E first
    common: int = 0  # organisms with rows of two chains or more
    unnamed: tuple[int, ...] = ()  # rows of each chain of no known organism


def pair_rows(
    chains: Sequence[MasterAlignment], organisms: Mapping[str, str], *, complete: bool, most: int
) -> PairedRows:
    """Pair the rows of different chains.

    Parameters
    ----------
    organisms : mapping of str to str
        By the names of rows; rows without one have no partners.
    complete : bool
        Whether an organism counts only if all chains have a row of it.
    most : int
        Organisms at most.
    """
    if len(chains) < 2:
        return PairedRows(((),) * len(chains))
    found = paired(chains, lambda row: organisms.get(row.id, ""))
    chosen = [
        (name, rows)
        for name, rows in zip(found.organisms, found.pairs, strict=True)
        if not complete or None not in rows
    ][:most]
    columns = tuple(zip(*(rows for _, rows in chosen), strict=True)) or ((),) * len(chains)
    unnamed = tuple(sum(row.id not in organisms for row in chain.rows[1:]) for chain in chains)
    return PairedRows(columns, tuple(name for name, _ in chosen), len(found.pairs), unnamed)
