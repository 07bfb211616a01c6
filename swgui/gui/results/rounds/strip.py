"""The strip that says what the rounds of an iterated search did."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from swgui.core import words
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.recipe import ROUNDS
from swgui.core.profiles.rounds import ENDINGS, QueryRounds
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import described, push_button, text_label
from swgui.gui.results.rounds.figures import RoundsDialog, warnings_of

ROOM_FOR_BOTH = 100  # width in grid units
TIP = (
    "Included: whose residues made the next profile. New, lost: compared with the round before. "
    "Worth, or effectively: how many independent sequences they are worth, for near copies say the same."
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
    """Every round in figures, why there are no more, and what is doubtful about them; hidden for other searches.

    Signals
    -------
    next_wanted()
        Another round should follow.
    """

    next_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "roundsStrip", accessible="Rounds of the search")
        set_role(self, role="strip")
        self.row = FlowRow()
        self.ending = text_label(name="roundsEnding", level="muted", plain=True)
        self.button = push_button(
            "roundsFigures", "Figures…", "All figures of the rounds, and whether their E-values are right",
            self.show_figures, role="quiet",
        )  # fmt: skip
        self.chips: list[QLabel] = []
        self.warning = described(ElidedLabel(), "roundsWarning")
        set_role(self.warning, tone="warning")
        self.next_button = push_button(
            "nextRound",
            "Next round",
            "Search once more, with what the last round found",
            self.next_wanted,
            role="quiet",
        )
        below = in_row(self.ending, (self.warning, 1), self.next_button, self.button, spacing=1)
        in_column(self.row, below, margins=(1.5, 0.5, 1.5, 0.25), spacing=0, parent=self)
        self._result: SearchResult | None = None
        self._query = -1
        self.hide()

    def hasHeightForWidth(self) -> bool:
        """Take the height of the lines there are, as the header does: the row of rounds keeps its own in sight."""
        return False

    def show_query(self, result: SearchResult | None, query_index: int) -> None:
        """Show the rounds of a query, nothing if it has none."""
        rounds = result.queries[query_index].rounds if result is not None and query_index >= 0 else None
        self._result, self._query = result, query_index
        self.setVisible(rounds is not None)
        if rounds is None or result is None:
            return
        for chip in self.chips:
            self.row.take_away(chip)
        figures = [round_in_figures(rounds, number) for number in range(1, len(rounds) + 1)]
        self.chips = [self._chip(rounds, number, text) for number, text in enumerate(figures, start=1)]
        ending = f"{ENDINGS[rounds.ended][0].upper()}{ENDINGS[rounds.ended][1:]}."
        of_another = f" The profile is of sequences of {rounds.database}." if rounds.database else ""
        self.ending.setText(ending + of_another)
        texts = [f"Round {number}: {text}" for number, text in enumerate(figures, start=1)]
        self.setAccessibleDescription(". ".join((*texts, ending + of_another)))
        self.next_button.setVisible(rounds.ended not in ("same", "nobody") and len(rounds) < ROUNDS[1])
        self._show_warnings(warnings_of(result, query_index))

    def _chip(self, rounds: QueryRounds, number: int, figures: str) -> QLabel:
        """Add one round to the row: its number, how many it includes, and what changed."""
        new, lost = len(rounds.new(number)), len(rounds.lost(number))
        changes = "".join(f" {sign}{who:,}" for sign, who in (("+", new), ("−", lost)) if who and number > 1)
        found = rounds.rounds[number - 1]
        worth = f", worth {found.effective_sequences:.1f}" if len(found.included) else ""
        included = f"{len(found.included):,}{' included' if number == 1 else ''}"
        text = f"<b>Round {number}</b>&nbsp; {included}{changes}{worth}"
        chip = text_label(text, f"round-{number}", f"Round {number}: {figures}\n\n{TIP}")
        set_role(chip, role="chip")
        self.row.add(chip, number - 1)
        chip.show()
        return chip

    def _show_warnings(self, texts: list[str]) -> None:
        more = f" ({words.count(len(texts) - 1, 'more remark')}: Figures…)" if len(texts) > 1 else ""
        self.warning.set_text(f"{texts[0]}{more}" if texts else "", "\n\n".join(texts))
        self.warning.setVisible(bool(texts))
        self._make_room()

    def _make_room(self) -> None:
        """Leave out why there are no more rounds where what is doubtful would have no room beside it."""
        self.ending.setHidden(self.width() < grid(ROOM_FOR_BOTH) and not self.warning.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much as there is room for."""
        super().resizeEvent(event)
        self._make_room()

    def show_figures(self) -> RoundsDialog | None:
        """Open all figures of the rounds, and return their dialog; None where there are none."""
        if self._result is None or self._result.queries[self._query].rounds is None:
            return None
        dialog = RoundsDialog(self._result, self._query, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog
