"""Self-check of the methods for one long pair: compared with the CPU's before a device is trusted with a kind of work.

A method on a GPU is a kernel compiled for the scheme, the mode, its settings and how many letters there are. So what
is checked is that very kernel: pairs of several sizes, of the same letters as the sequences at hand, are scored (and
aligned) in the same way, and score and end must be those of the ``cpu`` method, which shares no code with it. The
outcome is remembered as that of other self-checks, and forgotten when program, driver or kernels change.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter, ScoreMismatch, Stopped
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.core.pair.problem import PairAligned, PairEnd, PairMode, PairPlan, PairProblem, PairScored
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import DeviceInfo
from swgui.engines.pair.base import PairEngine
from swgui.engines.pair.registry import make_pair_engine
from swgui.jobs.check.device import SelfCheck, fingerprint, last_check, remember, settings_text

# Of query and subject: one cell, less than a band of any method, several bands and strips.
SIZES: Final = ((1, 1), (97, 301), (1_025, 2_049), (3_001, 5_003))
SHARE_CHANGED: Final = 0.1
TRUSTED: Final = CPU_METHOD


def checked_pairs(
    query_letters: NDArray[np.uint8], subject_letters: NDArray[np.uint8]
) -> Iterator[tuple[EncodedQuery, NDArray[np.uint8]]]:
    """Yield related sequences of the sizes above, the same every time.

    Parameters
    ----------
    query_letters, subject_letters : ndarray, dtype=uint8
        The codes that may occur in either.
    """
    for number, (rows, columns) in enumerate(SIZES):
        random = np.random.default_rng(number)
        subject = subject_letters[random.integers(0, len(subject_letters), columns)]
        query = np.repeat(subject, random.choice((0, 1, 2), columns, p=(0.02, 0.96, 0.02)))  # lost, kept, doubled
        query = np.resize(query, rows)
        changed = (random.random(rows) < SHARE_CHANGED) | ~np.isin(query, query_letters)
        query[changed] = query_letters[random.integers(0, len(query_letters), int(changed.sum()))]
        yield EncodedQuery(f"check {number + 1}", query), subject


def require_exact_pair(engine: PairEngine, plan: PairPlan, problem: PairProblem, cancel: threading.Event) -> None:
    """Check a method on its devices as it will be used, unless that was done before.

    Parameters
    ----------
    plan : PairPlan
        Of the problem at hand.
    problem : PairProblem
        Of its sequences only which residues occur matters here.

    Raises
    ------
    EngineUnavailable
        If it gave a wrong score, now or when it was checked last.
    Stopped
        If `cancel` was set meanwhile.
    """
    if engine.method == TRUSTED:
        return
    name = f"pair {engine.method}"
    settings = _settings(plan)
    scheme = problem.scheme
    letters = _occurring(problem.query.codes), _occurring(problem.subject)
    key = f"{settings_text(settings)} {problem.mode} {scheme.describe()} {_digest(scheme, *letters)}"
    for device in engine.devices[: len(plan.devices)]:  # there may be more than it will use
        outcome = last_check(name, device, key)
        if outcome is None:
            outcome = _check(engine.method, device, settings, scheme, problem.mode, letters, cancel, key)
            with suppress(OSError):  # where nothing can be remembered, it is checked again next time
                remember(outcome)
        if not outcome.ok:
            raise EngineUnavailable(
                engine.method,
                f"The method {engine.method} gave {outcome.differing} of {outcome.compared} checked scores wrong on "
                f"{device.name}. It is not used.",
                hint="Choose another method, update the driver, and report this.",
            )


def _settings(plan: PairPlan) -> Mapping[str, str]:
    """Return the settings of a plan with which an engine makes the same kernel for small pairs."""
    named = {setting.name: setting for setting in PAIR_METHODS[plan.method].settings}
    return {name: value for name, value in sorted(plan.settings.items()) if name in named and named[name].allows(value)}


def _occurring(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the codes that occur, ascending."""
    return np.flatnonzero(np.bincount(codes)).astype(np.uint8)


def _digest(scheme: ScoringScheme, *letters: NDArray[np.uint8]) -> str:
    """Tell matrices of the same name, and sequences of other letters, apart."""
    parts = scheme.matrix.scores.tobytes(), *(codes.tobytes() for codes in letters)
    return hashlib.blake2b(b"/".join(parts), digest_size=6).hexdigest()


def _check(
    method: str,
    device: DeviceInfo,
    settings: Mapping[str, str],
    scheme: ScoringScheme,
    mode: PairMode,
    letters: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    cancel: threading.Event,
    key: str,
) -> SelfCheck:
    began = time.perf_counter()
    compared, wrong = 0, []
    options = EngineOptions(devices=(device.id,), settings=settings)
    with (
        closing(make_pair_engine(method, options)) as engine,
        closing(make_pair_engine(TRUSTED, EngineOptions())) as cpu,
    ):
        for query, subject in checked_pairs(*letters):
            problem = _possible(engine, PairProblem(query, subject, scheme, mode))
            if problem is None:
                continue
            actual = _end(engine, problem, cancel)
            expected = _end(cpu, replace(problem, score_only=True), cancel)
            compared += 1
            if actual != expected:
                wrong.append(f"{query.id}: {actual} instead of {expected}.")
    if not compared and settings:  # they are for larger pairs only
        return _check(method, device, {}, scheme, mode, letters, cancel, key)
    return SelfCheck(
        engine=f"pair {method}",
        device_id=device.id,
        device=device.name,
        compared=compared,
        differing=len(wrong),
        differences=tuple(wrong),
        seconds=time.perf_counter() - began,
        checked_at=datetime.now().astimezone().isoformat(timespec="seconds"),
        fingerprint=fingerprint(f"pair {method}", device),
        settings=key,
    )


def _possible(engine: PairEngine, problem: PairProblem) -> PairProblem | None:
    """Return the request to a method for one pair: the alignment if it makes one; None if it refuses the pair."""
    for asked in (problem, replace(problem, score_only=True)):
        with suppress(InvalidParameter):
            engine.plan(asked)
            return asked
    return None


def _end(engine: PairEngine, problem: PairProblem, cancel: threading.Event) -> PairEnd | None:
    """Return score and end; None if a finished alignment has another score."""
    end: PairEnd | None = None
    try:
        for step in engine.run(problem, cancel):
            if isinstance(step, PairScored):
                end = step.end
            elif isinstance(step, PairAligned) and (end is None or step.alignment.score != end.score):
                return None
    except ScoreMismatch:
        return None
    if cancel.is_set():
        raise Stopped
    return end
