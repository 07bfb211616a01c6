"""The methods paragraph in the window."""

import threading

from PySide6.QtGui import QAction, QGuiApplication
from shiboken6 import isValid

from swgui.io.methods.forms import FORMS, written
from swgui.io.methods.searches import search_methods
from swgui.io.whole_file import save_text


def test_shown_copied_and_saved_in_every_form(page, qtbot, tasks, made, tmp_path):
    page.header.more_menu.findChild(QAction, "more-methods").trigger()
    dialog = page.findChild(type(page.output.methods()), "methodsDialog")
    said = []
    page.message.connect(said.append)
    for at, (name, form) in enumerate(FORMS.items()):
        dialog.form.setCurrentIndex(at)
        expected = written(search_methods(made.result), name)
        assert dialog.text.toPlainText() == expected
        dialog.copy_button.click()
        assert QGuiApplication.clipboard().text() == expected
        path = tmp_path / f"methods{form.suffix}"
        dialog.save_to(path)
        qtbot.waitUntil(lambda path=path: said[-1] == f"Methods text written to {path}.")
        assert path.read_text(encoding="utf-8") == expected
    dialog.save_to(tmp_path / "no" / "folder")
    qtbot.waitUntil(lambda: "folder" in said[-1] and "written to" not in said[-1])
    for left in page.findChildren(type(dialog)):
        left.close()
    qtbot.waitUntil(lambda: tasks.idle)


def test_closed_while_the_file_is_written(page, qtbot, tasks, tmp_path, monkeypatch):
    begun, written, said, faults = threading.Event(), threading.Event(), [], []
    page.message.connect(said.append)
    tasks.failed.connect(lambda *fault: faults.append(fault))

    def save(path, write):
        begun.set()
        assert written.wait(60)
        save_text(path, write)

    monkeypatch.setattr("swgui.gui.inputs.methods_dialog.save_text", save)
    dialog = page.output.methods()
    dialog.save_to(tmp_path / "methods.txt")
    qtbot.waitUntil(begun.is_set)
    dialog.close()
    qtbot.waitUntil(lambda: not isValid(dialog))
    written.set()
    qtbot.waitUntil(lambda: tasks.idle)
    assert said == [f"Methods text written to {tmp_path / 'methods.txt'}."]
    assert not faults


def test_without_a_result_there_is_nothing_to_describe(page):
    said = []
    page.message.connect(said.append)
    page.clear()
    assert page.output.methods() is None
    assert said == ["There is no result to describe yet."]


def test_it_is_not_saved_over_an_opened_file(page, opened):
    said, sentence = [], opened("query.txt")
    page.message.connect(said.append)
    page.output.methods().save_button.click()
    assert said == [sentence]
