"""Synthetic sequences for measurements of speed: the same on every computer, without a file.

Lengths follow a log-normal distribution like those of proteins, residues the frequencies of Robinson and Robinson
(1991). Some subjects hold a piece of the query with changes, so that small, large and very large scores occur: a
setting that counts wrongly is seen.
"""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.database import ArrayDatabase, TextColumn
from swgui.core.engines import EngineFacts
from swgui.core.packing import sort_by_length
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.background import background

SEED: Final = 1981
LONGEST_QUERY: Final = 8_192
LENGTHS: Final = (5.65, 0.75)  # mean and standard deviation of ln(length): about 375 residues on average
SHORTEST: Final = 20
LONGEST: Final = 8_000
RELATED: Final = 0.01  # share of the subjects that hold a piece of the query
CHANGED: Final = 0.35  # of the residues of such a piece
GPU_RESIDUES: Final = 48_000_000  # 3 ms on the largest GPU of 2025 with a query of 350
CPU_RESIDUES: Final = 2_000_000  # for two cores
_TABLE: Final = 1 << 14


def default_residues(engine: EngineFacts, cores: int) -> int:
    """Return the database size for one scan of an engine: long enough for timing, short enough to wait for."""
    if engine.kernels:
        return GPU_RESIDUES
    return min(CPU_RESIDUES * max(1, cores // 2), GPU_RESIDUES)


def synthetic_query(length: int, alphabet: Alphabet = PROTEIN) -> EncodedQuery:
    """Return the first `length` residues of one fixed synthetic sequence (it repeats after 8,192)."""
    whole = _residues(LONGEST_QUERY, alphabet, np.random.default_rng(SEED))
    return EncodedQuery(f"synthetic {alphabet.name} of {length:,}", np.resize(whole, length))


def synthetic_database(residues: int, alphabet: Alphabet = PROTEIN) -> ArrayDatabase:
    """Return a database of about `residues` residues, always the same for the same arguments."""
    rng = np.random.default_rng(SEED + 1)
    count = max(1, round(residues / np.exp(LENGTHS[0] + LENGTHS[1] ** 2 / 2)))
    lengths = np.clip(rng.lognormal(*LENGTHS, size=count), SHORTEST, LONGEST).astype(np.int64)
    order = sort_by_length(lengths)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(lengths[order], out=offsets[1:])
    codes = _residues(int(offsets[-1]), alphabet, rng)
    query = synthetic_query(LONGEST_QUERY, alphabet).codes
    for index in rng.choice(count, size=max(1, round(RELATED * count)), replace=False).tolist():
        subject = codes[offsets[index] : offsets[index + 1]]
        start = int(rng.integers(0, 256))  # early, so that short queries have relatives as well
        kept = rng.random(len(subject)) > CHANGED
        np.copyto(subject, query[start : start + len(subject)], where=kept[: len(subject)])
    none = TextColumn.from_texts(())
    made = f"made up {alphabet.name} {residues} {SEED} {LENGTHS} {RELATED} {CHANGED}"
    return ArrayDatabase(
        name=f"{count:,} synthetic {alphabet.name} sequences",
        alphabet=alphabet,
        codes=codes,
        offsets=offsets,
        order=order,
        ids=none,
        descriptions=none,
        checksum=hashlib.blake2b(made.encode(), digest_size=16).hexdigest(),
    )


def _residues(count: int, alphabet: Alphabet, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw residues by a table of codes, each as often as its frequency says: quick for many millions."""
    shares = np.round(np.cumsum(background(alphabet)) * _TABLE).astype(np.int64)
    table = np.repeat(np.arange(len(alphabet), dtype=np.uint8), np.diff(shares, prepend=0))
    return table[rng.integers(0, len(table), size=count, dtype=np.uint16)]
