"""Which organisms are searched: counted, completed, and refused in a sentence."""

import pytest
from PySide6.QtCore import Qt

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.records import SequenceRecord
from swgui.gui.inputs import organism_box as organisms
from swgui.gui.inputs.organism_box import NAME, OrganismBox
from tests.gui.named import named

SPECIES = ["Homo sapiens OX=9606", "Homo sapiens OX=9606", "Mus musculus OX=10090", "Escherichia coli (strain K12)"]


@pytest.fixture
def database():
    return encode_database(
        [SequenceRecord(f"s{i}", f"OS={name}", b"MKV") for i, name in enumerate(SPECIES)], PROTEIN, "four"
    )


@pytest.fixture
def box(qtbot, theme, database):
    box = OrganismBox()
    qtbot.addWidget(box)
    box.use(database)
    qtbot.waitUntil(lambda: not box.listing)
    yield box
    box.shutdown()


def test_nothing_typed_is_everything(box, database):
    assert not box.isHidden()
    assert not box.limit
    assert (box.problem, box.searched) == ("", (4, 12))


def test_what_is_typed_is_counted(box, qtbot):
    with qtbot.waitSignal(box.changed):
        box.only.setText("homo sapiens, ")
    assert box.limit == OrganismLimit(("homo sapiens",))
    assert box.problem  # until it is counted
    qtbot.waitUntil(lambda: not box.problem)
    assert box.searched == (2, 6)
    assert named(box, "organismCount").text() == "2 of 4 sequences will be searched."
    box.without.setText("10090")
    box.only.clear()
    qtbot.waitUntil(lambda: box.searched == (3, 9))
    assert box.limit == OrganismLimit((), ("10090",))
    box.without.clear()
    assert (box.problem, box.searched, named(box, "organismCount").text()) == ("", (4, 12), "")


def test_an_unknown_organism_is_refused(box, qtbot):
    box.only.setText("Homo sapeins")
    qtbot.waitUntil(lambda: "Perhaps you mean Homo sapiens" in box.problem)
    assert named(box, "organismCount").text() == box.problem
    box.only.setText("Homo")
    box.without.setText("Homo")
    qtbot.waitUntil(lambda: "no subject is left" in box.problem)


def test_half_a_name_that_is_offered_is_no_mistake_yet(box, qtbot):
    qtbot.keyClicks(box.only, "Homo sap")
    qtbot.waitUntil(lambda: box.problem.startswith("No subject of 'four'"))
    assert named(box, "organismCount").isHidden()
    qtbot.keyClick(box.only, Qt.Key.Key_Return)
    assert named(box, "organismCount").text() == box.problem
    qtbot.keyClicks(box.only, "x")  # nothing is offered for it
    qtbot.waitUntil(lambda: "sapx" in named(box, "organismCount").text())


def test_names_are_completed_behind_the_last_comma(box, qtbot):
    completer = box.only.completer()
    completer.setCompletionPrefix("m")
    offered = [completer.completionModel().index(at, 0) for at in range(completer.completionCount())]
    assert {index.data(NAME) for index in offered} == {"Homo sapiens", "Mus musculus"}
    assert offered[0].data(Qt.ItemDataRole.DisplayRole) == "Homo sapiens   2"
    box.only.setText("Mus musculus,ho")
    assert completer.splitPath(box.only.text()) == ["ho"]
    assert completer.pathFromIndex(offered[0]) == "Mus musculus, Homo sapiens"


def test_another_database_is_asked_anew(box, qtbot):
    box.only.setText("Homo sapiens")
    qtbot.waitUntil(lambda: box.searched == (2, 6))
    other = encode_database([SequenceRecord("a", "OS=Mus musculus OX=10090", b"MK")], PROTEIN, "other")
    box.use(other)
    qtbot.waitUntil(lambda: box.problem.startswith("No subject of 'other'"))
    nameless = encode_database([SequenceRecord("a", "", b"MK")], PROTEIN, "nameless")
    box.only.clear()
    box.use(nameless)
    qtbot.waitUntil(lambda: box.isHidden())
    assert box.problem == ""
    box.use(None)
    assert box.searched == (0, 0)


def test_headers_of_very_large_databases_are_read_when_they_are_asked_for(qtbot, theme, database, monkeypatch):
    monkeypatch.setattr(organisms, "LISTED", 3)
    box = OrganismBox()
    qtbot.addWidget(box)
    box.use(database)
    assert not box.isHidden()
    assert not box.listing
    assert "organisms" not in vars(database)
    box.only.setText("Mus")
    qtbot.waitUntil(lambda: box.names.rowCount() == 3)
    assert box.searched == (1, 3)
    box.shutdown()
