"""``swgui.verify`` and ``swgui.audit``."""

from __future__ import annotations

import pytest

import swgui
from swgui.core.plain import replace
from tests.library.conftest import GLOBIN, PROTEINS


def test_results_are_computed_again(database, tmp_path):
    hits = swgui.search(GLOBIN, database, top=3, engine="cpu")
    check = swgui.verify(hits)
    assert check
    assert check.sentences[0].startswith(f"All {len(PROTEINS)} scores are the same")
    hits.save(tmp_path / "run.swgui")
    assert swgui.verify(tmp_path / "run.swgui").ok
    (query,) = hits.result.queries
    wrong = replace(query, scores=query.scores + 1)
    damaged = swgui.Hits(replace(hits.result, queries=(wrong,)))
    assert not swgui.verify(damaged)
    assert swgui.verify(swgui.pair(GLOBIN, PROTEINS["sp|P2|NEAR"], method="cpu")).ok
    found = swgui.cluster({"a": GLOBIN, "b": GLOBIN}, engine="cpu")
    assert swgui.verify(found).sentences == ("All was computed again, and nothing differs.",)
    with pytest.raises(swgui.SwguiError):
        swgui.verify(tmp_path / "no.swgui")


def test_a_table_is_compared_with_the_exact_hits(database, tmp_path):
    hits = swgui.search({"one": GLOBIN}, database, top=3, engine="cpu")
    table = tmp_path / "blast.tsv"
    hits[:2].write(table, "blast6")
    found = swgui.audit(table, hits)
    assert found.sentences
    rows = found.to_arrays()
    names = next(values.tolist() for values in rows.values() if "sp|P3|GAPPED" in values.tolist())
    assert sorted(names) == ["sp|P1|ALPHA", "sp|P2|NEAR", "sp|P3|GAPPED"]
    assert sorted(next(iter(rows.values())).tolist()) == ["both", "both", "here"]
    with pytest.raises(swgui.InvalidParameter):
        found.write(table)
