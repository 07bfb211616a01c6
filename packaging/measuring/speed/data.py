"""Input of benchmarks: real sequences from a folder, and databases made larger by repetition."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import ArrayDatabase, TextColumn, encode_database
from swgui.core.errors import SwguiError
from swgui.core.packing import sort_by_length
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences

DATA_VARIABLE: Final = "SWGUI_DATA"
DATA_DEFAULT: Final = "../shared/data"
SEQUENCE_FILE: Final = re.compile(r"\.(fa|faa|fna|fasta)(\.gz)?$")
WINDOW: Final = 10_000  # residues of a genome that make one query


class DataMissing(SwguiError, FileNotFoundError):
    """A file of the benchmark that is not there."""


def data_folder(given: str | None) -> Path:
    """Return the folder of the real sequences."""
    return Path(given or os.environ.get(DATA_VARIABLE) or DATA_DEFAULT)


def data_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the sequence files below a folder, as inputs that no output may replace (`swgui.io.outputs`)."""
    yield from (("data", path) for path in folder.rglob("*") if SEQUENCE_FILE.search(path.name))


def load_records(folder: Path, name: str, alphabet: Alphabet) -> list[SequenceRecord]:
    """Read one file of the folder.

    Raises
    ------
    DataMissing
    """
    path = folder / name
    if not path.is_file():
        raise DataMissing(f"{path} is missing.", hint=f"Give the folder with --data or in {DATA_VARIABLE}.")
    return list(read_sequences(path, alphabet))


def protein_scheme() -> ScoringScheme:
    """BLOSUM62, first gap residue 12, further ones 1."""
    return ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)


def nucleotide_scheme() -> ScoringScheme:
    """Match 2, mismatch -3, gap 5 + 2k."""
    return ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)


def load_queries(folder: Path, name: str) -> list[EncodedQuery]:
    """Read protein queries."""
    return [EncodedQuery(r.id, PROTEIN.encode(r.residues)) for r in load_records(folder, name, PROTEIN)]


def load_database(folder: Path, name: str, alphabet: Alphabet = PROTEIN, times: int = 1) -> ArrayDatabase:
    """Read a database and repeat it."""
    return repeat(encode_database(load_records(folder, name, alphabet), alphabet, name), times)


def as_profile(query: EncodedQuery, scheme: ScoringScheme, *, model: bool = False) -> EncodedQuery:
    """Return a query as a profile in eighths of a bit, with costs of gaps that differ from position to position.

    The first residue costs 2.5 to 8 bits and the others 0.35, as in profiles of iterated searches. In a `model` other
    residues differ too, and now and then a deletion gets something back, as in models of HMMER.
    """
    position = np.arange(len(query), dtype=np.int16)
    first, extend = 20 + position % 45, np.full(len(query), 3, dtype=np.int16)
    further = np.where(position % 10 == 9, -2, extend).astype(np.int16) if model else extend
    gaps = PositionGaps(first, extend, first[::-1].copy(), further)
    name = f"{'all costs' if model else 'first residues'}, {query.id}"
    return EncodedQuery(name, query.codes, (4 * query.scores(scheme)).astype(np.int16), query.strand, gaps)


def windows(folder: Path, name: str) -> list[EncodedQuery]:
    """Cut a genome into queries, each on both strands."""
    queries = []
    for record in load_records(folder, name, NUCLEOTIDE):
        codes = NUCLEOTIDE.encode(record.residues)
        for start in range(0, len(codes), WINDOW):
            plus = codes[start : start + WINDOW]
            queries.append(EncodedQuery(f"{record.id}:{start + 1}", plus))
            queries.append(EncodedQuery(f"{record.id}:{start + 1}", NUCLEOTIDE.reverse_complement(plus), strand=-1))
    return queries


def repeat(database: ArrayDatabase, times: int) -> ArrayDatabase:
    """Return the database several times over, as if its file had been; the copies have no names."""
    if times == 1:
        return database
    stored = np.diff(database.offsets)
    lengths = np.tile(database.lengths, times)
    order = sort_by_length(lengths)
    position = database.position[order % len(database)]
    offsets = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(stored[position], out=offsets[1:])
    codes = np.empty(offsets[-1], dtype=np.uint8)
    # Subjects of one length follow each other: the copies of each run of equal lengths are one gather.
    edges = np.flatnonzero(np.diff(stored[position], prepend=-1, append=-1))
    for first, last in pairwise(edges.tolist()):
        length = int(stored[position[first]])
        starts = database.offsets[position[first:last]]
        codes[offsets[first] : offsets[last]] = database.codes[(starts[:, np.newaxis] + np.arange(length)).ravel()]
    return ArrayDatabase(
        name=f"{database.name} x {times}",
        alphabet=database.alphabet,
        codes=codes,
        offsets=offsets,
        order=order,
        ids=TextColumn.from_texts(()),
        descriptions=TextColumn.from_texts(()),
        checksum=f"{database.checksum} x {times}",
    )
