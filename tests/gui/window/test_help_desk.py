"""Help, documentation, tour, keys, motion and notifications."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSlider,
    QTextBrowser,
    QWidget,
)

from swgui.gui.kit import motion
from swgui.gui.window.help import STEPS
from swgui.gui.window.messages import status
from swgui.settings import Settings, load, save
from tests.gui.made_results import make_result
from tests.gui.named import named


@pytest.fixture
def window(make_window, qtbot):
    window = make_window()
    window.activateWindow()
    window.raise_()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_f1_explains_every_page(window, qtbot):
    commands = window.actions_table.commands.values()
    menus = {command.menu for command in commands}
    for page in window.pages.names:
        assert set(window.pages.records[page].help.menus) <= menus
        window.show_page(page)
        QApplication.processEvents()
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_F1)
        dialog = window.findChild(type(window.help_desk.show_help()), "helpDialog")
        text = dialog.findChild(QTextBrowser).toPlainText()
        assert text.startswith(window.pages.records[page].help.title)
        assert "Commands and keys of this page" in text
        for command in commands:  # none is missing, whatever the page
            assert command.plain_text in text
        for left in window.findChildren(type(dialog), "helpDialog"):
            left.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_documentation_opens_in_the_browser_or_as_text(window, monkeypatch, tmp_path, qtbot):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) or True)
    (tmp_path / "dev").mkdir()
    for name in ("index.html", "dev/gpu.html"):
        (tmp_path / name).write_text("<p>x</p>")
    monkeypatch.setattr("swgui.paths.documentation", lambda: tmp_path / "index.html")
    window.actions_table["documentation"].trigger()
    window.help_desk.open_documentation("dev/gpu")
    window.help_desk.open_documentation("not-there")
    expected = ["index.html", "dev/gpu.html", "index.html"]
    assert opened == [QUrl.fromLocalFile(str(tmp_path / name)) for name in expected]
    (tmp_path / "index.md").write_text("# The *first* page\n\n![wide](wide.png)\n")
    wide = QImage(3000, 20, QImage.Format.Format_RGB32)
    wide.save(str(tmp_path / "wide.png"))
    monkeypatch.setattr("swgui.paths.documentation", lambda: tmp_path / "index.md")
    window.actions_table["documentation"].trigger()
    dialog = next(child for child in window.children() if child.objectName() == "documentDialog")
    qtbot.waitUntil(lambda: dialog.browser.toPlainText().startswith("The first page"))
    qtbot.waitUntil(lambda: 0 < dialog.browser.document().idealWidth() <= dialog.browser.viewport().width())
    assert dialog.browser.horizontalScrollBar().maximum() == 0, "its pictures are no wider than the page"
    dialog.close()
    monkeypatch.setattr("swgui.paths.documentation", lambda: None)
    window.actions_table["documentation"].trigger()
    assert window.notifications.messages[-1].title == "The documentation is not in this installation."


def test_the_tour_has_six_steps_and_is_gone_through_by_keys(window, qtbot):
    assert len(STEPS) == 6
    window.actions_table["tour"].trigger()
    tour = window.help_desk.tour
    for number, step in enumerate(STEPS):
        assert named(tour.balloon, "tourTitle").text() == step.title
        assert window.page == step.page
        assert tour.target().isVisible()
        assert window.rect().contains(tour.balloon.geometry())
        assert tour.balloon.back_button.isEnabled() == (number > 0)
        assert tour.balloon.next_button.hasFocus()
        qtbot.keyClick(tour.balloon.next_button, Qt.Key.Key_Right if number % 2 else Qt.Key.Key_Return)
    assert not tour.running
    assert window.settings.display.tour_step == len(STEPS)
    tour.start()  # once more from the beginning
    assert named(tour.balloon, "tourTitle").text() == STEPS[0].title
    qtbot.keyClick(tour.balloon.next_button, Qt.Key.Key_Left)  # nothing before the first
    assert window.settings.display.tour_step == 0
    tour.leave()


def test_the_tour_does_one_search_and_goes_on_with_its_result(window, qtbot, monkeypatch):
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready)
    monkeypatch.setattr(window, "run_search", lambda: window.show_result(make_result()[0]))
    tour = window.help_desk.tour
    tour.start()
    tour.go(2)
    assert tour.balloon.next_button.text() == "Search now"
    tour.balloon.next_button.click()
    assert window.page == "results"
    assert named(tour.balloon, "tourTitle").text() == STEPS[3].title
    tour.go(2)
    qtbot.keyClick(tour.balloon.next_button, Qt.Key.Key_Right)  # on without another search
    assert named(tour.balloon, "tourTitle").text() == STEPS[3].title
    tour.leave()


def test_the_tour_goes_on_where_it_was_left_also_after_a_restart(window, make_window, qtbot, tmp_path):
    tour = window.help_desk.tour
    window.search_page.query.focus_box()
    tour.start()
    qtbot.keyClick(tour.balloon.next_button, Qt.Key.Key_Right)
    qtbot.keyClick(tour.balloon.next_button, Qt.Key.Key_Right)
    qtbot.keyClick(tour.balloon.next_button, Qt.Key.Key_Left)
    qtbot.keyClick(tour.balloon.back_button, Qt.Key.Key_Escape)
    assert not tour.running
    assert window.settings.display.tour_step == 1
    save(window.settings, tmp_path / "settings.json")
    again = make_window(load(tmp_path / "settings.json"))
    again.findChild(QPushButton, "welcomeTour").click()
    assert named(again.help_desk.tour.balloon, "tourTitle").text() == STEPS[1].title
    again.resize(620, 520)  # the balloon stays inside
    QApplication.processEvents()
    assert again.rect().contains(again.help_desk.tour.balloon.geometry())
    again.close()  # in the middle of it
    assert not again.help_desk.tour.running


def test_keys_of_the_users_own_are_used(make_window, tmp_path):
    save(Settings(shortcuts={"about": "Ctrl+E", "export": ""}), tmp_path / "settings.json")
    table = make_window(load(tmp_path / "settings.json")).actions_table
    assert table["about"].shortcut() == QKeySequence("Ctrl+E")
    assert "Ctrl+E" in table["about"].toolTip()
    assert table["export"].shortcuts() == []
    assert table["run"].shortcuts() == table.usual_keys("run")


def test_unknown_commands_and_odd_keys_in_the_settings_are_passed_over(make_window):
    settings = Settings(shortcuts={"gone": "Ctrl+1", "about": "no such key"})
    window = make_window(settings)
    assert window.actions_table["about"].isEnabled()


def test_less_motion(window, qtbot):
    bar = QProgressBar()
    qtbot.addWidget(bar)
    motion.be_busy(bar)
    assert bar.maximum() == 0
    flash = QApplication.cursorFlashTime()
    window.actions_table["reduced-motion"].setChecked(True)
    try:
        assert motion.reduced()
        assert window.settings.display.reduced_motion
        assert QApplication.cursorFlashTime() == 0
        assert (bar.value(), bar.maximum()) == (1, 2)  # a bar that is busy stands still, also one that was already
        assert motion.repaint_ms() == motion.CALM_REPAINT_MS
        motion.be_measured(bar, 10)
        assert bar.maximum() == 10
    finally:
        window.actions_table["reduced-motion"].setChecked(False)
    assert QApplication.cursorFlashTime() == flash
    assert bar.maximum() == 10
    assert motion.repaint_ms() == motion.REPAINT_MS


class Tray:
    def __init__(self):
        self.said, self.visible = [], False

    def show(self):
        self.visible = True

    def hide(self):
        self.visible = False

    def showMessage(self, *parts):
        self.said.append(parts[:2])


@pytest.fixture
def called(window, monkeypatch):
    """The window out of sight, on a desktop with notifications."""
    tray, alerts = Tray(), []
    monkeypatch.setattr(status, "supported", lambda: True)
    monkeypatch.setattr(status, "make_tray", lambda parent, clicked: setattr(tray, "clicked", clicked) or tray)
    monkeypatch.setattr(QApplication, "alert", alerts.append)
    monkeypatch.setattr(window, "isActiveWindow", lambda: False)
    return SimpleNamespace(window=window, tray=tray, alerts=alerts)


def finished(database="Swiss-Prot"):
    return SimpleNamespace(
        queries=(SimpleNamespace(hits=[1, 2]),), state="complete", database=SimpleNamespace(name=database)
    )


def test_long_runs_call_the_user_back(called, monkeypatch):
    window = called.window
    window.attention.begun(None)
    window.attention.ended(finished())
    assert (called.alerts, called.tray.said) == ([window], [])  # short: the task bar is enough
    monkeypatch.setattr(status, "LONG_SECONDS", 0)
    window.attention.ended(finished())
    assert called.tray.said == [("The search is complete.", "2 hits in Swiss-Prot.")]
    assert called.tray.visible
    called.tray.clicked()
    assert not called.tray.visible
    window.attention.call("The alignment is complete.", "", seconds=11)
    assert called.tray.said[-1][0] == "The alignment is complete."
    window.actions_table["notify"].setChecked(False)
    window.attention.call("Once more", "", seconds=11)
    assert len(called.tray.said) == 2
    assert len(called.alerts) == 4


def test_nobody_is_called_who_is_looking(called, monkeypatch):
    monkeypatch.setattr(called.window, "isActiveWindow", lambda: True)
    called.window.attention.call("Done", "", seconds=1000)
    assert (called.alerts, called.tray.said) == ([], [])


INPUTS = (QLineEdit, QComboBox, QAbstractSpinBox, QCheckBox, QRadioButton, QSlider, QPlainTextEdit)


def test_every_setting_has_a_tool_tip(make_window):
    window = make_window(whole=True)
    settings = [widget for widget in window.findChildren(QWidget) if isinstance(widget, INPUTS)]
    # Qt names the boxes inside its own widgets with qt_ in front; an editable box speaks for its line.
    outer = [w for w in settings if not w.objectName().startswith("qt_") and not isinstance(w.parent(), INPUTS)]
    assert len(outer) > 60
    without = [f"{type(widget).__name__} {widget.objectName()}" for widget in outer if not widget.toolTip()]
    assert without == []
    silent = [
        widget.objectName() for widget in window.findChildren(QWidget) if widget.toolTip() and not widget.whatsThis()
    ]
    assert silent == []  # each is reachable by Shift+F1, too
