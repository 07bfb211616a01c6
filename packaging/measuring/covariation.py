"""Covariation: false pairs where columns change alone along a tree, pairs of sampled families, and time.

    .venv/bin/python packaging/measuring/covariation.py alone            # 180 families, a line for each depth and size
    .venv/bin/python packaging/measuring/covariation.py speed            # 10,000 rows of 1,500 columns
    .venv/bin/python packaging/measuring/covariation.py families FILE... # alignments with SS_cons, in each file several

The families of BENCHMARKS.md: `cmconvert` of the file Bacteria of Debian's package prokka, every 21st of its 1,127
names from the fifth on, twenty in all, `cmfetch -f`, and `cmemit -a -N 20 (60, 200) --seed 7` (Infernal 1.1.4).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from swgui.core.covariation.alignment import ABSENT, BaseAlignment
from swgui.core.covariation.pairs import GAPPED, NEW, SUPPORTED
from swgui.core.covariation.settings import CovariationSettings
from swgui.io.profiles.base_alignments import read_bases
from swgui.jobs.covariation import covariation

COLUMNS = 80
FAMILIES = 12  # of each depth and size


def evolved(rows: int, length: float, random: np.random.Generator) -> np.ndarray:
    """Return rows along a random tree, each column for itself with its own speed and composition."""
    shares = np.cumsum(random.dirichlet([1.0] * 4, COLUMNS), axis=1)[:, :3]
    speeds = random.gamma(0.8, 1.25, COLUMNS)

    def drawn() -> np.ndarray:
        return (random.random(COLUMNS)[:, None] > shares).sum(axis=1)

    made = [drawn()]
    while len(made) < rows:
        made.append(made[random.integers(len(made))].copy())
        changes = 1 - np.exp(-speeds * length / len(made) * random.exponential())
        for number in range(len(made)):
            made[number] = np.where(random.random(COLUMNS) < changes, drawn(), made[number])
    return np.array(made, dtype=np.uint8)


def alone() -> None:
    """Print the mean number of pairs a family at E up to 0.05 and 1 where there are none."""
    random = np.random.default_rng(5)
    every = []
    for length in (0.3, 0.6, 1.0, 1.2, 3.0):
        for rows in (30, 50, 100):
            made = [BaseAlignment("x", [""] * rows, evolved(rows, length, random)) for _ in range(FAMILIES)]
            found = [covariation(one, CovariationSettings(evalue=1)) for one in made]
            counts = [(int((one.pairs.log10_evalues <= np.log10(0.05)).sum()), len(one.pairs)) for one in found]
            every += counts
            means = np.mean(counts, axis=0).round(2)
            print(f"length {length:g}, {rows} rows: {means} with E up to 0.05 and 1", flush=True)
    print(f"{len(every)} families: {np.mean(every, axis=0).round(3)}")


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
    for file in files:
        for text in filter(str.strip, Path(file).read_text().split("//\n")):
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "one.sto"
                place.write_text(text + "//\n")
                found = covariation(read_bases(place)[0], CovariationSettings())
            supported, others = supported + found.number(SUPPORTED), others + found.number(NEW)
            pairs += len(found.alignment.pairs) - found.number(GAPPED)
    print(f"{supported} of {pairs} pairs supported ({supported / pairs:.3f}), {others} others")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["alone"]
    {"alone": alone, "speed": speed}.get(what, lambda: families(rest))()
