"""What sweeps found, kept between starts: ``tuning.json`` in the user's configuration folder.

One entry for each device, driver, state of the kernels, alphabet and class of query lengths (`SweepKey`): a later
sweep replaces an earlier one of the same axes. An entry whose device is the same but whose driver or kernels are not
is stale: it is listed with the reason, and never used. Settings that the user chose to use are marked in their entry.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import swgui
from swgui import paths
from swgui.core.plain import from_plain, plain, replace
from swgui.core.sweep.grid import Cell, SweepKey, SweepResult
from swgui.io.whole_file import not_written, whole_file

FORMAT: Final = 1
MAX_ENTRIES: Final = 200
_KERNEL_FILES: Final = (".cu", ".cuh")


@dataclass(frozen=True, slots=True)
class Tuned:
    """A sweep as it was kept."""

    result: SweepResult
    chosen: Mapping[str, str] | None = None  # the settings in use for its class of queries; None if automatic ones are

    def stale(self, now: SweepKey) -> str:
        """Say why its settings are not used any more, in one sentence; empty if they still hold.

        Parameters
        ----------
        now : SweepKey
            Of the same device, as it is now.
        """
        old = self.result.key
        if old.driver != now.driver:
            return f"It was made with driver {old.driver or 'unknown'}; now it is {now.driver or 'unknown'}."
        if old.kernels != now.kernels:
            return "It was made with another version of the GPU program."
        return ""


@functools.cache
def kernels_digest(*, kernels: bool) -> str:
    """Return a digest of the kernel sources; for engines without kernels the program's version."""
    if not kernels:
        return swgui.__version__
    digest = hashlib.blake2b(digest_size=16)
    folder = paths.kernels_dir()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _KERNEL_FILES):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def load_tuned(path: Path | None = None) -> tuple[Tuned, ...]:
    """Read what is kept, newest first; entries that cannot be read are passed over."""
    try:
        stored = json.loads((path or paths.tuning_file()).read_text("utf-8"))
        entries = stored["entries"] if stored["format"] == FORMAT else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()
    kept = []
    for entry in entries if isinstance(entries, list) else []:
        try:
            tuned = _read(entry)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            continue
        if not tuned.result.empty:  # versions before 0.2 kept those too
            kept.append(tuned)
    return tuple(sorted(kept, key=lambda tuned: tuned.result.made, reverse=True))


def keep_sweep(result: SweepResult, path: Path | None = None) -> None:
    """Keep a sweep; one of the same axes and key is replaced, and what was chosen there stays chosen.

    One that found nothing is not kept.

    Raises
    ------
    FileNotWritten
    """
    if result.empty:
        return
    before = load_tuned(path)
    same = next((tuned for tuned in before if _same_sweep(tuned.result, result)), None)
    rest = [tuned for tuned in before if tuned is not same]
    _write([Tuned(result, same.chosen if same else None), *rest], path)


def use_settings(result: SweepResult, chosen: Mapping[str, str] | None, path: Path | None = None) -> None:
    """Use settings for the queries of a sweep's class from now on; None for automatic ones.

    Only one entry of a key holds settings in use.

    Raises
    ------
    FileNotWritten
    """
    kept = []
    for tuned in load_tuned(path):
        if tuned.result.key == result.key:
            tuned = Tuned(tuned.result, chosen if _same_sweep(tuned.result, result) else None)
        kept.append(tuned)
    _write(kept, path)


def _same_sweep(sweep: SweepResult, other: SweepResult) -> bool:
    return sweep.key == other.key and [axis.name for axis in sweep.axes] == [axis.name for axis in other.axes]


def _write(entries: Sequence[Tuned], path: Path | None) -> None:
    target = path or paths.tuning_file()
    try:
        paths.make_folder(target.parent)
    except OSError as fault:
        raise not_written(target, fault) from fault
    kept = [{"sweep": as_json(tuned.result), "chosen": plain(tuned.chosen)} for tuned in entries[:MAX_ENTRIES]]
    stored = {"format": FORMAT, "entries": kept}
    with whole_file(target) as file:
        file.write(json.dumps(stored, indent=1, ensure_ascii=False).encode())


def as_json(result: SweepResult) -> dict[str, Any]:
    """Return a sweep as plain data for a JSON file; cells as a list, and what is computed from them beside them."""
    return {
        **plain(replace(result, cells={})),
        "cells": [plain(cell) for cell in result.cells.values()],
        "gain": result.gain,
        "drift": result.drift,
        "best": list(result.best.place) if result.best else None,
    }


def _read(entry: Mapping[str, Any]) -> Tuned:
    stored = entry["sweep"]
    cells = {cell.place: cell for cell in from_plain(tuple[Cell, ...], stored["cells"])}
    result = replace(from_plain(SweepResult, {**stored, "cells": {}}), cells=MappingProxyType(cells))
    if any(len(place) != len(result.axes) for place in cells):
        raise ValueError("a cell lies on no axis")
    chosen = entry.get("chosen")
    return Tuned(result, None if chosen is None else from_plain(dict[str, str], chosen))
