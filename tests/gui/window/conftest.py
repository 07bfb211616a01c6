"""Windows with a query and a database."""

import threading

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.jobs.events import finishing
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62, search_request
from tests.gui.window.by_hand import QUERY


@pytest.fixture
def ready(make_window, database_file, qtbot):
    """Return a function that makes a window on which Search can be pressed."""

    def make(**options):
        window = make_window(**options)
        window.search_page.query.set_text(QUERY)
        window.search_page.database.open(database_file)
        qtbot.waitUntil(lambda: window.search_page.ready)
        return window

    return make


@pytest.fixture(scope="module")
def found():
    """A real result, made once."""
    records = [SequenceRecord("one", "first of two", b"MKVLWAALLVTFLAG"), SequenceRecord("two", "", b"MKVLWGGG")]
    database = encode_database(records, PROTEIN, "small")
    request = search_request(queries=(records[0],), database=database, scheme=BLOSUM62, engine="reference")
    *_, finished = finishing(search_steps(request, threading.Event()))
    return finished
