"""Input of an alignment: the two sequences, their scoring and the options of a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QFileDialog, QFrame, QWidget

from swgui.commands.pair import pair_command, pair_python
from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, Alphabet
from swgui.core.devices import device_ids, device_text
from swgui.core.engines import EngineOptions, Kind
from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO, Method, Setting
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.core.pair.problem import PairMode
from swgui.core.pair.several import Pairing, paired
from swgui.core.records import SequenceRecord
from swgui.engines.base import EngineStatus
from swgui.engines.pair.registry import pair_status
from swgui.engines.registry import devices_of_kind
from swgui.gui.inputs.scheme import FieldGrid, SchemePanel
from swgui.gui.inputs.setting_field import SettingField
from swgui.gui.kit.dialog import Sheet
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import card, in_column, in_row, in_splitter
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid, keep_size, set_role
from swgui.gui.kit.widgets import check_box, combo_box, fill_combo, push_button, spin_box, text_label
from swgui.gui.pair.input import SequencePanel
from swgui.gui.pair.wording import method_title, paper_of
from swgui.gui.words.wording import KIND_NAMES
from swgui.jobs.pair.request import PairRequest
from swgui.settings import PairSettings, Settings

MODES = (
    (PairMode.LOCAL, "Local", "The regions that match best; residues outside them do not count"),
    (PairMode.GLOBAL, "Global", "From end to end of both; gaps at the ends cost as any other"),
    (PairMode.SEMIGLOBAL, "Semi-global", "End gaps are free: for one sequence inside another, or overlaps"),
)
AUTOMATIC_TIP = "The fastest method for this pair on this computer; the line next to Align names it"
STRAND_WORDS = {"both": "both strands", "plus": "plus strand", "minus": "minus strand"}
WHICH = (
    ("The chosen two", "one"),
    ("Each query with the subject at its place", "each"),
    ("Every query with every subject", "all"),
)
# Name in a command of a sequence that came from no file.
PASTED_QUERY, PASTED_SUBJECT = Path("query.fasta"), Path("subject.fasta")
SEQUENCE_FILES = (
    "Sequence files (*.fa *.fasta *.faa *.fna *.ffn *.fas *.fq *.fastq *.gb *.gbk *.embl *.dat *.pir *.txt "
    "*.gz *.bgz *.bz2 *.xz *.zst)"
    ";;All files (*)"
)
LENGTH = 6_000
INVERTED = (3_600, 4_400)  # of the subject
LOST = (1_500, 1_740)  # of the subject
CHANGED = 0.06
GAPS = 24
SEED = 2024


def probe_methods() -> dict[str, EngineStatus]:
    """Return whether each pair method can run here; may take a second the first time."""
    return {name: pair_status(name) for name in PAIR_METHODS}


class MethodSettings(FlowRow):
    """A field for each setting of a method; all are automatic until something is typed."""

    changed = Signal()  # a value was typed or chosen

    def __init__(self, kept: dict[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kept = kept
        self._fields: list[SettingField] = []

    def show_method(self, method: Method | None) -> None:
        for widget in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self.take_away(widget)
        self._fields.clear()
        if method is not None:
            for setting in method.settings:
                self._add(f"{method.name}.{setting.name}", setting)
        self.setVisible(bool(self._fields))

    def values(self) -> dict[str, str]:
        return {field.setting.name: field.value for field in self._fields if field.value != AUTO}

    @property
    def problem(self) -> str:
        """Problems with the input, as one sentence; empty if there are none."""
        return next((field.problem for field in self._fields if field.problem), "")

    def _add(self, key: str, setting: Setting) -> None:
        field = SettingField(f"pairSetting-{setting.name}", setting, self._kept.get(key, AUTO), width=11)
        field.edited.connect(partial(self._edited, key, field))
        unit = [text_label(setting.unit)] if setting.unit else []
        box = QWidget(self)
        label = text_label(setting.title, buddy=field)
        in_row(label, field, *unit, margins=(0, 0, 1.5, 0), spacing=0.75, parent=box)
        self._fields.append(field)
        self.add(box)
        box.show()

    def _edited(self, key: str, field: SettingField) -> None:
        if field.value == AUTO:
            self._kept.pop(key, None)
        elif not field.problem:
            self._kept[key] = field.value
        self.changed.emit()


class PairOptionsPanel(QFrame):
    """Everything about a pair but its sequences and their scoring."""

    changed = Signal()  # something was chosen

    def __init__(self, settings: PairSettings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairOptions")
        set_role(self, role="card")
        self._settings = settings
        self._tasks = tasks
        self._status: Mapping[str, EngineStatus] = {}
        self._filling = True
        self._build()
        self._fill_methods()
        self._fill_devices(())
        self._filling = False
        self._method_chosen()

    # -- what the page calls -----------------------------------------------------------------------

    @property
    def mode(self) -> PairMode:
        return PairMode(self._mode.currentData())

    @property
    def limit(self) -> int:
        return self._limit.value() if self.mode is PairMode.LOCAL else 1

    @property
    def min_score(self) -> int:
        """Score from which further alignments are listed."""
        return self._least.value()

    @property
    def score_only(self) -> bool:
        return self._score_only.isChecked()

    @property
    def method(self) -> str:
        """Name of the method, or ``auto``."""
        return str(self._method.currentData())

    @property
    def options(self) -> EngineOptions:
        return EngineOptions(() if self.method == CPU_METHOD else self._gpus, settings=self.method_settings.values())

    @property
    def problem(self) -> str:
        """Problems with the input, as one sentence; empty if there are none."""
        status = self._status.get(self.method)
        if status is not None and not status.available:
            return f"{method_title(self.method)} cannot run here. {status.reason} {status.hint}".strip()
        return self.method_settings.problem

    @property
    def words(self) -> str:
        """The options in words."""
        mode = self._mode.currentText()
        parts = ["the score only" if self.score_only else "the best alignment"]
        if self.limit > 1 and not self.score_only:
            least = f", each scoring at least {self.min_score:,}" if self.min_score else ""
            parts = [f"at most {self.limit:,} alignments{least}"]
        method = "fastest method" if self.method == AUTO else method_title(self.method)
        return ", ".join([mode, *parts, method])

    def set_narrow(self, narrow: bool) -> None:
        self._grid.set_narrow(narrow)

    def probe(self) -> None:
        self._tasks.submit("pair-methods", probe_methods, self.show_status, lambda _error: None)

    def show_status(self, status: Mapping[str, EngineStatus]) -> None:
        self._status = status
        self._fill_methods()
        self.changed.emit()

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        self._fill_devices([(device.id, device.name) for device in devices_of_kind(statuses, Kind.GPU)])

    # -- inside ------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._make_fields()
        head = in_row((text_label("Alignment", level="heading"), 1), self._score_only)
        self._grid = FieldGrid(
            (
                ("Mode", self._mode, 2),
                ("Alignments at most", self._limit, 1),
                ("Score at least", self._least, 1),
                ("Method", self._method, 3),
                ("Run on", self._device, 2),
            )
        )
        self.method_settings = MethodSettings(self._settings.method_settings)
        self._about = text_label("", "pairMethodNote", wrap=True, plain=True, level="muted")
        in_column(head, self._grid, self.method_settings, self._about, margins=(2, 1.5, 2, 1.5), parent=self)
        self.method_settings.changed.connect(self._edited)

    def _make_fields(self) -> None:
        kept, edited = self._settings, self._edited
        self._mode = combo_box(
            "pairMode", "Ends of the sequences that the alignment must reach", edited,
            items=[(text, mode.value, tip) for mode, text, tip in MODES], chosen=kept.mode,
        )  # fmt: skip
        self._limit = spin_box(
            "pairLimit", (1, 1000), kept.limit, "The best alignment, and further ones that share no aligned pair of "
            "residues with those before them; local mode only", edited, grouped=True,
        )  # fmt: skip
        self._least = spin_box(
            "pairMinScore", (0, 2**31 - 1), kept.min_score, "Further alignments are listed from this score; 0 for any",
            edited, special="any", grouped=True,
        )  # fmt: skip
        self._method = combo_box(
            "pairMethod", "Every method gives the same score; they differ in speed and memory", self._method_chosen,
            characters=12,
        )  # fmt: skip
        self._device = combo_box("pairDevice", "Which GPUs the method uses", edited, characters=10)
        self._score_only = check_box(
            "pairScoreOnly", "Score only", "Find the score and where the alignment ends, not the alignment: faster",
            edited, on=kept.score_only,
        )  # fmt: skip

    def _fill_methods(self) -> None:
        wanted = self._settings.method
        self._method.clear()
        self._method.addItem("Automatic", "auto")
        self._method.setItemData(0, AUTOMATIC_TIP, Qt.ItemDataRole.ToolTipRole)
        for name, method in PAIR_METHODS.items():
            self._method.addItem(method.title, name)
            row, status = self._method.count() - 1, self._status.get(name)
            tip = " ".join(part for part in (method.summary, paper_of(method)) if part)
            model = self._method.model()
            if status is not None and not status.available:
                tip = f"{status.reason} {status.hint}".strip()
                if isinstance(model, QStandardItemModel):
                    model.item(row).setEnabled(False)
            self._method.setItemData(row, tip, Qt.ItemDataRole.ToolTipRole)
        self._method.setCurrentIndex(max(0, self._method.findData(wanted)))

    def _fill_devices(self, gpus: Sequence[tuple[str, str]]) -> None:
        every = [(f"All {len(gpus)} GPUs", device_text(number for number, _ in gpus))] if len(gpus) > 1 else []
        devices = [(f"GPU {number}: {name}", number) for number, name in gpus]
        fill_combo(self._device, [("Automatic", ""), *every, *devices], device_text(self._settings.gpus))
        self._device.setEnabled(len(gpus) > 0)

    @property
    def _gpus(self) -> tuple[str, ...]:
        return device_ids(str(self._device.currentData() or ""))

    def _method_chosen(self, _place: int = 0) -> None:
        method = PAIR_METHODS.get(self.method)
        self.method_settings.show_method(method)
        self._about.setText(
            AUTOMATIC_TIP + "."
            if method is None
            else " ".join(part for part in (method.summary, paper_of(method)) if part)
        )
        self._edited()

    def _edited(self, _value: object = None) -> None:
        several = self.mode is PairMode.LOCAL and not self.score_only
        self._limit.setEnabled(several)
        self._least.setEnabled(several and self._limit.value() > 1)
        self._device.setEnabled(self._device.count() > 1 and self.method != CPU_METHOD)
        if self._filling:
            return
        kept = self._settings
        kept.mode, kept.limit, kept.min_score = self.mode.value, self._limit.value(), self._least.value()
        kept.score_only, kept.method = self.score_only, self.method
        kept.gpus = self._gpus
        self.changed.emit()


class PairScoringPanel(SchemePanel):
    """Edits the scoring scheme of the kind of sequence at hand."""

    def __init__(self, settings: PairSettings, tasks: Tasks) -> None:
        super().__init__(settings, tasks, "pair")

    @property
    def words(self) -> str:
        """The scoring in words."""
        scheme = self.scheme
        costs = f": {scheme.matrix.name}, gap {scheme.gap_open}/{scheme.gap_extend}" if scheme is not None else ""
        strand = f", {STRAND_WORDS[self.strand]}" if ALPHABETS[self.kind].complements else ""
        return f"{self.preset_title}{costs}{strand}"

    def _place(self) -> None:
        self._strand.setToolTip("Strands of the query to align with the subject")
        parts = (self._head("Scoring"), self._make_fields(), self._costs)
        in_column(*parts, margins=(2, 1.5, 2, 1.5), parent=self)


class PairSetup(QWidget):
    """Everything that decides a pair."""

    changed = Signal()  # what would be aligned, or whether it can be, changed
    taken = Signal()  # other parts put in sequences: show them to the user

    def __init__(self, settings: Settings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairSetup")
        self._settings = settings
        self._tasks = tasks
        self.query = SequencePanel("query", "Query", tasks)
        self.subject = SequencePanel("subject", "Subject", tasks)
        self.scoring = PairScoringPanel(settings.pair, tasks)
        self.options = PairOptionsPanel(settings.pair, tasks)
        self._build()
        for panel in (self.query, self.subject, self.scoring, self.options):
            panel.changed.connect(self._panel_changed)
        self.query.open_wanted.connect(self.open_query)
        self.subject.open_wanted.connect(self.open_subject)

    # -- what the page calls -----------------------------------------------------------------------

    @property
    def problem(self) -> str:
        """Why nothing can be aligned, as one sentence; empty if it can."""
        return self.query.problem or self.subject.problem or self.misfit

    @property
    def misfit(self) -> str:
        """Problems that the user has to correct, as one sentence; empty if there are none."""
        return self._kinds_differ() or self._pairing_problem() or self.scoring.problem or self.options.problem

    @property
    def number(self) -> int:
        queries, subjects = len(self.query.records), len(self.subject.records)
        return {"each": queries, "all": queries * subjects}.get(self.pairing, 1)

    @property
    def pairing(self) -> str:
        """Pairs to align: ``one``, the chosen; ``each`` with the one at its place; ``all`` with all."""
        return str(self._which.currentData()) if self._severals else "one"

    def request(self) -> PairRequest:
        """Return the chosen pair.

        Raises
        ------
        SwguiError
            If it cannot be carried out.
        """
        query, subject = self.query.record, self.subject.record
        if query is None or subject is None:
            raise InvalidParameter("pair", "", self.problem)
        return self._request_of(query, subject)

    def requests(self) -> list[PairRequest]:
        """Return all pairs that are described. Raises as `request`."""
        if self.pairing == "one":
            return [self.request()]
        made = paired(self.query.records, self.subject.records, cast("Pairing", self.pairing))
        return [self._request_of(query, subject) for query, subject in made]

    def _request_of(self, query: SequenceRecord, subject: SequenceRecord) -> PairRequest:
        scheme, options = self.scoring.scheme, self.options
        if scheme is None:
            raise InvalidParameter("pair", "", self.problem)
        return PairRequest(
            query=query,
            subject=subject,
            scheme=scheme,
            mode=options.mode,
            strand=self.scoring.strand,
            method=options.method,
            options=options.options,
            score_only=options.score_only,
            limit=1 if options.score_only else options.limit,
            min_score=max(1, options.min_score),
        )

    def command_line(self) -> str:
        return pair_command(*self._as_options())

    def python_call(self) -> str:
        return pair_python(*self._as_options())

    def _as_options(self) -> tuple[PairRequest, tuple[Path, str], tuple[Path, str], str, str | None]:
        request = self.request()
        query = _named(self.query, request.query, PASTED_QUERY)
        subject = _named(self.subject, request.subject, PASTED_SUBJECT)
        pairs = None if self.pairing == "one" else self.pairing
        return request, query, subject, self.scoring.values.matrix, pairs

    @property
    def from_files(self) -> bool:
        """Whether both sequences came from files, so that the command line can name them."""
        return self.query.source is not None and self.subject.source is not None

    # -- actions of the user -----------------------------------------------------------------------

    def load_sample(self) -> None:
        self._tasks.submit("pair-sample", sample_pair, self._take_sample)

    def swap(self) -> None:
        first, second = self.query.contents(), self.subject.contents()
        self.query.take_contents(second)
        self.subject.take_contents(first)

    def set_pair(self, query: SequenceRecord, subject: SequenceRecord, kind: str) -> None:
        """Take two sequences that are known, for example a query and its hit."""
        self.taken.emit()
        alphabet: Alphabet = ALPHABETS[kind]
        self.query.set_record(query, alphabet)
        self.subject.set_record(subject, alphabet)

    def use_files(self, files: Sequence[Path]) -> None:
        self.taken.emit()
        self._settings.recent.folder = str(files[0].parent)
        self.query.open_file(files[0])
        self.subject.open_file(files[1])

    def open_query(self) -> None:
        self._ask_file(self.query)

    def open_subject(self) -> None:
        self._ask_file(self.subject)

    def set_narrow(self, narrow: bool) -> None:
        """Put the sequences below each other instead of side by side, and fields in two rows."""
        self._inputs.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)

    @property
    def _severals(self) -> bool:
        return self.query.several or self.subject.several

    def _pairing_problem(self) -> str:
        if self.pairing == "one" or not (self.query.records and self.subject.records):
            return ""
        try:
            paired(self.query.records, self.subject.records, cast("Pairing", self.pairing))
        except InvalidParameter as error:
            return str(error)
        return ""

    def restyle(self) -> None:
        self.query.restyle()
        self.subject.restyle()

    # -- inside ------------------------------------------------------------------------------------

    def _build(self) -> None:
        title = text_label("Two sequences, as long as chromosomes, aligned exactly", wrap=True, level="section")
        sample = push_button(
            "pairSample", "Sample", "Take a simulated pair of 6,000 bases", self.load_sample, icon="sample",
            role="quiet",
        )  # fmt: skip
        tip = "Make the query the subject and the subject the query"
        swap = push_button("pairSwap", "Swap", tip, self.swap, icon="refresh", role="quiet")
        self._inputs = in_splitter(Qt.Orientation.Horizontal, self.query, self.subject, name="pairInputs")
        self._inputs.setHandleWidth(grid(1.5))
        head = in_row((title, 1), sample, swap, spacing=0.5)
        tip = "Pairing of the sequences if a file has several; more than one pair goes into the queue"
        self._which = combo_box("pairWhich", tip, self._panel_changed, items=WHICH, accessible="Pairs")
        self._which_row = QWidget()
        in_row(
            text_label("Pairs", level="muted", buddy=self._which),
            self._which,
            1,
            margins=(2, 0, 2, 0),
            parent=self._which_row,
        )
        self._which_row.hide()
        parts = (head, (self._inputs, 1), self._which_row, self._build_line())
        in_column(*parts, margins=(2, 1, 2, 2), spacing=1.5, parent=self)

    def _build_line(self) -> QFrame:
        """Return the line of the settings, with the button that opens their sheet."""
        panels = (self.scoring, self.options)
        self.sheet = Sheet("pairSheet", "Settings of the pair", panels, self._set_panels_narrow, self)
        title = text_label("Settings", level="heading")
        keep_size(title, width=12)
        self._line = text_label(name="pairSettings", wrap=True, plain=True)
        tip = "Scoring, strands, ends, number of alignments, method and device"
        change = push_button("pairChange", "Change…", tip, self.sheet.open)
        return card("pairSettingsCard", in_row(title, (self._line, 1), change, spacing=1.5))

    def _set_panels_narrow(self, narrow: bool) -> None:
        self.scoring.set_narrow(narrow)
        self.options.set_narrow(narrow)

    @property
    def words(self) -> str:
        """The settings in a sentence."""
        return f"{self.scoring.words}. {self.options.words}."

    def _panel_changed(self) -> None:
        self._which_row.setVisible(self._severals)
        self._line.setText(self.words)
        set_role(self._line, tone="danger" if self.scoring.problem or self.options.problem else "")
        alphabet = self.query.alphabet or self.subject.alphabet
        if alphabet is not None and alphabet.name != self.scoring.kind:
            self.scoring.set_kind(alphabet.name)  # calls this again when the settings of that kind are shown
            return
        self.changed.emit()

    def _kinds_differ(self) -> str:
        query, subject = self.query.alphabet, self.subject.alphabet
        if query is None or subject is None or query.name == subject.name:
            return ""
        return (
            f"The query looks like {KIND_NAMES[query.name]}, the subject like {KIND_NAMES[subject.name]}. "
            "Take two of one kind, or set the kind next to the sequence."
        )

    def _take_sample(self, sample: Sample) -> None:
        self.set_pair(sample.query, sample.subject, sample.alphabet.name)

    def _ask_file(self, panel: SequencePanel) -> None:
        self.taken.emit()
        title = f"Open {panel.title.lower()}"
        name, _ = QFileDialog.getOpenFileName(self, title, self._settings.recent.folder, SEQUENCE_FILES)
        if name:
            self._settings.recent.folder = str(Path(name).parent)
            panel.open_file(Path(name))


def _named(panel: SequencePanel, record: SequenceRecord, pasted: Path) -> tuple[Path, str]:
    """Return the file a sequence is from, and its identifier if the file has several."""
    if panel.source is None:
        return pasted, ""
    return panel.source, record.id if panel.several else ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Two sequences of one kind."""

    query: SequenceRecord
    subject: SequenceRecord
    alphabet: Alphabet


def sample_pair() -> Sample:
    chance = np.random.default_rng(SEED)
    bases = np.frombuffer(b"ACGT", dtype=np.uint8)
    subject = bases[chance.integers(0, 4, LENGTH)]
    query = subject.copy()
    changed = chance.random(LENGTH) < CHANGED
    query[changed] = bases[chance.integers(0, 4, int(changed.sum()))]
    start, stop = INVERTED
    query[start:stop] = _inverted(query[start:stop])
    parts, at = [], 0
    for gap in np.sort(chance.choice(LENGTH, GAPS, replace=False)).tolist():
        parts.append(query[at:gap])
        size = int(chance.integers(1, 9))
        if gap % 2:
            parts.append(bases[chance.integers(0, 4, size)])
            at = gap
        else:
            at = min(gap + size, LENGTH)
    parts.append(query[at:])
    query = np.concatenate(parts)
    query = np.concatenate([query[: LOST[0]], query[LOST[1] :]])
    kept = "with substitutions, gaps and an inversion"
    return Sample(
        SequenceRecord("sample_query", f"simulated: the subject {kept}", query.tobytes()),
        SequenceRecord("sample_subject", "simulated: random bases", subject.tobytes()),
        NUCLEOTIDE,
    )


def _inverted(bases: NDArray[np.uint8]) -> NDArray[np.uint8]:
    codes = NUCLEOTIDE.encode(bases.tobytes())
    return np.frombuffer(NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(codes)), dtype=np.uint8)
