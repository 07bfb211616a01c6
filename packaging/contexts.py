"""Make the library of contexts that the program ships, from alignments of its own searches.

The steps, each a command; a GPU makes the first take minutes and the others seconds::

    python packaging/contexts.py collect proteins.fasta rows.npz --seconds 600
    python packaging/contexts.py learn rows.npz first.npz --states 4000 --steps 3000
    python packaging/contexts.py contrast rows.npz first.npz library.npz --steps 8000

* ``collect`` searches in rounds with proteins in random order, leaves out those that an earlier search found, and keeps
  up to 32 rows of each alignment that are less than 62 % identical to one another.
* ``learn`` fits the states to the likelihood of the residues of relatives: each window of 13 residues of a row predicts
  the residues that the other rows have in its column.
* ``contrast`` then fits them to what a search is for. A fragment of 32 residues is to score higher with the aligned
  fragment of a remote relative than with the fragments of all other proteins of a batch, and than with the reversed
  ones, which have the same composition (InfoNCE: van den Oord, Li, Vinyals 2018, arXiv 1807.03748). A library that is
  only likely learns the composition of its surroundings, which unrelated proteins share.

Derivatives are written out below; Adam (Kingma and Ba 2015, arXiv 1412.6980) follows them. CuPy computes if it is
installed, NumPy otherwise. The form of a library is that of `swgui.core.profiles.context`.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

WINDOW: Final = 13
RESIDUES: Final = 20
UNKNOWN: Final = 20  # code of other symbols
GAP: Final = 21  # code of a column without a residue
FRAGMENT: Final = 32  # residues that are scored together
MOST_ROWS: Final = 32  # of one alignment
MAX_IDENTITY: Final = 0.62  # between rows that are kept
REMOTE: Final = 0.45  # identity below which a row is a remote relative
SHORTEST: Final = 35  # residues of a row
LIKELY: Final = 0.3  # weight of the likelihood in the second fit
VALIDATED: Final = 0.05  # part of the alignments that is not learned from
NEAR: Final = -20.0  # log10 of the E below which a protein is not searched with any more
BATCH: Final = 400  # proteins that are searched with at once

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Alignments:
    """Rows of alignments: codes of residues, `UNKNOWN` or `GAP`."""

    rows: tuple[Codes, ...]  # of each alignment, the query first, shape (rows, columns)

    def save(self, path: Path) -> None:
        """Write the alignments as NumPy's archive."""
        shapes = np.array([rows.shape for rows in self.rows])
        np.savez_compressed(path, shapes=shapes, codes=np.concatenate([rows.ravel() for rows in self.rows]))

    @classmethod
    def load(cls, path: Path) -> Alignments:
        """Read alignments that `save` wrote."""
        with np.load(path) as stored:
            shapes, codes = stored["shapes"], stored["codes"]
        ends = np.cumsum(shapes.prod(axis=1))[:-1]
        parts = np.split(codes, ends)
        return cls(tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))

    def parted(self, seed: int = 77) -> tuple[list[Codes], list[Codes]]:
        """Return the alignments to learn from, and those to validate with."""
        chosen = np.random.default_rng(seed).random(len(self.rows)) < VALIDATED
        both = list(zip(self.rows, chosen.tolist(), strict=True))
        return [rows for rows, aside in both if not aside], [rows for rows, aside in both if aside]


@dataclass(slots=True)
class Library:
    """Parameters of a library while it is learned.

    Parameters
    ----------
    weights : array, shape=(WINDOW * RESIDUES, states), dtype=float32
    bias : array, shape=(states,), dtype=float32
    columns : array, shape=(states, RESIDUES), dtype=float32
        Natural logarithms of probabilities, but for a term for each state.
    """

    weights: Any
    bias: Any
    columns: Any

    def save(self, path: Path, background: NDArray[np.float64], scale: float) -> None:
        """Write the library in the form that the program reads."""
        weights, bias, columns = (np.asarray(_on_host(each)) for each in (self.weights, self.bias, self.columns))
        chances = np.exp(columns - columns.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        shaped = weights.reshape(WINDOW, RESIDUES, -1).transpose(2, 0, 1)
        np.savez_compressed(
            path,
            weights=shaped.astype(np.float16),
            bias=bias.astype(np.float32),
            columns=chances.astype(np.float16),
            background=background,
            scale=np.float64(scale),
        )

    @classmethod
    def load(cls, path: Path, xp: Any) -> Library:
        """Read a library that `save` wrote."""
        with np.load(path) as stored:
            weights = stored["weights"].astype(np.float32).transpose(1, 2, 0).reshape(WINDOW * RESIDUES, -1)
            bias, columns = stored["bias"], np.log(np.maximum(stored["columns"].astype(np.float32), 1e-4))
        return cls(*map(xp.asarray, (np.ascontiguousarray(weights), bias, columns)))


def collect(proteins: Path, seconds: float, engine: Any, rounds: int, seed: int = 1) -> Alignments:
    """Search in rounds with proteins of a file against all of it, until the time is over."""
    import swgui
    from swgui.core.alphabet import PROTEIN
    from swgui.io.sequences.reader import read_sequences

    records = [record for record in read_sequences(proteins, PROTEIN) if 60 <= len(record.residues) <= 1200]
    order = iter(np.random.default_rng(seed).permutation(len(records)).tolist())
    found: set[str] = set()
    kept: list[Codes] = []
    end = time.monotonic() + seconds
    with swgui.Database(proteins) as database:
        while time.monotonic() < end:
            chosen = {}
            for index in order:
                if records[index].id not in found:
                    chosen[records[index].id] = records[index].residues.decode()
                if len(chosen) == BATCH:
                    break
            if not chosen:
                break
            hits = swgui.iterate(chosen, database, iterations=rounds, engine=engine)
            for query in hits.result.queries:
                if query.rounds is None:
                    continue
                alignment = query.rounds.last.alignment
                found.update(row.id for row in alignment.rows[1:] if row.log10_evalue < NEAR)
                rows = diverse_rows(alignment.codes, PROTEIN.letters, len(kept))
                if len(rows) > 3:
                    kept.append(rows)
            print(f"{len(kept):,} alignments, {len(found):,} proteins found", flush=True)
    return Alignments(tuple(kept))


def diverse_rows(codes: Codes, letters: str, seed: int) -> Codes:
    """Return the query and rows that are not near copies of each other, at most `MOST_ROWS`, in the codes used here."""
    from swgui.engines.native.rows import purge

    table = np.full(256, UNKNOWN, dtype=np.uint8)
    table[[letters.index(residue) for residue in "ARNDCQEGHILKMFPSTWYV"]] = np.arange(RESIDUES)
    table[[254, 255]] = GAP
    places = purge(np.ascontiguousarray(codes), RESIDUES, MAX_IDENTITY)[1:]
    rows = table[codes[places]]
    rows = rows[(rows < RESIDUES).sum(axis=1) >= SHORTEST]
    chosen = np.sort(np.random.default_rng(seed).permutation(len(rows))[:MOST_ROWS])
    return np.concatenate([table[codes[:1]], rows[chosen]])


def identities(rows: Codes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the identity of each two rows over the columns where both have residues, and how many these are."""
    single = one_hot(rows, np).reshape(len(rows), -1)
    present = (rows < RESIDUES).astype(np.float32)
    both = present @ present.T
    return (single @ single.T) / np.maximum(both, 1), both


def windows_of(alignments: Sequence[Codes], rng: np.random.Generator, sources: int = 8) -> tuple[Codes, Codes]:
    """Return windows of rows and, for each, how often remote relatives have each residue in its column.

    Returns
    -------
    windows : ndarray, shape=(n, WINDOW), dtype=uint8
    counts : ndarray, shape=(n, RESIDUES), dtype=uint8
    """
    windows, counts = [np.empty((0, WINDOW), dtype=np.uint8)], [np.empty((0, RESIDUES), dtype=np.uint8)]
    for rows in alignments:
        identity, both = identities(rows)
        related = ((identity < REMOTE) & (both >= 30)).astype(np.float32)
        np.fill_diagonal(related, 0)
        chosen = rng.permutation(len(rows))[:sources]
        seen = np.tensordot(related[chosen], one_hot(rows, np), 1)
        for source, target in zip(chosen.tolist(), seen, strict=True):
            places = np.flatnonzero(rows[source] < GAP)
            padded = np.pad(rows[source][places], WINDOW // 2, constant_values=UNKNOWN)
            known = (rows[source][places] < RESIDUES) & (target[places].sum(axis=1) > 0)
            windows.append(np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[known])
            counts.append(target[places][known].astype(np.uint8))
    return np.concatenate(windows), np.concatenate(counts)


def fragments_of(
    alignments: Sequence[Codes], rng: np.random.Generator, most: int = 500
) -> tuple[Codes, Codes, NDArray[np.int32]]:
    """Return fragments of rows with their surroundings, the aligned fragments of remote relatives, and their alignment.

    Returns
    -------
    sources : ndarray, shape=(n, FRAGMENT + WINDOW - 1), dtype=uint8
    targets : ndarray, shape=(n, FRAGMENT), dtype=uint8
    of : ndarray, shape=(n,), dtype=int32
    """
    side = WINDOW // 2
    sources = [np.empty((0, FRAGMENT + 2 * side), dtype=np.uint8)]
    targets, of = [np.empty((0, FRAGMENT), dtype=np.uint8)], [np.empty(0, dtype=np.int32)]
    for number, rows in enumerate(alignments):
        identity, both = identities(rows)
        fits = (identity < REMOTE) & (both >= 40)
        np.fill_diagonal(fits, False)
        one, other = np.nonzero(fits)
        columns = rows.shape[1]
        if not len(one) or columns < FRAGMENT:
            continue
        wanted = min(most, 3 * columns)
        pair = rng.integers(0, len(one), 3 * wanted)
        place = rng.integers(0, columns - FRAGMENT + 1, 3 * wanted)[:, None]
        padded = np.pad(rows, ((0, 0), (side, side)), constant_values=UNKNOWN)
        source = padded[one[pair][:, None], place + np.arange(FRAGMENT + 2 * side)]
        target = rows[other[pair][:, None], place + np.arange(FRAGMENT)]
        whole = (source[:, side : side + FRAGMENT] < GAP).all(axis=1)
        whole &= (target < RESIDUES).sum(axis=1) >= FRAGMENT * 3 // 4
        sources.append(np.minimum(source[whole][:wanted], UNKNOWN))
        targets.append(np.minimum(target[whole][:wanted], UNKNOWN))
        of.append(np.full(len(sources[-1]), number, dtype=np.int32))
    return np.concatenate(sources), np.concatenate(targets), np.concatenate(of)


def first_library(windows: Codes, counts: Codes, states: int, rng: np.random.Generator, xp: Any) -> Library:
    """Return a library whose states are random windows: each prefers residues like those of its window."""
    total = np.zeros((RESIDUES, RESIDUES))
    np.add.at(total, windows[:, WINDOW // 2], counts / counts.sum(axis=1, keepdims=True))
    given = total / np.maximum(total.sum(axis=1, keepdims=True), 1e-9)
    chance = total.sum(axis=0) / total.sum()
    likely = np.vstack([np.log(np.maximum(given, 1e-4) / chance), np.zeros((1, RESIDUES))])
    chosen = rng.choice(len(windows), states, replace=len(windows) < states)
    middle = WINDOW // 2
    weights = np.stack([0.8 ** abs(place - middle) * likely[windows[chosen, place]].T for place in range(WINDOW)])
    seen = counts[chosen] / counts[chosen].sum(axis=1, keepdims=True)
    columns = np.log(0.5 * seen + 0.5 * given[windows[chosen, middle]] + 1e-4)
    parts = weights.reshape(-1, states), np.zeros(states), columns
    return Library(*(xp.asarray(part, dtype=xp.float32) for part in parts))


def predicted(library: Library, hot: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return the weights of the states, their columns, and the probabilities of residues, of one-hot windows."""
    states = _softmax(hot @ library.weights + library.bias, xp)
    columns = _softmax(library.columns, xp)
    return states, columns, states @ columns


def derivatives(hot: Any, states: Any, columns: Any, by_chance: Any) -> tuple[Any, Any, Any]:
    """Return the derivatives of a loss by the parameters, from those by the probabilities of residues."""
    by_states = by_chance @ columns.T
    by_terms = states * (by_states - (states * by_states).sum(axis=1, keepdims=True))
    by_columns = states.T @ by_chance
    by_logarithms = columns * (by_columns - (by_columns * columns).sum(axis=1, keepdims=True))
    return hot.T @ by_terms, by_terms.sum(axis=0), by_logarithms


def likelihood(library: Library, windows: Any, counts: Any, xp: Any) -> tuple[float, tuple[Any, Any, Any]]:
    """Return the mean bits that the residues of relatives cost, and its derivatives in nats."""
    hot = one_hot(windows, xp).reshape(len(windows), -1)
    states, columns, chance = predicted(library, hot, xp)
    seen = counts / counts.sum(axis=1, keepdims=True)
    weight = xp.sqrt(xp.minimum(counts.sum(axis=1), 8))  # more relatives say more
    weight = weight[:, None] / weight.sum()
    loss = -(weight * seen * xp.log2(chance)).sum()
    return float(loss), derivatives(hot, states, columns, -weight * seen / chance)


def contrast(
    library: Library, sources: Any, targets: Any, of: Any, background: Any, xp: Any, likely: float = LIKELY
) -> tuple[float, tuple[Any, Any, Any]]:
    """Return the mean InfoNCE of a batch of fragments in nats a residue, and its derivatives.

    The candidates of a source are all targets, and all of them reversed; other fragments of its own alignment do not
    count. The loss is less by `likely` times the mean log-odds of the residues of targets: without this term scores
    become less sharp than probabilities.
    """
    batch = len(sources)
    windows = sources[:, xp.arange(FRAGMENT)[:, None] + xp.arange(WINDOW)].reshape(-1, WINDOW)
    hot = one_hot(windows, xp).reshape(len(windows), -1)
    states, columns, chance = predicted(library, hot, xp)
    scores = xp.log(chance / background).reshape(batch, -1)
    candidates = one_hot(xp.concatenate([targets, targets[:, ::-1]]), xp).reshape(2 * batch, -1)
    all_scores = scores @ candidates.T
    same = (of[:, None] == of[None]) & ~xp.eye(batch, dtype=bool)
    all_scores = xp.where(xp.concatenate([same, same], axis=1), -1e9, all_scores)
    share = _softmax(all_scores, xp)
    own = xp.arange(batch)
    seen = candidates[:batch] * (likely / candidates[:batch].sum())
    loss = -xp.log(xp.maximum(share[own, own], 1e-30)).mean() / FRAGMENT - (seen * scores).sum()
    share[own, own] -= 1
    by_scores = (share @ candidates / (batch * FRAGMENT) - seen).reshape(-1, RESIDUES)
    return float(loss), derivatives(hot, states, columns, by_scores / chance)


def fit(
    library: Library,
    loss: Callable[[int | None], tuple[float, tuple[Any, Any, Any]]],
    steps: int,
    rate: float,
    xp: Any,
) -> Library:
    """Follow the derivatives of a loss by Adam; return the library that validated best.

    Parameters
    ----------
    loss : callable
        Takes the number of a step, or None for the validation.
    """
    parts = [library.weights, library.bias, library.columns]
    means, squares = [xp.zeros_like(each) for each in parts], [xp.zeros_like(each) for each in parts]
    best, kept = math.inf, [each.copy() for each in parts]
    for step in range(steps + 1):
        if step % max(steps // 12, 1) == 0 or step == steps:
            value = loss(None)[0]
            print(f"step {step}: {value:.4f}", flush=True)
            if value < best:
                best, kept = value, [each.copy() for each in parts]
        now = rate * min(1, (step + 1) / 100) * (0.5 * (1 + math.cos(math.pi * step / max(steps, 1))) + 0.01)
        for each, mean, square, slope in zip(parts, means, squares, loss(step)[1], strict=True):
            mean *= 0.9
            mean += 0.1 * slope
            square *= 0.99
            square += 0.01 * slope * slope
            each -= now * (mean / (1 - 0.9 ** (step + 1))) / (xp.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-10)
    return Library(*kept)


def learn(alignments: Alignments, states: int, steps: int, batch: int = 32768, seed: int = 0) -> Library:
    """Return a library of this many states that makes the residues of relatives likely."""
    xp, rng = _arrays(), np.random.default_rng(seed)
    windows, counts, checks, seen = (xp.asarray(each) for part in alignments.parted() for each in windows_of(part, rng))
    library = first_library(_on_host(windows), _on_host(counts), states, rng, xp)

    def loss(step: int | None) -> tuple[float, tuple[Any, Any, Any]]:
        if step is None:
            return likelihood(library, checks[:batch], seen[:batch].astype(xp.float32), xp)
        chosen = xp.asarray(rng.integers(0, len(windows), batch))
        return likelihood(library, windows[chosen], counts[chosen].astype(xp.float32), xp)

    return fit(library, loss, steps, 2e-3, xp)


def sharpen(
    alignments: Alignments, library: Library, steps: int, batch: int = 1024, seed: int = 0
) -> tuple[Library, NDArray[np.float64]]:
    """Return a library that tells relatives from other proteins, and the frequencies it compares with."""
    xp, rng = _arrays(), np.random.default_rng(seed)
    parts = [fragments_of(part, rng) for part in alignments.parted()]
    targets = parts[0][1]
    counted = np.bincount(targets[targets < RESIDUES], minlength=RESIDUES) + 1.0
    background: NDArray[np.float64] = counted / counted.sum()
    chance = xp.asarray(background, dtype=xp.float32)
    (taught, checks) = ([xp.asarray(each) for each in part] for part in parts)
    aside = xp.asarray(rng.permutation(len(checks[0]))[:batch])

    def loss(step: int | None) -> tuple[float, tuple[Any, Any, Any]]:
        if step is None:
            sources, targets, of = (each[aside] for each in checks)
            return contrast(library, sources, targets, of, chance, xp)
        chosen = xp.asarray(rng.integers(0, len(taught[0]), batch))
        sources, targets, of = (each[chosen] for each in taught)
        return contrast(library, sources, targets, of, chance, xp)

    return fit(library, loss, steps, 5e-4, xp), background


def _arrays() -> Any:
    """Return the module that computes: CuPy, or NumPy where there is no GPU."""
    try:
        import cupy
    except ImportError:
        return np
    return cupy if cupy.cuda.is_available() else np


def _on_host(values: Any) -> Any:
    return values if isinstance(values, np.ndarray) else values.get()


def one_hot(codes: Any, xp: Any) -> Any:
    """Return 1 at each residue, nothing for other codes, shape (..., RESIDUES)."""
    return (codes[..., None] == xp.arange(RESIDUES, dtype=xp.uint8)).astype(xp.float32)


def _softmax(terms: Any, xp: Any) -> Any:
    terms = xp.exp(terms - terms.max(axis=1, keepdims=True))
    return terms / terms.sum(axis=1, keepdims=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Carry out a step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    for name, files in (
        ("collect", ("proteins", "rows")),
        ("learn", ("rows", "library")),
        ("contrast", ("rows", "first", "library")),
    ):
        step = steps.add_parser(name)
        for file in files:
            step.add_argument(file, type=Path)
    steps.choices["collect"].add_argument("--seconds", type=float, default=600.0)
    steps.choices["collect"].add_argument("--engine", default="auto")
    steps.choices["collect"].add_argument("--rounds", type=int, default=3)
    steps.choices["learn"].add_argument("--states", type=int, default=4000)
    steps.choices["learn"].add_argument("--steps", type=int, default=3000)
    steps.choices["contrast"].add_argument("--steps", type=int, default=8000)
    steps.choices["contrast"].add_argument("--scale", type=float, default=1.0, help="factor of scores")
    given = parser.parse_args(arguments)
    if given.step == "collect":
        collect(given.proteins, given.seconds, given.engine, given.rounds).save(given.rows)
    elif given.step == "learn":
        learn(Alignments.load(given.rows), given.states, given.steps).save(
            given.library, np.full(RESIDUES, 1 / RESIDUES), 1.0
        )
    else:
        first = Library.load(given.first, _arrays())
        library, background = sharpen(Alignments.load(given.rows), first, given.steps)
        library.save(given.library, background, given.scale)


if __name__ == "__main__":
    main()
