"""Alignments with frameshifts in the viewer: signs, numbers, costs, flanks and stacked rows."""

import threading
from itertools import pairwise

import numpy as np
import pytest

from swgui.core.alignment import count_columns, rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.programs import Translation
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.table.columns import telling_columns
from swgui.gui.viewer.matrix.path import path_cells
from swgui.gui.viewer.pair.layout import Kind, lay_out_pair
from swgui.gui.viewer.pair.text_form import facts
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.stacked.layout import stack_row
from swgui.gui.viewer.views import VIEWS
from swgui.io.matrices import load_matrix
from swgui.jobs.search.alternatives import equally_good, next_hit
from swgui.jobs.search.run import run_search
from tests.asking import search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
PROTEIN_TEXT = b"MKWVTFISLLLLFSSAYSRGVFRR"
DNA_TEXT = b"ATGAAATGGGTTACCTTTATTAGCAACTGCTGCTGCTGTTTAGCAGCGCGTATGCCGCGGCGTGTTTCGCCGC"  # two more, one less
SCHEME = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)


@pytest.fixture(scope="module", params=[("tblastn", 1), ("blastx", 1), ("tblastn", -1), ("blastx", -1)])
def found(request):
    """A result with one hit, the DNA on either side and strand."""
    program, strand = request.param
    dna = NUCLEOTIDE.encode(b"CCGTA" + DNA_TEXT + b"TTGACCA")
    dna = NUCLEOTIDE.decode(dna if strand > 0 else NUCLEOTIDE.reverse_complement(dna))
    sides = [SequenceRecord("p", "", PROTEIN_TEXT), SequenceRecord("d", "", dna)]
    query, subject = sides if program == "tblastn" else sides[::-1]
    database = encode_database([subject], NUCLEOTIDE if program == "tblastn" else PROTEIN, "db")
    asked = search_request(
        queries=(query,),
        database=database,
        scheme=SCHEME,
        engine="cpu",
        translation=Translation(program, shift=8),
        max_evalue=100.0,
    )
    result = list(run_search(asked, threading.Event()))[-1].result
    return result, next(describe_hits(result, 0, [0])), strand


def test_columns_have_signs_numbers_and_costs(found):
    result, hit, strand = found
    assert hit.counts.frameshifts == 2
    layout = lay_out_pair(hit, SCHEME)
    protein, dna, numbers, other = layout.query, layout.subject, layout.subject_positions, layout.query_positions
    if result.translation.program == "blastx":
        protein, dna, numbers, other = dna, protein, other, numbers
    assert sorted(chr(sign) for sign in dna[np.isin(dna, [ord("\\"), ord("/")])]) == [
        "/",
        "\\",
        "\\",
    ]  # a base read twice, two skipped
    shifted = np.isin(dna, [ord("\\"), ord("/")])
    assert set(protein[shifted]) == {ord("-")}
    assert (numbers[shifted] == 0).all()
    assert (other[shifted] == 0).all()
    assert sorted(layout.scores[shifted].tolist()) == [-8, -8, 0]  # a shift of two costs once
    assert layout.running[-1] == hit.score
    assert set(layout.kinds[shifted]) == {Kind.GAP}
    steps = np.diff(numbers[~shifted]) * strand
    assert sorted(set(steps.tolist())) == [2, 3, 5]


def test_flanks_are_codons_in_frame(found):
    result, hit, strand = found
    layout = lay_out_pair(hit, SCHEME, 2)
    numbers = layout.subject_positions if result.translation.program == "tblastn" else layout.query_positions
    flank = numbers[(layout.kinds == Kind.FLANK) & (numbers > 0)]
    inside = numbers[(layout.kinds != Kind.FLANK) & (numbers > 0)]
    assert (flank - inside[0] == -3 * strand).sum() == 1
    assert (flank - inside[-1] == 3 * strand).sum() == 1
    assert len(hit.query_letters) > 0


def test_paths_end_where_alignments_do(found):
    _, hit, _ = found
    cells = path_cells(hit.alignment)
    assert cells[-1].tolist() == [hit.alignment.query_end, hit.alignment.subject_end]


def test_stacked_rows_number_bases(found):
    result, hit, strand = found
    if result.translation.program == "blastx":
        return
    row = stack_row(hit, SCHEME)
    assert not row.insertions
    last = int(np.flatnonzero(row.symbols != ord(" "))[-1])
    end = hit.alignment.subject_end
    assert row.position(last) == (end - 2 if strand > 0 else len(hit.subject.residues) - end + 3)


def test_weaker_alignments_share_no_base(found):
    result, hit, _ = found
    cancel, shown = threading.Event(), [hit]
    while len(shown) < 4 and (other := next_hit(result, 0, hit, [one.alignment for one in shown], cancel)):
        shown.append(other)
    assert len(shown) > 2
    assert [one.score for one in shown] == sorted((one.score for one in shown), reverse=True)
    spans = sorted(
        (one.query_start, one.query_end) if one.steps[0] > 1 else (one.subject_start, one.subject_end)
        for one in (other.alignment for other in shown)
    )
    assert all(before[1] <= behind[0] for before, behind in pairwise(spans))
    second = shown[1]
    subject = result.searched.subject(second.db_index, second.strand)
    assert rescore(second.alignment, second.query, subject, result.scheme, result.translation.shift) == second.score
    assert second.counts == count_columns(second.alignment, second.query, subject, result.scheme)
    cancel.set()
    with pytest.raises(Stopped):
        next_hit(result, 0, hit, [hit.alignment], cancel)


def test_equally_good_alignments_are_not_counted(found):
    with pytest.raises(InvalidParameter, match="not counted"):
        equally_good(*found[:2])


def test_every_view_shows_it(found, qtbot, tasks):
    result, hit, _ = found
    page = ResultsPage(tasks)
    qtbot.addWidget(page)
    page.resize(1100, 760)
    page.show_result(result)
    page.show()
    qtbot.waitUntil(lambda: tasks.idle and page.alignment.hit is not None)
    for view in VIEWS:
        page.alignment.set_mode(view.name)
        qtbot.waitUntil(lambda: tasks.idle)
    assert page.alignment.hit.counts.frameshifts == 2
    shown = ShownHit.of(result, hit)
    query, subject = hit.alignment.query_start + 1, hit.alignment.subject_start + 1
    assert shown.describe_pair(query, subject).endswith(", +5")
    assert shown.describe_pair(*shown.lengths)


def test_the_list_shows_strand_and_shifts_in_place_of_frames(found):
    result, hit, _ = found
    shown = telling_columns(result, 0)
    assert {"sstrand", "frameshifts"} <= shown
    assert not shown & {"qframe", "sframe"}
    assert facts(hit)[1].endswith(", 2 frameshifts")
