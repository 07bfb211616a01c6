"""``swgui pair``: the exact alignment of two long sequences, or of several pairs of them."""

from __future__ import annotations

import argparse
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from swgui.cli.queries import read_queries
from swgui.cli.running import COMPLETE, Terminal, check_one_place, on_terminal, say
from swgui.commands.pair import pair_request, strand_sentence
from swgui.core.alphabet import Alphabet
from swgui.core.devices import device_ids
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairPlan, Strand
from swgui.core.pair.result import PairResult
from swgui.core.pair.several import PAIRINGS, Pairing, listed, paired
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import check_same_alphabet
from swgui.core.trace import part
from swgui.core.verdict.answers import pair_answer
from swgui.core.words import count, duration
from swgui.engines.facts import GPU
from swgui.engines.registry import begin
from swgui.io.export.pairs import check_pair_format, save_pair, write_pair
from swgui.io.outputs import check_outputs
from swgui.io.sequences.sources import open_file
from swgui.jobs.events import Finished, Foretold
from swgui.jobs.pair.events import PairEvent, PairFound, PairProgressed
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair, plan_pair
from swgui.jobs.progress import ProgressLine, bar

NAME_LENGTH = 40
_ODD = re.compile(r"[^A-Za-z0-9._]+")
SHOWN_IDS = 5  # of a file with several sequences, in an error


def run(arguments: argparse.Namespace) -> int:
    """Align and write, or say what it would cost."""
    if not arguments.plan and not arguments.pairs:
        check_outputs(
            {"out": arguments.out, "checkpoint": arguments.checkpoint},
            [("query", arguments.query), ("subject", arguments.subject), ("matrix", arguments.matrix)],
        )
    if arguments.method != CPU_METHOD:
        begin(GPU.name, EngineOptions(device_ids(arguments.device)))
    if arguments.pairs:
        return run_several(arguments)
    with part("open"):
        request = make_request(arguments)
    check_one_place(arguments)
    if arguments.plan:
        show_plan(plan_pair(request), request.strands)
        return 0
    nucleotides = bool(request.scheme.alphabet.complements)
    check_pair_format(arguments.format, aligned=not request.score_only, nucleotides=nucleotides)
    deliver = partial(_write, arguments.out, arguments.format)
    with on_terminal() as terminal:
        result = _align_one(request, terminal, deliver, arguments.history, named=True)
    report(result, terminal.line)
    say(strand_sentence(arguments, [request]))
    return terminal.status(complete=result.state == "finished")


def run_several(arguments: argparse.Namespace) -> int:
    """Align pair after pair; one that ends early does not keep the others from it, unless the user stops."""
    with part("open"):
        requests = make_requests(arguments)
    if arguments.plan:
        for request in requests:
            print(f"{request.query.id} and {request.subject.id}")
            show_plan(plan_pair(request), request.strands)
        return 0
    first = requests[0]
    nucleotides = bool(first.scheme.alphabet.complements)
    form = check_pair_format(arguments.format, aligned=not first.score_only, nucleotides=nucleotides)
    if not arguments.out and not form.follows:
        message = f"Several pairs do not follow each other in one stream of {form.title}."
        raise InvalidParameter("format", form.name, message, hint="Name a folder with --out.")
    folder = Path(arguments.out) if arguments.out else None
    if folder is not None:
        if folder.exists() and not folder.is_dir():
            message = f"'{folder}' is a file; several pairs are written into a folder."
            raise InvalidParameter("out", str(folder), message, hint="Name a folder.")
        folder.mkdir(parents=True, exist_ok=True)
    whole = True
    with on_terminal() as terminal:
        line = terminal.line
        for number, request in enumerate(requests, 1):
            line.say(f"Pair {number:,} of {len(requests):,}: {request.query.id} and {request.subject.id}")
            out = str(folder / f"{_place(number, request)}{form.suffix}") if folder is not None else ""
            result = _align_one(request, terminal, partial(_write, out, form.name), arguments.history)
            report(result, line, line.say)
            whole &= result.state == "finished"
            if terminal.cancel.is_set():
                break
    say(strand_sentence(arguments, requests))
    return terminal.status(complete=whole)


def _align_one(
    request: PairRequest,
    terminal: Terminal,
    deliver: Callable[[PairResult], None],
    history: str | None,
    *,
    named: bool = False,
) -> PairResult:
    """Align a pair; take it from the history where that has finished it, in a run of that name if it is `named`."""
    if history or (history is not None and not named):
        from swgui.runs import Runs  # here: most pairs are not kept

        name = history if named else ""
        earlier: PairResult | None = Runs().of("pair").finished(request, plan_pair(request), name)
        if earlier is not None:
            if named:
                say(COMPLETE.format(name=name))
            deliver(earlier)
            return earlier
    return align(request, terminal, deliver, history)


def _write(out: str, form: str, result: PairResult) -> None:
    with part("format"):
        if out:
            save_pair(out, form, result)
        else:
            write_pair(form, result, sys.stdout)


def _place(number: int, request: PairRequest) -> str:
    """Return the name of a file for one of several pairs, which every system takes."""
    names = (_ODD.sub("_", record.id)[:NAME_LENGTH] for record in (request.query, request.subject))
    return "-".join((f"{number:04}", *names))


def make_requests(arguments: argparse.Namespace) -> list[PairRequest]:
    """Return all pairs that ``--pairs`` asks for.

    Raises
    ------
    SwguiError
        If a file cannot be read, or the sequences make no such pairs.
    """
    for name in ("query_id", "subject_id", "checkpoint"):
        if given := getattr(arguments, name):
            option = name.replace("_", "-")
            raise InvalidParameter(option, given, f"--{option} is for one pair.", hint="Leave it or --pairs out.")
    queries, alphabet = read_queries([arguments.query], arguments.type)
    subjects, other = read_queries([arguments.subject], arguments.type)
    check_same_alphabet(alphabet, other, "subject")
    if arguments.pairs in PAIRINGS:
        pairs = paired(queries, subjects, cast("Pairing", arguments.pairs))
    else:
        with open_file(arguments.pairs) as source:
            pairs = listed(
                b"".join(source.blocks()).decode("utf-8", "replace"), queries, subjects, Path(arguments.pairs).name
            )
    return [pair_request(arguments, query, subject, alphabet) for query, subject in pairs]


def make_request(arguments: argparse.Namespace) -> PairRequest:
    """Return the request in the arguments."""
    query, alphabet = _read_one(arguments.query, arguments.type, arguments.query_id, "query")
    subject, other = _read_one(arguments.subject, arguments.type, arguments.subject_id, "subject")
    check_same_alphabet(alphabet, other, "subject")
    return pair_request(arguments, query, subject, alphabet)


def _read_one(path: str, kind: str, wanted: str | None, role: str) -> tuple[SequenceRecord, Alphabet]:
    records, alphabet = read_queries([path], kind)
    ids = [record.id for record in records]
    if wanted is None and len(records) == 1:
        return records[0], alphabet
    shown = ", ".join(ids[:SHOWN_IDS]) + (", ..." if len(ids) > SHOWN_IDS else "")
    if wanted is None:
        raise InvalidParameter(
            role, path, f"{path} has {len(records)} sequences.", hint=f"Choose one with --{role}-id: {shown}."
        )
    if ids.count(wanted) != 1:
        number = "no sequence" if wanted not in ids else f"{ids.count(wanted)} sequences"
        raise InvalidParameter(f"{role}-id", wanted, f"{path} has {number} called '{wanted}'.", hint=f"It has {shown}.")
    return records[ids.index(wanted)], alphabet


def align(
    request: PairRequest, terminal: Terminal, deliver: Callable[[PairResult], None], history: str | None = None
) -> PairResult:
    """Align and show the progress.

    Parameters
    ----------
    history : str, optional
        Name of the run in the history, perhaps empty; it is not kept there if not given.
    deliver : Callable[[PairResult], None]
        Writes the result. If it raises, the work can be resumed: nothing is left to compute then.
    """

    def hear(event: object) -> None:
        match event:
            case PairProgressed():
                terminal.line.show(progress_text(event))
            case PairFound(alignment) if request.limit > 1:
                terminal.line.say(f"Alignment {alignment.index}: score {alignment.score}, {alignment.strand} strand")
            case Foretold():
                terminal.hear(event)
            case Finished(result):
                terminal.line.clear()
                deliver(result)

    result: PairResult = terminal.run(_events(request, terminal.cancel, history), hear)
    return result


def _events(request: PairRequest, cancel: threading.Event, history: str | None) -> Iterator[PairEvent]:
    """Align; in the history if a name is given, where an interrupted run of the same work is resumed."""
    if history is None:
        return align_pair(request, cancel)
    from swgui.runs import Runs  # here: most pairs are not kept

    runs, plan = Runs(), plan_pair(request)
    run_id = runs.of("pair").unfinished(request, plan).run_id
    return runs.run("pair", replace(request, name=history, run_id=run_id, plan=plan), cancel)


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
    """Print the cost of each strand."""
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


def report(result: PairResult, line: ProgressLine, answer: Callable[[str], object] = say) -> None:
    """Print the answer, the reason of an early end, and on a terminal a summary of the work, on the standard error.

    Parameters
    ----------
    answer : callable
        Prints the answer: of many pairs only a terminal gets one for each.
    """
    answer(pair_answer(result).sentence)
    for remark in result.remarks:
        line.say(remark)
    if result.state != "finished":
        say(f"{result.state}: {result.reason}")
    seconds = result.total_seconds
    speed = f", {result.cells / seconds / 1e9:,.2f} GCUPS" if seconds > 0 else ""
    subject = count(result.subject_length, result.scheme.alphabet.letter)
    line.say(
        f"{result.query_length:,} x {subject}, {result.scheme.describe()}: "
        f"{result.cells / 1e9:,.2f} G cells in {seconds:.2f} s{speed} on {', '.join(result.devices)} ({result.method})."
    )
