"""The Search page: query, database, settings, and a sentence on the search."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QFrame, QWidget

from swgui import paths
from swgui.commands.search import search_call, search_command
from swgui.core import words
from swgui.core.alphabet import PROTEIN, guess_alphabet
from swgui.core.engines import Kind
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.query_range import searched_length
from swgui.core.records import SequenceRecord
from swgui.core.statistics.stops import uncalibrated
from swgui.core.translation.frames import write_frames
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import AUTO, Translation, shifting
from swgui.engines.base import EngineStatus
from swgui.engines.registry import devices_of_kind
from swgui.gui.inputs.database import DatabasePanel
from swgui.gui.inputs.engine import EngineBox, tunable
from swgui.gui.inputs.opened import Opened, sample_database
from swgui.gui.inputs.query import QueryPanel
from swgui.gui.kit.dialog import Sheet
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import card, in_column, in_row, scrolling, turn
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    described,
    make_menu,
    menu_command,
    offers,
    push_button,
    shrinkable,
    text_label,
)
from swgui.gui.live.estimate import Estimates
from swgui.gui.search.fields import may_shift
from swgui.gui.search.settings import SettingsPanel
from swgui.gui.words import wording
from swgui.gui.words.engine_choices import EngineChoice
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.saved.search import database_file_of
from swgui.io.sequences.reader import GUESS_RECORDS
from swgui.jobs.search.estimate import settings_of, shift_times
from swgui.jobs.search.request import SearchRequest, readable_queries
from swgui.settings import Settings, speed_key

if TYPE_CHECKING:
    from swgui.core.hits.results import SearchResult


STAY = "Sequences stay on this computer."
SAMPLE = (
    "The sample is in place: press Search to find relatives of haemoglobin and four more. For your own, paste a "
    "query and choose a database. Sequences stay on this computer."
)
OWN = "Paste or drop a query, choose a database, and press Search. Sequences stay on this computer."
NO_DATABASE = "No database of your own yet:"
# Name of the button, text, key of the public set, tip.
SETS = (
    ("SwissProt", "Get Swiss-Prot…", "swissprot", "Reviewed proteins of all species; you see size, time, licence and "
     "place before anything is loaded"),
    ("Proteome", "Get a proteome…", "proteome", "The proteins of an organism that you name, from UniProt"),
    ("Structures", "Get structures…", "structures", "Predicted structures of an organism that you name, from AlphaFold "
     "DB, to search by shape"),
)  # fmt: skip
JOBS = (
    ("relatives", "Relatives", "Sequences that are similar from end to end or in part"),
    ("distant", "Distant relatives", "Search again with a profile of the hits, round after round, as PSI-BLAST does"),
    ("shape", "Similar structures", "Compare residues and 3Di symbols: a structure as the query, and a database of "
     "structures"),
    ("genes", "Genes in DNA", "Translate the DNA in six frames and compare proteins (blastx, tblastn, tblastx)"),
    ("reads", "Genes in reads with errors", "The same across frameshifts, as long reads have them"),
)  # fmt: skip
# Program to the jobs it can do, and why it cannot do the others.
POSSIBLE = {
    "blastp": (("relatives", "distant", "shape"), "Query and database are proteins; give DNA on one side."),
    "blastn": (("relatives", "distant", "genes"), "Query and database are DNA; give proteins."),
    "tblastx": (("relatives", "genes"), "Query and database are DNA; give proteins."),
    "blastx": (("genes", "reads"), "DNA is compared with proteins, and is translated for it."),
    "tblastn": (("genes", "reads"), "DNA is compared with proteins, and is translated for it."),
}
log = logging.getLogger(__name__)
NOT_MEASURED = {
    False: "No estimate is known for these settings.",
    True: "No estimate is known for these settings yet; they are measured when nothing else runs.",
}
RUNNING = "A search is running."
WAITING = "A search waits for its device."
PASTED = Path("queries.fasta")  # name in a command of a query that came from no file
SHORT_QUERY = 35  # residues; below it the short-peptide preset finds more


class Welcome(QFrame):
    """Introduction on the first start: a sample search is ready to run, and how to search one's own sequences."""

    tour_wanted = Signal()  # the guided tour should begin
    set_wanted = Signal(str)  # a public set should be offered; its key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        set_role(self, role="note", tone="info")
        self._text = text_label(SAMPLE, "welcomeText", wrap=True)
        tip = "A tour of the window in six steps; Escape ends it"
        tour = push_button("welcomeTour", "Guided tour", tip, self.tour_wanted, role="quiet")
        self._sets = QWidget()
        table = [(name, text, "download", tip, partial(self.set_wanted.emit, key), "") for name, text, key, tip in SETS]
        gets = offers("welcome", table)
        in_row(text_label(NO_DATABASE), (FlowRow.of(*gets), 1), parent=self._sets)
        self._sets.hide()
        text = in_row((self._text, 1), tour)
        in_column(text, self._sets, margins=(2, 0.5, 1, 0.5), spacing=0.5, parent=self)

    def offer_sets(self, on: bool) -> None:
        """Offer public sets, where this user has no database yet."""
        self._sets.setVisible(on)

    def show_sample(self, on: bool, away: str = "") -> None:
        """Set the text: of the sample or of own input; `away` is the computer that gets the queries."""
        text = SAMPLE if on else OWN
        self._text.setText(text.replace(STAY, f"Queries go to {away} alone.") if away else text)


def sample_queries() -> Path:
    return paths.resources_dir() / "examples" / "sample_queries.fasta"


class SearchPage(PageWidget):
    """Everything that decides a search."""

    changed = Signal()  # what would be searched, or whether it can be, changed
    # A button or an entry of a menu was chosen.
    search_wanted = Signal()
    queue_wanted = Signal()
    copy_command_wanted = Signal()
    copy_python_wanted = Signal()
    open_query_wanted = Signal()
    choose_database_wanted = Signal()
    build_database_wanted = Signal()
    query_opened = Signal(object)  # a query file was read; its path

    def __init__(self, settings: Settings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("searchPage")
        self.settings = settings
        self._running = ""  # why no other search begins now
        self.left_out = ""  # of the queries of the last request, in a sentence
        self.query = QueryPanel(tasks)
        self.database = DatabasePanel(settings.recent, several=True)
        self.scoring = SettingsPanel(settings.search, tasks)
        self._wish = "relatives"  # the kind of job while query and database do not determine it
        self.engine = EngineBox(settings, tasks)
        self.estimates = Estimates(self)
        self.estimates.changed.connect(self.refresh)
        self._build()
        self.query.databases = lambda: [self.database.database] if self.database.database is not None else []
        self.query.set_kind(settings.search.kind)
        for panel in (self.query, self.database, self.scoring, self.engine):
            panel.changed.connect(self.refresh)
        self.query.open_wanted.connect(self.open_query_wanted)
        self.query.sample_wanted.connect(self.load_sample_query)
        self.query.file_read.connect(self.query_opened)
        self.database.choose_wanted.connect(self.choose_database_wanted)
        self.database.build_wanted.connect(self.build_database_wanted)
        self.database.sample_wanted.connect(self.load_sample_database)
        self.database.opened.connect(self._database_opened)
        for part in (self.database, self.engine):
            part.away_wanted.connect(self.choose_away)
        self.database.known_listed.connect(lambda some: self.welcome.offer_sets(not some))
        self.engine.probed.connect(self._probed)
        self.changed.connect(self.states_changed)
        self.refresh()

    @property
    def problem(self) -> str:
        """Why Search is disabled, as one sentence; empty if it is not."""
        return self._running or self._fault

    @property
    def ready(self) -> bool:
        return not self.problem

    @property
    def described(self) -> bool:
        """Whether a search can start, now or once the running one has ended."""
        return not self._fault

    @property
    def _fault(self) -> str:
        given = self.query.problem or self.database.problem
        return given or self._kinds_differ() or self._no_shapes() or self.scoring.problem

    def request(self) -> SearchRequest:
        """Return the search that the page describes.

        Raises
        ------
        SwguiError
            If it cannot be carried out.
        """
        choice, opened = self.chosen, self._opened()
        part = self.query.query_range
        queries, self.left_out = readable_queries(self.query.records, part, self.scoring.translation)
        search = replace(
            self.scoring.search,
            query_range=part,
            organisms=self.database.organisms.limit,
            engine=choice.engine,
            options=choice.options,
        )
        return SearchRequest(queries, opened.database, search)

    def take_result(self, result: SearchResult) -> tuple[str, ...]:
        """Set the page to the search of a result; returns sentences on settings that could not be restored."""
        search, remarks = result.asked, []
        self._wish = "relatives"
        queries = tuple(replace(query.query, profile=None) for query in result.queries)
        kind = search.query_alphabet.residue_alphabet
        guessed = (guess_alphabet(query.residues) for query in queries[:GUESS_RECORDS])
        if self.query.kind != "auto" or any(guess is not kind for guess in guessed):
            self.query.set_kind(kind.name)
        if search.iteration is None and any(query.query.profile is not None for query in result.queries):
            remarks.append("It used a profile; here is its sequence alone. --start-from takes the profile.")
        rounds = next((query.rounds for query in result.queries if query.rounds is not None), None)
        if rounds is not None and rounds.database:
            remarks.append(f"Its profiles were built from '{rounds.database}': see --build-database.")
        remarks.append(self.scoring.use(replace(search, mask=False)))  # masked residues are marked in the queries
        self.query.use_records(queries, search.query_range)
        self.database.organisms.ask_for(search.organisms)
        whole = result.database.whole or result.database
        places = [database_file_of(member) for member in whole.members]
        files = [place for place in places if place is not None and place.is_file()]
        if len(files) < len(places):
            remarks.append(f"The database '{result.database.name}' is not known here: choose its file.")
        elif tuple(files) != self.database.paths:
            self.database.open_all(files)
        return tuple(filter(None, remarks))

    def command_line(self) -> str:
        """Return the terminal command for the same search. Raises as `request`."""
        return search_command(*self._in_words())

    def python_call(self) -> str:
        return search_call(*self._in_words())

    def _in_words(self) -> tuple[SearchRequest, Path, Path | tuple[Path, ...], str]:
        opened = self._opened()
        paths = self.database.paths if opened.members else opened.path
        if self.database.away:
            paths = Path(opened.database.name)
        return self.request(), self.query.whole_file or PASTED, paths, self.scoring.values.matrix

    def _opened(self) -> Opened:
        """Return the database of the search; `InvalidParameter` if anything is missing."""
        opened = self.database.current
        if self.scoring.scheme is None or opened is None:
            raise InvalidParameter("search", "", self._fault)
        return opened

    # Kind of job

    @property
    def job(self) -> str:
        """Kind of search, as `JOBS` names it."""
        search = self.scoring.search
        if self.scoring.program is None:
            return self._wish
        if search.translation is not None:
            return "reads" if search.translation.shift else "genes"
        if search.iteration is not None:
            return "distant"
        return "shape" if self._wish == "shape" or self._shapes()[0] else "relatives"

    def choose_job(self, name: str) -> None:
        self._wish = name
        self.settings.search.program = "tblastx" if name == "genes" else AUTO
        self.refresh()
        self.scoring.allow_shifts(name == "reads")
        self.scoring.do_rounds(name == "distant")

    def _job_chosen(self) -> None:
        self.choose_job(str(self._job.currentData()))

    def _show_job(self) -> None:
        program, model = self.scoring.program, self._job.model()
        possible, why = POSSIBLE[program.name] if program is not None else (tuple(job for job, _, _ in JOBS), "")
        for row, (job, _, about) in enumerate(JOBS):
            if isinstance(model, QStandardItemModel):
                model.item(row).setEnabled(job in possible)
            self._job.setItemData(row, about if job in possible else why, Qt.ItemDataRole.ToolTipRole)
        self._job.setCurrentIndex(self._job.findData(self.job))
        line, beside = self.scoring.words, self._shapes()[0]
        if beside and (scheme := self.scoring.scheme) is not None:
            line = line.replace(scheme.matrix.name, f"{scheme.matrix.name} and {beside} symbols", 1)
        database = self.database.database
        self._line.setText((database.subject_kind.line if database is not None else "") or line)
        search = self.scoring.search
        self._translated.setText(translation_words(search.translation))
        with QSignalBlocker(self._shifts):
            self._shifts.setChecked(shifting(search.translation))
        self._shifts.setVisible(may_shift(search))
        self._how.setVisible(search.translation is not None)

    def _shapes(self) -> tuple[str, str]:
        database = self.database.database
        if database is None or self.scoring.search.iteration is not None:
            return "", ""
        from swgui.jobs.search.opening import scored_beside  # imported here: the first picture needs none of it

        translated = self.scoring.translation is not None
        beside, why = scored_beside(self.query.records, database, translated=translated)
        return ("", why) if beside is None else (beside.name, "")

    def _no_shapes(self) -> str:
        database = self.database.database
        if self.job != "shape" or database is None or self._shapes()[0]:
            return ""
        if database.track is None:
            return "Similar structures are found in a database of structures: build one of PDB or mmCIF files."
        return "Similar structures are found with a structure: open a PDB or mmCIF file as the query."

    def show_phase(self, phase: str) -> None:
        """Note whether a search runs or waits: there is one at a time."""
        self._running = {"idle": "", "waiting": WAITING}.get(phase, RUNNING)
        self.refresh()

    def load_sample_query(self) -> None:
        self.query.open_file(sample_queries())

    def load_sample_database(self) -> None:
        self.database.open(sample_database())

    def choose_away(self) -> None:
        """Ask for another computer and one of its databases."""
        from swgui.gui.inputs.another_computer import AnotherComputer  # imported here: few search elsewhere

        dialog = AnotherComputer(self.window())
        dialog.chosen.connect(self.database.take)
        dialog.open()

    def show_report(self) -> None:
        self.query.show_report()

    def end_welcome(self) -> None:
        self.settings.display.welcome = False
        self.welcome.hide()

    def restyle(self) -> None:
        self.query.restyle()
        super().restyle()

    def states(self) -> set[str]:
        states = {"ready": self.ready, "described": self.described, "query": self.query.report is not None}
        return {state for state, is_so in states.items() if is_so}

    @property
    def strip_height(self) -> int:
        return self._strip.height()

    def set_narrow(self, narrow: bool) -> None:
        """Put parts below each other if they do not fit side by side, and hide buttons that menus have."""
        self.query.set_narrow(narrow)
        self.database.set_narrow(narrow)
        turn(self._job_lines, narrow)
        self._copy.setHidden(narrow)
        self.refresh()

    def shutdown(self) -> None:
        self.estimates.shutdown()
        self.database.shutdown()

    def _build(self) -> None:
        self.welcome = Welcome()
        self.welcome.setVisible(self.settings.display.welcome)
        run_on = card("enginePanel", self.engine, margins=(2, 1, 2, 1))
        panels = self.scoring, run_on
        self.sheet = Sheet("settingsSheet", "Settings of the search", panels, self.scoring.set_narrow, self)
        inside = QWidget()
        parts = (self.welcome, (self.query, 1), self.database, self._build_job())
        in_column(*parts, margins=2, spacing=1.5, parent=inside)
        self._strip = self._build_strip()
        in_column((described(scrolling(inside), "searchScroll"), 1), self._strip, spacing=0, parent=self)

    def _build_job(self) -> QFrame:
        items = [(title, job, tip) for job, title, tip in JOBS]
        self._job = shrinkable(
            combo_box("job", "Kind of search; sets program and settings", self._job_chosen, items=items), 22
        )
        title = text_label("Find", level="heading", buddy=self._job)
        keep_size(title, width=12)
        self._line = text_label(name="settingsLine", wrap=True, plain=True)
        tip = "Scoring, hit list, statistics, rounds, and device"
        change = push_button("changeSettings", "Change…", tip, self.sheet.open)
        self._translated = text_label(name="translationSaid", wrap=True, plain=True, level="muted")
        tip = "Let the reading shift by one or two bases anywhere, for reads with insertions and deletions"
        self._shifts = check_box("allowShifts", "Allow frameshifts", tip, self.scoring.allow_shifts)
        self._how = QWidget()
        in_row((self._translated, 1), self._shifts, parent=self._how)
        words = in_column(self._line, self._how, spacing=0.25)
        self._job_lines = in_row(in_row(title, self._job, 1, spacing=1.5), (words, 1), spacing=1.5)
        return card("jobPanel", in_row((self._job_lines, 1), change, spacing=1.5))

    def _build_strip(self) -> QFrame:
        strip = QFrame()
        set_role(strip, role="strip")
        self._plan = text_label(name="plan", wrap=True, plain=True)
        self._advice = text_label(name="advice", wrap=True, plain=True, tone="warning")
        self._short = push_button(
            "useShortPeptide", "Use Short peptide", does=lambda: self.scoring.use_preset("peptide")
        )
        copy = make_menu("copySearch", self)
        tip = "Copy the terminal command that does the same search"
        menu_command(copy, "copyCommand", "Copy command", tip, self.copy_command_wanted.emit)
        tip = "Copy lines of Python that do the same search"
        menu_command(copy, "copyPython", "Copy as Python", tip, self.copy_python_wanted.emit)
        self._copy = push_button("copyMenu", "⋯", "Command line and Python", accessible="Copy this search")
        self._copy.setMenu(copy)
        self.queue_button = push_button("queueButton", "Add to queue", does=self.queue_wanted)
        self.search_button = push_button("searchButton", "Search", does=self.search_wanted, role="primary")
        keep_size(self.search_button, width=16, height=4.5)
        words = in_column(self._plan, self._advice, spacing=0.25)
        buttons = (self._short, self._copy, self.queue_button, self.search_button)
        in_row((words, 1), *buttons, margins=(4, 1.5, 4, 1.5), parent=strip)
        return strip

    def _kinds_differ(self) -> str:
        query, database = self.query.alphabet, self.database.database
        if query is None or database is None or self.scoring.program or query.name == database.alphabet.name:
            return ""
        return (
            f"The query looks like {KIND_NAMES[query.name]}, the database is {KIND_NAMES[database.alphabet.name]}, and "
            "no program compares the two. Set the kind of the query under Kind."
        )

    def _probed(self, statuses: tuple[EngineStatus, ...]) -> None:
        self.estimates.forget()
        memory = [device.memory for device in devices_of_kind(statuses, Kind.GPU)]
        self.database.set_gpu_memory(min(memory, default=0))

    def _database_opened(self, opened: Opened) -> None:
        self.query.look_again()
        self.engine.run_away(self.database.away)
        if opened.members or self.database.away:
            return  # the next start restores the last one
        if opened.path == sample_database():
            self.settings.recent.database = ""  # the sample need not be saved, and its path may change
        else:
            self.settings.remember_database(opened.path)

    def refresh(self) -> None:
        """Show again what Search will do, or why it cannot run."""
        self.settings.search.kind = self.query.kind
        alphabet, database = self.query.alphabet, self.database.database
        self.scoring.set_kinds(alphabet, database.alphabet if database is not None else None)
        program = self.scoring.program
        scored = alphabet if program is None else program.scored
        if scored is not None and scored.name != self.scoring.kind:
            self.scoring.set_kind(scored.name)  # calls this again when the settings of that kind are shown
            return
        self.welcome.show_sample(self.query.source == sample_queries(), self.database.away)
        problem = self.problem
        self.search_button.setEnabled(not problem)
        self.search_button.setToolTip(problem or "Run the search (Ctrl+Return)")
        self._copy.setEnabled(self.described)
        self.query.ask_kind(bool(self._kinds_differ()))
        self._show_job()
        self.queue_button.setVisible(bool(self._running))
        self.queue_button.setEnabled(self.described)
        self.queue_button.setToolTip(self._fault or "Run this search after those that are waiting (Ctrl+Shift+Return)")
        said = self._plan_while_running() if self._running else problem or self._sentence()
        self._plan.setText(wording.unbroken(said))
        wrong = self._kinds_differ() or self._no_shapes() or self.scoring.problem
        set_role(self._plan, level="muted" if problem else "", tone="warning" if problem and problem == wrong else "")
        advice = "" if problem else self._advice_text()
        self._advice.setText(advice)
        for part in (self._advice, self._short):
            part.setVisible(bool(advice))
        self.changed.emit()

    def _plan_while_running(self) -> str:
        return f"{self._running} {self._fault or f'Add this one to the queue, and it runs next. {self._sentence()}'}"

    def _sentence(self) -> str:
        search, database, residues = self.scoring.search, self._opened().database, self.query.searched_residues
        subjects, searched = self.database.organisms.searched
        choice, lengths, residues_of_one = self.chosen, self._lengths(), self._residues_of_one(searched)
        away = choice.options.on
        told = settings_of(choice.options) if tunable(choice.engine) and not away else ()
        if not self._running and not away:
            self.estimates.want(choice)
        unknown = {"unknown": NOT_MEASURED[self.estimates.awaited(choice)]} if told else {}
        work = sum(lengths) * residues_of_one
        self._plan.setToolTip(f"{wording.cells(work)}: residues of the queries × residues of the database")
        plan = wording.plan(
            number=len(self.query.records),
            residues=residues,
            kind=(self.query.alphabet or search.scheme.alphabet).name,
            database=database.name,
            subjects=subjects,
            work=work,
            where=f"{choice.where}{self._which_settings(choice)}",
            seconds=None if away else self._slower(self.estimates.seconds(choice, lengths, residues_of_one)),
            gcups=None if told else self.settings.speeds.get(speed_key(*choice.runs_on)),
            **unknown,
            brief=bool(self._narrow),  # query and database are named above
        )
        beside, why = self._shapes()
        tracks = f"Residues and {beside} symbols are scored together; E is fitted to the scores." if beside else ""
        alone = f"Residues alone are scored: {why}." if why else ""
        without = uncalibrated(search.scheme.matrix, search.translation)
        return " ".join(filter(None, (plan, tracks, alone, without)))

    def _slower(self, seconds: float | None) -> float | None:
        if seconds is None or not shifting(self.scoring.translation):
            return seconds
        return shift_times(self.chosen.runs_on[0]) * seconds

    def _lengths(self) -> list[int]:
        """Return the lengths to scan: each query once for each of its strands or frames, or of the subject's."""
        how = self.scoring.translation
        times = how.times if how is not None else 2 if self.scoring.strand == "both" else 1
        return [length for length in self._searched() for _ in range(times)]

    def _residues_of_one(self, searched: int) -> int:
        """Return how many residues of a database are scanned: translated ones count once a frame."""
        how = self.scoring.translation
        return searched // CODON if how is not None and how.of.translates_database else searched

    def _searched(self) -> list[int]:
        return [self._searched_of(record) for record in self.query.records]

    def _searched_of(self, record: SequenceRecord) -> int:
        return searched_length(record, self.query.query_range, self.scoring.translation)

    @property
    def chosen(self) -> EngineChoice:
        """Device and settings of the search."""
        scheme = self.scoring.scheme
        lengths = set(self._searched())
        return self.engine.choice_for(lengths, len(scheme.alphabet) if scheme else 0)

    def _which_settings(self, choice: EngineChoice) -> str:
        if choice.options.on:
            return ""
        told = settings_of(choice.options) if tunable(choice.engine) else ()
        if told == settings_of(self.engine.choice.options):
            return ", own settings" if told else ""
        return ", fastest settings"

    def _advice_text(self) -> str:
        scheme = self.scoring.scheme
        if scheme is None or scheme.alphabet is not PROTEIN or self.scoring.values.preset == "peptide":
            return ""
        shortest = self.query.shortest
        if shortest is None or (searched := self._searched_of(shortest)) >= SHORT_QUERY:
            return ""
        if self._narrow:
            return f"A query of only {words.count(searched, 'residue')}."  # the button names the action
        has = "has" if self.scoring.translation is None else "has translations of"
        return f"“{shortest.id}” {has} {words.count(searched, 'residue')}: Short peptide finds more."


def translation_words(how: Translation | None) -> str:
    """Return a sentence on the translation; empty if there is none."""
    if how is None:
        return ""
    sides = [("query", how.query_code)] * how.of.translates_query
    sides += [("database", how.subject_code)] * how.of.translates_database
    which = {"all": "in six frames", "plus": "in the frames of the plus strand",
             "minus": "in the frames of the minus strand"}.get(write_frames(how.frames),
                                                               f"in frame {write_frames(how.frames)}")  # fmt: skip
    said = " and ".join(f"the {side} is translated {which}, genetic code {code}" for side, code in sides)
    return f"{said[:1].upper()}{said[1:]} ({how.program})."
