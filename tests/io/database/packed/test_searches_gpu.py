"""Searches of a packed file on a GPU find what they find in the same database in memory, to the last bit."""

import mmap
import threading
from contextlib import closing
from functools import partial

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.records import SequenceRecord
from swgui.core.translation.programs import Translation
from swgui.engines.cuda.tuning import TUNING
from swgui.engines.registry import KeptEngines
from swgui.io.database.packed.database import Blocks, PackedDatabase
from swgui.jobs.events import run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from tests.asking import deciding
from tests.core.several.test_joined import BLOSUM62, CASES, DNA, protein_and_genes, records, same, with_relatives
from tests.io.database.packed.test_searches import in_two_tracks

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("user_folders", "trusted_engines")]
LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def search(kept, database, queries, **how):
    asked = deciding(**({"engine": "cuda", "scheme": BLOSUM62} | how))
    steps = search_steps(SearchRequest(tuple(queries), database, asked), threading.Event(), use=kept.use)
    return run_to_end(steps)


@pytest.fixture
def kept():
    with closing(KeptEngines()) as engines:
        yield engines


@pytest.mark.parametrize("options", [{}, {"memory_mib": "1"}, {"pinned": "off"}], ids=str)
@pytest.mark.parametrize("case", [*CASES, "corrected by shuffles"])
def test_plain_searches(block_by_block, kept, case, options):
    shuffled = ("ACDEFGHIKLMNPQRSTVWY", PROTEIN, {"composition": "full"}, 300)
    letters, alphabet, how, count = CASES.get(case, shuffled)
    chance = np.random.default_rng(3)
    queries = [SequenceRecord(f"q{n}", "", bytes(chance.choice(list(letters.encode()), 60).tolist())) for n in range(3)]
    whole = encode_database(with_relatives(chance, records(chance, count, letters), queries, letters), alphabet, "mine")
    how = {**how, "options": EngineOptions(settings=options)}
    wanted, packed = search(kept, whole, queries, **how), block_by_block(whole)
    for _ in range(3):  # the first brings residues, the others find them
        same(search(kept, packed, queries, **how), wanted)


def test_what_is_kept_is_not_read_again(block_by_block, kept, monkeypatch):
    chance = np.random.default_rng(5)
    whole = encode_database(records(chance, 700, LETTERS), PROTEIN, "mine")
    query, packed = SequenceRecord("q", "", LETTERS.encode() * 5), block_by_block(whole)
    wanted = search(kept, packed, [query])
    read, packed_of = [], Blocks.packed

    def packed_block(self, number, bare, room):
        read.append(bare)
        return packed_of(self, number, bare, room)

    monkeypatch.setattr(Blocks, "packed", packed_block)
    same(search(kept, packed, [query]), wanted)
    assert len(read) >= len(packed.pieces)
    assert all(read)


def test_other_residues_are_not_taken_for_those_that_are_kept(block_by_block, kept):
    chance = np.random.default_rng(6)
    query = SequenceRecord("q", "", LETTERS.encode() * 5)
    for _ in range(3):
        whole = encode_database(records(chance, 400, LETTERS), PROTEIN, "mine")
        packed = block_by_block(whole)
        wanted = search(kept, whole, [query])
        same(search(kept, packed, [query]), wanted)
        same(search(kept, packed, [query]), wanted)


def test_subjects_that_are_cut_into_parts(block_by_block, kept):
    chance = np.random.default_rng(8)
    made = records(chance, 300, LETTERS)
    made[77] = SequenceRecord("long", "", bytes(chance.choice(list(LETTERS.encode()), 60_000).tolist()))
    whole, query = encode_database(made, PROTEIN, "mine"), SequenceRecord("q", "", made[77].residues[30_000:30_200])
    packed, wanted = block_by_block(whole), search(kept, whole, [query])
    for _ in range(2):
        same(search(kept, packed, [query]), wanted)


def test_files_are_read_past_the_cache(block_by_block, kept, monkeypatch):
    monkeypatch.setattr("swgui.io.database.packed.reading.memory", lambda: 0)
    chance = np.random.default_rng(4)
    whole = encode_database(records(chance, 500, LETTERS), PROTEIN, "mine")
    query, packed = SequenceRecord("q", "", LETTERS.encode() * 5), block_by_block(whole)
    wanted = search(kept, whole, [query])
    for _ in range(2):
        same(search(kept, packed, [query]), wanted)


@pytest.mark.parametrize("rare", [0, 3, 40], ids=["bases alone", "some others", "too many others for two bits"])
def test_bases_are_unpacked_on_the_device(block_by_block, kept, rare):
    chance, made = np.random.default_rng(rare), []
    for record in records(chance, 150, "ACGT", 500):
        residues = bytearray(record.residues)
        for begin in chance.integers(0, max(len(residues), 1), rare).tolist():
            end = min(begin + int(chance.choice([1, 3, 70])), len(residues))
            residues[begin:end] = bytes([int(chance.choice(list(b"NRYSWKM")))]) * (end - begin)
        made.append(SequenceRecord(record.id, "", bytes(residues)))
    queries = [SequenceRecord(one.id, "", one.residues[20:220]) for one in made if len(one.residues) > 300][:3]
    whole = encode_database(made, NUCLEOTIDE, "mine")
    packed, how = block_by_block(whole), {"scheme": DNA}
    wanted = search(kept, whole, queries, **how)
    bits = {piece.packed(False, partial(mmap.mmap, -1)).result().packed.bits for piece in packed.pieces}
    assert bits == ({2} if rare < 40 else {5})
    for _ in range(3):
        same(search(kept, packed, queries, **how), wanted)


def test_pieces_are_shared_by_two_devices(block_by_block, kept):
    """Each keeps what it scored, and searches of one, of the other and of both find the same."""
    import cupy

    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    chance = np.random.default_rng(9)
    whole = encode_database(records(chance, 900, LETTERS), PROTEIN, "mine")
    queries = [SequenceRecord(f"q{n}", "", LETTERS.encode() * n) for n in (7, 8, 12)]
    packed, wanted = block_by_block(whole), search(kept, whole, queries, options=EngineOptions(devices=("0",)))
    for devices in (("0", "1"), ("0", "1"), ("1",), ("0",), ("0", "1")):
        same(search(kept, packed, queries, options=EngineOptions(devices=devices)), wanted)
        with kept.use("cuda", EngineOptions(devices=devices)) as engine:
            held = [
                [lane.keeps(piece.key) for piece in packed.pieces] for lane in engine.lanes()[:: TUNING.pieces_at_once]
            ]
        assert np.any(held, axis=0).all()


@pytest.mark.parametrize("how", [{}, {"max_hsps": 5}], ids=["one alignment", "all alignments"])
def test_translated_searches(block_by_block, kept, how):
    protein, made = protein_and_genes(lambda _, coded: b"ACGTNN" * 40 + coded)
    whole = encode_database(made, NUCLEOTIDE, "mine")
    given = {"translation": Translation("tblastn"), **how}
    found, wanted = search(kept, block_by_block(whole), [protein], **given), search(kept, whole, [protein], **given)
    same(found, wanted)
    assert found.queries[0].hits.db_index[0] == 7


def test_searches_in_two_tracks(block_by_block, kept):
    whole, queries = in_two_tracks()
    same(search(kept, block_by_block(whole), queries), search(kept, whole, queries))


@pytest.mark.parametrize("letters", [LETTERS, "ACGT"], ids=["proteins", "reads"])
def test_large_files_are_searched_in_blocks_though_they_fit(block_by_block, kept, monkeypatch, letters):
    chance = np.random.default_rng(7)
    alphabet, how = (PROTEIN, {}) if letters == LETTERS else (NUCLEOTIDE, {"scheme": DNA})
    whole = encode_database(records(chance, 200, letters), alphabet, "mine")
    query = SequenceRecord("q", "", letters.encode() * (3 if letters == LETTERS else 15))
    place = block_by_block(whole).blocks.file.path
    for least in (1, 10**9):
        monkeypatch.setattr("swgui.jobs.search.opening.LARGE", least)
        found = search(kept, place, [query], **how)
        assert isinstance(found.database, PackedDatabase) == (least == 1)
        same(found, search(kept, whole, [query], **how))
