"""Settings of the engines: a field for each, made from the table of methods; what automatic chose stands beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from swgui.core.methods.base import AUTO, Method, Setting
from swgui.core.methods.search import DEFAULT_METHOD, PAPERS, SEARCH_METHODS
from swgui.core.sweep.axes import CPU_SETTINGS
from swgui.engines.base import EngineStatus, KernelUse
from swgui.gui.inputs.device_options import set_value, titled, value_of
from swgui.gui.kit.theme import arrange, keep_size, set_role
from swgui.jobs.sweep.in_use import CPU, THREADS
from swgui.settings import Settings

AUTOMATIC = "automatic"
BY_DATABASE = "by database"
TEXT_MARGIN = 2  # pixels that Qt leaves beside the text of a line that can be edited
GPU_INTRO = (
    "Everything is automatic until you set it. Every method and every setting gives the same scores; they differ in "
    "speed only. What is chosen here holds for all searches on GPUs."
)
NO_GPU = "There is no GPU here: these settings have no effect until there is one."
TUNED = "Use settings that a sweep found, for the queries they were found for"


def shrinkable(box: QComboBox, width: float) -> None:
    """Let a list be narrower than its longest entry, down to a width in grid units: large text needs the room."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(6)
    keep_size(box, width=width)


class ValueField(QComboBox):
    """A number or a name that may be left automatic.

    Signals
    -------
    set_to(str)
        Another allowed value, ``auto`` for automatic.
    """

    set_to = Signal(str)

    def __init__(self, setting: Setting, value: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setting = setting
        self.setEditable(not setting.names and not setting.listed)
        self.addItem(AUTOMATIC, AUTO)
        for choice in setting.names or [str(number) for number in setting.values]:
            self.addItem(choice, choice)
        self.setToolTip(f"{setting.help} It may be {setting.allowed}.")
        self.setAccessibleName(setting.title)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        shrinkable(self, 14)
        self.show_value(value)
        self.activated.connect(self._take)
        if self.isEditable():
            self.lineEdit().editingFinished.connect(self._take)
            self.lineEdit().setTextMargins(-TEXT_MARGIN, 0, 0, 0)  # below the texts of lists that cannot be edited

    def show_value(self, value: str) -> None:
        """Show a value without telling anybody."""
        at = self.findData(value)
        if at >= 0:
            self.setCurrentIndex(at)
        else:
            self.setEditText(value)
        set_role(self, invalid=False)

    @property
    def value(self) -> str:
        """What the field says, allowed or not."""
        text = self.currentText().strip().replace(",", "")
        return AUTO if text in ("", AUTOMATIC, AUTO) else text

    def _take(self, *_: object) -> None:
        allowed = self._setting.allows(self.value)
        set_role(self, invalid=not allowed)
        if self.isEditable():
            set_role(self.lineEdit(), invalid=not allowed)
        if allowed:
            self.set_to.emit(self.value)


class DeviceSettingsPanel(QWidget):
    """Method and settings of GPUs, settings of the CPU.

    Signals
    -------
    changed()
        Something was set.
    message(str)
        For the status line.
    """

    changed = Signal()
    message = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings.devices
        self._fields: dict[str, ValueField] = {}
        self._in_use: dict[str, QLabel] = {}
        self._cores = 0
        layout = QVBoxLayout(self)
        arrange(layout, 0, 1.5)
        layout.addWidget(self._build_gpu())
        layout.addWidget(self._build_cpu())
        layout.addStretch(1)
        self._fill()

    @property
    def method(self) -> Method:
        """The method whose settings are shown."""
        return SEARCH_METHODS.get(self._settings.method, SEARCH_METHODS[DEFAULT_METHOD])

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        """Show what the engines offer."""
        gpu = next((status for status in statuses if status.name == "cuda"), None)
        self._no_gpu.setVisible(gpu is not None and not gpu.available)
        processor = next((d for s in statuses if s.name == CPU for d in s.devices), None)
        if processor is not None:
            self._cores = int(processor.facts.get("cores", "0") or 0)
        every = f"automatic: all {self._cores} cores" if self._cores else AUTOMATIC
        self._threads.setSpecialValueText(every)

    def show_use(self, uses: Sequence[KernelUse], problem: str = "") -> None:
        """Show what is in use: what automatic chose, and what became of what was set.

        Parameters
        ----------
        problem : str
            Why it is not known.
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
        """Say for which query the values in use hold."""
        self._for.setText(text)

    def _build_gpu(self) -> QFrame:
        card = QFrame()
        card.setObjectName("gpuSettings")
        set_role(card, role="card")
        title = QLabel("Searching on GPUs")
        set_role(title, level="heading")
        intro = QLabel(GPU_INTRO)
        intro.setWordWrap(True)
        set_role(intro, level="muted")
        self._no_gpu = QLabel(NO_GPU)
        self._no_gpu.setObjectName("settingsNoGpu")
        self._no_gpu.setWordWrap(True)
        set_role(self._no_gpu, tone="warning")
        self._no_gpu.hide()
        self._method = QComboBox()
        self._method.setObjectName("searchMethod")
        self._method.setToolTip("Method of searches on GPUs; all give the same scores")
        self._method.addItem("automatic", AUTO)
        for method in SEARCH_METHODS.values():
            self._method.addItem(titled(method), method.name)
        self._method.setCurrentIndex(max(0, self._method.findData(self._settings.method)))
        self._method.activated.connect(self._method_chosen)
        shrinkable(self._method, 28)
        label = QLabel("Method")
        label.setBuddy(self._method)
        reset = QPushButton("Reset to automatic")
        reset.setObjectName("resetSettings")
        set_role(reset, role="quiet")
        reset.clicked.connect(self.reset)
        row = QHBoxLayout()
        arrange(row, 0, 1)
        row.addWidget(label)
        row.addWidget(self._method)
        row.addStretch(1)
        row.addWidget(reset)
        self._about = QLabel()
        self._about.setObjectName("methodAbout")
        self._about.setWordWrap(True)
        self._about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid = QGridLayout()
        arrange(self._grid, 0, (2, 0.75))
        self._grid.setColumnStretch(3, 1)
        self._kernel = QLabel()
        self._kernel.setObjectName("kernelInUse")
        self._kernel.hide()
        self._for = QLabel()
        set_role(self._for, level="small")
        self._remarks = QLabel()
        self._remarks.setObjectName("settingsRemarks")
        self._remarks.setWordWrap(True)
        self._remarks.hide()
        self._tuned = QCheckBox(TUNED)
        self._tuned.setObjectName("useTuned")
        self._tuned.setToolTip("What is set by hand here comes first. See Speed for the sweeps.")
        self._tuned.setChecked(self._settings.tuned)
        self._tuned.clicked.connect(self._tuned_clicked)
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        for part in (title, intro, self._no_gpu):
            layout.addWidget(part)
        layout.addLayout(row)
        layout.addWidget(self._about)
        layout.addLayout(self._grid)
        for part in (self._kernel, self._remarks, self._for, self._tuned):
            layout.addWidget(part)
        return card

    def _build_cpu(self) -> QFrame:
        card = QFrame()
        card.setObjectName("cpuSettings")
        set_role(card, role="card")
        title = QLabel("Searching on the CPU")
        set_role(title, level="heading")
        self._threads = QSpinBox()
        self._threads.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._threads.setObjectName("cpuThreads")
        self._threads.setRange(0, 4096)
        self._threads.setSpecialValueText(AUTOMATIC)
        self._threads.setValue(self._settings.threads)
        self._threads.setToolTip(CPU_SETTINGS[0].help)
        self._threads.setAccessibleName("Threads on the CPU")
        keep_size(self._threads, width=22)
        self._threads.valueChanged.connect(self._threads_set)
        form = QGridLayout()
        arrange(form, 0, (2, 0.75))
        form.setColumnStretch(2, 1)
        label = QLabel("Threads")
        label.setBuddy(self._threads)
        keep_size(label, width=18)
        form.addWidget(label, 0, 0)
        form.addWidget(self._threads, 0, 1)
        for row, setting in enumerate((s for s in CPU_SETTINGS if s.name != THREADS), start=1):
            field = ValueField(setting, value_of(self._settings, CPU, setting))
            field.setObjectName(f"value-{CPU}-{setting.name}")
            shrinkable(field, 22)
            field.set_to.connect(partial(self._set, CPU, setting.name))
            self._fields[f"{CPU}.{setting.name}"] = field
            label = QLabel(setting.title)
            label.setBuddy(field)
            label.setToolTip(setting.help)
            form.addWidget(label, row, 0)
            form.addWidget(field, row, 1)
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addWidget(title)
        layout.addLayout(form)
        return card

    def reset(self) -> None:
        """Leave everything to the engines."""
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
        """Make the fields of the method anew."""
        while self._grid.count():
            widget = self._grid.takeAt(0).widget()
            if widget is not None:
                widget.hide()
                widget.setObjectName("")  # its successor has the name before it is gone
                widget.deleteLater()
        self._in_use.clear()
        self._fields = {key: field for key, field in self._fields.items() if key.startswith(f"{CPU}.")}
        method = self.method
        paper = f" {PAPERS[method.paper]}" if method.paper in PAPERS else ""
        self._about.setText(f"{method.summary}{paper}")
        self._head = QLabel("in use")
        self._head.setVisible(False)
        set_role(self._head, level="section")
        self._grid.addWidget(self._head, 0, 2)
        for row, setting in enumerate(method.settings, start=1):
            field = ValueField(setting, value_of(self._settings, method.name, setting))
            field.setObjectName(f"value-{method.name}-{setting.name}")
            field.set_to.connect(partial(self._set, method.name, setting.name))
            self._fields[f"{method.name}.{setting.name}"] = field
            label = QLabel(setting.title)
            label.setBuddy(field)
            label.setToolTip(setting.help)
            keep_size(label, width=18)
            in_use = QLabel()
            in_use.setObjectName(f"inUse-{setting.name}")
            in_use.setAccessibleName(f"{setting.title} in use")
            keep_size(in_use, width=6)
            self._in_use[setting.name] = in_use
            help_text = QLabel(setting.help)
            help_text.setWordWrap(True)
            set_role(help_text, level="small")
            for column, widget in enumerate((label, field, in_use, help_text)):
                self._grid.addWidget(widget, row, column)

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
