"""Motifs and positions in the alignment."""

import pytest
from PySide6.QtCore import Qt

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.gui.viewer.rows.wrapped import WrappedView, compile_motif, find_motif


def places(text, kind, residues, alphabet=PROTEIN):
    return find_motif(compile_motif(text, kind, alphabet), residues)


@pytest.mark.parametrize(
    ("text", "kind", "residues", "found"),
    [
        ("AA", "residues", b"AAAA", [(0, 2), (1, 3), (2, 4)]),
        ("w q", "residues", b"MWQ", [(1, 3)]),
        ("N-{P}-[ST]-{P}", "prosite", b"NGSGNPSGNGTA", [(0, 4), (8, 12)]),
        ("C-x(2,4)-C", "prosite", b"CAACAAAAC", [(0, 4), (3, 9)]),
        ("<M-x(0,2)-K", "prosite", b"MKMAK", [(0, 2)]),
        ("K-D-E-L>.", "prosite", b"KDELKDEL", [(4, 8)]),
        ("G-[AV>]", "prosite", b"GAG", [(0, 2), (2, 3)]),
        ("BX", "iupac", b"NADXQB", [(0, 2), (2, 4)]),
        ("K[KR].[KR]", "regex", b"AKRAK", [(1, 5)]),
        ("a*", "regex", b"BAAB", [(1, 3), (2, 3)]),
    ],
)
def test_motifs_are_found_where_they_overlap(text, kind, residues, found):
    assert places(text, kind, residues) == found


def test_iupac_bases():
    assert places("RY", "iupac", b"ACGTU", NUCLEOTIDE) == [(0, 2), (2, 4)]
    assert places("TN", "iupac", b"TATRN", NUCLEOTIDE) == [(0, 2), (2, 4)]
    assert places("R", "iupac", b"N", NUCLEOTIDE) == []  # N may be something else


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("A1", "residues", "'1' is not a symbol of the protein alphabet"), ("A-[B", "prosite", "Element 2"),
        ("A-x(4,2)", "prosite", "4 to 2 times"), ("A-<B", "prosite", "Element 2"), ("A(", "regex", "cannot be read"),
        ("ß", "regex", "no sequence"),
    ],
)  # fmt: skip
def test_a_motif_that_cannot_be_read_says_why(text, kind, words):
    with pytest.raises(InvalidParameter, match=words.replace("(", r"\(")):
        compile_motif(text, kind, PROTEIN)


def choose(bar, kind):
    bar.kind.setCurrentIndex(bar.kind.findData(kind))


def test_bar_counts_marks_and_steps(page, qtbot):
    pane = page.alignment
    pane.find_motif()
    bar = pane.view(WrappedView).find_bar
    assert bar.isVisible()
    qtbot.keyClicks(bar.text, "FL")
    qtbot.waitUntil(lambda: bool(bar.found.text()))
    residues = page.result.queries[0].query.residues
    assert bar.found.text() == f"{residues.count(b'FL')} in the query, {residues.count(b'FL')} in the subject"
    qtbot.keyClick(bar.text, Qt.Key.Key_Return)
    first = pane.rows.selection()
    assert residues[first[0] : first[1]] == b"FL"
    qtbot.mouseClick(bar.previous_button, Qt.MouseButton.LeftButton)
    assert pane.rows.selection()[0] == residues.rfind(b"FL")
    pane.rows.grab()
    choose(bar, "prosite")
    bar.text.setText("K-[")
    qtbot.waitUntil(lambda: "cannot be read" in bar.found.text())
    assert not bar.next_button.isEnabled()
    choose(bar, "position")
    bar.text.setText("37")
    qtbot.waitUntil(lambda: pane.rows.selection() == (36, 37))
    bar.text.setText("99")
    qtbot.waitUntil(lambda: "1 to 60" in bar.found.text())
    page.hits.table.step(1)
    qtbot.waitUntil(lambda: pane.hit.rank == 2)
    bar.close_bar()
    assert not bar.isVisible()
    assert bar.marks == []
