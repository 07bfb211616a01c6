"""Pairs of columns that vary together: their choice, their E, and what they say of a structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil, e, log10
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.covariation.alignment import ABSENT, BaseAlignment
from swgui.core.covariation.alone import LoneColumns, Tree, substitutions
from swgui.core.covariation.scores import PAIRED, Count, classes_for, pair_scores
from swgui.core.covariation.settings import CovariationSettings
from swgui.core.errors import ProfileError
from swgui.core.words import count

CLOSE: Final = 0.2  # rows that differ in at most this share of their columns count once together
REWEIGHTED: Final = 2  # trees, each by columns that are weighed by the one before
SLOWNESS: Final = 1.5  # a column weighs its changes and one to this power, inverted
ENOUGH: Final = 20  # effective rows; less are too few to tell
MAX_ROWS, MAX_COLUMNS = 10_000, 5_000  # that are compared
MIN_COLUMNS: Final = 4
NULL_PAIRS: Final = 400_000  # pairs of columns that change alone, about
MAX_COPIES: Final = 100
NULL_COLUMNS: Final = 400  # at most, of each copy
PIECE: Final = 1 << 20  # scores whose chance is found between two checks
TAIL: Final = 0.002  # share of these pairs to whose scores an exponential is fitted
LIMITS: Final = (
    "Columns share changes by descent, too. E assumes that each column changes alone along a tree that joins every row "
    "to its nearest one. In 360 simulated families without pairs, 0.03 a family had E up to 0.05, and 0.17 where rows "
    "with gaps form clades far apart. Columns without changes tell neither for nor against a pair."
)

# States of a pair.
SUPPORTED, NEW, CONTRADICTED, UNCHANGED, OPEN, GAPPED = (
    "supported", "new", "contradicted", "unchanged", "open", "not compared",
)  # fmt: skip
STATES: Final = {
    SUPPORTED: "its columns vary together",
    CONTRADICTED: "a column of it varies with another column instead, or most rows cannot pair there",
    UNCHANGED: "a column of it never changes, so nothing is known",
    OPEN: "its columns change, and not together so far as these rows tell",
    GAPPED: "too many rows have gaps in one of its columns",
    NEW: "its columns vary together, and no structure that was given has the pair",
}

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Codes = NDArray[np.uint8]


class Compiled(Protocol):
    """Work with each pair of rows or columns (`swgui.engines.native.covariation.RowsOfBases`)."""

    def distinct(self, codes: _Codes, close: float, most: int, check: Check) -> _Ints:
        """Rows farther than a distance from each kept row above them, at most so many."""
        ...

    def join(self, codes: _Codes, weights: _Floats, close: float, check: Check) -> Tree:
        """Tree of rows by columns of these weights; rows that are at most so far apart are neighbours."""
        ...

    def counter(self, codes: _Codes, weights: _Floats) -> Count:
        """Counter of pairs of bases of rows with weights."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ListedPairs:
    """Pairs of columns, the least E first.

    Parameters
    ----------
    left, right : ndarray, shape=(pairs,), dtype=int64
        Columns of the alignment, from 0.
    scores, log10_evalues : ndarray, shape=(pairs,)
        NaN for pairs that were not compared.
    changes : ndarray, shape=(pairs, 2), dtype=int64
        Substitutions of both columns: edges of the tree with different bases at their ends.
    rows, paired : ndarray, shape=(pairs,), dtype=int64
        Compared rows with bases in both columns, and those of them whose bases pair (AU, CG, GU).
    states : tuple of str
        One of `STATES` each.
    """

    left: _Ints
    right: _Ints
    scores: _Floats
    log10_evalues: _Floats
    changes: _Ints
    rows: _Ints
    paired: _Ints
    states: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.left)

    def and_gapped(self, pairs: _Ints) -> ListedPairs:
        """Pairs with those behind them that were not compared, shape (k, 2)."""
        nan, zeros = np.full(len(pairs), np.nan), np.zeros((len(pairs), 2), dtype=np.int64)
        return ListedPairs(
            np.concatenate([self.left, pairs[:, 0]]),
            np.concatenate([self.right, pairs[:, 1]]),
            np.concatenate([self.scores, nan]),
            np.concatenate([self.log10_evalues, nan]),
            np.concatenate([self.changes, zeros]),
            np.concatenate([self.rows, zeros[:, 0]]),
            np.concatenate([self.paired, zeros[:, 0]]),
            (*self.states, *[GAPPED] * len(pairs)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Covariation:
    """Pairs of columns of an alignment that vary together, and all pairs of its structure.

    Parameters
    ----------
    alignment : BaseAlignment
    settings : CovariationSettings
    rows : int
        Rows that were compared: without near copies.
    effective_rows : float
        Of them, where close ones count once together.
    columns : ndarray, shape=(compared,), dtype=int64
        Columns that were compared, from 0.
    classes : int
        Classes of pairs of bases: 16, or paired and unpaired.
    copies : int
        Alignments of columns that change alone.
    pairs : ListedPairs
    """

    alignment: BaseAlignment
    settings: CovariationSettings
    rows: int
    effective_rows: float
    columns: _Ints
    classes: int
    copies: int
    pairs: ListedPairs = field(repr=False)

    @property
    def enough(self) -> bool:
        """True if there are rows enough to tell."""
        return self.effective_rows >= ENOUGH

    @property
    def tested(self) -> int:
        """Pairs of columns that were compared."""
        return len(self.columns) * (len(self.columns) - 1) // 2

    def number(self, state: str) -> int:
        """Return the number of pairs in a state."""
        return self.pairs.states.count(state)

    def sentences(self) -> Iterator[str]:
        """Yield the outcome: what was found, in what, and what it cannot tell."""
        found = self.number(SUPPORTED) + self.number(NEW)
        of = f"of {count(self.tested, 'pair')} of columns"
        yield f"{self.alignment.name}: {found:,} {of} vary together at E <= {self.settings.evalue:g}."
        if self.alignment.partners is not None:
            parts = [f"{self.number(state):,} {state}" for state in STATES if state != NEW and self.number(state)]
            given = f"The structure has {count(len(self.alignment.pairs), 'pair')}"
            yield f"{': '.join([given, *([', '.join(parts)] if parts else [])])}; {self.number(NEW):,} others."
        yield (
            f"{count(self.rows, 'row')} of {len(self.alignment.ids):,} compared ({self.effective_rows:.1f} effective), "
            f"{count(len(self.columns), 'column')} of {self.alignment.codes.shape[1]:,}."
        )
        if not self.enough:
            yield (
                f"{self.effective_rows:.1f} effective rows are too few to tell: {ENOUGH} or more are needed, so that "
                "pairs that are not listed may well exist."
            )
        yield LIMITS


def find_pairs(
    alignment: BaseAlignment,
    settings: CovariationSettings,
    compiled: Compiled,
    check: Check = lambda: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Covariation:
    """Find the pairs of columns that vary together.

    Parameters
    ----------
    compiled : Compiled
    check : callable
        Called between pieces of work.
    progress : callable
        Takes the copies that are done, and all of them.

    Raises
    ------
    ProfileError
        If there is one row, or too few or too many columns are left.
    """
    codes, columns = _compared(alignment, settings, compiled, check)
    tree = _tree(codes, compiled, check)
    weights = np.exp2(-np.round(np.log2(tree.neighbours)))
    classes = settings.classes or classes_for(*codes.shape)
    scores = pair_scores(len(columns), compiled.counter(codes, weights), classes, check)
    lone = LoneColumns(codes, tree, weights)
    copies = settings.copies or _copies(len(columns))
    random, null = np.random.default_rng(settings.seed), list[_Floats]()
    for done in range(copies):
        check()
        progress(done, copies)
        some = _some(len(columns), random)
        made = compiled.counter(lone.copy(random, some), weights)
        null.append(_upper(pair_scores(len(some), made, classes, check)))
    chance = _Tail(np.sort(np.concatenate(null)))
    pairs = _listed(alignment, settings, codes, columns, scores, chance, substitutions(codes, tree), check)
    return Covariation(alignment, settings, len(codes), float(weights.sum()), columns, classes, copies, pairs)


def _tree(codes: _Codes, compiled: Compiled, check: Check) -> Tree:
    """Tree of the rows, with neighbours by all columns alike.

    Columns that change often hide which rows are related from afar: in such a tree a change of a slow column, long ago,
    counts many times. So columns weigh less the more often they change along the tree before (Farris 1969, Syst. Zool.
    18:374).
    """
    tree = compiled.join(codes, np.ones(codes.shape[1]), CLOSE, check)
    neighbours = tree.neighbours
    for _ in range(REWEIGHTED):
        weights = np.exp2(-np.round(SLOWNESS * np.log2(substitutions(codes, tree) + 1)))
        tree = compiled.join(codes, weights, CLOSE, check)
    return Tree(tree.order, tree.parents, tree.distances, neighbours)


def _compared(
    alignment: BaseAlignment, settings: CovariationSettings, compiled: Compiled, check: Check
) -> tuple[_Codes, _Ints]:
    """Codes of the rows and columns to compare, and these columns."""
    codes = alignment.codes
    filled = np.flatnonzero((codes < ABSENT).any(axis=1))
    rows = filled[compiled.distinct(codes[filled], 1 - settings.max_identity, MAX_ROWS, check)]
    if len(rows) < 2:
        raise ProfileError(
            f"The alignment '{alignment.name}' has {count(len(rows), 'row')} to compare, which cannot vary.",
            hint="Rows count without near copies of others: give more, or raise the limit of identity.",
        )
    columns = np.flatnonzero((codes[rows] == ABSENT).mean(axis=0) <= settings.max_gaps)
    if not MIN_COLUMNS <= len(columns) <= MAX_COLUMNS:
        raise ProfileError(
            f"The alignment '{alignment.name}' has {count(len(columns), 'column')} with few enough gaps to compare.",
            hint=f"From {MIN_COLUMNS} to {MAX_COLUMNS:,} can be compared; cut it into parts, or change the limit of "
            "gaps.",
        )
    return np.ascontiguousarray(codes[rows][:, columns]), columns


def _copies(columns: int) -> int:
    pairs = min(columns, NULL_COLUMNS) * (min(columns, NULL_COLUMNS) - 1) // 2
    return min(max(ceil(NULL_PAIRS / pairs), 4), MAX_COPIES)


def _some(columns: int, random: np.random.Generator) -> _Ints:
    """Columns of a copy."""
    return np.arange(columns) if columns <= NULL_COLUMNS else random.choice(columns, NULL_COLUMNS, replace=False)


def _upper(scores: _Floats) -> _Floats:
    return np.asarray(scores[np.triu_indices(len(scores), 1)])


class _Tail:
    """Chance of a score among pairs of columns that change alone: counted, and fitted in the tail.

    Parameters
    ----------
    scores : ndarray, shape=(k,)
        Of such pairs, ascending.
    """

    def __init__(self, scores: _Floats) -> None:
        self._scores = scores
        self._from = float(np.quantile(scores, 1 - TAIL))
        behind = scores[scores > self._from] - self._from
        self._scale = float(behind.mean()) if len(behind) else 1.0

    def log10(self, scores: _Floats, check: Check) -> _Floats:
        """Decadic logarithm of the chance of a score or a larger one, shape of `scores`, (pairs,)."""
        made = np.empty(len(scores))
        for start in range(0, len(scores), PIECE):
            check()
            made[start : start + PIECE] = self._log10(scores[start : start + PIECE])
        return made

    def _log10(self, scores: _Floats) -> _Floats:
        larger = len(self._scores) - np.searchsorted(self._scores, scores, side="left")
        counted = np.log10(np.maximum(larger, 1) / len(self._scores))
        fitted = np.log10(TAIL) - (scores - self._from) / self._scale * log10(e)
        return np.asarray(np.where(scores > self._from, fitted, counted), dtype=np.float64)


def _listed(
    alignment: BaseAlignment,
    settings: CovariationSettings,
    codes: _Codes,
    columns: _Ints,
    scores: _Floats,
    chance: _Tail,
    changes: _Ints,
    check: Check,
) -> ListedPairs:
    """Pairs at E within the limit, and all pairs of the structure."""
    place = np.full(alignment.codes.shape[1], -1)
    place[columns] = np.arange(len(columns))
    given = alignment.pairs
    inside = (place[given] >= 0).all(axis=1)
    of_structure = np.zeros(scores.shape, dtype=bool)
    of_structure[tuple(place[given[inside]].T)] = True
    left, right = np.triu_indices(len(columns), 1)
    known, found = of_structure[left, right], scores[left, right]
    tested = np.where(known, max(int(known.sum()), 1), len(known) - int(known.sum()))
    evalues = chance.log10(found, check) + np.log10(tested)
    good = evalues <= np.log10(settings.evalue)
    kept = np.flatnonzero(good | known)
    kept = kept[np.lexsort((left[kept], evalues[kept]))]
    left, right = left[kept], right[kept]
    present = (codes[:, left] < ABSENT) & (codes[:, right] < ABSENT)
    pairing = PAIRED[np.minimum(codes[:, left], ABSENT - 1), np.minimum(codes[:, right], ABSENT - 1)] & present
    rows, paired = present.sum(axis=0), pairing.sum(axis=0)
    both = np.stack([changes[left], changes[right]], axis=1)
    states = _states(left, right, good[kept], known[kept], both, 2 * paired < rows)
    listed = ListedPairs(columns[left], columns[right], found[kept], evalues[kept], both, rows, paired, states)
    return listed if inside.all() else listed.and_gapped(given[~inside])


def _states(
    left: _Ints,
    right: _Ints,
    good: NDArray[np.bool_],
    given: NDArray[np.bool_],
    changes: _Ints,
    unpaired: NDArray[np.bool_],
) -> tuple[str, ...]:
    """State of each pair; `unpaired`: that most rows cannot pair there."""
    others = {*left[good & ~given].tolist(), *right[good & ~given].tolist()}  # columns of pairs not in the structure
    states = []
    for one, other, fine, known, least, bad in zip(
        left.tolist(), right.tolist(), good.tolist(), given.tolist(), changes.min(axis=1).tolist(), unpaired.tolist(),
        strict=True,
    ):  # fmt: skip
        if fine:
            states.append(SUPPORTED if known else NEW)
        elif bad or one in others or other in others:
            states.append(CONTRADICTED)
        else:
            states.append(OPEN if least else UNCHANGED)
    return tuple(states)
