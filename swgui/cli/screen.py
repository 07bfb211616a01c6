"""Hits on a terminal: the columns of the window under one another, a line for each subject."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from itertools import groupby

from swgui.cli.aligned import aligned, needed
from swgui.cli.streams import fit_for_terminals
from swgui.core.hits.table import HitTable
from swgui.io.export.columns import HIT_COLUMNS, SHOWN, SPARE
from swgui.jobs.progress import ProgressLine

TITLE = "stitle"  # at the end of the line, and cut where there is no room
CUT = {"sseqid": 24, "organism": 20}  # characters of a column at most
RIGHT = ("rank", "evalue", "pident", "qcovhsp")  # numbers


def print_hits(tables: Iterable[HitTable], line: ProgressLine, *, several: bool) -> None:
    """Print hits as `aligned` lines, those of a query together.

    Parameters
    ----------
    line : ProgressLine
        It is cleared before anything is printed.
    several : bool
        Name the query before its hits.
    """
    for number, (_, group) in enumerate(groupby(tables, key=lambda table: table.query_index)):
        parts = list(group)
        line.clear()
        if several:
            print(f"{'' if number == 0 else chr(10)}{fit_for_terminals(parts[0].record.header)}")
        print("\n".join(_lines(parts)))
    line.say("Not all columns are shown; --format tsv or -o FILE writes them.")


def _lines(tables: list[HitTable]) -> Iterator[str]:
    keys = [*(key for key in SHOWN if key != TITLE), TITLE]
    columns = {key: [text for table in tables for text in _texts(key, table)] for key in keys}
    spare = [key for key in SPARE if key != TITLE]
    width = shutil.get_terminal_size().columns
    while spare and needed([[key, *columns[key]] for key in keys]) > width:
        keys.remove(spare.pop(0))
    right = [place for place, key in enumerate(keys) if key in RIGHT]
    return aligned(keys, list(zip(*(columns[key] for key in keys), strict=True)), right=right)


def _texts(key: str, table: HitTable) -> list[str]:
    """Texts of the best line of each hit."""
    texts = HIT_COLUMNS[key].texts(table)
    return [texts[place][: CUT.get(key)] for place in table.first]
