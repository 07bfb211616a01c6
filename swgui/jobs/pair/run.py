"""The alignment of one long pair from request to result: a generator of events, for the window and the command line.

Here an engine is chosen, planned and held against the exact scores of the self-check; `swgui.jobs.pair.work` puts
together what it finds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace

from swgui.core.errors import (
    EngineFault,
    EngineUnavailable,
    InvalidParameter,
    ScoreMismatch,
    Stopped,
    SwguiError,
)
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairPlan, PairProblem, Strand
from swgui.core.pair.result import PairEvent, PairFinished, PairStarted
from swgui.engines.base import EngineOptions
from swgui.engines.pair.base import PairEngine
from swgui.engines.pair.registry import make_pair_engine, resolve_method
from swgui.io.whole_file import check_place
from swgui.jobs.check.pair import require_exact_pair
from swgui.jobs.pair.work import PairRequest, PairWork, lasting_settings

__all__ = ["PairRequest", "align_pair", "lasting_settings", "plan_pair"]


def plan_pair(request: PairRequest) -> Mapping[Strand, PairPlan]:
    """Say what each strand will cost: cells, memory, settings, and time where it can be told.

    May take a second, to measure the device.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If it cannot be done, with what can.
    """
    engine, plan, remarks = _prepare(request)
    engine.close()
    return {strand: replace(plan, remarks=(*plan.remarks, *remarks)) for strand in request.strands}


def align_pair(request: PairRequest, cancel: threading.Event) -> Iterator[PairEvent]:
    """Align a pair and say how far it is; the last event is `PairFinished`, however the work ended.

    When `cancel` is set, or the engine fails, the result has what was found by then and says so in ``state``. A
    `RunControl` as `cancel` can also hold the work up; the device keeps what it holds. The checkpoint file of
    finished work is deleted when the caller asks for what comes after the result.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If the work cannot begin.
    CheckpointError
        If the checkpoint file is of other sequences or settings, or damaged.
    FileNotWritten
        If there can be no checkpoint file at that place.
    """
    if request.checkpoint is not None:
        check_place(request.checkpoint)
    problems = request.problems()
    engine, plan, remarks = _prepare_exact(request, problems[request.strands[0]], cancel)
    with closing(engine):
        work = PairWork(request, problems, engine, plan, remarks)
        yield PairStarted(dict.fromkeys(request.strands, work.plan))
        try:
            yield from work.run(cancel)
        except Stopped:
            work.stop("stopped", "Stopped by the user.")
        except (EngineFault, ScoreMismatch) as fault:
            work.stop("failed", str(fault))
        yield PairFinished(work.result())
        work.forget()  # only now: whoever could not write the result down has not come back for more


def _prepare(request: PairRequest) -> tuple[PairEngine, PairPlan, tuple[str, ...]]:
    """Make the engine and its plan; with ``auto`` the CPU does what the GPU's method cannot."""
    method = resolve_method(request.method)
    try:
        engine = make_pair_engine(method, request.options)
        try:
            return engine, engine.plan(request.outline), ()
        except BaseException:
            engine.close()
            raise
    except (EngineUnavailable, InvalidParameter) as problem:
        if request.method != "auto" or method == CPU_METHOD:
            raise
        return _prepare_cpu(request, problem)


def _prepare_cpu(request: PairRequest, problem: SwguiError) -> tuple[PairEngine, PairPlan, tuple[str, ...]]:
    """Take the CPU, and say why."""
    engine = make_pair_engine(CPU_METHOD, EngineOptions(threads=request.options.threads))
    remark = f"{problem.message} The CPU is used instead."
    return engine, engine.plan(request.outline), (remark,)


def _prepare_exact(
    request: PairRequest, problem: PairProblem, cancel: threading.Event
) -> tuple[PairEngine, PairPlan, tuple[str, ...]]:
    """Make an engine that has given the exact scores of the self-check, as it will be used."""
    engine, plan, remarks = _prepare(request)
    try:
        require_exact_pair(engine, plan, problem, cancel)
    except Stopped:
        pass  # the work will notice at once
    except (EngineUnavailable, EngineFault) as problem:
        engine.close()
        if request.method != "auto":
            raise
        return _prepare_cpu(request, problem)
    except BaseException:
        engine.close()
        raise
    return engine, plan, remarks
