"""Repairs of a question to a rule: each a function from question to question, for a button or the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

from swgui.core.plain import replace


class Repair(NamedTuple):
    """One repair of a question (`swgui.core.rules.question.Question`)."""

    said: str  # of the button, as a command: ``Leave off the PAM``
    options: str  # the options of the command line that do the same; empty if there are none
    change: Callable[[Any], Any]  # returns the repaired question

    @classmethod
    def to(cls, said: str, options: str, **values: object) -> Self:
        """Return a repair that gives fields of a question other values."""
        return cls(said, options, partial(_changed, **values))


class Hint(NamedTuple):
    """A possible reason why nothing was found, and the repair of the question, if there is one."""

    said: str
    repair: Repair | None = None


def _changed(question: Any, /, **values: object) -> Any:
    return replace(question, **values)
