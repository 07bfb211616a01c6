"""Work of the workers: requests, outcomes ready to be shown, their files and verification, alignments of rows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.commands.copying import groups_of
from swgui.commands.engine import engine_values
from swgui.commands.option import options_of
from swgui.core.answer import Answer, Count, chosen_rows
from swgui.core.engines import EngineOptions
from swgui.core.headers import parse_header
from swgui.core.network.edges import STRAND_NAMES, Edges
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Strand
from swgui.core.table import Column, Table, Value
from swgui.core.words import short_evalue
from swgui.gui.kit.saving import note_database
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.network.requests import compared_by, kind_of, long_or_not
from swgui.gui.network.sets.questions import Question, question_of
from swgui.gui.network.work import sample_file
from swgui.gui.words import wording
from swgui.io.whole_file import save_text
from swgui.jobs.answers import answer_of
from swgui.jobs.events import Progress, run_to_end
from swgui.jobs.kind import Kind, kinds, load
from swgui.jobs.network.aligning import turned
from swgui.jobs.network.answers import columns_of
from swgui.jobs.network.edges import check_shown, sequences_of
from swgui.runs import Runs
from swgui.runs.groupings import AllPairsCodec
from swgui.runs.plain import Kept
from swgui.runs.records import started_by_id
from swgui.runs.steps import said_of, verify_steps

_NAMES: Final = ("qseqid", "sseqid", "sequence", "representative")  # columns of names of sequences
_LATE: Final = timedelta(seconds=2)  # from the start of a run to the time of its id, which is in whole seconds

Pair = tuple[SequenceRecord, SequenceRecord, ScoringScheme, Strand]


@dataclass(frozen=True, eq=False)
class SetsResult:
    """The outcome of a question, ready to be shown.

    Parameters
    ----------
    answer : Answer
        The sentences that the command prints, and numbers that choose rows of the table.
    """

    kept: Kept = field(repr=False)
    name: str
    answer: Answer
    source: ColumnSource = field(repr=False)

    @property
    def kind(self) -> Kind:
        """Its kind of run."""
        return kinds()[kind_of(self.kept.asked)]

    @property
    def question(self) -> Question:
        """Its question."""
        return question_of(self.kind.name)

    @property
    def codec(self) -> AllPairsCodec:
        """The codec of its kind of run."""
        codec: AllPairsCodec = load(self.kind.codec)
        return codec

    @property
    def table(self) -> Table[Any]:
        """The table, as files have it."""
        return next(iter(self.codec.tables(self.kept.asked, self.kept.outcome).values()))

    def rows(self, count: Count) -> NDArray[np.bool_]:
        """Return the rows that a number of the answer chooses, shape (rows,)."""
        mask = np.zeros(self.source.count, dtype=np.bool_)
        mask[chosen_rows(count.where, columns_of(self.kept.outcome), len(mask))] = True
        return mask

    def name_at(self, row: int) -> str:
        """Return the sequence of a row, by its identifier, that stars and notes belong to."""
        column = next(column for column in self.source.columns if column.key == self.kind.marks)
        return column.whole(row)

    @property
    def pairs(self) -> bool:
        """Whether rows are pairs of sequences, which can be aligned."""
        return bool(self.kept.outcome.of_pairs)


def asked_by(
    question: Question, given: Mapping[str, object], engine: str, options: EngineOptions, control: TaskControl
) -> Any:
    """Return the request of a question, or a `LongRequest` if it takes long.

    Parameters
    ----------
    given : Mapping
        Values of options, by `Option.key`.

    Raises
    ------
    SwguiError
        If a file cannot be read, or the question makes no sense.
    """
    for one in question.files:
        if given[one.key]:
            note_database(str(given[one.key]))
    values = {option.key: option.default for option in options_of(groups_of(kinds()[question.kind]))}
    asked = question.request(argparse.Namespace(**{**values, **engine_values(engine, options), **given}), control)
    compared = compared_by(asked, control)
    return asked if compared is None else long_or_not(asked, compared)


def opened(kept: Kept, _control: TaskControl) -> SetsResult:
    """Return an outcome ready to be shown."""
    question = question_of(kind_of(kept.asked))
    codec: AllPairsCodec = load(kinds()[question.kind].codec)
    (table,) = codec.tables(kept.asked, kept.outcome).values()
    answer = answer_of(kinds()[question.kind], kept.outcome, kept.asked)
    return SetsResult(kept, codec.about(kept.asked).name, answer, source_of(table, question.columns))


def source_of(table: Table[Any], keys: Sequence[str]) -> ColumnSource:
    """Return the columns of a table as they are shown; those of `keys` that it has, or all."""
    parts = list(table.parts())
    shown = [column for column in table.columns if not keys or column.key in keys]
    made = [_shown(column, [value for part in parts for value in column.values(part)]) for column in shown]
    return ColumnSource([column for column, _ in made], made[0][1])


def _shown(column: Column[Any], values: Sequence[Value]) -> tuple[TableColumn, int]:
    if column.kind in ("text", "word"):
        texts = ["" if value is None else str(value) for value in values]
        short = [parse_header(text, "").name for text in texts] if column.key in _NAMES else texts
        made = TableColumn(column.key, column.head, column.description, short.__getitem__, full=texts.__getitem__)
        return made, len(values)
    numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    digits = max(column.decimals, 0)

    def text(row: int) -> str:
        value = float(numbers[row])
        if np.isnan(value):
            return ""
        return short_evalue(value) if column.kind == "evalue" else f"{value:,.{digits}f}"

    return TableColumn(column.key, column.head, column.description, text, numbers), len(values)


def verified(result: SetsResult, control: TaskControl) -> str:
    """Compute a result once more; returns a sentence on what differs.

    Raises
    ------
    Stopped, SwguiError
        As of `verify_steps`.
    """

    def hear(event: object) -> None:
        if isinstance(event, Progress):
            control.tell(event.done, event.total or 0, event.stage)

    return said_of(run_to_end(verify_steps(result.kind, result.kept, control), hear))


def save_certificate(result: SetsResult, path: Path) -> None:
    """Write the certificate as JSON; errors as of `Codec.certificate`, and `FileNotWritten`."""
    facts = result.codec.certificate(result.kept.asked, result.kept.outcome)
    save_text(path, lambda file: json.dump(facts, file, indent=2))


def save_report(result: SetsResult, path: Path, control: TaskControl) -> None:
    """Write the page of a run; `SwguiError` if the sequences cannot be read again, or the file not be written."""
    kept = result.kept
    save_text(path, lambda file: result.codec.report(kept.asked, kept.outcome, file, control))


def pair_at(result: SetsResult, row: int, control: TaskControl) -> Pair | None:
    """Return the two sequences of a row, the query first, their scoring, and the strand; None without a second one.

    Raises
    ------
    SwguiError
        If the sequences cannot be read again.
    """
    edge: Edges | None = result.kept.outcome.edge_at(row)
    if edge is None:
        return None
    sets, scheme = _sets_of(result.kept, control)
    first, second = int(edge.first[0]), int(edge.second[0])
    records = sets[0].record(first), sets[1].record(second)
    if turned(sets, np.array([first]), np.array([second]))[0]:
        records = records[1], records[0]
    strand: Strand = "minus" if STRAND_NAMES[int(edge.strands[0])] == "minus" else "plus"
    return *records, scheme, strand


def _sets_of(kept: Kept, control: TaskControl) -> tuple[tuple[Any, Any], ScoringScheme]:
    """Return the sequences that the first and the second of a pair are of, and their scoring."""
    asked = kept.asked.comparison
    if compared := kept.outcome.asked or compared_by(asked, control):
        check_shown(compared.context)
        return (compared.queries, compared.subjects), compared.scheme
    made = asked.saved()
    check_shown(made.context)
    database = sequences_of(made, control)
    return (database, database), made.scheme or asked.scheme


def left_by(history: Runs, kind: str, began: str) -> str:
    """Return the run of a kind that began at this time and can be continued; empty if it kept nothing."""
    since = datetime.fromisoformat(began) - _LATE
    left = [record.id for record in history.of(kind).list() if record.state == "interrupted"]
    newest = max(left, default="")
    started = started_by_id(newest)
    return newest if started and datetime.fromisoformat(started) >= since else ""


def write_samples(question: Question) -> dict[str, Path]:
    """Write the files of the sample for a question, by key; errors as of `write_sample`."""
    return {given.key: sample_file(given.sample) for given in question.files if given.sample}


def problem_text(error: Exception) -> str:
    """Return an error as the form shows it."""
    return wording.explain(error)
