"""The strip below the Pair page: what will happen and Align, or how far it is and Stop."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QStackedLayout, QWidget

from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import described, progress_bar, push_button, text_label
from swgui.gui.pair.control import PairRunState

BAR_STEPS = 1_000
SHARED = "A search uses the same GPU: both are slower."
WAITING = "Waiting: a search uses the GPU. The alignment begins when it has ended."


class PairStrip(QFrame):
    """Says what Align will do, and while it works, how far it is.

    Signals
    -------
    align_wanted(), queue_wanted(), stop_wanted(), copy_command_wanted()
        A button was pressed.
    pause_wanted(bool)
        Pause was pressed or released.
    """

    align_wanted = Signal()
    queue_wanted = Signal()
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

    def allow_queue(self, on: bool) -> None:
        """Note whether there is something that could wait in the queue."""
        for button in self._queue:
            button.setEnabled(on)

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
        """Show that the work is paused, or resumed."""
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")
        self._left.setText("Paused" if on else "")

    def set_shared(self, shared: bool) -> None:
        """Say that a search uses the same GPU, or no longer."""
        self._shared.setVisible(shared)

    def show_state(self, state: PairRunState, *, stopping: bool) -> None:
        """Show how far the work is."""
        motion.show_fraction(self.bar, state.fraction)
        self._title.setText(state.title)
        self._line.setText(state.line)
        paused = self.pause_button.isChecked()
        self._left.setText("Stopping…" if stopping else "Paused" if paused else state.time_left)

    def _build_plan(self) -> QWidget:
        self._plan = text_label("", "pairPlan", wrap=True, plain=True)
        self._details = described(ElidedLabel(), "pairPlanDetails")
        set_role(self._details, level="muted")
        tip = "Copy the terminal command that does the same"
        self._command = push_button("pairCopyCommand", "Copy command", tip, self.copy_command_wanted, icon="terminal")
        self.align_button = push_button("pairAlign", "Align", does=self.align_wanted, role="primary")
        keep_size(self.align_button, width=16, height=4.5)
        layer = QWidget()
        words = in_column(self._plan, self._details, spacing=0.25)
        self._queue = [self._queue_button("pairQueue")]
        in_row((words, 1), self._command, *self._queue, self.align_button, margins=(4, 1.5, 4, 1.5), parent=layer)
        return layer

    def _queue_button(self, name: str) -> QPushButton:
        tip = "Align this after the searches and pairs that are waiting"
        return push_button(name, "Add to queue", tip, self.queue_wanted)

    def _build_progress(self) -> QWidget:
        self._title = text_label("", "pairStage", plain=True, level="heading")
        self._line = text_label("", "pairProgress", plain=True, level="muted", wrap=True)
        self._left = text_label("", "pairTimeLeft", plain=True)
        self._shared = text_label(SHARED, "pairShared", tone="warning")
        self._shared.hide()
        self.bar = progress_bar("pairBar", "Progress of the alignment")
        self.bar.setRange(0, BAR_STEPS)
        tip = "End the work now and keep what is known, marked as partial (Ctrl+.)"
        self.stop_button = push_button("pairStop", "Stop", tip, self.stop_wanted, icon="stop")
        keep_size(self.stop_button, width=16, height=4.5)
        tip = "Pause the work, for example while a search needs the GPU; memory stays taken"
        self.pause_button = push_button("pairPause", "Pause", tip, self.pause_wanted, icon="pause")
        self.pause_button.setCheckable(True)
        keep_size(self.pause_button, height=4.5)
        layer = QWidget()
        head = in_row(self._title, (self._shared, 1), 1, self._left)
        words = in_column(head, self.bar, self._line, spacing=0.5)
        self._queue.append(self._queue_button("pairQueueNext"))
        in_row(
            (words, 1),
            self._queue[-1],
            self.pause_button,
            self.stop_button,
            margins=(4, 1, 4, 1),
            spacing=2,
            parent=layer,
        )
        return layer
