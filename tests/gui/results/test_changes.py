"""Changes since then: a run compared with a newer release of its database, in the window."""

import pytest
from PySide6.QtCore import Qt

from swgui.core.records import SequenceRecord
from swgui.gui.results.compare.changes import ChangesDialog
from tests.asking import BLOSUM62, answer, search_request

FAMILY = b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQTLSEQVQEELLSSQVTQELRALMDETMKELKAYKSELEEQL"
OLDER = {
    "stays": FAMILY, "goes": FAMILY[5:], "renamed": FAMILY[9:90], "changed": FAMILY[:80], "other": b"PPGPPGPPGQPG" * 5,
}  # fmt: skip
NEWER = {
    "stays": FAMILY, "new name": FAMILY[9:90], "changed": FAMILY[:50], "other": OLDER["other"], "fresh": FAMILY[20:],
}  # fmt: skip


def fasta(path, sequences):
    path.write_bytes(
        b"".join(b">%s a protein\n%s\n" % (name.replace(" ", "_").encode(), s) for name, s in sequences.items())
    )
    return path


@pytest.fixture
def dialog(qtbot, theme, tmp_path, user_folders, tasks):
    request = search_request(
        queries=(SequenceRecord("q", "", FAMILY),),
        database=fasta(tmp_path / "older.fasta", OLDER),
        scheme=BLOSUM62,
        engine="cpu",
        max_evalue=1e-3,
    )
    result = answer(request)
    made = ChangesDialog(tasks, result)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # qtbot deletes it
    qtbot.addWidget(made)
    made.show()
    return made


def rows_of(view):
    model = view.rows_model
    return {
        model.index(row, 3).data().strip(): tuple(model.index(row, column).data().strip() for column in (0, 2))
        for row in range(model.rowCount())
    }


def test_what_changed_is_told_with_its_cause(dialog, qtbot, tmp_path):
    assert not dialog.save_button.isEnabled()
    assert not dialog.view.isVisible()
    dialog.open_file(fasta(tmp_path / "newer.fasta", NEWER))
    qtbot.waitUntil(lambda: dialog.found is not None)
    assert (
        dialog.headline.text() == "2 gained (2 significant), 2 lost (2 significant), 1 moved, 1 with another E alone."
    )
    assert "2 sequences of 5 searched; 2 of the older are gone" in dialog.file_name.text()
    qtbot.waitUntil(lambda: dialog.view.rows_model.rowCount() == 4)  # those that moved are hidden at first
    assert [told[0] for told in rows_of(dialog.view).values()] == ["gained", "gained", "lost", "lost"]
    dialog.kinds.button(2).setChecked(True)
    qtbot.waitUntil(lambda: dialog.view.rows_model.rowCount() > 4)
    told = rows_of(dialog.view)
    assert told["goes"] == ("lost", "removed")
    assert told["renamed"] == ("lost", "renamed")
    assert told["new_name"] == ("gained", "renamed")
    assert told["fresh"] == ("gained", "new sequence")
    assert told["changed"] == ("moved", "changed sequence")
    dialog.kinds.button(2).setChecked(False)
    qtbot.waitUntil(lambda: dialog.view.rows_model.rowCount() == 4)
    path = tmp_path / "changes.tsv"
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(path)
    assert len(path.read_text().splitlines()) == len(dialog.found.changes) + 1
    with qtbot.waitSignal(dialog.hit_wanted) as wanted:
        dialog.view.setCurrentIndex(dialog.view.rows_model.index(0, 0))
        qtbot.keyClick(dialog.view, Qt.Key.Key_Return)
    run, query, subject = wanted.args
    assert (dialog.found.before, dialog.found.now)[run - 1].queries[query].hits.db_index.tolist().count(subject) == 1
    before = dialog.found
    dialog.open_file(fasta(tmp_path / "third.fasta", {name: NEWER[name] for name in list(NEWER)[:4]}))
    qtbot.waitUntil(lambda: dialog.found is not before)
    assert dialog.found.count("moved")
    qtbot.waitUntil(
        lambda: dialog.view.rows_model.rowCount() == dialog.found.count("gained") + dialog.found.count("lost")
    )


def test_what_is_no_database_is_refused_in_words(dialog, qtbot, tmp_path):
    dialog.open_file(tmp_path / "nowhere.swdb")
    qtbot.waitUntil(lambda: "nowhere.swdb" in dialog.status.text())
    assert dialog.choose.isEnabled()
    assert not dialog.save_button.isEnabled()


def test_large_text_beside_the_file_is_whole(dialog, qtbot, tmp_path, theme):
    theme.use("light", 200)
    dialog.open_file(fasta(tmp_path / "newer.fasta", NEWER))
    qtbot.waitUntil(lambda: dialog.found is not None)
    said = dialog.file_name
    qtbot.waitUntil(lambda: said.height() >= said.heightForWidth(said.width()))
