"""Nucleotides all against all on both strands, against a recurrence of this file alone."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import InvalidParameter, LogError
from swgui.core.network.edges import Edges
from swgui.core.network.measures import EdgeLimit
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.engines.traceback.best import align_local
from swgui.io.network.file import load_network, save_network
from swgui.io.network.graphs import attributes
from swgui.io.saved.log import Log
from swgui.jobs.events import run_to_end
from swgui.jobs.network import edges as job
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import edges_of, facts_of, identities_of, network_of
from swgui.jobs.network.leak import nearest_of
from swgui.jobs.network.resume import log_beside
from tests.asking import BLOSUM62, DNA_SCHEME

COMPLEMENT = str.maketrans("ACGT", "TGCA")
EVERY = 1e99  # no limit of E


def turned(text: str) -> str:
    return text[::-1].translate(COMPLEMENT)


def plain_score(a: str, b: str, match: int = 2, mismatch: int = -3, opening: int = 5, further: int = 2) -> int:
    """Return the best local score, by the definition of Smith and Waterman with gaps of any length (Gotoh)."""
    best, row = 0, [0] * (len(b) + 1)
    down = [-(10**6)] * (len(b) + 1)
    for letter in a:
        diagonal, along, left = 0, -(10**6), 0
        for j, other in enumerate(b, start=1):
            down[j] = max(down[j], row[j] - opening) - further
            along = max(along, left - opening) - further
            left = max(0, diagonal + (match if letter == other else mismatch), along, down[j])
            diagonal, row[j] = row[j], left
            best = max(best, left)
    return best


def sequences(rng: np.random.Generator, number: int, longest: int = 30) -> list[str]:
    """Return random sequences, some of them changed copies of others or of their reverse complements."""
    texts = list[str]()
    for _ in range(number):
        own = rng.choice(list("ACGT"), int(rng.integers(1, longest)), p=[0.4, 0.1, 0.1, 0.4])
        if texts and rng.random() < 0.6:
            own = np.array(list(texts[int(rng.integers(len(texts)))]))
            changed = rng.random(len(own)) < rng.choice([0, 0.1, 0.3])
            own[changed] = rng.choice(list("ACGT"), int(changed.sum()))
            own = np.delete(own, int(rng.integers(len(own)))) if len(own) > 1 and rng.random() < 0.3 else own
        texts.append(turned("".join(own)) if rng.random() < 0.5 else "".join(own))
    return texts


def encoded(texts: list[str], name: str = "set") -> EncodedDatabase:
    records = (SequenceRecord(f"s{number}", "", text.encode()) for number, text in enumerate(texts))
    return encode_database(records, NUCLEOTIDE, name)


def compared(asked: AllAgainstAll) -> Edges:
    return run_to_end(edges_of(asked, threading.Event()))


def found(asked: AllAgainstAll) -> dict[tuple[int, int], tuple[int, int]]:
    """Return score and strand of each pair that is kept."""
    edges = compared(asked)
    columns = (column.tolist() for column in (edges.first, edges.second, edges.scores, edges.strands))
    return {(a, b): (score, strand) for a, b, score, strand in zip(*columns, strict=True)}


def expected(asked: AllAgainstAll, queries: list[str], subjects: list[str]) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the same, of every pair: E is the program's, of the score of this file."""
    made = {}
    for a, first in enumerate(queries):
        for b, second in enumerate(subjects):
            if asked.one_set and b <= a:
                continue
            scores = [plain_score(first, second)]
            scores += [plain_score(turned(first), second)] if asked.compared == "both" else []
            best, longer = max(scores), max(len(first), len(second))
            log10 = asked.statistics.log10_evalues([best], longer, [1], *asked.search_space)[0]
            same = first == second or (asked.compared == "both" and turned(first) == second)
            if best > 0 and (same or log10 <= np.log10(asked.evalue) + 1e-9):
                made[a, b] = (best, 1 if scores[0] == best else -1)
    return made


@pytest.mark.parametrize("cases", [50, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_pairs_are_those_of_a_plain_recurrence(cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(cases)
    minus = 0
    for case in range(cases):
        monkeypatch.setattr(job, "BLOCK", int(rng.choice([1, 2, 4, 512])))
        monkeypatch.setattr(job, "BLOCK_RESIDUES", int(rng.choice([40, 1 << 17])))
        texts, others = sequences(rng, int(rng.integers(2, 8))), sequences(rng, 3)
        one = encoded(texts)
        two = one if case % 3 else encoded(others + texts[:1], "other")
        strand, evalue = str(rng.choice(["", "both", "plus"])), float(rng.choice([1e-3, 0.1, 10, EVERY]))
        asked = AllAgainstAll(two, one, DNA_SCHEME, evalue, str(rng.choice(["cpu", "cpu", "reference"])), strand=strand)
        right = expected(asked, texts if two is one else others + texts[:1], texts)
        assert found(asked) == right, (texts, others)
        minus += sum(of_strand < 0 for _, of_strand in right.values())
    assert minus > cases / 2


def test_alignments_are_those_of_the_strand() -> None:
    rng = np.random.default_rng(3)
    texts = sequences(rng, 30, 60)
    database = encoded(texts)
    asked = AllAgainstAll(database, database, DNA_SCHEME, EVERY, "cpu")
    edges = compared(asked)
    assert set(edges.strands.tolist()) == {1, -1}
    for row in range(len(edges)):
        a, b = sorted((int(edges.first[row]), int(edges.second[row])), key=lambda n: (-len(texts[n]), texts[n]))
        query, subject = (np.ascontiguousarray(database.subject(index)) for index in (a, b))
        query = query if edges.strands[row] > 0 else NUCLEOTIDE.reverse_complement(query)
        alignment = align_local(EncodedQuery("", query), subject, DNA_SCHEME)
        assert alignment.score == edges.scores[row]
        spans = {a: alignment.query_end - alignment.query_start, b: alignment.subject_end - alignment.subject_start}
        assert edges.first_span[row] == spans[int(edges.first[row])]
        assert edges.second_span[row] == spans[int(edges.second[row])]
    again = identities_of(asked, np.stack([edges.first, edges.second], axis=1).astype(np.int64), threading.Event())
    for name in ("scores", "strands", "identities", "columns", "first_span", "second_span"):
        assert np.array_equal(getattr(again, name), getattr(edges, name)), name


def test_a_reverse_complement_is_the_same_molecule() -> None:
    text = "".join(np.random.default_rng(1).choice(list("ACGT"), 40))
    train, test = encoded([text, "ACGTTGCA"]), encoded([turned(text), turned(text).replace("T", "U")])
    limit = EdgeLimit(0.9, 0.8)
    leaks = nearest_of(asked := AllAgainstAll(test, train, DNA_SCHEME, 1e-30, "cpu"), compared(asked), limit)
    assert leaks.counts()[100] == 2
    assert ", both strands" in leaks.summary()[0]
    rows = [dict(zip((one.key for one in leaks.table().columns), row, strict=True)) for row in leaks.table().rows()]
    assert [(row["sstrand"], row["strands"]) for row in rows] == [("minus", "both")] * 2
    asked = AllAgainstAll(test, train, DNA_SCHEME, 10, "cpu", strand="plus")
    leaks = nearest_of(asked, compared(asked), limit)
    assert leaks.counts()[30] == 0
    assert ", plus strand alone" in leaks.summary()[0]


def test_strands_that_make_no_sense_are_refused() -> None:
    protein = encode_database([SequenceRecord("a", "", b"MKV")], PROTEIN, "one")
    for strand in ("both", "plus"):
        with pytest.raises(InvalidParameter, match="Proteins have no strands"):
            AllAgainstAll(protein, protein, BLOSUM62, 10, strand=strand)
    assert AllAgainstAll(protein, protein, BLOSUM62, 10).compared == ""
    bases = encoded(["ACGT"])
    with pytest.raises(InvalidParameter, match="cannot be compared on the strand 'minus'"):
        AllAgainstAll(bases, bases, DNA_SCHEME, 10, strand="minus")
    scores = match_mismatch(NUCLEOTIDE, 2, -3).scores.copy()
    a, r = map(NUCLEOTIDE.code, "AR")
    scores[a, r] = scores[r, a] = 1  # and another one of T and Y
    scheme = ScoringScheme(SubstitutionMatrix("+2/-3", NUCLEOTIDE, scores), DNA_SCHEME.gap_first, DNA_SCHEME.gap_extend)
    AllAgainstAll(bases, bases, scheme, 10, strand="plus")
    with pytest.raises(InvalidParameter, match="for two bases than for their complements"):
        AllAgainstAll(bases, bases, scheme, 10)


def test_what_is_kept_of_other_strands_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "BLOCK", 4)
    database = encoded(sequences(np.random.default_rng(4), 30, 60))
    asked = AllAgainstAll(database, database, DNA_SCHEME, 10, "cpu")
    whole, out = compared(asked), tmp_path / "n.swnet"
    aligned, count = job.aligned_edges, [0]

    def killed(*given: object) -> Edges:
        count[0] += 1
        if count[0] > 3:
            raise KeyboardInterrupt
        return aligned(*given)

    def run(asked: AllAgainstAll) -> None:
        with log_beside(out, facts_of(asked)) as log:
            run_to_end(edges_of(asked, threading.Event(), log))

    with monkeypatch.context() as patch:
        patch.setattr(job, "aligned_edges", killed)
        with pytest.raises(KeyboardInterrupt):
            run(asked)
    with pytest.raises(LogError, match="is of other strands"):
        run(AllAgainstAll(database, database, DNA_SCHEME, 10, "cpu", strand="plus"))
    with log_beside(out, facts_of(asked)) as log:
        assert isinstance(log, Log)
        assert len(list(log.entries())) > 0
        edges = run_to_end(edges_of(asked, threading.Event(), log))
    for name in Edges.__dataclass_fields__:
        assert np.array_equal(getattr(edges, name), getattr(whole, name)), name


def test_a_network_keeps_its_strands(tmp_path: Path) -> None:
    database = encoded(sequences(np.random.default_rng(5), 12, 40))
    for strand in ("both", "plus"):
        asked = AllAgainstAll(database, database, DNA_SCHEME, 10, "cpu", strand=strand)
        made = run_to_end(network_of(asked, threading.Event()))
        save_network(made, tmp_path / "n.swnet")
        again = load_network(tmp_path / "n.swnet")
        assert again.strand == strand
        assert np.array_equal(again.edges.strands, made.edges.strands)
        assert {row["sstrand"] for row in attributes(again.edges_table())} == (
            {"plus", "minus"} if strand == "both" else {"plus"}
        )
        assert {row["strands"] for row in attributes(again.edges_table())} == {strand}
