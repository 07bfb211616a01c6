"""Time of a scan of nucleotides on both strands: a plain query, a profile with the same gap costs, and by position.

    python packaging/measuring/rna_speed.py cpu 1500 100            # engine, bases of the query, millions of bases

The database is random, in sequences of 1,500 bases, and the query is planted in every thousandth of them. Of three
scans in turn the fastest counts; the first ones compile and warm up. On a busy computer the time of the cores counts.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.packing import plan_chunks
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment
from swgui.core.profiles.bases import related_bases
from swgui.core.profiles.log_odds import in_eighths_of_bits
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.facts import ENGINES
from swgui.engines.native.profiles import ProfileMaker
from swgui.engines.registry import make_engine

LENGTH = 1_500
ROWS = 30


def made(megabases: int, query: np.ndarray, random: np.random.Generator) -> EncodedDatabase:
    """Return the database."""
    codes = random.integers(0, 4, (megabases * 1_000_000 // LENGTH, LENGTH)).astype(np.uint8)
    codes[::1000, : len(query)] = query[:LENGTH]
    records = [SequenceRecord(str(number), "", NUCLEOTIDE.decode(row)) for number, row in enumerate(codes)]
    return encode_database(records, NUCLEOTIDE, "random")


def by_position(codes: np.ndarray, random: np.random.Generator) -> list[EncodedQuery]:
    """Return the profile of a family of the query, on both strands."""
    alignment = MasterAlignment.of_query(SequenceRecord("q", "", NUCLEOTIDE.decode(codes)), NUCLEOTIDE)
    kin = np.where(random.random((ROWS, len(codes))) < 0.7, codes, random.integers(0, 4, (ROWS, len(codes))))
    for number, row in enumerate(kin):
        at = int(random.integers(len(codes)))
        row[at : at + 4] = alignment.alphabet.code("N") if number < ROWS // 2 else row[at : at + 4]
    alignment = alignment.with_rows([AlignedRow(str(n), "", row.astype(np.uint8)) for n, row in enumerate(kin)])
    profile = ProfileMaker(related_bases(), NUCLEOTIDE_PRESETS["standard"].recipe).build(alignment).profile
    other, turned = profile.reverse_complement(), NUCLEOTIDE.reverse_complement(codes)
    return [
        EncodedQuery("plus", codes, profile.scores, gaps=profile.gaps),
        EncodedQuery("minus", turned, other.scores, gaps=other.gaps),
    ]


def main() -> None:
    """Print the fastest of three scans of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=[facts.name for facts in ENGINES])
    parser.add_argument("bases", type=int, help="of the query")
    parser.add_argument("megabases", type=int, help="of the database")
    asked = parser.parse_args()
    name, length, megabases = asked.engine, asked.bases, asked.megabases
    random = np.random.default_rng(1)
    codes = random.integers(0, 4, length).astype(np.uint8)
    database = made(megabases, codes, random)
    plain = [EncodedQuery("plus", codes), EncodedQuery("minus", NUCLEOTIDE.reverse_complement(codes))]
    family = by_position(codes, random)
    same = [EncodedQuery(query.id, query.codes, query.profile) for query in family]
    kinds = {
        "match 2, mismatch -3, gaps 5 and 2": (
            plain,
            ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2),
        ),
        "profile": (same, ScoringScheme(in_eighths_of_bits(related_bases()), 40, 8)),
        "profile with gap costs by position": (family, ScoringScheme(in_eighths_of_bits(related_bases()), 40, 8)),
    }
    engine = make_engine(name, EngineOptions())
    for kind, (queries, scheme) in kinds.items():
        plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
        times = []
        for _ in range(3):
            began, of_cores, best = time.perf_counter(), time.process_time(), 0
            for part in engine.score(queries, database, plans, scheme, threading.Event()):
                best = max(best, int(part.scores.max()))
            times.append((time.perf_counter() - began, time.process_time() - of_cores))
        cells = sum(map(len, queries)) * database.residues
        seconds, of_cores = (min(each) for each in zip(*times, strict=True))
        speeds = (
            f"{cells / seconds / 1e9:.1f} GCUPS; {of_cores:.2f} s of the cores, {cells / of_cores / 1e9:.1f} a core"
        )
        print(f"{name}: {kind}: {seconds:.3f} s, {speeds}; best {best}", flush=True)


if __name__ == "__main__":
    main()
