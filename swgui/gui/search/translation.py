"""What is translated, and how: shown where query and database are of different kinds, or both are DNA."""

from __future__ import annotations

from typing import Final, cast

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFrame, QWidget

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.scoring import GAP_LIMIT
from swgui.core.translation.frames import NAMED_FRAMES, read_frames, write_frames
from swgui.core.translation.genetic_codes import GENETIC_CODES
from swgui.core.translation.programs import (
    AUTO,
    PROGRAMS,
    PROPOSED_SHIFT,
    Program,
    TranslatedName,
    Translation,
    choose_program,
)
from swgui.core.translation.stretches import LONGEST
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import combo_box, fill_combo, spin_box, text_label
from swgui.settings import SearchSettings

_FRAMES: Final = (
    ("All six", "all", "Both strands, three frames each"),
    ("Plus strand", "plus", "Frames 1, 2 and 3"),
    ("Minus strand", "minus", "Frames -1, -2 and -3"),
    *((f"{frame:+d}", str(frame), "This frame alone") for frame in NAMED_FRAMES["all"]),
)
_OF_DNA: Final = (
    ("As DNA (blastn)", AUTO, "Bases are compared"),
    ("Both translated (tblastx)", PROGRAMS["tblastx"].name, "All frames of both are compared as proteins"),
)


class TranslationPanel(QFrame):
    """Asks for genetic codes and frames; hidden where nothing can be translated.

    Parameters
    ----------
    settings : SearchSettings
        Edits go into them at once.

    Signals
    -------
    changed()
        Something else is translated, or in another way.
    """

    changed = Signal()

    def __init__(self, settings: SearchSettings) -> None:
        super().__init__()
        self.setObjectName("translationPanel")
        set_role(self, role="card")
        self._settings = settings
        self._program: Program | None = None
        codes = [(f"{code.number}  {code.name}", code.number) for code in GENETIC_CODES.values()]
        how = self._edited
        self._said = text_label(name="translationSaid", wrap=True, plain=True)
        self._how = combo_box("program", "What is compared with what", how, items=_OF_DNA)
        self._query_code = combo_box("queryCode", "Genetic code of the query", how, items=codes, characters=28)
        self._subject_code = combo_box("subjectCode", "Genetic code of the database", how, items=codes, characters=28)
        self._frames = combo_box("frames", "Which frames of the DNA are read", how)
        self._shift = spin_box(
            "frameshift",
            (0, GAP_LIMIT),
            settings.frameshift,
            f"Cost of a shift of the reading by one or two bases; {PROPOSED_SHIFT} is proposed for long reads, None is "
            "for no shifts",
            how,
            special="None",
            first=PROPOSED_SHIFT,
            accessible="Cost of a frameshift",
        )
        self._stretch = spin_box(
            "minOrf",
            (0, LONGEST),
            settings.min_orf,
            "Codons that a stretch between two stops has at least; shorter ones are masked",
            how,
            special="Any",
            accessible="Least open stretch in codons",
        )
        flow = FlowRow()  # goes on in the next line of a narrow window
        self._cells: dict[QWidget, QWidget] = {
            field: _cell(title, field)
            for title, field in (
                ("Compare", self._how),
                ("Code of the query", self._query_code),
                ("Code of the database", self._subject_code),
                ("Frames", self._frames),
                ("Frameshifts", self._shift),
                ("Least open stretch", self._stretch),
            )
        }
        for cell in self._cells.values():
            flow.add(cell)
        in_column(self._said, flow, margins=(2, 1.5, 2, 1.5), spacing=1, parent=self)
        self._show_settings()
        self.hide()

    @property
    def program(self) -> Program | None:
        """What is compared with what; None while that is not known, or for kinds that packages bring."""
        return self._program

    @property
    def translation(self) -> Translation | None:
        """How the search translates; None if it does not."""
        program, chosen = self._program, self._settings
        if program is None or not program.translates:
            return None
        frames = read_frames(chosen.frames)
        shift = chosen.frameshift if self._may_shift else 0
        if shift:  # reads whole strands
            frames = frames if frames in NAMED_FRAMES.values() else NAMED_FRAMES["all"]
        codes = chosen.query_code, chosen.subject_code
        least = 0 if shift else chosen.min_orf
        return Translation(cast(TranslatedName, program.name), *codes, frames, shift, least)

    @property
    def _may_shift(self) -> bool:
        """Whether a protein is compared with DNA."""
        program = self._program
        return program is not None and program.translates_query != program.translates_database

    def set_kinds(self, query: Alphabet | None, database: Alphabet | None) -> None:
        """Say what kinds of sequence query and database are, as far as they are known."""
        self._program = None
        if query is not None and database is not None:
            wanted = self._settings.program if query.name == database.name and query.complements else AUTO
            self._program = choose_program(wanted, query, database)
        self._refresh()

    def use(self, translation: Translation | None) -> None:
        """Take over how something was translated."""
        if translation is not None:
            self._settings.program = translation.program if translation.program == "tblastx" else AUTO
            self._settings.query_code, self._settings.subject_code = translation.query_code, translation.subject_code
            self._settings.frames, self._settings.frameshift = write_frames(translation.frames), translation.shift
            self._settings.min_orf = translation.min_orf
        else:
            self._settings.program = AUTO
        self._show_settings()

    def _show_settings(self) -> None:
        chosen = self._settings
        try:
            chosen.frames = write_frames(read_frames(chosen.frames))
        except InvalidParameter:  # a file that somebody edited
            chosen.frames = "all"
        known = {value for _, value, _ in _FRAMES}
        own = [] if chosen.frames in known else [(chosen.frames, chosen.frames, "These frames")]
        fill_combo(self._frames, [*_FRAMES, *own], chosen.frames)
        for box, value in (
            (self._how, chosen.program),
            (self._query_code, chosen.query_code),
            (self._subject_code, chosen.subject_code),
        ):
            box.setCurrentIndex(max(box.findData(value), 0))
        for field, number in ((self._shift, chosen.frameshift), (self._stretch, chosen.min_orf)):
            with QSignalBlocker(field):
                field.setValue(number)
        chosen.query_code, chosen.subject_code = self._query_code.currentData(), self._subject_code.currentData()

    def _edited(self, *_given: object) -> None:
        chosen, before = self._settings, self._settings.program
        chosen.program, chosen.frames = self._how.currentData(), self._frames.currentData()
        chosen.query_code, chosen.subject_code = self._query_code.currentData(), self._subject_code.currentData()
        chosen.frameshift, chosen.min_orf = self._shift.value(), self._stretch.value()
        if chosen.program != before and self._program is not None:
            self.set_kinds(self._program.query, self._program.database)
        self._refresh()
        self.changed.emit()

    def _refresh(self) -> None:
        program = self._program
        of_dna = program is not None and bool(program.query.complements and program.database.complements)
        translates = program is not None and program.translates
        self._cells[self._how].setVisible(of_dna)
        self._cells[self._query_code].setVisible(program is not None and program.translates_query)
        self._cells[self._subject_code].setVisible(program is not None and program.translates_database)
        self._cells[self._frames].setVisible(translates)
        self._cells[self._shift].setVisible(self._may_shift)
        how = self.translation
        self._cells[self._stretch].setVisible(how is not None and not how.shift)
        self._said.setText(self._words())
        self._said.setVisible(translates)
        self.setVisible(of_dna or translates)

    def _words(self) -> str:
        how = self.translation
        if how is None:
            return ""
        sides = [("query", how.query_code)] * how.of.translates_query
        sides += [("database", how.subject_code)] * how.of.translates_database
        which = {"all": "in six frames", "plus": "in the frames of the plus strand", "minus": "in the frames of the "
                 "minus strand"}.get(write_frames(how.frames), f"in frame {write_frames(how.frames)}")  # fmt: skip
        if how.shift:
            which = {"plus": "on the plus strand", "minus": "on the minus strand"}.get(
                write_frames(how.frames), "on both strands"
            )
            which += f" with frameshifts at a cost of {how.shift:,}"
        if how.min_orf:
            which += f", stretches of {how.min_orf:,} codons or more"
        said = " and ".join(f"the {side} is translated {which}, code {code}" for side, code in sides)
        return f"{said[:1].upper()}{said[1:]} ({how.program})."


def _cell(title: str, field: QWidget) -> QWidget:
    """Return a field with its title before it."""
    cell = QWidget()
    in_row(text_label(title, buddy=field), field, margins=(0, 0, 1.5, 0), parent=cell)
    return cell
