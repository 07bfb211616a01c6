"""Downloading public sets, against a server on this computer."""

import gzip
import hashlib
import socket
import urllib.error
import urllib.request

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from swgui.gui.databases.download import DownloadDialog, default_folder
from swgui.gui.databases.page import DatabasesPage
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.io.database.public_sets import PublicSet
from swgui.io.database.public_sets import public_sets as all_sets
from swgui.settings import Settings
from tests.cli.test_get import PROTEOMES
from tests.io.database.test_download import server as plain_server

__all__ = ["plain_server"]

FASTA = "".join(f">s{number}\nMKVLWAALLVTFLAGCQ\n" for number in range(40_000))
CONTENT = gzip.compress(FASTA.encode(), compresslevel=0)  # large enough to be loaded in parts
LISTING = '<file name="set.fasta.gz"><hash type="md5">{}</hash></file>'
MODIFIED = "Wed, 15 Oct 2025 10:00:00 GMT"


@pytest.fixture
def server(plain_server):
    plain_server.content, plain_server.modified = CONTENT, MODIFIED
    plain_server.listing = LISTING.format(hashlib.md5(CONTENT).hexdigest())
    return plain_server


@pytest.fixture
def sets(server):
    url = f"http://127.0.0.1:{server.server_port}"
    about = "Forty thousand proteins."
    return {
        "one": PublicSet("one", "First set", about, f"{url}/set.fasta.gz", f"{url}/listing", "Free"),
        "two": PublicSet("two", "Second set", about, f"{url}/two.fasta.gz", "", "Free"),
    }


@pytest.fixture
def make_dialog(theme, sets, tmp_path, tasks, shown):
    def make():
        dialog = DownloadDialog(tasks, sets=sets, folder=tmp_path / "my downloads")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        return shown(dialog)

    return make


def press(qtbot, dialog, name):
    button = dialog.findChild(QPushButton, name)
    assert button.isVisible()
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def status(dialog):
    return dialog.findChild(QLabel, "downloadStatus").text()


def looked_up(qtbot, dialog):
    press(qtbot, dialog, "downloadAsk")
    qtbot.waitUntil(lambda: dialog.load_button.isVisible())


def test_nothing_is_contacted_until_it_is_wanted(make_dialog, qtbot, server):
    dialog = make_dialog()
    assert dialog.list.count() == 2
    dialog.list.setCurrentRow(1)
    dialog.list.setCurrentRow(0)
    qtbot.wait(50)
    assert server.lines == []
    assert status(dialog) == "Its exact size has not been looked up yet."
    assert not dialog.load_button.isVisible()


def test_the_size_is_said_before_anything_is_loaded(make_dialog, qtbot, server):
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    assert {command for command, path in server.lines if path != "/listing"} == {"HEAD"}
    size = f"{len(CONTENT) / 1e6:.1f} MB"
    assert status(dialog).startswith(f"{size}, of 2025-10-15, with a checksum to verify it.")
    assert "are free in the folder" in status(dialog)
    assert dialog.load_button.text() == f"Download {size}"


def test_a_set_is_loaded_verified_and_handed_over(make_dialog, qtbot, tmp_path):
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    press(qtbot, dialog, "downloadLoad")
    qtbot.waitUntil(lambda: dialog.build_button.isVisible())
    path = tmp_path / "my downloads" / "set.fasta.gz"
    assert path.read_bytes() == CONTENT
    assert status(dialog) == "set.fasta.gz is here, whole and verified."
    with qtbot.waitSignal(dialog.build_wanted) as wanted:
        press(qtbot, dialog, "downloadBuild")
    assert wanted.args == [path, "First set 2025-10-15"]
    assert not dialog.isVisible()


def test_a_stopped_download_goes_on_where_it_was(make_dialog, qtbot, server, tmp_path):
    server.pause_at = len(CONTENT) // 2
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    press(qtbot, dialog, "downloadLoad")
    part = tmp_path / "my downloads" / "set.fasta.gz.part"
    qtbot.waitUntil(lambda: part.exists() and part.stat().st_size > 100_000)
    press(qtbot, dialog, "downloadStop")
    server.go_on.set()
    qtbot.waitUntil(lambda: not dialog.work.busy)
    assert status(dialog).startswith("The download was stopped.")
    assert not part.with_name("set.fasta.gz").exists()
    kept = part.stat().st_size
    assert 0 < kept < len(CONTENT)
    again = make_dialog()  # as after a restart of the program
    assert "from an earlier download" in status(again)
    looked_up(qtbot, again)
    assert "the download resumes there" in status(again)
    press(qtbot, again, "downloadLoad")
    qtbot.waitUntil(lambda: again.build_button.isVisible())
    assert (server.lines[-1], server.asked[-1]) == (("GET", "/set.fasta.gz"), f"bytes={kept}-")
    assert part.with_name("set.fasta.gz").read_bytes() == CONTENT


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(make_dialog, qtbot, server, tmp_path):
    server.listing = LISTING.format("0" * 32)
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    press(qtbot, dialog, "downloadLoad")
    qtbot.waitUntil(lambda: "checksum" in status(dialog) and not dialog.work.busy)
    assert "its checksum" in status(dialog)
    assert list((tmp_path / "my downloads").iterdir()) == []
    assert not dialog.build_button.isVisible()


def test_a_server_that_refuses_is_quoted(make_dialog, qtbot, server):
    server.status = 404
    dialog = make_dialog()
    press(qtbot, dialog, "downloadAsk")
    qtbot.waitUntil(lambda: "404" in status(dialog))
    assert dialog.ask_button.isEnabled()


def test_a_set_without_a_checksum_says_so(make_dialog, qtbot):
    dialog = make_dialog()
    dialog.list.setCurrentRow(1)
    looked_up(qtbot, dialog)
    assert "without a checksum: only its size is verified" in status(dialog)


def test_too_little_room_is_said_before(make_dialog, qtbot, monkeypatch):
    free = type("Usage", (), {"free": 1_000_000})
    monkeypatch.setattr("shutil.disk_usage", lambda path: free)
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    assert "1.0 MB are free in the folder. That is not enough." in status(dialog)


def test_closing_stops_the_download_without_waiting(make_dialog, qtbot, server, tmp_path):
    server.pause_at = len(CONTENT) // 2
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    press(qtbot, dialog, "downloadLoad")
    part = tmp_path / "my downloads" / "set.fasta.gz.part"
    qtbot.waitUntil(lambda: part.exists() and part.stat().st_size > 100_000)
    press(qtbot, dialog, "downloadClose")
    assert not dialog.isVisible()
    assert dialog.work.stopping
    server.go_on.set()
    qtbot.waitUntil(lambda: not dialog.work.busy)
    assert part.exists()


def test_the_folder_can_be_another(make_dialog, qtbot, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(other))
    dialog = make_dialog()
    looked_up(qtbot, dialog)
    press(qtbot, dialog, "downloadFolder")
    assert not dialog.load_button.isVisible()
    looked_up(qtbot, dialog)
    press(qtbot, dialog, "downloadLoad")
    qtbot.waitUntil(lambda: dialog.build_button.isVisible())
    assert (other / "set.fasta.gz").exists()


def test_a_file_that_is_here_already_can_be_built(make_dialog, tmp_path):
    folder = tmp_path / "my downloads"
    folder.mkdir()
    (folder / "set.fasta.gz").write_bytes(CONTENT)
    dialog = make_dialog()
    assert status(dialog).startswith("set.fasta.gz was loaded before")
    assert dialog.build_button.isVisible()


@pytest.fixture
def by_organism(server, sets):
    url = f"http://127.0.0.1:{server.server_port}"
    family = {"listing_url": f"{url}/proteome/listing", "terms": "Free", "organisms": "uniprot"}
    sets["proteome"] = PublicSet("proteome", "Proteome of an organism", "By name.", f"{url}/proteome/", **family)
    server.listing = PROTEOMES
    return server


def organism_asked(qtbot, dialog, organism):
    dialog.choose("proteome")
    dialog.organism.setText(organism)
    press(qtbot, dialog, "downloadAsk")


def test_a_proteome_is_found_by_its_organism_and_loaded(make_dialog, by_organism, qtbot, tmp_path):
    dialog = make_dialog()
    organism_asked(qtbot, dialog, " ")
    assert (status(dialog), by_organism.lines) == ("Name the organism first.", [])
    organism_asked(qtbot, dialog, "yeast")
    qtbot.waitUntil(lambda: dialog.load_button.isVisible())
    assert "Saccharomyces cerevisiae" in dialog.chosen.title
    assert "6,067 proteins" in dialog.chosen.about
    assert "Estimate: " in status(dialog)
    assert not dialog.organism.isVisible()
    press(qtbot, dialog, "downloadLoad")
    qtbot.waitUntil(lambda: dialog.build_button.isVisible())
    assert (tmp_path / "my downloads" / "UP000002311_559292.fasta.gz").read_bytes() == CONTENT


def test_several_organisms_are_listed_and_others_take_their_place(make_dialog, by_organism, qtbot):
    dialog = make_dialog()
    organism_asked(qtbot, dialog, "bacillus")
    qtbot.waitUntil(lambda: status(dialog).startswith("2 organisms have “bacillus” in their names"))
    assert dialog.chosen.key == "proteome"
    assert [dialog.list.item(row).text() for row in (3, 4)] == [
        "Proteome of Bacillus first",
        "Proteome of Bacillus second (yeast bacillus)",
    ]
    organism_asked(qtbot, dialog, "nothing")
    qtbot.waitUntil(lambda: "lists no organism 'nothing' among 4 sets" in status(dialog))
    organism_asked(qtbot, dialog, "12")
    qtbot.waitUntil(lambda: dialog.load_button.isVisible())
    assert (dialog.list.count(), dialog.chosen.title) == (4, "Proteome of Bacillus second (yeast bacillus)")


def test_without_a_network_a_sentence_asks_for_a_file(make_dialog, sets, qtbot, tmp_path, monkeypatch):
    def unknown(*words, **more):
        raise urllib.error.URLError(socket.gaierror(-2, "Name or service not known"))

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", unknown)
    dialog = make_dialog()
    press(qtbot, dialog, "downloadAsk")
    qtbot.waitUntil(lambda: "cannot be reached" in status(dialog))
    assert "HTTPS_PROXY" in status(dialog)
    assert status(dialog).endswith(f"Or load {sets['one'].url} with a browser or on another computer, and press "
                                   "“Take a file…”.")  # fmt: skip
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "by hand.fasta.gz"), ""))
    with qtbot.waitSignal(dialog.build_wanted) as wanted:
        press(qtbot, dialog, "downloadTake")
    assert wanted.args == [tmp_path / "by hand.fasta.gz", "First set"]


def test_the_page_builds_what_was_loaded(qtbot, theme, user_folders, tasks):
    page = DatabasesPage(Settings(), tasks)
    qtbot.addWidget(page)
    page.show_downloads()
    dialog = page.download
    assert [dialog.list.item(row).text() for row in range(dialog.list.count())] == [
        wanted.title for wanted in all_sets().values()
    ]
    assert default_folder().is_relative_to(user_folders["data"])
    page.show_downloads("structures")
    assert (page.download, dialog.chosen.title) == (dialog, "Structures of an organism")
    assert dialog.organism.isVisible()
    loaded = user_folders["data"] / "set.fasta"
    loaded.parent.mkdir(parents=True, exist_ok=True)
    loaded.write_text(">a\nMKV\n")
    dialog.build_wanted.emit(loaded, "First set 2025-10-15")
    build = page.findChild(BuildDialog)
    assert build.name.text() == "First set 2025-10-15"
    assert build.sources == [loaded]
    build.reject()
    dialog.close()
    qtbot.waitUntil(lambda: page.download is None)
    page.shutdown()
