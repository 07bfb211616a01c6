"""Columns of hits whose query and subject have coordinates, from files of structures to a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from swgui.cli import main

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"


def moved(line: str) -> str:
    """Return an atom turned about x and shifted, those of residues 11 to 20 by 3 Å more than others."""
    if not line.startswith("ATOM"):
        return line
    x, y, z = (float(line[at : at + 8]) for at in (30, 38, 46))
    further = 3.0 * (int(line[22:26]) > 10)
    return f"{line[:30]}{x + 5 + further:8.3f}{-z:8.3f}{y - 7:8.3f}{line[54:]}"


def test_figures_of_shape_stand_in_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = TRP_CAGE.read_text("ascii")
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "moved.pdb").write_text("\n".join(map(moved, text.splitlines())))
    (folder / "same.pdb").write_text(text)
    out = tmp_path / "models.swdb"
    assert main(["makedb", "--structures", str(folder), "-o", str(out)]) == 0
    capsys.readouterr()
    columns = "sseqid,rmsd,qtmscore,stmscore,lddt"
    asked = ["--format", "tsv", "--columns", columns, "--evalue", "1000", "--engine", "cpu", "--max-hsps", "1"]
    assert main(["search", "-q", str(TRP_CAGE), "-d", str(out), *asked]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == columns.replace(",", "\t")
    found = {line.split("\t")[0]: [float(value) for value in line.split("\t")[1:]] for line in lines}
    rmsd, by_query, by_subject, lddt = found["same"]
    assert rmsd < 0.01
    assert (by_query, by_subject, lddt) == pytest.approx((1, 1, 1), abs=0.003)
    rmsd, by_query, by_subject, lddt = found["moved"]
    assert 0.5 < rmsd < 1.5  # halves of 10 residues that are shifted by 3 Å: at most 1.5
    assert 0.4 < by_query < 1
    assert by_query == by_subject
    assert 0.5 < lddt < 1

    saved = tmp_path / "found.swgui"
    assert main(["search", "-q", str(TRP_CAGE), "-d", str(out), *asked, "--save", str(saved)]) == 0
    before = capsys.readouterr().out
    out.rename(tmp_path / "elsewhere.swdb")  # or it would be looked into
    (tmp_path / "elsewhere.swdb").write_bytes(b"")
    assert main(["show", str(saved), "--format", "tsv", "--columns", columns]) == 0
    assert capsys.readouterr().out == before


def test_queries_without_places_have_no_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "same.pdb").write_bytes(TRP_CAGE.read_bytes())
    out = tmp_path / "models.swdb"
    assert main(["makedb", "--structures", str(folder), "-o", str(out)]) == 0
    fasta = tmp_path / "query.fasta"
    fasta.write_text(">bare\nNLYIQWLKDGGPSSGRPPPS\n")
    capsys.readouterr()
    columns = "sseqid,rmsd,qtmscore,stmscore,lddt"
    asked = ["--format", "tsv", "--columns", columns, "--engine", "cpu", "--evalue", "1000"]
    assert main(["search", "-q", str(fasta), "-d", str(out), *asked]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t")[1:] == [""] * 4
