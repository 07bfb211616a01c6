"""Tables that sort themselves without a script: a button of a head gives every row another place in the grid."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from swgui.core.hits.table import HitTable
from swgui.io.export.columns import Column

_WIDTHS: Final = {"sseqid": "fit-content(16rem)", "stitle": "minmax(14rem, 1fr)", "rank": "min-content"}

STYLE: Final = """
table { display: grid; }
thead, tbody, tr { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; }
th input { position: absolute; opacity: 0; }
thead tr { align-items: end; }
th label { cursor: pointer; }
th label:hover, th label:focus-within { text-decoration: underline; }
th label:has(:checked)::after { content: " \\25BE"; }
"""


def rules(columns: Sequence[Column]) -> str:
    """Return the rules that put rows in the order of the column whose button is pressed."""
    rule = 'table:has(input[value="{0}"]:checked) tbody tr {{ order: var(--{0}); }}\n'
    return "".join(rule.format(column.key) for column in columns)


def layout(columns: Sequence[Column]) -> str:
    """Return the widths of a table's columns: texts get what is left."""
    return " ".join(_WIDTHS.get(column.key, "fit-content(6rem)") for column in columns)


def head(column: Column, table: int) -> str:
    """Return what stands in the head of a column: its name, as a button of which one in a table is pressed."""
    pressed = " checked" if column.key == "rank" else ""
    button = f'<input type="radio" name="sort{table}" value="{column.key}"{pressed}>'
    return f'<label title="{escape(column.description)}">{button}{escape(column.heading)}</label>'


def texts_of(column: Column, tables: Sequence[HitTable]) -> list[str]:
    """Return what stands in a column for each hit."""
    return [text for table in tables for text in np.array(column.texts(table), dtype=object)[table.first].tolist()]


def places(columns: Sequence[Column], tables: Sequence[HitTable]) -> list[str]:
    """Return the places of every hit in all orders, as the properties that `rules` looks at.

    Numbers are sorted by value, where more is better from the top, unknown ones last; texts by their letters. Equal
    ones keep the order of the search.
    """
    made = [""] * sum(map(len, tables))
    for column in columns:
        if column.kind == "text":
            texts = [text.casefold() for text in texts_of(column, tables)]
            order = sorted(range(len(made)), key=texts.__getitem__)
        else:
            sign = 1 if column.kind == "evalue" or column.key == "rank" else -1
            numbers = [sign * number for t in tables for number in column.numbers(t)[t.first].tolist()]
            order = sorted(range(len(made)), key=lambda at: (numbers[at] != numbers[at], numbers[at]))
        for place, at in enumerate(order):
            made[at] += f"--{column.key}:{place};"
    return made
