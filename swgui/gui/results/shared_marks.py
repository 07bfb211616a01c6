"""Keeps the stars and notes of the hits that are shown the same as those of their sequences in all other results."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject

from swgui.core.hits.results import SearchResult
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.results.marks import MarkStore
from swgui.io.marks import Mark
from swgui.runs.marked import give_marks, marks_in, names_of, put_marks, subjects_of


class HitMarks(QObject):
    """Joins the marks of a result with those of sequences, both ways."""

    def __init__(self, store: MarkStore, shared: SharedMarks, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._shared = store, shared
        self._result: SearchResult | None = None
        self._busy = False
        store.changed.connect(self._changed_here)
        shared.changed.connect(self._changed_elsewhere)

    def show_result(self, result: SearchResult) -> None:
        """Give the hits of a result the marks of their sequences; a run of the list gives it its own, too."""
        self._result = result
        own = marks_in(self._store.marks, result) if result.run_id else {}
        give_marks(self._store.marks, result, self._shared.book)
        self._shared.add({name: mark for name, mark in own.items() if not self._shared.of(name)})

    def forget(self) -> None:
        """Follow no result."""
        self._result = None

    def _changed_here(self, kind: str, query: int, subjects: Iterable[int]) -> None:
        if self._result is None or self._busy or kind not in ("starred", "note"):
            return
        result, marks = self._result, self._store.marks
        names = names_of(result, subjects)
        given = {s: Mark(marks.has("starred", query, s), marks.note(query, s)) for s in names}
        put_marks(marks, result, given)  # also for other queries
        self._busy = True
        try:
            if kind == "note":
                for subject, name in names.items():
                    self._shared.write(name, given[subject].note)
            else:
                for on in (True, False):
                    if some := [name for subject, name in names.items() if given[subject].star == on]:
                        self._shared.star(some, on)
        finally:
            self._busy = False

    def _changed_elsewhere(self) -> None:
        if self._result is None or self._busy:
            return
        result, marks = self._result, self._store.marks
        before = marks_in(marks, result)
        names = names_of(result, subjects_of(result).tolist())
        given = {s: mark for s, name in names.items() if (mark := self._shared.of(name)) != before.get(name, Mark())}
        if not given:
            return
        put_marks(marks, result, given)
        self._busy = True
        try:
            for number, query in enumerate(result.queries):
                if here := set(query.hits.db_index.tolist()) & given.keys():
                    for kind in ("starred", "note"):
                        self._store.changed.emit(kind, number, here)
        finally:
            self._busy = False
