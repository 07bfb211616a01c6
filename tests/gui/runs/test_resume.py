"""Runs that are resumed, and runs whose scores are compared again."""

import threading
from functools import partial

import pytest

from swgui.core.plain import replace
from tests.gui.named import named
from tests.gui.runs.held import choose, column, enabled


@pytest.mark.parametrize("by", ["button", "banner"])
def test_an_interrupted_run_is_resumed(desk, qtbot, searched, history, monkeypatch, by):
    from swgui.engines import registry
    from tests.fakes import SlowAdapter

    adapter = SlowAdapter()
    monkeypatch.setattr("swgui.jobs.check.device.require_exact_engine", lambda *_: iter(()))
    monkeypatch.setattr(registry, "adapter_of", lambda name: adapter)
    monkeypatch.setattr(registry, "probed", {})
    adapter.seconds = 0.03
    events = history.run("search", searched[0], threading.Event())
    while len(adapter.scored) < 6:
        next(events)
    events.close()
    adapter.seconds = 0.0
    adapter.scored.clear()
    page, *_ = desk(partial(history.run, "search"))
    assert page.interrupted == 1
    assert page.found == [1]
    assert column(page, "State") == ["Interrupted"]
    choose(page, 0)
    assert enabled(page) == {"resume", "again", "delete"}
    assert "program ended" in named(page, "runDetail").text()
    if by == "button":
        page.buttons["resume"].click()
    else:  # of the result that is shown
        page.resume_run(page.model.rows[0].key[1])
    qtbot.waitUntil(lambda: column(page, "State") == ["Done"])
    assert 0 < len(adapter.scored) < 16
    assert page.interrupted == 0
    assert page.found == [1]  # told once
    assert not page.faults


def test_verifying_compares_every_score(desk, qtbot, searched, history):
    history.of("search").save(searched[1], name="good")
    query = searched[1].queries[0]
    scores = query.scores.copy()
    scores[7] += 1
    wrong = (replace(query, scores=scores), *searched[1].queries[1:])
    history.of("search").save(replace(searched[1], queries=wrong), name="bad")
    page, *_ = desk()
    for row, sign, text in ((1, "✓", "All 80 scores are the same"), (0, "✗", "1 of 80 scores is different")):
        choose(page, row)
        page.buttons["verify"].click()
        assert page.verifying
        assert not page.buttons["verify"].isEnabled()
        with qtbot.waitSignal(page.busy_changed):
            pass
        assert named(page, "verifyVerdict").text().startswith(sign)
        assert text in named(page, "verifyVerdict").text()
    assert "one core (reference)" in named(page, "verifyVerdict").text()  # the engine that was chosen
    assert f"saved {scores[7]}, now {scores[7] - 1}" in named(page, "verifyVerdict").text()
    assert named(page, "verifyVerdict").property("tone") == "danger"


def test_verifying_waits_for_the_search_and_can_be_stopped(desk, qtbot, searched, history, monkeypatch):
    history.of("search").save(searched[1], name="good")
    page, queue, held, _ = desk()
    queue.add(replace(searched[0], name="one"))
    choose(page, 1)
    assert "verify" not in enabled(page)
    assert page.buttons["verify"].toolTip().startswith("Wait until")
    held.go.release()
    qtbot.waitUntil(lambda: column(page, "State") == ["Done", "Done"])

    def endless(result, cancel, **_):
        cancel.wait()
        return
        yield

    monkeypatch.setattr("swgui.gui.runs.actions.verify", endless)
    choose(page, 0)
    page.buttons["verify"].click()
    named(page, "stopVerifying").click()
    qtbot.waitUntil(lambda: "was stopped" in named(page, "verifyVerdict").text())
