"""The views of one hit as residues: in colour, wrapped to the width, and as plain text."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QWidget

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import (
    combo_box,
    delayed,
    key_command,
    line_edit,
    make_menu,
    menu_command,
    switch,
    text_label,
    text_view,
    tool_button,
)
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows import text_form
from swgui.gui.viewer.rows.layout import RowsLayout, lay_out_rows
from swgui.gui.viewer.rows.second_track import CODONS_BOX
from swgui.gui.viewer.rows.view import Mark, RowsView
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View
from swgui.io.read_report import shown

COPY_FORMS = (
    ("numbered", "With numbers", "The alignment as shown here, with positions"),
    ("bare", "Without numbers", "Query, match line and subject, without positions"),
    ("fasta", "FASTA, aligned", "Both rows as FASTA, with gaps"),
    ("ungapped", "FASTA, without gaps", "The aligned regions as FASTA"),
    ("query", "Query sequence", "The aligned part of the query"),
    ("subject", "Subject sequence", "The aligned part of the subject"),
)
MAX_PLACES = 10_000  # reported
MAX_LENGTH = 1_000  # characters of a motif
KINDS: tuple[tuple[str, str, str], ...] = (
    ("residues", "Residues", "Exactly this sequence, for example WQS"),
    ("iupac", "IUPAC", "Codes for several residues: N, R, Y for bases; B, Z, J, X for amino acids"),
    ("prosite", "PROSITE", "A PROSITE pattern, for example N-{P}-[ST]-{P} or C-x(2,4)-C"),
    ("regex", "Expression", "A regular expression, for example K[KR].[KR]"),
    ("position", "Position", "A position in the query"),
)
_ELEMENT = re.compile(
    r"(?P<start><)?(?:(?P<any>x)|(?P<one>[A-Z])|\[(?P<of>[A-Z]+)(?P<or_end>>)?\]|\{(?P<not>[A-Z]+)\})"
    r"(?:\((?P<low>\d+)(?:,(?P<high>\d+))?\))?(?P<end>>)?",
    re.IGNORECASE,
)
KEY = "results-motif"
Places = list[tuple[int, int]]  # half open, from 0
FLANK = 30  # residues shown beyond either end on demand


def copy_menu(view: RowsView, menu_name: str, prefix: str, copy: Callable[[str], object]) -> QMenu:
    """Return a menu of the forms, which a view also shows where it is clicked on; Ctrl+C copies with numbers.

    Parameters
    ----------
    prefix : str
        Of the names of the commands: ``copyAlignment`` makes ``copyAlignment-bare``.
    """
    menu = make_menu(menu_name, view)
    for form, text, tip in COPY_FORMS:
        menu_command(menu, f"{prefix}-{form}", text, tip, partial(copy, form))
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(lambda point: menu.popup(view.viewport().mapToGlobal(point)))
    key_command(view, "Copy", QKeySequence.StandardKey.Copy, lambda: copy("numbered"))
    return menu


def compile_motif(text: str, kind: str, alphabet: Alphabet) -> re.Pattern[bytes]:
    """Turn a motif into an expression over the residues of a sequence.

    Parameters
    ----------
    kind : {"residues", "iupac", "prosite", "regex"}

    Raises
    ------
    InvalidParameter
        If the motif cannot be read; the message names the position.
    """
    makers: dict[str, Callable[[str, Alphabet], str]] = {
        "residues": _residues,
        "iupac": _iupac,
        "prosite": _prosite,
        "regex": lambda text, _alphabet: text,
    }
    if len(text) > MAX_LENGTH:
        raise _refused(text, f"A motif may have {MAX_LENGTH} characters at most; this one has {len(text)}.")
    wanted = makers[kind](text.strip(), alphabet)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" may mean something else in a later Python
            return re.compile(wanted.encode("ascii"), re.IGNORECASE)
    except UnicodeEncodeError:
        raise _refused(text, f"'{shown(text)}' has a character that occurs in no sequence.") from None
    except (re.error, OverflowError, RecursionError) as error:
        raise _refused(text, f"The expression '{shown(text)}' cannot be read: {shown(str(error), 200)}.") from None


def find_motif(pattern: re.Pattern[bytes], residues: bytes, max_places: int = MAX_PLACES) -> list[tuple[int, int]]:
    """Return every place of a motif, overlapping ones included; at each start the longest the pattern takes.

    Parameters
    ----------
    residues : bytes
        ASCII.

    Returns
    -------
    list of (int, int)
        Start and stop, half open, from 0.
    """
    places: list[tuple[int, int]] = []
    start = 0
    while len(places) < max_places and (match := pattern.search(residues, start)):
        if match.end() > match.start():
            places.append(match.span())
        start = match.start() + 1
        if start > len(residues):
            break
    return places


def _refused(text: str, message: str) -> InvalidParameter:
    return InvalidParameter("motif", text, message)


def _residues(text: str, alphabet: Alphabet) -> str:
    wanted = "".join(text.split())
    for residue in wanted:
        if residue.upper() not in alphabet.letters:
            raise _refused(text, f"'{shown(residue)}' is not a symbol of the {alphabet.name} alphabet.")
    return re.escape(wanted)


def _class(residue: str, alphabet: Alphabet) -> str:
    """Return the residues that a code matches: all its residues, and every code for some of these."""
    plain = set(_spelled_out(residue, alphabet))
    fitting = [c for c in alphabet.letters if set(_spelled_out(c, alphabet)) <= plain]
    return "".join(sorted({*fitting, residue}))


def _spelled_out(residue: str, alphabet: Alphabet) -> str:
    expanded = alphabet.expansions.get(residue)
    if expanded is None:
        return residue
    return "".join(_spelled_out(part, alphabet) for part in expanded)


def _iupac(text: str, alphabet: Alphabet) -> str:
    parts = []
    for residue in "".join(text.split()).upper():
        if residue not in alphabet.letters:
            raise _refused(text, f"'{shown(residue)}' is not a symbol of the {alphabet.name} alphabet.")
        parts.append(f"[{re.escape(_class(residue, alphabet))}]")
    return "".join(parts)


def _prosite(text: str, alphabet: Alphabet) -> str:
    """Translate a PROSITE pattern: elements joined by hyphens, x any, [AB] one of, {AB} none of, (n,m) times."""
    parts = []
    elements = text.strip().rstrip(".").split("-")
    for number, element in enumerate(elements, start=1):
        match = _ELEMENT.fullmatch(element.strip())
        misplaced = match is not None and (
            (match["start"] and number != 1) or ((match["end"] or match["or_end"]) and number != len(elements))
        )
        if match is None or misplaced:
            raise _refused(text, f"Element {number} of the pattern, '{shown(element.strip())}', cannot be read.")
        low, high = match["low"], match["high"]
        if high is not None and int(high) < int(low):
            raise _refused(text, f"Element {number} of the pattern asks for {shown(low)} to {shown(high)} times.")
        if match["any"]:
            residues = "."
        elif match["not"]:
            residues = f"[^{match['not']}]"
        else:
            residues = f"[{match['one'] or match['of']}]"
        times = "" if low is None else f"{{{low}}}" if high is None else f"{{{low},{high}}}"
        piece = f"{residues}{times}"
        if match["or_end"]:
            piece = f"(?:{piece}|$)"
        parts.append(("^" if match["start"] else "") + piece + ("$" if match["end"] else ""))
    return "".join(parts)


def marks_of(places: Places, positions: NDArray[np.int64], side: str) -> list[Mark]:
    """Return the columns of places of a sequence in the alignment; without places that are not shown.

    Parameters
    ----------
    positions : ndarray, shape=(k,), dtype=int64
        Residue numbers of the columns, 0 where there is none.
    side : {"query", "subject"}
    """
    marks = []
    for start, stop in places:
        columns = np.flatnonzero((positions > start) & (positions <= stop))
        if len(columns):
            marks.append(Mark(int(columns[0]), int(columns[-1]) + 1, side))
    return marks


class FindBar(QWidget):
    """Finds motifs in query and subject of the hit shown, and goes from one to the next."""

    closed = Signal()  # the bar was closed

    def __init__(self, tasks: Tasks, view: RowsView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self._tasks = tasks
        self._view = view
        self._shown: ShownHit | None = None
        self.marks: list[Mark] = []  # places found that are shown, from left to right
        self._at = -1
        self._later = delayed(self, 150, self._search)
        self.kind = combo_box(
            "findKind",
            "Read the text as residues, a pattern or a position",
            items=[(title, key, tip) for key, title, tip in KINDS],
            changed=self._kind_changed,
            accessible="What to find",
        )
        self.text = line_edit(
            "findText",
            "What to find; Return goes to the next place",
            lambda _text: self._later.start(),
            clear=True,
            entered=self.next,
            accessible="Motif or position",
        )
        self.found = text_label(name="findCount", level="muted")
        self.previous_button = tool_button(
            "findPrevious", "Previous", "Go to the place before (Shift+F3)", self.previous
        )
        self.next_button = tool_button("findNext", "Next", "Go to the next place (F3)", self.next)
        self.close_button = tool_button("findClose", "Close", "Close this bar (Escape)", self.close_bar)
        in_row(
            self.kind,
            (self.text, 1),
            self.previous_button,
            self.next_button,
            (self.found, 1),
            self.close_button,
            spacing=0.5,
            parent=self,
        )
        for keys, command in (("F3", self.next), ("Shift+F3", self.previous), ("Escape", self.close_bar)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(command)
        self._kind_changed()
        self.hide()

    # -- find --------------------------------------------------------------------------------------

    def open_bar(self) -> None:
        self.show()
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        self._search()

    def close_bar(self) -> None:
        self.hide()
        self._show_marks([], "")
        self.closed.emit()

    def show_hit(self, shown: ShownHit | None) -> None:
        self._shown = shown
        if self.isVisible():
            self._search()

    def _kind_changed(self) -> None:
        self.text.setPlaceholderText(self.kind.currentData(Qt.ItemDataRole.ToolTipRole) or "")
        if self.isVisible():
            self._search()

    def _search(self) -> None:
        shown, layout, text = self._shown, self._view.alignment_layout, self.text.text().strip()
        kind = self.kind.currentData()
        self._tasks.drop(KEY)
        if shown is None or not text:
            self._show_marks([], "")
            return
        if kind == "position":
            self._go_to_position(text, layout)
            return
        alphabet, strand = shown.scheme.alphabet, shown.hit.strand
        query, subject = shown.hit.query_letters, shown.hit.subject_letters

        def work() -> tuple[Places, Places]:
            pattern = compile_motif(text, kind, alphabet)
            return find_motif(pattern, query), [] if strand < 0 else find_motif(pattern, subject)

        def done(places: tuple[Places, Places]) -> None:
            if layout is not self._view.alignment_layout:
                self._search()
                return
            in_query = marks_of(places[0], layout.residue_numbers(shown.hit)[0], "query")
            in_subject = marks_of(places[1], layout.residue_numbers(shown.hit)[1], "subject")
            words = [
                _count(len(places[0]), len(in_query), "query"),
                _count(len(places[1]), len(in_subject), "subject") if strand > 0 else "the subject runs backwards here",
            ]
            self._show_marks(sorted([*in_query, *in_subject], key=lambda mark: mark.start), ", ".join(words))

        self._tasks.submit(KEY, work, done, lambda error: self._show_marks([], str(error), wrong=True))

    def _go_to_position(self, text: str, layout: RowsLayout) -> None:
        number = text.replace(",", "")
        if not number.isdigit():
            self._show_marks([], "Type a position in the query.", wrong=True)
        elif not self._view.go_to_query(int(number)):
            shown = layout.query_positions[layout.query_positions > 0]
            words = f"The alignment shows query positions {int(shown[0]):,} to {int(shown[-1]):,}."
            self._show_marks([], words, wrong=True)
        else:
            column = layout.column_of_query(int(number))
            self._show_marks([Mark(column, column + 1, "query")], "")

    def _show_marks(self, marks: list[Mark], words: str, *, wrong: bool = False) -> None:
        self.marks, self._at = marks, -1
        self._view.show_marks(marks)
        self.found.setText(words)
        self.found.setToolTip(words)
        theme.set_role(self.found, tone="danger" if wrong else "")
        for button in (self.previous_button, self.next_button):
            button.setEnabled(bool(marks))

    def next(self) -> None:
        self._step(1)

    def previous(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        if not self.marks:
            return
        self._at = (self._at + by) % len(self.marks) if self._at >= 0 else (0 if by > 0 else len(self.marks) - 1)
        mark = self.marks[self._at]
        self._view.select(mark.start, mark.stop)


def _count(number: int, shown: int, where: str) -> str:
    beyond = f" ({number - shown:,} beyond the alignment)" if number > shown else ""
    return f"{number:,} in the {where}{beyond}"


class WrappedView(View):
    """Query and subject below each other, with the bar that finds motifs in them."""

    name, title, tip = "wrapped", "Alignment", "Query and subject, wrapped to the width"
    scheme = "wrapped"
    has_facts = True

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownHit | None = None
        self.area = RowsView()
        self.find_bar = FindBar(tasks, self.area)
        self.adopt(self.area)
        tip = f"Show up to {FLANK} residues beyond either end of the local alignment"
        flank = lambda on: self.area.set_flank(FLANK if on else 0)  # noqa: E731
        flanks = switch(self, "showFlanks", "Flanking residues", tip, flank)
        tip = "Show identical subject residues as dots, so that differences stand out"
        dots = switch(self, "showDots", "Identities as dots", tip, self.area.set_dots)
        self.codons = switch(self, *CODONS_BOX, self.area.set_codons)
        find = QAction("Find a motif or position…", self)
        find.setObjectName("findMotif")
        find.setToolTip("Find a motif or a position in the alignment (Ctrl+G)")
        find.setShortcut("Ctrl+G")
        find.triggered.connect(lambda: self.find_bar.open_bar())
        self.options = (flanks, dots, self.codons, find)
        self.addActions(list(self.options))
        self.find_bar.closed.connect(lambda: self.area.setFocus(Qt.FocusReason.OtherFocusReason))
        key_command(self.area, "Select all", QKeySequence.StandardKey.SelectAll, self.area.select_all)
        in_column(self.find_bar, (self.area, 1), spacing=0.5, parent=self)

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        self._shown = found[current]
        self.area.show_hit(self._shown)
        self.codons.setVisible(self.area.has_codons)
        self.find_bar.show_hit(self._shown)

    def clear(self) -> None:
        self._shown = None
        self.area.clear()
        self.find_bar.show_hit(None)

    def set_scheme(self, scheme: ColorScheme) -> None:
        self.area.set_scheme(scheme)

    def set_zoom(self, zoom: float) -> None:
        self.area.set_zoom(zoom)

    def figure(self) -> Figure | None:
        """Return the whole alignment, for a picture; `InvalidParameter` if it is too large for one."""
        if self._shown is None:
            return None
        area = self.area
        return Figure(self._shown.hit, area.alignment_layout, area.scheme, second=area.second, logos=area.logos)


class TextView(View):
    """The alignment as text, to be read aloud, selected or copied."""

    name, title, tip = "text", "Plain text", "The alignment as plain text"
    in_menu = True
    has_picture = False

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownHit | None = None
        self.area: QPlainTextEdit = text_view(
            "alignmentText",
            "Alignment as text",
            "The alignment as plain text, to be read aloud, selected or copied",
        )
        by_mouse, by_keys = (
            Qt.TextInteractionFlag.TextSelectableByMouse,
            Qt.TextInteractionFlag.TextSelectableByKeyboard,
        )
        self.area.setTextInteractionFlags(by_mouse | by_keys)
        self.setFocusProxy(self.area)
        in_column((self.area, 1), parent=self)

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        self._shown = found[current]
        self.renew()

    def clear(self) -> None:
        self._shown = None

    def compute(self) -> None:
        if (shown := self._shown) is not None:
            layout = lay_out_rows(shown.hit, shown.scheme)
            self.area.setPlainText(text_form.whole_text(shown.hit, layout, shown.scheme.alphabet))
