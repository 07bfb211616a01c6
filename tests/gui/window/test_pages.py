"""Pages register themselves: one that the window has never heard of is one record."""

from functools import reduce

import pytest
from PySide6.QtGui import QUndoCommand, QUndoStack
from PySide6.QtWidgets import QLabel, QPushButton, QTextBrowser

from swgui.core.plain import replace
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.pages import Answer, Command, Page, PageHelp, PageWidget, needs
from swgui.gui.window.actions import ActionTable
from swgui.gui.window.help import CommandPalette
from swgui.gui.window.pages import PAGES, commands_of, why_not
from tests.gui.named import named

pytestmark = pytest.mark.gui


class Notebook(PageWidget):
    """A small page from outside."""

    strip_height = 12

    def __init__(self, services):
        super().__init__()
        self.history, self.calls, self.full = services.history, [], False
        self.label = QLabel("Notebook")
        in_column(self.label, parent=self)
        self._steps = QUndoStack(self)

    @property
    def undo_steps(self):
        return self._steps

    def states(self):
        return {"notebook-full"} if self.full else set()

    def tear(self):
        self.calls.append("tear")
        self._steps.push(QUndoCommand("torn page"))

    def print_pages(self):
        self.calls.append("print")

    def restyle(self):
        self.calls.append("restyle")

    def shutdown(self):
        self.calls.append("shutdown")


NOTEBOOK = Page(
    "notebook",
    "Notebook",
    "&Notebook page",
    "Write down what was found",
    "report",
    Notebook,
    PageHelp("The Notebook page", "<p>Takes notes.</p>", "files", ("&Notebook",)),
    (Command("tear", "&Tear", "Tear a page out", "&Notebook", "tear", needs=needs("notebook-full")),),
    {"notebook-full": "Not now: the notebook is empty."},
    answers={"print": Answer("print_pages", needs("notebook-full"))},
)


@pytest.fixture
def window(make_window):
    return make_window(pages=(*PAGES, NOTEBOOK))


def test_a_page_from_outside_is_on_the_rail_and_has_its_key(window):
    page = window.pages["notebook"]
    assert page.history is window.history
    window.pages.rail.buttons["notebook"].click()
    assert window.page == "notebook"
    assert page.isVisible()
    assert named(window, "noteStack").lift() == 12
    window.show_page("search")
    assert window.actions_table["page-notebook"].shortcut().toString() == "Ctrl+9"
    window.actions_table["page-notebook"].trigger()
    assert window.page == "notebook"


def test_its_commands_are_in_menus_palette_and_help(window):
    assert [action.text() for action in window.menuBar().actions()] == [
        *(
            "&File",
            "&Edit",
            "&Search",
            "&Rule",
            "&Results",
            "&Pair",
            "&Network",
            "&Notebook",
            "&Tools",
            "&View",
            "&Window",
            "&Help",
        )
    ]
    window.show_page("notebook")
    dialog = window.help_desk.show_help()
    text = dialog.findChild(QTextBrowser).toPlainText()
    assert text.startswith("The Notebook page")
    assert "Tear a page out" in text
    dialog.close()
    window.help_desk.show_palette()
    palette = window.findChild(CommandPalette)
    palette.box.setText("tear")
    assert palette.list.topLevelItem(0).text(0) == "Notebook › Tear"
    palette.close()


def test_its_states_decide_its_commands_and_what_it_did_can_be_undone(window):
    page, action = window.pages["notebook"], window.actions_table["tear"]
    window.show_page("notebook")
    assert not action.isEnabled()
    assert "the notebook is empty" in action.toolTip()
    page.full = True
    page.states_changed.emit()
    assert action.isEnabled()
    action.trigger()
    assert page.calls[-1] == "tear"
    assert window.actions_table["undo"].text() == "&Undo torn page"


def test_it_answers_a_command_of_the_window_while_it_is_shown(window):
    page, action = window.pages["notebook"], window.actions_table["print"]
    page.full = True
    window.show_page("search")
    assert not action.isEnabled()
    window.show_page("notebook")
    action.trigger()
    assert page.calls[-1] == "print"


def test_an_answer_to_a_command_of_a_page_is_refused(window, monkeypatch):
    monkeypatch.setitem(window.pages.records, "notebook", replace(NOTEBOOK, answers={"tear": Answer("tear")}))
    pages = (*PAGES, NOTEBOOK)
    with pytest.raises(KeyError, match="answers tear"):
        ActionTable(commands_of(pages), window, window.pages, why_not(pages))


@pytest.mark.styled
def test_it_is_restyled_with_the_window_and_shut_down_with_it(window, theme):
    page = window.pages["notebook"]
    before = page.calls.count("restyle")
    theme.use(scale=110)
    assert page.calls.count("restyle") == before + 1
    window.close()
    assert page.calls.count("shutdown") == 1


def test_every_page_has_help_a_document_and_menus_that_exist(repository):
    menus = {command.menu for command, _ in commands_of(PAGES)}
    for page in PAGES:
        assert (repository / "docs" / f"{page.help.document}.md").is_file()
        assert set(page.help.menus) <= menus, page.name


def test_a_window_without_a_part_says_which(window):
    with pytest.raises(LookupError, match="QTextBrowser"):
        window.pages.part(QTextBrowser)


def test_a_page_is_made_when_it_is_first_shown(make_window):
    window = make_window()
    assert set(window.pages.widgets) == {"search"}
    window.show_page("databases")
    assert set(window.pages.widgets) == {"search", "databases"}
    assert window.pages["databases"].isVisible()
    window.close()  # nothing is made for the sake of closing
    assert set(window.pages.widgets) == {"search", "databases"}


def test_what_is_known_already_is_told_to_a_page_made_later(make_window):
    window = make_window()
    status = EngineStatus("reference", available=True, devices=(DeviceInfo("cpu", "A plain CPU"),))
    window.search_page.engine.show_engines((status,))
    assert "device" not in window.pages.widgets
    assert "Reference: A plain CPU" in [label.text() for label in window.device_page.list.findChildren(QLabel)]


def test_every_command_has_its_target_and_every_page_is_heard_once_all_are_made(make_window):
    window = make_window()
    for page in PAGES:
        window.pages[page.name].message.emit(f"said by {page.name}")
        assert window.statusBar().currentMessage() == f"said by {page.name}"
    for command, name in commands_of(PAGES):
        if command.does:
            root = window.pages[name] if name else window
            assert callable(reduce(getattr, command.does.split("."), root)), command.id
        else:
            assert any(command.id in page.answers for page in PAGES), command.id


def test_a_command_brings_its_page_along(make_window):
    window = make_window()
    window.actions_table["page-pair"].trigger()
    assert "pair" in window.pages.widgets


@pytest.mark.styled
def test_a_page_made_late_has_the_sizes_of_one_made_before_the_style_sheet(make_window):
    sizes = []
    for whole in (True, False):
        window = make_window(whole=whole)
        window.show_page("pair")
        buttons = window.pages["pair"].findChildren(QPushButton)
        sizes.append({button.objectName(): button.minimumSize().toTuple() for button in buttons})
    assert sizes[0] == sizes[1]
    assert sizes[0]["pairAlign"][1] > 20
