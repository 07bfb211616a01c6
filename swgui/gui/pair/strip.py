"""The strip below the Pair page: what will happen and Align, or how far it is and Stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.theme import arrange, keep_size, set_icon, set_role
from swgui.gui.pair.state import PairRunState

BAR_STEPS = 1_000
SHARED = "A search uses the same GPU: both are slower."
WAITING = "Waiting: a search uses the GPU. The alignment begins when it has ended."


class PairStrip(QFrame):
    """Says what Align will do, and while it works, how far it is.

    Signals
    -------
    align_wanted(), stop_wanted(), copy_command_wanted()
        A button was pressed.
    pause_wanted(bool)
        Pause was pressed or released.
    """

    align_wanted = Signal()
    stop_wanted = Signal()
    pause_wanted = Signal(bool)
    copy_command_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairStrip")
        set_role(self, role="strip")
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._build_plan())
        self._layers.addWidget(self._build_progress())

    def show_plan(self, text: str, details: str, *, possible: bool, tone: str = "") -> None:
        """Say what will happen, or why nothing can.

        Parameters
        ----------
        tone : str
            ``"warning"`` or ``"danger"`` where something is wrong.
        """
        self._plan.setText(text)
        set_role(self._plan, level="" if possible or tone else "muted", tone=tone)
        self._details.set_text(details)
        self._details.setVisible(bool(details))
        self.align_button.setEnabled(possible)
        self.align_button.setToolTip("Align the two sequences (Ctrl+Return)" if possible else text)
        self._command.setEnabled(possible)

    def show_phase(self, phase: str) -> None:
        """Show progress while work goes on or waits, the plan otherwise."""
        self._layers.setCurrentIndex(0 if phase == "idle" else 1)
        self.stop_button.setEnabled(phase in ("waiting", "running"))
        self.pause_button.setEnabled(phase == "running")
        if phase == "waiting":
            self._title.setText(WAITING)
            self._line.clear()
            self._left.clear()
            motion.be_measured(self.bar, BAR_STEPS)
            self.bar.setValue(0)
        elif phase == "stopping":
            self._left.setText("Stopping…")

    def set_paused(self, on: bool) -> None:
        """Show that the work rests, or goes on."""
        self.pause_button.setChecked(on)
        self.pause_button.setText("Go on" if on else "Pause")
        self._left.setText("Paused" if on else "")

    def set_shared(self, shared: bool) -> None:
        """Say that a search uses the same GPU, or no longer."""
        self._shared.setVisible(shared)

    def show_state(self, state: PairRunState, *, stopping: bool) -> None:
        """Show how far the work is."""
        fraction = state.fraction
        if fraction is None:
            motion.be_busy(self.bar)
        else:
            motion.be_measured(self.bar, BAR_STEPS)
            self.bar.setValue(round(fraction * BAR_STEPS))
        self._title.setText(state.title)
        self._line.setText(state.line)
        paused = self.pause_button.isChecked()
        self._left.setText("Stopping…" if stopping else "Paused" if paused else state.time_left)

    def _build_plan(self) -> QWidget:
        self._plan, self._details = QLabel(), ElidedLabel()
        self._plan.setObjectName("pairPlan")
        self._plan.setWordWrap(True)
        self._plan.setTextFormat(Qt.TextFormat.PlainText)
        self._details.setObjectName("pairPlanDetails")
        set_role(self._details, level="muted")
        self._command = QPushButton("Copy command")
        self._command.setObjectName("pairCopyCommand")
        self._command.setToolTip("Copy the terminal command that does the same")
        set_icon(self._command, "terminal")
        self._command.clicked.connect(self.copy_command_wanted)
        self.align_button = QPushButton("Align")
        self.align_button.setObjectName("pairAlign")
        keep_size(self.align_button, width=16, height=4.5)
        set_role(self.align_button, role="primary")
        self.align_button.clicked.connect(self.align_wanted)
        words = QVBoxLayout()
        arrange(words, 0, 0.25)
        words.addWidget(self._plan)
        words.addWidget(self._details)
        layer = QWidget()
        layout = QHBoxLayout(layer)
        arrange(layout, (4, 1.5, 4, 1.5), 1)
        layout.addLayout(words, 1)
        layout.addWidget(self._command)
        layout.addWidget(self.align_button)
        return layer

    def _build_progress(self) -> QWidget:
        self._title, self._line, self._left = QLabel(), QLabel(), QLabel()
        for label, name in ((self._title, "pairStage"), (self._line, "pairProgress"), (self._left, "pairTimeLeft")):
            label.setObjectName(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._line.setWordWrap(True)
        self._shared = QLabel(SHARED)
        self._shared.setObjectName("pairShared")
        set_role(self._shared, tone="warning")
        self._shared.hide()
        set_role(self._title, level="heading")
        set_role(self._line, level="muted")
        self.bar = QProgressBar()
        self.bar.setObjectName("pairBar")
        self.bar.setAccessibleName("Progress of the alignment")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BAR_STEPS)
        self.stop_button = QPushButton("Stop")
        self.stop_button.setObjectName("pairStop")
        self.stop_button.setToolTip("End the work now and keep what is known, marked as partial (Ctrl+.)")
        set_icon(self.stop_button, "stop")
        keep_size(self.stop_button, width=16, height=4.5)
        self.stop_button.clicked.connect(self.stop_wanted)
        self.pause_button = QPushButton("Pause")
        self.pause_button.setObjectName("pairPause")
        self.pause_button.setToolTip("Let the work rest, for example while a search needs the GPU; memory stays taken")
        self.pause_button.setCheckable(True)
        set_icon(self.pause_button, "pause")
        keep_size(self.pause_button, height=4.5)
        self.pause_button.clicked.connect(self.pause_wanted)
        head = QHBoxLayout()
        arrange(head, 0, 1)
        head.addWidget(self._title)
        head.addWidget(self._shared, 1)
        head.addStretch(1)
        head.addWidget(self._left)
        words = QVBoxLayout()
        arrange(words, 0, 0.5)
        words.addLayout(head)
        words.addWidget(self.bar)
        words.addWidget(self._line)
        layer = QWidget()
        layout = QHBoxLayout(layer)
        arrange(layout, (4, 1, 4, 1), 2)
        layout.addLayout(words, 1)
        layout.addWidget(self.pause_button)
        layout.addWidget(self.stop_button)
        return layer
