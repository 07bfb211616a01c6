"""The Folding server page: it starts, shows its jobs, gives way, and ends."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton

from swgui.core.engines import EngineOptions
from swgui.core.words import count
from swgui.gui.serve.depth import JobDialog
from swgui.gui.serve.jobs import JobTable
from swgui.gui.serve.page import FoldingPage
from swgui.runs.holding import Holding
from swgui.serve.tables import tickets_table
from swgui.serve.tickets import COMPLETE, ERROR, RUNNING, Ticket
from swgui.settings import Settings
from tests.gui.named import named

TRNA = "GGGGCUAUAGCUCAGCUGGGAGAGCGCCUGCUUUGCACGCAGGAGGUCUGCGGUUCGAUCCCGCAUAGCUCCACCA"
GLOBIN = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHG"


@pytest.fixture
def database(tmp_path):
    place = tmp_path / "few.fasta"
    others = "".join(f">other{n}\n{('ACDEFGHIKLMNPQRSTVWY' * 4)[n : n + 40 + n]}\n" for n in range(20))
    place.write_text(f">near\n{GLOBIN.replace('KTNVKAAW', 'KANIKATW')}\n{others}")
    return place


@pytest.fixture
def settings():
    return Settings()


@pytest.fixture
def page(theme, database, tasks, shown, settings):
    settings.folding.databases, settings.folding.address = [str(database)], "127.0.0.1:0"
    return shown(FoldingPage(settings, tasks, lambda: ("cpu", EngineOptions(threads=1)), Holding()))


@pytest.fixture
def running(page, qtbot):
    page.start()
    qtbot.waitUntil(lambda: page.server is not None)
    return page


def post(page, name, text=GLOBIN, kind="msa"):
    body = urllib.parse.urlencode({"q": f">{name}\n{text}\n", "mode": "env"}).encode()
    with urllib.request.urlopen(f"{page.server.url}/ticket/{kind}", body, timeout=60) as answer:
        return json.loads(answer.read())


def test_it_starts_shows_a_job_and_stops(running, qtbot, tmp_path, monkeypatch):
    url = running.server.url
    assert running.url.text() == url
    line = running.findChild(QLineEdit, "folding-line-Boltz")
    assert line.text() == f"boltz predict input.yaml --use_msa_server --msa_server_url {url}"
    running.findChild(QPushButton, "folding-copy-Boltz").click()
    assert QCoreApplication.instance().clipboard().text() == line.text()
    running.copy_address()
    assert QCoreApplication.instance().clipboard().text() == url
    assert post(running, "101")["status"] == COMPLETE
    qtbot.waitUntil(lambda: running.jobs.row_count() == 1)
    assert [running.jobs.data(running.jobs.index(0, column)) for column in (1, 2, 3, 4, 5)] == [
        "local", "alignments", "1 chain", "60", "done, shallow",
    ]  # fmt: skip
    assert not running.save_button.isEnabled()
    running.table.selectRow(0)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(tmp_path / "one.a3m"), ""))
    with qtbot.waitSignal(running.message):
        running.save_button.click()
    saved = (tmp_path / "one.a3m").read_text().splitlines()
    assert saved[:2] == [">101", GLOBIN]
    assert len(saved) == 2 * (1 + running.jobs.rows[0].rows)
    running.depth_button.click()
    qtbot.waitUntil(lambda: running.findChild(JobDialog) is not None)
    dialog = running.findChild(JobDialog)
    assert dialog.said.text().startswith(f"Chain 101: {count(running.jobs.rows[0].rows, 'row')}")
    assert dialog.plot.place(0.5).startswith("Residue 1: ")
    assert dialog.plot.place(len(GLOBIN)) == ""
    dialog.close()
    archive = running.server.tickets.archive(running.jobs.rows[0].id)
    running.delete_results()
    qtbot.waitUntil(lambda: not archive.exists())
    running.stop()
    qtbot.waitUntil(lambda: not running.running)
    assert running.state.text() == "Not running."
    assert not running.url.isVisible()
    assert running.start_button.isEnabled()


def test_own_searches_go_first_and_a_job_is_stopped(running, qtbot):
    running.holding.take("a rule", "rule")
    assert "waiting for your own search by rule" in running.state.text()
    ticket = post(running, "101")  # not held back: no one works
    assert ticket["status"] == "PENDING"
    qtbot.waitUntil(lambda: running.jobs.row_count() == 1)
    assert not running.stop_job_button.isEnabled()
    running.table.selectRow(0)
    running.stop_job_button.click()
    qtbot.waitUntil(lambda: running.jobs.rows[0].state == ERROR)
    running.holding.give_back("a rule")
    assert post(running, "102")["status"] == COMPLETE


def test_what_cannot_be_is_said(page, qtbot, settings):
    settings.folding.address = "0.0.0.0:8889"
    page.start()
    qtbot.waitUntil(lambda: not page.running)
    assert "SSH tunnel" in page.state.text()
    settings.folding.databases = ["/nowhere/at/all.swdb"]
    settings.folding.address = "127.0.0.1:0"
    page.start()
    qtbot.waitUntil(lambda: not page.running)
    assert "/nowhere/at/all.swdb" in page.state.text()
    settings.folding.databases = []
    page.start()
    assert not page.running


def test_databases_are_chosen(page, qtbot, database, monkeypatch, settings):
    boxes = page.boxes
    assert boxes["uniref"].currentData() == str(database)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(database), ""))
    named(page, "folding-environment-file").click()
    assert settings.folding.databases == [str(database)] * 2
    boxes["uniref"].setCurrentIndex(0)
    boxes["uniref"].activated.emit(0)
    assert settings.folding.databases == []
    assert not page.start_button.isEnabled()


def test_rna_alone_is_served(page, qtbot, tmp_path, monkeypatch, settings):
    rna = tmp_path / "rna.fasta"
    rna.write_text(f">near\n{TRNA.replace('GCCUGC', 'GCAUGC')}\n>far\n{'ACGUUGCA' * 10}\n")
    page.boxes["uniref"].setCurrentIndex(0)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(rna), ""))
    named(page, "folding-bases-file").click()
    assert settings.folding.nucleotide_database == str(rna)
    page.start()
    qtbot.waitUntil(lambda: page.server is not None)
    assert page.choice.text().endswith("RNA: rna.fasta.")
    assert not named(page, "folding-line-Boltz").isVisible()  # it makes no alignments of proteins
    assert named(page, "folding-line-RNA").text().endswith(f"{page.server.url}/ticket/nuclmsa")
    assert post(page, "101", TRNA, "nuclmsa")["status"] == COMPLETE
    qtbot.waitUntil(lambda: page.jobs.row_count() == 1)
    assert page.jobs.data(page.jobs.index(0, 2)) == "RNA alignments"
    page.table.selectRow(0)
    assert page.save_button.isEnabled()


def test_an_address_of_the_network_asks_for_files(page, settings):
    address, certificate = named(page, "foldingAddress"), named(page, "folding-certificate")
    assert not certificate.isVisible()
    address.setText("0.0.0.0:8889")
    assert certificate.isVisible()
    certificate.setText(" a.pem ")
    address.setText("127.0.0.1:8889")
    assert certificate.isVisible()
    assert settings.folding.certificate == "a.pem"
    certificate.setText("")
    address.setText("nonsense")
    assert not certificate.isVisible()


def test_jobs_as_a_table():
    table = JobTable()
    job = Ticket("a" * 38, "ann", "pair", "pairgreedy", "60,1200", RUNNING, "", 1.0, 3.0)
    done = Ticket("b" * 38, "bob", "msa", "env", "60", COMPLETE, "", 1.0, 3.0, 5.5, 12_345)
    table.show_jobs([job, done])
    first, second = ([column.text(row) for column in table.columns] for row in (job, done))
    assert first[1:6] == ["ann", "pairs", "2 chains", "60, 1200", "running"]
    assert second[5] == "done"
    few = Ticket("c" * 38, "bob", "msa", "env", "60,70", COMPLETE, "", 1.0, 3.0, 5.5, 59)
    assert table.columns[5].text(few) == "done, shallow"
    assert table.columns[5].cell_tip(few).startswith("59 rows: fewer than about 30 a chain ")
    assert table.columns[5].cell_tip(done) == ""
    assert second[6:] == ["2.0", "2.5", "12,345", ""]
    rows = list(tickets_table([job, done]).choose(["user", "chains", "state", "took_seconds", "rows"]).rows())
    assert rows[0][:3] == ("ann", 2, "running")
    assert rows[1] == ("bob", 1, "done", 2.5, 12_345)
    changed = []
    table.dataChanged.connect(lambda *_: changed.append(True))
    table.show_jobs([job, done])
    assert changed


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "xlsx"])
def test_jobs_are_exported_in_every_format(page, qtbot, tmp_path, monkeypatch, form):
    page.jobs.show_jobs([Ticket("a" * 38, "ann", "pair", "pairgreedy", "60,1200", ERROR, "No room.", 1.0, 3.0, 5.0)])
    path = tmp_path / f"jobs.{form}"
    monkeypatch.setattr("swgui.gui.serve.page.ask_save_path", lambda *_: path)
    page.export()
    qtbot.waitUntil(path.exists)
    data = path.read_bytes()
    assert data[:2] == b"PK" if form == "xlsx" else b"ann" in data and b"No room." in data
