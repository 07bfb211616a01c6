"""The customary figure of the window rule, and its background."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.rules.matching import masks, match_table
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Window
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.rules.host import HostScanner
from swgui.engines.rules.scanner import patterns
from swgui.engines.traceback.best import align_local
from swgui.io.matrices import load_matrix
from swgui.jobs.certificate import checksum_of
from swgui.jobs.rules.background import fasta_identities, measure_background, shuffled, with_background
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text


def made(seed, length):
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)
    return letters[np.random.default_rng(seed).integers(0, 20, length)].tobytes()


@pytest.fixture
def run():
    query = made(1, 120)
    changed = np.frombuffer(query, np.uint8).copy()
    changed[::2] = ord("A")
    records = [
        SequenceRecord("same", "", query),
        SequenceRecord("half", "", made(2, 30) + changed.tobytes()),
        SequenceRecord("other", "", made(3, 200)),
    ]
    database = encode_database(records, PROTEIN, "allergens")
    request = RuleRequest(Window(80, Fraction(35, 100)), (SequenceRecord("q", "", query),), PROTEIN, "x", engine="cpu")
    run = RuleRun(request, database)
    run.scan_all()
    return run


def test_the_figure_of_fasta_is_that_of_the_alignment_with_the_best_score(run):
    places = run.found()
    assert {run.database.ids[int(subject)] for subject in places.subject} == {"same", "half"}
    values = fasta_identities(run.request, run.database, places)
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM50", PROTEIN), 10, 2)
    codes = PROTEIN.encode(run.request.queries[0].residues)
    for row, value in enumerate(values):
        window = EncodedQuery("w", codes[places.query_start[row] : places.query_end[row]])
        subject = run.database.subject(int(places.subject[row]))
        alignment = align_local(window, subject, scheme)
        query_row = codes[places.query_start[row] :]
        same, q, s = 0, alignment.query_start, alignment.subject_start
        for length, op in zip(alignment.lengths.tolist(), alignment.ops.tolist(), strict=True):
            for _ in range(length):
                if op == 0:
                    same += int(query_row[q] == subject[s])
                q, s = q + (op != 2), s + (op != 1)
        assert value == pytest.approx(same / max(alignment.columns, 80))
    assert values.max() == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_the_subjects_of_a_background_are_those_with_places(seed):
    """Several windows of those are scored together first; here each window is scored on its own."""
    rng = np.random.default_rng(seed)
    subjects = [rng.integers(0, 20, size).astype(np.uint8) for size in rng.integers(0, 600, 90)]
    begins = np.concatenate([[0], np.cumsum([len(subject) for subject in subjects])]).astype(np.int64)
    text, query = Text(np.concatenate(subjects), begins), rng.integers(0, 20, 71 + 9 * seed).astype(np.uint8)
    rule, scanner = Window((80, 33)[seed % 2], (Fraction(35, 100), Fraction(1, 3))[seed % 2]), HostScanner(2)
    places = RuleScan(rule, [query], PROTEIN, scanner).places(text)
    subjects_with = places.subject
    cut = patterns(
        [query[at : at + rule.length] for at in range(rule.windows(len(query)))], masks(match_table(PROTEIN))
    )
    ranges = np.stack([begins[:-1], begins[1:]])
    up, down = rule.identity.denominator - rule.identity.numerator, rule.identity.numerator
    weights = (np.full(len(subjects), value, np.int32) for value in (up, down))
    scores = scanner.scores(text.codes, ranges, cut, *weights, lambda: None)
    if len(query) >= rule.length:
        counts = (scores > 0).sum(axis=0)
        assert sorted(subjects_with) == np.flatnonzero(counts).tolist()
        assert places.windows.tolist() == counts[places.subject].tolist()
    assert RuleScan(rule, [query], PROTEIN, scanner).passing(text).tolist() == sorted(subjects_with)


def test_shuffled_queries_pass_by_chance_alone(run):
    background = measure_background(run.request, run.database)
    assert len(background.passing) == 10
    assert background.subjects == 3
    assert all(0 <= count <= 3 for count in background.passing)
    assert background == measure_background(run.request, run.database)
    assert "in 10 random orders" in background.sentence()
    first, second = (shuffled(run.request.queries, np.random.default_rng(1)) for _ in range(2))
    assert first == second
    assert sorted(first[0].residues) == sorted(run.request.queries[0].residues)
    assert first[0].residues != run.request.queries[0].residues
    facts = with_background(certificate(run), background)
    assert facts["background"]["subjects_passing"] == list(background.passing)
    assert facts["certificate_sha256"] == checksum_of(facts)
