"""Settings of the engines: a field for each, made from the table of methods, with the automatic choice next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from swgui.core.devices import CPU
from swgui.core.engines import Kind
from swgui.core.methods.base import AUTO, CPU_SETTINGS, THREADS, Method, Setting
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.engines.base import EngineStatus, KernelUse
from swgui.engines.registry import devices_of_kind, of_kind
from swgui.gui.inputs.device_options import set_value, titled, value_of
from swgui.gui.inputs.setting_field import AUTOMATIC, SettingField
from swgui.gui.kit.layouts import card, in_column, in_grid, in_row
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import check_box, combo_box, push_button, shrinkable, spin_box, text_label
from swgui.settings import Settings

BY_DATABASE = "by database"
GPU_INTRO = (
    "Everything is automatic until you set it. Every method and every setting gives the same scores; they differ in "
    "speed only. They apply to all searches on GPUs."
)
NO_GPU = "There is no GPU here: these settings have no effect until there is one."
TUNED = "Use settings that a sweep found, for the queries they were found for"
TUNED_TIP = "Settings made here take precedence. See Speed for the sweeps."


class DeviceSettingsPanel(QWidget):
    """Method and settings of GPUs, settings of the CPU."""

    changed = Signal()  # something was set
    message = Signal(str)  # for the status line

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings.devices
        self._fields: dict[str, SettingField] = {}
        self._in_use: dict[str, QLabel] = {}
        self._cores = 0
        in_column(self._build_gpu(), self._build_cpu(), 1, spacing=1.5, parent=self)
        self._fill()

    @property
    def method(self) -> Method:
        """The method whose settings are shown: the program's own for automatic."""
        return SEARCH_METHODS.get(self._settings.method, SEARCH_METHODS[DEFAULT_METHOD])

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        gpu = of_kind(statuses, Kind.GPU)
        self._no_gpu.setVisible(gpu is not None and not gpu.available)
        cpu = next(iter(devices_of_kind(statuses, Kind.CPU)), None)
        if cpu is not None:
            self._cores = int(cpu.facts.get("cores", "0") or 0)
        every = f"automatic: all {self._cores} cores" if self._cores else AUTOMATIC
        self._threads.setSpecialValueText(every)

    def show_use(self, uses: Sequence[KernelUse], problem: str = "") -> None:
        """Show the values in use: the automatic choice, and the effect of the user's settings.

        Parameters
        ----------
        problem : str
            Why the values are not known.
        """
        use = uses[0] if uses else None
        settings: Mapping[str, str] = use.settings if use else {}
        for name, label in self._in_use.items():
            value = settings.get(name, "")
            label.setText(BY_DATABASE if value == AUTO else value)
        self._head.setVisible(use is not None)
        remarks = list(use.remarks) if use else []
        if use is not None and use.local_bytes:
            remarks.append(f"Registers do not suffice: {use.local_bytes:,} bytes per thread go through memory.")
        texts = [problem] if problem else remarks
        self._remarks.setText(" ".join(texts))
        set_role(self._remarks, tone="warning" if texts else "")
        self._remarks.setVisible(bool(texts))
        self._kernel.setText("" if use is None else f"In use: {SEARCH_METHODS[use.method].title} ({use.kernel})")
        self._kernel.setVisible(use is not None)

    def show_query(self, text: str) -> None:
        self._for.setText(text)

    def _build_gpu(self) -> QFrame:
        self._no_gpu = text_label(NO_GPU, "settingsNoGpu", wrap=True, tone="warning")
        self._no_gpu.hide()
        methods = [(AUTOMATIC, AUTO), *((titled(method), method.name) for method in SEARCH_METHODS.values())]
        self._method = combo_box(
            "searchMethod",
            "Method of searches on GPUs; all give the same scores",
            self._method_chosen,
            items=methods,
            chosen=self._settings.method,
        )
        shrinkable(self._method, 28)
        self._about = text_label(name="methodAbout", wrap=True, selectable=True)
        self._grid = in_grid(spacing=(2, 0.75), stretch=(0, 0, 0, 1))
        self._kernel = text_label(name="kernelInUse")
        self._kernel.hide()
        self._for = text_label(name="settingsFor", level="small")
        self._remarks = text_label(name="settingsRemarks", wrap=True)
        self._remarks.hide()
        tuned = check_box("useTuned", TUNED, TUNED_TIP, self._tuned_clicked, on=self._settings.tuned)
        return card(
            "gpuSettings",
            text_label("Searching on GPUs", level="heading"),
            text_label(GPU_INTRO, wrap=True, level="muted"),
            self._no_gpu,
            in_row(
                text_label("Method", buddy=self._method),
                self._method,
                1,
                push_button("resetSettings", "Reset to automatic", does=self.reset, role="quiet"),
            ),
            self._about,
            self._grid,
            self._kernel,
            self._remarks,
            self._for,
            tuned,
        )

    def _build_cpu(self) -> QFrame:
        self._threads = spin_box(
            "cpuThreads",
            (0, 4096),
            self._settings.threads,
            CPU_SETTINGS[0].help,
            self._threads_set,
            special=AUTOMATIC,
            width=22,
            accessible="Threads on the CPU",
        )
        label = text_label("Threads", buddy=self._threads)
        keep_size(label, width=18)
        rows: list[tuple[QWidget, QWidget]] = [(label, self._threads)]
        for setting in (s for s in CPU_SETTINGS if s.name != THREADS):
            field = self._field(CPU, setting, 22)
            rows.append((text_label(setting.title, tip=setting.help, buddy=field), field))
        return card(
            "cpuSettings",
            text_label("Searching on the CPU", level="heading"),
            in_grid(*rows, spacing=(2, 0.75), stretch=(0, 0, 1)),
        )

    def _field(self, group: str, setting: Setting, width: float = 14) -> SettingField:
        value = value_of(self._settings, group, setting)
        field = SettingField(f"value-{group}-{setting.name}", setting, value, width)
        field.set_to.connect(partial(self._set, group, setting.name))
        self._fields[f"{group}.{setting.name}"] = field
        return field

    def reset(self) -> None:
        """Forget all that was set by hand: engines choose method, settings and threads."""
        self._settings.values.clear()
        self._settings.method = AUTO
        self._settings.threads = 0
        self._method.setCurrentIndex(0)
        self._threads.setValue(0)
        for field in self._fields.values():
            field.show_value(AUTO)
        self._fill()
        self.changed.emit()

    def _fill(self) -> None:
        while item := self._grid.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.setObjectName("")  # the new widget has the same name before the old one is gone
                widget.deleteLater()
        self._in_use.clear()
        self._fields = {key: field for key, field in self._fields.items() if key.startswith(f"{CPU}.")}
        method = self.method
        paper = f" {method.paper}" if method.paper else ""
        self._about.setText(f"{method.summary}{paper}")
        self._head = text_label("in use", level="section")
        self._head.setVisible(False)
        self._grid.addWidget(self._head, 0, 2)
        for row, setting in enumerate(method.settings, start=1):
            field = self._field(method.name, setting)
            label = text_label(setting.title, tip=setting.help, buddy=field)
            keep_size(label, width=18)
            in_use = text_label(name=f"inUse-{setting.name}", accessible=f"{setting.title} in use")
            keep_size(in_use, width=6)
            self._in_use[setting.name] = in_use
            for column, part in enumerate((label, field, in_use, text_label(setting.help, wrap=True, level="small"))):
                self._grid.addWidget(part, row, column)

    def _method_chosen(self) -> None:
        self._settings.method = str(self._method.currentData())
        self._fill()
        self.changed.emit()

    def _set(self, group: str, name: str, value: str) -> None:
        set_value(self._settings, group, name, value)
        self.changed.emit()

    def _threads_set(self, value: int) -> None:
        self._settings.threads = value
        self.changed.emit()

    def _tuned_clicked(self, on: bool) -> None:
        self._settings.tuned = on
        self.changed.emit()
