"""The CUDA engine on a GPU, beyond what the contract of all engines asks."""

from __future__ import annotations

import gc
import threading
from contextlib import closing

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.registry import make_engine, probe
from swgui.engines.windows import LONG_SUBJECT
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from tests.engines.conftest import (
    all_scores,
    database_of,
    judge_by_position,
    profile_query,
    query_of,
    random_codes,
    random_gaps,
    relative,
)
from tests.reference import reference_scores

pytestmark = pytest.mark.gpu

# Ways to run the same search; all must give the same scores.
WAYS = {
    "resident": {},
    "without DPX": {"dpx": "off"},
    "streamed": {"memory_mib": "1"},
    "pageable": {"pinned": "off", "memory_mib": "1"},
    "streamed, little on the host": {"memory_mib": "1", "host_memory_mib": "1"},
    "one query at a time": {"twin_queries": "off"},
}


def engine_with(devices=(), **settings):
    return closing(make_engine("cuda", EngineOptions(devices=devices, settings=settings)))


@pytest.fixture(scope="module")
def mixed():
    """Queries of one and of several passes, related subjects of all lengths, some beyond 16 bits."""
    rng = np.random.default_rng(5)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in (1, 8, 31, 144, 150, 777, 1300, 1290, 4100)]
    matrix = load_matrix("BLOSUM62", PROTEIN)
    for n in (40, 240, 235, 1500):  # with gap costs by position, all four and first residues alone
        gaps = random_gaps(rng, n)
        first, extend = 3 + gaps.insertion_first, np.full(n, 3, dtype=np.int16)
        kinds = gaps, PositionGaps(first, extend, first, extend)
        queries += [profile_query(rng, random_codes(rng, n, 20), matrix, costs, f"p{n}") for costs in kinds]
    subjects = [random_codes(rng, int(n), 20) for n in rng.gamma(2, 180, 3000)]
    subjects += [relative(rng, queries[i % len(queries)].codes, 20) for i in range(200)]
    longest = queries[8].codes
    subjects += [np.tile(longest, 2), longest, longest[:3500]]
    queries += [query_of(random_codes(rng, int(n), 20), "short") for n in rng.integers(100, 128, 70)]  # share launches
    return queries, database_of(subjects, PROTEIN), subjects


def test_every_way_gives_the_same_scores(mixed, protein_scheme):
    queries, database, subjects = mixed
    expected = None
    for name, settings in WAYS.items():
        with engine_with(**settings) as engine:
            for limits in (None, ChunkLimits(residues=33_333), None):  # streamed: read, kept, sent as it was kept
                scores = all_scores(engine, queries, database, protein_scheme, limits)
                if expected is None:
                    expected = scores
                assert np.array_equal(scores, expected), name
    chosen = np.random.default_rng(0).choice(len(subjects), 12, replace=False)
    for row in (9, 10, 11, 12):  # the shortest with costs by position
        textbook = judge_by_position(queries[row], protein_scheme, [subjects[i] for i in chosen])
        assert expected[row, chosen].tolist() == textbook
    for row in (0, 2, 4):
        profile = queries[row].scores(protein_scheme)
        textbook = reference_scores(
            profile, [subjects[i] for i in chosen], protein_scheme.gap_first, protein_scheme.gap_extend
        )
        assert expected[row, chosen].tolist() == list(textbook)


def test_all_devices_give_the_scores_of_one(mixed, protein_scheme):
    found = probe("cuda").devices
    if len(found) < 2:
        pytest.skip("there is one CUDA device")
    queries, database, _ = mixed
    with engine_with() as single, engine_with(("all",)) as several:
        assert np.array_equal(
            all_scores(several, queries, database, protein_scheme, ChunkLimits(residues=50_000)),
            all_scores(single, queries, database, protein_scheme),
        )


@pytest.mark.parametrize("limit", [1, 10, 5000])
def test_best_subjects_are_ranked_as_by_all_scores(mixed, protein_scheme, limit):
    queries, database, _ = mixed
    with engine_with() as engine:
        for query in queries:
            scores = all_scores(engine, [query], database, protein_scheme)[0]
            hits, _ = engine.best(query, database, protein_scheme, limit)
            order = np.lexsort((np.arange(len(scores)), -scores))[:limit]
            assert hits.db_index.tolist() == order.tolist()
            assert hits.scores.tolist() == scores[order].tolist()


def test_nothing_stays_on_the_device_after_close(mixed, protein_scheme):
    import cupy

    queries, database, _ = mixed
    pool = cupy.get_default_memory_pool()
    gc.collect()  # what earlier tests have dropped
    before = pool.used_bytes()
    with engine_with() as engine:
        all_scores(engine, queries, database, protein_scheme)
        assert pool.used_bytes() > before
    gc.collect()
    assert pool.used_bytes() <= before


def test_an_engine_scores_rightly_after_cancel(mixed, protein_scheme):
    queries, database, _ = mixed
    with engine_with() as engine:
        plans = plan_chunks(database.offsets, ChunkLimits(residues=20_000))
        cancel = threading.Event()
        for _ in engine.score(queries, database, plans, protein_scheme, cancel):
            cancel.set()
        again = all_scores(engine, queries[:3], database, protein_scheme)
    with engine_with() as fresh:
        assert np.array_equal(again, all_scores(fresh, queries[:3], database, protein_scheme))


@pytest.mark.data
@pytest.mark.slow
def test_real_proteins_against_the_cpu_engine(data_dir):
    status = probe("cpu")
    if not status.available:
        pytest.skip(status.reason)
    proteins = data_dir / "proteins"
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    database = encode_database(
        read_sequences(proteins / "swissprot_16species.fasta.gz", PROTEIN), PROTEIN, "16 species"
    )
    records = read_sequences(proteins / "cudasw_20queries.fasta", PROTEIN)
    queries = [EncodedQuery(record.id, PROTEIN.encode(record.residues)) for record in records]
    with closing(make_engine("cpu", EngineOptions())) as cpu:
        expected = all_scores(cpu, queries, database, scheme)
    for name, settings in WAYS.items():
        with engine_with(**{**settings, **({"memory_mib": "4"} if "memory_mib" in settings else {})}) as engine:
            assert np.array_equal(all_scores(engine, queries, database, scheme), expected), name


@pytest.mark.usefixtures("user_folders", "trusted_engines")
@pytest.mark.parametrize(("strand", "rule"), [("both", "first"), ("minus", "blast"), ("minus", "first")])
def test_genes_of_a_chromosome_are_listed_as_on_the_cpu(strand, rule, tmp_path):
    rng = np.random.default_rng(12)
    chromosome = random_codes(rng, 3 * LONG_SUBJECT, 15) % 4
    turned = NUCLEOTIDE.reverse_complement(chromosome)
    genes = [relative(rng, side[at : at + 700], 4) for side in (chromosome, turned) for at in (9_000, LONG_SUBJECT)]
    chromosome[150_000:150_400] = genes[0][100:500]  # a second alignment of a gene
    for name, sequences in (("genes", genes), ("chromosome", [chromosome])):
        text = "".join(f">{name}{at}\n{NUCLEOTIDE.decode(codes).decode()}\n" for at, codes in enumerate(sequences))
        (tmp_path / name).write_text(text)
    listed = {}
    for engine in ("cuda", "cpu"):
        out = tmp_path / engine
        words = ["-q", str(tmp_path / "genes"), "-d", str(tmp_path / "chromosome"), "-o", str(out)]
        how = ["--engine", engine, "--strand", strand, "--gap-rule", rule]
        assert main(["search", *words, *how]) == 0
        listed[engine] = out.read_text().splitlines()
    assert listed["cuda"] == listed["cpu"]
    assert len(listed["cpu"]) > (5 if strand == "both" else 3)


@pytest.mark.parametrize("costs", [(5, 2), (0, 3), (12, 0)])  # the last knows no longest alignment
def test_chromosomes_in_parts_score_as_on_the_cpu(costs):
    rng = np.random.default_rng(8)
    scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), *costs)
    lengths = (300_000, 110_000, LONG_SUBJECT + 1, LONG_SUBJECT, 39_986, 39_985, 39_984, 5, 0)  # some as long as a part
    chromosomes = [random_codes(rng, length, 15) % 4 for length in lengths]
    first = chromosomes[0]
    queries = [first[at : at + length] for at, length in ((8_100, 100), (39_000, 4_000), (90_000, 1_000), (290_000, 1))]
    queries += [NUCLEOTIDE.reverse_complement(first[150_000:151_500]), relative(rng, chromosomes[1][60_000:67_000], 4)]
    queries.append(np.zeros(0, np.uint8))
    rows, database = [query_of(codes) for codes in queries], database_of(chromosomes, NUCLEOTIDE)
    found = {}
    for name in ("cuda", "cpu"):
        with closing(make_engine(name, EngineOptions())) as made:
            plans = plan_chunks(database.offsets, ChunkLimits(400_000))
            chunks = list(made.score(rows, database, plans, scheme, threading.Event()))
        scores = np.full((len(rows), len(chromosomes)), -1)
        for chunk in chunks:
            assert (scores[chunk.query_index, chunk.db_index] == -1).all()
            scores[chunk.query_index, chunk.db_index] = chunk.scores
        found[name] = scores.tolist()
        windows = [one for chunk in chunks for one in chunk.windows if one.db_index == 0]
        assert len(windows) == (len(rows) - 1 if costs[1] else 1) or name == "cpu"
        best = [
            (scores[chunk.query_index, one.db_index], one.scores.max()) for chunk in chunks for one in chunk.windows
        ]
        assert all(whole == of_windows for whole, of_windows in best)
    assert found["cuda"] == found["cpu"]
    assert sum(chunk.cells for chunk in chunks) == database.residues * sum(map(len, rows))
