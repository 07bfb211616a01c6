"""Watches in the window: a search is watched, a newer release is found, and its changes are listed."""

import pytest
from PySide6.QtCore import Qt

from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.gui.results.compare.watch_this import WatchThisDialog
from swgui.gui.results.compare.watches import WatchesDialog
from swgui.runs.watches.passing import Outcome
from swgui.runs.watches.record import PassFacts
from tests.asking import BLOSUM62, answer, search_request
from tests.gui.results.test_changes import FAMILY, NEWER, OLDER, fasta, rows_of

PASS = PassFacts(1, "", "db", "", "", 1, 1, -1, 1, 1)


def shown(qtbot, dialog):
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # qtbot deletes it
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.fixture
def result(tmp_path, user_folders):
    request = search_request(
        queries=(SequenceRecord("a query", "", FAMILY),),
        database=fasta(tmp_path / "db.fasta", OLDER),
        scheme=BLOSUM62,
        engine="cpu",
    )
    return answer(request)


def test_a_search_is_watched_from_its_result(result, qtbot, theme, tmp_path, tasks):
    root = tmp_path / "watches"
    rounds = replace(result, search=replace(result.search, iteration=IterationSettings()))
    refused = shown(qtbot, WatchThisDialog(replace(rounds, asked=rounds.search), "rounds", root))
    assert "in rounds, cannot be watched" in refused.status.text()
    assert not refused.button.isEnabled()
    asked = shown(qtbot, WatchThisDialog(result, result.queries[0].query.id, root))
    assert asked.name.text() == "a-query"
    assert asked.button.isEnabled()
    for line, text, said in ((asked.evalue, "many", "no limit of E"), (asked.mail, "no-such-program", "no program")):
        before = line.text()
        line.setText(text)
        asked.add()
        assert said in asked.status.text()
        line.setText(before)
    with qtbot.waitSignal(asked.added) as added:
        asked.add()
    listed = shown(qtbot, WatchesDialog(tasks, root))
    listed.run(*added.args)
    qtbot.waitUntil(lambda: bool(listed.rows) and listed.rows[0].last is not None)
    assert "the watch begins with 4 hits" in listed.status.text()
    assert not listed.panel.isVisible()
    assert listed.note.isVisible()

    fasta(tmp_path / "db.fasta", NEWER)
    listed.pass_button.click()
    qtbot.waitUntil(lambda: listed.rows[0].state is not None and listed.rows[0].state.last == 2)
    assert listed.headline.text().startswith("a-query: 2 gained (2 significant), 2 lost (2 significant)")
    qtbot.waitUntil(lambda: listed.panel.view.rows_model.rowCount() == 4)
    told = rows_of(listed.panel.view)
    assert told["fresh"] == ("gained", "new sequence")
    assert listed.table.rows_model.index(0, 1).data().startswith("2 gained")
    with qtbot.waitSignal(listed.hit_wanted) as wanted:
        listed.panel.chosen.emit(next(at for at, one in enumerate(listed.panel.changes) if one.subject == "fresh"))
    found, query, subject = wanted.args
    assert (query, found.database.ids[subject]) == (0, "fresh")
    with qtbot.waitSignal(listed.saved):
        listed.save_to(tmp_path / "changes.tsv")
    listed.pass_button.click()
    qtbot.waitUntil(lambda: "0 newer releases" in listed.status.text())

    (tmp_path / "db.fasta").unlink()
    listed.pass_button.click()
    qtbot.waitUntil(lambda: "is not there" in listed.status.text() and bool(listed.rows[0].fault))
    assert listed.pass_button.isEnabled()
    assert "is not there" in listed.note.text()
    assert listed.panel.isVisible()  # with the changes of the last pass that was finished
    listed.remove("a-query")
    qtbot.waitUntil(lambda: not listed.rows)
    assert listed.prompt.isVisible()


def test_a_baseline_is_no_newer_release(qtbot, theme, tmp_path, tasks):
    listed = shown(qtbot, WatchesDialog(tasks, tmp_path / "watches"))
    begun, newer = (Outcome(f"{kind} watch", kind, f"{kind} said.", PASS) for kind in ("baseline", "news"))
    for outcomes, said in (
        ([begun, newer], "2 watches: 1 newer release. baseline said."),
        ([begun], "baseline said."),
        ([newer], "1 watch: 1 newer release."),
    ):
        listed.show_outcomes(outcomes)
        assert listed.status.text() == said
