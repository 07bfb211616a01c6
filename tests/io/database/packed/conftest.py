"""Packed files of small blocks, and their twins in the other form."""

import pytest

from swgui.io.database.file import open_database
from swgui.io.database.packed import writer
from swgui.io.database.packed.build import save_packed


@pytest.fixture
def small_blocks(monkeypatch):
    """Make blocks of a few hundred residues, in all that is written."""

    def limit(residues=700, sequences=50):
        limits = writer.PackedWriter.__init__.__kwdefaults__
        monkeypatch.setitem(limits, "block_residues", residues)
        monkeypatch.setitem(limits, "block_sequences", sequences)

    limit()
    return limit


@pytest.fixture
def block_by_block(tmp_path, small_blocks):
    """Write a database to a packed file of several blocks, and open that without reading them."""
    small_blocks(9_000, 20)

    def write(database):
        save_packed(database, tmp_path / "packed.swdb")
        packed = open_database(tmp_path / "packed.swdb", in_blocks=True)
        assert len(packed.pieces) > 2
        return packed

    return write
