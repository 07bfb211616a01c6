"""The query on the Search page: typed, pasted, read from files."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QScrollArea, QTableView

from swgui.gui.inputs import detection as search_input
from tests.gui.search.page_by_hand import PROTEINS, find, plan_of, read, settle


def test_typing_is_understood_after_a_pause_and_off_the_windows_thread(page, qtbot):
    box = find(page, QPlainTextEdit, "queryBox")
    box.setPlainText(PROTEINS)
    assert page.query.busy
    qtbot.waitUntil(lambda: len(page.query.records) == 2)
    assert [record.id for record in page.query.records] == ["one", "two"]
    assert page.query.alphabet.name == "protein"
    assert find(page, QLabel, "querySummary").text() == "2 proteins (78 residues)"
    assert page.problem == "Choose a database first."


def test_bare_letters_will_do(page, qtbot):
    read(page, qtbot, "mkvlw aallv\n11 tflag")
    (record,) = page.query.records
    assert record.residues == b"MKVLWAALLVTFLAG"


def test_what_was_changed_is_listed_and_nothing_is_dropped_silently(page, qtbot):
    read(page, qtbot, ">a first\nMKV5LWAU\n>a again\nMKVLW\n>nothing\n")
    view = find(page, QTableView, "queryTable")
    notes = [view.model().index(row, 2).data() for row in range(2)]
    assert "left out: 1" in notes[0]
    assert "identifier occurs twice" in notes[1]
    assert all("short" in note and note.startswith("⚠") for note in notes)
    assert "1 empty record" in find(page, QLabel, "querySummary").text()
    page.show_report()
    dialog = page.window().findChild(QTableView, "remarks").window()
    texts = [dialog.findChild(QTableView, "remarks").model().index(row, 3).data() for row in range(4)]
    assert any("'5'" in text for text in texts)
    dialog.close()


def test_unreadable_text_is_refused_in_one_sentence(page, qtbot):
    read(page, qtbot, "@@@@\n\n@@@ {}{}{}")
    assert page.query.records == ()
    assert len(page.problem) > 20
    assert plan_of(page) == page.problem
    read(page, qtbot, PROTEINS)
    assert page.problem == "Choose a database first."


def test_ticks_choose_what_is_searched(page, qtbot):
    read(page, qtbot, PROTEINS)
    table = page.query.table
    assert table.setData(table.index(0, 0), Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    assert [record.id for record in page.query.records] == ["two"]
    find(page, QAction, "queryTickNone").trigger()
    assert page.problem == "Tick at least one sequence."
    find(page, QAction, "queryTickAll").trigger()
    assert len(page.query.records) == 2


def test_ticks_stay_while_letters_are_edited(page, qtbot):
    read(page, qtbot, PROTEINS)
    table = page.query.table
    table.setData(table.index(1, 0), Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    read(page, qtbot, PROTEINS.replace("MKV", "MKA"))
    assert [record.id for record in page.query.records] == ["one"]
    read(page, qtbot, PROTEINS.replace(">two", ">new"))
    assert len(page.query.records) == 2


def test_a_small_file_is_shown_as_it_is(page, qtbot, tmp_path):
    path = tmp_path / "my query.fasta"
    path.write_text(PROTEINS, encoding="utf-8")
    with qtbot.waitSignal(page.query_opened) as opened:
        page.query.open_file(path)
    settle(page, qtbot)
    assert opened.args == [path]
    box = find(page, QPlainTextEdit, "queryBox")
    assert box.toPlainText() == PROTEINS
    assert page.query.source == path
    assert find(page, QLabel, "querySource").whole_text() == "my query.fasta"
    box.insertPlainText(">zero\nMKV\n")
    assert page.query.source is None  # the text is no longer that of the file


def test_a_long_name_of_a_file_does_not_widen_the_page(page, qtbot, tmp_path):
    wide = find(page, QScrollArea, "searchScroll").widget().minimumSizeHint().width()
    path = tmp_path / f"{'a name that nobody reads to its end ' * 6}.fasta"
    path.write_text(PROTEINS, encoding="utf-8")
    with qtbot.waitSignal(page.query_opened):
        page.query.open_file(path)
    settle(page, qtbot)
    assert find(page, QLabel, "querySource").toolTip() == str(path)
    assert find(page, QScrollArea, "searchScroll").widget().minimumSizeHint().width() == wide


def test_a_large_file_is_read_without_filling_the_box(page, qtbot, tmp_path):
    path = tmp_path / "large.fasta"
    count = search_input.TEXT_LIMIT // 60
    path.write_text("".join(f">s{n}\n{'ACDEFGHIKLMNPQRSTVWY' * 5}\n" for n in range(count)), encoding="utf-8")
    page.query.open_file(path)
    qtbot.waitUntil(lambda: len(page.query.records) == count)
    box = find(page, QPlainTextEdit, "queryBox")
    assert box.isReadOnly()
    assert len(box.toPlainText()) < 50_000
    assert box.toPlainText().startswith(">s0\nACDEF")
    assert f"{count - search_input.PREVIEW_RECORDS:,} more sequences" in box.toPlainText()
    page.query.clear()
    settle(page, qtbot)
    assert not box.isReadOnly()
    assert page.problem.startswith("Add a sequence")


def test_a_file_that_cannot_be_read_leaves_the_box_usable(page, qtbot, tmp_path):
    path = tmp_path / "noise.gz"
    path.write_bytes(b"\x1f\x8b" + bytes(range(200)))
    page.query.open_file(path)
    qtbot.waitUntil(lambda: bool(page.query.problem) and not page.query.busy and page.query.problem[0] != "A")
    assert not find(page, QPlainTextEdit, "queryBox").isReadOnly()
    page.query.open_file(tmp_path / "absent.fasta")
    qtbot.waitUntil(lambda: "absent.fasta" in page.query.problem)


def test_pasting_replaces_the_query(page, qtbot):
    QGuiApplication.clipboard().setText(PROTEINS)
    qtbot.mouseClick(find(page, QPushButton, "queryPaste"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(page.query.records) == 2)


def test_texts_of_other_encodings_and_packed_files_are_left_to_the_reader(tmp_path):
    plain, packed, wide = (Path(tmp_path / name) for name in ("a.fa", "b.gz", "c.fa"))
    plain.write_text("\ufeff>a\nMKV\n", encoding="utf-8")
    packed.write_bytes(b"\x1f\x8b123")
    wide.write_text(">a\nMKV\n", encoding="utf-16")
    assert search_input.text_of(plain) == ">a\nMKV\n"
    assert search_input.text_of(packed) is None
    assert search_input.text_of(wide) is None
