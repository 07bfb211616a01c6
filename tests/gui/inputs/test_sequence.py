"""What the boxes of the Search page and of the Pair page have in common."""

import pytest

from swgui.gui.inputs.detection import TEXT_LIMIT
from swgui.gui.inputs.query import QueryPanel
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.pair.input import SequencePanel

FASTA = ">first\nMKTAYIAKQR\n>second\nMKT\n"


@pytest.fixture(params=["query", "pair"])
def panel(request, qtbot):
    tasks = Tasks()
    made = QueryPanel(tasks) if request.param == "query" else SequencePanel("query", "Query", tasks)
    qtbot.addWidget(made)
    yield made
    tasks.shutdown()


def read(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy and not panel.problem, timeout=20_000)


def test_text_is_read_after_a_pause_and_again_as_another_kind(panel, qtbot):
    assert panel.problem
    panel.box.setPlainText(FASTA)
    assert panel.busy
    read(panel, qtbot)
    assert panel.alphabet.name == "protein"
    assert panel._kind.itemText(0) == "Auto: protein"
    panel.set_kind("nucleotide")
    assert panel.busy
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.kind == "nucleotide"
    panel.clear()
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.alphabet is None
    assert panel.problem


def test_a_large_file_is_held_until_something_else_is_taken(panel, qtbot, tmp_path):
    path = tmp_path / "large & long.fa"
    path.write_text(">large\n" + "MKTAYIAKQR" * (TEXT_LIMIT // 10 + 1) + "\n")
    panel.open_file(path)
    read(panel, qtbot)
    assert panel.source == path
    assert panel.box.isReadOnly()
    assert "more" in panel.box.toPlainText()
    assert "&amp;amp;" not in panel._where.toolTip()
    panel.set_text(FASTA)
    read(panel, qtbot)
    assert panel.source is None
    assert not panel.box.isReadOnly()


def test_a_file_that_cannot_be_read_leaves_the_box_for_typing(panel, qtbot, tmp_path):
    panel.open_file(tmp_path / "absent.fa")
    qtbot.waitUntil(lambda: "absent.fa" in panel.problem)
    assert not panel.box.isReadOnly()
    panel.box.setPlainText(FASTA)
    read(panel, qtbot)
