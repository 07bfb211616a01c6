"""A database of a few globins and others, and a library that holds nothing open before and after a test."""

from __future__ import annotations

import pytest

import swgui

GLOBIN = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHG"
PROTEINS = {
    "sp|P1|ALPHA": GLOBIN,
    "sp|P2|NEAR": GLOBIN.replace("KTNVKAAW", "KANIKATW"),
    "sp|P3|GAPPED": GLOBIN[:25] + "WW" + GLOBIN[25:],
    **{f"other{i}": ("ACDEFGHIKLMNPQRSTVWY" * 4)[i : i + 40 + i] for i in range(20)},
}


@pytest.fixture(autouse=True)
def nothing_open(user_folders):
    yield
    swgui.close()


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "few.fasta"
    path.write_text("".join(f">{name} of the test\n{residues}\n" for name, residues in PROTEINS.items()))
    return path
