"""Settings that sweeps found and the user chose to use: ``tuning.json`` in the user's configuration folder.

One entry for each device, driver, state of the kernels, alphabet and class of query lengths (`SweepKey`). Sweeps
themselves are runs. Versions before 0.2 kept them in this file, each with the settings that were chosen; they stay
there until `forget_sweeps`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from swgui import paths
from swgui.core.plain import from_plain, plain
from swgui.core.sweep.grid import SweepKey, SweepResult
from swgui.core.sweep.report import from_json
from swgui.io.whole_file import not_written, whole_file

FORMAT: Final = 2
WITH_SWEEPS: Final = 1  # format of versions before 0.2
MAX_ENTRIES: Final = 200
_DAMAGED: Final = (ValueError, KeyError, TypeError, AttributeError, OverflowError)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class InUse:
    """Settings that a sweep found and the user chose: what they hold for, and what is set."""

    key: SweepKey
    settings: Mapping[str, str]


def stale(key: SweepKey, now: SweepKey) -> str:
    """Return one sentence on why settings are no longer used; empty if they still hold.

    Parameters
    ----------
    key : SweepKey
        Of the sweep that found them.
    now : SweepKey
        Of the same device, as it is now.
    """
    if key.driver != now.driver:
        return f"It was made with driver {key.driver or 'unknown'}; now it is {now.driver or 'unknown'}."
    if key.kernels != now.kernels:
        return "It was made with another version of the GPU program."
    return ""


def load_in_use(path: Path | None = None) -> tuple[InUse, ...]:
    """Read the settings in use, those chosen last first; entries that cannot be read are passed over."""
    stored = _stored(path)
    if stored["format"] == FORMAT:
        return tuple(_readable(stored.get("in_use"), _in_use))
    entries = sorted(_readable(stored.get("entries"), _entry), key=lambda entry: entry[0].made)
    chosen = {sweep.key: InUse(sweep.key, settings) for sweep, settings in entries if settings is not None}
    return tuple(chosen.values())[::-1]


def use_settings(key: SweepKey, chosen: Mapping[str, str] | None, path: Path | None = None) -> None:
    """Use settings for what a sweep holds for from now on; None for automatic ones.

    Raises
    ------
    FileNotWritten
    """
    stored = _stored(path)
    others = [entry for entry in load_in_use(path) if entry.key != key]
    _write([InUse(key, chosen), *others] if chosen is not None else others, stored.get("entries"), path)


def earlier_sweeps(path: Path | None = None) -> tuple[SweepResult, ...]:
    """Return the sweeps that a version before 0.2 kept, oldest first; none where they were handed over."""
    found = [sweep for sweep, _ in _readable(_stored(path).get("entries"), _entry) if not sweep.empty]
    return tuple(sorted(found, key=lambda sweep: sweep.made))


def forget_sweeps(path: Path | None = None) -> None:
    """Write the file without the sweeps of earlier versions: they are runs now.

    Raises
    ------
    FileNotWritten
    """
    _write(load_in_use(path), None, path)


def _stored(path: Path | None) -> dict[str, Any]:
    """Return the content of the file; empty for a damaged one, or one of a later version."""
    try:
        stored = json.loads((path or paths.tuning_file()).read_text("utf-8"))
        return stored if stored["format"] in (FORMAT, WITH_SWEEPS) else {"format": FORMAT}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {"format": FORMAT}


def _readable(entries: Any, read: Callable[[Any], T]) -> list[T]:
    found = []
    for entry in entries if isinstance(entries, list) else []:
        with suppress(*_DAMAGED):
            found.append(read(entry))
    return found


def _in_use(entry: Mapping[str, Any]) -> InUse:
    return InUse(from_plain(SweepKey, entry["key"]), from_plain(dict[str, str], entry["settings"]))


def _entry(entry: Mapping[str, Any]) -> tuple[SweepResult, dict[str, str] | None]:
    chosen = entry.get("chosen")
    return from_json(entry["sweep"]), None if chosen is None else from_plain(dict[str, str], chosen)


def _write(entries: Sequence[InUse], sweeps: Any, path: Path | None) -> None:
    target = path or paths.tuning_file()
    try:
        paths.make_folder(target.parent)
    except OSError as fault:
        raise not_written(target, fault) from fault
    kept = [{"key": plain(entry.key), "settings": plain(entry.settings)} for entry in entries[:MAX_ENTRIES]]
    stored = {"format": FORMAT, "in_use": kept} | ({"entries": sweeps} if sweeps else {})
    with whole_file(target) as file:
        file.write(json.dumps(stored, indent=1, ensure_ascii=False).encode())
