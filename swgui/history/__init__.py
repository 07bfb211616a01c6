"""The history: every search is kept when it ends, and while it runs."""

from __future__ import annotations

from swgui.history.folder import MAX_BYTES, MAX_RUNS, History
from swgui.history.records import HistoryError, RunRecord, RunState, default_name

__all__ = ["MAX_BYTES", "MAX_RUNS", "History", "HistoryError", "RunRecord", "RunState", "default_name"]
