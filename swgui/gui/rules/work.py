"""Work of the page's workers: the search, the alignment of one place, and the files."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QSizeF
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter, QTextDocument, QTextOption

from swgui.core.alphabet import Alphabet
from swgui.core.answer import Answer
from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SequenceError, Stopped, SwguiError
from swgui.core.loci.annotation import Annotation
from swgui.core.plain import replace
from swgui.core.rules.asked import none_of, remarks, unmet_note
from swgui.core.rules.places import Places
from swgui.core.rules.question import Question, repairs_of
from swgui.core.rules.repair import Hint, Repair
from swgui.core.rules.request import RuleRequest
from swgui.core.table import Table
from swgui.core.translation.genetic_codes import CODON
from swgui.core.words import count
from swgui.gui.inputs.saving_dialog import first_lines
from swgui.gui.kit.tasks.task import TaskControl, Tell
from swgui.gui.words import wording
from swgui.io.metadata import Metadata
from swgui.io.table_files import TABLE_FORMATS, write_tsv
from swgui.io.tables.rule_page import certificate_page
from swgui.io.tables.rules import PLACE_FORMATS, write_places
from swgui.io.whole_file import save_text, whole_file
from swgui.jobs.events import Finished, Progress, Stage
from swgui.jobs.forecast import forecast_of
from swgui.jobs.kind import kinds
from swgui.jobs.rules.answer import answer_to, with_answer
from swgui.jobs.rules.background import fasta_identities, measure_background, with_background
from swgui.jobs.rules.found import Background, Found
from swgui.jobs.rules.loci import with_loci
from swgui.jobs.rules.products import drawn
from swgui.jobs.rules.run import RuleRun
from swgui.jobs.rules.table import PLACE_COLUMNS, PlaceRows, places_table
from swgui.runs import Runs

if TYPE_CHECKING:
    from swgui.runs.plain import Kept

REMARKS_SHOWN: Final = 2
REPAIRS: Final = 2  # of a question that are offered
ALIGNING: Final = "Aligning as FASTA does…"
PDF_DPI: Final = 300
PDF_SIZES: Final = 1.0, 0.92, 0.85, 0.78  # of its text: the largest with which it is one page, if there is one
PAGE_MARGIN: Final = 15  # millimetres
PREVIEW_PLACES: Final = 40
LINE: Final = 80  # columns of an alignment in a line


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRequest:
    """A request whose queries can be searched with, and a sentence on them."""

    request: RuleRequest | None = field(repr=False)  # None where the question cannot be searched with
    sentence: str  # on the queries and how long it takes, or the problem
    repairs: tuple[Repair, ...] = ()


def checked_request(question: Question, make: Callable[[], RuleRequest], database: EncodedDatabase) -> CheckedRequest:
    """Make a request of a question, and sentences on its rule and remarks on its queries; for a worker.

    Where the rule does not suit these queries or this database, there is no request, and the sentence says why.
    """
    repairs = tuple(repairs_of(question))[:REPAIRS]
    try:
        return replace(_checked(make(), database), repairs=repairs)
    except SwguiError as fault:
        return CheckedRequest(None, wording.explain(fault), repairs)


def _checked(request: RuleRequest, database: EncodedDatabase) -> CheckedRequest:
    both = [wording.KIND_NAMES[each.alphabet.name] for each in (request, database)]
    if both[0] != both[1]:
        raise SequenceError(
            f"The queries look like {both[0]}, the database is {both[1]}: a rule compares sequences of one kind."
        )
    queries = request.queries
    what = wording.queries(len(queries), sum(len(each.residues) for each in queries), request.alphabet.name)
    where = f"all {count(len(database), 'sequence')} of " if len(database) > 1 else ""
    remarks = [*unmet_note(request.names, request.unmet), *request.remarks]
    said = remarks[:REMARKS_SHOWN]
    if more := len(remarks) - len(said):
        said.append(f"{count(more, 'more remark')} like these.")
    expected = forecast_of(kinds()["rule"], RuleRun(request, database))
    long = [expected.sentence] if expected.long else []
    return CheckedRequest(request, " ".join([f"Looks for {what} in {where}{database.name}.", *long, *said]))


@dataclass(frozen=True, eq=False)
class RuleResult:
    """A search by rule that has ended, or was stopped."""

    run: RuleRun
    places: Places = field(repr=False)
    facts: dict[str, Any] = field(repr=False)  # the certificate
    # Of an allergen check: the identity that FASTA would give (`fasta_identities`), shape (k,)
    fasta: NDArray[np.float64] | None = field(default=None, repr=False)
    run_id: str = ""  # of the history
    not_kept: str = ""  # reason why it is missing
    hints: tuple[Hint, ...] = ()  # possible explanations for an empty result
    background: Background | None = None  # of an allergen check, once it is measured

    @property
    def request(self) -> RuleRequest:
        return self.run.request

    @property
    def database(self) -> EncodedDatabase:
        return self.run.database

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Repairs of the question that a hint offers."""
        return tuple(hint.repair for hint in self.hints if hint.repair is not None)[:REPAIRS]

    @property
    def scanned(self) -> int:
        """Sequences that were scanned."""
        return self.run.blocks[-1].last if self.run.blocks else 0

    @cached_property
    def found(self) -> Found:
        """The places, from which the answer is computed and numbers of it choose."""
        return self.run.outcome(self.fasta, self.background)

    @cached_property
    def answer(self) -> Answer:
        """The answer to the rule."""
        return answer_to(self.found)

    @property
    def verdict(self) -> tuple[str, str]:
        """The result in a few words and in a sentence."""
        number, database, besides = (
            len(self.places),
            self.database,
            [*remarks(self.facts), *(hint.said for hint in self.hints)],
        )
        where = f"{count(len(database), 'sequence')} of {database.name}"
        if not self.run.complete:
            title = f"{count(number, 'place')} so far" if number else "None so far"
            stopped = f"Stopped: {self.scanned:,} of the {where} were scanned, so this list is not complete."
            return title, " ".join([stopped, *besides])
        if not number:
            return "None", " ".join([none_of(f"the {where}", self.facts), *besides])
        among = (
            f"{self.facts['subjects_found']:,} of the {where}"
            if len(database) > 1
            else f"the only sequence of {database.name}"
        )
        return count(number, "place"), " ".join([f"In {among}. There are no others.", *besides])


def find(history: Runs, run: RuleRun, control: threading.Event) -> Iterator[Progress | Stage | Finished]:
    """Scan the rest; a stopped scan keeps its results. The outcome is a `RuleResult`.

    Raises
    ------
    Stopped
        If nothing was scanned before.
    """
    for event in history.run("rule", run, control):
        if not isinstance(event, Finished):
            yield event
            continue
        kept: Kept = event.outcome
        result = RuleResult(run, run.found(), kept.outcome, run_id=kept.run_id, not_kept=kept.not_kept)
        if run.complete and is_allergen_check(run.request):
            yield Stage(ALIGNING)
        yield Finished(_with_more(result, control))


def _with_more(result: RuleResult, control: threading.Event) -> RuleResult:
    """Return a result with the figure of FASTA for an allergen check, and with hints on primers."""
    with suppress(Stopped):
        result = replace(result, hints=tuple(result.run.hints(checking(control))))
    if said := result.facts.get("background"):
        subjects = tuple(said["subjects_passing"])
        result = replace(result, background=Background(subjects, len(result.database), said["seed"]))
    if result.run.complete and is_allergen_check(result.request):
        with suppress(Stopped):
            found = fasta_identities(result.request, result.database, result.places, checking(control))
            result = replace(result, fasta=found)
    if result.run.complete:
        result = replace(result, facts=with_answer(result.facts, result.answer))
    return result


def opened(kept: Kept, control: TaskControl) -> RuleResult:
    """Return the result of a run of the history."""
    return _with_more(RuleResult(kept.asked, kept.asked.found(), kept.outcome, run_id=kept.run_id), control)


def is_allergen_check(request: RuleRequest) -> bool:
    """Whether the figure of FASTA and the background belong to the result."""
    return request.is_allergen_check


def background(result: RuleResult, history: Runs, control: TaskControl) -> RuleResult:
    """Return a result whose certificate has the number of subjects that pass by chance. Raises `Stopped`."""
    measured = measure_background(result.request, result.database, checking(control), control.tell)
    result = replace(result, facts=with_background(result.facts, measured), background=measured)
    result = replace(result, facts=with_answer(result.facts, result.answer))
    if result.run_id:
        with suppress(SwguiError, OSError):
            history.of("rule").save(result.run_id, result.facts)
    return result


def place_rows(result: RuleResult, row: int) -> PlaceRows:
    """Return one place as a table reads it, with its names."""
    (rows,) = places_table(result.request, result.database, result.places.take(slice(row, row + 1))).parts()
    return rows


def alignment_text(result: RuleResult, row: int) -> str:
    """Return the alignment of a place: query above subject, and the match line between them; for a worker."""
    request, place = result.request, result.places.take(slice(row, row + 1))
    rows = place_rows(result, row)
    values: dict[str, Any] = {column.key: column.values(rows)[0] for column in PLACE_COLUMNS}
    upper, lower, minus = values["qseq"], values["sseq"], values["sstrand"] == "minus"
    ends = values["send"], values["sstart"]
    first, last = ends if minus else ends[::-1]
    strand = f", strand {'-' if minus else '+'}" if request.alphabet.complements else ""
    head = f"{values['qseqid']}\n{values['sseqid']}  {first}-{last}{strand}\n"
    if not upper:
        size = int(place.end[0] - place.start[0])
        wrong = count(int(place.differences[0]), "mismatch", "mismatches")
        product = f"a product of {count(size, 'base')}, with {wrong}"
        return f"{head.rstrip()}: {product}\n{drawn(request, result.database, place)}"
    above, below, step = values["qstart"], values["sstart"], -1 if minus else 1
    between = _between(upper, lower, request.alphabet, request)
    width = len(f"{max(values['qend'], *ends):d}")
    lines = []
    for begin in range(0, len(upper), LINE):
        query, subject = upper[begin : begin + LINE], lower[begin : begin + LINE]
        lines.append(f"Query    {above:>{width}}  {query}")
        lines.append(f"         {'':>{width}}  {between[begin : begin + LINE]}".rstrip())
        lines.append(f"Subject  {below:>{width}}  {subject}\n")
        above += sum(letter != "-" for letter in query)
        below += step * sum(letter != "-" for letter in subject) * (CODON if request.frames else 1)
    return head + "\n" + "\n".join(lines)


def _between(upper: str, lower: str, alphabet: Alphabet, request: RuleRequest) -> str:
    table = request.match_table()
    pairs = zip(upper, lower, strict=True)
    codes = [(alphabet.letters.find(a), alphabet.letters.find(b)) for a, b in pairs]
    return "".join("|" if min(a, b) >= 0 and table[a, b] else " " for a, b in codes)


@dataclass(frozen=True, slots=True)
class FileForm:
    """A format of files."""

    title: str
    sentence: str
    suffix: str


TABLES: Final = {
    **{
        name: FileForm(form.title, "One row a place, positions from 1, with both rows of the alignment.", form.suffix)
        for name, form in TABLE_FORMATS.items()
    },
    "bed": FileForm("BED", "For genome browsers; positions from 0, the end exclusive.", ".bed"),
    "gff3": FileForm("GFF3", "For genome browsers and annotation; positions from 1.", ".gff3"),
    "fasta": FileForm("FASTA", "The residues of each place: the products of primers.", ".fasta"),
    "pepmatch": FileForm("CSV as PEPMatch", "The columns that PEPMatch writes for a place.", ".csv"),
}
CERTIFICATES: Final = {
    "pdf": FileForm("Page (PDF)", "The rule, the tests and the result in words: to print or to send.", ".pdf"),
    "html": FileForm("Page (HTML)", "The same page for a browser.", ".html"),
    "json": FileForm(
        "For programs (JSON)", "The same as data. “swgui verify” checks it against the database.", ".json"
    ),
}


@dataclass(frozen=True, slots=True)
class TableJob:
    """Places to write in one of `TABLES`."""

    result: RuleResult
    name: str
    own: Metadata | None = None  # a table of the user's own, whose columns tables have, too
    annotation: Annotation | None = None  # features of a file, among which tables say where places lie
    marks: Metadata | None = None  # stars and notes on sequences, whose columns tables have, too

    def preview(self, cancel: threading.Event) -> str:
        file, places = io.StringIO(), self.result.places
        table = self._table(places.take(slice(0, PREVIEW_PLACES)), lambda *_: None, cancel)
        if self.name in PLACE_FORMATS:
            PLACE_FORMATS[self.name](table, self.result.request, file, lambda: len(places) <= PREVIEW_PLACES)
        else:
            (TABLE_FORMATS[self.name].write or write_tsv)(table, file, ())
        return first_lines(file.getvalue(), more=len(places) > PREVIEW_PLACES)

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        table = self._table(self.result.places, tell, cancel)
        write_places(str(path), table, self.result.request, self.name, lambda: self.result.run.complete)
        return path

    def _table(self, places: Places, tell: Tell, cancel: threading.Event) -> Table[PlaceRows]:
        """Return places as a table that reports its progress, and can be stopped."""
        result, check = self.result, checking(cancel)
        fasta = None if result.fasta is None else result.fasta[: len(places)]
        table = places_table(result.request, result.database, places, fasta)
        for own in () if self.name in PLACE_FORMATS else filter(None, (self.own, self.marks)):
            table = own.join(table, "sseqid")
        if self.annotation is not None or result.database.feature_texts is not None:
            _, table = with_loci(table, self.annotation)

        def parts() -> Iterator[PlaceRows]:
            done = 0
            for part in table.parts():
                check()
                tell(done, len(places), f"{done:,} of {count(len(places), 'place')}")
                yield part
                done += len(part)

        return Table(table.available, parts, table.columns)


@dataclass(frozen=True, slots=True)
class CertificateJob:
    """A certificate to write."""

    result: RuleResult
    name: str

    def preview(self, cancel: threading.Event) -> str:
        return first_lines(self._plain() if self.name == "pdf" else self._text(), more=False)

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        if self.name == "pdf":
            with whole_file(path) as file:
                file.write(self._pdf())
        else:
            save_text(path, lambda file: file.write(self._text()))
        return path

    def _text(self) -> str:
        if self.name == "json":
            return json.dumps(self.result.facts, indent=2) + "\n"
        return certificate_page(self.result.facts)

    def _plain(self) -> str:
        page = QTextDocument()
        page.setHtml(self._text().replace("</td><td>", ": ").replace("<h2>", "<p></p><h2>"))
        return page.toPlainText()

    def _document(self, size: float = 1.0) -> QTextDocument:
        document = QTextDocument()
        document.setHtml(certificate_page(self.result.facts, size))
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)  # a command may be long
        document.setDefaultTextOption(option)
        return document

    def _pdf(self) -> bytes:
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        pdf = QPdfWriter(buffer)
        pdf.setTitle("Search by rule: certificate")
        pdf.setResolution(PDF_DPI)
        pdf.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        pdf.setPageMargins(QMarginsF(*4 * (PAGE_MARGIN,)), QPageLayout.Unit.Millimeter)
        for size in PDF_SIZES:
            document = self._document(size)
            document.documentLayout().setPaintDevice(pdf)
            document.setDocumentMargin(0)
            document.setPageSize(QSizeF(pdf.width(), pdf.height()))
            if document.pageCount() == 1:
                break
        document.print_(pdf)
        buffer.close()
        return bytes(content.data())
