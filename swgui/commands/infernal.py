"""Infernal's score of hits, for the columns that a covariance model adds."""

from __future__ import annotations

import argparse
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swgui.io.export.columns import Column
    from swgui.io.export.infernal import InfernalScores


def scores_of(arguments: argparse.Namespace) -> InfernalScores:
    """Return the scores of the model that is named, found once; errors as of `find_program` and `read_model`."""
    if getattr(arguments, "infernal_scores", None) is None:
        from swgui.io.export.infernal import InfernalScores  # here: few tables have such scores
        from swgui.io.infernal import find_program, read_model, version_of

        program, model = find_program(), read_model(arguments.infernal)
        threads = getattr(arguments, "threads", 0)
        arguments.infernal_scores = InfernalScores(program, version_of(program), model, threads)
    scores: InfernalScores = arguments.infernal_scores
    return scores


def hit_columns(arguments: argparse.Namespace, cancel: threading.Event | None = None) -> tuple[Column, ...]:
    """Return the columns of hits with Infernal's scores; `cancel` ends Infernal."""
    scores = scores_of(arguments)
    scores.cancel = cancel
    return scores.columns()


def check(arguments: argparse.Namespace) -> None:
    """Find Infernal and read the model before the work begins; errors as of `scores_of` and `check_outputs`."""
    from swgui.io.outputs import check_outputs

    outputs = {name: getattr(arguments, name, None) for name in ("out", "save")}
    check_outputs(outputs, [("covariance model", arguments.infernal)])
    scores_of(arguments)


def summary(arguments: argparse.Namespace) -> str:
    """Return a sentence on the lines that were scored."""
    return scores_of(arguments).summary()
