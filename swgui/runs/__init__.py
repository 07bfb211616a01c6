"""Runs: each, of whatever kind, is kept while it runs and when it ends, listed, opened and resumed."""

from __future__ import annotations

from swgui.runs.records import RunError, RunRecord, RunState
from swgui.runs.store import MAX_BYTES, MAX_RUNS, Runs

__all__ = ["MAX_BYTES", "MAX_RUNS", "RunError", "RunRecord", "RunState", "Runs"]
