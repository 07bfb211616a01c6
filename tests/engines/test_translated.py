"""Frames of DNA scored by every engine, held against translating first: no piece, chunk or window loses anything."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.translation.database import frame_offsets
from swgui.core.translation.frames import FRAMES, translate
from swgui.core.translation.programs import Translation
from swgui.engines.simd import windows
from swgui.engines.translated import score_frame
from tests.engines.conftest import database_of, judge, query_of, random_codes


def frame_scores(engine, queries, database, frame, scheme, residues=300):
    """Score one frame, a few hundred residues at a time."""
    plans = plan_chunks(frame_offsets(database, frame), ChunkLimits(residues))
    scores = np.full((len(queries), len(database)), -1, dtype=np.int64)
    how = frame, Translation("tblastn", subject_code=11)
    for chunk in score_frame(engine, queries, database, how, plans, scheme, threading.Event()):
        assert (scores[chunk.query_index, chunk.db_index] == -1).all()
        scores[chunk.query_index, chunk.db_index] = chunk.scores
        for window in chunk.windows:
            assert window.scores.max() == chunk.scores[chunk.db_index == window.db_index][0]
    return scores, len(plans)


def test_every_frame_scores_as_if_it_were_translated_first(engine, protein_scheme, rng):
    subjects = [random_codes(rng, int(length), 16) for length in rng.integers(0, 400, 14)]
    subjects += [random_codes(rng, length, 4) for length in (0, 1, 2, 3, 4, 5, 900)]
    queries = [translate(subjects[-1], 2)[20:90], random_codes(rng, 33, 27)]
    database = database_of(subjects, NUCLEOTIDE)
    for frame in FRAMES:
        found, pieces = frame_scores(engine, [query_of(one) for one in queries], database, frame, protein_scheme)
        proteins = [translate(codes, frame, 11) for codes in subjects]
        assert pieces > 2
        for scores, query in zip(found, queries, strict=True):
            profile = protein_scheme.matrix.scores[query]
            assert scores.tolist() == judge(profile, proteins, protein_scheme.gap_first, protein_scheme.gap_extend)


@pytest.mark.parametrize("frame", [2, -3])
def test_a_gene_is_found_wherever_it_lies(engine, protein_scheme, rng, monkeypatch, frame):
    monkeypatch.setattr(windows, "WINDOW", 60)
    monkeypatch.setattr(windows, "SPANS", 1)
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
    found, _ = frame_scores(engine, [query_of(protein)], database, frame, protein_scheme, residues=4_000)
    proteins = [translate(codes, frame, 11) for codes in subjects]
    profile = protein_scheme.matrix.scores[protein]
    assert found[0].tolist() == judge(profile, proteins, protein_scheme.gap_first, protein_scheme.gap_extend)
    whole = int(profile[np.arange(len(protein)), protein].sum())
    assert (found[0] >= whole).sum() > 100


def codon_of(residue):
    """Return one of the codons of a residue."""
    every = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.uint8)
    return next(codon for codon in every if translate(codon, 1, 11)[0] == residue)
