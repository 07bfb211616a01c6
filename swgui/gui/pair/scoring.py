"""Matrix, gap costs and presets of a long pair: the panel of the Search page without what only a search has."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from swgui.gui.inputs.scoring import ScoringPanel
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.kit.theme import arrange, keep_size, set_role
from swgui.settings import PairSettings

LEFT_OUT = ("_evalue", "_top", "_mask", "_size", "_more", "_statistics")


class PairScoringPanel(ScoringPanel):
    """Edits the scoring settings of the kind of sequence at hand.

    Parameters
    ----------
    settings : PairSettings
    short_jobs : ShortJobs
        Not the window's: the Search page makes its scheme with those.
    """

    def __init__(self, settings: PairSettings, short_jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(settings, short_jobs, parent)
        self.setObjectName("pairScoringPanel")
        names = ("preset", "matrix", "gapOpen", "gapExtend", "gapRule", "strand", "gapCosts", "presetNote")
        for name in names:
            for widget in self.findChildren(QWidget, name):
                widget.setObjectName(f"pair{name[0].upper()}{name[1:]}")
        for name in LEFT_OUT:
            getattr(self, name).setObjectName("")
        self._preset.setAccessibleName("Preset")
        self._strand.setToolTip("Which strands of the query are aligned with the subject")

    @property
    def problem(self) -> str:
        """Why the settings cannot be used, as one sentence; empty if they can."""
        return self._error or ("" if self._scoring is not None else "Reading the matrix…")

    def _place(self) -> None:
        title = QLabel("Scoring")
        set_role(title, level="heading")
        keep_size(title, width=12)
        head = QHBoxLayout()
        arrange(head, 0, 1)
        head.addWidget(title)
        head.addWidget(self._preset)
        head.addWidget(self._note, 1)
        self.fields = QGridLayout()
        arrange(self.fields, 0, (2, 0.5))
        self._fields: list[tuple[QLabel, QWidget, int]] = []
        for text, widget, stretch in (
            ("Matrix", self._matrix, 3),
            ("Gap open", self._open, 1),
            ("Gap extend", self._extend, 1),
            ("Gap rule", self._rule, 3),
            ("Strand", self._strand, 2),
        ):
            label = QLabel(text)
            label.setBuddy(widget)
            set_role(label, level="small")
            self._fields.append((label, widget, stretch))
        self._strand_label = self._fields[-1][0]
        self.set_narrow(False)
        self._extra = QWidget(self)
        self._extra.hide()
        for name in LEFT_OUT:  # nothing of them is shown, and nothing may be without a parent
            getattr(self, name).setParent(self._extra)
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addLayout(head)
        layout.addLayout(self.fields)
        layout.addWidget(self._costs)
