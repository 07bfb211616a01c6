"""A table of the user's own on the Results page: its columns are shown, sorted by, filtered and exported."""

import pytest

from swgui.gui.hits.arrange import HitFilter, Range, Sorting
from swgui.gui.hits.columns import BY_KEY
from swgui.io.export import HIT_COLUMNS, ExportOptions, save_hits
from swgui.jobs.search.describe import describe


@pytest.fixture
def columns():
    """Columns are those of before after the test."""
    kept = [(columns, dict(columns)) for columns in (HIT_COLUMNS, BY_KEY)]
    yield
    for columns, before in kept:
        columns.clear()
        columns.update(before)


def test_columns_of_a_table_are_shown_sorted_filtered_and_exported(page, columns, qtbot, tasks, tmp_path):
    page.hits.filters_button.setChecked(True)
    messages = []
    page.message.connect(messages.append)
    data = page.hits.data
    ids = [data.result.database.ids[data.subject(row)] for row in range(len(data))]
    own = tmp_path / "own.csv"
    own.write_text(f"accession,mass,fold,length\n{ids[1]},20.5,kinase,7\n{ids[3]},7.25,Lyase,8\n")
    page.own.add(own)
    qtbot.waitUntil(lambda: tasks.idle and len(messages) > 1)
    assert messages[-1].startswith(f"own.csv: 2 of {len(ids)} names")
    assert page.hits.table.shown_keys()[-3:] == ["mass", "fold", "length_2"]
    assert [data.text(row, BY_KEY["mass"]) for row in (1, 3)] == ["20.50", "7.25"]
    assert [data.text(row, BY_KEY["fold"]) for row in (0, 1, 3)] == ["", "kinase", "Lyase"]
    page.hits.sort_by(Sorting("mass"))
    assert page.hits.model.rows[:2].tolist() == [3, 1]
    page.hits.sort_by(Sorting("fold"))
    assert page.hits.model.rows[:2].tolist() == [1, 3]
    page.hits.set_filter(HitFilter(text="LYASE"))
    assert page.hits.model.rows.tolist() == [3]
    row = page.filters.rows["mass"]
    page.hits.set_filter(HitFilter())
    row.low.setText("10")
    row.low.editingFinished.emit()
    assert page.hits.filter.range("mass") == Range("mass", low=10)
    assert page.hits.model.rows.tolist() == [1]
    assert page.hits.filter.chips() == [("mass", "mass ≥ 10.00")]
    hits = describe([(data.listed, [1])], align=False, fit=False)
    save_hits(tmp_path / "h.csv", "csv", data.result, hits, ExportOptions(columns=("sseqid", "mass", "fold")))
    assert (tmp_path / "h.csv").read_text().splitlines() == ["sseqid,mass,fold", f"{ids[1]},20.50,kinase"]


def test_a_file_that_is_no_table_gives_a_sentence(page, qtbot, tasks, tmp_path):
    messages = []
    page.message.connect(messages.append)
    (tmp_path / "own.csv").write_text("a,b\n1,2\n")
    page.own.add(tmp_path / "own.csv")
    qtbot.waitUntil(lambda: tasks.idle and len(messages) > 1)
    assert "it has a, b." in messages[-1]
