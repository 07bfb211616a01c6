"""Every command of the menus, and the palette that finds them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog

from swgui.gui.kit.pages import Command
from swgui.gui.window.actions import ActionTable
from swgui.gui.window.help import CommandPalette
from swgui.gui.window.pages import PAGES, commands_of, why_not
from tests.gui.window.by_hand import QUERY, result_of

COMMANDS = [command for command, _ in commands_of(PAGES)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_is_declared_well(command):
    assert command.plain_text[0].isupper()
    assert command.tip
    assert command.tip[-1] not in ".…"
    assert command.text.count("&") == 1 or command.menu.endswith("Theme")
    assert "..." not in command.text  # a dialog follows: one sign, …


def test_ids_and_keys_are_unique():
    ids = [command.id for command in COMMANDS]
    assert len(set(ids)) == len(ids)
    keys = [
        sequence.toString()
        for command in COMMANDS
        for key in command.keys
        for sequence in (QKeySequence.keyBindings(key) if not isinstance(key, str) else [QKeySequence(key)])[:1]
    ]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_mnemonics_of_a_menu_are_unique():
    marks = [(c.menu, c.text[c.text.index("&") + 1].lower()) for c in COMMANDS if "&" in c.text]
    assert len(set(marks)) == len(marks), sorted(marks)


# Commands of the pages Pair, By rule and Network: tests/gui/pair/, rules/ and network/
@pytest.mark.parametrize("menu", sorted({command.menu for command in COMMANDS} - {"&Pair", "&Rule", "&Network"}))
def test_every_command_does_something(menu, make_window, database_file, found, qtbot, monkeypatch):
    monkeypatch.setattr("swgui.gui.window.opening.QFileDialog.getOpenFileName", lambda *args: ("", ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getOpenFileNames", lambda *args: ([], ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *args: ("", ""))
    monkeypatch.setattr("swgui.gui.window.help.QWhatsThis.enterWhatsThisMode", lambda: None)
    monkeypatch.setattr("swgui.gui.window.help.QDesktopServices.openUrl", lambda url: True)
    monkeypatch.setattr(QApplication, "alert", lambda *args: None)
    window = make_window(search=lambda request, cancel: iter([found]))

    def search():
        window.search_page.query.set_text(QUERY)
        window.search_page.database.open(database_file)
        qtbot.waitUntil(lambda: window.search_page.ready, timeout=20_000)
        with qtbot.waitSignal(window.controller.result_ready, timeout=30_000):
            window.run_search()

    search()
    for name in [command.id for command in COMMANDS if command.menu == menu]:
        action, can = window.actions_table[name], name not in ("stop", "pause", "undo", "redo")
        if action.isEnabled() != can:  # by what the command before it did
            search()
        assert action.isEnabled() == can, name
        assert isinstance(window.findChild(QAction, name), QAction)
        action.trigger()
        qtbot.wait(1)
        assert [message for message in window.notifications.messages if message.level == "danger"] == [], name
        for dialog in window.findChildren(QDialog):
            dialog.close()
        qtbot.waitUntil(lambda: window.controller.phase == "idle", timeout=30_000)


def test_a_command_without_a_target_is_refused(make_window):
    window = make_window()
    with pytest.raises(AttributeError):
        ActionTable([(Command("x", "&X", "Do x", "&File", "no_such_thing"), "")], window, window.pages, {})


def test_the_palette_finds_and_runs_commands(make_window, qtbot):
    window = make_window()
    palette = CommandPalette(window.actions_table, window)
    qtbot.keyClicks(palette.box, "text larger")
    assert palette.list.topLevelItemCount() == 1
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    assert window.theme.scale == 110
    other = CommandPalette(window.actions_table, window)
    qtbot.keyClicks(other.box, "theme")
    qtbot.keyClick(other.box, Qt.Key.Key_Down)
    assert other.list.currentItem().text(0) == "View › Theme › Light"
    qtbot.keyClicks(other.box, " zzz")
    qtbot.keyClick(other.box, Qt.Key.Key_Return)
    assert window.theme.mode == "light"
    other.close()


def test_the_palette_does_not_run_what_is_disabled(make_window, qtbot):
    window = make_window()
    palette = CommandPalette(window.actions_table, window)
    qtbot.keyClicks(palette.box, "end the run now")
    assert palette.list.topLevelItemCount() == 1
    assert palette.list.currentItem() is None
    palette.close()


def test_the_command_line_is_copied(ready):
    window = ready()
    window.copy_command_line()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("swgui search -q queries.fasta -d '")
    assert "--matrix BLOSUM62 --gap-open 11 --gap-extend 1" in text


# Look and layout


def test_a_disabled_command_says_what_it_waits_for(ready):
    window = ready()
    table = window.actions_table
    assert {state for command in COMMANDS for state in command.needs} == set(why_not(PAGES))
    export, run = table["export"], table["run"]
    assert not export.isEnabled()
    assert export.toolTip().endswith("(Ctrl+E)\nNot now: there is no result yet.")
    assert run.isEnabled()
    assert "Not now" not in run.toolTip()
    table.use_keys({"export": "Ctrl+Alt+E"})
    assert export.toolTip().endswith("(Ctrl+Alt+E)\nNot now: there is no result yet.")
    window.show_result(result_of(window.search_page.request()))
    assert "Not now" not in export.toolTip()
