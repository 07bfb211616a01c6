"""The column that says where hits lie, in the hit table: by the features of a file, or those of the database."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from swgui.core.hits.table import HitTable
from swgui.core.loci.columns import LocusReader
from swgui.gui.hits.columns import add_views
from swgui.gui.hits.data import HitData
from swgui.gui.inputs.features import FeatureChoice
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.results.frame import ResultsFrame
from swgui.io.export.columns import Column
from swgui.io.export.loci import bring_loci


class HitLoci(QObject):
    """Adds the column once features are known, and fills it again for other features."""

    def __init__(self, page: ResultsFrame, tasks: Tasks, choice: FeatureChoice) -> None:
        super().__init__(page)
        self._page, self._tasks, self._choice = page, tasks, choice
        self._brought: tuple[LocusReader[HitTable], Column] | None = None
        self._added = False
        choice.changed.connect(self._chosen)
        page.hits.data_changed.connect(lambda data: self._prepare(data))

    def _chosen(self) -> None:
        if self._brought is not None:
            self._brought[0].use(self._choice.annotation)
        self._prepare(self._page.hits.data)

    def _prepare(self, data: HitData | None) -> None:
        """Read the features of the subjects of a list, in a worker, then show the column."""
        if data is None:
            return
        database, annotation = data.result.database, self._choice.annotation
        if annotation is None and (database.feature_texts is None or not database.in_stretches):
            return
        if self._brought is None:
            self._brought = bring_loci()
            add_views([self._brought[1]])
            self._brought[0].use(annotation)
        work = partial(self._brought[0].prepare, database, sorted(set(data.hits.db_index.tolist())))
        self._tasks.submit("results-loci", work, lambda _none: self._show(data))

    def _show(self, data: HitData) -> None:
        assert self._brought is not None  # made before
        key, hits = self._brought[1].key, self._page.hits
        data.forget(key)
        if not self._added:
            self._added = True
            hits.table.add_columns([key])
        if hits.data is data:
            hits.sort_by(hits.sorting)  # selects the current row again, with the new cells
            reader, shown = self._brought[0], self._page.isVisible()  # features may have been chosen on another page
            if shown and reader.locator is not None and (said := reader.summary()):
                self._page.message.emit(said)
