"""Covariation: false pairs where columns change alone along a tree, pairs of sampled families, and time.

    .venv/bin/python packaging/measuring/covariation.py alone            # 360 families, a line for each shape of tree
    .venv/bin/python packaging/measuring/covariation.py alone 10         # 720
    .venv/bin/python packaging/measuring/covariation.py speed            # 10,000 rows of 1,500 columns
    .venv/bin/python packaging/measuring/covariation.py families FILE... # alignments with SS_cons, in each file several
    .venv/bin/python packaging/measuring/covariation.py sampled FILE...  # alignments of `hmmemit -a`

The families of BENCHMARKS.md: `cmconvert` of the file Bacteria of Debian's package prokka, every 21st of its 1,127
names from the fifth on, twenty in all, `cmfetch -f`, and `cmemit -a -N 20 (60, 200) --seed 7` (Infernal 1.1.4).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from swgui.core.covariation.alignment import ABSENT, BaseAlignment
from swgui.core.covariation.pairs import GAPPED, NEW, SUPPORTED
from swgui.core.covariation.settings import CovariationSettings
from swgui.core.errors import ProfileError
from swgui.io.profiles.base_alignments import read_bases
from swgui.jobs.covariation import covariation

COLUMNS = 80
LIMITS = (1, 0.5, 0.1, 0.05, 0.01)  # of E
SHAPES = ("growth", "yule", "kingman", "star", "caterpillar", "clades")
LENGTHS = (0.3, 1, 3)  # changes of a column from the root to the tips, or so
SIZES = (30, 100)  # rows


def tree_of(shape: str, rows: int, length: float, random: np.random.Generator) -> tuple[list, list[int]]:
    """Return edges (parent, child, length) from the root, 0, and the numbers of the tips."""
    if shape == "star":
        return [(0, tip, length * random.gamma(4, 0.25)) for tip in range(1, rows + 1)], list(range(1, rows + 1))
    if shape == "clades":  # four, far apart
        edges = [(0, clade, 0.7 * length) for clade in range(1, 5)]
        edges += [(1 + row % 4, 5 + row, 0.3 * length * random.gamma(2, 0.5)) for row in range(rows)]
        return edges, list(range(5, 5 + rows))
    if shape == "caterpillar":
        edges = []
        for row in range(rows):
            edges += [(2 * row, 2 * row + 1, length * random.gamma(2, 0.25))]
            edges += [(2 * row, 2 * row + 2, 4 * length / rows * random.exponential())]
        return edges, list(range(1, 2 * rows, 2))
    return _split(shape, rows, length, random)


def _split(shape: str, rows: int, length: float, random: np.random.Generator) -> tuple[list, list[int]]:
    """Return a tree whose lineages split one after the other."""
    parents, born, lineages, now = [-1], [0.0], [0], 0.0
    split: dict[int, float] = {}
    while len(lineages) < rows:
        one = lineages.pop(random.integers(len(lineages)))
        split[one] = now
        for _ in range(2):
            lineages.append(len(parents))
            parents.append(one)
            born.append(now)
        number = len(lineages)
        rate = number * (number - 1) / 2 if shape == "kingman" else number
        now += random.exponential(1 / rate)
    scale = length if shape == "growth" else length / now
    edges = [(parents[k], k, scale * (split.get(k, now) - born[k])) for k in range(1, len(parents))]
    return edges, lineages


def evolved(shape: str, rows: int, length: float, gaps: bool, random: np.random.Generator) -> np.ndarray:
    """Return rows along a tree, each column for itself with its own speed and composition."""
    edges, tips = tree_of(shape, rows, length, random)
    shares = np.cumsum(random.dirichlet([1.0] * 4, COLUMNS), axis=1)[:, :3]
    speeds = random.gamma(0.8, 1.25, COLUMNS)

    def drawn() -> np.ndarray:
        return (random.random(COLUMNS)[:, None] > shares).sum(axis=1)

    made, lost = {0: drawn()}, {0: np.zeros(COLUMNS, dtype=bool)}
    for parent, child, far in edges:
        made[child] = np.where(random.random(COLUMNS) < 1 - np.exp(-speeds * far), drawn(), made[parent])
        lost[child] = lost[parent].copy()
        for _ in range(random.poisson(0.02 * far * COLUMNS) if gaps else 0):
            start = random.integers(COLUMNS)
            lost[child][start : start + 1 + random.geometric(0.4)] = True
    return np.array([np.where(lost[tip], ABSENT, made[tip]) for tip in tips], dtype=np.uint8)


def false_pairs(alignment: BaseAlignment) -> list[int]:
    """Return the number of pairs with E up to each limit."""
    found = covariation(alignment, CovariationSettings(evalue=max(LIMITS)))
    return [int((found.pairs.log10_evalues <= np.log10(limit)).sum()) for limit in LIMITS]


def shown(name: str, counts: list[list[int]]) -> None:
    """Print means and their standard errors."""
    error = np.std(counts, axis=0) / len(counts) ** 0.5
    print(f"{name}: {len(counts)} families, {np.mean(counts, axis=0).round(3)} +- {error.round(3)}", flush=True)


def alone(families: int = 5) -> None:
    """Print the mean number of pairs a family at each limit of E where there are none, by the shape of the tree."""
    random, every = np.random.default_rng(5), {False: [], True: []}
    print(f"E up to {LIMITS}; {families} families of each length and number of rows")
    for gaps in every:
        for shape in SHAPES:
            counts = []
            for length, rows in product(LENGTHS, SIZES):
                for _ in range(families):
                    codes = evolved(shape, rows, length, gaps, random)
                    try:
                        counts.append(false_pairs(BaseAlignment("x", [""] * rows, codes)))
                    except ProfileError:
                        continue  # rows that are near copies of one alone
            shown(shape + (", gaps" if gaps else ""), counts)
            every[gaps] += counts
    for gaps, counts in every.items():
        shown("all with gaps" if gaps else "all without gaps", counts)


def independent(files: list[str]) -> None:
    """Print the same of alignments whose columns are drawn one by one, as `hmmemit -a` does."""
    shown("sampled", [false_pairs(BaseAlignment(one.name, one.ids, one.codes)) for one in alignments(files)])


def alignments(files: list[str]) -> Iterator[BaseAlignment]:
    """Yield the alignments of files with several each."""
    for file in files:
        for text in filter(str.strip, Path(file).read_text().split("//\n")):
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "one.sto"
                place.write_text(text + "//\n")
                yield read_bases(place)[0]


def speed() -> None:
    """Print CPU time and wall time of a large alignment."""
    random = np.random.default_rng(0)
    first = random.integers(0, 4, 1500)
    codes = np.where(random.random((10_000, 1500)) < 0.4, random.integers(0, 4, (10_000, 1500)), first).astype(np.uint8)
    codes[random.random(codes.shape) < 0.1] = ABSENT
    cpu, wall = time.process_time(), time.perf_counter()
    covariation(BaseAlignment("x", [""] * len(codes), codes), CovariationSettings())
    print(f"{time.process_time() - cpu:.1f} s of CPU time, {time.perf_counter() - wall:.1f} s")


def families(files: list[str]) -> None:
    """Print how many pairs of the structures are supported, and how many others are found."""
    supported = pairs = others = 0
    for one in alignments(files):
        found = covariation(one, CovariationSettings())
        supported, others = supported + found.number(SUPPORTED), others + found.number(NEW)
        pairs += len(found.alignment.pairs) - found.number(GAPPED)
    print(f"{supported} of {pairs} pairs supported ({supported / pairs:.3f}), {others} others")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["alone"]
    if what == "alone":
        alone(*map(int, rest))
    elif what == "speed":
        speed()
    else:
        {"families": families, "sampled": independent}[what](rest)
