"""Every alignment of a whole query with some identity is found by the rule of that identity: R3 misses none of them."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Identity
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.rules.host import HostScanner
from swgui.engines.traceback.best import align_local
from swgui.io.matrices import load_matrix
from swgui.jobs.rules.run import RuleRun
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text
from tests.asking import BLOSUM62

MATCH = 0  # an operation of an alignment: residues opposite each other


def relative(rng, query):
    """Return a sequence with a changed copy of a query in it: residues replaced, left out and put in."""
    changed = query.copy()
    some = rng.random(len(query)) < rng.uniform(0, 0.6)
    some[[0, -1]] = False
    changed[some] = rng.integers(0, 20, some.sum())
    for _ in range(rng.integers(0, 4)):
        place = int(rng.integers(5, len(changed) - 5))
        size = int(rng.integers(1, 4))
        added = rng.integers(0, 20, size).astype(np.uint8)
        changed = (
            np.insert(changed, place, added) if rng.integers(2) else np.delete(changed, slice(place, place + size))
        )
    return np.concatenate([rng.integers(0, 20, 20), changed, rng.integers(0, 20, 20)]).astype(np.uint8)


def whole_identity(query, subject, scheme):
    """Return the identity of the best local alignment over its columns; None if it leaves out ends of the query."""
    alignment = align_local(EncodedQuery("q", query), subject, scheme)
    if (alignment.query_start, alignment.query_end) != (0, len(query)):
        return None
    same, q, s = 0, alignment.query_start, alignment.subject_start
    for length, op in zip(alignment.lengths.tolist(), alignment.ops.tolist(), strict=True):
        if op == MATCH:
            same += int((query[q : q + length] == subject[s : s + length]).sum())
        q, s = q + length * (op != 2), s + length * (op != 1)
    return Fraction(same, alignment.columns)


@pytest.mark.parametrize(("name", "gaps"), [("BLOSUM62", (11, 1)), ("BLOSUM50", (10, 2)), ("PAM30", (9, 1))])
def test_alignments_with_the_best_score_are_found_at_their_identity(name, gaps):
    rng = np.random.default_rng(gaps[0])
    scheme = ScoringScheme.from_blast(load_matrix(name, PROTEIN), *gaps)
    found = 0
    for _ in range(150):
        query = rng.integers(0, 20, rng.integers(30, 90)).astype(np.uint8)
        subject = relative(rng, query)
        identity = whole_identity(query, subject, scheme)
        if not identity:
            continue
        found += 1
        rule = RuleScan(Identity(identity), [query], PROTEIN, HostScanner(1))
        places = rule.places(Text(subject, np.array([0, len(subject)])))
        assert len(places) == 1
        assert Fraction(int(places.matches[0]), int(places.columns[0])) >= identity
    assert found > 60


def test_counts_and_places_are_the_same_in_blocks_of_any_size(monkeypatch):
    """A whole run, too: one query among relatives, at the largest identity of a local alignment."""
    rng = np.random.default_rng(1)
    query = rng.integers(0, 20, 60).astype(np.uint8)
    subjects = [relative(rng, query) for _ in range(40)]
    identities = [whole_identity(query, subject, BLOSUM62) for subject in subjects]
    limit = sorted(filter(None, identities))[-5]
    records = [SequenceRecord(f"s{k}", "", PROTEIN.decode(subject)) for k, subject in enumerate(subjects)]
    given = (SequenceRecord("q", "", PROTEIN.decode(query)),)
    database = encode_database(records, PROTEIN, "d")
    runs = []
    for size in (1 << 20, 100):
        monkeypatch.setattr("swgui.jobs.rules.blocks.SMALLEST", size)
        run = RuleRun(RuleRequest(Identity(limit), given, PROTEIN, "", engine="cpu"), database)
        run.scan_all()
        assert sum(block.tested for block in run.blocks) == 60 * database.residues
        runs.append(set(run.found().subject.tolist()))
    assert runs[0] == runs[1]
    assert runs[0] >= {k for k, identity in enumerate(identities) if identity and identity >= limit}


@pytest.mark.skipif(shutil.which("blastp") is None, reason="blastp is not installed")
def test_what_blastp_aligns_over_the_whole_query_is_found_at_its_identity(tmp_path):
    rng = np.random.default_rng(35)
    queries = [rng.integers(0, 20, rng.integers(30, 90)).astype(np.uint8) for _ in range(8)]
    subjects = [relative(rng, query) for query in queries for _ in range(40)]
    for name, codes in (("q", queries), ("s", subjects)):
        text = "".join(f">{name}{k}\n{PROTEIN.decode(part).decode()}\n" for k, part in enumerate(codes))
        (tmp_path / name).write_text(text)
    command = ["blastp", "-query", "q", "-subject", "s", "-evalue", "1000", "-seg", "no", "-comp_based_stats", "0"]
    command += ["-max_hsps", "5", "-outfmt", "6 qseqid sseqid qstart qend nident length"]
    table = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    text = Text(np.concatenate(subjects), np.concatenate([[0], np.cumsum([len(part) for part in subjects])]))
    places = RuleScan(Identity(Fraction(1, 5)), queries, PROTEIN, HostScanner(2)).places(text)
    shares = map(Fraction, places.matches.tolist(), places.columns.tolist())
    best = dict(zip(zip(places.query.tolist(), places.subject.tolist(), strict=True), shares, strict=True))
    whole = 0
    for line in table.splitlines():
        query, subject, *numbers = line.split("\t")
        begin, end, same, columns = map(int, numbers)
        if (begin, end) == (1, len(queries[int(query[1:])])):
            whole += 1
            assert best[int(query[1:]), int(subject[1:])] >= Fraction(same, columns)
    assert whole > 60
