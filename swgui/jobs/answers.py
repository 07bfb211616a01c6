"""The answer that every result opens with, whatever its kind."""

from __future__ import annotations

from typing import Any

from swgui.core.answer import Answer
from swgui.jobs.kind import Kind, load


def answer_of(kind: Kind, outcome: Any, asked: Any = None) -> Answer:
    """Return the answer of an outcome: by the function that its kind names, or the sentences of its codec."""
    if kind.answer:
        made: Answer = load(kind.answer)(outcome, asked)
        return made
    return Answer.of(load(kind.codec).sentences(outcome))
