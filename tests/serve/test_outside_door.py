"""A door of a package from outside is one module: the example of docs/dev/extending.md, installed."""

import threading

import pytest

from swgui import packages
from swgui.commands.serve import serve_arguments
from swgui.core.errors import InvalidParameter
from swgui.serve.doors import Doors
from swgui.serve.server import FoldingServer
from tests.outside_engine import install
from tests.serve.conftest import Client


@pytest.fixture
def lengths(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(install(tmp_path, "best_hit", "best_hit/pyproject.toml"))
    packages.forget()
    yield
    packages.forget()


def test_a_door_from_outside_takes_its_turn(lengths, databases, proteins, tmp_path):
    arguments = serve_arguments(
        search_database=[f"globins={databases[0]}"], address="127.0.0.1:0", engine="cpu", folder=str(tmp_path / "jobs"),
        door=["best_hit"],
    )  # fmt: skip
    server = FoldingServer(arguments)
    try:
        server.start(threading.Event())
        assert server.lines == []  # the door names no client
        client = Client(server.url)
        assert b"HBA_HUMAN" in client.ask("/best", f"query={proteins['alpha']}&database=globins".encode())[1]
        status, why = client.ask("/best", b"query=MKV&database=nothing")
        assert (status, why.decode()) == (404, "There is no database 'nothing' here. Databases: globins.\n")
        assert client.ask("/Blast.cgi")[0] == 404  # no other door is open
        assert [job.kind for job in server.jobs()] == ["search"]
    finally:
        server.close()


def test_a_door_that_is_not_there_is_refused():
    with pytest.raises(InvalidParameter, match="no door 'window'") as refused:
        Doors(["window"])
    assert "blast" in refused.value.hint
