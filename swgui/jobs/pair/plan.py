"""Which engine aligns a pair, and what that will cost."""

from __future__ import annotations

from dataclasses import replace

from swgui.core.errors import EngineUnavailable, InvalidParameter, SwguiError
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairPlan
from swgui.engines.base import EngineOptions
from swgui.engines.pair.base import PairEngine
from swgui.engines.pair.registry import make_pair_engine, resolve_method
from swgui.jobs.pair.request import PairRequest


def plan_pair(request: PairRequest) -> PairPlan:
    """Say what each strand will cost: cells, memory, settings, and time where it can be told.

    May take a second, to measure the device.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If it cannot be done, with what can.
    """
    engine, plan = prepare_engine(request)
    engine.close()
    return plan


def prepare_engine(request: PairRequest, plan: PairPlan | None = None) -> tuple[PairEngine, PairPlan]:
    """Make the engine; with ``auto`` the CPU does what the GPU's method cannot.

    Parameters
    ----------
    plan : PairPlan, optional
        What `plan_pair` said of this request; without it the work is planned now.

    Returns
    -------
    engine : PairEngine
        To be closed by the caller.
    plan : PairPlan

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If it cannot be done, with what can.
    """
    method = resolve_method(request.method)
    if plan is not None and plan.method != method:
        if plan.method == CPU_METHOD:
            return make_pair_engine(CPU_METHOD, _on_cpu(request)), plan
        plan = None  # its device is gone
    try:
        engine = make_pair_engine(method, request.options)
        try:
            return engine, plan or engine.plan(request.outline)
        except BaseException:
            engine.close()
            raise
    except (EngineUnavailable, InvalidParameter) as problem:
        if request.method != "auto" or method == CPU_METHOD:
            raise
        return prepare_cpu(request, problem)


def prepare_cpu(request: PairRequest, problem: SwguiError) -> tuple[PairEngine, PairPlan]:
    """Make the CPU's engine and its plan, which says why it is used instead."""
    engine = make_pair_engine(CPU_METHOD, _on_cpu(request))
    plan = engine.plan(request.outline)
    return engine, replace(plan, remarks=(*plan.remarks, f"{problem.message} The CPU is used instead."))


def _on_cpu(request: PairRequest) -> EngineOptions:
    return EngineOptions(threads=request.options.threads)
