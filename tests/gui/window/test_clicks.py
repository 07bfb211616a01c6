"""Jobs of a bench scientist, done in the window through what is in sight, with their clicks counted and the sentence
that each result ends in.

A click is a press on a button or a tick, an entry of a menu, or a file chosen in a dialog of the desktop; a box to
choose from takes two, one to open it. Typing, pasting by keys and scrolling are none. The limit of a job is its number
of clicks before the window was made calm, and no job takes more. `docs/tutorial/first-search.md` shows most of them.
"""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
)
from shiboken6 import isValid

from swgui.core.plain import replace
from swgui.gui.search.page import sample_queries
from swgui.gui.viewer.family import FamilyView
from swgui.gui.viewer.shape import ShapeView
from swgui.io.paper.marks import Words
from tests.gui.made_results import make_result
from tests.gui.named import named
from tests.gui.window.test_runs import Slow
from tests.jobs.search.shifts.test_search import gene, letters

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")

PROTEIN = letters(np.random.default_rng(4), 300)
RELATIVE = "".join("A" if at % 3 == 0 else residue for at, residue in enumerate(PROTEIN))
TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"
SHOWN_ON_RESULTS = {
    *("searchAgain", "resultExport", "resultMore", "hitSearch", "hitFilters", "hitDetails"),
    *("mode-wrapped", "mode-stacked", "mode-dots", "alignmentView", "wholePage"),
}
MOST_ON_RESULTS = 27  # of the whole window, with its menus; 62 before


class Hand:
    """Does what a user does, and counts the clicks."""

    def __init__(self, window, qtbot, monkeypatch, folder):
        self.window, self.qtbot, self.clicks = window, qtbot, 0
        self.file = None  # that is chosen when a dialog of the desktop opens
        for name in ("getOpenFileName", "getSaveFileName"):
            monkeypatch.setattr(f"PySide6.QtWidgets.QFileDialog.{name}", lambda *args, **_: self._chosen(args))
        several = "PySide6.QtWidgets.QFileDialog.getOpenFileNames"
        monkeypatch.setattr(several, lambda *args, **_: ([self._chosen(args)[0]], ""))
        self.folder = folder

    def _chosen(self, args):
        self.clicks += 1
        return str(self.file if self.file is not None else self.folder / args[2].rpartition("/")[2]), ""

    def _seen(self, kind, name, root=None):
        found = [one for one in (root or self.window).findChildren(kind, name) if one.isVisible()]
        assert len(found) == 1, f"{name} is not in sight"
        assert found[0].isEnabled(), f"{name} cannot be used: {found[0].toolTip()}"
        return found[0]

    def press(self, name, root=None):
        self.clicks += 1
        self.qtbot.mouseClick(self._seen(QAbstractButton, name, root), Qt.MouseButton.LeftButton)

    def press_text(self, text, root):
        (button,) = [one for one in root.findChildren(QAbstractButton) if one.text().replace("&", "") == text]
        self.clicks += 1
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def entry(self, button, *texts, root=None):
        """Choose an entry of the menu of a button, by what it says."""
        self.clicks += 1
        self._choose(self._seen(QAbstractButton, button, root).menu(), texts)

    def menu(self, *texts):
        """Choose a command of the menu bar."""
        self._choose(self.window.menuBar(), texts)

    def _choose(self, menu, texts):
        for text in texts:
            if hasattr(menu, "aboutToShow"):
                menu.aboutToShow.emit()
            (action,) = [one for one in menu.actions() if one.text().replace("&", "") == text and one.isVisible()]
            assert action.isEnabled(), text
            self.clicks += 1
            menu = action.menu()
        assert menu is None
        action.trigger()

    def choose(self, name, data, root=None):
        box = self._seen(QComboBox, name, root)
        self.clicks += 2
        box.setCurrentIndex(box.findData(data))
        box.activated.emit(box.currentIndex())

    def key(self, keys):
        combination = QKeySequence(keys)[0]
        target = QApplication.focusWidget() or self.window
        self.qtbot.keyClick(target, combination.key(), combination.keyboardModifiers())

    def type(self, text):
        self.qtbot.keyClicks(QApplication.focusWidget(), text)

    def until(self, true):
        self.qtbot.waitUntil(lambda: bool(true()))

    def dialog(self, name):
        self.until(lambda: [one for one in self.window.findChildren(QDialog, name) if one.isVisible()])
        return next(one for one in self.window.findChildren(QDialog, name) if one.isVisible())

    def ends(self, said):
        """Wait until the headline of the result, in sight, is a sentence, or begins like it."""
        found = self.window.results_page.header.found
        self.until(lambda: found.isVisible() and found.text().startswith(said))

    def until_closed(self, dialog):
        """Wait until a dialog is closed; one that was is deleted sooner or later."""
        self.until(lambda: not isValid(dialog) or not dialog.isVisible())

    def query(self, text):
        """Paste a query by a click."""
        QGuiApplication.clipboard().setText(text)
        self.press("queryPaste")
        self.until(lambda: self.window.search_page.query.records and not self.window.search_page.query.busy)

    def search(self):
        """Press Search and wait for the result with the alignment of its first hit."""
        self.until(lambda: self.window.search_page.ready)
        with self.qtbot.waitSignal(self.window.controller.result_ready):
            self.press("searchButton")
        self.until(lambda: self.window.results_page.alignment.hit is not None)


@pytest.fixture
def hand(make_window, qtbot, monkeypatch, tmp_path):
    """A hand at a window whose database is a protein, a relative and an unrelated one."""

    def make(database=None, **options):
        window = make_window(**options)
        window.settings.search.engine = "cpu"
        window.resize(1280, 860)
        made = Hand(window, qtbot, monkeypatch, tmp_path)
        if database is not None:
            path = tmp_path / "database.fasta"
            path.write_text("".join(f">{name} {about}\n{residues}\n" for name, about, residues in database))
            window.search_page.database.open(path)
            made.until(lambda: window.search_page.database.database is not None)
        window.activateWindow()
        made.until(window.isActiveWindow)
        return made

    return make


def text_in(page):
    """Return the words of the labels of a page that are in sight."""
    return " ".join(label.text() for label in page.findChildren(QLabel) if label.isVisible())


FAMILY = (("SELF", "the protein", PROTEIN), ("RELATIVE", "a relative", RELATIVE), ("OTHER", "another", PROTEIN[::-1]))


def test_1_the_sample(hand):
    user = hand()
    user.window.begin()
    user.search()
    assert user.clicks <= 1
    user.ends("38 significant (E ≤ 0.001) in 5 of 5 queries; 70 hits with E ≤ 10")


def test_2_own_protein_and_database_to_a_table(hand, tmp_path):
    user = hand()
    path = tmp_path / "mine.fasta"
    path.write_text(f">SELF the protein\n{PROTEIN}\n")
    user.query(f">my protein\n{PROTEIN}\n")
    user.file = path
    user.entry("databaseChoose", "Choose a file…")
    user.search()
    user.press("resultExport")
    dialog = user.dialog("exportDialog")
    user.choose("exportFormat", "csv", dialog)
    user.file = tmp_path / "hits.csv"
    user.press("exportSave", dialog)
    user.until(user.file.exists)
    user.until_closed(dialog)
    assert "SELF" in user.file.read_text()
    assert user.clicks <= 10
    user.ends("The only hit is significant.")
    _export_again(user, tmp_path)


def _export_again(user, tmp_path):
    """A second table needs no format: the last one is remembered."""
    before = user.clicks
    user.press("resultExport")
    dialog = user.dialog("exportDialog")
    user.file = tmp_path / "again.csv"
    user.press("exportSave", dialog)
    user.until(user.file.exists)
    user.until_closed(dialog)
    assert user.clicks - before <= 3


def test_3_another_query_in_the_same_database(hand):
    user = hand(FAMILY)
    user.query(f">repeats\n{'STST' * 60}\n")
    user.until(lambda: user.window.search_page.ready)
    with user.qtbot.waitSignal(user.window.controller.result_ready):
        user.press("searchButton")
    user.until(lambda: user.window.page == "results")
    user.ends("0 hits with E ≤ 10")
    assert user.clicks <= 2


def test_4_distant_relatives_to_an_alignment(hand, tmp_path):
    user = hand(FAMILY)
    user.query(f">query\n{PROTEIN}\n")
    user.search()
    before, page = user.clicks, user.window.results_page
    user.press("searchAgain")
    user.press("againUntil", user.dialog("againDialog"))
    user.until(lambda: page.result.queries[0].rounds is not None and page.alignment.hit is not None)
    user.press("mode-family")
    user.until(lambda: page.alignment.view(FamilyView).family is not None)
    user.press("familySave")
    user.until(lambda: (tmp_path / "query.a3m").exists())
    assert (tmp_path / "query.a3m").read_text().startswith(">query")
    user.ends("2 significant, in 3 alignments; the other one is expected by chance.")
    assert user.clicks - before <= 5  # again, next, Family, Save, and Save in the dialog


def test_5_a_frameshift_in_a_read(hand):
    user = hand(FAMILY)
    user.query(f">read\n{gene(PROTEIN, [(400, -1)]).decode()}\n")
    user.until(lambda: user.window.search_page.ready)
    user.press("allowShifts")
    user.search()
    assert user.window.results_page.alignment.hit.counts.frameshifts == 1
    user.ends("2 significant; the other one is expected by chance.")
    assert user.clicks <= 3


def test_6_a_frameshift_that_the_result_names(hand):
    user = hand(FAMILY)
    user.query(f">read\n{gene(PROTEIN, [(400, -1)]).decode()}\n")
    user.search()
    with user.qtbot.waitSignal(user.window.controller.result_ready):
        user.press("acrossShifts")
    user.until(lambda: (hit := user.window.results_page.alignment.hit) is not None and hit.counts.frameshifts == 1)
    user.ends("2 significant; the other one is expected by chance.")
    assert user.clicks <= 3


def test_7_all_copies_in_one_subject(hand):
    spaced = "G" * 40
    user = hand([("GENOME", "two copies", f"{PROTEIN}{spaced}{RELATIVE}")])
    user.query(f">query\n{PROTEIN}\n")
    user.search()
    hits = user.window.results_page.hits
    user.until(lambda: hits.model.rowCount() >= 3)  # the subject, and its alignments below it, open
    user.ends("The only hit is significant, in 2 alignments.")
    assert user.clicks <= 3


def test_8_a_pair_of_files(hand, tmp_path):
    user = hand()
    page = user.window.pages["pair"]
    user.key("Ctrl+5")
    user.until(lambda: user.window.page == "pair")
    for name, button in (("one.fasta", "pairQueryOpen"), ("two.fasta", "pairSubjectOpen")):
        user.file = tmp_path / name
        user.file.write_text(f">{name}\n{'ACGTTGCA' * 30}\n")
        user.press(button)
    user.until(lambda: page.ready)
    user.press("pairAlign")
    user.until(lambda: page.result is not None)
    user.until(lambda: "one.fasta and two.fasta align best from 1 to 240" in text_in(page))
    assert user.clicks <= 5


def test_9_any_subject_is_found_by_keys(hand):
    user = hand(FAMILY)
    user.query(f">query\n{PROTEIN}\n")
    user.search()
    before, panel = user.clicks, user.window.scores_panel
    user.key("Ctrl+T")
    user.until(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    user.type("OTHER")
    user.key("Return")
    user.until(lambda: panel.answer.isVisible() and "rank 3 of 3. It is in the list." in panel.answer.text())
    assert user.clicks == before


def test_10_all_by_keys(hand, tmp_path):
    user = hand()
    path = tmp_path / "mine.fasta"
    path.write_text("".join(f">{name} {about}\n{residues}\n" for name, about, residues in FAMILY))
    QGuiApplication.clipboard().setText(f">query\n{PROTEIN}\n")
    user.key("Ctrl+Shift+V")
    user.file = path
    user.key("Ctrl+D")
    user.until(lambda: user.window.search_page.ready)
    with user.qtbot.waitSignal(user.window.controller.result_ready):
        user.key("Ctrl+Return")
    page = user.window.results_page
    user.until(lambda: page.hits.table.hasFocus())
    user.key("Down")
    assert page.hits.table.current_hit_row() == 1
    user.key("/")
    user.type("SELF")
    user.until(lambda: page.hits.table.current_hit_row() == 0)
    user.ends("2 significant; the other one is expected by chance.")
    user.file = tmp_path / "hits.tsv"
    user.key("Ctrl+E")
    dialog = user.dialog("exportDialog")
    user.until(lambda: dialog.save_button.isEnabled())
    user.qtbot.keyClick(dialog, Qt.Key.Key_Return)
    user.until(user.file.exists)
    user.until_closed(dialog)
    assert user.clicks == 2  # the dialogs of the desktop, which take keys as well


def test_11_stop_and_resume(ready, qtbot, monkeypatch, tmp_path):
    search = Slow()
    window = ready(search=search)
    user = Hand(window, qtbot, monkeypatch, tmp_path)
    window.run_search()
    qtbot.waitUntil(window.status.stop.isVisible)
    with qtbot.waitSignal(window.controller.result_ready):
        user.press("statusStop")
    assert window.results_page.header.note_text.isVisible()
    assert user.clicks <= 1
    stopped = replace(make_result(state="stopped")[0], run_id="begun")
    window.show_result(stopped)
    resumed = []
    window.results_page.header.resume_wanted.connect(resumed.append)
    monkeypatch.setattr(window.runs_page, "resume_run", lambda _run: None)
    assert named(window, "noteStack").notes  # that the search was stopped
    user.press("resultResume")
    assert not named(window, "noteStack").notes
    assert resumed == [stopped.run_id]
    assert user.clicks <= 2
    window.show_result(make_result()[0])
    user.ends("5 significant (E ≤ 0.001) in 1 of 3 queries")


def test_12_dark(hand):
    user = hand()
    user.window.show_result(make_result()[0])
    user.window.show_page("results")
    user.menu("View", "Theme", "Dark")
    assert user.window.theme.mode == "dark"
    assert user.clicks <= 3
    user.ends("5 significant (E ≤ 0.001) in 1 of 3 queries")


def test_13_a_figure(hand, tmp_path):
    user = hand(FAMILY)
    user.query(f">query\n{PROTEIN}\n")
    user.search()
    before, user.file = user.clicks, tmp_path / "figure.svg"
    user.entry("alignmentView", "Save a figure…")
    user.press("figureSave", user.dialog("figureDialog"))
    user.until(user.file.exists)
    assert user.clicks - before <= 4
    user.until(lambda: user.window.statusBar().currentMessage() == f"Figure written to {user.file}.")


def test_14_print(hand):
    user = hand(FAMILY)
    user.query(f">query\n{PROTEIN}\n")
    user.search()
    before = user.clicks
    user.entry("resultMore", "Print…")
    preview = user.dialog("printPreview")
    words = [mark.text for mark in preview.pages[0].marks if isinstance(mark, Words)]
    assert any(text.startswith("2 significant; the other one is expected by chance.") for text in words)
    preview.close()
    assert user.clicks - before <= 2
    assert user.window.statusBar().currentMessage() == ""  # the pages are prepared


def test_15_prose_above_a_sequence(hand):
    user = hand(FAMILY)
    user.query(f"My protein from the paper:\n{PROTEIN}\n")
    user.press("queryMeant")
    user.until(lambda: len(user.window.search_page.query.records[0].residues) == len(PROTEIN))
    user.search()
    assert user.clicks <= 3
    user.ends("2 significant; the other one is expected by chance.")


def test_16_search_by_shape(hand, tmp_path):
    user = hand()
    user.file = TRP_CAGE
    user.press("queryOpen")
    user.entry("databaseChoose", "Build a database…")
    user.press_text("Build", user.dialog("buildDialog"))
    user.search()
    page = user.window.results_page
    assert user.window.search_page.job == "shape"
    assert user.window.results_page.header.found.text().endswith(".")
    assert page.alignment.mode == ShapeView.name, "the structures are seen at once"
    user.window.activateWindow()  # as desktops do once a dialog is closed
    user.until(user.window.isActiveWindow)
    assert page.hits.table.hasFocus()
    assert user.clicks <= 7  # two of them files in dialogs of the desktop


def test_17_a_leak_between_two_sets(hand, tmp_path):
    user, files = hand(), {"train": f">known\n{PROTEIN}\n", "test": f">same\n{PROTEIN}\n>other\n{RELATIVE[:60]}\n"}
    user.menu("Tools", "Find leaks between two sets…")
    for name, text in files.items():
        user.file = tmp_path / f"{name}.fasta"
        user.file.write_text(text)
        user.press(f"sets-leak-{name}-file")
    user.press("setsStart")
    sets = user.window.pages["network"].sets
    user.until(lambda: sets.view.result is not None and not sets.running)
    assert (
        named(sets, "setsAnswer").text().startswith("2 of 2 test sequences have a neighbour among 1 training sequence;")
    )
    user.press("setsCount-1")  # 100 %
    user.until(lambda: len(sets.view.table.rows_model.rows) == 1)
    assert "same" in [column.text(0) for column in sets.view.table.rows_model.source.columns]
    assert user.clicks <= 8


def test_18_primers_to_their_product(hand, tmp_path):
    user = hand()
    bases = gene(PROTEIN, []).decode()
    turned = bases[-20:].translate(str.maketrans("ACGT", "TGCA"))[::-1]
    user.file = tmp_path / "genome.fasta"
    user.file.write_text(f">genome\n{bases}\n")
    page = user.window.pages["rules"]
    user.key("Ctrl+2")
    user.until(lambda: user.window.page == "rules")
    user.press("ruleTask-primers")
    QGuiApplication.clipboard().setText(f">f\n{bases[:20]}\n>r\n{bases[-20:]}\n")  # not turned, as many write it
    user.press("ruleQueryPaste")
    page.database.open(user.file)
    user.until(lambda: page.ready)
    user.press("ruleFind")
    user.until(lambda: page.result is not None and not page.searching)
    first = page.result
    user.press("ruleMend0")  # turns r round
    user.until(lambda: page.result is not first and not page.searching)
    assert page.view.answer.sentence.text() == f"f/r: 1 product of {len(bases):,} bases, in 1 sequence."
    assert turned in page.queries.box.toPlainText()
    assert user.clicks <= 4


@pytest.mark.parametrize("by_keys", [True, False])
def test_keys_go_through_the_hits_at_once(hand, by_keys):
    user = hand(FAMILY)
    user.query(f">query\n{PROTEIN}\n")
    user.until(lambda: user.window.search_page.ready)
    if by_keys:
        with user.qtbot.waitSignal(user.window.controller.result_ready):
            user.key("Ctrl+Return")
    else:
        user.search()
    table = user.window.results_page.hits.table
    user.until(table.hasFocus)
    for key, row in (("Down", 1), ("Up", 0)):
        user.key(key)
        assert table.current_hit_row() == row


def test_few_controls_are_in_sight_after_a_search(hand):
    user = hand()
    user.window.begin()
    user.until(lambda: user.window.search_page.ready)
    user.query(">" + sample_queries().read_text().split(">")[1])
    user.until(lambda: len(user.window.search_page.query.records) == 1)
    user.search()
    kinds = (QAbstractButton, QComboBox, QLineEdit, QSpinBox, QPlainTextEdit)
    seen = [one for kind in kinds for one in user.window.findChildren(kind) if one.isVisible()]
    page = user.window.results_page
    assert {one.objectName() for one in seen if page.isAncestorOf(one)} == SHOWN_ON_RESULTS
    menus = [action for action in user.window.menuBar().actions() if action.isVisible()]
    assert len(seen) + len(menus) <= MOST_ON_RESULTS
