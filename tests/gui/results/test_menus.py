"""Context menus of hits and columns."""

import pytest
from PySide6.QtGui import QGuiApplication

from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit import browser


@pytest.fixture
def entry(page):
    """Trigger an entry of the menu of a cell."""

    def trigger(name, row=0, key="sseqid"):
        menu = page.menus.hit_menu(page.hits.data, row, BY_KEY[key])
        action = next(a for a in menu.actions() if a.objectName() == f"menu-{name}")
        assert action.isEnabled()
        action.trigger()
        menu.deleteLater()

    return trigger


def test_copying(page, entry, qtbot):
    clipboard = QGuiApplication.clipboard()
    entry("copy-cell", 0, "organism")
    assert clipboard.text() == "Homo sapiens"
    entry("copy-down", 2)
    qtbot.waitUntil(lambda: clipboard.text().count("\n") == 3)
    assert clipboard.text().splitlines()[0] == "P02768"


def test_selecting_and_ticking_down(page, entry):
    entry("select-down", 2)
    assert page.hits.table.selected_rows().tolist() == [0, 1, 2]
    assert page.hits.table.current_hit_row() == 2
    entry("tick", 2)
    assert page.hits.data.marked("ticked").nonzero()[0].tolist() == [0, 1, 2]


def test_a_network_is_of_the_selected_hits_or_of_all_that_are_shown(page, entry):
    asked = []
    page.network_wanted.connect(lambda give, _name: asked.append(give().ids))
    page.output.make_network()
    entry("select-down", 2)
    page.output.make_network()
    data = page.hits.data
    for ids, rows in zip(asked, (range(len(data)), range(3)), strict=True):
        hits = [data.result.database.ids[index] for index in data.subjects(rows)]
        assert list(ids) == list(dict.fromkeys([data.query.id, *hits]))


def test_filter_by_organism(page, entry):
    row = next(r for r in range(5) if page.hits.data.header(r).organism == "Rattus norvegicus")
    entry("only-organism", row)
    assert page.hits.filter.chips() == [("organisms", "Rattus norvegicus")]
    assert page.hits.model.rows.tolist() == [row]


def test_new_query_and_entry_page(page, entry, qtbot, monkeypatch):
    with qtbot.waitSignal(page.query_wanted) as wanted:
        entry("new-query")
    assert wanted.args[0] == page.result.database.record(0)
    opened = []
    monkeypatch.setattr(browser.QDesktopServices, "openUrl", opened.append)
    entry("open-entry")
    assert opened[0].toString() == "https://www.uniprot.org/uniprotkb/P02768/entry"
    menu = page.menus.hit_menu(page.hits.data, 0, BY_KEY["score"])
    more = next(a.menu() for a in menu.actions() if a.menu() is not None)
    assert [action.text() for action in more.actions()][:2] == ["InterPro", "AlphaFold DB"]
    more.actions()[1].trigger()
    assert [url.toString() for url in opened[1:]] == ["https://alphafold.ebi.ac.uk/entry/P02768"]
    menu.deleteLater()
    unknown = next(r for r in range(5) if page.hits.data.header(r).name == "contig_7")
    menu = page.menus.hit_menu(page.hits.data, unknown, BY_KEY["score"])
    enabled = {a.objectName(): a.isEnabled() for a in menu.actions()}
    assert not enabled["menu-open-entry"]
    assert not enabled["menu-only-organism"]
    menu.deleteLater()


def test_column_menu(page):
    def trigger(name, key):
        menu = page.menus.column_menu(BY_KEY[key])
        next(a for a in menu.actions() if a.objectName() == f"menu-{name}").trigger()
        menu.deleteLater()

    trigger("sort-descending", "slen")
    assert page.hits.model.sorting == Sorting("slen", descending=True)
    trigger("sort-rank", "slen")
    assert page.hits.model.sorting == Sorting()
    trigger("hide-column", "organism")
    assert "organism" not in page.hits.table.shown_keys()
    trigger("filter", "score")
    assert page.filters.isVisible()
