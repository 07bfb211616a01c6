"""Missed-hit audit: compares another program's table with the exact run on the page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from swgui.core import words
from swgui.core.compare.audit import Audit, AuditRows, audit
from swgui.core.compare.audit_summary import summary
from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.widgets import described, text_label
from swgui.gui.results.compare.base import ComparedFile, FileComparisonDialog
from swgui.gui.results.compare.columns import audit_source, unmatched_source
from swgui.io.statistics import load_statistics
from swgui.io.tables.comparisons import audit_comments, audit_table
from swgui.io.tables.hits import read_hit_table

# Name, title of the tab, text of an empty one.
PARTS = (
    ("only_here", "Only in this search", "The table has every hit of this search."),
    ("only_there", "Only in the table", "This search lists every hit of the table."),
    ("both", "Found by both", "No hit is in both lists."),
    ("unclear", "Unclear", ""),
    ("unmatched", "Not compared", ""),
)


class AuditDialog(FileComparisonDialog):
    """Compares a file with a run and shows what each of them misses."""

    # Query and source index of a pair whose alignment the user wants to see, listed or not
    hit_wanted = Signal(int, int)
    file_name_offered = "audit.tsv"

    file = ComparedFile(
        noun="file",
        input="table",
        prompt="Drop a table here that BLAST, DIAMOND or MMseqs2 made with the same queries and database: "
        "tabular format 6 or 7, or BLAST XML.",
        title="Compare with a table",
        kinds="Hits of other programs (*.tsv *.txt *.tab *.out *.csv *.m8 *.xml *.gz *.bz2 *.xz *.zst);;All files (*)",
        reading="Reading",
    )

    def __init__(self, tasks: Tasks, result: SearchResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "audit", "Missed-hit audit", (130, 84), result, parent)
        self._audit: Audit | None = None
        self.details = self.label("Details")
        self.details.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.hint = text_label("Click a row to see its alignment.", level="small")
        self.tabs = described(QTabWidget(), "auditTabs")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)  # the pane draws its own line
        self.views: dict[str, ColumnView] = {}
        for name, title, _ in PARTS:
            view = ColumnView(self._tasks, f"audit-{name}", title)
            view.chosen.connect(lambda row, name=name: self._want(name, row))
            self.filter.textChanged.connect(view.set_words)
            self.views[name] = view
            self.tabs.addTab(view, title)
        self._parts = (self.headline, self.details, self.filter, self.hint, self.tabs)
        line = in_row((self.filter, 1), self.hint, spacing=2)
        self._lines = in_column(
            self.run, self.place, self.headline, self.details, line, (self.tabs, 1), self.progress, self.status,
            self.buttons, margins=2, parent=self,
        )  # fmt: skip
        self.show_parts(False)

    def compare(self, path: Path, control: TaskControl) -> tuple[Audit, dict[str, ColumnSource]]:
        return compare_file(path, self._result, control)

    def show_made(self, path: Path, made: tuple[Audit, dict[str, ColumnSource]]) -> None:
        compared, sources = made
        self._audit = compared
        made_by = f", made by {compared.program}" if compared.program else ""
        self.file_name.set_text(f"{path.name}{made_by}")
        first, *others = summary(compared)
        self.headline.setText(first)
        self.details.setText("\n".join(others))
        for index, (name, title, empty) in enumerate(PARTS):
            source = sources[name]
            self.views[name].show_source(source)
            self.tabs.setTabText(index, f"{title} ({source.count:,})")
            self.tabs.setTabToolTip(index, "" if source.count else empty)
            self.tabs.setTabVisible(index, bool(source.count or empty))
        self.tabs.setCurrentIndex(next((index for index, (name, *_) in enumerate(PARTS) if sources[name].count), 0))

    def _want(self, name: str, row: int) -> None:
        if self._audit is None or name == "unmatched":
            return
        rows: AuditRows = getattr(self._audit, name)
        self.hit_wanted.emit(int(rows.query_index[row]), int(rows.db_index[row]))

    def save_to(self, path: Path) -> None:
        """Write the whole comparison, tab-separated, with comments on how it was made."""
        compared = self._audit
        if compared is not None:
            pairs = sum(
                len(rows) for rows in (compared.both, compared.only_here, compared.only_there, compared.unclear)
            )
            noun = f"{words.count(pairs, 'pair')} of query and subject"
            self.write(path, audit_table(compared), pairs, noun, audit_comments(compared))

    def forget(self) -> None:
        super().forget()
        for view in self.views.values():
            view.forget()


def compare_file(path: Path, result: SearchResult, control: TaskControl) -> tuple[Audit, dict[str, ColumnSource]]:
    """Read and compare; for a worker. Returns the audit and the tables of `PARTS`.

    Raises
    ------
    SwguiError
        If the file cannot be read or does not belong to the run.
    """

    def tell(done: int, total: int) -> None:
        if control.is_set():
            raise Stopped
        control.tell(done, total)

    compared = audit(result, read_hit_table(path, tell), load_statistics(result.scheme))
    sources = {name: audit_source(compared, getattr(compared, name)) for name, *_ in PARTS if name != "unmatched"}
    return compared, sources | {"unmatched": unmatched_source(compared)}
