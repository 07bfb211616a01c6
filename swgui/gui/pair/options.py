"""How a pair is aligned: which ends must be reached, how many alignments, by which method and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QFrame, QWidget

from swgui.core.devices import device_ids, device_text
from swgui.core.engines import EngineOptions, Kind
from swgui.core.methods.base import AUTO, Method, Setting
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.core.pair.problem import PairMode
from swgui.engines.base import EngineStatus
from swgui.engines.pair.registry import pair_status
from swgui.engines.registry import devices_of_kind
from swgui.gui.inputs.field_grid import FieldGrid
from swgui.gui.inputs.setting_field import SettingField
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import check_box, combo_box, fill_combo, spin_box, text_label
from swgui.gui.pair.wording import method_title, paper_of
from swgui.settings import PairSettings

MODES = (
    (PairMode.LOCAL, "Local", "The best pair of stretches; nothing outside them counts"),
    (PairMode.GLOBAL, "Global", "From end to end of both; gaps at the ends cost as any other"),
    (PairMode.SEMIGLOBAL, "Semi-global", "End gaps are free: for one sequence inside another, or overlaps"),
)
AUTOMATIC_TIP = "The fastest method for this pair on this computer; the line above Align names it"


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
        """Show the settings of a method; none for automatic."""
        for widget in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self.take_away(widget)
        self._fields.clear()
        if method is not None:
            for setting in method.settings:
                self._add(f"{method.name}.{setting.name}", setting)
        self.setVisible(bool(self._fields))

    def values(self) -> dict[str, str]:
        """Return what is not automatic, by setting."""
        return {field.setting.name: field.value for field in self._fields if field.value != AUTO}

    @property
    def problem(self) -> str:
        """What cannot be used, as one sentence; empty if all can."""
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

    # -- what the page asks ------------------------------------------------------------------------

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
        """Whether the alignment is not wanted."""
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
        """What cannot be used, as one sentence; empty if all can."""
        status = self._status.get(self.method)
        if status is not None and not status.available:
            return f"{method_title(self.method)} cannot run here. {status.reason} {status.hint}".strip()
        return self.method_settings.problem

    def set_narrow(self, narrow: bool) -> None:
        self._grid.set_narrow(narrow)

    def probe(self) -> None:
        self._tasks.submit("pair-methods", probe_methods, self.show_status, lambda _error: None)

    def show_status(self, status: Mapping[str, EngineStatus]) -> None:
        """Grey out methods that cannot run here, with the reason."""
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
            "pairMode", "Which ends of the sequences the alignment must reach", edited,
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
            characters=18,
        )  # fmt: skip
        self._device = combo_box("pairDevice", "Which GPUs the method uses", edited, characters=14)
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
        each = [(f"GPU {number}: {name}", number) for number, name in gpus]
        fill_combo(self._device, [("Automatic", ""), *every, *each], device_text(self._settings.gpus))
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
