"""``swgui cache``: what the cache holds, and deleting some of it."""

from __future__ import annotations

import argparse
import json
import re
import time
from argparse import ArgumentTypeError
from typing import Final

from swgui import paths
from swgui.cli.aligned import aligned
from swgui.commands.option import Group, Option
from swgui.core.errors import InvalidParameter
from swgui.core.words import count, file_size
from swgui.io.cache import Cached, cached, prune, to_prune

UNITS: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def bytes_of(text: str) -> float:
    """Return a number of bytes: ``20G``, ``1.5 TB``, ``500000``.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", text.upper())
    if found is None:
        raise ArgumentTypeError(f"'{text}' is no size: 20G is 20 gigabytes; K, M, G and T are known")
    return float(found[1]) * UNITS[found[2]]


def days_of(text: str) -> float:
    """Return a number of days.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none.
    """
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise ArgumentTypeError(f"'{text}' is no number of days")
    return float(text)


CACHE: Final = (
    Group(
        (
            Option(("action",), "list: show the files; prune: delete some", choices=("list", "prune"), required=True),
            Option(("--max",), "prune: delete the files used longest ago until this size is left", "SIZE", bytes_of),
            Option(("--older",), "prune: delete the files that were not used for so many days", "DAYS", days_of),
        )
    ),
)


def run(arguments: argparse.Namespace) -> int:
    """List the cache, or prune it.

    Raises
    ------
    InvalidParameter
        If `prune` has no limit, or `list` has one.
    """
    limits = [getattr(arguments, name) for name in ("max", "older")]
    pruning = arguments.action == "prune"
    if pruning != any(limit is not None for limit in limits):
        what = "'prune' needs a limit" if pruning else "'list' takes no limit"
        raise InvalidParameter(
            "action", arguments.action, f"{what}.", hint="--max SIZE and --older DAYS go with prune."
        )
    files = cached()
    shown = prune(to_prune(files, *limits)) if pruning else files
    if arguments.json:
        print(json.dumps([_as_json(file) for file in shown], indent=2))
        return 0
    if shown:
        heads = ("kind", "size", "days unused", "source, or file")
        print("\n".join(aligned(heads, [_row(file) for file in shown], right=(1, 2), whole=True)))
    said = f"{count(len(shown), 'file')}, {file_size(sum(file.size for file in shown))}"
    print(f"{said}{' deleted from' if pruning else ' in'} {paths.cache_dir()}")
    return 0


def _row(file: Cached) -> tuple[str, str, str, str]:
    days = max(time.time() - file.used, 0.0) / 86_400
    return file.kind, file_size(file.size), f"{days:.0f}", ", ".join(file.sources) or str(file.path)


def _as_json(file: Cached) -> dict[str, object]:
    used = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(file.used))
    return {"kind": file.kind, "file": str(file.path), "bytes": file.size, "used": used, "sources": list(file.sources)}
