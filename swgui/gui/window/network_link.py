"""The Network page in the window: messages, hits that become a network, and edges that become long pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from swgui.gui.network import entry as network
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.window.messages.status import Attention
from swgui.gui.window.pair_link import PairLink

if TYPE_CHECKING:
    from swgui.core.database import EncodedDatabase
    from swgui.gui.network.page import NetworkPage
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.runs.page import RunsPage

NETWORK = network.PAGE.name


class NetworkLink(QObject):
    """Connects the Network page with the rest of the window."""

    def __init__(self, window: Frame, attention: Attention, pairs: PairLink, notifications: Notifications) -> None:
        super().__init__(window)
        self._window, self._attention = window, attention
        self._pairs, self._notifications = pairs, notifications
        window.pages.once_made("results", self._results_made)
        window.pages.once_made(NETWORK, self._page_made)

    def make_network(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        """Show the Network page with sequences to compare."""
        cast("NetworkPage", self._window.pages[NETWORK]).use_sequences(give, name)
        self._window.show_page(NETWORK)

    def ask(self, kind: str) -> None:
        """Show the Network page with the form of a question on sets."""
        cast("NetworkPage", self._window.pages[NETWORK]).ask(kind)
        self._window.show_page(NETWORK)

    def _results_made(self, results: ResultsPage) -> None:
        results.network_wanted.connect(self.make_network)

    def _page_made(self, page: NetworkPage) -> None:
        page.pair_wanted.connect(self._pairs.align)
        page.made.connect(self._made)
        page.kept.connect(lambda: cast("RunsPage", self._window.pages["runs"]).refresh())

    def _made(self, what: str, name: str, seconds: float) -> None:
        if self._window.page != NETWORK:
            self._notifications.post("success", f"{what} is done: {name}.", "It is on the Network page.")
        self._attention.call(f"{what} is done.", name, seconds)
