"""Messages of the window: counted, listed, reported, and out of the way."""

import logging

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from swgui.gui.window.messages.notifications import Message, Note
from tests.gui.named import named


def test_messages_are_counted_listed_and_reported(make_window, qtbot):
    window = make_window()
    button = window.findChild(QPushButton, "statusMessages")
    assert button.isHidden()
    window.notifications.error(ValueError("odd value"))
    window.notifications.read.emit()
    assert button.text() == "1 new message"
    window.notifications.post("info", "A note")
    assert button.text() == "2 new messages"
    logging.getLogger("swgui.test").info("a line of the log")
    qtbot.waitUntil(lambda: any("a line of the log" in line for line in window.notifications.log_lines))
    assert "a line of the log" in window.log_view.toPlainText()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == "2 messages"
    (dialog,) = [d for d in window.findChildren(QDialog) if d.objectName() == "messageList"]
    dialog.choose(window.notifications.messages[0])
    assert "odd value" in dialog.findChild(QPlainTextEdit, "messageDetails").toPlainText()
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    report = QGuiApplication.clipboard().text()
    for part in ("swgui ", "Python 3", "ValueError: odd value", "a line of the log", "BLOSUM62"):
        assert part in report
    assert "MKVLW" not in report
    dialog.close()


def test_errors_stay_until_closed_and_stay_clear_of_the_search_button(make_window, qtbot):
    window = make_window()
    for number in range(5):
        window.notifications.post("danger", f"Error {number}", "words " * 30)
    notes = named(window, "noteStack").notes
    assert [note.message.title for note in notes] == ["Error 2", "Error 3", "Error 4"]
    button = window.findChild(QPushButton, "searchButton")
    where = button.mapTo(window, QPoint(5, 5))
    assert not named(window, "noteStack").geometry().contains(window.pages.mapFrom(window, where))
    named(window, "noteStack").clear()
    assert named(window, "noteStack").isHidden()
    assert len(window.notifications.messages) == 5


def test_the_sign_of_a_note_follows_the_theme(qtbot, theme):
    over = QWidget()
    qtbot.addWidget(over)
    note = Note(Message("warning", "A file is missing."), over)
    sign = note.findChild(QLabel, "noteSign")
    before = sign.pixmap().toImage()
    theme.use("dark", 100)
    QApplication.processEvents()
    assert sign.pixmap().toImage() != before
