"""The view of the pairs of columns of a family of RNA that vary together."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.control import checking
from swgui.core.covariation.alignment import bases_of
from swgui.core.covariation.pairs import Covariation
from swgui.core.covariation.settings import CovariationSettings
from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.widgets import push_button
from swgui.gui.viewer.covariation.panel import CovariationPanel
from swgui.gui.viewer.family import Family, make_family
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.view import View
from swgui.jobs.covariation import covariation

KEY: Final = "results-covariation"


class CovariationView(View):
    """Shows the pairs of the alignment of the last round of a query; made once the user opens it."""

    name, title = "covariation", "Covariation"
    tip = "Pairs of columns of the family that change together, as paired bases of RNA do"
    scheme = "stacked"
    least_height, wants_room = 30, True
    needs_hit = shows_one_hit = False

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("covariationView")
        self._tasks = tasks
        self._wanted: tuple[SearchResult, int] | None = None
        self._made = False  # or being made
        self.panel = CovariationPanel(tasks, "covariation")
        self.adopt(self.panel.area)
        self.panel.message.connect(self.message)
        self.panel.arcs.pointed.connect(self.pointed)
        in_column((self.panel, 1), parent=self)
        self.save_button = push_button(
            "covariationSave", "Save pairs…", "Write the pairs as a table, or all arcs as SVG", self.panel.ask,
            icon="save",
        )  # fmt: skip
        self.tools = (self.save_button,)

    @property
    def possible(self) -> bool:
        return self._wanted is not None

    def use_query(self, result: SearchResult | None, query_index: int) -> None:
        """Show the rounds of a query of bases as soon as the user opens the view."""
        self._tasks.drop(KEY)
        rounds = result.queries[query_index].rounds if result is not None and query_index >= 0 else None
        of_bases = rounds is not None and rounds.last.alignment.alphabet.name == NUCLEOTIDE.name
        self._wanted = (result, query_index) if result is not None and of_bases else None
        self._made = False
        self.panel.clear()
        self.renew()

    def compute(self) -> None:
        if self._made or self._wanted is None:
            return
        result, query = self._wanted
        self._made = True
        self.panel.say("Looking for pairs of columns that vary together…")

        def work(control: TaskControl) -> tuple[Family, Covariation]:
            family = make_family(result, query)
            return family, covariation(bases_of(family.alignment), CovariationSettings(), checking(control))

        self._tasks.start(KEY, work, self._take, self._failed)

    def _take(self, made: tuple[Family, Covariation]) -> None:
        family, found = made
        self.panel.show_pairs(found, family.stack, family)

    def _failed(self, error: Exception) -> None:
        self.panel.say("" if isinstance(error, Stopped) else str(error))

    def set_scheme(self, scheme: ColorScheme) -> None:
        self.panel.area.set_scheme(scheme)

    def set_zoom(self, zoom: float) -> None:
        self.panel.area.set_zoom(zoom)
        self.panel.arcs.update()

    def figure(self) -> SeenPicture | None:
        """Return the arcs as they appear; None if there are none."""
        return self.panel.picture()
