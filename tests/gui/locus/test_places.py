"""Places of results: hits of translated searches, with the bases where their reading shifts; the column of loci."""

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import translate
from swgui.core.translation.programs import Translation
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.pair.places import place_of as place_of_pair
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.places import place_of
from swgui.io.export import HIT_COLUMNS
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request
from tests.described import describe_hits
from tests.gui.pair.conftest import known

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture
def columns():
    """Columns are those of before after the test."""
    kept = [(columns, dict(columns)) for columns in (HIT_COLUMNS, BY_KEY)]
    yield
    for columns, before in kept:
        columns.clear()
        columns.update(before)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_hit_across_a_frameshift_is_a_place_with_its_shift(sign, rng):
    gene = rng.integers(0, 4, 300).astype(np.uint8)
    protein = SequenceRecord("p", "", PROTEIN.decode(translate(gene, 1)).replace(b"*", b"A"))
    shifted = np.concatenate([gene[:150], gene[:1], gene[150:]])  # one base too many in the middle
    shifted = shifted if sign > 0 else NUCLEOTIDE.reverse_complement(shifted)
    around = rng.integers(0, 4, 400).astype(np.uint8)
    dna = np.concatenate([around[:200], shifted, around[200:]])
    wanted = search_request(
        queries=(protein,),
        database=encode_database([SequenceRecord("dna", "", NUCLEOTIDE.decode(dna))], NUCLEOTIDE, "one"),
        scheme=BLOSUM62,
        max_evalue=1e-10,
        engine="cpu",
        translation=Translation("tblastn", shift=15),
    )
    result = answer(wanted)
    data = HitData(result.hit_list(0))
    assert place_of(data, 0) is None  # until it is aligned
    data.add(describe_hits(result, 0, [0]))
    place = place_of(data, 0)
    assert (place.start, place.end) == pytest.approx((200, 501), abs=6)
    (marks,) = place.marks()
    assert marks.title == "Alignments of p"
    assert marks.strands.tolist() == [sign]
    assert marks.shifts.tolist() == pytest.approx([350], abs=6)


def test_the_hit_table_says_where_hits_lie(columns, qtbot, tasks, tmp_path, rng):
    dna = rng.integers(0, 4, 600).astype(np.uint8)
    records = [SequenceRecord(f"chr{n}", "", NUCLEOTIDE.decode(dna[n : n + 500])) for n in range(2)]
    query = SequenceRecord("q", "", NUCLEOTIDE.decode(dna[100:200]))
    database = encode_database(records, NUCLEOTIDE, "two")
    result = answer(
        search_request(queries=(query,), database=database, scheme=DNA_SCHEME, max_evalue=1e-5, engine="cpu")
    )
    page = ResultsPage(tasks)
    qtbot.addWidget(page)
    page.show_result(result)
    page.show()
    qtbot.waitUntil(lambda: tasks.idle and page.hits.data is not None and page.hits.data.aligned.all())
    data = page.hits.data
    ids = [data.result.database.ids[data.subject(row)] for row in range(len(data))]
    said, wanted = [], []
    page.message.connect(said.append)
    page.place_wanted.connect(wanted.append)
    page.show_on_sequence(0)
    assert (wanted[0].db_index, wanted[0].start, wanted[0].end) == (data.subject(0), 100, 200)
    genes = tmp_path / "d.gff3"
    genes.write_text(f"##gff-version 3\n{ids[0]}\tx\tgene\t1\t400\t.\t+\t.\tID=a;Name=first\n")
    page.features.open(genes)
    qtbot.waitUntil(lambda: "locus" in page.hits.table.shown_keys() and tasks.idle)
    assert data.text(0, BY_KEY["locus"]).startswith("in first")
    assert data.text(1, BY_KEY["locus"]) == ""
    assert "no features of 1 of 2 sequences of the result (chr1)" in said[-1]
    genes.write_text(genes.read_text().replace("first", "other"))
    page.features.open(genes)
    qtbot.waitUntil(lambda: tasks.idle and "other" in data.text(0, BY_KEY["locus"]))


def test_an_alignment_of_a_pair_is_a_place_on_its_subject():
    result = known()
    place = place_of_pair(result, result.alignments[1])
    (marks,) = place.marks()
    best = result.alignments[1].alignment
    assert (place.start, place.end) == (best.subject_start, best.subject_end)
    assert marks.strands.tolist() == [1 if one.strand == "plus" else -1 for one in result.alignments]
    assert place.database.record(0).residues == result.subject.residues
