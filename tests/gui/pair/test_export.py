"""Out of the page and into it: exports, copies, results opened again."""

import threading

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.gui.pair.page import PairExportJob
from swgui.io.export.pairs import PAIR_FORMATS, save_pair
from tests.gui.pair.conftest import show, text_of


def no_tell(*_told):
    """Hear of no progress."""


def test_letters_and_map_are_copied(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot)
    with qtbot.waitSignal(page.message) as said:
        view.findChild(QAction, "pairCopy-fasta").trigger()
    total = len(view.columns)
    assert said.args == [f"Columns 1 to {total} of {total} were copied."]
    assert QGuiApplication.clipboard().text().startswith(">the_query/")
    view.letters.setFocus()
    view.letters.select(4, 14)
    qtbot.keyClick(view.letters, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("Query")
    view.map_panel.show_menu(view.map.rect().center())
    menu = view.map.findChild(QMenu, "pairMapMenu")
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy the two positions"].trigger()
    assert QGuiApplication.clipboard().text() == "\t".join(
        str(at + 1) for at in view.map.place_at(QPointF(view.map.rect().center()))
    )
    actions["Copy the map as a picture"].trigger()
    assert not QGuiApplication.clipboard().image().isNull()
    actions["Sequence here"].trigger()
    assert view.map.axes[0].cell > 8
    menu.close()
    other = view.map.data.lines[1].line
    view.map.show_whole()
    point = view.map.frame().point(float(other.x.mean()), float(other.y.mean()))
    none = Qt.MouseButton.NoButton
    move = QMouseEvent(
        QEvent.Type.MouseMove, point, view.map.mapToGlobal(point), none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(view.map, move)
    assert text_of(page, "pairPointed").endswith("alignment 2")


def test_exports_hold_what_the_command_line_writes(make_page, qtbot, tmp_path):
    page = make_page()
    show(page, qtbot)
    for name in PAIR_FORMATS:
        dialog = page.export()
        dialog.choose(name)
        qtbot.waitUntil(lambda shown=dialog: shown.preview.toPlainText() != "")
        path, expected = tmp_path / name, tmp_path / f"{name}.expected"
        with qtbot.waitSignal(dialog.saved):
            dialog.save_to(path)
        save_pair(expected, name, page.result)
        assert path.read_bytes() == expected.read_bytes()
        assert path.stat().st_size > 100


def test_a_stopped_export_leaves_no_file(make_page, qtbot, tmp_path):
    page = make_page()
    show(page, qtbot)
    job = PairExportJob(page.result, "text")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        job.save(tmp_path / "out", no_tell, cancel)
    assert list(tmp_path.glob("out*")) == []
    assert PairExportJob(page.result, "text").preview(threading.Event()).count("\n") <= 61


def test_a_result_is_opened_again(make_page, qtbot, tmp_path):
    page = make_page()
    show(page, qtbot)
    path = tmp_path / "pair.json"
    PairExportJob(page.result, "json").save(path, no_tell, threading.Event())
    other = make_page()
    said = []
    other.message.connect(said.append)
    other.open_result_file(path)
    qtbot.waitUntil(lambda: other.result is not None)
    assert said == ["Reading pair.json…", "pair.json is open."]
    assert [one.alignment for one in other.result.alignments] == [one.alignment for one in page.result.alignments]
    assert other.findChild(QPushButton, "pairFigure").isEnabled()
    # A score needs no letters, and its file has none.
    save_pair(path, "json", replace(page.result, score_only=True, alignments=()))
    other.open_result_file(path)
    qtbot.waitUntil(lambda: other.result.score_only)
    assert f" scores {page.result.score:,} and ends at " in text_of(other, "pairOutcome")
    assert text_of(other, "pairEmpty").startswith("A query of 554 and a subject of 700 bases. The run computed")
    assert not other.result_view.map.isVisible()
    assert not other.findChild(QPushButton, "pairFigure").isEnabled()
    again = tmp_path / "again.json"
    PairExportJob(other.result, "json").save(again, no_tell, threading.Event())
    assert again.read_bytes() == path.read_bytes()
    path.write_text("{}")
    with qtbot.waitSignal(other.failed) as failed:
        other.open_result_file(path)
    assert "no exported pair" in str(failed.args[0])


def test_neither_export_nor_figure_is_saved_over_an_opened_file(make_page, qtbot, opened):
    page = make_page()
    view = show(page, qtbot)
    dialog, said = page.export(), []
    sentence = opened("query.svg")
    dialog.save_button.click()
    assert dialog.note_text.text() == sentence
    dialog.close()
    page.message.connect(said.append)
    view.map_panel.pictures.save_as()
    assert said == [sentence]
