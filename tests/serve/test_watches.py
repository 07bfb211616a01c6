"""The door of watches: feeds under the tokens of the server, those of a user's databases alone."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

import swgui
from swgui.serve.doors import Doors
from swgui.serve.requests import Refused, Request, User

HBA = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLL"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    place = tmp_path_factory.mktemp("watched")
    (place / "db.fasta").write_text(f">hba\n{HBA}\n")
    for name in ("one", "two"):
        swgui.watch(name, HBA, place / "db.fasta", folder=place / "watches", threads=1)
    swgui.Watch("one", place / "watches").run()
    return SimpleNamespace(watches=place / "watches")


def asked(house, path, **user):
    found = Doors(["watches"]).find("GET", path)
    request = Request("GET", path, "", User("anna", **user), base="/t/secret")
    return found.route.answer(house, request, found.match)


def test_feeds_are_offered_by_name(house):
    listed = asked(house, "/watch").body.decode().split()
    assert listed == ["/t/secret/watch/one.atom", "/t/secret/watch/two.atom"]
    reply = asked(house, "/watch/one.atom")
    assert reply.kind.startswith("application/atom+xml")
    assert ET.fromstring(reply.body).tag == "{http://www.w3.org/2005/Atom}feed"
    assert asked(house, "/watch/one.atom", databases=frozenset({"db"})).body == reply.body


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("/watch/none.atom", {}),
        ("/watch/two.atom", {}),  # no pass yet
        ("/watch/one.atom", {"databases": frozenset({"other"})}),
        ("/watch/..%2fone.atom", {}),
        ("/watch/../one.atom", {}),
    ],
)
def test_what_is_not_there_is_refused(house, path, user):
    with pytest.raises(Refused) as why:
        asked(house, path, **user)
    assert why.value.code == 404


def test_a_server_without_a_folder_has_no_feeds(client):
    assert client.ask("/watch/one.atom")[0] == 404
    assert client.ask("/watch") == (200, b"")
