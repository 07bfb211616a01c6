"""Projects in the window: made, opened, filled, packed and closed; the list of runs is the project's meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QInputDialog

from swgui import paths
from swgui.io.marks import Mark
from swgui.runs.projects.folder import Project
from swgui.settings import Settings

DATA = Path(__file__).parents[2] / "data" / "saved_by_0_2"


def answer(monkeypatch, asks, name):
    monkeypatch.setattr(QFileDialog, asks, lambda *_args, **_options: (str(name), ""))


@pytest.fixture
def saved(tmp_path):
    for name in ("proteins.swgui", "proteins.swdb"):
        shutil.copy(DATA / name, tmp_path)
    return tmp_path / "proteins.swgui"


def test_a_project_is_made_filled_sent_closed_and_opened_again(
    make_window, saved, tmp_path, monkeypatch, qtbot, user_folders
):
    settings = Settings()
    window = make_window(settings)
    listed = window.history.of("search").take_file(saved)
    window.runs_page.refresh()
    qtbot.waitUntil(lambda: len(window.runs_page.records) == 1)
    assert not window.actions_table["project-pack"].isEnabled()

    answer(monkeypatch, "getSaveFileName", tmp_path / "globins")
    window.actions_table["project-new"].trigger()
    assert window.windowTitle() == "globins – swgui"
    qtbot.waitUntil(lambda: not window.runs_page.records)
    monkeypatch.setattr(
        QFileDialog, "getOpenFileNames", lambda *_args: ([str(saved), str(tmp_path / "proteins.swdb")], "")
    )
    window.actions_table["project-add"].trigger()
    qtbot.waitUntil(lambda: len(window.runs_page.records) == 1)
    (record,) = window.runs_page.records
    assert record.id != listed
    window.runs_page.table.selectRow(0)
    window.runs_page.star_selected()
    window.runs_page.marks.write(record.id, "the first", "runs")
    (row,) = window.runs_page.table.runs.rows
    assert row.mark == Mark(True, "the first")

    packed = tmp_path / "globins.zip"
    answer(monkeypatch, "getSaveFileName", packed)
    monkeypatch.setattr(QInputDialog, "getItem", lambda *args: (args[3][1], True))  # with the databases
    window.actions_table["project-pack"].trigger()
    qtbot.waitUntil(packed.is_file)
    project = Project(tmp_path / "globins")
    assert project.marks.runs == {record.id: Mark(True, "the first")}

    window.actions_table["project-close"].trigger()
    qtbot.waitUntil(lambda: [one.id for one in window.runs_page.records] == [listed])
    assert window.windowTitle() == "swgui"
    assert not window.runs_page.marks.book
    ((name, _, opens),) = window.projects.recent()
    assert name == "globins"
    opens()
    assert paths.project_dir() == project.folder
    window.close()
    assert paths.project_dir() is None
    assert settings.recent.project == str(project.folder)

    again = make_window(settings)
    again.projects.begin()
    assert again.windowTitle() == "globins – swgui"
    answer(monkeypatch, "getOpenFileName", packed)
    answer(monkeypatch, "getSaveFileName", tmp_path / "received")
    again.actions_table["project-unpack"].trigger()
    qtbot.waitUntil(
        lambda: again.windowTitle() == "received – swgui" or again.projects.project.folder.name == "received"
    )
    qtbot.waitUntil(lambda: [one.name for one in again.runs_page.records] == ["proteins"])
    assert again.projects.project.files()[0].place is not None


def test_a_project_that_is_gone_is_named_and_the_window_begins_without_it(make_window, tmp_path, user_folders):
    settings = Settings()
    settings.recent.project = str(tmp_path / "gone")
    window = make_window(settings)
    window.projects.begin()
    assert "is no project" in window.notifications.messages[-1].text
    assert settings.recent.project == ""
    assert window.windowTitle() == "swgui"
