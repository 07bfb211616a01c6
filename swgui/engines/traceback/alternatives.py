"""Other alignments of the same pair: how many are as good, and which come next.

Both work on all cells of the pair in NumPy (about a second per hundred million), so they are for one pair that a user
views, not for lists of hits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, rescore, spell_out
from swgui.core.control import Check
from swgui.core.errors import ScoreMismatch
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.rowscan import local_end, row_costs
from swgui.engines.traceback.path import DELETION, INSERTION, PAIR, Forbidden, global_path
from swgui.engines.traceback.rectangle import find_rectangle

MAX_CELLS: Final = 25_000_000  # kept in memory to count, 12 bytes each
MAX_STEPS: Final = 2_000_000  # cells on best alignments that are followed
NEVER: Final = -(1 << 30)

_Place = tuple[int, int, int]  # row, column, state
_Costs = list[tuple[int, int, int, int]]  # of `row_costs`


def next_local(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    previous: Iterable[Alignment],
    *,
    check: Check = lambda: None,
) -> Alignment:
    """Return the best local alignment that shares no aligned pair with any of `previous`.

    Repeated calls with the earlier results list the non-overlapping local alignments of Waterman and Eggert (1987),
    best first. Without `previous` it is `align_local`; among equals it chooses the one that `align_local` would.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8

    Returns
    -------
    Alignment
        Without columns if nothing scores above 0 any more.
    """
    taken = _taken(previous)
    profile = query.scores(scheme)
    costs = scheme.gap_first, scheme.gap_extend
    last = local_end(profile, subject, *costs, forbidden=taken, gaps=query.gaps)
    runs: list[tuple[int, int]] = []
    row = column = 0
    if last.score:
        rows, columns = last.query_end, last.subject_end
        mirrored = {rows - 1 - i: columns - 1 - js[js < columns] for i, js in taken.items() if i < rows}
        back = None if query.gaps is None else query.gaps.take(slice(rows)).reversed()
        first = local_end(profile[:rows][::-1], subject[:columns][::-1], *costs, forbidden=mirrored, gaps=back)
        row, column = rows - first.query_end, columns - first.subject_end
        inside = {i - row: js[js >= column] - column for i, js in taken.items() if row <= i < rows}
        gaps = None if query.gaps is None else query.gaps.take(slice(row, rows))
        part = profile[row:rows], subject[column:columns]
        runs = global_path(*part, *costs, last.score, gaps=gaps, check=check, forbidden=inside)[1]
    alignment = Alignment.from_runs(row, column, runs, last.score)
    if rescore(alignment, query, subject, scheme) != last.score:
        raise ScoreMismatch("", last.score, rescore(alignment, query, subject, scheme))
    return alignment


def _taken(previous: Iterable[Alignment]) -> Forbidden:
    """Return the aligned pairs of some alignments: subject positions by query position."""
    pairs: dict[int, list[int]] = defaultdict(list)
    for alignment in previous:
        columns = spell_out(alignment)
        both = (columns.query >= 0) & (columns.subject >= 0)
        for i, j in zip(columns.query[both].tolist(), columns.subject[both].tolist(), strict=True):
            pairs[i].append(j)
    return {i: np.array(positions, dtype=np.int64) for i, positions in pairs.items()}


def count_cooptimal(query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme) -> int | None:
    """Count the best local alignments of a pair, anywhere in it.

    Counted are the alignments with the best score that cannot be shortened: those that still have it
    without some of their first or last columns are left out, so every end of a counted alignment is
    needed. Two alignments differ if any column does; an insertion before a deletion is not a deletion
    before an insertion.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8

    Returns
    -------
    int or None
        0 if nothing scores above 0; None if the pair is too large to count (`MAX_CELLS`) or so many cells lie
        on best alignments (`MAX_STEPS`, low complexity) that it would take too long.
    """
    best = find_rectangle(query, subject, scheme).score
    if best == 0:
        return 0
    profile = query.scores(scheme)
    if len(profile) * len(subject) > MAX_CELLS:
        return None
    costs = list(row_costs(len(profile), scheme.gap_first, scheme.gap_extend, query.gaps))
    states = _states(profile, subject, costs)
    rows, columns = np.nonzero(states[:, PAIR] == best)
    # Ways from each place to an end. Places are left from the last row to the first, and in a row from
    # right to left, so each has its full number when it is left.
    ways: dict[int, dict[int, dict[int, int]]] = defaultdict(dict)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        ways[row][column] = {PAIR: 1}
    total = steps = 0
    for row in range(len(profile), 0, -1):
        cells = ways.pop(row, {})
        todo = [-column for column in cells]
        heapify(todo)
        while todo:
            # A deletion leads to the column before, the others to the row before: none stays here.
            column = -heappop(todo)
            for state, number in cells.pop(column).items():
                steps += 1
                starts, before = _predecessors(states, profile, subject, costs, (row, column, state))
                total += number * starts
                for earlier_row, earlier_column, earlier_state in before:
                    if states[earlier_row, earlier_state, earlier_column] == best:
                        continue  # it could end there already
                    targets = cells if earlier_row == row else ways[earlier_row]
                    if earlier_column not in targets:
                        targets[earlier_column] = {}
                        if earlier_row == row:
                            heappush(todo, -earlier_column)
                    counts = targets[earlier_column]
                    counts[earlier_state] = counts.get(earlier_state, 0) + number
            if steps > MAX_STEPS:
                return None
    return total


def cooptimal_cells(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    *,
    most_cells: int = MAX_CELLS,
    most_steps: int = MAX_STEPS,
) -> NDArray[np.int64] | None:
    """Return every step of every alignment that `count_cooptimal` counts.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    most_cells, most_steps : int
        Limits of the size of a pair, and of the number of places.

    Returns
    -------
    ndarray, shape=(k, 4), dtype=int64, or None
        From cell to cell, sorted: query and subject residues used before the step, then after it. None if the pair
        or the number of its best alignments is too large.
    """
    best = find_rectangle(query, subject, scheme).score
    profile = query.scores(scheme)
    if len(profile) * len(subject) > most_cells:
        return None
    if best == 0:
        return np.zeros((0, 4), dtype=np.int64)
    costs = list(row_costs(len(profile), scheme.gap_first, scheme.gap_extend, query.gaps))
    states = _states(profile, subject, costs)
    ends = zip(*(index.tolist() for index in np.nonzero(states[:, PAIR] == best)), strict=True)
    todo: list[_Place] = [(row, column, PAIR) for row, column in ends]
    seen = set(todo)
    later: dict[_Place, list[_Place]] = defaultdict(list)
    starting: list[_Place] = []
    while todo:
        place = todo.pop()
        starts, before = _predecessors(states, profile, subject, costs, place)
        if starts:
            starting.append(place)
        for earlier in before:
            if states[earlier[0], earlier[2], earlier[1]] == best:
                continue  # it could end there already
            later[earlier].append(place)
            if earlier not in seen:
                seen.add(earlier)
                todo.append(earlier)
        if len(seen) > most_steps:
            return None
    # Only the continuations of a beginning: other ways come only from the end of a shorter alignment as good.
    steps = {(row - 1, column - 1, row, column) for row, column, _ in starting}
    reached = set(starting)
    while starting:
        place = starting.pop()
        for after in later[place]:
            steps.add((*place[:2], *after[:2]))
            if after not in reached:
                reached.add(after)
                starting.append(after)
    return np.array(sorted(steps), dtype=np.int64).reshape(-1, 4)


def _predecessors(
    states: NDArray[np.int64],
    profile: NDArray[np.int16],
    subject: NDArray[np.uint8],
    costs: _Costs,
    place: _Place,
) -> tuple[int, list[_Place]]:
    """Return 1 if an alignment can start at a place, else 0, and the places it can come from."""
    row, column, state = place
    value = int(states[row, state, column])
    first, extend, removed_first, removed_extend = costs[row - 1]
    if state == PAIR:
        wanted = value - int(profile[row - 1, subject[column - 1]])
        if wanted == 0:  # a beginning; a part before it with the sum 0 is not needed
            return 1, []
        row, column, steps = row - 1, column - 1, (0, 0, 0)
    elif state == INSERTION:
        wanted, row, steps = value, row - 1, (removed_first, removed_extend, removed_first)
    else:
        wanted, column, steps = value, column - 1, (first, first, extend)
    places = [(row, column, op) for op in (PAIR, INSERTION, DELETION) if states[row, op, column] - steps[op] == wanted]
    return 0, places


def _states(profile: NDArray[np.int16], subject: NDArray[np.uint8], costs: _Costs) -> NDArray[np.int64]:
    """Return the best local score that ends in each state of each cell, shape (m + 1, 3, n + 1)."""
    width = len(subject) + 1
    largest = int(np.abs(np.array(costs, dtype=np.int64)).max(initial=0))
    small = (int(np.abs(profile.astype(np.int64)).max(initial=0)) + largest) * len(
        profile
    ) + largest * width < -NEVER // 2
    dtype = np.int32 if small else np.int64
    never = NEVER if small else NEVER << 30
    states = np.full((len(profile) + 1, 3, width), never, dtype=dtype)
    steps = np.arange(width, dtype=dtype)
    letters = subject.astype(np.intp)
    for number, (scores, cost) in enumerate(zip(profile.astype(dtype), costs, strict=True), 1):
        first, extend, removed_first, removed_extend = cost
        ramp = steps * extend
        above, (pair, insertion, deletion) = states[number - 1], states[number]
        pair[1:] = np.maximum(above.max(axis=0)[:-1], 0) + scores[letters]
        np.maximum(
            np.maximum(above[PAIR], above[DELETION]) - removed_first, above[INSERTION] - removed_extend, out=insertion
        )
        np.maximum(insertion, never, out=insertion)
        along = np.maximum.accumulate(np.maximum(pair, insertion) + ramp)
        deletion[1:] = np.maximum(along[:-1] - ramp[1:] + (extend - first), never)
    return states
