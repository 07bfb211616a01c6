"""Work that an earlier run began: its kept state."""

import threading
from dataclasses import replace

import pytest

from swgui.core.pair_result import PairFound, PairProgressed
from swgui.gui.pages import pair_control
from swgui.gui.pages.pair_control import checkpoint_path, forget_old_checkpoints, with_checkpoint
from swgui.pairwise import align_pair
from tests.gui.test_pair_page.conftest import fill, known, plans, related


def test_work_that_was_begun_goes_on(make_page, qtbot, tmp_path):
    page = make_page()
    fill(page, qtbot, *related())
    request = page.setup.request()
    kept = checkpoint_path(request)
    kept.parent.mkdir(parents=True)
    cancel = threading.Event()
    for event in align_pair(replace(request, checkpoint=kept), cancel):
        if isinstance(event, PairFound | PairProgressed):
            cancel.set()
    if not kept.exists():
        pytest.skip("the pair was aligned before it could be stopped")
    page.refresh()
    qtbot.waitUntil(lambda: page.strip._details.whole_text().startswith("An earlier run"))
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.score == known().score
    assert not kept.exists()


def test_a_kept_state_that_does_not_fit_is_no_obstacle(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, *related())
    kept = checkpoint_path(page.setup.request())
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"not a state at all")
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.state == "finished"
    assert page.result.score == known().score
    assert not kept.exists()


def test_only_long_work_keeps_its_state_and_each_work_its_own(make_page, qtbot, user_folders):
    page = make_page(plan=plans)
    fill(page, qtbot, *related())
    request = page.setup.request()
    assert with_checkpoint(request, 1.0).checkpoint is None
    assert with_checkpoint(request, None).checkpoint is None
    kept = with_checkpoint(request, 100.0).checkpoint
    assert kept.parent.is_dir()
    assert kept.is_relative_to(user_folders["data"])
    assert checkpoint_path(request) == kept
    assert checkpoint_path(replace(request, strand="plus")) != kept
    assert checkpoint_path(replace(request, subject=request.query)) != kept
    assert checkpoint_path(replace(request, limit=2)) != kept
    kept.write_bytes(b"old")
    forget_old_checkpoints()
    assert kept.exists()


def test_old_states_are_deleted(monkeypatch, user_folders):
    folder = user_folders["data"] / "pairs"
    folder.mkdir(parents=True)
    (folder / "x.pair").write_bytes(b"old")
    monkeypatch.setattr(pair_control.time, "time", lambda: 4e9)
    forget_old_checkpoints()
    assert not (folder / "x.pair").exists()
