"""Making a colour scheme of one's own, and what is remembered between sessions."""

import json

import pytest

from swgui import settings as store
from swgui.gui.results.page import ResultsPage
from swgui.gui.viewer.residues.scheme_dialog import DARK, LIGHT, NAME, RESIDUES, ColorSchemeDialog
from swgui.gui.viewer.residues.schemes import own_folder, own_schemes, read_scheme, shipped_schemes
from swgui.settings import ResultsSettings


@pytest.fixture
def dialog(qtbot):
    dialog = ColorSchemeDialog(shipped_schemes()["safe_7"])
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_the_editor_is_of_the_window_and_not_a_part_of_the_box(page):
    editor = page.alignment.edit_scheme()
    assert editor.parent() is page.window()
    editor.reject()


def test_begins_with_the_scheme_shown(dialog):
    scheme = dialog.scheme()
    assert dialog.title.text() == "My Safe 7"
    assert (scheme.key, scheme.rule) == ("My_Safe_7", "residue")
    assert scheme.groups == shipped_schemes()["safe_7"].groups
    assert "readable on every colour" in dialog.verdict.text()


@pytest.mark.parametrize(
    ("column", "text", "problem"),
    [
        (NAME, " ", "Give group 1 a name."),
        (RESIDUES, "AFX", "The residue F is in “hydrophobic” and in “aromatic”."),
        (RESIDUES, "A1", "“1” in “hydrophobic” is not a residue."),
        (LIGHT, "blue", "The colour “blue” of “hydrophobic” is not of the form #RRGGBB."),
        (DARK, "#12", "The colour “#12” of “hydrophobic” is not of the form #RRGGBB."),
    ],
)
def test_what_cannot_be_is_explained(dialog, column, text, problem):
    dialog.set_cell(0, column, text)
    assert dialog.verdict.text() == problem
    assert not dialog.save_button.isEnabled()


def test_weak_colours_are_warned_about_but_allowed(dialog):
    dialog.set_cell(0, LIGHT, "#0073b2")
    assert "“hydrophobic” and “aromatic” look alike to everybody." in dialog.verdict.text()
    assert dialog.save_button.isEnabled()
    dialog.set_cell(0, LIGHT, "#fdfdfd")
    assert "“hydrophobic” has hardly any contrast to the background of light windows." in dialog.verdict.text()
    dialog.set_cell(0, DARK, "#101010")
    assert "“hydrophobic” has hardly any contrast to the background of dark windows." in dialog.verdict.text()


def test_groups_come_and_go(dialog):
    dialog.add.click()
    row = dialog.table.rowCount() - 1
    dialog.set_cell(row, NAME, "stop")
    dialog.set_cell(row, RESIDUES, "*")
    dialog.table.setCurrentCell(0, NAME)
    dialog.remove.click()
    scheme = dialog.scheme()
    assert [group.name for group in scheme.groups][::7] == ["aromatic"]
    assert scheme.groups[-1].residues == "*"
    dialog.table.setCurrentCell(row - 1, LIGHT)
    colours = dialog.choose_colour()
    colours.colorSelected.emit(colours.currentColor())
    colours.done(0)
    assert dialog.scheme().groups[-1].light == "#999999"


def test_rules_that_look_at_columns_keep_their_letters(qtbot):
    for key, rule in (("similarity", "similarity"), ("hydrophobicity", "residue"), ("clustal_x", "residue")):
        dialog = ColorSchemeDialog(shipped_schemes()[key])
        qtbot.addWidget(dialog)
        assert dialog.scheme().rule == rule
        assert dialog.table.isColumnHidden(RESIDUES) == (rule == "similarity")


def test_saved_schemes_are_files_of_the_user(dialog, qtbot):
    dialog.title.setText("Größe / mine")
    with qtbot.waitSignal(dialog.saved) as saved:
        dialog.save_button.click()
    path = own_folder() / "Größe_mine.json"
    assert read_scheme(path).groups == saved.args[0].groups
    assert json.loads(path.read_text(encoding="utf-8"))["title"] == "Größe / mine"
    (own_folder() / "broken.json").write_text("{")
    schemes, problems = own_schemes()
    assert [(scheme.key, scheme.title) for scheme in schemes] == [("own:Größe_mine", "Größe / mine")]
    assert len(problems) == 1
    assert "broken.json" in problems[0]
    again = ColorSchemeDialog(schemes[0])
    other = ColorSchemeDialog(shipped_schemes()["zappo"])
    qtbot.addWidget(again)
    qtbot.addWidget(other)
    assert again.problem() == ""
    other.title.setText("Größe / mine")
    assert other.problem() == "Another scheme of yours has this name."


def test_a_folder_that_cannot_be_made_is_said(dialog, user_folders):
    user_folders["config"].parent.mkdir(parents=True, exist_ok=True)
    user_folders["config"].write_text("a file")
    dialog.save_button.click()
    assert dialog.isVisible()
    assert str(user_folders["config"]) in dialog.verdict.text()


def test_edited_schemes_are_used_listed_and_remembered(page, qtbot, tasks, made):
    kept = ResultsSettings()
    page.use_settings(kept)
    box = page.alignment.scheme_box
    box.setCurrentIndex(box.findData("edit"))
    box.activated.emit(box.currentIndex())
    dialog = page.findChild(ColorSchemeDialog)
    dialog.title.setText("Loud")
    dialog.save_button.click()
    assert box.currentText() == "Loud"
    assert page.alignment.pair.scheme.title == "Loud"
    page._use_columns(["tick", "rank", "score", "nident"])
    assert kept == ResultsSettings(["tick", "rank", "score", "nident"], {"pair": "own:Loud"})
    store.save(store.Settings(results=kept))
    later = ResultsPage(tasks, describe=made.describe)
    qtbot.addWidget(later)
    later.use_settings(store.load().results)
    later.show_result(made.result)
    qtbot.waitUntil(lambda: tasks.idle)
    assert later.alignment.scheme_box.currentText() == "Loud"
    assert later.hits.table.shown_keys() == ["tick", "rank", "score", "nident"]


def test_forgotten_schemes_and_columns_do_no_harm(page):
    page.use_settings(ResultsSettings(["gone"], {"pair": "own:gone", "nothing": "x"}))
    assert page.alignment.scheme_box.currentData() == "similarity"
    assert "score" in page.hits.table.shown_keys()
