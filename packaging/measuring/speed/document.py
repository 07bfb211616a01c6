"""The head of a file of figures."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import swgui


def document(measurements: Sequence[dict[str, Any]], devices: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Return the content of a JSON file: program, time, devices and figures."""
    return {
        "program": swgui.__version__,
        "made": datetime.now().astimezone().isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "devices": list(devices),
        "measurements": list(measurements),
    }
