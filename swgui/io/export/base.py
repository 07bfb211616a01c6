"""Export formats and the options of an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Final, Literal, Protocol, TextIO, TypeVar

import msgspec

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, HitTable
from swgui.io.export.columns import Column, choose_columns, columns_need_alignment, columns_need_fit, has_usual
from swgui.io.lines import Layout, bytes_of, text_of

Choice = Literal["columns", "comments", "headings", "flank", "gaps"]
Group = Literal["tables", "sequences", "alignments", "reports", "other"]
# How lists of formats are headed, in this order.
GROUPS: Final[Mapping[Group, str]] = {
    "tables": "Tables",
    "sequences": "Sequences and annotation",
    "alignments": "Alignments",
    "reports": "Reports",
    "other": "Others",
}


class TextOut(Protocol):
    """Output of formats: a text file, or any object that takes text."""

    def write(self, text: str, /) -> object:
        """Take a text."""


class ExportOptions(msgspec.Struct, frozen=True):
    """Options of one export; each format reads those that it `takes`.

    Parameters
    ----------
    columns : tuple of str, optional
        As `choosing.choose_columns` takes them; None for the format's own choice.
    comments : bool
        Begin CSV and TSV with ``#`` lines that say where the result comes from.
    flank : int
        Residues of the subject to write on either side of an aligned part.
    gaps : bool
        Write aligned parts with their gap signs.
    headings : bool
        Name columns for people in the first line, as the window does, not for programs.
    joined : tuple of Column
        Further columns after all others: of loci (`swgui.io.export.loci`), of a table of the user's own (`own`).
    """

    columns: tuple[str, ...] | None = None
    comments: bool = False
    flank: int = 0
    gaps: bool = False
    headings: bool = False
    joined: tuple[Column, ...] = ()


NO_OPTIONS: Final = ExportOptions()


class Lines(msgspec.Struct, frozen=True):
    """A format that is a table: the head of the file, and the columns of the lines behind it."""

    head: str
    columns: tuple[Column, ...]
    layout: Layout
    joined: tuple[Column, ...] = ()  # those of them that are of another table

    @property
    def anywhere(self) -> bool:
        """Whether any thread may write lines: no column is of an installed package, or of another table."""
        return not self.joined and all(column.value is None for column in self.columns)

    def tables(self, hits: Iterable[Hit]) -> Iterator[HitTable]:
        """Yield hits in tables that are long enough, where they can be."""
        from swgui.core.hits.joined import joined  # here: a search alone makes no tables

        return joined(hits)

    def of(self, table: HitTable) -> bytes:
        """Return the lines of hits."""
        return bytes_of(self.columns, table, self.layout)

    def write(self, lines: Iterable[bytes], file: TextIO) -> None:
        """Write a file of lines that are made."""
        file.write(self.head)
        for some in lines:
            file.write(text_of(some))


TextWriter = Callable[[SearchResult, Iterable[Hit], TextIO, ExportOptions], None]
BytesWriter = Callable[[SearchResult, Iterable[Hit], IO[bytes], ExportOptions], None]
LineMaker = Callable[[SearchResult, ExportOptions], Lines]


class FileFormat(msgspec.Struct, frozen=True):
    """Description of a format in dialogs, on the command line and in the manual."""

    name: str  # as on the command line
    title: str  # in menus
    suffix: str  # usual ending of such files, with its dot
    description: str  # what it holds, without a capital and a full stop

    @property
    def sentence(self) -> str:
        """The description as a sentence."""
        return f"{self.description[:1].upper()}{self.description[1:]}."


F = TypeVar("F", bound=FileFormat)


def format_of(formats: Mapping[str, F], name: str) -> F:
    """Return a format by its name.

    Raises
    ------
    InvalidParameter
        If there is no such format.
    """
    if name not in formats:
        raise InvalidParameter(
            "format", name, f"There is no format '{name}'.", hint=f"Formats are {', '.join(formats)}."
        )
    return formats[name]


class ExportFormat(FileFormat, frozen=True):
    """One way to write hits.

    Parameters
    ----------
    name, title, suffix, description : str
        As in `FileFormat`.
    write : callable, optional
        Takes result, hits, open text file and `ExportOptions`; the hits of one query come together and are to be
        read one by one.
    write_bytes : callable, optional
        The same with a file for bytes, in place of `write`, for formats that are no text.
    lines : callable, optional
        In place of `write`, for formats that are a table: takes result and `ExportOptions`.
    needs_alignment : bool
        Whether hits must come with their alignments (for tables: with the columns of their own choice).
    needs_fit : bool
        Whether hits must come with what the fit to all scores of the search says of them (for tables: likewise).
    takes : frozenset of {"columns", "comments", "headings", "flank", "gaps"}
        Which of the `ExportOptions` it looks at.
    one_query : bool
        Whether a file holds the hits of one query only.
    require : callable, optional
        Raises `InvalidParameter` if a library that writes the format is not installed.
    group : {"tables", "sequences", "alignments", "reports", "other"}
        Below which heading of `GROUPS` it is listed.
    """

    write: TextWriter | None = None
    write_bytes: BytesWriter | None = None
    lines: LineMaker | None = None
    needs_alignment: bool = True
    needs_fit: bool = True
    takes: frozenset[Choice] = frozenset()
    one_query: bool = False
    require: Callable[[], object] | None = None
    group: Group = "other"

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.write, self.write_bytes, self.lines)) != 1:
            raise ValueError(f"The format '{self.name}' must have one of write, write_bytes and lines.")

    @property
    def is_text(self) -> bool:
        """Whether a stream of text can have it."""
        return self.write_bytes is None

    def aligned(self, options: ExportOptions) -> bool:
        """Return whether hits must come with their alignments."""
        if any(column.needs_alignment for column in options.joined):
            return True
        return self.needs_alignment if options.columns is None else columns_need_alignment(options.columns)

    def fitted(self, options: ExportOptions) -> bool:
        """Return whether hits must come with the fit to all scores, some milliseconds a query."""
        return (self.needs_fit and has_usual(options.columns)) or columns_need_fit(options.columns)

    def check(self, options: ExportOptions, queries: int = 1) -> None:
        """Refuse an impossible export before the search runs, not hours later.

        Parameters
        ----------
        queries : int
            How many the hits belong to.

        Raises
        ------
        InvalidParameter
            If the format does not take what was chosen, there is no such column, it holds the hits of one query
            only, or a library is missing.
        """
        if options.columns is not None:
            if "columns" not in self.takes:
                raise InvalidParameter(
                    "columns", options.columns, f"The format '{self.name}' has no columns to choose."
                )
            choose_columns(options.columns)
        if options.joined and "columns" not in self.takes:
            sentence = f"The format '{self.name}' has no place for added columns."
            takers = "tsv, csv, xlsx, json, blast6 and blast7 have."
            raise InvalidParameter("metadata", self.name, sentence, hint=f"The formats {takers}")
        if (options.flank and "flank" not in self.takes) or (options.gaps and "gaps" not in self.takes):
            sentence = f"The format '{self.name}' writes no flanking residues or gap signs."
            raise InvalidParameter("flank", options.flank, sentence)
        if options.flank < 0:
            raise InvalidParameter("flank", options.flank, f"A flank of {options.flank} residues is not possible.")
        if self.one_query and queries > 1:
            raise several_queries(self.name)
        if self.require is not None:
            self.require()


def refuse_codons(result: SearchResult, format_name: str) -> None:
    """Raise `InvalidParameter` for a translated search, in a format whose columns are bases or residues."""
    if result.translation is not None:
        raise InvalidParameter(
            "format",
            format_name,
            f"{format_name.upper()} cannot hold the alignments of {result.translation.program}, "
            "whose columns are codons.",
            hint="Choose PAF, whose cg counts codons, or a table.",
        )


def several_queries(format_name: str) -> InvalidParameter:
    """Return the error for hits of several queries in a format that holds those of one."""
    return InvalidParameter(
        "format",
        format_name,
        f"A file in the format '{format_name}' holds the hits of one query, these belong to several.",
        hint="Export one query at a time, or choose Stockholm.",
    )
