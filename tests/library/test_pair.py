"""``swgui.pair`` and ``swgui.msa``: results as those of the commands, whole or partial."""

from __future__ import annotations

import io
import json
import signal
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import swgui
from swgui.cli import main
from tests.library.conftest import GLOBIN

DNA = "ACGTTGCATTAGCCATGGACTTACGGATCCA" * 4


def test_a_pair_is_aligned_as_the_command_does(tmp_path):
    one, other = tmp_path / "one.fasta", tmp_path / "other.fasta"
    one.write_text(f">one\n{DNA}\n")
    other.write_text(f">other\nTT{DNA[:50]}GGG{DNA[50:]}\n")
    with redirect_stdout(io.StringIO()) as said:
        assert main(["pair", str(one), str(other), "--format", "paf", "--method", "cpu"]) == 0
    pair = swgui.pair(one, other, method="cpu")
    pair.write(tmp_path / "out.paf")
    assert (tmp_path / "out.paf").read_text() == said.getvalue()
    alignment = pair.alignment
    assert pair.score == alignment.score
    assert alignment.counts.gaps == 3
    assert alignment.rows.query.replace("-", "") == DNA[alignment.query_start : alignment.query_end]
    assert alignment.rows.subject.count("-") == 0
    assert "Identities = 124/127" in alignment.text
    assert alignment.text in pair.text
    with pytest.raises(swgui.InvalidParameter, match="would replace it"):
        pair.write(one, "fasta")


def test_strands_and_modes_are_those_of_the_command():
    reverse = DNA[::-1].translate(str.maketrans("ACGT", "TGCA"))
    pair = swgui.pair(reverse, DNA, strand="both", limit=2, min_score=20)
    assert pair.alignment.strand == -1
    assert (pair.alignment.query_start, pair.alignment.query_end) == (0, len(DNA))
    assert len(pair.alignments) == 2
    assert swgui.pair("MKVLWAALLV", "MKVLALLV", mode="global", gap_open=4).score == 28
    alone = swgui.pair(DNA, DNA, score_only=True)
    assert (alone.score, alone.alignments, alone.partial) == (2 * len(DNA), (), False)
    with pytest.raises(swgui.NotFound, match="no alignment"):
        _ = alone.alignment


def test_one_sequence_of_several_is_named():
    several = f">a\n{DNA}\n>b\n{DNA[:40]}\n"
    with pytest.raises(swgui.InvalidParameter, match="2 sequences to be the query"):
        swgui.pair(several, DNA)
    assert swgui.pair(several, DNA, query_id="b").score == 80
    with pytest.raises(swgui.AlphabetMismatch):
        swgui.pair("MKVLWAALLV", DNA)


def test_a_pair_that_is_stopped_is_partial():
    def press(*_):
        signal.raise_signal(signal.SIGINT)

    # the work notices before its first tile; a second press ends all
    pressed = []
    with pytest.warns(swgui.SwguiWarning, match="was stopped"):
        pair = swgui.pair(DNA * 20, DNA * 20, progress=lambda *step: pressed or (pressed.append(step), press()))
    assert pair.partial
    assert "stopped" in repr(pair)


@pytest.fixture
def family(database):
    """Add enough relatives for a profile."""
    with database.open("a") as file:
        for number, swapped in enumerate(("A", "K", "G", "S", "T", "V")):
            file.write(f">rel{number}\n{GLOBIN[:10]}{swapped * 2}{GLOBIN[12:50]}{swapped}{GLOBIN[51:]}\n")
    return database


def test_an_alignment_of_many_is_that_of_the_command(family, tmp_path):
    query = tmp_path / "q.fasta"
    query.write_text(f">q\n{GLOBIN}\n")
    assert main(["msa", "-q", str(query), "-d", str(family), "-o", str(tmp_path / "cli.a3m"), "--iterations", "2"]) == 0
    found = swgui.msa(query, family, iterations=2)
    one = found["q"]
    assert found.write(tmp_path / "lib.a3m") == [tmp_path / "lib.a3m"]
    assert (tmp_path / "lib.a3m").read_bytes() == (tmp_path / "cli.a3m").read_bytes()
    assert one[0] == GLOBIN
    assert one.ids[0] == "q"
    assert len(one) > 5
    assert one.to_array().shape == (len(one), len(GLOBIN))
    assert one.depth.max() == len(one)
    assert np.isnan(one.log10_evalues[0])
    assert one[1:3] == [one[1], one[2]]
    assert next(iter(one.a3m())) == ("q", GLOBIN)
    assert not found.partial
    with pytest.raises(KeyError, match="no alignment of 'r'"):
        found["r"]
    with pytest.raises(swgui.InvalidParameter, match="ending"):
        one.write(tmp_path / "out.txt")


def test_chains_of_a_complex_are_written_as_the_command_does(family, tmp_path):
    other = GLOBIN[::-1]
    with family.open("a") as file:
        for number, taxid in enumerate((9031, 10090, 9913)):
            for chain, residues in (("a", GLOBIN), ("b", other)):
                file.write(f">{chain}{taxid} OS=Animal OX={taxid}\n{residues[:20]}{'AKG'[number]}{residues[21:]}\n")
        file.writelines(f">{name}\n{other[:9]}{name}{other[10:]}\n" for name in "AKGSTV")
    query = tmp_path / "q.fasta"
    query.write_text(f">one\n{GLOBIN}\n>two\n{other}\n")
    command = ["msa", "-q", str(query), "-d", str(family), "-o", str(tmp_path / "cli.csv"), "--iterations", "2"]
    assert main([*command, "--complex", "boltz"]) == 0
    found = swgui.msa(query, family, iterations=2, complex="boltz")
    assert sorted(found.paired.organisms) == ["10090", "9031", "9913"]
    for path in found.write(tmp_path / "lib.csv"):
        assert path.read_bytes() == path.with_name(path.name.replace("lib", "cli")).read_bytes()
    with pytest.raises(swgui.InvalidParameter, match=r"does not end in \.csv"):
        found.write(tmp_path / "out.a3m")
    with pytest.raises(swgui.InvalidParameter, match="two chains or more") as refused:
        swgui.msa({"q": GLOBIN}, family, complex="boltz")
    assert "Leave out complex" in refused.value.hint


def test_rows_of_several_databases_come_together(family, tmp_path):
    more = tmp_path / "more.fasta"
    more.write_text(f">elsewhere\n{GLOBIN[:30]}W{GLOBIN[31:]}\n" + family.read_text())
    alone = swgui.msa({"q": GLOBIN}, family, iterations=2)[0]
    together = swgui.msa({"q": GLOBIN}, [family, swgui.Database(more)], iterations=2)[0]
    assert set(together.ids) - set(alone.ids) == {"elsewhere"}


def test_databases_are_looked_at(database, tmp_path):
    opened = swgui.Database(database)
    assert (len(opened), opened.type, opened.name) == (23, "protein", "few")
    assert opened["P2"].id == opened[1].id == opened.ids[1] == "sp|P2|NEAR"
    assert opened.residues == opened.lengths.sum() == sum(len(record.residues) for record in opened)
    with pytest.raises(swgui.NotFound, match="0 sequences"):
        opened["P9"]
    built = swgui.Database.build(database, tmp_path / "built.swdb")
    assert built.checksum == opened.checksum == swgui.Database.of(database).checksum
    assert swgui.search(GLOBIN, built, top=1)[0].id == "sp|P1|ALPHA"
    assert swgui.search(GLOBIN, {"only": GLOBIN}, top=1)[0].id == "only"


def test_devices_are_those_of_the_command(capsys):
    assert main(["devices", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["engine"] for one in listed] == [one.name for one in swgui.devices()]


def test_notebooks_show_results(family):
    hits = swgui.search({"<q>": GLOBIN, "r": GLOBIN[:30]}, family, top=3)
    shown = hits._repr_html_()
    assert shown.count("<tr>") == 7
    assert "&lt;q&gt;" in shown
    assert "<th>query</th>" in shown
    assert "<th>query</th>" not in hits["r"]._repr_html_()
    assert hits[0].alignment.text.splitlines()[0].strip() in hits[0]._repr_html_()
    assert "<pre>" in hits[0].alignment._repr_html_()
    assert "score" in swgui.pair(DNA, DNA)._repr_html_()
    found = swgui.msa({"q": GLOBIN}, family, iterations=2)
    assert GLOBIN[:20] in found[0]._repr_html_()
    assert "rows" in found._repr_html_()


def test_paths_of_outputs_may_be_texts(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    swgui.search(GLOBIN, database, top=1).write("hits.blast", "6")
    assert Path("hits.blast").read_text().startswith("query\tsp|P1|ALPHA")
