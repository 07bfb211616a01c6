import pytest
from PySide6.QtWidgets import QWidget

from swgui.core.methods.base import AUTO, Setting
from swgui.gui.inputs.scheme import FieldGrid
from swgui.gui.inputs.setting_field import SettingField
from swgui.gui.kit.widgets import line_edit

NUMBER = Setting("rows", "Rows", "", "Rows of a tile.", values=(128, 256), minimum=1, maximum=4096)
NAMES = Setting("library", "Library", "", "Which one.", names=("first", "second"))


@pytest.fixture
def make(qtbot):
    def field(setting, value=AUTO):
        made = SettingField("field", setting, value)
        made.heard, made.edits = [], []
        made.set_to.connect(made.heard.append)
        made.edited.connect(lambda: made.edits.append(made.value))
        qtbot.addWidget(made)
        return made

    return field


def type_text(field, text, end=True):
    field.setEditText(text)
    field.lineEdit().textEdited.emit(text)
    if end:
        field.lineEdit().editingFinished.emit()


def test_a_number_is_heard_when_it_is_typed_to_its_end_and_allowed(make):
    field = make(NUMBER)
    type_text(field, "25", end=False)
    assert (field.heard, field.edits, field.problem) == ([], ["25"], "")
    type_text(field, "1,000")
    assert field.heard == ["1000"]
    type_text(field, "9999")
    assert field.heard == ["1000"]
    assert field.problem == "Rows cannot be '9999': it takes 1 to 4096, or automatic."
    assert field.property("invalid")
    assert field.lineEdit().property("invalid")
    field.show_value("128")
    assert not field.property("invalid")
    assert not field.lineEdit().property("invalid")
    assert field.heard == ["1000"]
    type_text(field, "")
    assert (field.value, field.problem, field.heard) == (AUTO, "", ["1000", AUTO])


@pytest.mark.parametrize("text", ["automatic", "auto", "AUTO", "", "  "])
def test_several_words_leave_it_automatic(make, text):
    field = make(NUMBER, "128")
    type_text(field, text)
    assert field.value == AUTO


def test_names_are_chosen_and_values_are_shown_without_a_sound(make):
    field = make(NAMES)
    assert not field.isEditable()
    field.show_value("second")
    assert (field.value, field.heard, field.edits) == ("second", [], [])
    field.setCurrentIndex(1)
    field.activated.emit(1)
    assert field.heard == ["first"]


def test_fields_stand_in_one_row_or_in_rows_of_three(qtbot):
    fields = [line_edit(f"field{at}") for at in range(5)]
    grid = FieldGrid([(f"Title {at}", field, 1) for at, field in enumerate(fields)])
    page = QWidget()
    page.setLayout(grid)
    qtbot.addWidget(page)

    def places():
        return [grid.getItemPosition(grid.indexOf(field))[:2] for field in fields]

    assert places() == [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]
    grid.set_narrow(True)
    assert places() == [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)]
    assert grid.columnStretch(3) == 0
    grid.show_field(fields[1], False)
    assert [field.isHidden() for field in fields] == [False, True, False, False, False]
