"""The six-frame view: where alignments and stops lie, what is chosen by a click, and how shifts are drawn."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from swgui.core.alignment import Alignment
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.table import Hit
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import FRAMES, bases_of, translate
from swgui.core.translation.programs import Translation
from swgui.gui.viewer.frames import FramesView, SixFrames, six_frames
from swgui.gui.viewer.shown import ShownHit
from swgui.io.matrices import load_matrix
from swgui.jobs.search.run import run_search
from tests.asking import search_request
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
        scheme=ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1),
        max_evalue=1e-8,
        max_hsps=5,
        engine="cpu",
        translation=Translation("tblastn"),
    )
    result = list(run_search(asked, threading.Event()))[-1].result
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
