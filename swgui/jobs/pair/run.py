"""The alignment of one long pair from request to result: a generator of events, for the window and the command line.

Here an engine is held against the exact scores of the self-check; `swgui.jobs.pair.work` puts together what it finds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

from swgui.core.errors import EngineFault, EngineUnavailable, ScoreMismatch, Stopped
from swgui.core.pair.problem import PairPlan, PairProblem
from swgui.engines.pair.base import PairEngine
from swgui.io.whole_file import check_place
from swgui.jobs.check.pair import require_exact_pair
from swgui.jobs.pair.events import PairEvent, PairFinished, PairStarted
from swgui.jobs.pair.plan import prepare_cpu, prepare_engine
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.work import PairWork


def align_pair(request: PairRequest, cancel: threading.Event, plan: PairPlan | None = None) -> Iterator[PairEvent]:
    """Align a pair and say how far it is; the last event is `PairFinished`, however the work ended.

    When `cancel` is set, or the engine fails, the result has what was found by then and says so in ``state``. A
    `RunControl` as `cancel` can also pause the work; the device keeps what it holds. The checkpoint file of
    finished work is deleted when the caller asks for what comes after the result.

    Parameters
    ----------
    plan : PairPlan, optional
        What `swgui.jobs.pair.plan.plan_pair` said of this request; without it the work is planned first.

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
    engine, plan = _prepare_exact(request, plan, problems[request.strands[0]], cancel)
    with closing(engine):
        work = PairWork(request, problems, engine, plan)
        yield PairStarted(plan, request.strands)
        try:
            yield from work.run(cancel)
        except Stopped:
            work.stop("stopped", "Stopped by you.")
        except (EngineFault, ScoreMismatch) as fault:
            work.stop("failed", str(fault))
        yield PairFinished(work.result())
        work.forget()  # only now: whoever could not write the result down has not come back for more


def _prepare_exact(
    request: PairRequest, planned: PairPlan | None, problem: PairProblem, cancel: threading.Event
) -> tuple[PairEngine, PairPlan]:
    """Make an engine that has given the exact scores of the self-check, as it will be used."""
    engine, plan = prepare_engine(request, planned)
    try:
        require_exact_pair(engine, plan, problem, cancel)
    except Stopped:
        pass  # the work will notice at once
    except (EngineUnavailable, EngineFault) as fault:
        engine.close()
        if request.method != "auto":
            raise
        return prepare_cpu(request, fault)
    except BaseException:
        engine.close()
        raise
    return engine, plan
