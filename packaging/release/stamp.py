"""When and from which commit a package is made: what lets two builds of one commit be the same, byte for byte."""

from __future__ import annotations

import os
import runpy
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def version() -> str:
    """Return the program's version."""
    return str(runpy.run_path(str(ROOT / "swgui" / "version.py"))["version"]())


def epoch() -> int:
    """Return the time packages carry: ``SOURCE_DATE_EPOCH`` if it is set, else that of the commit; seconds."""
    if told := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(told)
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else int((ROOT / "CHANGELOG.md").stat().st_mtime)


def date() -> str:
    """Return the day of `epoch`, as in ``2026-11-20``."""
    return time.strftime("%Y-%m-%d", time.gmtime(epoch()))


def reproducible() -> dict[str, str]:
    """Return the variables that make builders leave their own time and order out."""
    return {"SOURCE_DATE_EPOCH": str(epoch()), "PYTHONHASHSEED": "0"}
