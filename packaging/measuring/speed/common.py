"""Parts of all benchmarks: kinds of arguments, sentences on the standard error, files."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from swgui.core.errors import InvalidParameter, SwguiError
from swgui.engines.base import EngineStatus
from swgui.io.whole_file import whole_file

PROGRAM: Final = "packaging/measuring/speed"


def positive(text: str) -> int:
    """Return a whole number above 0; the type of an argument."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def refuse(error: SwguiError) -> int:
    """Print the error; return the exit status."""
    print(f"swgui: {error}", file=sys.stderr)
    return 2 if isinstance(error, InvalidParameter) else 1


def refuse_without_gpu(status: EngineStatus) -> int:
    """Print why GPUs cannot be measured, and what can; return the exit status."""
    print(
        f"swgui: This measures NVIDIA GPUs. {status.reason} {status.hint} "
        "The CPU is measured with 'swgui bench --engine cpu'.",
        file=sys.stderr,
    )
    return 1


def save_text(name: str, text: str) -> None:
    """Write a file, whole or not at all.

    Raises
    ------
    FileNotWritten
    """
    with whole_file(name) as file:
        file.write(text.encode())
