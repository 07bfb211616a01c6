"""The six-frame view: where alignments and stops lie, what is chosen by a click, and how shifts are drawn."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from swgui.core.alignment import Alignment, count_columns, rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.hits.table import Hit
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import FRAMES, bases_of, translate
from swgui.core.translation.programs import Translation
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.table.columns import telling_columns
from swgui.gui.viewer.frames import FramesView, SixFrames, six_frames
from swgui.gui.viewer.matrix.path import path_cells
from swgui.gui.viewer.rows.layout import Kind, lay_out_rows
from swgui.gui.viewer.rows.text_form import facts
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.stacked.layout import stack_row
from swgui.gui.viewer.views import VIEWS
from swgui.jobs.search.alternatives import equally_good, next_hit
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.mark.parametrize("length", [900, 901, 902])
def test_stops_stand_where_translation_finds_them(rng, length):
    bases = rng.integers(0, 4, length).astype(np.uint8)
    data = SixFrames("d", NUCLEOTIDE.decode(bases), 11, (), False)
    for frame in FRAMES:
        places = np.flatnonzero(translate(bases, frame, 11) == PROTEIN.letters.index("*"))
        ends = bases_of(frame, places, places + 1, length)
        expected = sorted(np.minimum(*ends).tolist())
        assert len(expected) > 3
        assert data.stops(frame, 1, length).tolist() == expected
        part = data.stops(frame, 100, 400).tolist()
        assert [at for at in expected if 100 <= at <= 398] == [at for at in part if at >= 100]


@pytest.fixture
def exons(rng):
    """Two exons of a protein on the plus strand, in frames 1 and 3, and one on the minus strand."""
    dna = rng.integers(0, 4, 1_500).astype(np.uint8)
    protein = rng.integers(0, 20, 150).astype(np.uint8)
    codons = {residue: codon for codon in range(64) for residue in translate(_codon(codon), 1).tolist()}
    spelled = np.concatenate([_codon(codons[residue]) for residue in protein.tolist()])
    dna[99:249], dna[500:650] = spelled[:150], spelled[150:300]
    dna[1000:1150] = NUCLEOTIDE.reverse_complement(spelled[300:450])
    query = SequenceRecord("p", "", PROTEIN.decode(protein))
    asked = search_request(
        queries=(query,),
        database=encode_database([SequenceRecord("d", "", NUCLEOTIDE.decode(dna))], NUCLEOTIDE, "one"),
        scheme=BLOSUM62,
        max_evalue=1e-8,
        max_hsps=5,
        engine="cpu",
        translation=Translation("tblastn"),
    )
    result = answer(asked)
    (hit,) = describe_hits(result, 0, [0])
    return [ShownHit.of(result, row) for row in hit.rows()]


def _codon(number):
    return np.array([number // 16, number // 4 % 4, number % 4], dtype=np.uint8)


def test_alignments_lie_in_their_frames(exons):
    data = six_frames(exons)
    found = {one.frame: (one.first, one.last) for one in data.pieces}  # chance may add a codon or more at the ends
    for frame, first, last in ((1, 100, 249), (3, 501, 650), (-3, 1001, 1150)):
        assert found[frame][0] <= first + 6
        assert found[frame][1] >= last - 6
    assert len(found) == 3
    assert data.extent(0) == found[data.pieces[0].frame]
    assert not data.of_query


def test_a_click_chooses_an_alignment(exons, qtbot):
    view = FramesView(None)
    qtbot.addWidget(view)
    view.resize(800, 300)
    view.show_alignments(exons, 0)
    assert not view.axis.is_whole
    for piece in view.data.pieces:
        view.show_alignments(exons, piece.number)
        assert view.rect().contains(view.box(piece).toRect())
        with qtbot.waitSignal(view.stepped) as chosen:
            qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.box(piece).center().toPoint())
        assert chosen.args == [piece.number]
        assert f"bases {piece.first:,} to {piece.last:,}" in view.describe(piece)
    view.show_alignments(exons, 0)
    seen = view.axis.step
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.axis.step < seen
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.axis.is_whole
    with qtbot.waitSignal(view.stepped) as chosen:
        qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert chosen.args == [1]
    assert view.piece_at(QPoint(2, 2).toPointF()) is None
    assert not view.grab().isNull()
    view.show_alignments(list(exons), 0)  # as another one
    seen = view.axis.end - view.axis.start
    view.resize(1_600, 300)
    assert view.axis.end - view.axis.start == pytest.approx(seen, rel=0.05)
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    step = view.axis.step
    view.resize(800, 300)
    assert view.axis.step == step
    view.clear()
    assert view.data is None


def test_shifts_go_from_lane_to_lane(exons):
    one = exons[0]
    moved = Alignment.from_cigar(0, 99, "10M1F12M2R5M", one.alignment.score, (1, 3))
    (first, second, third) = six_frames([_with(one, moved, 4)]).pieces
    assert (first.frame, first.first, first.last) == (1, 100, 129)
    assert (second.frame, second.first, second.last) == (2, 131, 166)
    assert (third.frame, third.first, third.last) == (3, 165, 179)
    back = six_frames([_with(one, moved, -4)]).pieces[0]
    assert (back.frame, back.first, back.last) == (-1, 1500 - 128, 1500 - 99)


def _with(shown, alignment, frame):

    from swgui.core.translation.frames import reading

    table = shown.hit.table
    read = replace(table, strands=np.full_like(table.strands, reading(0, frame)))
    return ShownHit(shown.result, Hit(read, shown.hit.place), alignment)


def test_what_is_seen_can_be_a_picture(exons, qtbot):
    view = FramesView(None)
    qtbot.addWidget(view)
    assert view.figure() is None
    view.resize(600, 240)
    view.show_alignments(exons, 0)
    drawn = view.figure().content(".svg").decode()
    assert "<svg" in drawn
    assert drawn.count("<path") + drawn.count("<polygon") >= 3


# Alignments with frameshifts in the viewer: signs, numbers, costs, flanks and stacked rows.

PROTEIN_TEXT = b"MKWVTFISLLLLFSSAYSRGVFRR"
DNA_TEXT = b"ATGAAATGGGTTACCTTTATTAGCAACTGCTGCTGCTGTTTAGCAGCGCGTATGCCGCGGCGTGTTTCGCCGC"  # two more, one less


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
        scheme=BLOSUM62,
        engine="cpu",
        translation=Translation(program, shift=8),
        max_evalue=100.0,
    )
    result = answer(asked)
    return result, next(describe_hits(result, 0, [0])), strand


def test_columns_have_signs_numbers_and_costs(found):
    result, hit, strand = found
    assert hit.counts.frameshifts == 2
    layout = lay_out_rows(hit, BLOSUM62)
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
    layout = lay_out_rows(hit, BLOSUM62, 2)
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
    row = stack_row(hit, BLOSUM62)
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
    assert shown.describe_residues(query, subject).endswith(", +5")
    assert shown.describe_residues(*shown.lengths)


def test_the_list_shows_strand_and_shifts_in_place_of_frames(found):
    result, hit, _ = found
    shown = telling_columns(result, 0)
    assert {"sstrand", "frameshifts"} <= shown
    assert not shown & {"qframe", "sframe"}
    assert facts(hit)[1].endswith(", 2 frameshifts")
