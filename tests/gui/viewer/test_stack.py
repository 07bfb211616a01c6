"""Subjects stacked on the query."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from swgui.gui.viewer.stacked.layout import Stack, build_rows, stack_as_fasta
from swgui.gui.viewer.stacked.view import StackView, rows_to_stack


def text(symbols):
    return symbols.tobytes().decode()


@pytest.fixture
def stack(made):
    stack = Stack(np.frombuffer(made.result.queries[0].query.residues, dtype=np.uint8))
    rows = build_rows(made.describe(made.result.hit_list(0), range(5)), made.result.scheme)
    stack.add(rows[:2])
    stack.add(rows[2:])
    return stack


def row_of(stack, made, db_index):
    return next(r for r in stack.rows if made.result.queries[0].hits.db_index[r.row] == db_index)


def test_rows_stand_on_the_query(stack, made):
    query = made.result.queries[0].query.residues.decode()
    assert text(row_of(stack, made, 0).symbols) == query
    deleted = text(row_of(stack, made, 1).symbols)
    assert deleted == query[:30] + "------" + query[36:]
    part = row_of(stack, made, 3)
    assert text(part.symbols) == " " * 10 + query[10:50] + " " * 10
    assert [part.position(column) for column in (9, 10, 49, 50)] == [0, 5, 44, 0]
    inserted = row_of(stack, made, 4)
    assert text(inserted.symbols) == query
    assert inserted.insertions == {20: "PPP"}
    assert [inserted.position(column) for column in (19, 20)] == [20, 24]


def test_profile_counts_all_rows_and_the_query(stack, made):
    assert stack.profile.depth[30] == 1 + 4  # one subject has a gap there
    assert stack.profile.depth[0] == 1 + 4  # one subject begins later
    assert stack.coverage[20] == 5
    consensus, _ = stack.profile.consensus()
    assert text(consensus) == made.result.queries[0].query.residues.decode()
    conservation = stack.conservation()
    assert (conservation >= 0).all()
    assert (conservation <= 1).all()
    changed = made.result.queries[0].query.residues.index(b"I")  # V in one subject
    same = made.result.queries[0].query.residues.index(b"F", 12)
    assert conservation[changed] < conservation[same] == 1


def test_unfolding_gives_insertions_columns_of_their_own(stack, made):
    folded = stack.window(0, 5, 18, 23)
    stack.toggle(20)
    assert len(stack.columns) == 63
    at = next(i for i, row in enumerate(stack.rows) if row.insertions)
    window = stack.window(0, 5, 18, 26)
    query = made.result.queries[0].query.residues.decode()
    assert text(window[at]) == query[18:20] + "PPP" + query[20:23]
    others = [i for i in range(5) if i != at]
    assert (window[others][:, 2:5] == ord(" ")).all()
    assert text(stack.query_window(18, 26)) == query[18:20] + "---" + query[20:23]
    assert text(stack.window(at, at + 1, 21, 24)[0]) == "PP" + query[20]
    stack.toggle(20)
    assert (stack.window(0, 5, 18, 23) == folded).all()


def test_minus_strand_rows_run_backwards(minus_hit):
    result, hit = minus_hit
    row = build_rows([hit], result.scheme)[0]
    assert text(row.symbols) == "  CCGGTTTA"
    assert [row.position(column) for column in (1, 2, 9)] == [0, 10, 3]


def test_fasta_has_equal_lengths(stack):
    lines = stack_as_fasta(stack, [f"t{i}" for i in range(5)], "q").splitlines()
    assert lines[0] == ">q"
    assert {len(line) for line in lines[1::2]} == {60}


def test_choice_of_rows():
    assert rows_to_stack([4, 2, 9], [9, 1], 2) == [4, 2]
    assert rows_to_stack([4, 2, 9], [9, 1, 4], 0) == [4, 9]


@pytest.fixture
def stacked(page, qtbot):
    page.alignment.set_mode("stacked")
    qtbot.waitUntil(lambda: page.loader.stack is not None and len(page.loader.stack) == 5)
    return page.alignment.view(StackView).area


def test_the_view_follows_table_and_selection(page, stacked, qtbot):
    assert [row.row for row in stacked.stack.rows] == page.hits.model.rows.tolist()
    stacked.setFocus()
    qtbot.keyClick(stacked, Qt.Key.Key_Down)
    assert page.hits.table.current_hit_row() == 1
    body, atlas = stacked.body_rect(), stacked.glyphs()
    at, column = stacked.cell_at(body.topLeft() + type(body.topLeft())(atlas.cell_width * 3.5, atlas.cell_height * 2.5))
    assert (at, column) == (2, 3)
    assert stacked.describe_cell(0, 0).startswith("ALBU_HUMAN   Q 1 M : S 1 M")
    page.hits.search.setText("homo")
    qtbot.waitUntil(lambda: page.loader.stack is not None and len(page.loader.stack) == 2)
    stacked.grab()


def test_ticked_hits_only(page, stacked, qtbot):
    page.marks.set("ticked", 0, page.hits.data.subjects([3, 1]), True)
    box = page.alignment.view(StackView).size_box
    box.setCurrentIndex(box.findData(0))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: [row.row for row in page.loader.stack.rows] == [1, 3])
    page.alignment.view(StackView).copies[0].trigger()
    assert QGuiApplication.clipboard().text().count(">") == 3


def test_every_scheme_paints_in_both_views(page, stacked, qtbot):
    for mode in ("stacked", "wrapped"):
        page.alignment.set_mode(mode)
        box = page.alignment.scheme_box
        assert box.currentData() == {"stacked": "safe_7", "wrapped": "similarity"}[mode]
        for at in range(box.count() - 3):  # the last three are a line and two commands
            box.setCurrentIndex(at)
            box.activated.emit(at)
            assert not (stacked if mode == "stacked" else page.alignment.rows).grab().isNull()
            assert page.alignment.legend.accessibleName().startswith(f"Legend of {box.itemText(at)}")
        box.setCurrentIndex(0)
        keys = [box.itemData(at) for at in range(box.count())]
        assert ("clustal_x" in keys) == (mode == "stacked")
        at = box.findData({"stacked": "safe_7", "wrapped": "similarity"}[mode])
        box.setCurrentIndex(at)
        box.activated.emit(at)
