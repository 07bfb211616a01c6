"""Packed files of small blocks, and their twins in the other form."""

import pytest

from swgui.io.database.packed import writer


@pytest.fixture
def small_blocks(monkeypatch):
    """Make blocks of a few hundred residues, in all that is written."""

    def limit(residues=700, sequences=50):
        limits = writer.PackedWriter.__init__.__kwdefaults__
        monkeypatch.setitem(limits, "block_residues", residues)
        monkeypatch.setitem(limits, "block_sequences", sequences)

    limit()
    return limit
