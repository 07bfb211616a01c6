"""Texts in other languages: catalogues, the script that collects the texts, and a window in a made-up language."""

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QMenu, QTextBrowser

from swgui.gui.hits.columns import COLUMNS
from swgui.gui.kit import translation
from swgui.gui.kit.translation import Catalogue, read_catalogue, tr
from swgui.gui.window.help.tour import STEPS
from swgui.gui.window.pages import PAGES, commands_of
from tests.scripts import load_script

ACCENTS = str.maketrans("aeiouAEIOUcn", "àéïöüÀÉÏÖÜçñ")


@pytest.fixture(scope="module")
def script(repository):
    return load_script(repository / "packaging" / "texts.py")


def pseudo(text):
    """Make every text longer and odd, as a translation may be, with its marks where they were."""
    plain = text.replace("&", "")
    body = text if "<" in text else text.translate(ACCENTS)
    return f"{body}{'·' * max(2, len(plain) // 3)}"


@pytest.fixture
def made_up(script, qapp):
    catalogue = Catalogue({text.source: pseudo(text.source) for text in script.texts()}, qapp)
    QCoreApplication.installTranslator(catalogue)
    yield catalogue
    QCoreApplication.removeTranslator(catalogue)


def test_the_script_finds_the_texts_of_all_tables(script):
    found = {text.source for text in script.texts()}
    assert len(found) == len(script.texts())
    assert {command.text for command, _ in commands_of(PAGES)} <= found
    assert {command.tip for command, _ in commands_of(PAGES)} <= found
    assert {column.description for column in COLUMNS} <= found
    assert {step.text for step in STEPS} <= found
    assert {page.help.title for page in PAGES} <= found
    assert {"Search", "Results", "Leave the tour", "Pause", "&File"} <= found
    assert all(text.where for text in script.texts())


def test_a_catalogue_keeps_what_was_translated(script, tmp_path):
    path = tmp_path / "swgui_xx.ts"
    path.write_text(script.catalogue("xx", {"&File": "&Datei", "gone": "weg"}), encoding="utf-8")
    assert read_catalogue(path) == {"&File": "&Datei"}  # what is unfinished stays English
    again = script.catalogue("xx", read_catalogue(path))
    assert again == path.read_text(encoding="utf-8")


def test_the_best_catalogue_of_the_users_languages_is_used(qapp, tmp_path, script):
    for name, word in (("de", "&Datei"), ("pt_BR", "&Arquivo")):
        (tmp_path / f"swgui_{name}.ts").write_text(script.catalogue(name, {"&File": word}), encoding="utf-8")
    for languages, expected in (
        (["de-CH"], "&Datei"),
        (["fr", "pt_BR", "de"], "&Arquivo"),
        (["en-GB", "de"], "&File"),
        (["fr"], "&File"),
        ([], "&File"),
    ):
        made = translation.install(qapp, languages, tmp_path)
        assert tr("&File") == expected
        if made is not None:
            QCoreApplication.removeTranslator(made)
    assert tr("&File") == "&File"
    assert tr("") == ""


@pytest.mark.parametrize("content", ["", "<TS>", "<x/>", "<!DOCTYPE TS [<!ENTITY a 'b'>]><TS/>", "\x00"])
def test_broken_catalogues_leave_english(qapp, tmp_path, content):
    path = tmp_path / "swgui_de.ts"
    path.write_text(content)
    with pytest.raises(ValueError):
        read_catalogue(path)
    assert translation.install(qapp, ["de"], tmp_path) is None


def test_nothing_breaks_in_another_language(made_up, make_window, qtbot):
    window = make_window()
    for command, _ in commands_of(PAGES):
        action = window.actions_table[command.id]
        if command.id not in ("undo", "redo"):
            assert action.text() == pseudo(command.text)
        assert action.statusTip() == pseudo(command.tip)
        assert action.shortcuts() == window.actions_table.usual_keys(command.id)  # keys are no texts
    titles = {menu.title() for menu in window.menuBar().findChildren(QMenu) if menu.title()}
    assert pseudo("&File") in titles
    assert {button.text() for button in window.pages.rail.buttons.values()} == {
        pseudo(title) for title in ("Search", "Results", "Runs", "Pair", "Databases", "Device")
    }
    for page in window.pages.names:
        window.show_page(page)
        QApplication.processEvents()
        dialog = window.help_desk.show_help()
        assert dialog.findChild(QTextBrowser).toPlainText().startswith(pseudo(window.pages.records[page].help.title))
        dialog.close()
    window.help_desk.start_tour()
    for step in STEPS:
        assert window.help_desk.tour.balloon._text.text() == pseudo(step.text)
        window.help_desk.tour.go_by(1)
    keys = window.help_desk.edit_shortcuts()
    assert keys.model.index(0, 0).data() == pseudo(commands_of(PAGES)[0][0].text).replace("&", "")
    keys.close()
    window.show_page("results")
    heads = [window.results_page.hits.model.headerData(at, Qt.Orientation.Horizontal) for at in range(len(COLUMNS))]
    assert heads == [pseudo(column.head) if column.head else "" for column in COLUMNS]
    window.help_desk.show_palette()
