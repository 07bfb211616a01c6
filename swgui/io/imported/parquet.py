"""Parquet files as a source of records, by the optional package ``pyarrow``: a row for each sequence.

Which column holds what is told by its name, or by the user (`Columns`). In memory is a batch of rows.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import DatabaseError, InvalidParameter, sentence_of
from swgui.core.plain import replace
from swgui.io.imported.gathering import Buffer, first_words, gathered
from swgui.io.opening import is_file
from swgui.io.read_report import shown
from swgui.io.sequences.record_source import RecordBlock, RecordSource

if TYPE_CHECKING:
    import pyarrow as pa

FORM: Final = "Parquet"
MAGIC: Final = b"PAR1"  # at both ends of a file
PACKAGE: Final = "pyarrow"
_ROWS: Final = 1 << 14
_SHOWN: Final = 8  # columns that a sentence lists

# Fields of a row, and the names that columns have for them, in lower case, the first before others.
KNOWN_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "sequence": ("sequence", "seq", "residues", "aa_sequence", "protein_sequence", "amino_acid_sequence"),
    "id": ("id", "identifier", "accession", "sequence_id", "protein_id", "mgyp", "entry", "header", "name"),
    "description": ("description", "title", "definition", "product", "protein_name"),
    "taxid": ("taxid", "tax_id", "taxon_id", "ncbi_taxid", "ncbi_taxonomy_id", "organism_id"),
}
NEEDED: Final = ("sequence", "id")
NO_COLUMN: Final = "-"  # in place of a name: the file holds no such thing, whatever its columns are called


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of columns; empty where the usual names tell."""

    sequence: str = ""
    id: str = ""
    description: str = ""
    taxid: str = ""

    @classmethod
    def read(cls, text: str) -> Columns:
        """Read ``sequence=NAME,id=NAME``; `InvalidParameter` if it is none of that form."""
        columns = cls()
        for part in filter(None, text.split(",")):
            what, equals, name = (piece.strip() for piece in part.partition("="))
            if not equals or what not in KNOWN_NAMES or not name:
                raise InvalidParameter(
                    "columns",
                    text,
                    f"'{shown(part)}' does not name the columns to read.",
                    hint=f"Write it as sequence=NAME,id=NAME; there are {', '.join(KNOWN_NAMES)}.",
                )
            columns = replace(columns, **{what: name})
        return columns

    def named(self) -> dict[str, str]:
        """Return the names that were given, by what the columns hold."""
        return {what: name for what in KNOWN_NAMES if (name := getattr(self, what))}

    def text(self) -> str:
        """Return them as `read` takes them."""
        return ",".join(f"{what}={name}" for what, name in self.named().items())


USUAL: Final = Columns()


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file that is there."""

    name: Path
    file: Path
    what: str = "a Parquet file"

    def files(self) -> list[Path]:
        """Return its files: itself."""
        return [self.file]


def find_parquet_file(path: str | os.PathLike[str]) -> ParquetFile | None:
    """Return the Parquet file that a path means, told by its first bytes; None if it means none."""
    place = Path(path)
    try:
        if is_file(place):
            with open(place, "rb") as file:
                return ParquetFile(place, place) if file.read(len(MAGIC)) == MAGIC else None
    except OSError:  # opening it as text will tell
        pass
    return None


class ParquetSource(RecordSource):
    """A Parquet file with a sequence in each row.

    Raises
    ------
    DatabaseError
        If `PACKAGE` is not installed, the file is damaged, or a column is missing or of another type.
    """

    def __init__(self, file: ParquetFile, columns: Columns = USUAL) -> None:
        super().__init__(f"'{file.name.name}' (a Parquet file)", str(file.file), None, FORM)
        try:
            import pyarrow.parquet
        except ImportError:
            raise DatabaseError(
                self.path,
                f"{self.name} is read by the package {PACKAGE}, which is not installed.",
                hint="Install it: pip install 'swgui-core[parquet]'",
            ) from None
        self._fault = (pyarrow.ArrowException, OSError)
        try:
            self._file = pyarrow.parquet.ParquetFile(file.file)
            schema = self._file.schema_arrow
            self._total = self._file.metadata.num_rows
        except self._fault as fault:
            raise self._damaged(fault) from fault
        self._size = file.file.stat().st_size
        try:
            self._columns = self._chosen(schema, columns)
            if not self._total:
                raise DatabaseError(self.path, f"{self.name} has no rows.", hint="Choose a file with sequences.")
        except DatabaseError:
            self._file.close()
            raise

    def _damaged(self, fault: BaseException) -> DatabaseError:
        reason = shown(sentence_of(fault).rstrip("."), 200)
        return DatabaseError(self.path, f"{self.name} cannot be read: {reason}.", hint="Copy or download it again.")

    def _chosen(self, schema: pa.Schema, columns: Columns) -> dict[str, str]:
        """Return the name of the column for each of `KNOWN_NAMES` that the file has."""
        given, chosen = columns.named(), {}
        names = list(schema.names)
        by_lower = {name.lower(): name for name in reversed(names)}
        for what, usual in KNOWN_NAMES.items():
            if given.get(what) == NO_COLUMN and what not in NEEDED:
                continue
            if what in given and given[what] not in names:
                raise self._no_column(f"has no column '{shown(given[what])}'", names)
            name = given.get(what) or next((by_lower[name] for name in usual if name in by_lower), "")
            if not name and what in NEEDED:
                raise self._no_column(f"has no column that is known to hold the {what}", names)
            if name:
                if names.count(name) > 1:
                    raise self._no_column(f"has several columns '{shown(name)}'", names)
                self._check(name, schema.field(name).type, what)
                chosen[what] = name
        return chosen

    def _no_column(self, fault: str, names: Sequence[str]) -> DatabaseError:
        listed = ", ".join(shown(name, 40) for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        return DatabaseError(
            self.path,
            f"{self.name} {fault}; there are {listed or 'none'}.",
            hint="Name the columns, for example --columns sequence=NAME,id=NAME.",
        )

    def _check(self, name: str, kind: pa.DataType, what: str) -> None:
        import pyarrow as pa

        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        types = pa.types
        fitting = [types.is_string, types.is_large_string, types.is_string_view, types.is_binary, types.is_large_binary,
                   types.is_binary_view, types.is_fixed_size_binary]  # fmt: skip
        fitting += [types.is_integer] if what != "sequence" else []
        fitting += [types.is_null] if what not in NEEDED else []
        fitting += [types.is_floating] if what == "taxid" else []  # of integers, some of which are missing
        if not any(test(kind) for test in fitting):
            leave = "" if what in NEEDED else f", or leave it out with {what}={NO_COLUMN}"
            raise DatabaseError(
                self.path,
                f"Column '{shown(name)}' of {self.name} holds {shown(str(kind), 60)}, no {what}.",
                hint=f"Name another column with --columns{leave}.",
            )

    def blocks(self) -> Generator[RecordBlock, None, None]:
        """Yield all rows; `DatabaseError` where the file is damaged."""
        number, done = 1, 0
        try:
            for batch in self._file.iter_batches(_ROWS, columns=list(dict.fromkeys(self._columns.values()))):
                columns = {what: batch.column(name) for what, name in self._columns.items()}
                done += batch.num_rows
                self.position = self._size * done // max(1, self._total)
                if batch.num_rows:
                    yield _block(number, columns)
                number += batch.num_rows
        except self._fault as fault:
            raise self._damaged(fault) from fault
        finally:
            self._file.close()


def _block(number: int, columns: Mapping[str, Any]) -> RecordBlock:
    letters, lengths = _texts(columns["sequence"])
    ids, id_lengths = _texts(columns["id"])
    if "description" in columns:
        descriptions, description_lengths = _texts(columns["description"])
    else:
        descriptions, description_lengths = b"", np.zeros(len(lengths), dtype=np.int64)
    if b" " in ids or b"\t" in ids:
        ids, id_lengths, descriptions, description_lengths = _split(ids, id_lengths, descriptions, description_lengths)
    taxids = _taxids(columns["taxid"]) if "taxid" in columns else None
    return RecordBlock(number, letters, lengths, ids, id_lengths, descriptions, description_lengths, taxids)


def _split(
    headers: bytes, lengths: NDArray[np.int64], descriptions: bytes, description_lengths: NDArray[np.int64]
) -> tuple[bytes, NDArray[np.int64], bytes, NDArray[np.int64]]:
    """Return the first word of each header as its id, and what follows it before its description; texts and lengths."""
    data = np.frombuffer(headers, dtype=np.uint8)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    words, rest = first_words(data, starts, ends)
    buffer = Buffer(data)
    blank, behind = buffer.add(b" "), buffer.add(descriptions)
    sizes = np.stack([ends - rest, (ends > rest) & (description_lengths > 0), description_lengths], axis=1)
    places = np.stack(
        [rest, np.full(len(rest), blank), behind + np.cumsum(description_lengths) - description_lengths], axis=1
    )
    text = gathered(buffer.bytes(), places.ravel(), sizes.ravel())
    return gathered(data, starts, words - starts), words - starts, text, sizes.sum(axis=1)


def _texts(column: Any) -> tuple[bytes, NDArray[np.int64]]:
    """Return the texts of a column, concatenated, and their lengths; nothing for what is null."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    column = column.cast(pa.large_binary()).fill_null(b"")
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return bytes(memoryview(data)[int(ends[0]) : int(ends[-1])]) if data is not None else b"", np.diff(ends)


def _taxids(column: Any) -> NDArray[np.int32]:
    """Return the numbers of a column; 0 for what is null or none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.equal(column, pc.floor(column)), column, 0)
    elif not pa.types.is_integer(column.type):
        text = column.cast(pa.large_string() if pa.types.is_string_view(column.type) else pa.large_binary())
        column = pc.if_else(pc.match_substring_regex(text, r"^[0-9]{1,9}$"), text, "0").cast(pa.large_string())
    numbers = column.cast(pa.int64(), safe=False).fill_null(0).to_numpy(zero_copy_only=False)
    return np.where((numbers > 0) & (numbers <= np.iinfo(np.int32).max), numbers, 0).astype(np.int32)
