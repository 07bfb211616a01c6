"""Further alignments of many subjects under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.engines.native import Paths, Regions, Subjects, library
from swgui.engines.native.further import find_all, reach_again


def check(rng: np.random.Generator, factor: int) -> None:
    """Subjects from one residue to some hundred, as few and as many as lanes; the same by every instruction set.

    With two queries of half the rows each, which are looked at in one call.
    """
    profile = (rng.integers(-4, 8, (70, len(PROTEIN))) * factor).astype(np.int16)
    codes = rng.integers(0, len(PROTEIN), 900).astype(np.uint8)
    for count in (1, 7, 64, 131):
        lengths = rng.integers(1, 200, count)
        subjects = Subjects(codes, rng.integers(0, 900 - lengths + 1), lengths)
        costs = 9 * factor, factor
        spans = np.stack([rng.integers(0, 2, count) * 35, np.full(count, 35)], axis=1)
        of, paths = find_all(profile, spans, subjects, np.full(count, 15 * factor), 4, *costs, threads=1)
        first = np.flatnonzero(np.append(True, of[1:] != of[:-1])[: len(of)])
        least, asked = np.full(len(first), 15 * factor), np.arange(len(first))
        given = spans[of[first]], subjects.take(of[first]), paths.take(first), least, asked
        told = reach_again(profile, *given, *costs, threads=1)
        assert told.tolist() == (np.bincount(of, minlength=count)[of[first]] > 1).tolist()
        known.setdefault((factor, count), paths.regions.scores.tolist())
        assert paths.regions.scores.tolist() == known[factor, count]
    outside = Paths(  # paths that leave their sequences are left to a closer look
        Regions(*np.array([[9], [60], [80], [0], [20]])),
        np.zeros(1, np.uint8),
        np.array([20], np.int32),
        np.array([0, 1]),
        np.zeros(1, np.int32),
    )
    call_with_outside(profile, codes, outside)


def call_with_outside(profile: np.ndarray, codes: np.ndarray, paths: Paths) -> None:
    """Ask lanes alone: the grid takes only what it gave."""
    from swgui.engines.native import further

    told, span = np.full(1, 2, dtype=np.uint8), np.array([[0, len(profile)]])
    given = Subjects(codes, np.zeros(1, np.int64), np.array([30])), paths, np.ones(1, np.int64), np.zeros(1, np.int64)
    further.ask_bytes(profile, span, *given, (9, 1), told, 1, lambda: None)
    assert told[0] == 2


def main() -> None:
    loaded, levels, why = library.probe()
    assert loaded is not None, why
    for number in range(len(levels)):
        library.probe = lambda only=levels[: number + 1]: (loaded, only, "")
        rng = np.random.default_rng(7)
        check(rng, 1)
        check(rng, 15)
        check(rng, 60)
    print("clean")


known: dict[tuple[int, int], list[int]] = {}

if __name__ == "__main__":
    main()
