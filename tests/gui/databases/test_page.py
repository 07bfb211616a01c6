"""The Databases page: the list with the state of each, and everything that can be done to them."""

import os
import threading
import time

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFileDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QTableView,
    QToolButton,
)

from swgui.core.errors import DatabaseError
from swgui.gui.databases import jobs as database_jobs
from swgui.gui.databases.details_panel import Details
from swgui.gui.databases.list import COLUMNS
from swgui.gui.databases.page import DatabasesPage
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.gui.inputs.drop import Dropped
from swgui.gui.inputs.opened import Build, sample_database
from swgui.gui.inputs.report import InputReport
from swgui.io.database.build import build_database
from swgui.io.database.file import database_facts, open_database
from swgui.io.database.library import open_any_database, remember_database, user_databases, user_folder
from swgui.io.organism_files import OrganismFiles
from swgui.settings import Settings
from tests.core.organisms.made import write_dump
from tests.gui.named import named


@pytest.fixture
def make_page(qtbot, theme, tasks, shown):
    """Return a function, not the page: pytest would keep that alive beyond the check for leaks."""

    def make():
        page = shown(DatabasesPage(Settings(), tasks), 1100, 750)
        qtbot.waitUntil(lambda: tasks.idle)
        return page

    return make


def make_old(path):
    past = time.time() - 60
    os.utime(path, (past, past))


@pytest.fixture
def built(database_file):
    """A database in the user's folder."""
    user_folder().mkdir(parents=True)
    path = user_folder() / "Mine.swdb"
    make_old(database_file)
    build_database([database_file], path)
    return path


def texts(page):
    """Cells of all rows, by title."""
    model = page.list.model()
    titles = [column.title for column in COLUMNS]
    return [{title: model.index(row, at).data() for at, title in enumerate(titles)} for row in range(model.rowCount())]


def press(qtbot, page, name):
    qtbot.mouseClick(page.findChild(QPushButton, name), Qt.MouseButton.LeftButton)


def settled(qtbot, page):
    qtbot.waitUntil(lambda: not page.busy and page.tasks.idle)


def said(page):
    return page.findChild(QLabel, "databasesDoing").text()


def facts(page):
    return {label.toolTip() for label in page.details.findChildren(QLabel)}


def test_without_a_database_the_page_says_what_to_do(make_page):
    page = make_page()
    empty = page.findChild(QPushButton, "databasesEmptyAdd")
    assert empty.isVisible()
    assert "Drop a FASTA" in " ".join(label.text() for label in page.stack.currentWidget().findChildren(QLabel))
    assert not page.findChild(QPushButton, "databasesAdd").isVisible()
    assert not page.list.isVisible()


def test_long_names_wrap_instead_of_hiding_other_words(make_page, qtbot, built):
    page = make_page()
    qtbot.waitUntil(lambda: len(facts(page)) > 3)
    page.details.show_details(Details([("Content", "some words that wrap " * 9), ("Longest", "contig_of_" * 40)]))
    qtbot.wait(60)
    area = page.details.findChild(QScrollArea, "databaseFacts")
    assert area.widget().width() <= area.viewport().width()
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()


def test_every_fact_of_a_database_is_listed(make_page, qtbot, built, database_file):
    page = make_page()
    (row,) = texts(page)
    known = user_databases()[0]
    assert row == {
        "Name": "Mine",
        "State": "✓ up to date",
        "Type": "protein",
        "Sequences": "3",
        "Residues": "85",
        "Longest": "38",
        "Size": f"{known.size / 1000:.1f} kB",
        "Made": known.made[:10],
        "Source": "Größe 1.fasta",
        "Checksum": known.checksum[:8],
    }
    assert page.chosen.path == built
    shown = facts(page)
    assert "3 protein sequences, 85 residues" in shown
    assert any(text.startswith("10 to 38 residues, median 37") for text in shown)
    assert "one (38), three (37), two (10)" in shown
    assert str(database_file) in shown
    assert known.checksum in shown
    assert page.details.plot.isVisible()
    assert "3 sequences, median length 37, longest 38 residues." in page.details.plot.accessibleDescription()


def test_the_gpu_is_mentioned_when_it_is_known(make_page, qtbot, built):
    page = make_page()
    assert not any("GPU" in text for text in facts(page))
    page.set_gpu_memory(1 << 30)
    qtbot.waitUntil(lambda: "fits the GPU's memory" in facts(page))
    page.set_gpu_memory(10)
    qtbot.waitUntil(lambda: any("larger than the GPU's memory" in text for text in facts(page)))


def test_states_are_told_apart(make_page, qtbot, built, database_file, tmp_path):
    orphan_source = tmp_path / "gone.fasta"
    orphan_source.write_text(">a\nMKV\n")
    build_database([orphan_source], user_folder() / "orphan.swdb")
    orphan_source.unlink()
    remember_database(tmp_path / "moved.swdb")
    (user_folder() / "broken.swdb").write_bytes(b"not a database")
    database_file.write_text(database_file.read_text("utf-8") + ">new\nMKV\n", "utf-8")
    page = make_page()
    states = {row["Name"]: row["State"] for row in texts(page)}
    assert states == {
        "Mine": "⚠ source changed",
        "orphan": "• source gone",
        "moved": "✗ file missing",
        "broken": "✗ cannot be read",
    }
    assert page.chosen.path == built  # the first that can be searched
    page.list.choose(user_folder() / "broken.swdb")
    qtbot.waitUntil(lambda: any("not a database" in text for text in facts(page)))
    buttons = page.details.buttons
    assert not buttons["use"].isVisible()
    assert buttons["remove"].isVisible()
    page.list.choose(tmp_path / "moved.swdb")
    assert buttons["locate"].isVisible()
    page.list.choose(user_folder() / "orphan.swdb")
    assert buttons["use"].isEnabled()
    assert not buttons["update"].isEnabled()
    assert "source file" in buttons["update"].toolTip()


def test_numbers_are_sorted_as_numbers(make_page, built, tmp_path):
    large = tmp_path / "large.fasta"
    large.write_text("".join(f">s{i}\nMKVLW\n" for i in range(20)))
    build_database([large], user_folder() / "aaa.swdb")
    page = make_page()
    at = next(at for at, column in enumerate(COLUMNS) if column.title == "Sequences")
    page.list.sortByColumn(at, Qt.SortOrder.DescendingOrder)
    assert [row["Sequences"] for row in texts(page)] == ["20", "3"]
    page.list.sortByColumn(at, Qt.SortOrder.AscendingOrder)
    assert [row["Sequences"] for row in texts(page)] == ["3", "20"]


def test_a_database_is_built_with_a_taxonomy(make_page, qtbot, tmp_path, monkeypatch):
    source = tmp_path / "two.fasta"
    source.write_text(">a x [Homo sapiens]\nMKVLAW\n>b y [Escherichia coli]\nMKV\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(source)], ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(write_dump(tmp_path / "taxdump")))
    page = make_page()
    press(qtbot, page, "databasesEmptyAdd")
    dialog = page.findChild(BuildDialog)
    dialog.findChild(QPushButton, "buildTaxonomyChoose").click()
    assert dialog.asked.organisms == OrganismFiles(taxonomy=str(tmp_path / "taxdump"))
    with qtbot.waitSignal(page.changed):
        dialog.accept()
    settled(qtbot, page)
    stored = open_database(user_folder() / "two.swdb").stored_organisms
    assert [stored.organism(at).taxid for at in (0, 1)] == [9606, 562]


def test_files_become_a_database_with_remarks(make_page, qtbot, tmp_path, monkeypatch):
    source = tmp_path / "数据 with spaces.fasta"
    source.write_text(">a first\nMKVLWAALLV\n>empty\n>a again\nMK5LWAAL\n", "utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(source)], ""))
    page = make_page()
    press(qtbot, page, "databasesEmptyAdd")
    dialog = page.findChild(BuildDialog)
    assert dialog.name.text() == "数据 with spaces"
    assert not dialog.asked.organisms
    with qtbot.waitSignal(page.changed):
        dialog.accept()
    settled(qtbot, page)
    (row,) = texts(page)
    assert (row["Name"], row["Sequences"], row["Residues"]) == ("数据 with spaces", "2", "17")
    assert page.chosen.path == user_folder() / "数据 with spaces.swdb"
    assert said(page).startswith("Built “数据 with spaces” in ")
    assert "2 proteins, 17 residues. 3 remarks." in said(page)
    press(qtbot, page, "databasesReport")
    report = page.findChild(InputReport)
    rows = report.findChild(QTableView, "remarks").model()
    kinds = {rows.index(at, 2).data() for at in range(rows.rowCount())}
    assert kinds == {"left out", "empty", "twice"}
    report.close()
    press(qtbot, page, "database-report")  # the content stored in the file agrees
    qtbot.waitUntil(lambda: page.findChild(InputReport) is not None)
    stored = page.findChild(InputReport)
    assert stored.findChild(QTableView, "remarks").model().rowCount() == rows.rowCount()
    stored.close()
    qtbot.mouseClick(page.findChild(QToolButton, "databasesClose"), Qt.MouseButton.LeftButton)
    assert page.card.isHidden()


def test_a_database_file_from_elsewhere_is_listed_where_it_is(make_page, qtbot, database_file, tmp_path):
    elsewhere = tmp_path / "elsewhere.swdb"
    build_database([database_file], elsewhere)
    page = make_page()
    page.take_files([elsewhere])
    qtbot.waitUntil(lambda: page.chosen is not None)
    assert page.chosen.path == elsewhere
    assert page.findChild(BuildDialog) is None


def test_a_file_that_is_no_database_is_refused_in_words(make_page, qtbot, tmp_path):
    wrong = tmp_path / "wrong.swdb"
    wrong.write_text("text")
    page = make_page()
    with qtbot.waitSignal(page.failed) as failed:
        page.take_files([wrong])
    assert isinstance(failed.args[0], DatabaseError)
    assert "wrong.swdb" in said(page)
    assert page.card.property("tone") == "danger"
    settled(qtbot, page)
    assert page.list.rows == []


def test_a_source_that_cannot_be_read_is_explained_and_nothing_is_written(make_page, qtbot, tmp_path):
    wrong = tmp_path / "wrong.fasta"
    wrong.write_bytes(bytes(range(256)) * 20)
    page = make_page()
    with qtbot.waitSignal(page.failed):
        page.build(Build((wrong,), user_folder() / "x.swdb", "x"))
    assert "wrong.fasta" in said(page)
    assert list(user_folder().glob("*")) == []


def test_only_one_piece_of_work_at_a_time_and_stop_keeps_what_was(make_page, qtbot, built, database_file, monkeypatch):
    going = threading.Event()

    def slow(asked, tell, cancel):
        tell(1, 4, "7 sequences read")
        going.set()
        assert cancel.wait(60)
        tell(4, 4, "late")
        return real(asked, tell, cancel)

    real = database_jobs.build
    monkeypatch.setattr(database_jobs, "build", slow)
    page = make_page()
    before = built.read_bytes()
    page.build(Build((database_file,), built, "Mine"))
    qtbot.waitUntil(lambda: going.is_set() and "25 %" in said(page))
    assert said(page) == "Building “Mine” · 25 % · 7 sequences read"
    for name in ("update", "check", "remove"):
        assert not page.details.buttons[name].isEnabled()
    with qtbot.waitSignal(page.message) as message:
        page.take_files([database_file])
    assert message.args[0] == "Building “Mine” is still running: wait until it is done, or stop it."
    assert page.findChild(QLabel, "databasesBusy").isVisible()
    assert page.findChild(BuildDialog) is None
    press(qtbot, page, "databasesStop")
    assert said(page) == "Stopping: Building “Mine”…"
    settled(qtbot, page)
    assert said(page).startswith("Building the database was stopped.")
    assert page.card.property("tone") == "info"
    assert built.read_bytes() == before
    assert page.details.buttons["check"].isEnabled()


def test_leaving_while_it_works_stops_it(make_page, qtbot, monkeypatch, tmp_path):
    stopped = []

    def slow(asked, tell, cancel):
        stopped.append(cancel.wait(60))

    monkeypatch.setattr(database_jobs, "build", slow)
    page = make_page()
    page.build(Build((tmp_path,), tmp_path / "x.swdb", "x"))
    page.shutdown()
    assert stopped in ([], [True])  # it had not begun, or got the message
    assert not list(tmp_path.glob("x.swdb"))


def test_a_changed_source_is_read_again(make_page, qtbot, built, database_file):
    database_file.write_text(database_file.read_text("utf-8") + ">new\nMKVLW\n", "utf-8")
    page = make_page()
    assert texts(page)[0]["State"] == "⚠ source changed"
    with qtbot.waitSignal(page.rebuilt) as rebuilt:
        press(qtbot, page, "database-update")
    settled(qtbot, page)
    assert rebuilt.args[0] == built
    (row,) = texts(page)
    assert (row["Sequences"], row["Residues"], row["State"]) == ("4", "90", "✓ up to date")
    assert len(open_database(built)) == 4
    qtbot.waitUntil(lambda: "4 protein sequences, 90 residues" in facts(page))


def test_a_converted_file_is_listed_by_its_source_and_read_again(make_page, qtbot, database_file):
    make_old(database_file)
    open_any_database(database_file)
    page = make_page()
    assert page.chosen.path == database_file
    assert page.chosen.converted
    assert not page.details.buttons["update"].isEnabled()
    database_file.write_text(">only\nMKVLW\n", "utf-8")
    page.refresh()
    settled(qtbot, page)
    assert texts(page)[0]["State"] == "⚠ source changed"
    press(qtbot, page, "database-update")
    settled(qtbot, page)
    assert (texts(page)[0]["Sequences"], texts(page)[0]["State"]) == ("1", "✓ up to date")


def test_a_check_says_that_all_is_well_or_that_it_is_not(make_page, qtbot, built):
    page = make_page()
    press(qtbot, page, "database-check")
    settled(qtbot, page)
    assert said(page).startswith("Checked “Mine” in ")
    assert f"all {built.stat().st_size:,} bytes are as they were written" in said(page)
    data = bytearray(built.read_bytes())
    data[data.index(b"first of three")] ^= 1  # a description: only the check notices
    built.write_bytes(data)
    page.refresh()
    settled(qtbot, page)
    assert texts(page)[0]["State"] == "✓ up to date"
    with qtbot.waitSignal(page.failed):
        press(qtbot, page, "database-check")
    settled(qtbot, page)
    assert "damaged" in said(page)
    assert texts(page)[0]["State"] == "✗ damaged"
    assert not page.details.buttons["use"].isVisible()
    press(qtbot, page, "database-update")
    settled(qtbot, page)
    assert texts(page)[0]["State"] == "✓ up to date"
    assert page.details.buttons["use"].isVisible()


def test_a_database_is_handed_over_for_searching(make_page, qtbot, built):
    page = make_page()
    with qtbot.waitSignal(page.use_wanted) as wanted:
        press(qtbot, page, "database-use")
    assert wanted.args[0] == built
    with qtbot.waitSignal(page.use_wanted):
        qtbot.keyClick(page.list, Qt.Key.Key_Return)


def answer(qtbot, page, delete):
    box = page.findChild(QMessageBox, "removeDatabase")
    tick = box.findChild(QCheckBox, "deleteFile")
    assert not tick.isChecked()
    tick.setChecked(delete)
    (button,) = (one for one in box.buttons() if box.buttonRole(one) == QMessageBox.ButtonRole.AcceptRole)
    assert button.text() == ("Delete" if delete else "Remove")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled(qtbot, page)


def test_removing_keeps_the_file_and_never_touches_the_source(make_page, qtbot, built, database_file):
    page = make_page()
    press(qtbot, page, "database-remove")
    answer(qtbot, page, delete=False)
    qtbot.waitUntil(lambda: not page.list.rows)
    assert built.exists()
    assert database_file.exists()
    page.take_files([built])  # it can be had back
    qtbot.waitUntil(lambda: len(page.list.rows) == 1)


def test_removing_deletes_the_file_when_that_is_asked(make_page, qtbot, built, database_file):
    page = make_page()
    qtbot.keyClick(page.list, Qt.Key.Key_Delete)
    answer(qtbot, page, delete=True)
    qtbot.waitUntil(lambda: not page.list.rows)
    assert not built.exists()
    assert database_file.exists()


def test_a_converted_copy_can_be_deleted_but_not_its_source(make_page, qtbot, database_file):
    open_any_database(database_file)
    page = make_page()
    copy = page.chosen.file
    page.remove()
    assert "copy in the cache" in page.findChild(QCheckBox, "deleteFile").text()
    answer(qtbot, page, delete=True)
    qtbot.waitUntil(lambda: not page.list.rows)
    assert database_file.exists()
    assert not copy.exists()


def test_cancel_removes_nothing(make_page, qtbot, built):
    page = make_page()
    page.remove()
    page.findChild(QMessageBox, "removeDatabase").reject()
    settled(qtbot, page)
    assert built.exists()
    assert len(page.list.rows) == 1


def test_a_moved_file_is_located(make_page, qtbot, database_file, tmp_path, monkeypatch):
    old, new = tmp_path / "old.swdb", tmp_path / "new.swdb"
    build_database([database_file], old)
    remember_database(old)
    old.rename(new)
    page = make_page()
    assert texts(page)[0]["State"] == "✗ file missing"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(new), ""))
    press(qtbot, page, "database-locate")
    qtbot.waitUntil(lambda: [row.path for row in page.list.rows] == [new])
    assert page.chosen.usable


def test_the_sample_is_put_on_the_list_once(make_page, qtbot):
    page = make_page()
    press(qtbot, page, "databasesSample")
    settled(qtbot, page)
    assert [row["Name"] for row in texts(page)] == ["Sample database"]
    assert page.chosen.path == sample_database()
    press(qtbot, page, "databasesSample")
    assert not page.busy


def test_files_dropped_on_the_page_are_built(make_page, qtbot, database_file):
    page = make_page()
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(database_file))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(page.rect().center(), Qt.DropAction.CopyAction, mime, buttons, keys)
    QGuiApplication.sendEvent(page, enter)
    assert named(page, "dropLayer").isVisible()
    assert [target.title for target in named(page, "dropLayer").offered] == ["Build a database"]
    middle = QPointF(page.rect().center())
    inside = QDragEnterEvent(middle.toPoint(), Qt.DropAction.CopyAction, mime, buttons, keys)
    QGuiApplication.sendEvent(named(page, "dropLayer"), inside)
    QGuiApplication.sendEvent(
        named(page, "dropLayer"), QDropEvent(middle, Qt.DropAction.CopyAction, mime, buttons, keys)
    )
    dialog = page.findChild(BuildDialog)
    assert dialog.sources == [database_file]
    dialog.accept()
    settled(qtbot, page)
    assert [row["Name"] for row in texts(page)] == ["Größe 1"]


def test_the_folder_is_shown_or_it_is_said_that_it_cannot_be(make_page, qtbot, built, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "swgui.gui.databases.page.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile()) or True
    )
    page = make_page()
    press(qtbot, page, "database-folder")
    assert opened == [str(built.parent)]
    monkeypatch.setattr("swgui.gui.databases.page.QDesktopServices.openUrl", lambda url: False)
    with qtbot.waitSignal(page.message) as message:
        page.show_folder()
    assert "cannot be shown" in message.args[0]


def test_the_menu_offers_what_the_buttons_do(make_page, qtbot, built):
    page = make_page()
    page.list.customContextMenuRequested.emit(page.list.visualRect(page.list.currentIndex()).center())
    menu = page.findChild(QMenu)
    actions = {action.text(): action for action in menu.actions()}
    assert {"Use for searching", "Check", "Remove…", "Copy path", "Copy checksum"} <= set(actions)
    actions["Copy checksum"].trigger()
    assert QGuiApplication.clipboard().text() == database_facts(built).checksum
    actions["Copy path"].trigger()
    assert QGuiApplication.clipboard().text() == str(built)
    menu.close()


def test_a_database_that_vanishes_while_it_is_looked_at_is_explained(make_page, qtbot, built):
    page = make_page()
    built.unlink()
    page.list.chosen_changed.emit()
    qtbot.waitUntil(lambda: any("There is no database" in text for text in facts(page)))


def test_names_are_never_read_as_rich_text(make_page, qtbot, tmp_path):
    source = tmp_path / "x.fasta"
    source.write_text("><b>bold</b>\nMKV\n><img src=x>\nMKVL\n")
    user_folder().mkdir(parents=True)
    build_database([source], user_folder() / "x.swdb", name="<h1>big</h1>")
    page = make_page()
    assert texts(page)[0]["Name"] == "<h1>big</h1>"
    for label in page.details.findChildren(QLabel):
        if "<" in label.text() and label is not page.details.plot.legend:
            assert label.textFormat() == Qt.TextFormat.PlainText
    page.remove()
    box = page.findChild(QMessageBox, "removeDatabase")
    assert box.textFormat() == Qt.TextFormat.PlainText
    box.reject()


@pytest.mark.styled
def test_the_page_follows_text_size_theme_and_width(make_page, qtbot, built, theme):
    page = make_page()
    widths = [page.list.columnWidth(at) for at in range(len(COLUMNS))]
    theme.use("dark", 150)
    settled(qtbot, page)
    for at, before in enumerate(widths[:-1]):  # the last one takes what is left
        assert page.list.columnWidth(at) > before
    body = page.details.body
    assert body.direction() == QBoxLayout.Direction.TopToBottom
    page.resize(1900, 1100)
    qtbot.waitUntil(lambda: body.direction() == QBoxLayout.Direction.LeftToRight)
    assert page.details.plot.plot.backgroundBrush().color().name().upper() == theme.colours.base


def test_looking_again_keeps_the_choice(make_page, qtbot, built, database_file):
    build_database([database_file], user_folder() / "Aaa.swdb")
    page = make_page()
    page.list.choose(built)
    page.refresh()
    settled(qtbot, page)
    assert page.chosen.path == built
    build_database([database_file], user_folder() / "Zzz.swdb")
    with qtbot.waitSignal(page.changed):
        page.refresh()
    assert page.chosen.path == built
    assert len(page.list.rows) == 3


@pytest.mark.data
def test_real_sequences(make_page, qtbot, data_dir):
    source = data_dir / "proteins" / "swissprot_16species.fasta.gz"
    page = make_page()
    page.build(Build((source,), user_folder() / "Sixteen species.swdb", "Sixteen species"))
    settled(qtbot, page)
    (row,) = texts(page)
    assert (row["Sequences"], row["Residues"], row["Longest"]) == ("20,307", "8,400,976", "10,287")
    assert any(text.startswith("13 to 10,287 residues") for text in facts(page))
    assert page.details.plot.figure.counts.sum() == 20_307


def test_a_folder_of_structures_can_be_dropped(make_page, tmp_path):
    page = make_page()
    what = Dropped(folders=(tmp_path,))
    (build,) = (target for target in page.targets() if target.accepts(what))
    build.use(what)
    assert page.findChild(BuildDialog).sources == [tmp_path]


def test_databases_of_the_site_are_only_read(make_page, qtbot, tmp_path, monkeypatch):
    source = tmp_path / "few.fasta"
    source.write_text(">one\nMKTAYIAKQRQISFVKSHFSRQ\n")
    site = tmp_path / "site"
    site.mkdir()
    build_database([source], site / "central.swdb", name="central")
    monkeypatch.setenv("SWGUI_DATABASES", str(site))
    page = make_page()
    row = next(row for row in page.list.rows if row.path == site / "central.swdb")
    page.list.choose(row.path)
    assert (row.state, row.usable, row.updatable) == ("site", True, False)
    buttons = page.details.buttons
    assert buttons["use"].isVisible()
    assert buttons["check"].isVisible()
    assert not buttons["update"].isVisible()
    assert not buttons["remove"].isEnabled()
    page.remove()
    page.update_chosen()
    assert page.findChildren(QMessageBox) == []
    assert not page.work.busy
