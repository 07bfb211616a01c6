"""The strip that says what the rounds of an iterated search did."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from swgui.core.hits.results import SearchResult
from swgui.core.profiles.rounds import ENDINGS, QueryRounds
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import described

TIP = (
    "Included: whose residues made the next profile. New, lost: compared with the round before. "
    "Effectively: how many independent sequences they are worth, for near copies say the same."
)


def round_in_figures(rounds: QueryRounds, number: int) -> str:
    """Return what a round, from 1, did: ``15 included, 3 new, 1 lost, effectively 6.2``."""
    found = rounds.rounds[number - 1]
    parts = [f"{len(found.included):,} included"]
    if number > 1:
        changes = (("new", rounds.new(number)), ("lost", rounds.lost(number)))
        parts += [f"{len(who):,} {what}" for what, who in changes if len(who)]
    if len(found.included):
        parts.append(f"effectively {found.effective_sequences:.1f}")
    return ", ".join(parts)


class RoundsStrip(QFrame):
    """One line: every round in figures, and why there are no more; hidden for other searches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "roundsStrip", accessible="Rounds of the search")
        set_role(self, role="strip")
        self.line = described(ElidedLabel(), "roundsLine")
        in_row((self.line, 1), margins=(1.5, 0.5, 1.5, 0.5), parent=self)
        self.hide()

    def show_query(self, result: SearchResult | None, query_index: int) -> None:
        """Show the rounds of a query, nothing if it has none."""
        rounds = result.queries[query_index].rounds if result is not None and query_index >= 0 else None
        self.setVisible(rounds is not None)
        if rounds is None:
            return
        texts = [f"Round {number}: {round_in_figures(rounds, number)}" for number in range(1, len(rounds) + 1)]
        ending = ENDINGS[rounds.ended]
        texts.append(f"{ending[0].upper()}{ending[1:]}.")
        if rounds.database:
            texts.append(f"The profile is of sequences of {rounds.database}.")
        self.line.set_text("   ·   ".join(texts), "\n".join((*texts, "", TIP)))
