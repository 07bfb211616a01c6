"""The cluster on the Device page: connecting, what is refused, and a search driven from the window."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from swgui.core.devices import ClusterAddress
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.engines.base import DeviceInfo
from swgui.gui.device import cluster as page
from swgui.gui.device.cluster import COLUMNS, NOW, ClusterPanel, ClusterWorkers
from swgui.gui.live.run_state import RunState
from swgui.jobs.cluster.link import ClusterView, is_exposed, look
from swgui.jobs.events import Progress, finishing
from swgui.jobs.search.run import search_steps
from swgui.settings import Settings
from tests.asking import search_request
from tests.conftest import PATIENCE_MS

ONE = DeviceInfo("one", "EPYC (one)", memory=3 << 30, facts={"engine": "cpu", "address": "tcp://10.0.0.1:1"})
TWO = DeviceInfo("two", "NVIDIA H200 (two)", memory=140 << 30, facts={"engine": "cuda", "speed": "6700.0 GCUPS"})


@pytest.mark.parametrize(
    ("scheduler", "ca", "exposed"),
    [
        ("localhost:8786", "", False),
        ("127.0.0.1:8786", "", False),
        ("tcp://head-node:8786", "", True),
        ("head-node:8786", "", True),
        ("head-node:8786", "ca.pem", False),
        ("tls://head-node:8786", "", False),
        ("no address", "", False),
    ],
)
def test_which_connections_leave_the_computer_unencrypted(scheduler, ca, exposed):
    assert is_exposed(ClusterAddress(scheduler, ca)) is exposed


def test_what_the_engine_is_told():
    assert ClusterAddress("a:1").settings == {"scheduler": "a:1"}
    told = ClusterAddress("tls://a:1", "ca.pem", "c.pem", "k.pem", allow_plain=True).settings
    assert told == {
        "scheduler": "tls://a:1",
        "tls-ca": "ca.pem",
        "tls-cert": "c.pem",
        "tls-key": "k.pem",
        "allow-plain": "on",
    }


def test_workers_as_a_table():
    model = ClusterWorkers()
    assert model.rowCount() == 0
    model.show_view(ClusterView((ONE, TWO)))
    assert model.rowCount() == 2

    def texts(row):
        return [model.data(model.index(row, column)) for column in range(model.columnCount())]

    assert texts(0) == ["one", "EPYC", "cpu", "3.2 GB", "–", "–", "tcp://10.0.0.1:1"]
    model.show_speeds({TWO.name: 6543.21})
    assert texts(1)[NOW] == "6,543.2"
    assert texts(0)[NOW] == "–"
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert titles == [column.title for column in COLUMNS]


@pytest.fixture
def panel(qtbot, monkeypatch, tasks):
    made = ClusterPanel(Settings(), tasks)
    qtbot.addWidget(made)
    made.show()
    made.answers = []

    def answer(address):
        made.answers.append(address)
        if isinstance(made.answer, Exception):
            raise made.answer
        return made.answer

    made.answer = ClusterView((ONE, TWO))
    monkeypatch.setattr(page, "look", answer)
    return made


def test_connecting_shows_the_workers_and_offers_them(panel, qtbot):
    panel.address.setText("localhost:8786")
    with qtbot.waitSignal(panel.offered) as offered:
        panel.connect_cluster()
    choice = offered.args[0]
    assert choice.engine == "cluster"
    assert choice.options.settings == {"scheduler": "localhost:8786"}
    assert choice.text == "Cluster: 2 workers at localhost:8786"
    assert panel.workers.rowCount() == 2
    assert panel.state.text() == "✓ Connected to localhost:8786: 2 workers, on this computer."
    with qtbot.waitSignal(panel.offered) as offered:
        panel.leave.click()
    assert offered.args == [None]
    assert panel.workers.rowCount() == 0


def test_a_worker_that_is_refused_is_named(panel, qtbot):
    panel.answer = ClusterView((ONE,), ("The worker two runs version 9.",))
    panel.address.setText("localhost:8786")
    with qtbot.waitSignal(panel.offered):
        panel.connect_cluster()
    assert panel.state.text().endswith("The worker two runs version 9.")


def test_what_goes_wrong_is_said_and_can_be_tried_again(panel, qtbot):
    panel.connect_cluster()
    assert "Type the address" in panel.state.text()
    panel.answer = EngineUnavailable("cluster", "There is no Dask scheduler at x:1.", hint="Check the address.")
    panel.address.setText("localhost:1")
    panel.connect_cluster()
    qtbot.waitUntil(lambda: "no Dask scheduler" in panel.state.text())
    assert "Check the address." in panel.state.text()
    assert panel.join.isEnabled()
    assert not panel.use.isVisible()


@pytest.mark.parametrize("agree", [True, False])
def test_a_plain_connection_to_elsewhere_asks_first(panel, qtbot, agree):
    panel.address.setText("head-node:8786")
    panel.connect_cluster()
    box = panel.findChild(QMessageBox, "confirmPlain")
    assert "not be encrypted" in box.text()
    assert panel.answers == []
    wanted = "Connect without encryption" if agree else "Cancel"
    next(button for button in box.buttons() if wanted in button.text().replace("&", "")).click()
    if not agree:
        assert panel.answers == []
        return
    qtbot.waitUntil(lambda: panel.view is not None)
    assert panel.answers[0].allow_plain
    panel.connect_cluster()  # asked once for an address
    qtbot.waitUntil(lambda: len(panel.answers) == 2)


def test_certificates_are_asked_for_where_they_matter(panel, qtbot):
    assert not panel.lines.isVisible()
    panel.address.setText("tls://head-node:8786")
    assert panel.lines.isVisible()
    panel.address.setText("localhost:8786")
    assert not panel.lines.isVisible()
    panel.certificates.click()
    panel.files["ca"].setText("ca.pem")
    panel.certificates.click()
    panel.address.setText("localhost:8787")
    assert panel.lines.isVisible()  # the values filled in are visible


def test_speeds_of_the_run_that_goes_on(panel, qtbot):
    panel.address.setText("localhost:8786")
    with qtbot.waitSignal(panel.offered):
        panel.connect_cluster()
    state = RunState()
    state.feed(Progress(10**9, 10**12, 1.0, {ONE.name: 10**9}, {ONE.name: 1.0}))
    state.feed(Progress(3 * 10**9, 10**12, 2.0, {ONE.name: 3 * 10**9}, {ONE.name: 2.0}))
    panel.show_run(state)
    shown = panel.workers.data(panel.workers.index(0, NOW))
    assert float(shown) == pytest.approx(2.0, abs=1.1)


def test_the_cluster_of_the_last_time_is_offered_without_connecting(qtbot, tasks):
    settings = Settings()
    settings.cluster.scheduler = "localhost:8786"
    panel = ClusterPanel(settings, tasks)
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.offered) as offered:
        panel.begin()
    assert offered.args[0].text == "Cluster: localhost:8786"


def test_looking_at_nothing_is_refused_in_words():
    pytest.importorskip("distributed", reason="dask and distributed are not installed")
    with pytest.raises(InvalidParameter, match="not the address"):
        look(ClusterAddress("no address"))
    with pytest.raises(EngineUnavailable, match="would be plain"):
        look(ClusterAddress("192.0.2.1:8786"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the processes of the test need signals")
def test_a_search_on_two_workers_driven_from_the_window(make_window, qtbot, tmp_path):
    pytest.importorskip("distributed", reason="dask and distributed are not installed")
    from tests.engines.cluster.processes import Processes

    processes = Processes(tmp_path)
    try:
        for name in ("one", "two"):
            processes.worker(name)
        window = make_window()
        window.begin()
        qtbot.waitUntil(lambda: window.search_page.ready)
        window.show_page("device")
        panel = window.cluster_panel
        panel.address.setText(processes.address)

        def both():
            if panel.view is None or len(panel.view.workers) < 2:
                if panel.join.isEnabled():
                    qtbot.mouseClick(panel.join, Qt.MouseButton.LeftButton)
                return False
            return True

        qtbot.waitUntil(both, timeout=3 * PATIENCE_MS)  # three processes start
        assert {worker.id for worker in panel.view.workers} == {"one", "two"}
        qtbot.mouseClick(panel.use, Qt.MouseButton.LeftButton)
        assert window.page == "search"
        assert "--engine cluster --set scheduler=" in window.search_page.command_line()
        with qtbot.waitSignal(window.controller.result_ready) as done:
            window.run_search()
        result = done.args[0]
        assert result.engine == "cluster"
        request = window.search_page.request()
        alone = list(
            finishing(
                search_steps(
                    search_request(
                        queries=request.queries, database=request.database, scheme=request.scheme, engine="cpu", top=500
                    ),
                    threading.Event(),
                )
            )
        )[-1].outcome
        for found, expected in zip(result.queries, alone.queries, strict=True):
            assert np.array_equal(found.hits.db_index, expected.hits.db_index)
            assert np.array_equal(found.hits.scores, expected.hits.scores)
            assert np.array_equal(found.scores, expected.scores)
    finally:
        processes.close()
