"""Controls of a search: one record for each, bound to a field of `swgui.core.search.Search`.

A control for a parameter is one line of `FIELDS`; its heading, its place in the sentence of the page, its saved form
and its return with "Edit as a new search" follow from that line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QDoubleValidator, QIntValidator
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox, QWidget

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.contexts import NO_CONTEXT
from swgui.core.plain import replace
from swgui.core.profiles.iteration import ROUNDS, IterationSettings
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS, PRESETS
from swgui.core.scoring import GAP_LIMIT
from swgui.core.search import Search
from swgui.core.translation.frames import FRAMES, NAMED_FRAMES
from swgui.core.translation.genetic_codes import GENETIC_CODES
from swgui.core.translation.programs import PROPOSED_SHIFT
from swgui.core.translation.stretches import LONGEST
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import check_box, combo_box, fill_combo, line_edit, spin_box
from swgui.gui.words.context import CONTEXT_CHOICES, CONTEXT_LABEL

R = TypeVar("R")
#: Parts of a search that do not exist until one of their fields is set.
_PARTS: Final[dict[str, Callable[[], object]]] = {"iteration": IterationSettings}
SCORING, LISTED, STATISTICS, ROUNDS_HEAD = HEADINGS = ("Scoring", "Hit list", "Statistics", "Rounds")
_CODES: Final = tuple((f"{code.number}  {code.name}", code.number) for code in GENETIC_CODES.values())
_FRAMES: Final = (
    ("all six", FRAMES), ("of the plus strand", NAMED_FRAMES["plus"]), ("of the minus strand", NAMED_FRAMES["minus"]),
    *((f"{frame:+d} alone", (frame,)) for frame in FRAMES),
)  # fmt: skip
_SHIFT: Final = "translation.shift"

#: Facts of a search that the page always shows.
ALWAYS_SAID: Final = ("limits.max_evalue", "limits.top")


def value_of(record: object, path: str) -> Any:
    """Return a field of a record by its dotted path; None where a part on the way is not there."""
    for name in path.split("."):
        record = None if record is None else getattr(record, name)
    return record


def with_value(record: R, path: str, value: object) -> R:
    """Return a record with another value at a dotted path. Raises `InvalidParameter` where that makes no sense."""
    name, _, rest = path.partition(".")
    if rest:
        inner = getattr(record, name)
        value = with_value(_PARTS[name]() if inner is None else inner, rest, value)
    return cast(R, replace(cast(Any, record), **{name: value}))


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in a box with arrows; `special` is shown for the minimum, `first` is the first step up from it."""

    low: int
    high: int
    special: str = ""
    first: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    """A typed number above `low`; an empty field means `empty`, which `hint` describes."""

    low: float
    high: float
    hint: str = ""
    empty: float | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some values, each with a title."""

    items: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """Yes or no."""


def always(_search: Search) -> bool:
    """Show the control whatever is searched."""
    return True


@dataclass(frozen=True, slots=True)
class Field:
    """A control and the field of the search it sets."""

    path: str  # of the field, from `Search` on: ``limits.top``
    name: str  # of the widget
    heading: str  # its group in the sheet
    label: str
    control: Whole | Number | Choice | Tick
    help: str
    unit: str = ""  # behind the control
    # Text of the page for a value that is not the usual one; ``{}`` is the value. Empty for nothing.
    said: str = ""
    when: Callable[[Search], bool] = always  # whether it applies to a search
    none: object = None  # the value that takes the whole part of the search away to which the field belongs
    first: Callable[[Search], Search] | None = None  # makes other fields of the search fit any value but 0

    def of(self, search: Search) -> Any:
        value = value_of(search, self.path)
        return self.none if value is None and self.none is not None else value

    def put(self, search: Search, value: object) -> Search:
        """Return the search with another value. Raises `InvalidParameter` where that makes no sense."""
        if self.none is not None and value == self.none:
            return with_value(search, self.path.partition(".")[0], None)
        if value and self.first is not None:
            search = self.first(search)
        return with_value(search, self.path, value)

    def words(self, search: Search) -> str:
        """Return the page's text for the value."""
        value = self.of(search)
        if isinstance(self.control, Choice):
            value = next((title for title, item in self.control.items if item == value), value)
        return self.said.format(value)


def _proteins(search: Search) -> bool:
    return search.translation is None and search.scheme.alphabet.residue_alphabet is PROTEIN


def _bases(search: Search) -> bool:
    return search.translation is None and search.scheme.alphabet is NUCLEOTIDE


def _may_have_rounds(search: Search) -> bool:
    return _proteins(search) or _bases(search)


def _rounds(search: Search) -> bool:
    return _may_have_rounds(search) and search.iteration is not None


def rounds_of_bases(search: Search) -> bool:
    """Whether bases are searched in rounds, which do not score by the matrix that the search names."""
    return _bases(search) and search.iteration is not None


def _translated(search: Search) -> bool:
    return search.translation is not None


def _query_translated(search: Search) -> bool:
    return search.translation is not None and search.translation.of.translates_query


def _database_translated(search: Search) -> bool:
    return search.translation is not None and search.translation.of.translates_database


def _whole_strands(search: Search) -> Search:
    frames = value_of(search, "translation.frames")
    search = with_value(search, "translation.min_orf", 0)
    return search if frames in NAMED_FRAMES.values() else with_value(search, "translation.frames", FRAMES)


def may_shift(search: Search) -> bool:
    """Whether a protein is compared with DNA."""
    return _query_translated(search) != _database_translated(search)


def may_have_context(search: Search) -> bool:
    """Whether proteins are scored, without frameshifts: those of the queries, or those they are translated to."""
    return search.scheme.alphabet.residue_alphabet is PROTEIN and not value_of(search, _SHIFT)


def may_go_both_ways(search: Search) -> bool:
    """Whether hits can be scored in both directions: by context, in one round, and without translation."""
    return may_have_context(search) and _proteins(search) and search.iteration is None and search.context != NO_CONTEXT


FIELDS: Final = (
    Field("context", "context", SCORING, CONTEXT_LABEL, Choice(CONTEXT_CHOICES),
          "By its surroundings one scan ranks distant relatives higher, and takes longer on the CPU; E is cautious.",
          said="context scores", when=may_have_context),
    Field("both_directions", "bothDirections", SCORING, "Score hits in both directions", Tick(),
          "Each hit's own surroundings score the query, too: one E for both finds more, and the search takes longer.",
          said="both directions", when=may_go_both_ways),
    Field("translation.query_code", "queryCode", SCORING, "Genetic code of the query", Choice(_CODES),
          "NCBI's genetic codes; 11 for bacteria.", said="genetic code {}", when=_query_translated),
    Field("translation.subject_code", "subjectCode", SCORING, "Genetic code of the database", Choice(_CODES),
          "NCBI's genetic codes; 11 for bacteria.", said="genetic code {}", when=_database_translated),
    Field("translation.frames", "frames", SCORING, "Reading frames", Choice(_FRAMES),
          "Which frames of the DNA are translated.", said="frames {}", when=_translated),
    Field(_SHIFT, "frameshift", SCORING, "Frameshift cost", Whole(0, GAP_LIMIT, "no frameshifts", PROPOSED_SHIFT),
          f"Alignments may shift the frame by one or two bases at this cost; {PROPOSED_SHIFT} is usual for long reads.",
          said="frameshifts at a cost of {}", when=may_shift,
          first=_whole_strands),
    Field("translation.min_orf", "minOrf", SCORING, "Shortest open reading frame", Whole(0, LONGEST, "any length"),
          "Shorter ones, from stop to stop, are not searched.", "codons", said="reading frames from {} codons",
          when=lambda search: _translated(search) and not value_of(search, _SHIFT)),
    Field("circles.which", "circular", SCORING, "Circular records",
          Choice((("as their entries say", "declared"), ("all records", "all"))),
          "Circular records are searched across their origins; GenBank and EMBL entries mark them, FASTA does not.",
          said="circular: {}", when=_bases),
    Field("limits.max_evalue", "maxEvalue", LISTED, "E-value up to", Number(1e-300, 1e12),
          "Number of matches expected by chance; hits above it are not listed.", said="E up to {:g}"),
    Field("limits.top", "topHits", LISTED, "Hits per query", Whole(1, 1_000_000),
          "At most this many are listed; every sequence is scored.", said="{:,} hits"),
    Field("max_hsps", "maxHsps", LISTED, "Alignments per subject", Whole(1, 1_000_000),
          "HSPs: further alignments of the same pair, such as repeats, domains or copies in a genome.",
          said="{:,} alignments per subject"),
    Field("limits.minimums.score", "min_score", LISTED, "Score at least", Number(0, 1e9, "any", 0, whole=True),
          "Hits with a lower raw score are not listed.", said="score from {:,}"),
    Field("limits.minimums.identity", "min_identity", LISTED, "Identity at least", Number(0, 100, "any", 0.0),
          "Identical residues among the columns of the alignment.", "%", said="identity from {:g} %"),
    Field("limits.minimums.coverage", "min_coverage", LISTED, "Query cover at least", Number(0, 100, "any", 0.0),
          "Share of the query inside the alignment.", "%", said="query cover from {:g} %"),
    Field("composition", "composition", STATISTICS, "Correct E for composition",
          Choice((("by shuffled copies", "full"), ("by lambda alone", "lambda"), ("not at all", "none"))),
          "Sequences rich in the same residues score high by chance. Scores and alignments do not change.",
          said="composition corrected {}"),
    Field("limits.effective_residues", "effectiveResidues", STATISTICS, "Database size for E",
          Number(0, 2**31 - 1, "actual size", 0, whole=True), "To compare searches in databases of different size.",
          "residues", said="E for {:,} residues"),
    Field("mask", "maskQuery", STATISTICS, "Mask low complexity in the query", Tick(),
          "Replaces regions made of few different residues by X (SEG) or N (DUST). This changes scores.",
          said="low complexity masked"),
    Field("iteration.rounds", "rounds", ROUNDS_HEAD, "Number of rounds", Whole(1, ROUNDS[1], "one search"),
          "Searches again with a profile of the hits, as PSI-BLAST does, until a round finds no new hits.",
          said="up to {} rounds", when=_may_have_rounds, none=1),
    Field("iteration.inclusion_evalue", "inclusion", ROUNDS_HEAD, "Include hits with E up to",
          Number(1e-300, 10, "as Profile sets"), "Hits up to this E-value make the profile of the next round.",
          said="including E up to {:g}", when=_rounds),
    Field("iteration.preset", "roundsPreset", ROUNDS_HEAD, "Profile",
          Choice(tuple((name, name) for name in PRESETS)),
          ". ".join(f"{name.capitalize()}: {PRESETS[name].help}" for name in PRESETS) + ". Of nucleotides: up to E "
          + ", ".join(f"{facts.inclusion:g}" for facts in NUCLEOTIDE_PRESETS.values()) + ".", said="{} profile",
          when=_rounds),
)  # fmt: skip


def settings_words(search: Search) -> str:
    usual = Search(scheme=search.scheme)
    if search.translation is not None:
        usual = replace(usual, translation=type(search.translation)(search.translation.program))
    if search.iteration is not None:
        usual = replace(usual, iteration=IterationSettings())
    shown = (field for field in FIELDS if field.when(search))
    said = [
        field.words(search)
        for field in shown
        if field.path in ALWAYS_SAID or (field.path == "iteration.rounds" and search.iteration is not None)
        or field.of(search) != field.of(usual)
    ]  # fmt: skip
    return ", ".join(filter(None, said))


class FieldControl:
    """The widget of a field.

    Parameters
    ----------
    edited : callable
        Told that the user has changed it.
    """

    def __init__(self, field: Field, edited: Callable[[FieldControl], object]) -> None:
        self.field = field
        self._does = lambda *_given: edited(self)
        self.widget: QWidget = self._make()

    def _make(self) -> QWidget:
        name, tip, control = self.field.name, self.field.help, self.field.control
        accessible = self.field.label
        match control:
            case Whole():
                return spin_box(name, (control.low, control.high), control.low, tip, self._does,
                                special=control.special, first=control.first, grouped=True, width=16,
                                accessible=accessible)  # fmt: skip
            case Number():
                line = line_edit(name, tip, hint=control.hint, right=True, edited=self._does, width=16,
                                 accessible=accessible)  # fmt: skip
                validator: QIntValidator | QDoubleValidator
                if control.whole:
                    validator = QIntValidator(int(control.low), int(control.high), line)
                else:
                    validator = QDoubleValidator(control.low, control.high, 300, line)
                validator.setLocale(validator.locale().c())
                line.setValidator(validator)
                return line
            case Choice():
                return combo_box(name, tip, self._does, characters=22, accessible=accessible)
            case Tick():
                return check_box(name, self.field.label, tip, self._does)

    def show(self, search: Search) -> None:
        widget, value, control = self.widget, self.field.of(search), self.field.control
        blocker = QSignalBlocker(widget)
        match widget:
            case QSpinBox():
                widget.setValue(value)
            case QLineEdit() if isinstance(control, Number):
                widget.setText("" if value == control.empty else f"{value:d}" if control.whole else f"{value:g}")
                set_role(widget, invalid=False)
            case QComboBox() if isinstance(control, Choice):
                titles = [title for title, _ in control.items]
                values = [value for _, value in control.items]
                if value not in values:  # frames of a search of the command line
                    titles.append(", ".join(map(str, value)) if isinstance(value, tuple) else str(value))
                fill_combo(
                    widget, zip((f"{title[:1].upper()}{title[1:]}" for title in titles), [*values, value], strict=False)
                )
                widget.setCurrentIndex(values.index(value) if value in values else len(values))
            case QCheckBox():
                widget.setChecked(bool(value))
        blocker.unblock()

    def value(self, search: Search) -> object:
        """Return the user's settings; raises `ValueError` with a sentence if one is not allowed."""
        widget, control = self.widget, self.field.control
        match widget:
            case QSpinBox():
                return widget.value()
            case QLineEdit() if isinstance(control, Number):
                may_be_empty = bool(control.hint)
                if not ((may_be_empty and not widget.text()) or widget.hasAcceptableInput()):
                    about = f"a number from {control.low:g} to {control.high:g}" if control.high <= 100 else "a number"
                    example = ", for example 10 or 1e-5" if "evalue" in self.field.path else ""
                    raise ValueError(f"{self.field.label} must be {about}{example}.")
                if not widget.text():
                    return control.empty
                return int(widget.text()) if control.whole else float(widget.text())
            case QComboBox() if isinstance(control, Choice):
                index = widget.currentIndex()
                return control.items[index][1] if index < len(control.items) else self.field.of(search)
            case QCheckBox():
                return widget.isChecked()
        return self.field.of(search)
