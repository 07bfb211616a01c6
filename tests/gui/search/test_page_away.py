"""A database of another computer on the Search page: choosing it, what the page says, and the search it asks for."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QTableView

from swgui.core.engines import EngineOptions
from swgui.gui.inputs.another_computer import AnotherComputer
from swgui.io.remote.database import DistantDatabase
from swgui.io.remote.wire import Greeting, Listed, Unreachable
from tests.gui.search.page_by_hand import PROTEINS, find, plan_of, read, settle

LISTED = [
    Listed(name="uniref50", checksum="0" * 32, alphabet="protein", sequences=60_000_000, residues=17_000_000_000,
           size=13_000_000_000, made="2026-10-08T01:02:03"),
    Listed(name="hg38", checksum="1" * 32, alphabet="nucleotide", sequences=455, residues=3_100_000_000, size=10**9,
           made="2026-01-08T01:02:03"),
]  # fmt: skip


@pytest.fixture
def other(monkeypatch, tmp_path):
    """Stand for the other computer; returns the answers by address."""
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    answers = {"gpu1": LISTED, "empty": []}

    def call(link, method, kind, **arguments):
        if link.address.text not in answers:
            raise Unreachable("The connection failed: no route to host.")
        link.greeting = Greeting(1, "0.3.0")
        return answers[link.address.text]

    monkeypatch.setattr("swgui.io.remote.connections.Link.call", call)
    return answers


def ask(page, qtbot, address):
    """Open the dialog by the list of devices, and connect."""
    box = find(page, QComboBox, "engine")
    box.setCurrentIndex(box.count() - 1)
    box.activated.emit(box.count() - 1)
    dialog = page.window().findChild(AnotherComputer)
    find(dialog, QComboBox, "computerAddress").setEditText(address)
    find(dialog, QPushButton, "computerConnect").click()
    qtbot.waitUntil(lambda: "Connecting" not in find(dialog, QLabel, "computerSaid").text())
    return dialog


def test_a_search_is_described_and_asked_for_on_the_computer_of_its_database(page, qtbot, other, database_file):
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    dialog = ask(page, qtbot, "gpu1")
    assert "2 databases" in find(dialog, QLabel, "computerSaid").text()
    table = find(dialog, QTableView, "computerDatabases").model()
    cells = [table.index(0, column).data() for column in range(table.columnCount())]
    assert cells == ["uniref50", "protein", "2026-10-08", "60,000,000", "17,000,000,000", "13.0 GB"]
    find(dialog, QPushButton, "computerChoose").click()
    assert "on gpu1" in find(page, QLabel, "databaseFacts").text()
    assert find(page, QComboBox, "engine").currentText() == "Another computer: gpu1"
    assert "on gpu1" in plan_of(page)
    assert page.ready
    request = page.request()
    assert isinstance(request.database, DistantDatabase)
    assert (request.database.name, request.search.options) == ("uniref50", EngineOptions(on="gpu1"))
    assert "--on gpu1" in page.command_line()
    assert "-d uniref50" in page.command_line()
    assert not page.settings.recent.databases
    assert "this computer" not in find(page.welcome, QLabel, "welcomeText").text()
    assert page.engine.here().options.on == ""
    with qtbot.waitSignal(page.database.opened):
        page.database.open(database_file)
    assert page.request().search.options.on == ""
    assert find(page, QComboBox, "engine").currentIndex() == 0


def test_organisms_of_another_computer_are_not_counted_here(page, qtbot, other):
    read(page, qtbot, PROTEINS)
    settle(page, qtbot)
    find(ask(page, qtbot, "gpu1"), QPushButton, "computerChoose").click()
    find(page, QLineEdit, "organismOnly").setText("Homo sapiens")
    assert page.ready
    assert page.request().search.organisms.only == ("Homo sapiens",)


@pytest.mark.parametrize(
    ("address", "said"), [("empty", "no database"), ("nowhere", "no route"), ("-oProxyCommand=x", "no address")]
)
def test_a_computer_that_is_of_no_use_says_why_and_the_page_stays(page, qtbot, other, address, said):
    before = find(page, QComboBox, "engine").currentIndex()
    dialog = ask(page, qtbot, address)
    assert said in find(dialog, QLabel, "computerSaid").text()
    assert not find(dialog, QPushButton, "computerChoose").isEnabled()
    dialog.reject()
    assert find(page, QComboBox, "engine").currentIndex() == before
    assert page.database.database is None


def test_a_token_is_asked_for_where_the_address_has_one(page, qtbot, other):
    dialog = ask(page, qtbot, "gpu1")
    assert not find(dialog, QLineEdit, "computerToken").isVisible()
    find(dialog, QComboBox, "computerAddress").setEditText("https://gpu1:8889")
    assert find(dialog, QLineEdit, "computerToken").isVisible()
    dialog.reject()
