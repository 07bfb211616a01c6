"""New search with the hits found: a dialog shows which hits make the next profile, and lets the user change them.

Its ticks are members of the profile. Ticks in the hit list are the user's own, for exports; they become members only
on request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QDoubleValidator, QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QHeaderView, QTableView, QWidget

from swgui.core import words
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.headers import header_of
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.iteration import MAX_BEST, MAX_INCLUSION, EvidenceOptions, IterationSettings
from swgui.core.verdict.kinds import SIGNIFICANT
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.inputs.drop import DATABASE_SUFFIX
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import last_folder
from swgui.gui.kit.tables.row_table import RIGHT, Index, PlainHead, Role, RowTable, row_table
from swgui.gui.kit.theme import colours, grid, set_role
from swgui.gui.kit.widgets import check_box, line_edit, make_menu, menu_command, push_button, spin_box, text_label
from swgui.gui.results.frame import ResultsFrame
from swgui.gui.results.rounds.strip import warnings_of
from swgui.gui.words import formatting
from swgui.io.database.library import user_databases
from swgui.jobs.iterate import forward
from swgui.jobs.iterate.again import members_by_hand, next_round, suggested, why_not
from swgui.jobs.iterate.deeper import cost_of
from swgui.jobs.iterate.inclusion import copies_of_query

EXPLANATION: Final = (
    "Searches with the hits of {name}, too, and shows the results in extra columns next to E, which does not "
    "change. It is a run like any other: it runs in the background, can be stopped, and is kept."
)
PROFILES: Final = "Similarity of the profiles of a hit and of the query, with an E fitted to shuffled profiles."
NEIGHBOURS: Final = (
    "Sequences that a hit with E up to 0.001 finds with E up to 0.001 and the query does not, with the path and E of "
    "both steps. A protein of two domains leads from one domain to the other."
)
FORWARD: Final = "HMMER's score over all alignments of every hit, by pyhmmer; no further search."
NO_PYHMMER: Final = "Needs the package pyhmmer: pip install 'swgui[hmmer]'."
ROUNDS_FIRST: Final = "This result has one round: up to {rounds} rounds are done first."
ROUNDS: Final = IterationSettings().rounds
OFFERED: Final = 1_000  # hits that can be ticked
TIP: Final = "Search again with a profile of the hits you tick, as PSI-BLAST does"
PROFILES_TIP: Final = "Compare the profile of the last round with a database of profiles, every pair"
PROTEINS_ONLY: Final = "Of proteins only: bases have no such evidence here."
ROUND_FIRST: Final = "A profile needs a round: search again first."
NO_PROFILES: Final = "Made by 'swgui makedb --profiles'; those that were opened once are listed here"
NO_MEMBERS: Final = "No hit is significant by itself: tick known relatives."
ABOUT: Final = "Tick the members of the next profile here. Your ticks in the list of hits do not change."


class DeeperDialog(Dialog):
    """Asks for the settings of the new search.

    Parameters
    ----------
    settings : IterationSettings
        Settings of the rounds to run first if there are none.
    """

    wanted = Signal(object)  # the settings with the user's choices

    def __init__(
        self, result: SearchResult, query_index: int, settings: IterationSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__("deeperDialog", "Look deeper", parent)
        self._result, self._query, self._settings = result, query_index, settings
        query = result.queries[query_index]
        self.profiles = check_box("deeperProfiles", "Compare profiles", does=self._refresh, on=True)
        self.neighbours = check_box("deeperNeighbours", "Search through the hits", does=self._refresh, on=True)
        self.forward = check_box("deeperForward", "Forward scores", does=self._refresh)
        self.forward.setEnabled(forward.is_installed())
        self.best = spin_box(
            "deeperBest", (1, MAX_BEST), settings.evidence.best, "For profiles and neighbours; two rounds with each",
            self._refresh, grouped=True, accessible="Hits that are searched with",
        )  # fmt: skip
        self.cost = text_label(name="deeperCost", wrap=True)
        self.start = push_button("deeperStart", "Look deeper", does=self._start, role="primary", default=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.start, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        explanation = EXPLANATION.format(name=header_of(query.query).name)
        if query.rounds is None:
            explanation = f"{explanation} {ROUNDS_FIRST.format(rounds=settings.rounds)}"
        choices = (
            (self.profiles, PROFILES),
            (self.neighbours, NEIGHBOURS),
            (self.forward, FORWARD if forward.is_installed() else NO_PYHMMER),
        )
        number = in_row(text_label("Hits that are searched with", buddy=self.best), self.best, 1, spacing=1)
        in_column(
            text_label(explanation, level="muted", wrap=True),
            *(in_column(box, text_label(said, level="small", wrap=True), spacing=0.25) for box, said in choices),
            number,
            self.cost,
            buttons,
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self.fit(75, 0)
        self._refresh()

    @property
    def evidence(self) -> EvidenceOptions:
        return EvidenceOptions(
            profiles=self.profiles.isChecked(),
            neighbours=self.neighbours.isChecked(),
            forward=self.forward.isChecked(),
            best=self.best.value(),
        )

    def _refresh(self) -> None:
        evidence = self.evidence
        self.start.setEnabled(bool(evidence))
        self.best.setEnabled(evidence.searches)
        self.cost.setText(self._in_words(evidence))

    def _in_words(self, evidence: EvidenceOptions) -> str:
        if not evidence:
            return "Nothing is chosen."
        if not evidence.searches:
            return "Needs no further search."
        cost = cost_of(self._result, self._query, evidence.best)
        if not cost.hits:
            return "There is no hit to search with."
        hits = f"Needs two searches of the database for each of {words.count(cost.hits, 'hit')}"
        if not cost.seconds:
            return f"{hits}."
        about = "" if cost.seconds < words.SHORTEST else "about "
        return f"{hits}, {about}{words.duration(cost.seconds)} at the speed of this search."

    def _start(self) -> None:
        self.accept()
        self.wanted.emit(replace(self._settings, evidence=self.evidence))


class MembersTable(RowTable):
    """The best hits of a query, with a tick for those that make the profile; new ones have a colour."""

    heads = (PlainHead("Name"), PlainHead("Description"), PlainHead("E", side=RIGHT), PlainHead("Verdict"),
             PlainHead(""))  # fmt: skip
    ticked = Signal()

    def __init__(self, data: HitData, before: frozenset[int]) -> None:
        super().__init__()
        self._data, self._before = data, before
        self._subjects = [data.subject(row) for row in range(min(len(data), OFFERED))]
        db_index = data.hits.db_index[: len(self._subjects)]
        self._copies = copies_of_query(data.result, data.query_index, db_index)
        self.chosen: set[int] = set()

    def choose(self, subjects: frozenset[int]) -> None:
        self.chosen = set(subjects)
        if self._subjects:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._subjects) - 1, len(self.heads) - 1))
        self.ticked.emit()

    @property
    def doubtful(self) -> int:
        """Number of ticked hits that are not significant by themselves."""
        rows = (row for row, subject in enumerate(self._subjects) if subject in self.chosen)
        return sum(float(self._data.hits.log10_evalues[row]) > SIGNIFICANT.value for row in rows)

    def row_count(self) -> int:
        return len(self._subjects)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = index.row(), index.column()
        subject, header = self._subjects[row], self._data.header(row)
        new = bool(self._before) and subject in self.chosen and subject not in self._before
        if role == Role.CheckStateRole and column == 0:
            return Qt.CheckState.Checked if subject in self.chosen else Qt.CheckState.Unchecked
        if role in (Role.DisplayRole, Role.ToolTipRole):
            evalue = formatting.evalue(float(self._data.values("evalue")[row]))
            said = "the query" if self._copies[row] else "new" if new else ""
            return (header.name, header.title, evalue, self._data.text(row, BY_KEY["verdict"]), said)[column]
        if role == Role.TextAlignmentRole:
            return self.side(column)
        if role == Role.ForegroundRole:
            shades = colours(QGuiApplication.palette())
            if new:
                return QColor(shades.success)
            return None if subject in self.chosen else QColor(shades.muted)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or index.column() != 0:
            return False
        self.chosen ^= {self._subjects[index.row()]}
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), len(self.heads) - 1))
        self.ticked.emit()
        return True


class AgainDialog(Dialog):
    """Shows the members of the next profile, and asks for the inclusion E and the number of rounds.

    Parameters
    ----------
    data : HitData
        The hits of the query.
    ticked : frozenset of int
        Subjects that the user has ticked in the list of hits; a button makes them the members.
    """

    # Subjects that are included (frozenset of int; empty where E alone decides), and `IterationSettings`
    wanted = Signal(object, object)
    profiles_wanted = Signal(object)  # the profile should be compared with a database of profiles (Path)

    def __init__(
        self, data: HitData, ticked: frozenset[int], details: Callable[[], object], deeper: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__("againDialog", "Find distant relatives", parent, size=(108, 76))
        self._result, self._query, self._deeper = data.result, data.query_index, deeper
        rounds = self._result.queries[self._query].rounds
        self.number = next_round(self._result, self._query)
        before = frozenset(rounds.last.included.tolist()) if rounds is not None else frozenset()
        self.table = MembersTable(data, before)
        self.table.ticked.connect(self._show)
        view = row_table(QTableView(), "againTable", "Hits that make the next profile", self.table, rows=2.75)
        for column, width in enumerate((22, 20, 11, 14, 10)):
            view.setColumnWidth(column, grid(width))
        view.horizontalHeader().setStretchLastSection(False)
        view.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        usual = IterationSettings().inclusion(len(self._result.database), self._result.database.alphabet.name)
        tip = "Hits up to this E-value are ticked, and make the profiles of later rounds"
        self.evalue = line_edit("againEvalue", tip, text=f"{usual:g}", right=True, edited=self._typed, width=10)
        validator = QDoubleValidator(1e-300, MAX_INCLUSION, 300, self)
        validator.setLocale(validator.locale().c())
        self.evalue.setValidator(validator)
        self._usual = usual
        self.said = text_label(name="againSaid", wrap=True, plain=True)
        self.doubt = text_label(name="againDoubt", wrap=True, plain=True, tone="warning")
        start, tip = partial(self._start, self.number), f"Search once more (round {self.number})"
        self.start = push_button("againStart", "", tip, start, role="primary", default=True)
        start, tip = partial(self._start, ROUNDS), f"Round after round, {ROUNDS} at most, as long as hits are new"
        self.until = push_button("againUntil", "Repeat until no new hits", tip, start, default=False)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.until, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.start, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        figures = push_button("againDetails", "Details…", "Statistics of the rounds", lambda: details(), role="quiet")
        figures.setVisible(rounds is not None)
        tip = "Compare profiles, search through the hits, Forward scores of HMMER"
        look = push_button("againDeeper", "Look deeper…", tip, self._look_deeper, role="quiet")
        self.profiles = push_button("againProfiles", "Compare profiles…", PROFILES_TIP, self._offer, role="quiet")
        of_bases = _of_bases(self._result)
        if of_bases or rounds is None:
            self.profiles.setEnabled(False)
            self.profiles.setToolTip(PROTEINS_ONLY if of_bases else ROUND_FIRST)
        if of_bases:
            look.setEnabled(False)
            look.setToolTip(PROTEINS_ONLY)
        text = f"Take the ticked hits ({len(ticked):,})"
        tip = "Make the profile of the hits that are ticked in the list of hits, and of no others"
        take = push_button("againTicked", text, tip, partial(self._take, ticked), role="quiet", default=False)
        take.setVisible(bool(ticked))
        limits = in_row(text_label("Include hits with E up to", buddy=self.evalue), self.evalue, 1, take)
        further, foot = in_row(look, self.profiles, 1), in_row(figures, 1, buttons)  # in two rows for large text
        in_column(self.said, limits, (view, 1), self.doubt, further, foot, margins=2, spacing=1, parent=self)
        self.table.choose(members_by_hand(self._result, self._query) or self._suggested)

    def settings(self, rounds: int = ROUNDS) -> IterationSettings:
        """Return the requested search, with a maximum number of rounds."""
        evalue = float(self.evalue.text()) if self.evalue.hasAcceptableInput() else self._usual
        given = None if evalue == self._usual else evalue
        return IterationSettings(rounds, inclusion_evalue=given)

    @property
    def _suggested(self) -> frozenset[int]:
        return suggested(self._result, self._query, self.settings())

    def _take(self, ticked: frozenset[int], _checked: bool = False) -> None:
        self.table.choose(ticked)

    def _typed(self) -> None:
        right = self.evalue.hasAcceptableInput()
        set_role(self.evalue, invalid=not right)
        if right:
            self.table.choose(self._suggested)

    def _show(self) -> None:
        chosen = len(self.table.chosen)
        self.said.setText(ABOUT if chosen else NO_MEMBERS)
        self.start.setText(f"Search again with {words.count(chosen, 'hit')}" if chosen else "Search again")
        for button in (self.start, self.until):
            button.setEnabled(chosen > 0)
        doubtful = self.table.doubtful
        said = warnings_of(self._result, self._query)[:1]
        if doubtful:
            weak = words.count(doubtful, "member is", "members are")
            said.append(f"{weak} not significant alone: untick those that you know to be unrelated.")
        self.doubt.setText(" ".join(said))
        self.doubt.setVisible(bool(said))

    def _look_deeper(self) -> None:
        self.reject()
        self._deeper()

    def _offer(self) -> None:
        """Offer the known databases of profiles, and a file."""
        menu = make_menu("againProfilesMenu", self)
        for number, known in enumerate(one for one in user_databases() if one.profiles):
            named = f"{known.name}, {words.count(known.sequences, 'profile')}"
            compare = partial(self._compare, known.path)
            menu_command(menu, f"againProfiles-{number}", named, str(known.path), compare)
        menu_command(menu, "againProfilesFile", "Other file…", NO_PROFILES, self._ask_file)
        menu.popup(self.profiles.mapToGlobal(self.profiles.rect().bottomLeft()))

    def _ask_file(self) -> None:
        kinds = f"Databases (*{DATABASE_SUFFIX})"
        name, _ = QFileDialog.getOpenFileName(self, "Database of profiles", last_folder(), kinds)
        if name:
            self._compare(Path(name))

    def _compare(self, database: Path) -> None:
        self.accept()
        self.profiles_wanted.emit(database)

    def _start(self, rounds: int, _checked: bool = False) -> None:
        by_hand = frozenset(self.table.chosen)
        self.accept()
        self.wanted.emit(frozenset() if by_hand == self._suggested else by_hand, self.settings(rounds))


def _of_bases(result: SearchResult) -> bool:
    """Whether a result is of nucleotides, whose profiles are neither compared nor looked through deeper."""
    return result.scheme.alphabet.name == NUCLEOTIDE.name


class SearchAgain(QObject):
    """Asks for the members of the next round, and for other relatives to look for.

    Parameters
    ----------
    page : ResultsFrame
        Members that were chosen by hand are proposed; without any, hits with a small E-value.
    """

    # Number of the query, the members (frozenset of int; empty where E alone decides), and `IterationSettings`
    wanted = Signal(int, object, object)
    profiles_wanted = Signal(int, object)  # number of the query, and the database of profiles (Path)

    def __init__(self, page: ResultsFrame) -> None:
        super().__init__(page)
        self._page, self._button = page, page.header.again_button
        self._button.clicked.connect(lambda: self.ask())
        page.query_shown.connect(self.refresh)
        page.rounds.next_wanted.connect(lambda: self.ask())
        page.query_shown.connect(lambda query: page.rounds.show_query(page.result, query))

    @property
    def reason(self) -> str:
        """Reason why the current result cannot start a new search; empty if it can."""
        return why_not(self._page.result) if self._page.result is not None else "There is no result yet."

    def refresh(self) -> None:
        """Enable the buttons if the current result can start a new search; their tool tip says why not."""
        for button in (self._button, self._page.rounds.next_button):
            button.setEnabled(not self.reason)
            button.setToolTip(self.reason or TIP)

    def ask(self) -> AgainDialog | None:
        """Open the dialog of the next round, and return it; None where there can be none."""
        data = self._page.hits.data
        if self.reason or data is None:
            self._page.message.emit(self.reason or "There are no hits to search again with.")
            return None
        query = data.query_index
        details, deeper = self._page.rounds.show_figures, self.look_deeper
        dialog = AgainDialog(data, self._ticked(query), details, deeper, self._page.window())
        dialog.wanted.connect(partial(self.wanted.emit, query))
        dialog.profiles_wanted.connect(partial(self.profiles_wanted.emit, query))
        dialog.open()
        return dialog

    def look_deeper(self) -> DeeperDialog | None:
        """Ask for other relatives to look for, and return the dialog; None if there is nothing to ask."""
        result, query = self._page.result, self._page.query_index
        if self.reason or result is None or query < 0 or _of_bases(result):
            self._page.message.emit(self.reason or PROTEINS_ONLY)
            return None
        dialog = DeeperDialog(result, query, IterationSettings(), self._page.window())
        dialog.wanted.connect(lambda settings: self.wanted.emit(query, members_by_hand(result, query), settings))
        dialog.open()
        return dialog

    def _ticked(self, query: int) -> frozenset[int]:
        return frozenset(self._page.marks.marks.subjects("ticked", query))
