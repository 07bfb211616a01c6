"""Columns and tables: what is read, chosen and not known."""

import numpy as np
import pytest

from swgui.core.errors import InvalidParameter
from swgui.core.table import Column, Table

COLUMNS = (
    Column[range]("n", "Number", "The number.", "integer", read=lambda part: np.array(part)),
    Column[range]("name", "Name", "Its name.", "text", read=lambda part: [f"n{n}" if n else None for n in part]),
    Column[range]("half", "Half", "Of it.", "real", read=lambda part: np.array(part) / 2, unit="%", on_request=True),
)


def numbers() -> Table[range]:
    return Table(COLUMNS, lambda: iter((range(2), range(2, 3))))


def test_rows_of_all_parts_come_in_order():
    table = numbers()
    assert list(table.rows()) == list(table.rows()) == [(0, None), (1, "n1"), (2, "n2")]


def test_columns_are_chosen_once_each_and_in_order():
    table = numbers().choose(["half", "n", "half"])
    assert [column.key for column in table.columns] == ["half", "n"]
    assert [column.heading for column in table.columns] == ["Half %", "Number"]
    assert list(table.rows()) == [(0.0, 0), (0.5, 1), (1.0, 2)]
    assert [column.key for column in table.choose(None).columns] == ["n", "name"]
    with pytest.raises(InvalidParameter, match=r"no column 'x'\. Columns are n, name, half"):
        table.choose(["x"])


def test_what_is_not_known_is_none_in_lists_and_nan_in_arrays():
    column = Column[int]("x", "X", "Some.", "real", read=lambda size: [None] * size)
    assert column.values(2) == [None, None]
    assert np.isnan(column.numbers(2)).all()
    holes = Column[int]("x", "X", "Some.", "real", read=lambda size: np.full(size, np.nan))
    assert holes.values(1) == [None]
