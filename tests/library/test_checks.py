"""``swgui.verify`` and ``swgui.audit``."""

from __future__ import annotations

import pytest

import swgui
from swgui.cli import main
from swgui.core.plain import replace
from tests.library.conftest import GLOBIN, PROTEINS


def test_results_are_computed_again(database, tmp_path):
    hits = swgui.search(GLOBIN, database, top=3, engine="cpu")
    check = swgui.verify(hits)
    assert check
    assert check.sentences[0].startswith(f"All {len(PROTEINS)} scores")
    hits.save(tmp_path / "run.swgui")
    assert swgui.verify(tmp_path / "run.swgui").ok
    (query,) = hits.result.queries
    wrong = replace(query, scores=query.scores + 1)
    damaged = swgui.Hits(replace(hits.result, queries=(wrong,)))
    assert not swgui.verify(damaged)
    assert swgui.verify(swgui.pair(GLOBIN, PROTEINS["sp|P2|NEAR"], method="cpu")).ok
    found = swgui.cluster({"a": GLOBIN, "b": GLOBIN}, engine="cpu")
    assert swgui.verify(found).sentences[0].endswith("nothing differs.")
    with pytest.raises(swgui.SwguiError):
        swgui.verify(tmp_path / "no.swgui")


def test_certificates_are_checked_as_by_the_command(tmp_path, capsys):
    files = [tmp_path / name for name in ("q.fasta", "d.fasta", "c.json", "places.tsv", "leak.json")]
    query, database, claim, table, leak = map(str, files)
    files[0].write_text(f">q\n{GLOBIN[:12]}\n")
    files[1].write_text("".join(f">{name}\n{residues}\n" for name, residues in PROTEINS.items()))
    rule = ["rule", "peptides", "-q", query, "-d", database, "--mismatches", "2"]
    assert main([*rule, "--certificate", claim, "-o", table]) == 0
    assert main(["leak", database, query, "--certificate", leak, "-o", table, "--engine", "cpu"]) == 0
    for file, more in ((claim, []), (claim, ["--full"]), (leak, ["--full"])):
        capsys.readouterr()
        assert main(["verify", file, *more, "--engine", "cpu"]) == 0
        check = swgui.verify(file, full=bool(more), engine="cpu")
        assert check
        assert list(check.sentences) == capsys.readouterr().out.splitlines()
    files[2].write_text(files[2].read_text().replace('"mismatches": 2', '"mismatches": 1'))
    check = swgui.verify(claim, database=database, full=True)
    assert not check
    assert "it was written" in " ".join(check.sentences)
    places = swgui.rule("peptides", GLOBIN[:12], database, mismatches=2)
    assert swgui.verify(places, full=True)
    assert len(places) > 0


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
