"""The columns a hit table can show: the records of all tables, and how a screen draws them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from swgui.core.headers import Header
from swgui.core.table import SHORTEST
from swgui.core.table import Column as Figures
from swgui.gui.words import formatting
from swgui.io.export.columns import HIT_COLUMNS, SHOWN, Column

Drawn = Literal["tick", "star", "text", "number", "bar", "map"]
Show = Callable[[float], str]

# Columns that only a screen can show.
_TICK: Final = Column(
    "tick", "Ticked", "Ticked hits are kept while you filter, sort or change the query, and exported together. The "
    "blue selection is something else.", "text", "marks", value=lambda hit: None,
)  # fmt: skip
_MAP: Final = Column(
    "map", "Place on the query", "Part of the query inside the alignment, drawn over the whole length of the query.",
    "text", "alignment", value=lambda hit: None, short="On the query",
)  # fmt: skip

# Columns with a filter by range, in the order of the filter panel.
RANGE_KEYS: Final = ("evalue", "score", "bitscore", "pident", "ppos", "qcovhsp", "scovhsp", "length", "gaps", "slen")


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column as the hit table draws it."""

    column: Column  # name, type and values
    # How it is drawn: ``bar`` is a percentage with a bar behind the number, ``map`` the part of the query inside the
    # alignment
    kind: Drawn
    show: Show  # text of a number
    width: int  # in characters of the table's font
    shown: bool  # whether it is shown from the start
    descending: bool  # whether the first click on the head puts the largest value on top
    # Text in place of the record's where the header follows a known layout
    readable: Callable[[Header], str] | None

    @property
    def key(self) -> str:
        """Name in exports and in `HitData.values`."""
        return self.column.key

    @property
    def head(self) -> str:
        """Head of the column; nothing above boxes."""
        return "" if self.kind in ("tick", "star") else self.column.head

    @property
    def title(self) -> str:
        """Full name, for the chooser, filter chips and screen readers."""
        return self.column.title

    @property
    def description(self) -> str:
        """One or two sentences: meaning of the column and how it is counted."""
        return self.column.description

    @property
    def late(self) -> bool:
        """Whether its values are filled in the background."""
        return self.column.late

    def tool_tip(self) -> str:
        """Return title, description and the name in export files."""
        files = f"<p>In files: {self.key}</p>" if self.key in HIT_COLUMNS else ""
        return f"<p style='white-space:pre-wrap'><b>{self.title}</b><br>{self.description}</p>{files}"


def species(organism: str) -> str:
    """Return an organism without its strain: ``Homo sapiens``, ``Escherichia coli`` of ``Escherichia coli (K12)``."""
    return organism.partition(" (")[0]


def shown_as(column: Figures[Any]) -> Show:
    """Return the function that writes numbers of a column on the screen; a dash for unknown ones."""
    if column.kind == "evalue":
        return formatting.evalue
    if column.kind == "integer":
        return formatting.whole
    form = ".7g" if column.decimals == SHORTEST else f",.{column.decimals}f"
    return lambda value: formatting.NOTHING if math.isnan(value) else format(value, form)


def _view(
    column: Column | str,
    width: int = 0,
    *,
    kind: Drawn | None = None,
    show: Show | None = None,
    shown: bool = False,
    descending: bool = False,
    readable: Callable[[Header], str] | None = None,
) -> ColumnView:
    record = HIT_COLUMNS[column] if isinstance(column, str) else column
    text = record.kind == "text"
    return ColumnView(
        record,
        kind or ("text" if text else "number"),
        show or shown_as(record),
        width or max(18 if text else 7, len(record.head) + 1),
        shown or record.key in SHOWN,
        descending,
        readable,
    )


# Width, drawing and place of the columns; the others come last, hidden from the start.
_TABLE: Final = (
    _view(_TICK, 2, kind="tick", shown=True),
    _view("rank", 5),
    _view("star", 2, kind="star", descending=True),
    _view("sseqid", 15, readable=lambda header: header.name),
    _view("stitle", 30, readable=lambda header: header.title),
    _view("organism", 25),
    _view("accession", 13),
    _view("gene", 10),
    _view("score", 6, descending=True),
    _view("bitscore", 7, descending=True),
    _view("evalue", 9),
    _view("verdict", 11),
    _view("first_round", 6),
    _view("round_status", 8),
    _view("round_evalues", 12),
    _view("profile_evalue", 11),
    _view("forward_evalue", 11),
    _view("path", 22),
    _view("path_evalues", 14),
    _view("profile_bits", 8, descending=True),
    _view("forward_bits", 8, descending=True),
    _view("n_hsps", 11, descending=True),
    _view("total_score", 7, descending=True),
    _view("sum_evalue", 9),
    _view("log10_evalue", 10, show=formatting.log_ten),
    _view("sstrand", 7),
    _view("pident", 6, show=formatting.tenths, descending=True),
    _view("qcovhsp", 8, kind="bar", descending=True),
    _view("scovhsp", 8, kind="bar", descending=True),
    _view("qcovs", 12, kind="bar", descending=True),
    _view("scovs", 12, kind="bar", descending=True),
    _view("ppos", 6, show=formatting.tenths, descending=True),
    _view("length", 7, descending=True),
    _view("gaps", 6, descending=True),
    _view("gapopen", 11, descending=True),
    _view("nident", 9, descending=True),
    _view("positive", 9, descending=True),
    _view("mismatch", 10, descending=True),
    _view("zscore", 7, show=formatting.tenths, descending=True),
    _view("evalue_fit", 9),
    _view("qstart", 10),
    _view("qend", 9),
    _view("sstart", 12),
    _view("send", 11),
    _view("join", 22),
    _view("slen", 13, descending=True),
    _view("cigar", 24),
    _view(_MAP, 16, kind="map"),
    _view("note", 20),
)

BY_KEY: Final[dict[str, ColumnView]] = {view.key: view for view in _TABLE} | {
    key: _view(key) for key in HIT_COLUMNS if key not in {view.key for view in _TABLE}
}
COLUMNS: Final = tuple(BY_KEY.values())


def add_views(columns: Iterable[Column]) -> None:
    """Let tables show further columns, of a table of the user's own."""
    BY_KEY.update((column.key, _view(column, descending=column.kind != "text")) for column in columns)
