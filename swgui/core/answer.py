"""The answer of a job: one sentence, and one line for each query, with numbers that each choose rows of the table.

Window, command line, certificate, report and printed page show the same answer. A kind of run and a rule compute theirs
from what was found (`swgui.jobs.kind.Kind.answer`, `swgui.jobs.rules.work.base.RuleWork`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

LINES: Final = 20  # of an answer on a terminal and on a page


class Where(msgspec.Struct, frozen=True):
    """Rows of a table whose value in a column lies between two bounds, which count; None is no bound."""

    column: str  # key
    least: float | None = None
    most: float | None = None

    @classmethod
    def equal(cls, column: str, value: float) -> Self:
        """Return the rows with one value."""
        return cls(column, value, value)


class Count(msgspec.Struct, frozen=True):
    """A number of an answer, which is the number of rows that `where` chooses.

    Parameters
    ----------
    head : str
        What is counted: the heading of a column of numbers.
    number : int
    where : tuple of Where
        All hold for each row that is counted; without any, the number chooses no rows.
    """

    head: str
    number: int
    where: tuple[Where, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """The answer for one query.

    Parameters
    ----------
    name : str
        Of the query; empty of a line on all of them.
    said : str
        The answer in words, without the name.
    counts : tuple of Count
    where : tuple of Where
        The rows of this query.
    """

    name: str
    said: str
    counts: tuple[Count, ...] = ()
    where: tuple[Where, ...] = ()

    @property
    def text(self) -> str:
        """The line with its name."""
        return f"{self.name}: {self.said}" if self.name else self.said


class Answer(msgspec.Struct, frozen=True):
    """The answer of a job.

    Parameters
    ----------
    sentence : str
        The answer for all queries. That of a job that was stopped says so.
    lines : tuple of Line
        One for each query, in their order, or further sentences on all of them.
    """

    sentence: str
    lines: tuple[Line, ...] = ()

    @classmethod
    def of(cls, sentences: Sequence[str]) -> Self:
        """Return an answer of sentences, the first of which is the answer."""
        first, *others = sentences or ("",)
        return cls(first, tuple(Line("", sentence) for sentence in others))

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Return the answer in a certificate, whose numbers choose no rows."""
        lines = (
            Line(line["name"], line["said"], tuple(Count(head, number) for head, number in line["counts"].items()))
            for line in facts["lines"]
        )
        return cls(facts["sentence"], tuple(lines))

    def facts(self) -> dict[str, Any]:
        """Return the answer as a certificate has it."""
        lines = [
            {"name": line.name, "said": line.said, "counts": {one.head: one.number for one in line.counts}}
            for line in self.lines
        ]
        return {"sentence": self.sentence, "lines": lines}

    @property
    def heads(self) -> list[str]:
        """Headings of the numbers of all lines, in order."""
        return list(dict.fromkeys(count.head for line in self.lines for count in line.counts))

    def texts(self, most: int = LINES) -> list[str]:
        """Return the sentence and the lines that say more, at most so many, and how many there are behind them."""
        lines = [line for line in self.lines if f"{line.text}." != self.sentence]
        shown = lines[:most]
        left = len(lines) - len(shown)
        return [self.sentence, *(line.text for line in shown), *([f"… and {left:,} more lines."] if left else [])]


def chosen_rows(where: Sequence[Where], columns: Mapping[str, NDArray[Any]], size: int) -> NDArray[np.int64]:
    """Return the numbers of the rows, of `size`, for which all hold; `columns` are their values by key."""
    kept = np.ones(size, np.bool_)
    for one in where:
        values = columns[one.column]
        kept &= True if one.least is None else values >= one.least
        kept &= True if one.most is None else values <= one.most
    return np.flatnonzero(kept)
