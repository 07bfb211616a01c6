"""Searches of a packed file block by block find what they find in the same database in memory, to the last bit."""

import gc
import threading
import weakref

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, alphabet_by_name
from swgui.core.database import encode_database
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import Letters, SequenceRecord
from swgui.core.several.joined import joined
from swgui.core.several.part import restricted
from swgui.core.translation.programs import Translation
from swgui.io.database.packed import opening
from swgui.io.database.packed.database import PackedDatabase
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.request import in_rounds
from swgui.jobs.search.opening import on_gpus_in_blocks
from swgui.jobs.search.verify import verify
from tests.asking import answer, search_request
from tests.core.several.test_joined import BLOSUM62, CASES, protein_and_genes, records, same, search, with_relatives
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(3)
def test_plain_searches(block_by_block, case):
    letters, alphabet, how, count = CASES[case]
    chance = np.random.default_rng(3)
    queries = [SequenceRecord(f"q{n}", "", bytes(chance.choice(list(letters.encode()), 60).tolist())) for n in range(3)]
    whole = encode_database(with_relatives(chance, records(chance, count, letters), queries, letters), alphabet, "mine")
    found, wanted = search(block_by_block(whole), queries, **how), search(whole, queries, **how)
    same(found, wanted)
    shown, expected = (describe_hits(result, 0, range(5)) for result in (found, wanted))
    for mine, other in zip(shown, expected, strict=True):
        assert (mine.subject, mine.alignment) == (other.subject, other.alignment)


@pytest.mark.parametrize("many", [1, 2, 100])
def test_lists_of_queries_are_made_together(block_by_block, monkeypatch, many):
    monkeypatch.setattr("swgui.jobs.search.lists.GROUP_OF_BLOCKS", many)
    chance, letters = np.random.default_rng(4), "ACDEFGHIKLMNPQRSTVWY"
    queries = [SequenceRecord(f"q{n}", "", bytes(chance.choice(list(letters.encode()), 50).tolist())) for n in range(5)]
    whole = encode_database(with_relatives(chance, records(chance, 150, letters), queries, letters), PROTEIN, "mine")
    how = {"scheme": BLOSUM62, "composition": "none", "keep_scores": False}
    same(search(block_by_block(whole), queries, **how), search(whole, queries, **how))


@pytest.mark.parametrize(
    ("letters", "longest", "blocks"), [("ACDEFGHIKL", 70_000, True), ("ACGT", 60_000, True), ("ACGT", 70_000, False)]
)
def test_a_gpu_unpacks_what_it_scores_as_a_whole(block_by_block, monkeypatch, letters, longest, blocks):
    monkeypatch.setattr("swgui.jobs.search.opening.LARGE", 0)
    long = SequenceRecord("s", "", letters.encode() * (longest // len(letters)))
    whole = encode_database([long] * 3, NUCLEOTIDE if letters == "ACGT" else PROTEIN, "mine")
    assert on_gpus_in_blocks(block_by_block(whole).blocks.file.header.facts) == blocks


def test_blocks_are_let_go_with_the_search(block_by_block):
    """Not when garbage is collected: what they are read into is large, and page-locked for a GPU."""
    whole = encode_database(records(np.random.default_rng(3), 200, "ACDEFGHIKL"), PROTEIN, "mine")
    query, how = SequenceRecord("q", "", b"ACDEFGHIKLACDEFGHIKL"), {"keep_scores": False, "composition": "none"}
    gc.collect()
    gc.disable()
    try:
        packed = block_by_block(whole)
        blocks = weakref.ref(packed.blocks)
        search(packed, [query], scheme=BLOSUM62, **how)
        del packed
        assert blocks() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("how", [{}, {"max_hsps": 5}], ids=["one alignment", "all alignments"])
def test_translated_searches(block_by_block, how):
    protein, made = protein_and_genes(lambda _, coded: b"ACGTNN" * 40 + coded)
    whole = encode_database(made, NUCLEOTIDE, "mine")
    given = {"scheme": BLOSUM62, "translation": Translation("tblastn"), **how}
    found, wanted = search(block_by_block(whole), [protein], **given), search(whole, [protein], **given)
    same(found, wanted)
    assert found.queries[0].hits.db_index[0] == 7


def in_two_tracks():
    """Return a database of residues with letters, and two of its records."""
    chance, shapes, made = np.random.default_rng(6), alphabet_by_name("3Di"), []
    for record in records(chance, 150, "ACDEFGHIKLMNPQRSTVWY"):
        letters = "".join(chance.choice(list(shapes.letters[:20]), len(record.residues))).encode()
        made.append(SequenceRecord(record.id, record.description, record.residues, letters=Letters("3Di", letters)))
    return encode_database(made, PROTEIN, "mine"), [one for one in made if len(one.residues) > 150][:2]


def test_searches_in_two_tracks(block_by_block):
    whole, queries = in_two_tracks()
    found, wanted = search(block_by_block(whole), queries, scheme=BLOSUM62), search(whole, queries, scheme=BLOSUM62)
    same(found, wanted)
    assert "were scored together" in found.information


def test_searches_in_rounds(block_by_block):
    chance = np.random.default_rng(7)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 80).tolist()))]
    whole = encode_database(with_relatives(chance, records(chance, 250, letters), queries, letters), PROTEIN, "mine")
    results = []
    for database in (block_by_block(whole), whole):
        given = search_request(queries=tuple(queries), database=database, scheme=BLOSUM62, engine="cpu")
        results.append(answer(in_rounds(given, IterationSettings(rounds=3))))
    same(*results)


def test_together_with_another_database(block_by_block):
    chance = np.random.default_rng(9)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 80).tolist()))]
    made = with_relatives(chance, records(chance, 300, letters), queries, letters)
    first, second = (encode_database(some, PROTEIN, name) for some, name in ((made[:200], "a"), (made[200:], "b")))
    found = search(joined([block_by_block(first), second]), queries, scheme=BLOSUM62)
    same(found, search(encode_database(made, PROTEIN), queries, scheme=BLOSUM62))


def test_saved_searches_find_their_file_again(block_by_block, tmp_path):
    chance = np.random.default_rng(4)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 80).tolist()))]
    whole = encode_database(with_relatives(chance, records(chance, 250, letters), queries, letters), PROTEIN, "mine")
    found = search(block_by_block(whole), queries, scheme=BLOSUM62)
    save_search(found, tmp_path / "run.swgui")
    opened = load_search(tmp_path / "run.swgui").result
    assert next(iter(describe_hits(opened, 0, range(1)))).subject == whole.record(
        int(found.queries[0].hits.db_index[0])
    )
    assert run_to_end(verify(opened, threading.Event())).ok


def test_parts_fit_together_whoever_has_the_database_in_memory(block_by_block, tmp_path, monkeypatch):
    chance = np.random.default_rng(12)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 80).tolist()))]
    made = with_relatives(chance, records(chance, 300, letters), queries, letters)
    block_by_block(encode_database(made, PROTEIN, "packed"))
    (tmp_path / "q.fasta").write_text(f">q\n{queries[0].residues.decode()}\n")
    asked = ["search", "-q", tmp_path / "q.fasta", "-d", tmp_path / "packed.swdb", "--engine", "cpu"]
    parts = [tmp_path / f"{number}.part" for number in (1, 2, 3)]
    for number, part in enumerate(parts, start=1):
        with monkeypatch.context() as patched:
            if number == 2:  # as on a computer with less memory
                patched.setattr(opening, "memory", lambda: 1000)
            assert not main([str(word) for word in (*asked, "--part", f"{number}/3", "-o", part)])
    whole, merged = tmp_path / "whole.tsv", tmp_path / "merged.tsv"
    assert not main([str(word) for word in (*asked, "-o", whole)])
    assert not main([str(word) for word in ("merge", *parts, "-o", merged)])
    assert merged.read_text() == whole.read_text()


def test_some_organisms_of_a_packed_file(block_by_block):
    chance = np.random.default_rng(13)
    letters, limit = "ACDEFGHIKLMNPQRSTVWY", OrganismLimit(("Homo sapiens",))
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 80).tolist()))]
    whole = encode_database(records(chance, 250, letters, organism=True), PROTEIN, "mine")
    packed, wanted = restricted(block_by_block(whole), limit), restricted(whole, limit)
    assert list(packed.ids) == list(wanted.ids)
    assert list(packed.descriptions) == list(wanted.descriptions)
    same(search(packed, queries, scheme=BLOSUM62), search(wanted, queries, scheme=BLOSUM62))


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_made_of_all_subjects(block_by_block, case, monkeypatch):
    letters, alphabet, how, count = CASES[case]
    chance = np.random.default_rng(14)
    queries = [SequenceRecord("q", "", bytes(chance.choice(list(letters.encode()), 60).tolist()))]
    packed = block_by_block(encode_database(records(chance, max(count, 150), letters), alphabet, "mine"))

    def asked(self):
        raise AssertionError("Somebody asked for something of every subject.")

    for name in ("lengths", "position", "stored_organisms"):
        monkeypatch.setattr(PackedDatabase, name, property(asked))
    result = search(packed, queries, **how, keep_scores=False)
    assert result.state == "complete"
    assert list(describe_hits(result, 0, range(min(3, len(result.queries[0].hits)))))
