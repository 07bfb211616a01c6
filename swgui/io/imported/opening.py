"""Opening sources of sequences of every kind: files of text, and databases of other programs."""

from __future__ import annotations

import os

from swgui.io.imported.blast import find_blast_database
from swgui.io.imported.diamond import DiamondSource, find_diamond_database
from swgui.io.imported.mmseqs_place import find_mmseqs_database
from swgui.io.imported.parquet import USUAL, Columns, ParquetSource, find_parquet_file
from swgui.io.sequences.record_source import RecordSource
from swgui.io.sequences.sources import TextSource, open_file


def open_source(path: str | os.PathLike[str], columns: Columns = USUAL) -> TextSource | RecordSource:
    """Open a sequence file, or a database of another program.

    Parameters
    ----------
    columns : Columns, optional
        Of Parquet files.

    Raises
    ------
    SequenceError, DatabaseError
        If it cannot be read.
    """
    if (blast := find_blast_database(path)) is not None:
        from swgui.io.imported.blast_source import BlastSource  # here and below: most sources are files of text

        return BlastSource(blast)
    if (mmseqs := find_mmseqs_database(path)) is not None:
        from swgui.io.imported.mmseqs import MmseqsSource

        return MmseqsSource(mmseqs)
    if (diamond := find_diamond_database(path)) is not None:
        return DiamondSource(diamond)
    if (parquet := find_parquet_file(path)) is not None:
        return ParquetSource(parquet, columns)
    return open_file(path)
