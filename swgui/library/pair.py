"""``swgui.pair``: the exact alignment of two sequences of any length."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, overload

from swgui.commands.pair import PAIR, pair_request, strand_sentence
from swgui.core.errors import InvalidParameter, NotFound
from swgui.core.pair.result import PairResult
from swgui.core.scoring import check_same_alphabet
from swgui.core.table import Table
from swgui.io.export.pairs import PAIR_FORMATS, save_pair, write_pair
from swgui.io.tables.pairs import pair_table
from swgui.jobs.pair.run import align_pair
from swgui.library.alignments import Alignment, of_pair
from swgui.library.frames import Tabular
from swgui.library.options import Parameters, described
from swgui.library.queries import ReadSequences, Sequences, read_given
from swgui.library.result import Written
from swgui.library.session import OnProgress, finish, warn
from swgui.library.writing import Output, suffix_of

_OF_PAIR: Final = Parameters(
    "pair", lambda: PAIR, files=("type", "query_id", "subject_id", "checkpoint"), without=("plan",)
)


class Pair(Sequence[Alignment], Written, Tabular):
    """Alignments of two sequences, best first, and the best score.

    `write` takes the formats of ``swgui pair``, ``paf`` for example.

    Parameters
    ----------
    result : PairResult
        The result of the job. Its form may change between versions.
    remarks : sequence of str
        Changes and omissions in reading, and remarks of the work.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(
        self, result: PairResult, remarks: Sequence[str] = (), inputs: Sequence[tuple[str, Path]] = ()
    ) -> None:
        super().__init__(remarks, inputs)
        self.result = result

    _usual_format = "text"

    def __len__(self) -> int:
        """Return the number of alignments."""
        return len(self.alignments)

    def __bool__(self) -> bool:
        return True  # also where only the score was computed

    @overload
    def __getitem__(self, key: int) -> Alignment: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Alignment, ...]: ...

    def __getitem__(self, key: int | slice) -> Alignment | tuple[Alignment, ...]:
        return self.alignments[key]

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        return pair_table(self.result).choose(columns)

    @property
    def score(self) -> int | None:
        """The best score; None if the work was stopped before any was known."""
        return self.result.score

    @cached_property
    def alignments(self) -> tuple[Alignment, ...]:
        """Alignments, best first; none if only the score was requested, or if it is 0."""
        return tuple(of_pair(self.result, hsp) for hsp in self.result.alignments)

    @property
    def alignment(self) -> Alignment:
        """The best alignment.

        Raises
        ------
        NotFound
            If there is none.
        """
        if not self.alignments:
            raise NotFound("alignment", "There is no alignment of this pair.", hint="The score is all that is known.")
        return self.alignments[0]

    @property
    def state(self) -> str:
        """``finished``, ``stopped`` or ``failed``."""
        return self.result.state

    @property
    def partial(self) -> bool:
        """Whether the work ended before all was done."""
        return self.result.state != "finished"

    @property
    def text(self) -> str:
        """Where the result comes from, and all alignments, in the layout of BLAST's report."""
        out = io.StringIO()
        write_pair("text", self.result, out)
        return out.getvalue()

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        form = format or _by_ending(path)
        return lambda place: save_pair(place, form, self.result)

    def __repr__(self) -> str:
        return f"<Pair: {self.result.query.id} and {self.result.subject.id}, score {self.score}, {self.state}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from swgui.library.notebook import as_html  # here: for notebooks alone

        rows = [
            (
                f"{alignment.score:,}",
                f"{alignment.query_start:,}-{alignment.query_end:,}",
                f"{alignment.subject_start:,}-{alignment.subject_end:,}",
                "plus" if alignment.strand > 0 else "minus",
                f"{alignment.identity:.1f}",
            )
            for alignment in self.alignments
        ]
        heads = ("score", "query", "subject", "strand", "identity %")
        return as_html(repr(self).strip("<>"), heads, rows, self.remarks)


@described(_OF_PAIR)
def pair(query: Sequences, subject: Sequences, *, progress: OnProgress | bool | None = None, **options: Any) -> Pair:
    """Align two sequences of any length, exactly.

    All other parameters are the options of ``swgui pair``, with the same names, defaults and checks.

    Parameters
    ----------
    query, subject : as the queries of `swgui.search`
        One sequence each; of a file with several, ``query_id`` or ``subject_id`` says which.
    progress : callable or bool, optional
        As of `swgui.search`.

    Returns
    -------
    Pair
        Also after Ctrl+C: the result so far, and `Pair.partial` is True.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        If Ctrl+C came twice.
    """
    arguments = _OF_PAIR.arguments(options)
    of_query = read_given(query, arguments.type, "query", "query")
    of_subject = read_given(subject, arguments.type, "subject", "subject")
    check_same_alphabet(of_query.alphabet, of_subject.alphabet, "subject")
    first, second = _one(of_query, arguments.query_id, "query"), _one(of_subject, arguments.subject_id, "subject")
    request = pair_request(arguments, first, second, of_query.alphabet)
    result: PairResult
    result, remarks = finish(partial(align_pair, request), progress)
    if result.state != "finished":
        warn(f"The alignment {'was stopped' if result.state == 'stopped' else 'failed'}: {result.reason}")
    inputs = [*(("query", file) for file in of_query.files), *(("subject", file) for file in of_subject.files)]
    said = [*of_query.remarks, *of_subject.remarks, strand_sentence(arguments, [request]), *remarks, *result.remarks]
    return Pair(result, [remark for remark in (*said, result.reason) if remark], inputs)


def _one(given: ReadSequences, wanted: str | None, role: str) -> Any:
    """Return the sequence that an id names, or the only one."""
    records = [record for record in given.records if wanted in (None, record.id)]
    if len(records) != 1:
        ids = ", ".join(record.id for record in given.records[:5])
        raise InvalidParameter(
            f"{role}_id",
            wanted,
            f"There are {len(records)} sequences to be the {role}, and one is aligned.",
            hint=f"Choose one with {role}_id; there are {ids}.",
        )
    return records[0]


def _by_ending(out: Output) -> str:
    ending = suffix_of(out, PAIR_FORMATS)
    for form in PAIR_FORMATS.values():
        if form.suffix == ending:
            return form.name
    raise InvalidParameter(
        "format", str(out), f"No format of pairs has files that end as '{out}' does.",
        hint=f"Name one: {', '.join(PAIR_FORMATS)}.",
    )  # fmt: skip
