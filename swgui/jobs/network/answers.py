"""Answers of leaks, judgements, splits and clusters: the sentences of the outcome, and numbers that choose its rows.

The numbers refer to columns of their own (`columns_of`): the table may count identity in another way than the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.answer import Answer, Count, Line, Where
from swgui.core.network.measures import TINY
from swgui.core.network.splitting import DROPPED
from swgui.jobs.network.grouping import ClusterOutcome, JudgeOutcome, SplitOutcome
from swgui.jobs.network.leak import LeakOutcome

IDENTITY: Final = "identity"  # percent of the nearest training sequence; below 0 without one
PARTED: Final = "parted"  # 1 for similar pairs in two clusters, 0 for others
PART: Final = "part"  # its number
SIZE: Final = "size"  # of the cluster


def leak_answer(outcome: LeakOutcome, asked: object = None) -> Answer:
    """Return how many test sequences have a neighbour, and how many one of at least some identities."""
    leaks, found = outcome.leaks, outcome.found
    steps = [
        Count(f"{step} %", number, (Where(IDENTITY, least=step - 100 * TINY),))
        for step, number in leaks.counts().items()
    ]
    none = Count("no neighbour", len(leaks.order) - found, (Where(IDENTITY, most=-1),))
    return _answer(outcome.sentences, [*steps, Count("any neighbour", found, (Where(IDENTITY, least=0),)), none])


def judge_answer(outcome: JudgeOutcome, asked: object = None) -> Answer:
    """Return how many pairs are parted or joined wrongly."""
    parted = Count("parted", outcome.parted, (Where.equal(PARTED, 1),))
    joined = Count("joined", outcome.found - outcome.parted, (Where.equal(PARTED, 0),))
    return _answer(outcome.sentences, [parted, joined])


def split_answer(outcome: SplitOutcome, asked: object = None) -> Answer:
    """Return how many sequences are in each part."""
    sizes = [Count(name, int((outcome.part == number).sum()), (Where.equal(PART, number),))
             for number, name in enumerate(outcome.names)]  # fmt: skip
    left = Count("left out", len(outcome.part) - outcome.found, (Where.equal(PART, DROPPED),))
    return _answer(outcome.sentences, [*sizes, left])


def cluster_answer(outcome: ClusterOutcome, asked: object = None) -> Answer:
    """Return how many clusters there are, and how many sequences are alone."""
    alone = int((columns_of(outcome)[SIZE] == 1).sum())
    together = Count("in a cluster with others", len(outcome.named.names) - alone, (Where(SIZE, least=2),))
    return _answer(outcome.sentences, [together, Count("alone", alone, (Where(SIZE, most=1),))])


def columns_of(outcome: Any) -> Mapping[str, NDArray[Any]]:
    """Return the columns that the numbers of an answer refer to, shape (rows,) each, in the order of its table."""
    match outcome:
        case LeakOutcome():
            leaks, known = outcome.leaks, outcome.leaks.nearest >= 0
            percent = np.full(len(known), -1.0)
            percent[known] = 100 * leaks.identity[leaks.nearest[known]]
            return {IDENTITY: percent}
        case JudgeOutcome():
            return {PARTED: (np.arange(outcome.found) < outcome.parted).astype(np.int64)}
        case SplitOutcome():
            return {PART: outcome.part}
        case ClusterOutcome():
            numbers = np.array([number for number, _, _ in outcome.named.rows()], dtype=np.int64)
            return {SIZE: np.bincount(numbers)[numbers]}
    return {}


def _answer(sentences: Sequence[str], counts: Sequence[Count]) -> Answer:
    first, *others = sentences
    numbers = (tuple(counts), *[()] * len(others))
    return Answer(first, tuple(Line("", said, own) for said, own in zip(others, numbers, strict=False)))
