"""How long a search by rule takes."""

from __future__ import annotations

from swgui.core.words import count
from swgui.jobs.forecast import Forecast
from swgui.jobs.rules.run import RuleRun, expected_seconds


def rule_forecast(run: RuleRun) -> Forecast:
    """Return the queries, the sequences, and the time that the cores take."""
    queries = count(len(run.request.queries), "query", "queries")
    where = count(len(run.database), "sequence")
    return Forecast(f"{queries} in {where}", expected_seconds(run), where="on the CPU")
