"""Self-check of a device: small searches whose exact scores are stored, at first use and after every change.

Outcomes are remembered per engine and device together with everything they depend on (program version, driver and
other facts of the device, kernel sources, the stored scores); when any of it changes, the device counts as unchecked.
A device that gave a wrong score is refused until a later check passes.
"""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

import swgui
from swgui import paths
from swgui.core.alphabet import alphabet_by_name
from swgui.core.checksums import blake2b
from swgui.core.database import ArrayDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable
from swgui.core.packing import plan_chunks
from swgui.core.plain import from_plain, plain
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines import registry
from swgui.engines.base import DeviceEngine, DeviceInfo, Engine
from swgui.io.whole_file import save_text
from swgui.jobs.events import Stage

Prefetch = Callable[[DeviceEngine], None]

MEMORY_FORMAT: Final = 1
DIFFERENCES_NAMED: Final = 10


class Check(msgspec.Struct, frozen=True, eq=False):
    """One small search with its exact scores."""

    name: str
    scheme: ScoringScheme
    queries: tuple[EncodedQuery, ...]
    database: ArrayDatabase
    scores: NDArray[np.int32]  # source order, shape (queries, subjects)


class SelfCheck(msgspec.Struct, frozen=True):
    """Outcome of the self-check of one device."""

    # engine, device_id, device: names in the registry and of the device
    engine: str
    device_id: str
    device: str
    # compared, differing: scores compared, and how many were wrong or missing
    compared: int
    differing: int
    differences: tuple[str, ...]  # the first of them, each as one sentence
    seconds: float
    checked_at: str  # local time, ISO 8601
    fingerprint: str  # digest of everything the outcome depends on
    # Settings of the engine (method, block size, ...), as `settings_text` writes them; empty for nothing.
    settings: str = ""

    @property
    def ok(self) -> bool:
        """Whether every score was right."""
        return self.differing == 0 and self.compared > 0

    def describe(self) -> str:
        """Return one sentence for the badge "exact, verified" and for refusals."""
        day = self.checked_at[:10]
        label = f"{self.device} ({self.engine}{', ' if self.settings else ''}{self.settings})"
        if self.ok:
            return (
                f"{self.compared:,} scores of {label} equalled the stored exact ones on {day}, "
                f"swgui {swgui.__version__}."
            )
        return f"{label} gave {self.differing:,} of {self.compared:,} scores wrong on {day}."


@functools.cache
def stored_checks() -> tuple[Check, ...]:
    """Read the stored searches."""
    stored = json.loads((paths.resources_dir() / "selfcheck.json").read_text("utf-8"))
    return tuple(_check(case) for case in stored["cases"])


def _check(case: dict[str, object]) -> Check:
    alphabet = alphabet_by_name(str(case["alphabet"]))
    name = str(case["name"])
    given = [alphabet.code(letter) for letter in str(case["letters"])]
    # By letter, so that an alphabet may get more letters without making the file wrong.
    values = np.zeros((len(alphabet), len(alphabet)), dtype=np.int16)
    values[np.ix_(given, given)] = np.asarray(case["matrix"], dtype=np.int16)
    scheme = ScoringScheme(
        SubstitutionMatrix(name, alphabet, values), int(str(case["first"])), int(str(case["further"]))
    )
    queries, subjects = ([str(text).encode() for text in _list(case[part])] for part in ("queries", "subjects"))
    return Check(
        name=name,
        scheme=scheme,
        queries=tuple(EncodedQuery(f"query {i + 1}", alphabet.encode(text)) for i, text in enumerate(queries)),
        database=encode_database(
            (SequenceRecord(f"subject {i + 1}", "", text) for i, text in enumerate(subjects)), alphabet, name
        ),
        scores=np.asarray(case["scores"], dtype=np.int32),
    )


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def settings_text(settings: Mapping[str, str]) -> str:
    """Return settings of an engine in one line, always in the same order."""
    return " ".join(f"{name}={value}" for name, value in sorted(settings.items()))


def check_engine(
    name: str,
    cancel: threading.Event,
    *,
    device_id: str = "",
    settings: Mapping[str, str] = MappingProxyType({}),
    prefetch: Prefetch | None = None,
) -> Iterator[Stage | SelfCheck]:
    """Check the devices of an engine one by one, and remember the outcomes.

    Yields a `Stage` before each device and a `SelfCheck` after it; ends early once `cancel` is set.

    Parameters
    ----------
    name : str
        ``cuda``, ``cpu`` or ``reference``.
    device_id : str
        Only this device; empty for all.
    settings : Mapping[str, str]
        Settings of the engine.
    prefetch : callable, optional
        Has an engine compile what will be needed after the check.

    Raises
    ------
    EngineUnavailable
        If the engine cannot run here.
    EngineFault
        If it fails while it works.
    """
    status = registry.probe(name)
    if not status.available:
        raise EngineUnavailable(name, status.reason, hint=status.hint)
    devices = [device for device in status.devices if device_id in ("", device.id)]
    for number, device in enumerate(devices):
        yield Stage(f"Checking {device.name}", number, len(devices))
        options = EngineOptions(devices=(device.id,), settings=settings)
        with closing(registry.make_engine(name, options)) as engine:
            outcome = check_device(engine, device, cancel, settings_text(settings), prefetch)
        if outcome is None:
            return
        with suppress(OSError):  # where nothing can be remembered, the device is checked again next time
            remember(outcome)
        yield outcome


def check_device(
    engine: Engine, device: DeviceInfo, cancel: threading.Event, settings: str = "", prefetch: Prefetch | None = None
) -> SelfCheck | None:
    """Run the stored searches on an engine, made with some settings, and compare all scores; `prefetch` as above.

    Returns
    -------
    SelfCheck or None
        None if `cancel` was set before the end.
    """
    began = time.perf_counter()
    compared = differing = 0
    named: list[str] = []
    if isinstance(engine, DeviceEngine):
        # Kernels of long queries take longest to compile: they begin first.
        for check in sorted(stored_checks(), key=lambda check: -max(map(len, check.queries))):
            engine.compile_ahead(check.queries, check.database, check.scheme)
        if prefetch is not None:
            prefetch(engine)
    for check in stored_checks():
        scores = np.full(check.scores.shape, -1, dtype=np.int64)
        plans = plan_chunks(check.database.offsets, engine.chunk_limits(check.queries, check.database))
        for chunk in engine.score(check.queries, check.database, plans, check.scheme, cancel):
            scores[chunk.query_index, chunk.db_index] = chunk.scores
        if cancel.is_set():
            return None
        compared += check.scores.size
        wrong = np.argwhere(scores != check.scores)
        differing += len(wrong)
        for query, subject in wrong[: DIFFERENCES_NAMED - len(named)].tolist():
            value = scores[query, subject] if scores[query, subject] >= 0 else "nothing"
            named.append(
                f"{check.name}: query {query + 1} against subject {subject + 1} gave {value} instead of "
                f"{check.scores[query, subject]}."
            )
    return SelfCheck(
        engine=engine.name,
        device_id=device.id,
        device=device.name,
        compared=compared,
        differing=differing,
        differences=tuple(named),
        seconds=time.perf_counter() - began,
        checked_at=datetime.now().astimezone().isoformat(timespec="seconds"),
        fingerprint=fingerprint(engine.name, device),
        settings=settings,
    )


def fingerprint(engine: str, device: DeviceInfo) -> str:
    """Return a digest of everything a self-check depends on: program, device, driver, kernels, stored scores.

    `engine` is a name in the registry, or the topic of another check of a GPU (``pair tiled``).
    """
    facts = registry.installed().get(engine)
    parts = {
        "version": swgui.__version__,
        "engine": engine,
        "device": device.name,
        "facts": dict(sorted(device.facts.items())),
        "checks": _digest_of(paths.resources_dir() / "selfcheck.json"),
        "kernels": "" if facts is not None and not facts.kernels else _kernels(paths.kernels_dir()),
    }
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()


@functools.cache  # the program reads each source once, too: rounds ask for it at each search
def _kernels(folder: Path) -> str:
    sources = sorted(path for path in folder.rglob("*") if path.suffix in (".cu", ".cuh"))
    return blake2b("".join(_digest_of(path) for path in sources).encode(), digest_size=16).hexdigest()


def _digest_of(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


def last_check(engine: str, device: DeviceInfo, settings: str = "") -> SelfCheck | None:
    """Return the remembered outcome of a device, or None if there is none or anything it depends on has changed."""
    outcome = _memory().get(_key(engine, device.id, settings))
    return outcome if outcome is not None and outcome.fingerprint == fingerprint(engine, device) else None


def require_exact(
    engine: str,
    device: DeviceInfo,
    cancel: threading.Event,
    settings: Mapping[str, str] = MappingProxyType({}),
    prefetch: Prefetch | None = None,
) -> Iterator[Stage]:
    """Check a device that has no valid outcome yet, and refuse one that gives wrong scores.

    Takes no time if the device was checked before with the same settings and nothing it depends on has changed.

    Raises
    ------
    EngineUnavailable
        If the device gave a wrong score, now or when it was checked last.
    """
    outcome = last_check(engine, device, settings_text(settings))
    if outcome is None:
        for event in check_engine(engine, cancel, device_id=device.id, settings=settings, prefetch=prefetch):
            if isinstance(event, SelfCheck):
                outcome = event
            else:
                yield event
    if outcome is not None and not outcome.ok:
        raise EngineUnavailable(
            engine,
            f"{outcome.describe()} It is not used.",
            hint="Choose another device or the CPU, update the driver, and run the self-check again.",
        )


def require_exact_engine(
    name: str, options: EngineOptions, cancel: threading.Event, prefetch: Prefetch | None = None
) -> Iterator[Stage]:
    """Let no device that an engine would use score before it has passed the self-check with these settings.

    Parameters
    ----------
    name : str
        In the registry.
    prefetch : callable, optional
        As of `check_engine`.

    Raises
    ------
    EngineUnavailable
        As `require_exact`.
    """
    devices = registry.probe(name).devices
    for device in [device for device in devices if device.id in options.devices] or devices:
        yield from require_exact(name, device, cancel, options.settings, prefetch)


def remember(outcome: SelfCheck) -> None:
    """Store an outcome in the user's configuration folder."""
    memory = _memory() | {_key(outcome.engine, outcome.device_id, outcome.settings): outcome}
    stored = {"format": MEMORY_FORMAT, "checks": [plain(memory[key]) for key in sorted(memory)]}
    path = memory_path()
    paths.make_folder(path.parent)
    save_text(path, lambda file: json.dump(stored, file, indent=1))


def memory_path() -> Path:
    """Return the file of the self-checks of engines that were made."""
    return paths.config_dir() / "self_checks.json"


def _key(engine: str, device_id: str, settings: str) -> str:
    return f"{engine}/{device_id}/{settings}"


def _memory() -> dict[str, SelfCheck]:
    """Read the remembered outcomes; an unreadable file counts as none, so that all is checked again."""
    try:
        stored = json.loads(memory_path().read_text("utf-8"))
        if stored["format"] != MEMORY_FORMAT:
            return {}
        outcomes = from_plain(tuple[SelfCheck, ...], stored["checks"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {_key(outcome.engine, outcome.device_id, outcome.settings): outcome for outcome in outcomes}
