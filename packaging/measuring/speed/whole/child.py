"""A command in a process of its own: what it took, and what it says of itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import swgui
from speed.whole import runner
from swgui.core.errors import SwguiError
from swgui.core.trace import read_parts

NO_BYTECODE: Final = "PYTHONDONTWRITEBYTECODE"


class CommandFailed(SwguiError):
    """A command that ended with an error, or was not done in time."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Costs of one run of a command.

    Parameters
    ----------
    seconds : float
        On the clock.
    cpu_seconds : float or None
        Seconds of all its threads and children.
    memory : int or None
        Bytes at the peak, of the largest of its processes.
    parts : Mapping[str, float]
        Seconds of the parts that `swgui.core.trace` tells apart; empty for other programs.
    output : str
        The last line it wrote.
    """

    seconds: float
    cpu_seconds: float | None
    memory: int | None
    parts: Mapping[str, float]
    output: str = ""


def program() -> tuple[str, ...]:
    """Return the words that start the program: the command installed with this Python, if there is one."""
    installed = Path(sys.executable).with_name(swgui.__name__)
    return (str(installed),) if os.access(installed, os.X_OK) else (sys.executable, "-m", swgui.__name__)


def take(words: Sequence[str], folder: Path, limit: float, more: Mapping[str, str] | None = None) -> Measurement:
    """Run a command.

    Parameters
    ----------
    words : sequence of str
    folder : Path
        For its output.
    limit : float
        Seconds.
    more : Mapping[str, str], optional
        Variables of its surroundings besides ours.

    Raises
    ------
    CommandFailed
    """
    out, errors = folder / "stdout", folder / "stderr"
    variables = {**os.environ, **(more or {})}
    variables.pop(NO_BYTECODE, None)  # an installed program has its bytecode; else the first run makes it
    measured = _run(words, str(out), str(errors), limit, variables)
    said = errors.read_text("utf-8", "replace")
    if measured["late"]:
        raise CommandFailed(f"not done after {limit:g} s")
    if measured["status"]:
        lines = [line for line in said.splitlines() if line.strip()]
        raise CommandFailed(lines[-1] if lines else f"ended with status {measured['status']}")
    return Measurement(
        measured["seconds"], measured["cpu_seconds"], measured["memory"], read_parts(said), _last_line(out)
    )


def _run(words: Sequence[str], out: str, errors: str, limit: float, variables: Mapping[str, str]) -> runner.Figures:
    helper = [sys.executable, "-I", "-S", str(Path(runner.__file__)), out, errors, str(limit), *words]
    told = subprocess.run(helper, env=variables, capture_output=True, text=True, check=False)
    if told.returncode:
        raise CommandFailed(told.stderr.strip().splitlines()[-1])
    figures: runner.Figures = json.loads(told.stdout)
    return figures


def _last_line(path: Path) -> str:
    """Return the last line of a file, without reading a large one."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 1000))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return lines[-1] if lines else ""
