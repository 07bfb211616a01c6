"""Every command of the menus, which acts on the page that is shown, and the palette that finds them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit.pages import Command
from swgui.gui.search.entry import PAGE as SEARCH
from swgui.gui.window import actions
from swgui.gui.window.actions import ActionTable
from swgui.gui.window.help import CommandPalette
from swgui.gui.window.pages import PAGES, WHY_NOT, commands_of, why_not
from swgui.io.matrices import load_matrix
from swgui.runs.projects.folder import Project
from tests.gui.made_results import make_result
from tests.gui.window.by_hand import QUERY, result_of

COMMANDS = [command for command, _ in commands_of(PAGES)]
# What Export, Save, Figure and Methods open on the pages that have results.
ANSWERS = {
    ("rules", "export"): ["RuleTableDialog"],
    ("results", "export"): ["ExportDialog"],
    ("results", "save-search"): ["Save search"],
    ("results", "figure"): ["FigureDialog"],
    ("results", "methods"): ["MethodsDialog"],
    ("rules", "methods"): ["MethodsDialog"],
    ("pair", "methods"): ["MethodsDialog"],
    ("network", "methods"): ["MethodsDialog"],
    ("pair", "export"): ["PairExportDialog"],
    ("pair", "save-search"): ["PairExportDialog"],
    ("pair", "figure"): ["Save a figure"],
    ("network", "export"): ["Save network"],
    ("network", "save-search"): ["Save network"],
    ("network", "figure"): ["Save a figure"],
    ("folding", "export"): ["Export the jobs"],
}


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


def acts_on(name):
    """Return the page that shows what a command acts on."""
    owner = next(page for command, page in commands_of(PAGES) if command.id == name)
    return owner or ("search" if name in SEARCH.answers else "results")


# Commands of the pages Pair, By rule and Network: tests/gui/pair/, rules/ and network/
@pytest.mark.parametrize("menu", sorted({command.menu for command in COMMANDS} - {"&Pair", "&Rule", "&Network"}))
@pytest.mark.sampled(3)
def test_every_command_does_something(menu, make_window, database_file, found, qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr("swgui.gui.window.opening.QFileDialog.getOpenFileName", lambda *args: ("", ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getOpenFileNames", lambda *args: ([], ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *args: ("", ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getExistingDirectory", lambda *args: "")
    monkeypatch.setattr("swgui.gui.window.help.QWhatsThis.enterWhatsThisMode", lambda: None)
    monkeypatch.setattr("swgui.gui.window.help.QDesktopServices.openUrl", lambda url: True)
    monkeypatch.setattr(QApplication, "alert", lambda *args: None)
    window = make_window(search=lambda request, cancel: iter([found]))

    def search():
        window.search_page.query.set_text(QUERY)
        window.search_page.database.open(database_file)
        qtbot.waitUntil(lambda: window.search_page.ready)
        with qtbot.waitSignal(window.controller.result_ready):
            window.run_search()

    search()
    if menu.endswith("Pro&ject"):
        window.projects.open(Project.make(tmp_path / "project").folder)
    for name in [command.id for command in COMMANDS if command.menu == menu]:
        action, can = window.actions_table[name], name not in ("stop", "pause", "undo", "redo")
        window.show_page(acts_on(name))
        if action.isEnabled() != can:  # by what the command before it did
            search()
            window.show_page(acts_on(name))
        assert action.isEnabled() == can, name
        assert isinstance(window.findChild(QAction, name), QAction)
        action.trigger()
        qtbot.wait(1)
        assert [message for message in window.notifications.messages if message.level == "danger"] == [], name
        for dialog in window.findChildren(QDialog):
            dialog.close()
        qtbot.waitUntil(lambda: window.controller.phase == "idle")


def test_stop_on_this_computer_stops_the_sweep(make_window, monkeypatch):
    window, stopped = make_window(), []
    page = window.pages["device"]
    window.show_page("device")
    assert not window.actions_table["stop"].isEnabled()
    monkeypatch.setattr(type(page.sweeps), "running", property(lambda _panel: True))
    monkeypatch.setattr(page.sweeps, "stop", lambda: stopped.append(1))
    page.sweeps.busy_changed.emit(True)
    assert window.actions_table["stop"].isEnabled()
    window.actions_table["stop"].trigger()
    assert stopped == [1]


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
    qtbot.keyClicks(palette.box, "stop the search now")
    assert palette.list.topLevelItemCount() == 1
    assert palette.list.currentItem() is None
    palette.close()


def test_the_command_line_is_copied(ready):
    window = ready()
    window.copy_command_line()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("swgui search -q queries.fasta -d '")
    assert "--matrix BLOSUM62 --gap-open 11 --gap-extend 1" in text


# Every command on every page

NAMES = tuple(page.name for page in PAGES)
# In the order of the pages: P acts on the page that is shown, W on the frame of the window or on the search that the
# foot of the window tells of, > shows the page that it acts on first, . is disabled. A command of a page is P on it
# alone, one that shows a page > everywhere; both are left out of the table.
TABLE = """
                 search rules results runs pair network databases locus device folding
new              >      >     >       >    >    >       >         >     >      >
open-query       >      P     >       >    P    P       >         >     >      >
forget-recent    W      W     W       W    W    W       W         W     W      W
open-database    >      P     >       >    >    >       >         >     >      >
build-database   >      >     >       >    >    >       P         >     >      >
open-saved       >      >     >       >    >    >       >         >     >      >
project-new      W      W     W       W    W    W       W         W     W      W
project-open     W      W     W       W    W    W       W         W     W      W
project-unpack   W      W     W       W    W    W       W         W     W      W
save-search      .      .     P       .    P    P       .         .     .      .
project-add      W      W     W       W    W    W       W         W     W      W
project-note     W      W     W       W    W    W       W         W     W      W
project-pack     W      W     W       W    W    W       W         W     W      W
export           .      P     P       .    P    P       .         P     P      P
figure           .      .     P       .    P    P       .         P     .      .
methods          .      P     P       .    P    P       .         .     .      .
print            .      .     P       .    .    .       .         .     .      .
project-close    W      W     W       W    W    W       W         W     W      W
sample           >      >     >       >    P    P       P         >     >      >
quit             W      W     W       W    W    W       W         W     W      W
undo             W      W     W       W    W    W       W         W     W      W
redo             W      W     W       W    W    W       W         W     W      W
paste-query      >      P     >       >    P    >       >         >     >      >
find-hit         .      .     P       .    .    .       .         P     .      .
run              P      P     .       .    P    P       .         .     .      P
queue            P      P     .       .    P    .       .         .     P      .
stop             W      P     W       W    P    P       W         W     P      P
pause            W      W     W       W    W    W       W         W     W      W
copy-command     P      P     .       .    P    P       .         .     P      .
copy-python      P      P     .       .    P    P       .         .     .      .
edit-search      .      .     P       .    .    .       .         .     .      .
find-target      .      .     P       .    .    .       .         .     .      .
explain-hit      .      .     P       .    .    .       .         .     .      .
shuffle-hits     .      .     P       .    .    .       .         .     .      .
audit            .      .     P       .    .    .       .         .     .      .
compare-runs     .      .     P       .    .    .       .         .     .      .
what-changed     .      .     P       .    .    .       .         .     .      .
watch-search     .      .     P       .    .    .       .         .     .      .
self-check       >      >     >       >    >    >       >         >     >      >
probe            W      W     W       W    W    W       W         W     W      W
watches          W      W     W       W    W    W       W         W     W      W
features         W      W     W       W    W    W       W         W     W      W
covariation      W      W     W       W    W    W       W         W     W      W
ask-leak         >      >     >       >    >    >       >         >     >      >
ask-judge        >      >     >       >    >    >       >         >     >      >
ask-split        >      >     >       >    >    >       >         >     >      >
ask-cluster      >      >     >       >    >    >       >         >     >      >
view-wrapped     .      .     P       .    .    .       .         .     .      .
view-stacked     .      .     P       .    .    .       .         .     .      .
view-dots        .      .     P       .    .    .       .         .     .      .
view-path        .      .     P       .    .    .       .         .     .      .
view-text        .      .     P       .    .    .       .         .     .      .
show-locus       .      P     P       .    P    .       .         .     .      .
theme-system     W      W     W       W    W    W       W         W     W      W
theme-light      W      W     W       W    W    W       W         W     W      W
theme-dark       W      W     W       W    W    W       W         W     W      W
text-larger      W      W     W       W    W    W       W         W     W      W
text-smaller     W      W     W       W    W    W       W         W     W      W
text-reset       W      W     W       W    W    W       W         W     W      W
reduced-motion   W      W     W       W    W    W       W         W     W      W
notify           W      W     W       W    W    W       W         W     W      W
full-screen      W      W     W       W    W    W       W         W     W      W
activity         W      W     W       W    W    W       W         W     W      W
details          .      .     P       .    .    .       .         .     .      .
scores           .      .     P       .    .    .       .         .     .      .
log              W      W     W       W    W    W       W         W     W      W
messages         W      W     W       W    W    W       W         W     W      W
palette          W      W     W       W    W    W       W         W     W      W
reset-layout     W      W     W       W    W    W       W         W     W      W
help             W      W     W       W    W    W       W         W     W      W
documentation    W      W     W       W    W    W       W         W     W      W
tour             W      W     W       W    W    W       W         W     W      W
whats-this       W      W     W       W    W    W       W         W     W      W
copy-report      W      W     W       W    W    W       W         W     W      W
about            W      W     W       W    W    W       W         W     W      W
"""
# Commands of the window that act on a page, and show it first.
SHOWS = {
    "new": "search", "open-query": "search", "open-database": "search", "build-database": "search",
    "open-saved": "runs", "sample": "search", "paste-query": "search", "self-check": "device",
    "ask-leak": "network", "ask-judge": "network", "ask-split": "network", "ask-cluster": "network",
}  # fmt: skip


def expected():
    """Return the content of `TABLE`: command to the letters of all pages."""
    head, *lines = TABLE.strip("\n").splitlines()
    assert tuple(head.split()) == NAMES
    return {name: letters for name, *letters in map(str.split, lines)}


def as_table(rows):
    head = " " * 17 + " ".join(NAMES)
    widths = [len(name) for name in NAMES]
    lines = (
        f"{name:16} " + " ".join(f"{one:{width}}" for one, width in zip(row, widths, strict=True)).rstrip()
        for name, row in rows.items()
    )
    return "\n".join([head, *lines])


@pytest.fixture
def everything(make_window, monkeypatch):
    """A window in which everything is possible, and which notes what commands call instead of calling it."""
    window = make_window(whole=True)
    of_pages = {page.name: set(page.why_not) for page in PAGES}
    monkeypatch.setattr(type(window), "states", property(lambda self: {*WHY_NOT, *of_pages[self.page]}))
    called = []
    monkeypatch.setattr(actions, "follow", lambda root, path: lambda *_: called.append((root, path)))
    return window, called


def test_every_command_acts_on_the_page_that_is_shown_or_is_disabled(everything):
    window, called = everything
    seen = {}
    for page in NAMES:
        window.show_page(page)
        for command, owner in commands_of(PAGES):
            action, letter = window.actions_table[command.id], "."
            called.clear()
            action.trigger()
            assert bool(called) == action.isEnabled(), (page, command.id)
            if called:
                ((root, path),) = called
                assert root is window or root is window.pages[page], (page, command.id)
                shown = root is not window or "result" in command.needs
                letter = "P" if shown else ">" if command.id in SHOWS or path == "show_page" else "W"
            if command.does == "show_page":
                assert letter == ">"
            elif owner:
                assert letter == ("P" if owner == page else "."), (page, command.id)
            else:
                seen.setdefault(command.id, []).append(letter)
    assert as_table(seen) == as_table(expected()), "place a new command or page in the table"


def test_a_disabled_command_says_that_the_page_has_nothing_for_it(everything):
    window, _ = everything
    window.show_page("network")
    table = window.actions_table
    assert table["print"].toolTip().endswith("\nNot now: it does not apply to this page.")
    assert table["pair-swap"].toolTip().endswith("\nNot now: it does not apply to this page.")
    assert table["export"].toolTip() == "Write the network, or the part in view, or the table of an answer (Ctrl+E)"
    window.show_page("results")
    assert table["export"].toolTip() == "Write hits, alignments or sequences to a file (Ctrl+E)"


@pytest.mark.parametrize("name", SHOWS)
@pytest.mark.sampled(4)
def test_a_command_that_acts_on_another_page_shows_it(make_window, database_file, qtbot, monkeypatch, name):
    window = make_window(whole=True)
    for dialog in ("getOpenFileName", "getOpenFileNames"):
        given = [str(database_file)] if dialog.endswith("s") else str(database_file)
        monkeypatch.setattr(f"PySide6.QtWidgets.QFileDialog.{dialog}", lambda *_, given=given: (given, ""))
    monkeypatch.setattr("swgui.gui.inputs.build_dialog.BuildDialog.ask", lambda dialog: dialog.accept())
    monkeypatch.setattr("swgui.gui.inputs.database.DatabasePanel.build", lambda *_: None)
    monkeypatch.setattr(window.runs_page, "open_file", lambda path: window.show_page("runs"))
    monkeypatch.setattr(window.device_page, "run_check", lambda: None)
    window.show_page("device" if SHOWS[name] != "device" else "runs")
    window.actions_table[name].trigger()
    assert window.page == SHOWS[name]


def test_nothing_of_a_search_is_done_while_another_page_is_shown(make_window):
    window = make_window(whole=True)
    window.show_result(make_result()[0])
    of_result = [name for name, letters in expected().items() if letters.count("P") == 1 and letters[2] == "P"]
    assert {"print", "explain-hit", "details"} < set(of_result)
    for page in NAMES:
        window.show_page(page)
        for name in of_result:
            assert window.actions_table[name].isEnabled() == (page == "results"), (page, name)
    window.show_page("network")  # which is empty
    for name in ("export", "save-search", "figure", "methods"):
        assert not window.actions_table[name].isEnabled()
        window.actions_table[name].trigger()
    assert not [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]


TWO = ">one\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n>two\nMKVLWAALLVTFLAGCQAKVEQWWWEPEPELRQQTEW\n"


@pytest.fixture
def full(make_window, qtbot, tmp_path):
    """A window with a result on each page that has results."""
    window = make_window(whole=True)
    sequences = tmp_path / "two.fa"
    sequences.write_text(TWO)
    rules, pair, network = window.pages["rules"], window.pages["pair"], window.pages["network"].network
    window.show_page("rules")
    rules.use_queries((), ">p\nLLVTFLAGC\n")
    rules.use_database(sequences)
    run = window.actions_table["run"]
    qtbot.waitUntil(lambda: rules.ready and run.isEnabled())
    run.trigger()
    network.use_file(sequences)
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    pair.align_these(
        *(SequenceRecord(name, "", text) for name, text in (("one", b"MKVLWAALL"), ("two", b"MKVLWA"))), scheme, "plus"
    )
    qtbot.waitUntil(lambda: rules.result is not None and not rules.running)
    qtbot.waitUntil(lambda: network.shown.cut is not None and not network.comparison.preparing.busy)
    qtbot.waitUntil(lambda: pair.result is not None and not pair.running)
    window.show_result(make_result()[0])
    qtbot.waitUntil(lambda: window.results_page.alignment.hit is not None)  # which a figure is drawn of
    return window


def test_export_and_save_write_what_is_shown(full, qtbot, monkeypatch):
    window, asked, opened = full, [], {}

    def ask(_parent, title, *_):
        asked.append(title)
        return "", ""

    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", ask)
    for page in NAMES:
        window.show_page(page)
        for name in ("export", "save-search", "figure", "methods"):
            if (page, name) in ANSWERS:  # some wait for what is computed after a result is shown
                qtbot.waitUntil(window.actions_table[name].isEnabled)
            asked.clear()
            window.actions_table[name].trigger()
            dialogs = [one for one in window.findChildren(QDialog) if one.isVisible()]
            opened[page, name] = [*asked, *(type(one).__name__ for one in dialogs)]
            for one in dialogs:
                one.reject()
    assert {key: value for key, value in opened.items() if value} == ANSWERS


def test_a_disabled_command_says_what_it_waits_for(ready):
    window = ready()
    table = window.actions_table
    of_pages = [answer for page in PAGES for answer in page.answers.values()]
    assert {state for one in (*COMMANDS, *of_pages) for state in one.needs} == set(why_not(PAGES))
    export, run = table["export"], table["run"]
    assert not export.isEnabled()
    assert export.toolTip().endswith("(Ctrl+E)\nNot now: it does not apply to this page.")
    assert run.isEnabled()
    assert "Not now" not in run.toolTip()
    window.show_page("results")
    table.use_keys({"export": "Ctrl+Alt+E"})
    assert export.toolTip().endswith("(Ctrl+Alt+E)\nNot now: no result of a search is shown.")
    window.show_result(result_of(window.search_page.request()))
    assert "Not now" not in export.toolTip()
