"""The Help menu: help of the page, documentation, tour, keys, version and licence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from html import escape
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QDesktopServices,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QHeaderView,
    QPushButton,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QWhatsThis,
    QWidget,
)

import swgui
from swgui import paths
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.pages import PageHelp
from swgui.gui.kit.theme import colours, grid, set_role
from swgui.gui.kit.widgets import described, line_edit, push_button, text_label
from swgui.gui.window.actions import ActionTable, Frame
from swgui.gui.window.messages.notifications import Notifications
from swgui.settings import Settings

ABOUT = f"""
<h2>swgui {swgui.__version__}</h2>
<p>Exact Smith-Waterman search of sequence databases, on a GPU where there is one.<br>
Free software under the BSD 3-Clause licence, without any warranty.</p>
<p>Method: T. F. Smith and M. S. Waterman, J. Mol. Biol. 147:195 (1981), with affine gaps as in O. Gotoh,
J. Mol. Biol. 162:705 (1982). E-values: S. Karlin and S. F. Altschul, PNAS 87:2264 (1990). File &gt; Methods text
writes what to cite for a search.</p>
<p>Built on Python, NumPy, Biopython, msgspec, Qt for Python (LGPL), pyqtgraph and CuPy.</p>
"""
WIDTH = 48  # of a balloon, in grid units
LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Pages(QTextBrowser):
    """Shows pictures of a page no wider than itself."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return a picture that fits; anything else as it is."""
        found = super().loadResource(kind, name)
        picture = QImage.fromData(found) if kind == QTextDocument.ResourceType.ImageResource.value else QImage()
        room = self.viewport().width() - grid(4)
        if picture.width() <= room:
            return found
        return picture.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)


class TextDialog(Dialog):
    """Shows a text to read."""

    def __init__(self, title: str, html: str, parent: QWidget, size: tuple[int, int] = (95, 80)) -> None:
        super().__init__("textDialog", title, parent, size=size)
        self.browser = Pages()
        self.browser.setAccessibleName(title)
        self.browser.setHtml(html)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.buttons.rejected.connect(self.reject)
        in_column(self.browser, self.buttons, margins=2, parent=self)


class HelpDialog(TextDialog):
    """Help of one page, and the keys of all commands."""

    documentation_wanted = Signal(str)  # name of a page of the documentation

    def __init__(self, actions: ActionTable, about: PageHelp, parent: QWidget) -> None:
        super().__init__("Help and keys", help_text(actions, about), parent)
        self.setObjectName("helpDialog")
        more = self.buttons.addButton("Documentation", QDialogButtonBox.ButtonRole.HelpRole)
        more.setObjectName("helpDocumentation")
        more.setToolTip("Open the documentation of this page; it needs no network")
        more.clicked.connect(lambda: self.documentation_wanted.emit(about.document))


class DocumentDialog(TextDialog):
    """Shows a page of the documentation that was not built: its Markdown source."""

    def __init__(self, path: Path, parent: QWidget) -> None:
        super().__init__("Documentation", "", parent, (110, 90))
        self.setObjectName("documentDialog")
        self.browser.setOpenExternalLinks(True)
        self._path = path

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._load)  # once it has the width for its pictures

    def _load(self) -> None:
        if self.browser.source().isEmpty():
            self.browser.setSource(QUrl.fromLocalFile(str(self._path)))


def help_text(actions: ActionTable, about: PageHelp) -> str:
    """Return the help of a page with its commands, then all others, their keys and purpose, by menu."""
    own = [command.menu for command in actions.commands.values() if command.menu in about.menus]
    others = [command.menu for command in actions.commands.values() if command.menu not in about.menus]
    parts = [f"<h2>{about.title}</h2>", about.text, "<h2>Commands and keys of this page</h2>"]
    parts += [_menu(actions, menu) for menu in dict.fromkeys(own)]
    parts.append("<h2>All other commands and keys</h2>")
    parts += [_menu(actions, menu) for menu in dict.fromkeys(others)]
    return "".join(parts)


def _menu(actions: ActionTable, menu: str) -> str:
    rows = []
    for identifier, command in actions.commands.items():
        if command.menu == menu:
            keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in actions[identifier].shortcuts()]
            rows.append(
                f"<tr><td width='24%'><b>{escape(command.text.replace('&', ''))}</b></td>"
                f"<td width='24%'>{escape(' or '.join(keys))}</td><td>{escape(command.tip)}</td></tr>"
            )
    title = " › ".join(part.replace("&", "") for part in menu.split("/"))
    return f"<h3>{escape(title)}</h3><table width='100%' cellspacing='4'>{''.join(rows)}</table>"


def sections_text(sections: list[tuple[str, str]]) -> str:
    parts = [f"<h3>{escape(title)}</h3><p>{escape(text).replace(chr(10), '<br>')}</p>" for title, text in sections]
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Tip:
    """One step of the guided tour."""

    page: str  # page it is about
    target: str  # its widget, as a path of attributes from the window
    title: str
    text: str
    command: str = ""  # action of its button, if it can run; the tour continues with the result


STEPS = (
    Tip("search", "search_page.query", "Your sequences", "Paste them here, open a file, or drop one anywhere on the "
         "window. The sequences are then listed below the box, with every change made to them. "
         "'Use the sample' puts an example here."),
    Tip("search", "search_page.database", "The database", "A database file, or any sequence file: it is "
         "converted once. The Databases page builds, checks and updates them."),
    Tip("search", "search_page.search_button", "Search", "Keep the sample, or put in your own sequences and database "
         "first: the tour waits, and continues with your result. The sentence next to the button describes the "
         "search and estimates its time. Every sequence is scored exactly; nothing is skipped. Ctrl+Return "
         "presses it, too.", "run"),
    Tip("results", "results_page.hits", "The hits", "The line above them says how many are more than chance: E says "
         "how often chance gives a hit as good, and grey hits are not significant. Up and Down go from hit to hit, "
         "Space ticks, S gives a star, H hides, N writes a note. Filters are above the table, Columns under ⋯."),
    Tip("results", "results_page.alignment", "The alignment", "The current hit: as a pair, with all hits on the "
         "query, or as a dot plot. View has more: colours, plain text, copies and figures. Details says what the hit "
         "may be, with links."),
    Tip("runs", "runs_page.table", "All runs", "Each search is kept here, and can be resumed after a crash. "
         "F1 explains every page, Ctrl+Shift+P finds any command. That is all."),
)  # fmt: skip


class Tour(QObject):
    """Shows one step after the other; the settings remember the step."""

    def __init__(self, window: Frame, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._display = settings.display
        self._before: QWidget | None = None
        self.balloon: Balloon | None = None
        self._searching = False  # whether the tour continues with a result
        window.pages.turned.connect(self._turned)

    @property
    def running(self) -> bool:
        return self.balloon is not None

    def start(self) -> None:
        """Begin, or continue with the step where the user left; after the last one from the start."""
        if self.balloon is not None:
            self.balloon.next_button.setFocus()
            return
        self._before = self._window.focusWidget()
        self.balloon = Balloon(self._window)
        self.balloon.move_wanted.connect(self.go_by)
        self.balloon.next_button.clicked.connect(self.press)
        self.balloon.leave_wanted.connect(self.leave)
        self._window.installEventFilter(self)
        self.go(self._display.tour_step if self._display.tour_step < len(STEPS) else 0)

    def press(self) -> None:
        """Carry out the command of the step, if it has one that can run now; else show the next step."""
        step = STEPS[self._display.tour_step]
        if step.command and self._window.actions_table[step.command].isEnabled():
            self._searching = True
            self._window.actions_table[step.command].trigger()
        else:
            self.go_by(1)

    def _turned(self, page: str) -> None:
        if self._searching and page == "results":
            self._searching = False
            self.go_by(1)

    def go_by(self, steps: int) -> None:
        """Show a later or an earlier step; after the last one the tour ends."""
        self.go(self._display.tour_step + steps)

    def go(self, number: int) -> None:
        if self.balloon is None:
            return
        self._display.tour_step = max(0, number)
        if number >= len(STEPS):
            self.leave()
            return
        step = STEPS[self._display.tour_step]
        self._window.show_page(step.page)
        self.balloon.show_step(step, self._display.tour_step)
        self._place(self.balloon)
        self.balloon.next_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """End the tour; it resumes at this step."""
        if self.balloon is None:
            return
        self._window.removeEventFilter(self)
        for widget in (self.balloon, self.balloon.ring):
            widget.hide()
            widget.deleteLater()
        self.balloon, self._searching = None, False
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None

    def target(self) -> QWidget:
        """Return the widget of the step; the whole page while the widget is not visible."""
        named = reduce(getattr, STEPS[self._display.tour_step].target.split("."), self._window)
        return named if named.isVisible() else self._window.pages

    def _place(self, balloon: Balloon) -> None:
        target, room = self.target(), self._window.rect()
        area = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size()).intersected(room)
        balloon.ring.setGeometry(area.adjusted(-4, -4, 4, 4).intersected(room))
        balloon.setFixedWidth(min(grid(WIDTH), room.width() - grid(2)))
        balloon.adjustSize()
        size, gap = balloon.size(), grid(1)
        places = (
            QPoint(area.left(), area.bottom() + gap),
            QPoint(area.left(), area.top() - gap - size.height()),
            QPoint(area.right() + gap, area.top()),
            QPoint(area.left() - gap - size.width(), area.top()),
        )
        inside = (corner for corner in places if room.contains(QRect(corner, size)))
        corner = next(inside, QPoint(area.right() - size.width() - gap, area.bottom() - size.height() - gap))
        corner.setX(min(max(corner.x(), gap), max(gap, room.width() - size.width() - gap)))
        corner.setY(min(max(corner.y(), gap), max(gap, room.height() - size.height() - gap)))
        balloon.move(corner)
        for widget in (balloon.ring, balloon):
            widget.show()
            widget.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and self.balloon is not None:
            self._place(self.balloon)
        return False


class Balloon(QFrame):
    """Describes a step; arrow keys and Return move, Escape leaves."""

    move_wanted = Signal(int)  # number of steps forward, or back
    leave_wanted = Signal()  # end the tour for now

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.ring = TargetRing(window)
        self.setObjectName("tourBalloon")
        self.setAccessibleName("Guided tour")
        set_role(self, role="note", tone="info")
        self.setAutoFillBackground(True)
        self._title, self._count = text_label(name="tourTitle", level="heading"), text_label(level="muted")
        self._text = text_label("", "tourText", wrap=True)
        self.leave_button = push_button(
            "tourLeave",
            "Leave the tour",
            "Help › Guided tour continues with this step",
            self.leave_wanted,
            role="quiet",
        )
        self.back_button = push_button("tourBack", "Back", does=lambda: self.move_wanted.emit(-1))
        self.next_button = push_button("tourNext", "", role="primary")
        for button in (self.leave_button, self.back_button, self.next_button):
            button.installEventFilter(self)
        in_column(
            in_row((self._title, 1), self._count),
            self._text,
            in_row(self.leave_button, 1, self.back_button, self.next_button),
            margins=1.5,
            parent=self,
        )

    def show_step(self, step: Tip, number: int) -> None:
        self._title.setText(step.title)
        self._text.setText(step.text)
        self._count.setText(f"{number + 1} / {len(STEPS)}")
        self.setAccessibleDescription(f"{step.title}. {step.text}")
        self.back_button.setEnabled(number > 0)
        last = number + 1 == len(STEPS)
        self.next_button.setText("Search now" if step.command else "Done" if last else "Next")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        match event.key():
            case Qt.Key.Key_Escape:
                self.leave_wanted.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if isinstance(watched, QPushButton):
                    watched.click()
            case Qt.Key.Key_Right:
                self.move_wanted.emit(1)
            case Qt.Key.Key_Left:
                self.back_button.click()
            case _:
                return False
        return True


class TargetRing(QWidget):
    """A frame around the widget of a step; it takes neither mouse nor keyboard."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours(self).accent), 3))
        painter.drawRoundedRect(self.rect().adjusted(2, 2, -2, -2), grid(0.75), grid(0.75))


class CommandPalette(Dialog):
    """Lists the commands that contain every word typed."""

    def __init__(self, actions: ActionTable, parent: QWidget) -> None:
        super().__init__("commandPalette", "Find a command", parent, size=(70, 50))
        self._actions = actions
        self.box = line_edit(
            "paletteBox", does=self._fill, entered=self._run, hint="Type a command", accessible="Command to find"
        )
        self.box.installEventFilter(self)
        self.list = described(QTreeWidget(), "paletteList", accessible="Commands")
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemClicked.connect(lambda *_: self._run())
        self.list.currentItemChanged.connect(self._describe)
        self._tip = text_label(level="small", wrap=True)
        in_column(self.box, self.list, self._tip, margins=1.5, parent=self)
        self._fill("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in LIST_KEYS:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _fill(self, text: str) -> None:
        words = text.lower().split()
        self.list.clear()
        # Commands with the words in their text come before those with the words in their explanation.
        matches = sorted(
            self._actions.commands.items(),
            key=lambda entry: not all(word in entry[1].plain_text.lower() for word in words),
        )
        for identifier, command in matches:
            action = self._actions[identifier]
            place = f"{command.menu}/{command.plain_text}".replace("&", "")
            if identifier == "palette" or not all(word in f"{place} {command.tip}".lower() for word in words):
                continue
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            item = QTreeWidgetItem(self.list, [place.replace("/", " › "), keys])
            item.setData(0, Qt.ItemDataRole.UserRole, action)
            item.setDisabled(not action.isEnabled())
            if self.list.currentItem() is None and action.isEnabled():
                self.list.setCurrentItem(item)
        self._describe()

    def chosen_action(self) -> QAction | None:
        item = self.list.currentItem()
        return item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None

    def _describe(self) -> None:
        action = self.chosen_action()
        self._tip.setText(action.statusTip() if action else "No command has these words.")

    def _run(self) -> None:
        action = self.chosen_action()
        if action is not None and action.isEnabled():
            self.accept()
            action.trigger()


class HelpDesk(QObject):
    """Commands that explain the program."""

    def __init__(self, window: Frame, settings: Settings, notifications: Notifications) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._notifications = notifications
        self.tour = Tour(window, settings)

    def explain_tips(self, part: QWidget) -> None:
        """Make every tool tip of a part of the window reachable by Shift+F1."""
        for widget in part.findChildren(QWidget):
            if widget.toolTip() and not widget.whatsThis():
                widget.setWhatsThis(widget.toolTip())

    def show_help(self) -> HelpDialog:
        window = self._window
        dialog = HelpDialog(window.actions_table, window.pages.records[window.page].help, window)
        dialog.documentation_wanted.connect(self.open_documentation)
        dialog.open()
        return dialog

    def show_documentation(self) -> None:
        self.open_documentation("index")

    def open_documentation(self, name: str) -> None:
        """Open a page of the documentation, without a network: in the browser, or its text in a window."""
        index = paths.documentation()
        if index is None:
            self._notifications.post(
                "info", "The documentation is not in this installation.", "F1 has the help of every page."
            )
            return
        page = _page(index, name)
        if page.suffix == ".html":
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
        else:
            DocumentDialog(page, self._window).open()

    def start_tour(self) -> None:
        self.tour.start()

    def show_palette(self) -> None:
        palette = CommandPalette(self._window.actions_table, self._window)
        palette.open()
        palette.box.setFocus()

    def whats_this(self) -> None:
        QWhatsThis.enterWhatsThisMode()

    def copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self._notifications.report())
        self._notifications.post(
            "success", "The report was copied.", "It holds versions, devices and the log; no sequences."
        )

    def show_about(self) -> None:
        TextDialog("About swgui", ABOUT, self._window, (70, 44)).open()


def _page(index: Path, name: str) -> Path:
    """Page of the manual by its name below the folder of the first one; the first one if it is not there."""
    page = index.parent / f"{name}{index.suffix}"
    return page if page.is_file() else index
