"""How long a search by rule takes."""

from __future__ import annotations

from swgui.core.words import count
from swgui.engines.facts import CPU, GPU
from swgui.jobs.forecast import Forecast
from swgui.jobs.rules.run import RuleRun, expected, expected_seconds


def rule_forecast(run: RuleRun) -> Forecast:
    """Return the queries, the sequences, and the time that the CPU takes; of a run on a GPU it is not known."""
    request = run.request
    work = f"{count(len(request.queries), 'query', 'queries')} in {count(len(run.database), 'sequence')}"
    if request.rule.on_cpu or request.engine == CPU.name:
        return Forecast(work, expected_seconds(run), where="on the CPU")
    if request.engine == GPU.name:
        return Forecast(work, None, cells=expected(run))
    return Forecast(work, expected_seconds(run), where="on the CPU, or less on a GPU if there is one")
