"""The nearest training sequence of each test sequence, and what that says of a split."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.network.edges import STRANDS_SAID, TINY, Edges, PairLimit, lengths_of
from swgui.core.table import Table
from swgui.core.words import count
from swgui.io.cells import sequence_names
from swgui.io.network.tables import EdgeRows, NearestRows, nearest_table
from swgui.jobs.network.pairs import AllPairs

STEPS: Final = (100, 95, 90, 80, 70, 50, 40, 30)  # percent identity
SURE: Final = 1e-3  # up to this E an alignment is no chance, whatever it covers


@dataclass(frozen=True, slots=True, eq=False)
class Leaks:
    """Test sequences with their nearest training sequences, the most identical first.

    Parameters
    ----------
    test, train : EncodedDatabase
    order : ndarray, shape=(N,), dtype=int64
        Test sequences by source index; those without a relative last.
    nearest : ndarray, shape=(N,), dtype=int64
        For each of them, in this order, its row of `edges`; -1 without a relative.
    edges : Edges
        All relatives: the first sequence is one of the test, the second one of the training.
    identity, coverage : ndarray, shape=(n,), dtype=float64
        Of all edges, by the measures of `limit`.
    strands : {"", "both", "plus"}
        Of nucleotides those that were compared.
    """

    test: EncodedDatabase = field(repr=False)
    train: EncodedDatabase = field(repr=False)
    order: NDArray[np.int64] = field(repr=False)
    nearest: NDArray[np.int64] = field(repr=False)
    edges: Edges = field(repr=False)
    identity: NDArray[np.float64] = field(repr=False)
    coverage: NDArray[np.float64] = field(repr=False)
    limit: PairLimit
    strands: str = ""

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Names of the sequences of testing and of training in files (`sequence_names`)."""
        return sequence_names(self.test.ids), sequence_names(self.train.ids)

    def counts(self) -> dict[int, int]:
        """Return how many test sequences have a relative of at least so many percent identity."""
        of_nearest = 100 * self.identity[self.nearest[self.nearest >= 0]]
        return {step: int((of_nearest >= step - 100 * TINY).sum()) for step in STEPS}

    def table(self) -> Table[NearestRows]:
        """Return every test sequence with its nearest training sequence."""
        tested, _ = names = self.names
        found, lengths = self.nearest >= 0, (self.test.lengths, self.train.lengths)
        edges = self.edges.take(self.nearest[found])
        rows = EdgeRows(edges, names, lengths, np.full(len(edges), np.nan), self.strands)
        return nearest_table(NearestRows([tested[index] for index in self.order.tolist()], found, rows))

    def summary(self) -> list[str]:
        """Say what it shows, a sentence each."""
        related = int((self.nearest >= 0).sum())
        total = count(len(self.order), "test sequence has", "test sequences have")
        steps = ", ".join(f"{number:,} at {step} %" for step, number in self.counts().items())
        sure = int((self.edges.log10_evalues[self.nearest[self.nearest >= 0]] <= np.log10(SURE)).sum())
        among = count(len(self.train), "training sequence")
        return [
            f"{related:,} of {total} a neighbour among {among}{STRANDS_SAID[self.strands]}; {sure:,} with E up to "
            f"{SURE:g}.",
            f"Test sequences with a training sequence of at least so much identity: {steps}.",
        ]


def nearest_of(asked: AllPairs, edges: Edges, limit: PairLimit) -> Leaks:
    """Find the nearest training sequence of each test sequence.

    That is the most identical one among those that reach the limit; of equals that with the better score, then the
    first.

    Parameters
    ----------
    asked : AllPairs
        Its queries are those of the test, its subjects those of the training.
    edges : Edges
        What came of it.
    """
    test, train = asked.queries, asked.subjects
    lengths = lengths_of(edges, test.lengths, train.lengths)
    identity, coverage = limit.values(edges, lengths)
    order = np.lexsort((edges.second, -edges.scores.astype(np.int64), -identity, edges.first))
    order = order[limit.reached(edges, lengths)[order]]
    nearest = np.full(len(test), -1, dtype=np.int64)
    first, rows = np.unique(edges.first[order], return_index=True)
    nearest[first] = order[rows]
    known = nearest >= 0
    value = np.full(len(test), -1.0)
    value[known] = identity[nearest[known]]
    ranked = np.lexsort((np.arange(len(test)), -value))
    return Leaks(test, train, ranked, nearest[ranked], edges, identity, coverage, limit, asked.compared)
