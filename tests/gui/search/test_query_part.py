"""Part of the query by field and by dragging; accessions instead of sequences; limits besides E."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QLineEdit, QMessageBox, QPushButton

from swgui.core.alphabet import PROTEIN
from swgui.core.entries.lookup import Entry, UnknownAccession
from swgui.core.features import Feature
from swgui.core.limits import Minimums
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.gui.inputs import query as query_module
from swgui.gui.inputs.query import QueryPicture
from swgui.gui.kit import theme as themes
from swgui.gui.kit.plots.features import lanes_of, place, told_at

LONG, SHORT = "MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW" * 3, "GGGGGGGGGG"
PROTEINS = f">one\n{LONG}\n>two\n{SHORT}\n"
GLOBIN = Feature("DOMAIN", ((1, 30),), "Globin")
HBA = SequenceRecord("P69906", "made", b"MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMF", (GLOBIN,))


@pytest.fixture
def page(page, qtbot):
    page.load_sample_database()
    qtbot.waitUntil(lambda: page.database.database is not None)
    return page


def read(page, qtbot, text):
    page.query.set_text(text)
    qtbot.waitUntil(lambda: not page.query.busy and "Reading" not in page.problem)


def type_into(page, name, text):
    field = page.findChild(QLineEdit, name)
    field.setText(text)
    field.textEdited.emit(text)


def test_a_part_is_typed_and_searched(page, qtbot):
    read(page, qtbot, f">one\n{LONG}\n")
    whole = page.findChild(QPushButton, "searchButton")
    type_into(page, "queryRange", "10-60")
    assert page.request().search.query_range == QueryRange(10, 60)
    assert page.request().queries[0].residues == LONG.encode()
    assert "--query-range 10-60" in page.command_line()
    type_into(page, "queryRange", "60-10")
    assert page.problem == (
        "The query range 60-10 is empty. Write the first and the last position, counted from 1, for example 10-250."
    )
    assert not whole.isEnabled()
    type_into(page, "queryRange", "")
    assert page.request().search.query_range is None


def test_a_part_beyond_a_query_names_it_until_it_is_left_out(page, qtbot):
    read(page, qtbot, PROTEINS)
    type_into(page, "queryRange", "5-40")
    assert page.problem.startswith("The query range 5-40")
    index = page.query.table.index(1, 0)
    page.query.table.setData(index, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert page.problem == ""
    assert page.request().lengths == (36,)


def test_a_part_is_dragged_and_a_click_takes_all_again(page, qtbot):
    read(page, qtbot, f">one\n{LONG}\n")
    picture = page.findChild(QueryPicture, "queryPicture")
    start, end = (QPoint(round(picture.x_of(at)), picture.height() - 6) for at in (19.5, 59.5))
    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(picture, end)
    qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=end)
    assert page.request().search.query_range == QueryRange(20, 60)
    assert page.findChild(QLineEdit, "queryRange").text() == "20-60"
    picture.grab()
    qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=start)
    assert page.request().search.query_range is None
    assert page.findChild(QLineEdit, "queryRange").text() == ""


def test_the_picture_has_stretches_of_low_complexity(page, qtbot):
    read(page, qtbot, f">half\n{LONG}{'Q' * len(LONG)}\n")
    picture = page.findChild(QueryPicture, "queryPicture")
    qtbot.waitUntil(lambda: bool(picture.stretches))
    warm = QColor(themes.colours(picture).warning).name()
    image = picture.grab().toImage()
    ratio = image.width() / picture.width()
    columns = (picture.x_of(at) * ratio for at in (0.2 * 2 * len(LONG), 0.8 * 2 * len(LONG)))
    seen = [{image.pixelColor(round(x), y).name() for y in range(image.height())} for x in columns]
    assert [warm in column for column in seen] == [False, True]
    read(page, qtbot, f">plain\n{LONG}\n")
    qtbot.waitUntil(lambda: not picture.stretches)


def test_a_record_from_the_results_keeps_its_features_until_it_is_edited(page, qtbot):
    page.query.use_record(HBA, QueryRange(3, 20))
    qtbot.waitUntil(lambda: not page.query.busy)
    assert page.query.records == (HBA,)
    assert page.request().search.query_range == QueryRange(3, 20)
    page.query.box.setPlainText(page.query.box.toPlainText() + "W")
    qtbot.waitUntil(lambda: not page.query.busy and len(page.query.records[0].residues) == len(HBA.residues) + 1)
    assert page.query.records[0].features == ()


def test_an_accession_is_looked_up_in_the_database(page, qtbot):
    at = 3
    database = page.database.database
    name = database.ids[at].split("|")[1]
    read(page, qtbot, f"  {name} ")
    assert page.problem == ""
    assert page.query.records == (database.record(at),)
    assert page.request().queries[0].id == database.ids[at]
    foot = page.findChild(QLabel, "querySummary")
    assert foot.text().endswith(f": {database.record(at).header}, from Sample database")
    read(page, qtbot, f"https://www.uniprot.org/uniprotkb/{name}/entry")
    assert page.query.records == (database.record(at),)


def test_what_no_database_has_is_asked_for_only_if_the_user_says_so(page, qtbot, monkeypatch):
    asked, answers = [], [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    questions = []

    def fetch(accession, _cancel):
        asked.append(accession)
        return Entry(HBA, PROTEIN, "UniProt")

    def question(_parent, _title, text):
        questions.append(text)
        return answers.pop(0)

    monkeypatch.setattr(query_module, "fetch_entry", fetch)
    monkeypatch.setattr(QMessageBox, "question", question)
    read(page, qtbot, "P69906")
    button = page.findChild(QPushButton, "queryOnline")
    assert page.problem.startswith("There is no")
    assert button.isVisible()
    button.click()
    assert asked == []
    assert "rest.uniprot.org" in questions[0]
    button.click()
    qtbot.waitUntil(lambda: page.query.records == (HBA,))
    assert asked == ["P69906"]
    qtbot.waitUntil(lambda: page.problem == "")
    assert not button.isVisible()
    page.findChild(QueryPicture, "queryPicture").grab()


def test_a_fault_of_the_network_is_a_sentence(page, qtbot, monkeypatch):
    def fetch(accession, _cancel):
        raise UnknownAccession([accession], "UniProt has no such entry.")

    monkeypatch.setattr(query_module, "fetch_entry", fetch)
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    read(page, qtbot, "P69906")
    page.findChild(QPushButton, "queryOnline").click()
    qtbot.waitUntil(lambda: page.problem == "UniProt has no such entry.")
    read(page, qtbot, PROTEINS)
    assert page.problem == ""


def test_limits_besides_e_are_part_of_the_request(page, qtbot):
    read(page, qtbot, PROTEINS)
    type_into(page, "min_score", "50")
    type_into(page, "min_identity", "32.5")
    qtbot.waitUntil(lambda: page.problem == "")
    assert page.request().search.limits.minimums == Minimums(50, 32.5, 0)
    assert "--min-score 50 --min-identity 32.5" in page.command_line()
    type_into(page, "min_coverage", "150")
    qtbot.waitUntil(lambda: page.problem == "Query cover at least must be a number from 0 to 100.")
    type_into(page, "min_coverage", "")
    qtbot.waitUntil(lambda: page.problem == "")
    assert page.request().search.limits.minimums == Minimums(50, 32.5, 0)


def test_features_are_put_into_lanes_and_told():
    features = [
        Feature("DOMAIN", ((0, 50),), "A"), Feature("REPEAT", ((10, 30),), "B"), Feature("REPEAT", ((30, 40),), "C"),
        Feature("REGION", ((5, 15),), "D"), Feature("REGION", ((11, 14),), "E"), Feature("ACT_SITE", ((12, 13),)),
    ]  # fmt: skip
    placed = {one.feature.name or "site": one.lane for one in place(features)}
    assert placed == {"A": 0, "B": 1, "C": 1, "D": 2, "site": -1}  # E would overlap in all three
    assert lanes_of(place(features)) == 3
    assert told_at(features, 12, 12).splitlines() == [
        "Active site, 13", "Region E, 12 to 14", "Region D, 6 to 15", "Repeat B, 11 to 30", "Domain A, 1 to 50",
    ]  # fmt: skip
    assert told_at(features, 12, 12, most=1) == "Active site, 13\nand 4 more"
