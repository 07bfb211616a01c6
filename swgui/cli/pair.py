"""``swgui pair``: the exact alignment of two long sequences."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from swgui.cli.queries import read_queries
from swgui.commands.pair import pair_request
from swgui.core.alphabet import Alphabet
from swgui.core.control import stop_on_interrupt
from swgui.core.devices import device_ids
from swgui.core.errors import InvalidParameter
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairPlan, Strand
from swgui.core.pair.result import PairResult
from swgui.core.records import SequenceRecord
from swgui.core.scoring import check_same_alphabet
from swgui.core.trace import part
from swgui.core.words import duration
from swgui.engines.base import EngineOptions
from swgui.engines.facts import GPU
from swgui.engines.registry import begin
from swgui.io.outputs import check_outputs
from swgui.io.pair_export import check_pair_format, save_pair, write_pair
from swgui.jobs.pair.events import PairEvent, PairFinished, PairFound, PairProgressed
from swgui.jobs.pair.plan import plan_pair
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from swgui.jobs.progress import ProgressLine, bar

SHOWN_IDS = 5  # of a file with several sequences, in an error


def run(arguments: argparse.Namespace) -> int:
    """Align and write, or say what it would cost."""
    if not arguments.plan:
        check_outputs(
            {"out": arguments.out, "checkpoint": arguments.checkpoint},
            [("query", arguments.query), ("subject", arguments.subject), ("matrix", arguments.matrix)],
        )
    if arguments.method != CPU_METHOD:
        begin(GPU.name, EngineOptions(device_ids(arguments.device)))
    with part("open"):
        request = make_request(arguments)
    if arguments.history is not None and request.checkpoint is not None:
        message = "The history keeps the state of the work itself."
        raise InvalidParameter("history", arguments.history, message, hint="Give --checkpoint or --history.")
    if arguments.plan:
        show_plan(plan_pair(request), request.strands)
        return 0
    nucleotides = bool(request.scheme.alphabet.complements)
    check_pair_format(arguments.format, aligned=not request.score_only, nucleotides=nucleotides)
    line = ProgressLine()

    def deliver(result: PairResult) -> None:
        with part("format"):
            if arguments.out:
                save_pair(arguments.out, arguments.format, result)
            else:
                write_pair(arguments.format, result, sys.stdout)

    with stop_on_interrupt() as cancel:
        result = align(request, line, cancel, deliver, arguments.history)
    report(result, line)
    return 0 if result.state == "finished" else 1


def make_request(arguments: argparse.Namespace) -> PairRequest:
    """Return what the arguments describe."""
    query, alphabet = _read_one(arguments.query, arguments.type, arguments.query_id, "query")
    subject, other = _read_one(arguments.subject, arguments.type, arguments.subject_id, "subject")
    check_same_alphabet(alphabet, other, "subject")
    return pair_request(arguments, query, subject, alphabet)


def _read_one(path: str, kind: str, wanted: str | None, what: str) -> tuple[SequenceRecord, Alphabet]:
    records, alphabet = read_queries([path], kind)
    ids = [record.id for record in records]
    if wanted is None and len(records) == 1:
        return records[0], alphabet
    shown = ", ".join(ids[:SHOWN_IDS]) + (", ..." if len(ids) > SHOWN_IDS else "")
    if wanted is None:
        raise InvalidParameter(
            what, path, f"{path} has {len(records)} sequences.", hint=f"Choose one with --{what}-id: {shown}."
        )
    if ids.count(wanted) != 1:
        number = "no sequence" if wanted not in ids else f"{ids.count(wanted)} sequences"
        raise InvalidParameter(f"{what}-id", wanted, f"{path} has {number} called '{wanted}'.", hint=f"It has {shown}.")
    return records[ids.index(wanted)], alphabet


def align(
    request: PairRequest,
    line: ProgressLine,
    cancel: threading.Event,
    deliver: Callable[[PairResult], None],
    history: str | None = None,
) -> PairResult:
    """Align and show how far it is.

    Parameters
    ----------
    history : str, optional
        Name of the run in the history, perhaps empty; it is not kept there if not given.
    deliver : Callable[[PairResult], None]
        Writes the result. If it raises, the work can be gone on with: nothing is left to compute then.
    """
    result: PairResult | None = None
    for event in _events(request, cancel, history):
        match event:
            case PairProgressed():
                line.show(progress_text(event))
            case PairFound(found):
                line.clear()
                if request.limit > 1:
                    line.say(f"Alignment {found.index}: score {found.score}, {found.strand} strand")
            case PairFinished():
                line.clear()
                result = event.result
                deliver(result)
    assert result is not None  # the last event has it
    return result


def _events(request: PairRequest, cancel: threading.Event, history: str | None) -> Iterator[PairEvent]:
    """Align; in the history if a name is given, where an interrupted run of the same work is resumed."""
    if history is None:
        yield from align_pair(request, cancel)
        return
    from swgui.history import History  # here: most pairs are not kept

    runs, plan = History().pairs, plan_pair(request)
    yield from runs.align(replace(request, name=history, run_id=runs.unfinished(request, plan).run_id), cancel, plan)


def progress_text(event: PairProgressed) -> str:
    """Return stage, bar, cells and time left."""
    step = event.step
    text = f"{step.stage} {bar(step.cells_passed, step.cells_total)}  {step.cells_done / 1e9:,.2f} G cells"
    if step.pruned:
        text += f" + {step.pruned / 1e9:,.2f} G left out"
    if step.best is not None:
        text += f"  score {step.best.score}"
    if event.seconds_left is not None:
        text += f"  {duration(event.seconds_left)} left"
    return text


def show_plan(plan: PairPlan, strands: Sequence[Strand]) -> None:
    """Print what each strand would cost."""
    for strand in strands:
        print(f"{strand} strand: method {plan.method} on {', '.join(plan.devices)}")
        print(f"  cells: {plan.cells:,}; at most {plan.cells_at_most:,} to compute")
        if plan.seconds is not None:
            print(f"  time: about {duration(plan.seconds, measured=True)}")
        parts = ", ".join(f"{name} {size / 2**20:,.1f}" for name, size in plan.memory.items())
        print(f"  memory: {plan.memory_bytes / 2**20:,.1f} MiB ({parts})")
        if plan.settings:
            print(f"  settings: {', '.join(f'{name}={value}' for name, value in plan.settings.items())}")
        for remark in plan.remarks:
            print(f"  {remark}")


def report(result: PairResult, line: ProgressLine) -> None:
    """Say on the standard error what was done; in a pipe only what the user must know."""
    for remark in result.remarks:
        line.say(remark)
    if result.state != "finished":
        best = f"the best score so far is {result.score}" if result.score is not None else "no score is known yet"
        print(f"swgui: {result.state}: {result.reason} {best.capitalize()}.", file=sys.stderr)
    seconds = result.total_seconds
    speed = f", {result.cells / seconds / 1e9:,.2f} GCUPS" if seconds > 0 else ""
    line.say(
        f"{result.query_length:,} x {result.subject_length:,} residues, {result.scheme.describe()}: "
        f"score {result.score}; {result.cells / 1e9:,.2f} G cells in {seconds:.2f} s{speed} "
        f"on {', '.join(result.devices)} ({result.method})."
    )
