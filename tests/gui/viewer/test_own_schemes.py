"""Colour schemes of one's own are files, and what is remembered between sessions."""

import json
import shutil

from swgui import settings as store
from swgui.gui.results.page import ResultsPage
from swgui.gui.viewer.residues.schemes import own_folder, own_schemes
from swgui.paths import resources_dir
from swgui.settings import ResultsSettings


def test_schemes_of_ones_own_are_listed_and_what_is_wrong_with_others_is_said(user_folders):
    own_folder().mkdir(parents=True)
    shutil.copy(resources_dir() / "color_schemes" / "zappo.json", own_folder() / "mine.json")
    (own_folder() / "broken.json").write_text("{")
    schemes, problems = own_schemes()
    assert [scheme.key for scheme in schemes] == ["own:mine"]
    assert len(problems) == 1
    assert "broken.json" in problems[0]


def test_a_scheme_from_a_file_is_used_and_remembered(page, qtbot, tasks, made, tmp_path):
    kept = ResultsSettings()
    page.use_settings(kept)
    content = json.loads((resources_dir() / "color_schemes" / "safe_7.json").read_text())
    (tmp_path / "Loud.json").write_text(json.dumps({**content, "title": "Loud"}))
    page.alignment.scheme_box.load(tmp_path / "Loud.json")
    qtbot.waitUntil(lambda: page.alignment.rows.scheme.title == "Loud")
    page.hits.table.columns_chosen.emit(["tick", "rank", "score", "nident"])
    assert kept == ResultsSettings(["tick", "rank", "score", "nident"], {"wrapped": "own:Loud"})
    store.save(store.Settings(results=kept))
    later = ResultsPage(tasks, describe=made.describe)
    qtbot.addWidget(later)
    later.use_settings(store.load().results)
    later.show_result(made.result)
    qtbot.waitUntil(lambda: tasks.idle)
    assert later.alignment.scheme_box.currentText() == "Loud"
    assert later.hits.table.shown_keys() == ["tick", "rank", "score", "nident"]


def test_forgotten_schemes_and_columns_do_no_harm(page):
    page.use_settings(ResultsSettings(["gone"], {"wrapped": "own:gone", "nothing": "x"}))
    assert page.alignment.scheme_box.currentData() == "similarity"
    assert {"evalue", "verdict"} <= set(page.hits.table.shown_keys())
