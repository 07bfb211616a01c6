"""Sentences of the Pair page. No Qt."""

from __future__ import annotations

from typing import Final

from swgui.core import words
from swgui.core.alphabet import letter_of
from swgui.core.headers import header_of
from swgui.core.methods.base import Method
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import PairMode, PairPlan
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.records import SequenceRecord
from swgui.gui.words import wording
from swgui.jobs.pair.request import PairRequest
from swgui.runs.pairs import Unfinished

MODE_WORDS: Final = {PairMode.LOCAL: "local", PairMode.GLOBAL: "global", PairMode.SEMIGLOBAL: "semi-global"}
STRAND_WORDS: Final = {"both": "both strands", "plus": "plus strand", "minus": "minus strand"}
RANGE_FROM = 60.0  # from this number of seconds on a time before the start is a range: another pair was measured
CIGAR_SHOWN = 60  # characters of a CIGAR in the window; the whole of it is copied


def short(text: str, most: int = 48) -> str:
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def called(record: SequenceRecord) -> str:
    """Return the name of a sequence in a line: its identifier and title, without the rest of its header."""
    header = header_of(record)
    return f"{header.name} {header.title}".strip()


def gcups(value: float) -> str:
    """Return a speed: ``2,310 GCUPS``, ``0.04 GCUPS``."""
    return f"{value:,.0f} GCUPS" if value >= 99.5 else f"{value:.1f} GCUPS" if value >= 0.95 else f"{value:.2g} GCUPS"


def method_title(name: str) -> str:
    method = PAIR_METHODS.get(name)
    return method.title if method is not None else name


def paper_of(method: Method) -> str:
    """Name the paper of a method; empty if it is swgui's own."""
    return f"From: {method.paper}." if method.paper else ""


def size(number: int) -> str:
    """Return an amount of memory: ``512 B``, ``1.6 MB``, ``12 GB``."""
    return f"{wording.scaled(number).replace('k', 'K')}B" if number >= 1000 else f"{number} B"


def time_range(seconds: float) -> str:
    """Return a time that is known within a factor of two: ``10 min to 40 min``."""
    return f"{words.duration(seconds / 2)} to {words.duration(seconds * 2)}"


def several(number: int) -> str:
    """Return the text in front of the plan of one of several pairs; empty for a single pair."""
    return f"{words.count(number, 'pair')}, one after another in the queue. The chosen one: " if number > 1 else ""


def plan(request: PairRequest, planned: PairPlan) -> str:
    """Return sentences on what Align will do.

    Parameters
    ----------
    planned : PairPlan
        The plan of each strand.
    """
    kind, seconds = request.scheme.alphabet.name, planned.seconds
    lengths = [words.count(len(record.residues), letter_of(kind)) for record in (request.query, request.subject)]
    strands = f", {STRAND_WORDS[request.strand]}" if kind == "nucleotide" else ""
    times = len(request.strands)
    where = f"on {', '.join(planned.devices)}" if planned.devices else "here"
    sentence = (
        f"{'Score' if request.score_only else 'Align'} {' with '.join(lengths)}, {MODE_WORDS[request.mode]}{strands}, "
        f"exact, {where} ({method_title(planned.method)})"
    )
    if planned.memory_bytes:
        sentence += f", {size(planned.memory_bytes)} of memory"
    if seconds is None:
        return f"{sentence}. How long it takes is known once it runs."
    seconds *= times
    per_alignment = f" for each of up to {request.limit:,} alignments" if request.limit > 1 else ""
    if seconds >= RANGE_FROM:
        return f"{sentence}: {time_range(seconds)}{per_alignment}."
    return f"{sentence}: {'' if seconds < words.SHORTEST else 'about '}{words.duration(seconds)}{per_alignment}."


def plan_details(planned: PairPlan) -> str:
    method = PAIR_METHODS.get(planned.method)
    by_name = {setting.name: setting for setting in method.settings} if method is not None else {}
    parts = []
    for name, value in planned.settings.items():
        setting = by_name.get(name)
        title, unit = (setting.title, setting.unit) if setting is not None else (name.replace("_", " "), "")
        parts.append(f"{title} {value}{' ' + unit if unit else ''}")
    memory = [f"{purpose} {size(number)}" for purpose, number in planned.memory.items() if number]
    sentences = [f"{', '.join(parts)}." if parts else ""]
    sentences += [f"Memory: {', '.join(memory)}." if len(memory) > 1 else "", *dict.fromkeys(planned.remarks)]
    return " ".join(sentence for sentence in sentences if sentence)


def begun_before(earlier: Unfinished, method: str) -> str:
    """Return a sentence on what happens to an earlier run that did not finish; empty if there was none."""
    if earlier.run_id:
        return "An earlier run of this pair did not finish: Align resumes it."
    if method in earlier.methods:
        return (
            "An earlier run of this pair did not finish. It used other settings of the method: Align starts again from "
            "the beginning."
        )
    if earlier.methods:
        return (
            f"An earlier run of this pair by the method {' or '.join(map(method_title, sorted(earlier.methods)))} did "
            "not finish. Another method cannot resume it: Align starts again from the beginning."
        )
    return ""


def state(result: PairResult) -> str:
    """Return the reason why a result is incomplete; empty if it is complete."""
    if result.state == "finished":
        return ""
    kept = words.count(len(result.alignments), "alignment") if result.alignments else "the best score so far"
    return f"{result.reason.rstrip('.')}. The results so far are kept: {kept}."


def how(result: PairResult) -> str:
    seconds = result.total_seconds
    speed = f", {gcups(result.cells / seconds / 1e9)}" if seconds > 0 and result.cells else ""
    pruned = ""
    if result.pruned:
        pruned = f", {100 * result.pruned / (result.cells + result.pruned):.0f} % of the cells skipped"
    where = f" on {', '.join(result.devices)}" if result.devices else ""
    memory = f", {size(result.memory_bytes)} of memory" if result.memory_bytes else ""
    scheme = f"{MODE_WORDS[result.mode]}, {result.scheme.describe()}"
    return f"{scheme}; {method_title(result.method)}{where}, {words.duration(seconds)}{speed}{pruned}{memory}"


def places(result: PairResult, hsp: PairAlignment) -> str:
    """Return a sentence on the place of an alignment and its coverage of both sequences."""
    length, other = result.query_length, result.subject_length
    start, stop = hsp.query_range(length)
    strand = f", {STRAND_WORDS[hsp.strand]}" if result.scheme.alphabet.complements else ""
    counts, columns = hsp.counts, max(hsp.counts.length, 1)
    return (
        f"Query {start + 1:,} to {stop:,} ({100 * (stop - start) / max(length, 1):.1f} %), "
        f"subject {hsp.alignment.subject_start + 1:,} to {hsp.alignment.subject_end:,} "
        f"({100 * counts.subject_span / max(other, 1):.1f} %){strand}; "
        f"{counts.nident:,} identical, {counts.mismatch:,} different, "
        f"{counts.gaps:,} in {words.count(counts.gapopen, 'gap')} ({100 * counts.gaps / columns:.1f} %)"
    )


def short_cigar(hsp: PairAlignment) -> str:
    runs = min(len(hsp.alignment.ops), CIGAR_SHOWN)
    letters = "MID"
    text = "".join(
        f"{n}{letters[op]}"
        for op, n in zip(hsp.alignment.ops[:runs].tolist(), hsp.alignment.lengths[:runs].tolist(), strict=True)
    )
    if len(text) <= CIGAR_SHOWN and runs == len(hsp.alignment.ops):
        return text
    return f"{text[:CIGAR_SHOWN]}… ({words.count(len(hsp.alignment.ops), 'run')})"


def result_name(result: PairResult) -> str:
    score = f"score {result.score:,}" if result.score is not None else "no score"
    partial = "" if result.state == "finished" else ", partial"
    return f"{short(result.query.id)} × {short(result.subject.id)}, {score}{partial}"
