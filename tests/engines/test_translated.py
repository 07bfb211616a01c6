"""DNA scored in parts, as it is and in frames, by every engine: no piece, chunk or window loses anything."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.tally import Tally
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.plain import replace
from swgui.core.translation.database import frame_offsets
from swgui.core.translation.frames import FRAMES, query_frame, translate
from swgui.core.translation.programs import Translation
from swgui.engines import parts, windows
from swgui.engines.base import DeviceEngine
from swgui.engines.parts import PartSearch
from swgui.engines.translated import compile_ahead, score_missing
from tests.engines.conftest import database_of, judge, query_of, random_codes


def frame_scores(engine, queries, database, frames, scheme, residues=300):
    """Score some frames, a few hundred residues at a time; returns scores by frame, query and subject."""
    plans = plan_chunks(frame_offsets(database, 1), ChunkLimits(residues))
    scores = np.full((len(frames), len(queries), len(database)), -1, dtype=np.int64)
    how = Translation("tblastn", subject_code=11)
    search = PartSearch(engine, database, how, frames, scheme, ChunkLimits(residues))
    windows, cells = 0, 0
    for frame, chunk in search.score(queries, plans, threading.Event()):
        place = frames.index(frame), chunk.query_index, chunk.db_index
        assert (scores[place] == -1).all()
        scores[place] = chunk.scores
        cells += chunk.cells
        for window in chunk.windows:
            windows += len(window.scores)
            assert window.scores.max() == chunk.scores[chunk.db_index == window.db_index][0]
            assert (window.starts[1:] < window.stops[:-1]).all()
    residues = sum(int(frame_offsets(database, frame)[-1]) for frame in frames)
    assert cells == residues * sum(map(len, queries))
    return scores, len(plans), windows


def test_every_frame_scores_as_if_it_were_translated_first(engine, protein_scheme, rng, monkeypatch):
    monkeypatch.setattr(parts, "SCORES", 1)  # a query at a time
    subjects = [random_codes(rng, int(length), 16) for length in rng.integers(0, 400, 14)]
    subjects += [random_codes(rng, length, 4) for length in (0, 1, 2, 3, 4, 5, 900)]
    queries = [translate(subjects[-1], 2)[20:90], random_codes(rng, 33, 27)]
    database = database_of(subjects, NUCLEOTIDE)
    every, pieces, _ = frame_scores(engine, [query_of(one) for one in queries], database, FRAMES, protein_scheme)
    assert pieces > 2
    for frame, found in zip(FRAMES, every, strict=True):
        proteins = [translate(codes, frame, 11) for codes in subjects]
        for scores, query in zip(found, queries, strict=True):
            profile = protein_scheme.matrix.scores[query]
            assert scores.tolist() == judge(profile, proteins, protein_scheme.gap_first, protein_scheme.gap_extend)


@pytest.mark.parametrize("frame", [2, -3])
@pytest.mark.sampled
def test_a_gene_is_found_wherever_it_lies(engine, protein_scheme, rng, monkeypatch, frame):
    for name, value in {"PART": 60, "PART_SPANS": 1, "WINDOW": 60, "SPANS": 1}.items():
        monkeypatch.setattr(windows, name, value)
    protein = random_codes(rng, 24, 20)
    gene = np.concatenate([codon_of(residue) for residue in protein])
    gene = gene if frame > 0 else NUCLEOTIDE.reverse_complement(gene)
    length, subjects = 1_203, []
    for place in range(0, 390, 3):  # residues: over every border of windows of 60 and more
        codes = random_codes(rng, length, 4)
        start = abs(frame) - 1 + 3 * place
        at = start if frame > 0 else length - start - len(gene)
        codes[max(at, 0) : max(at, 0) + len(gene)] = gene[: length - max(at, 0)][: len(codes[max(at, 0) :])]
        subjects.append(codes)
    database = database_of(subjects, NUCLEOTIDE)
    (found,), _, known = frame_scores(engine, [query_of(protein)], database, (frame,), protein_scheme, residues=4_000)
    assert known >= 2 * len(subjects)
    proteins = [translate(codes, frame, 11) for codes in subjects]
    profile = protein_scheme.matrix.scores[protein]
    assert found[0].tolist() == judge(profile, proteins, protein_scheme.gap_first, protein_scheme.gap_extend)
    whole = int(profile[np.arange(len(protein)), protein].sum())
    assert (found[0] >= whole).sum() > 100


def test_stored_subjects_in_parts_score_as_whole(engine, dna_scheme, rng, monkeypatch):
    monkeypatch.setattr(windows, "PART", 60)
    monkeypatch.setattr(windows, "PART_SPANS", 1)
    queries = [random_codes(rng, length, 4) for length in (12, 33)]
    spans = [windows.longest_span(query_of(query), dna_scheme) for query in queries]
    assert spans == [21, 63]
    lengths = [part + edge for part in (60 + 21, 63 + 63) for edge in (-1, 0, 1)]  # of one part, and of one base more
    subjects = [random_codes(rng, length, 4) for length in (*lengths, 700, 0, 1)]
    for start in range(0, 600, 29):  # over every border of parts, with a gap in between
        subject = random_codes(rng, 640, 4)
        subject[start : start + 40] = np.insert(queries[1], 17, random_codes(rng, 7, 4))
        subjects.append(subject)
    database = database_of(subjects, NUCLEOTIDE)
    plans = plan_chunks(database.offsets, ChunkLimits(3_000))
    search = PartSearch(engine, database, None, (0,), dna_scheme, ChunkLimits(2_000))
    scores, cut_up = np.full((2, len(subjects)), -1), [set[int](), set[int]()]
    for _, chunk in search.score([query_of(one) for one in queries], plans, threading.Event()):
        scores[chunk.query_index, chunk.db_index] = chunk.scores
        cut_up[chunk.query_index] |= {window.db_index for window in chunk.windows}
        assert chunk.cells == len(queries[chunk.query_index]) * sum(len(subjects[at]) for at in chunk.db_index)
    for found, query, span, several in zip(scores, queries, spans, cut_up, strict=True):
        assert found.tolist() == judge(dna_scheme.matrix.scores[query], subjects, 7, 2)
        assert several == {at for at, subject in enumerate(subjects) if len(subject) > max(60, span) + span}


@pytest.mark.parametrize("program", ["tblastn", "tblastx"])
def test_what_is_compiled_ahead_is_what_is_scored(protein_scheme, rng, monkeypatch, program):
    monkeypatch.setattr(windows, "PART", 60)
    how, given, scored = Translation(program), [], []
    database = database_of([random_codes(rng, length, 4) for length in (3_000, 2_400, 90)], NUCLEOTIDE)

    class Prepared(DeviceEngine):
        devices, translates = (), True

        def compile_ahead(self, queries, database, scheme):
            given.append(([query.id for query in queries], database.offsets.tolist()))

        def chunk_limits(self, queries, database):
            return ChunkLimits(1 << 20)

        def score(self, queries, database, plans, scheme, cancel):
            scored.append(([query.id for query in queries], database.offsets.tolist()))
            assert not len(database.codes)
            return iter(())

    codes = [random_codes(rng, 30, 20) for _ in range(3)]
    rows = [
        replace(query_of(codes[query]), id=f"{query} {query_frame(strand)}")
        for query in range(3)
        for strand in how.readings
    ]
    engine, tally = Prepared(), Tally(len(rows), len(database), 10, keep_scores=True)
    compile_ahead(engine, rows, how.readings, database, how, protein_scheme)
    asked = rows, how.readings, database, how, tally, protein_scheme, threading.Event()
    assert list(score_missing(engine, *asked)) == []
    assert len(given[0][0]) == 3 * len(how.of_query) == len(set(given[0][0]))
    assert sorted(given[0][0]) == sorted(name for names, _ in scored for name in names)
    assert {tuple(offsets) for _, offsets in given} <= {tuple(offsets) for _, offsets in scored}


def codon_of(residue):
    """Return one of the codons of a residue."""
    every = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.uint8)
    return next(codon for codon in every if translate(codon, 1, 11)[0] == residue)
