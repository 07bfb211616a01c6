"""Matrix, gap costs and presets of a long pair."""

from __future__ import annotations

from swgui.gui.inputs.scheme import SchemePanel
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.settings import PairSettings


class PairScoringPanel(SchemePanel):
    """Edits the scoring scheme of the kind of sequence at hand.

    Parameters
    ----------
    settings : PairSettings
    tasks : Tasks
        Not the window's: the Search page makes its scheme with those.
    """

    def __init__(self, settings: PairSettings, tasks: Tasks) -> None:
        super().__init__(settings, tasks, "pair")

    def _place(self) -> None:
        self._strand.setToolTip("Which strands of the query are aligned with the subject")
        parts = (self._head("Scoring"), self._make_fields(), self._costs)
        in_column(*parts, margins=(2, 1.5, 2, 1.5), parent=self)
