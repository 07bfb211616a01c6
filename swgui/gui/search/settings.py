"""The settings of a search: the record the page keeps, and the sheet on which all of it is set."""

from __future__ import annotations

from typing import Final, cast

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from swgui.commands.presets import presets_for
from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.circular import Circles
from swgui.core.contexts import NO_CONTEXT
from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.plain import from_plain, plain, replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.recipe import PRESETS_OF, Recipe
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.search import Search
from swgui.core.translation.programs import AUTO, PROPOSED_SHIFT, Program, TranslatedName, Translation, choose_program
from swgui.gui.inputs.scheme import SchemePanel, Scoring
from swgui.gui.kit.layouts import in_column, in_grid
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid, keep_size, set_role
from swgui.gui.kit.widgets import text_label
from swgui.gui.search import fields
from swgui.gui.search.fields import HEADINGS, SCORING, FieldControl, may_shift, rounds_of_bases, settings_words
from swgui.gui.words import wording
from swgui.io.saved.facts import plain_changes, search_with
from swgui.settings import SearchSettings

GAPS_NAMED: Final = 14
WIDTH: Final = 30  # of a control, in grid units
COLUMNS: Final = 3  # of the sheet: label, control, help


class SettingsPanel(SchemePanel):
    """Keeps the search that is described as core's record, and shows a control for each of `fields.FIELDS`."""

    def __init__(self, settings: SearchSettings, tasks: Tasks) -> None:
        self._search_settings = settings
        self._program: Program | None = None
        self._invalid, self._narrow = "", False
        self._stand_in: ScoringScheme | None = None
        super().__init__(settings, tasks)

    # What the page calls

    @property
    def search(self) -> Search:
        return self._composed(self.translation)

    @property
    def program(self) -> Program | None:
        """Kinds of query and database; None while unknown, or for kinds that packages bring."""
        return self._program

    @property
    def translation(self) -> Translation | None:
        """How the search translates; None if it does not."""
        program = self._program
        if program is None or not program.translates:
            return None
        try:
            asked = from_plain(Translation, {"program": "blastx", **self._search_settings.translation})
        except (ValueError, SwguiError):  # a file that a user edited
            asked = Translation("blastx")
        shifts = asked.shift if program.translates_query != program.translates_database else 0
        return replace(asked, program=cast("TranslatedName", program.name), shift=shifts)

    @property
    def problem(self) -> str:
        """Why the settings cannot be used, as one sentence; empty if they can."""
        return self._invalid or super().problem

    @property
    def words(self) -> str:
        search = self.search
        scheme = search.scheme.matrix.name, search.scheme.gap_open, search.scheme.gap_extend
        costs = f"{scheme[0]}, gap {scheme[1]}/{scheme[2]}, " if self.scheme is not None else ""
        if rounds_of_bases(search):
            costs = "scores of related bases, "
        return f"{self.preset_title}: {costs}{settings_words(search)}."

    # Settings from the page

    def set_kinds(self, query: Alphabet | None, database: Alphabet | None) -> None:
        """Set the kinds of sequence of query and database, if known."""
        before, self._program = self._program, None
        if query is not None and database is not None:
            wanted = self._search_settings.program if query.name == database.name and query.complements else AUTO
            self._program = choose_program(wanted, query, database)
        if self._program is not before:
            self._show_values()

    def use(self, search: Search) -> str:
        """Restore a search; returns a sentence on the settings that could not be restored."""
        scheme, how = search.scheme, search.translation
        self.kind = scheme.alphabet.residue_alphabet.name
        self._search_settings.program = "tblastx" if how is not None and how.program == "tblastx" else AUTO
        if how is not None:
            self._search_settings.translation = plain(how)
        values, matrix, lost = self.values, scheme.matrix.of_residues, ""
        names = (*self._matrices.get(self.kind, ()), values.matrix)
        if matrix.name in names or matrix.name.startswith("+"):
            values.matrix = matrix.name
        else:
            lost = f"The matrix '{matrix.name}' is not known here: choose its file."
        by_rule = (scheme.gap_open, "blast") if scheme.gap_open >= 0 else (scheme.gap_first, "first")
        values.gap_open, values.gap_extend, values.rule = by_rule[0], scheme.gap_extend, by_rule[1]  # type: ignore[assignment]
        self._keep(search)
        fitting = (entry.id for entry in presets_for(self.kind) if entry.matches(values))
        values.preset = next(fitting, values.preset)
        self.fill()
        return lost

    def change(self, search: Search) -> None:
        """Take other values of the search that is described."""
        self._keep(search)
        self._show_values()
        self._show_preset()
        self.changed.emit()

    def allow_shifts(self, on: bool) -> None:
        if may_shift(self.search):
            field = next(field for field in fields.FIELDS if field.path == "translation.shift")
            self.change(field.put(self.search, PROPOSED_SHIFT if on else 0))

    def do_rounds(self, on: bool) -> None:
        self.change(replace(self.search, iteration=IterationSettings() if on else None))

    # Inside

    def _composed(self, translation: Translation | None) -> Search:
        scheme, alphabet = self.scheme, ALPHABETS[self.kind]
        if scheme is None or scheme.alphabet.name != alphabet.name:
            if self._stand_in is None or self._stand_in.alphabet is not alphabet:  # it takes 5 ms to make one
                self._stand_in = ScoringScheme.from_blast(match_mismatch(alphabet, 1, -1), 1, 1)
            scheme = self._stand_in
        try:
            search = search_with(scheme, self.values.search)
        except (ValueError, KeyError, SwguiError):  # a file that a user edited
            self.values.search = {}
            search = Search(scheme=scheme)
        if not scheme.alphabet.complements:
            search = replace(search, strand="plus")
        if translation is not None or self.kind != NUCLEOTIDE.name:
            search = replace(search, circles=Circles())
        if translation is not None and self.kind == PROTEIN.name:
            search = replace(search, translation=translation, iteration=None)
        elif self.kind not in PRESETS_OF:
            search = replace(search, iteration=None)
        search = search if fields.may_have_context(search) else replace(search, context=NO_CONTEXT)
        return search if fields.may_go_both_ways(search) else replace(search, both_directions=False)

    def _keep(self, search: Search) -> None:
        how, rounds, context = search.translation, search.iteration, search.context
        if how is not None:
            self._search_settings.translation = plain(how)
            untranslated = self._composed(None)  # has what translated searches do without
            rounds = untranslated.iteration
            context = context if fields.may_have_context(search) else untranslated.context
        own = replace(search, translation=None, iteration=rounds, context=context, query_range=None,
                      organisms=EVERY_ORGANISM, engine=AUTO, options=EngineOptions())  # fmt: skip
        self.values.search = plain_changes(own)

    def _place(self) -> None:
        self._scoring: Scoring | None = None
        self._statistics = text_label(name="evalueSource", wrap=True, plain=True, level="muted")
        self._wrong = text_label(name="settingsProblem", wrap=True, plain=True, tone="danger")
        self._controls = [FieldControl(field, self._set) for field in fields.FIELDS]
        self._rows: dict[QWidget, tuple[QWidget, QWidget, QWidget]] = {}
        self._sections: dict[str, QWidget] = {}
        form = in_grid(spacing=(1.5, 0.75), stretch=(0, 0, 1))
        self._add_row(form, self._preset, "Preset", set_role(self._note, level="small"))
        for heading in HEADINGS:
            section = self._sections[heading] = QWidget()
            in_column(text_label(heading, level="heading"), margins=(0, 1, 0, 0), parent=section)
            self._add_line(form, section)
            for label, field, _ in self._columns() if heading == SCORING else ():
                self._add_row(form, field, label, _help(field.toolTip()))
            for control in self._controls:
                if control.field.heading == heading:
                    label, unit = control.field.label, control.field.unit
                    label = "" if isinstance(control.field.control, fields.Tick) else label
                    self._add_row(form, control.widget, f"{label} ({unit})" if unit else label,
                                  _help(control.field.help))  # fmt: skip
            for below in (self._costs, self._statistics) if heading == SCORING else ():
                self._add_line(form, below)
        in_column(self._wrong, form, 1, margins=2, spacing=1, parent=self)
        self._wrong.hide()

    def _add_line(self, form: QGridLayout, part: QWidget) -> None:
        form.addWidget(part, form.rowCount(), 0, 1, COLUMNS)

    def _add_row(self, form: QGridLayout, field: QWidget, label: str, told: QWidget) -> None:
        row = form.rowCount()
        title = text_label(label, buddy=field) if label else field
        form.addWidget(title, row, 0, 1, 1 if label else 2)
        if label:
            form.addWidget(field, row, 1)
        form.addWidget(told, row, 2)
        self._rows[field] = title, field, told

    def _show_field(self, field: QWidget, on: bool) -> None:
        title, field, told = self._rows[field]
        title.setVisible(on)
        field.setVisible(on)
        told.setVisible(on and not self._narrow)

    def set_narrow(self, narrow: bool) -> None:
        """Show the sentences next to the fields in their tool tips only."""
        self._narrow = narrow
        for field, (title, *_) in self._rows.items():
            if isinstance(title, QLabel):  # not a check box, which has its own label
                title.setWordWrap(narrow)
                keep_size(title, width=12 if narrow else 20)
                field.setFixedWidth(grid(24 if narrow else WIDTH))
            self._show_field(field, not field.isHidden())

    def _set(self, control: FieldControl) -> None:
        search = self.search
        try:
            changed = control.field.put(search, control.value(search))
        except (ValueError, SwguiError) as error:
            self._invalid = wording.explain(error) if isinstance(error, SwguiError) else str(error)
            set_role(control.widget, invalid=True)
            self._show_problem()
            self.changed.emit()
            return
        set_role(control.widget, invalid=False)
        self._invalid = ""
        self._keep(changed)
        self._show_values(but=control)
        self._show_preset()
        self.changed.emit()

    def _show_problem(self) -> None:
        self._wrong.setText(self._invalid)
        self._wrong.setVisible(bool(self._invalid))

    def _show_values(self, but: FieldControl | None = None) -> None:
        search = self.search
        self._invalid = ""
        self._show_problem()
        shown = set()
        for control in self._controls:
            applies = control.field.when(search)
            self._show_field(control.widget, applies)
            if applies:
                shown.add(control.field.heading)
                if control is not but:
                    control.show(search)
        for heading, section in self._sections.items():
            section.setVisible(heading == SCORING or heading in shown)
        self._show_statistics()

    def _made(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._show_statistics()
        super()._made(scoring)

    def _refused(self, error: Exception) -> None:
        self._scoring = None
        self._show_statistics()
        super()._refused(error)

    def _show_statistics(self) -> None:
        """Show the source of E; for rounds and context scores also their gap costs, which are not those of the form."""
        scoring, search = self._scoring, self.search
        by_position = search.iteration is not None or search.context != NO_CONTEXT
        self._costs.setHidden(by_position)
        if by_position:
            alphabet = search.scheme.alphabet.name
            recipe = search.iteration.profile_recipe(alphabet) if search.iteration is not None else Recipe()
            costs = f"{recipe.gap_first:g} bits for the first residue, {recipe.gap_extend:g} for each further one"
            if recipe.by_length:
                costs = "by the length of the query, for bases of which half are the same"
            scores = "Rounds of bases score by related bases, not by this matrix. " if rounds_of_bases(search) else ""
            kind = "Rounds" if search.iteration is not None else "Context scores"
            text = (
                f"{scores}{kind} have gap costs of their own: {costs}, or by position. "
                "E is fitted to scores of unrelated sequences."
            )
        elif scoring is None:
            text = ""
        elif scoring.statistics:
            text = f"E-values: {scoring.statistics}"
        else:
            costs = ", ".join(f"{o}/{e}" for o, e in scoring.tabulated[:GAPS_NAMED])
            advice = f" Published for this matrix: {costs}." if costs else ""
            text = f"No published constants for these costs: E is fitted to the scores of the search itself.{advice}"
        self._statistics.setText(text)
        known = by_position or scoring is None or bool(scoring.statistics)
        set_role(self._statistics, tone="" if known else "warning")


def _help(text: str) -> QLabel:
    """Return the sentence next to a control."""
    return text_label(text.removesuffix(".") + ".", level="small", wrap=True)
