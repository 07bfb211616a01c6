"""Hits filtered by organism, the best of each, and what organisms the significant ones are of."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from swgui.core.organisms.subjects import SubjectOrganisms, describe_hits
from swgui.core.organisms.tree import LINEAGE
from swgui.core.plain import replace
from swgui.gui.hits.arrange import HitFilter, Sorting, arrange
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.io.export.columns import HIT_COLUMNS
from tests.core.organisms.made import TREE
from tests.described import describe_hits as describe


def shown(data, **wanted):
    rows = arrange(data, Sorting(), HitFilter(**wanted))
    return [data.text(row, BY_KEY["organism"]) for row in rows.tolist()]


def with_tree(result):
    """Return a result whose database stores organisms: the human albumins, E. coli for the one of none."""
    names, taxids = ("Homo sapiens", "Escherichia coli K-12"), np.array([9606, 83333], dtype=np.int32)
    stored = SubjectOrganisms(np.array([0, -1, 0, 1, -1, -1], dtype=np.int32), names, taxids, TREE)
    return replace(result, database=replace(result.database, stored_organisms=stored))


def test_filters_by_organism_and_the_best_of_each(made):
    data = HitData(made.result.hit_list(0))
    assert sorted(shown(data)) == ["", "Homo sapiens", "Homo sapiens", "Mus musculus", "Rattus norvegicus"]
    assert shown(data, organisms=("Homo sapiens",)) == ["Homo sapiens"] * 2
    assert sorted(shown(data, organisms=("Mus musculus", "Rattus norvegicus"))) == ["Mus musculus", "Rattus norvegicus"]
    assert shown(data, organisms=("Nobody",)) == []
    best = arrange(data, Sorting(), HitFilter(best_of_organism=True)).tolist()
    assert sorted(shown(data, best_of_organism=True)) == ["", "Homo sapiens", "Mus musculus", "Rattus norvegicus"]
    humans = arrange(data, Sorting(), HitFilter(organisms=("Homo sapiens",))).tolist()
    assert min(humans) in best
    assert max(humans) not in best
    data.marks.change("hidden", 0, data.subjects([min(humans)]), True)  # then the next one is the best shown
    assert max(humans) in arrange(data, Sorting(), HitFilter(best_of_organism=True)).tolist()


def test_chips_of_organisms():
    names = ("Homo sapiens", "Escherichia coli (strain K12)", "Mus musculus")
    wanted = HitFilter(organisms=names, best_of_organism=True)
    assert wanted.chips() == [
        ("organisms", "Homo sapiens, Escherichia coli and 1 more"), ("best_of_organism", "best hit of each organism")
    ]  # fmt: skip
    assert wanted.without("organisms").without("best_of_organism") == HitFilter()
    assert HitFilter(best_of_organism=True)
    assert HitFilter(organisms=names)


def test_ranks_are_columns_where_the_database_has_a_tree(made):
    result = with_tree(made.result)
    data = HitData(result.hit_list(0))
    row = data.hits.db_index.tolist().index(3)
    assert data.text(row, BY_KEY["organism"]) == "Escherichia coli K-12"
    assert data.text(row, BY_KEY["taxid"]) == "83333"
    assert [data.text(row, BY_KEY[rank]) for rank in LINEAGE] == [
        "Bacteria", "", "Pseudomonadota", "", "", "", "Escherichia", "Escherichia coli"
    ]  # fmt: skip
    (hit,) = describe(result, 0, [row], align=False)
    assert HIT_COLUMNS["genus"].text(hit) == "Escherichia"
    (bare,) = describe(made.result, 0, [0], align=False)
    assert (HIT_COLUMNS["organism"].text(bare), HIT_COLUMNS["genus"].text(bare)) == ("Homo sapiens", "")
    assert arrange(data, Sorting("genus"), HitFilter()).tolist()[0] == data.hits.db_index.tolist().index(3)


@pytest.mark.parametrize(
    ("of", "text"),
    [
        ([], ""),
        ([-1, -1], ""),
        ([0], "Homo sapiens"),
        ([0, 0, -1], "Homo sapiens (1 of no known one)"),
        ([0, 1], "2 organisms; last common ancestor: Mammalia (class)"),
        ([0, 2, 2], "2 organisms; last common ancestor: cellular organisms"),
        ([0, 3], "2 organisms; last common ancestor: Homo sapiens (species)"),  # in no tree
    ],
)
def test_significant_hits_in_a_sentence(of, text):
    names = ("Homo sapiens", "Mus musculus", "Escherichia coli", "Unheard of")
    taxids = np.array([9606, 10090, 562, 0], dtype=np.int32)
    organisms = SubjectOrganisms(np.array(of, dtype=np.int32), names, taxids, TREE)
    assert describe_hits(organisms) == text
    assert "ancestor" not in describe_hits(replace(organisms, tree=None))


def test_the_list_of_organisms_filters(page, qtbot, tasks):
    page.hits.filters_button.setChecked(True)
    chooser = page.filters.organisms
    qtbot.waitUntil(lambda: tasks.idle and chooser.list.count() == 3)
    assert chooser.list.item(0).text() == "2   Homo sapiens"
    chooser.list.item(0).setCheckState(Qt.CheckState.Checked)
    assert page.hits.filter.organisms == ("Homo sapiens",)
    assert len(page.hits.model.rows) == 2
    chooser.search.setText("mus")
    assert [chooser.list.item(at).text() for at in range(chooser.list.count())] == ["1   Mus musculus"]
    chooser.list.item(0).setCheckState(Qt.CheckState.Checked)
    assert len(page.hits.model.rows) == 3
    page.hits.clear_filter()
    assert chooser.list.item(0).checkState() == Qt.CheckState.Unchecked
    page.filters.boxes["best_of_organism"].setChecked(True)
    assert page.hits.filter == HitFilter(best_of_organism=True)
    assert len(page.hits.model.rows) == 4


def test_organisms_of_significant_hits_stand_above_the_table(page, made, qtbot, tasks):
    qtbot.waitUntil(lambda: tasks.idle)
    assert page.hits.of_organisms.whole_text().endswith("from 3 organisms (1 of no known one)")
    page.set_significance(-1000.0)
    qtbot.waitUntil(lambda: tasks.idle)
    assert page.hits.of_organisms.isHidden()
    page.show_result(with_tree(made.result))
    page.set_significance(10.0)
    qtbot.waitUntil(lambda: tasks.idle)
    assert page.hits.of_organisms.whole_text().endswith("last common ancestor: cellular organisms")
