"""What else is looked for behind the rounds of a search, and what it costs: asked before it begins."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from swgui.core import words
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.recipe import MAX_BEST, EvidenceWanted, IterationSettings
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import check_box, push_button, spin_box, text_label
from swgui.jobs.iterate import forward
from swgui.jobs.iterate.deeper import cost_of

EXPLANATION: Final = (
    "Searches with the hits of '{name}' too, and shows what they say in columns of their own beside E, which stays "
    "what it is. It is a run like any other: it runs in the background, can be stopped, and is kept."
)
PROFILES: Final = "How alike the profiles of a hit and of the query are, with an E fitted to shuffled profiles."
NEIGHBOURS: Final = (
    "What a hit with E up to 0.001 finds with E up to 0.001 and the query does not, with the path that leads there and "
    "E of both steps. A protein of two domains leads from one to the other."
)
FORWARD: Final = "HMMER's score over all alignments of every hit, by pyhmmer; no search more."
NO_PYHMMER: Final = "Needs the package pyhmmer: pip install 'swgui[hmmer]'."
ROUNDS_FIRST: Final = "This result has one round: up to {rounds} rounds are done first."


class DeeperDialog(QDialog):
    """Asks what is to be looked for.

    Parameters
    ----------
    settings : IterationSettings
        Of the rounds that are done first where there are none.

    Signals
    -------
    wanted(object)
        The settings with what was chosen.
    """

    wanted = Signal(object)

    def __init__(
        self, result: SearchResult, query_index: int, settings: IterationSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("deeperDialog")
        self.setWindowTitle("Look deeper")
        self._result, self._query, self._settings = result, query_index, settings
        query = result.queries[query_index]
        self.profiles = check_box("deeperProfiles", "Compare profiles", does=self._refresh, on=True)
        self.neighbours = check_box("deeperNeighbours", "Search through the hits", does=self._refresh, on=True)
        self.forward = check_box("deeperForward", "Forward scores", does=self._refresh)
        self.forward.setEnabled(forward.is_installed())
        self.best = spin_box(
            "deeperBest", (1, MAX_BEST), settings.evidence.best, "For profiles and neighbours; two rounds with each",
            self._refresh, grouped=True, accessible="Hits that are searched with",
        )  # fmt: skip
        self.cost = text_label(name="deeperCost", wrap=True)
        self.start = push_button("deeperStart", "Look deeper", does=self._start, role="primary", default=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.start, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        explanation = EXPLANATION.format(name=query.query.id)
        if query.rounds is None:
            explanation = f"{explanation} {ROUNDS_FIRST.format(rounds=settings.rounds)}"
        choices = (
            (self.profiles, PROFILES),
            (self.neighbours, NEIGHBOURS),
            (self.forward, FORWARD if forward.is_installed() else NO_PYHMMER),
        )
        number = in_row(text_label("Hits that are searched with", buddy=self.best), self.best, 1, spacing=1)
        in_column(
            text_label(explanation, level="muted", wrap=True),
            *(in_column(box, text_label(said, level="small", wrap=True), spacing=0.25) for box, said in choices),
            number,
            self.cost,
            buttons,
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self.resize(grid(75), self.sizeHint().height())
        self._refresh()

    @property
    def evidence(self) -> EvidenceWanted:
        """What is chosen."""
        return EvidenceWanted(
            profiles=self.profiles.isChecked(),
            neighbours=self.neighbours.isChecked(),
            forward=self.forward.isChecked(),
            best=self.best.value(),
        )

    def _refresh(self) -> None:
        evidence = self.evidence
        self.start.setEnabled(bool(evidence))
        self.best.setEnabled(evidence.searches)
        self.cost.setText(self._in_words(evidence))

    def _in_words(self, evidence: EvidenceWanted) -> str:
        if not evidence:
            return "Nothing is chosen."
        if not evidence.searches:
            return "Costs no search more."
        cost = cost_of(self._result, self._query, evidence.best)
        if not cost.hits:
            return "There is no hit to search with."
        hits = f"Costs two searches of the database with each of {words.count(cost.hits, 'hit')}"
        return (
            f"{hits}, about {words.duration(cost.seconds)} at the speed of this search." if cost.seconds else f"{hits}."
        )

    def _start(self) -> None:
        self.accept()
        self.wanted.emit(replace(self._settings, evidence=self.evidence))
