"""A result of which a part is missing: what says so, and how it is completed."""

from swgui.core.plain import replace
from swgui.gui.results.queries import NOT_WHOLE
from swgui.gui.results.summary import PARTLY
from tests.gui.made_results import make_result


def partial_result():
    """Return a stopped run whose first query was scored with every subject, the others with two."""
    result, _ = make_result(state="stopped")
    whole = len(result.database)
    queries = [replace(query, subjects_scored=2 if at else whole) for at, query in enumerate(result.queries)]
    return replace(result, queries=tuple(queries), run_id="20260301-120000-abcde123")


def test_the_banner_counts_complete_queries_and_resumes(page, qtbot):
    assert not page.header.resume_button.isVisible()
    page.show_result(partial_result())
    assert f"complete: 1 of 3; the others have a {PARTLY}" in page.header.note_text.text()
    with qtbot.waitSignal(page.header.resume_wanted) as wanted:
        page.header.resume_button.click()
    assert wanted.args == ["20260301-120000-abcde123"]
    assert not page.header.resume_button.isEnabled()  # it is on its way
    page.show_result(replace(partial_result(), run_id=""))  # of a file: there is nothing to resume
    assert not page.header.resume_button.isVisible()


def test_queries_that_are_not_complete_are_marked(page):
    page.show_result(partial_result())
    model = page.queries.model
    tips = [model.index(row, 0).data(3) for row in range(3)]  # Qt.ItemDataRole.ToolTipRole
    assert [NOT_WHOLE in tip for tip in tips] == [False, True, True]
