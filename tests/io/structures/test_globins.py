"""Globins of SCOP among barrels and reversed chains: residues and shape together find all of them first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.plain import replace
from swgui.core.records import Letters, SequenceRecord
from swgui.io.database.build import build_from_records
from swgui.io.database.file import open_database
from tests.conftest import real_data


def backwards(record: SequenceRecord) -> SequenceRecord:
    assert record.letters is not None
    letters = Letters(record.letters.alphabet, record.letters.text[::-1])
    return replace(record, id=f"reversed_{record.id}", residues=record.residues[::-1], letters=letters, places=b"")


@pytest.mark.data
def test_every_globin_is_above_both_barrels_and_whatever_is_reversed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    structures = real_data() / "structures"
    if not structures.is_dir():
        pytest.skip(f"no structures in {real_data()}")
    forwards = tmp_path / "forwards.swdb"
    assert main(["makedb", "--structures", str(structures), "-o", str(forwards)]) == 0
    database = open_database(forwards)
    records = [database.record(row) for row in range(len(database))]
    both = tmp_path / "both.swdb"
    build_from_records([*records, *map(backwards, records)], both, alphabet=PROTEIN)
    assert len(records) == 30
    capsys.readouterr()
    query = structures / "d1asha_.pdb.gz"
    asked = ["--format", "tsv", "--columns", "sseqid", "--engine", "cpu", "--max-hsps", "1", "--evalue", "1e6"]
    assert main(["search", "-q", str(query), "-d", str(both), *asked]) == 0
    found = capsys.readouterr().out.split()[1:]
    globins = {path.name.split(".")[0] for path in structures.iterdir() if re.match(r"d\w+\.pdb\.gz", path.name)}
    assert len(globins) == 26
    assert set(found[:26]) == globins
    assert found[26:]  # and the others are there, too
