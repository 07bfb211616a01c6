"""How long two cards take for one long pair of which most is left out: a model, before anything is built.

Two related genomes along one path; what the program's own method leaves out, where each band of rows is at what time,
and which card waits for which. Two figures are fitted to one measured card, seconds per step and per chunk that is left
out; everything else follows. Prints seconds of the matrix for each way of dividing it.

    .venv/bin/python packaging/measuring/pair_cards.py
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS, SCORE, CHAIN = 4_641_652, 5_498_450, 5_351_365, 4_577_707  # K-12 x Sakai
STEP, EXTEND = 2, 2  # the most a pair earns; what a gap residue costs
BAND, WIDE, SLOTS = 4_096, 16_384, 132  # rows of a band, columns of a cell of the model, bands at work on a card
LANES: Final = 4
STEP_SECONDS, SKIP_SECONDS = 3.1e-7, 1.5e-6  # of two columns of a band; of eight chunks left out
LAG: Final = 640  # steps that a band is behind the one above
BANDS, BLOCKS = -(-ROWS // BAND), -(-COLUMNS // WIDE)
Times = NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """Scores as they are along a straight path, and gaps that lead away from it; 0 elsewhere."""

    heights: NDArray[np.float64]
    known: NDArray[np.float64]  # best score known when a band begins
    adds_up: bool = True  # what either end has found better than the known alignment

    @classmethod
    def made(cls) -> Matrix:
        """Of the pair above."""
        row, column = np.arange(BANDS)[:, None] * BAND, np.arange(BLOCKS)[None, :] * WIDE
        met = np.minimum(row, column * (ROWS / COLUMNS))
        away = np.maximum(row - met, column - met * (COLUMNS / ROWS))
        heights = np.maximum(met * (SCORE / ROWS) - EXTEND * away, 0)
        return cls(heights, CHAIN + (SCORE - CHAIN) * np.arange(BANDS) / BANDS)

    def live(self, band: int, other: int) -> NDArray[np.bool_]:
        """Which blocks of a band are computed if the last `other` bands are known from the other end."""
        row, column = band * BAND, np.arange(BLOCKS) * WIDE
        end = max(row, ROWS - other * BAND)
        gains = STEP * np.minimum(end - row, COLUMNS - column).astype(float)
        if other:
            high, wide = end - row, end * (COLUMNS / ROWS) - column
            crossing = STEP * np.minimum(high, wide) - EXTEND * np.abs(wide - high) + SCORE * (1 - end / ROWS)
            gains = np.maximum(gains, np.where(wide >= 0, crossing, 0))
        known = min(SCORE, self.known[band] + self.adds_up * (SCORE - CHAIN) * other / BANDS)
        return np.asarray(self.heights[band] + gains >= known)


def costs(live: NDArray[np.bool_]) -> Times:
    """Seconds of each block of a band."""
    return np.where(live, WIDE / 2 * STEP_SECONDS, WIDE / 1024 * SKIP_SECONDS)


def follow(above: Times, start: float, seconds: Times) -> Times:
    """Return when a band is done with each block, being behind the band above all the way."""
    lag, now, done = LAG * STEP_SECONDS, start, np.empty(len(seconds))
    for block, (one, before) in enumerate(zip(seconds.tolist(), above.tolist(), strict=True)):
        now = max(now + one, before + lag)
        done[block] = now
    return done


def one_end(matrix: Matrix, other: Times | None = None, every: int = 0) -> tuple[Times, float]:
    """Return when each band is done on one card, and the share computed.

    `other` is when each band of the other end is done, of which every `every`-th is heard of.
    """
    above, ends, computed = np.zeros(BLOCKS), np.zeros(BANDS), 0
    heard = np.maximum.accumulate(other)[every - 1 :: every] if other is not None else np.zeros(0)
    for band in range(BANDS):
        start = ends[:band][-SLOTS:][0] if band >= SLOTS else 0.0
        live = matrix.live(band, 0)
        if other is not None:  # what is heard while the band goes on counts from then on
            rough = follow(above, start, costs(live))
            for _ in range(2):
                count = np.searchsorted(heard, rough)
                live = np.zeros(BLOCKS, dtype=bool)
                for number in np.unique(count):
                    part = count == number
                    live[part] = matrix.live(band, int(number) * every)[part]
                rough = follow(above, start, costs(live))
        above = follow(above, start, costs(live))
        ends[band] = above[-1]
        computed += int(live.sum())
    return ends, computed / BANDS / BLOCKS


def both_ends(matrix: Matrix, every: int) -> tuple[float, float, float]:
    """Return seconds until both fronts meet, until the forward pass has ended, and the share that it computed."""
    ends, share = one_end(matrix)
    for _ in range(4):  # both cards alike: each hears of the other what it was in the turn before
        ends, share = one_end(matrix, ends, every)
    return float(np.maximum.accumulate(ends)[BANDS // 2]), float(ends[-1]), share


def columns(matrix: Matrix, edges: list[int], round_bands: int, by_block: bool) -> float:
    """Return seconds of blocks of columns that go round two cards; `by_block`: one block after the other."""
    rounds = range(0, BANDS, round_bands)
    parts = list(itertools.pairwise(edges))
    above = [np.zeros(end - first) for first, end in parts]
    lanes = np.zeros((2, LANES))
    turns = [0, 0]
    arrived = np.zeros((len(parts) + 1, len(rounds)))
    order: Iterable[tuple[int, int]] = itertools.product(range(len(parts)), range(len(rounds)))
    if not by_block:  # along the wave
        order = sorted(order, key=lambda one: one[1] * round_bands * BAND / ROWS + edges[one[0]] / BLOCKS)
    for part, number in order:
        first, end = parts[part]
        card, lane = part % 2, turns[part % 2] % LANES
        turns[card] += 1
        begin = max(lanes[card, lane], arrived[part, number])
        last = begin
        for band in range(rounds[number], min(rounds[number] + round_bands, BANDS)):
            above[part] = follow(above[part], begin, costs(matrix.live(band, 0)[first:end]))
            last = max(last, above[part][-1])
        lanes[card, lane] = last
        arrived[part + 1, number] = last
    return float(lanes.max())


def main() -> None:
    """Print the table."""
    matrix = Matrix.made()
    ends, share = one_end(matrix)
    print(f"one card: {ends[-1]:.2f} s, {share:.0%} computed; half of its rows: {ends[BANDS // 2]:.2f} s")
    work = np.cumsum(np.sum([matrix.live(band, 0) + 0.05 for band in range(BANDS)], axis=0))
    for count in (2, 4, 16):
        cuts = [0, *np.searchsorted(work / work[-1], np.arange(1, count) / count).tolist(), BLOCKS]
        even = np.linspace(0, BLOCKS, count + 1).round().astype(int).tolist()
        for by_block in (True, False):
            seconds = [columns(matrix, edges, 33, by_block) for edges in (cuts, even)]
            way = "block after block" if by_block else "along the wave"
            print(f"{count} blocks of columns, {way}: {seconds[0]:.2f} s cut by work, {seconds[1]:.2f} s cut evenly")
    for adds_up in (False, True):
        met, done, share = both_ends(replace(matrix, adds_up=adds_up), 12)
        said = "what can be gained" + ", and by how much they are ahead" * adds_up
        print(f"both ends that tell {said}: met {met:.2f} s, done {done:.2f} s, {share:.0%} computed each")


if __name__ == "__main__":
    main()
