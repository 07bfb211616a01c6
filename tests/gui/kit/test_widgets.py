import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QTableView, QWidget

from swgui.gui.kit import saving
from swgui.gui.kit.elided import WrappedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Sheets, in_column, in_form, in_grid, in_row, in_splitter
from swgui.gui.kit.tables.row_table import row_table
from swgui.gui.kit.theme import keep_size
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    decimal_box,
    fill_combo,
    line_edit,
    make_menu,
    menu_command,
    progress_bar,
    push_button,
    spin_box,
    text_label,
    text_view,
    tool_button,
)

pytestmark = [pytest.mark.gui, pytest.mark.styled]


@pytest.mark.parametrize(
    "make",
    [
        lambda: text_label("Text", "name", "tip", accessible="for all"),
        lambda: push_button("name", "Text", "tip", accessible="for all"),
        lambda: tool_button("name", "Text", "tip", accessible="for all"),
        lambda: check_box("name", "Text", "tip", accessible="for all"),
        lambda: combo_box("name", "tip", accessible="for all"),
        lambda: spin_box("name", (0, 9), 5, "tip", accessible="for all"),
        lambda: decimal_box("name", (0, 9), 5, "tip", accessible="for all"),
        lambda: line_edit("name", "tip", accessible="for all"),
        lambda: text_view("name", "for all", "tip"),
        lambda: progress_bar("name", "for all", "tip"),
        lambda: row_table(QTableView(), "name", "for all", tip="tip"),
    ],
)
def test_every_widget_has_its_names_and_tool_tip(make, qtbot):
    widget = make()
    qtbot.addWidget(widget)
    assert (widget.objectName(), widget.toolTip(), widget.accessibleName()) == ("name", "tip", "for all")


def test_values_given_at_the_start_call_nothing(qtbot):
    heard = []
    for widget in (
        combo_box("a", does=heard.append, changed=heard.append, items=[("One", 1), ("Two", 2)], chosen=2),
        spin_box("b", (10, 20), 15, does=heard.append),
        decimal_box("c", (10, 20), 15, does=heard.append),
        line_edit("d", does=heard.append, text="so"),
        check_box("e", "So", does=heard.append, on=True),
    ):
        qtbot.addWidget(widget)
    assert heard == []


def test_a_combo_has_values_and_tool_tips_and_is_filled_silently(qtbot):
    heard = []
    box = combo_box("box", changed=heard.append, items=[("One", 1), ("Two", 2, "more")], chosen=2)
    qtbot.addWidget(box)
    assert box.currentData() == 2
    assert box.itemData(1, Qt.ItemDataRole.ToolTipRole) == "more"
    fill_combo(box, [("Three", 3), ("Four", 4)], chosen="unknown")
    assert (box.count(), box.currentData(), heard) == (2, 3, [])
    box.setCurrentIndex(1)
    assert heard == [1]


def test_layouts_take_widgets_layouts_and_room(qtbot):
    outer = QWidget()
    qtbot.addWidget(outer)
    parts = [QWidget() for _ in range(8)]
    column = in_column(
        in_row(parts[0], 1, (parts[1], 2)),
        in_grid((parts[2], None), (None, parts[3]), stretch=(0, 1)),
        in_form(("&Row", parts[4]), parts[5]),
        in_splitter(Qt.Orientation.Horizontal, parts[6], (parts[7], 1)),
        parent=outer,
    )
    row = column.itemAt(0).layout()
    assert isinstance(row, QHBoxLayout)
    assert [row.stretch(at) for at in range(row.count())] == [0, 1, 2]
    assert column.itemAt(1).layout().itemAtPosition(1, 1).widget() is parts[3]
    assert column.itemAt(2).layout().labelForField(parts[4]).buddy() is parts[4]
    assert all(outer.isAncestorOf(part) for part in parts)


def test_a_row_table_is_chosen_by_rows_and_not_edited(qtbot):
    table = row_table(QTableView(), "table", "Things", QStandardItemModel(2, 3), single=True, widths=(10,))
    qtbot.addWidget(table)
    assert table.selectionBehavior() == QTableView.SelectionBehavior.SelectRows
    assert table.editTriggers() == QTableView.EditTrigger.NoEditTriggers
    assert table.horizontalHeader().sectionSize(0) != table.horizontalHeader().sectionSize(1)


def test_a_row_makes_room_for_what_becomes_wider(qtbot):
    row, box, behind = FlowRow(), combo_box("box", "tip"), push_button("behind", "Behind", "tip")
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    qtbot.addWidget(row)
    for widget in (box, behind):
        row.add(widget)
    row.resize(900, 60)
    row.show()
    before = box.width()
    fill_combo(box, [("A choice with a long name that needs room", 0, "")])
    qtbot.waitUntil(lambda: box.width() > before and behind.x() > box.geometry().right())


def test_a_wrapped_text_becomes_lower_again(qtbot):
    label = WrappedLabel()
    qtbot.addWidget(label)
    label.show()
    label.set_text("several words that need more than one line " * 4)
    heights = []
    for width in (150, 900, 150, 900):
        label.resize(width, label.height())
        heights.append(label.height())
    assert heights[0] > heights[1]
    assert heights[:2] == heights[2:]


def test_a_label_of_a_least_size_gives_it_back(theme, qtbot):
    label = text_label("Find", level="heading")
    keep_size(label, width=12)
    outer = QWidget()
    qtbot.addWidget(outer)
    in_row(label, 1, parent=outer)
    outer.show()
    before = label.sizeHint().width()
    theme.use(scale=200)
    assert label.sizeHint().width() > before
    theme.use(scale=100)
    assert label.sizeHint().width() == before


def test_a_menu_does_not_hang_over_the_edge_of_its_window(qtbot):
    outer, button = QWidget(), push_button("button", "Choose")
    menu = make_menu("menu", button)
    menu_command(menu, "entry", "An entry of a menu that is wider than its button", "", lambda: None)
    button.setMenu(menu)
    qtbot.addWidget(outer)
    in_row(1, button, parent=outer)
    outer.resize(600, 60)
    outer.show()
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    assert menu.geometry().right() <= outer.mapToGlobal(outer.rect().topRight()).x()
    menu.close()


@pytest.mark.parametrize(
    ("name", "kind", "all_files", "made"),
    [
        ("hits", "Pages (*.htm *.html)", False, "hits.htm"),
        ("hits.HTML", "Tables (*.csv)", False, "hits.HTML"),
        ("NP_1.2", "Tables (*.csv)", False, "NP_1.2.csv"),
        ("hits", "All files (*)", True, "hits.csv"),
        ("hits.txt", "Tables (*.csv)", True, "hits.txt"),
    ],
)
def test_a_name_gets_the_ending_that_it_lacks(name, kind, all_files, made):
    kinds = "Tables (*.csv);;Pages (*.htm *.html)" + (";;All files (*)" if all_files else "")
    assert saving.with_ending(name, kind, kinds).name == made


def test_a_file_that_has_the_name_with_its_ending_is_not_replaced_unasked(qapp, monkeypatch, tmp_path):
    there, answers, asked = tmp_path / "hits.csv", ["No", "Yes"], []
    there.write_text("kept")
    monkeypatch.setattr(
        "PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(there.with_suffix("")), "Tables (*.csv)")
    )
    monkeypatch.setattr(
        saving.QMessageBox,
        "question",
        lambda *given: asked.append(given[-1]) or getattr(saving.QMessageBox.StandardButton, answers.pop(0)),
    )
    given = [saving.ask_save_path(None, "Save", "hits.csv", "Tables (*.csv)", asked.append) for _ in range(2)]
    assert given == [None, there]
    assert asked == ["'hits.csv' exists already. Replace it?"] * 2


def test_a_file_that_is_written_beside_is_not_replaced_unasked(qapp, monkeypatch, tmp_path):
    script, beside, answers, asked = tmp_path / "seen.pml", tmp_path / "seen.pdb", ["No", "Yes"], []
    beside.write_text("kept")
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(script), "PyMOL (*.pml)"))
    monkeypatch.setattr(
        saving.QMessageBox,
        "question",
        lambda *given: asked.append(given[-1]) or getattr(saving.QMessageBox.StandardButton, answers.pop(0)),
    )
    how = {"companion": ".pdb"}
    given = [saving.ask_save_path(None, "Save", "seen.pml", "PyMOL (*.pml)", asked.append, **how) for _ in range(2)]
    assert given == [None, script]
    assert asked == ["'seen.pdb' exists already. Replace it?"] * 2
    saving.note_input(beside, "query")
    assert saving.ask_save_path(None, "Save", "seen.pml", "PyMOL (*.pml)", lambda _: None, **how) is None


def test_save_dialogs_begin_where_the_last_file_was_written(qapp, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        "PySide6.QtWidgets.QFileDialog.getSaveFileName",
        lambda _parent, _title, name, _kinds: asked.append(name) or (str(tmp_path / "a.csv"), ""),
    )
    for _ in range(2):
        assert saving.ask_save_path(None, "Save", "hits.csv", "Tables (*.csv)", asked.append) == tmp_path / "a.csv"
    assert asked == ["hits.csv", str(tmp_path / "hits.csv")]


def test_the_focus_of_a_hidden_button_stays_among_the_sheets(qtbot):
    find, pause, stop = (QPushButton(text) for text in ("Find", "Pause", "Stop"))
    plan, going = QWidget(), QWidget()
    in_row(find, parent=plan)
    in_row(pause, stop, parent=going)
    sheets = Sheets(plan, going)
    qtbot.addWidget(sheets)
    sheets.show()
    qtbot.waitExposed(sheets)
    sheets.activateWindow()
    find.setFocus()
    qtbot.waitUntil(find.hasFocus)
    sheets.show_sheet(1)
    assert stop.hasFocus()
    sheets.show_sheet(0)
    assert find.hasFocus()
