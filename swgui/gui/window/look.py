"""The look of the window: colours, size of text, full screen, layout, the frame of the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QRect, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QButtonGroup,
    QDockWidget,
    QFrame,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from swgui import paths
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import Fitted, bring_into_sight, in_column, in_row, scrolling
from swgui.gui.kit.motion import application
from swgui.gui.kit.pages import Page, PageWidget, Services
from swgui.gui.kit.theme import Theme, colours, grid, set_role
from swgui.gui.kit.widgets import text_label, tool_button
from swgui.settings import Settings

MIN_BUTTON = 5.25  # grid units of a button of the rail whose name is below its picture
ON_RAIL = "&Window"  # menu of the pages that have a button there
W = TypeVar("W", bound=QWidget)
SIDE = 36  # grid units; the width of a dock next to a page
BESIDE = 90  # grid units; the width of the window below which a dock takes the place of the page
VERSION = 2  # of the docks; a stored layout of another version is not restored
SIZE = (160, 108)  # of a new window, in grid units
FRAME = (2, 5)  # frame of the desktop around a window, in grid units at most
DOCK_SHARE = 0.28  # of the height of the window, for the dock below the pages, until the user drags its edge
DOCK_LOWEST, DOCK_USEFUL, DOCK_HIGHEST = 14, 30, 44  # grid units: progress alone, with curves, and the most of it
WIDTH = 2
MOVES = {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Hide, QEvent.Type.Show}


class Rail(QScrollArea):
    """As wide as its buttons, and scrolling where large text leaves no room for all of them."""

    chosen = Signal(str)  # name of the page whose button was pressed

    def __init__(self, pages: Iterable[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        strip = self._strip = QFrame()
        strip.setObjectName("rail")
        group = self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        for number, (name, title, icon) in enumerate(pages, 1):
            button = tool_button(f"rail-{name}", title, f"{title} (Ctrl+{number})", icon=icon, checkable=True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            set_role(button, role="rail")
            button.clicked.connect(lambda _checked=False, page=name: self.chosen.emit(page))
            group.addButton(button)
            self.buttons[name] = button
        in_column(*self.buttons.values(), 1, margins=(0.5, 1, 0.5, 1), spacing=0.5, parent=strip)
        self.setWidget(strip)

    def choose(self, name: str) -> None:
        """Press the button of a page; none for a page that is reached by a menu alone."""
        button = self.buttons.get(name)
        self._group.setExclusive(button is not None)
        for other in self.buttons.values():
            other.setChecked(other is button)
        if button is not None:
            self.ensureWidgetVisible(button)

    def restyle(self) -> None:
        """Give the buttons their size; names stand next to the pictures where large text needs the room below."""
        style, room = Qt.ToolButtonStyle, (self.height() - grid(2)) / len(self.buttons) - grid(0.5)
        low = room < grid(MIN_BUTTON)
        picture = grid(2 if room < grid(MIN_BUTTON + 1) else 3)
        for button in self.buttons.values():
            button.setToolButtonStyle(style.ToolButtonTextBesideIcon if low else style.ToolButtonTextUnderIcon)
            button.setIconSize(QSize(picture, picture))
            height = grid(3.25) if low else int(min(room, grid(7.5)))
            button.setMinimumSize(max(grid(10), button.sizeHint().width()), height)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(self._strip.minimumSizeHint().width(), self._strip.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._strip.minimumSizeHint().width(), grid(8))


class PageStack(QWidget):
    """One page at a time, with the rail on its left. A page is made when it is first needed."""

    turned = Signal(str)  # name of the page that is shown now
    made = Signal(str)  # name of a page that was just made

    def __init__(self, pages: Sequence[Page], services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.records = {page.name: page for page in pages}
        self.widgets: dict[str, PageWidget] = {}  # those that are made
        self._services = services
        self._once_made: dict[str, list[Callable[[Any], object]]] = {}
        self._stack = QStackedWidget()
        self._places = {page.name: QWidget() for page in pages}  # an empty one until the page is made
        for place in self._places.values():
            self._stack.addWidget(place)
        self.rail = Rail([(page.name, page.title, page.icon) for page in pages if page.menu == ON_RAIL])
        self.rail.chosen.connect(self.show_page)
        in_row(self.rail, (self._stack, 1), spacing=0, parent=self)

    @property
    def page(self) -> str:
        return next(name for name, place in self._places.items() if place is self._stack.currentWidget())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all pages, from top to bottom."""
        return tuple(self._places)

    @property
    def states(self) -> set[str]:
        """States of the current page in which commands can run, as commands name them."""
        return self[self.page].states()

    @property
    def strip_height(self) -> int:
        """Height in pixels of the strip at the lower edge of the page that is shown."""
        return self[self.page].strip_height

    @property
    def put_aside(self) -> bool:
        """Whether the rail alone is shown: something else has the place of the page."""
        return self._stack.isHidden()

    @put_aside.setter
    def put_aside(self, on: bool) -> None:
        focus = self._stack.focusWidget()
        if on and focus is not None and focus.hasFocus():
            focus.clearFocus()  # or Qt moves it as the Tab key does
        self._stack.setHidden(on)

    def __getitem__(self, name: str) -> PageWidget:
        """Return a page; it is made if it was not yet."""
        self.ensure(name)
        return self.widgets[name]

    def ensure(self, name: str) -> None:
        if name not in self.widgets:
            self._make(name)

    def place(self, name: str) -> QWidget:
        """Return the widget of a page in the stack: the page, its scroll area, or None yet."""
        return self._places[name]

    def once_made(self, name: str, use: Callable[[Any], object]) -> None:
        """Call a function with a page: now if it exists, otherwise as soon as it is made, before it is visible."""
        if name in self.widgets:
            use(self.widgets[name])
        else:
            self._once_made.setdefault(name, []).append(use)

    def _make(self, name: str) -> None:
        page, empty = self.records[name], self._places[name]
        widget = self.widgets[name] = page.make(self._services)
        place = self._places[name] = scrolling(Fitted(widget))
        shown = self._stack.currentWidget() is empty
        self._stack.insertWidget(self._stack.indexOf(empty), place)
        if shown:
            self._stack.setCurrentWidget(place)
        self._stack.removeWidget(empty)
        empty.deleteLater()
        for use in self._once_made.pop(name, ()):
            use(widget)
        self.made.emit(name)

    def part(self, kind: type[W]) -> W:
        """Return the page, or the part of a page, of a class; pages are made until it is found.

        Raises
        ------
        LookupError
            If there is none.
        """
        for widget in map(self.__getitem__, (*self.widgets, *self.records)):
            if isinstance(widget, kind):
                return widget
            if (part := widget.findChild(kind)) is not None:
                return part
        raise LookupError(f"No page has a {kind.__name__}.")

    def show_page(self, name: str) -> None:
        self.ensure(name)
        self._stack.setCurrentWidget(self._places[name])
        self.rail.choose(name)
        self.turned.emit(name)

    def restyle(self) -> None:
        self.rail.restyle()
        for widget in self.widgets.values():
            widget.restyle()

    def shutdown(self) -> None:
        """Let every page stop its background work, without waiting."""
        for widget in self.widgets.values():
            widget.shutdown()


class DockTitle(QFrame):
    """The head of a dock; Qt draws its own in the size that text had when the program began."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        set_role(self, role="title")
        name = dock.objectName()
        buttons = (
            tool_button(f"{name}Float", tip="Show it in a window of its own, or put it back", icon="float",
                        does=lambda: dock.setFloating(not dock.isFloating()), accessible="Float"),
            tool_button(f"{name}Close", tip="Close", icon="close", does=dock.close, accessible="Close"),
        )  # fmt: skip
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        title = text_label(dock.windowTitle(), plain=True)
        in_row(title, 1, *buttons, margins=(1.5, 0, 0.5, 0), spacing=0, parent=self)


def add(
    window: QMainWindow,
    name: str,
    title: str,
    widget: QWidget | None = None,
    area: Qt.DockWidgetArea = Qt.DockWidgetArea.BottomDockWidgetArea,
) -> QDockWidget:
    """Put a widget, which may come later, into a dock of the window, hidden at first, and return the dock."""
    dock = QDockWidget(title, window)
    dock.setObjectName(name)
    dock.setTitleBarWidget(DockTitle(dock))
    if widget is not None:
        dock.setWidget(widget)
    window.addDockWidget(area, dock)
    dock.hide()
    return dock


def in_sight(dock: QDockWidget) -> bool:
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


def reveal(dock: QDockWidget) -> None:
    """Show a dock, before others that share its place."""
    dock.show()
    dock.raise_()


def toggle(dock: QDockWidget) -> None:
    dock.hide() if in_sight(dock) else reveal(dock)


def skip_idle_tabs(window: QMainWindow) -> None:
    """Let the Tab key reach the tabs of docks that share a place, and no others: Qt keeps idle ones out of sight."""
    for tabs in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus if tabs.count() > 1 else Qt.FocusPolicy.NoFocus)
        tabs.setAccessibleName("Docks")


class PageDocks(QObject):
    """Docks that belong to one page: hidden while another is shown, and shown again with theirs.

    Floating docks stay in place: they take no room from a page.

    Parameters
    ----------
    page : str
        Name of the page they belong to.
    """

    def __init__(self, pages: PageStack, page: str, docks: tuple[QDockWidget, ...], parent: QObject) -> None:
        super().__init__(parent)
        self._page = page
        self._docks = docks
        self._away: list[QDockWidget] = []  # the one in front last
        pages.turned.connect(self._turned)

    def bring_back(self) -> None:
        away, self._away = self._away, []
        for dock in away:
            reveal(dock)

    def forget(self) -> None:
        self._away = []

    def _turned(self, page: str) -> None:
        if page == self._page:
            self.bring_back()
            return
        open_ones = [dock for dock in self._docks if not dock.isHidden() and not dock.isFloating()]
        open_ones.sort(key=in_sight)
        for dock in open_ones:
            dock.hide()
        self._away += [dock for dock in open_ones if dock not in self._away]


class OneSide(QObject):
    """Shows only one at a time of a page's own side panel and the docks next to it: the page needs its room."""

    def __init__(self, panel: QAbstractButton, docks: tuple[QDockWidget, ...], parent: QObject) -> None:
        super().__init__(parent)
        self._panel, self._docks = panel, docks
        panel.toggled.connect(self._panel_toggled)
        for dock in docks:
            dock.visibilityChanged.connect(lambda on, dock=dock: self._dock_shown(dock, on))

    def _panel_toggled(self, on: bool) -> None:
        for dock in self._docks if on else ():
            if not dock.isFloating():
                dock.hide()

    def _dock_shown(self, dock: QDockWidget, on: bool) -> None:
        if on and not dock.isFloating():
            self._panel.setChecked(False)


class InPlace(QObject):
    """Lets docks at the side take the place of their page where the window is too narrow for both."""

    def __init__(self, window: QMainWindow, pages: PageStack, docks: tuple[QDockWidget, ...]) -> None:
        super().__init__(window)
        self._window, self._pages, self._docks = window, pages, docks
        self._widened = False  # whether they were last shown in the place of the page
        pages.turned.connect(self._turned)
        for dock in docks:
            dock.visibilityChanged.connect(self.settle)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.settle()
        return False

    @property
    def narrow(self) -> bool:
        return self._window.width() < grid(BESIDE)

    def _shown(self) -> list[QDockWidget]:
        return [dock for dock in self._docks if not dock.isHidden() and not dock.isFloating()]

    def _turned(self, _page: str) -> None:
        for dock in self._shown() if self.narrow else ():  # the caller is about to use the page
            dock.hide()

    def settle(self) -> None:
        """Show the page, or its placeholder; called again when the size of text changes."""
        docks = self._shown()
        self._pages.put_aside = bool(docks) and self.narrow
        if docks and (self.narrow or self._widened):
            width = self._window.width() if self.narrow else grid(SIDE)
            self._window.resizeDocks(docks, [width] * len(docks), Qt.Orientation.Horizontal)
            self._widened = self.narrow


class LayoutMemory:
    """Remembers the layout of a window; made once the window has all its docks.

    A splitter is kept only if the user has moved it: the others follow the defaults, also of later versions.

    Parameters
    ----------
    at_need : QDockWidget
        A dock that shows itself when it is needed: it is hidden at every start.
    """

    def __init__(self, window: QMainWindow, at_need: QDockWidget) -> None:
        self._window = window
        self._at_need = at_need
        self._shipped = window.saveState(VERSION)
        self._splitters: dict[str, QSplitter] = {}
        self._as_shipped: dict[str, QByteArray] = {}
        self._ways: dict[str, Qt.Orientation] = {}
        self._moved: set[str] = set()
        self._to_be_sized = False
        at_need.visibilityChanged.connect(self._share_height)
        self.adopt(window)

    def adopt(self, part: QWidget) -> None:
        """Restore the splitters of a new part of the window, and save them from now on."""
        file = self._file()
        for splitter in part.findChildren(QSplitter):
            name = splitter.objectName()
            if not name or name in self._splitters:
                continue
            self._splitters[name] = splitter
            self._as_shipped[name], self._ways[name] = splitter.saveState(), splitter.orientation()
            splitter.splitterMoved.connect(lambda *_place, name=name: self._note(name))
            kept = file.value(f"splitters/{name}")
            if isinstance(kept, QByteArray):
                self._put(name, kept)

    def save(self) -> None:
        file = self._file()
        file.setValue("ui/geometry", self._window.saveGeometry())
        file.setValue("ui/state", self._window.saveState(VERSION))
        file.setValue("ui/docksSized", "no" if self._to_be_sized else "yes")
        for name in self._moved:
            if self._splitters[name].orientation() == self._ways[name]:
                file.setValue(f"splitters/{name}", self._splitters[name].saveState())
        file.sync()

    def restore(self) -> None:
        """Restore the last layout; the default if nothing usable is stored."""
        file, window = self._file(), self._window
        geometry, state = file.value("ui/geometry"), file.value("ui/state")
        if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
            window.resize(self._size())
        restored = isinstance(state, QByteArray) and window.restoreState(state, VERSION)
        self._to_be_sized = not (restored and file.value("ui/docksSized") == "yes")
        self._at_need.hide()
        for dock in window.findChildren(QDockWidget):
            dock.setFloating(False)  # a screen that was removed must not take a dock with it

    def reset(self) -> None:
        self._window.restoreState(self._shipped, VERSION)
        self._window.resize(self._size())
        self._to_be_sized = True
        self._moved.clear()
        self._file().remove("splitters")
        for name, shipped in self._as_shipped.items():
            if self._splitters[name].orientation() == self._ways[name]:
                self._put(name, shipped)

    def _note(self, name: str) -> None:
        """Save a splitter that was moved; not in a narrow window, where sizes are temporary."""
        if self._splitters[name].orientation() == self._ways[name]:
            self._moved.add(name)

    def _put(self, name: str, state: QByteArray) -> None:
        splitter = self._splitters[name]
        width, way = splitter.handleWidth(), splitter.orientation()
        splitter.restoreState(state)
        splitter.setHandleWidth(width)
        splitter.setOrientation(way)

    def _share_height(self, shown: bool) -> None:
        """Leave the pages most of the height when the dock below them first appears, more if curves do not fit."""
        if not (shown and self._to_be_sized):
            return
        self._to_be_sized = False
        share = min(round(DOCK_SHARE * self._window.height()), grid(DOCK_HIGHEST))
        height = share if share >= grid(DOCK_USEFUL) else grid(DOCK_LOWEST)
        self._window.resizeDocks([self._at_need], [height], Qt.Orientation.Vertical)

    def _file(self) -> QSettings:
        return QSettings(str(paths.config_dir() / "window.ini"), QSettings.Format.IniFormat)

    def _size(self) -> QSize:
        room = self._window.screen().availableGeometry().size() - QSize(grid(FRAME[0]), grid(FRAME[1]))
        return QSize(grid(SIZE[0]), grid(SIZE[1])).boundedTo(room)


class Look(QObject):
    """The commands of the View menu that are about the whole window.

    Parameters
    ----------
    at_need : QDockWidget
        A dock that shows itself when it is needed: it is hidden at every start.
    """

    theme_chosen = Signal(str)  # ``system``, ``light`` or ``dark``

    def __init__(
        self, window: QMainWindow, theme: Theme, settings: Settings, at_need: QDockWidget, page_docks: PageDocks
    ) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._settings = settings
        self._at_need = at_need
        self._page_docks = page_docks
        self._memory: LayoutMemory | None = None

    def restore(self) -> None:
        """Restore the last layout; called once, when the window has all its docks."""
        self._memory = LayoutMemory(self._window, self._at_need)
        self._memory.restore()

    def adopt(self, part: QWidget) -> None:
        if self._memory is not None:
            self._memory.adopt(part)

    def save(self) -> None:
        if self._memory is not None:
            self._page_docks.bring_back()
            self._memory.save()

    def use_theme(self, mode: Literal["system", "light", "dark"]) -> None:
        self._settings.display.theme = mode
        self._theme.use(mode)
        self.theme_chosen.emit(self._theme.mode)

    def step_text(self, step: int) -> None:
        """Make all text larger (+1) or smaller (-1)."""
        self._settings.display.text_scale = self._theme.step_scale(step)
        self._window.statusBar().showMessage(f"Text size {self._theme.scale} %", 3000)

    def reset_text(self) -> None:
        self._settings.display.text_scale = 100
        self._theme.use(scale=100)

    def set_full_screen(self, on: bool) -> None:
        self._window.showFullScreen() if on else self._window.showNormal()

    def reduce_motion(self, on: bool) -> None:
        self._settings.display.reduced_motion = on
        motion.reduce(on)

    def reset_layout(self) -> None:
        if self._memory is not None:
            self._page_docks.forget()
            self._memory.reset()


class FocusRing(QWidget):
    """Draws a ring over its window; it takes neither mouse nor keyboard.

    The window sets `by_key` while it moves the focus for the Tab key. Only the control with the ring and its parents
    are watched: a filter on the whole application would cost time with every event.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("focusRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.by_key = False
        self._window, self._application = window, application()
        self.target: QWidget | None = None
        self._watched: list[QWidget] = []  # the control, its parents, and its viewport
        self.hide()
        self._application.focusChanged.connect(self._focus_changed)

    def detach(self) -> None:
        self._watch(None)
        self._application.focusChanged.disconnect(self._focus_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and watched in self._watched[:2]:
            self._watch(None)
        elif event.type() == QEvent.Type.ParentChange:
            self._watch(self.target)
        elif event.type() in MOVES:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours(self).focus), WIDTH))
        inset = WIDTH // 2 + 1
        radius = grid(0.5)
        painter.drawRoundedRect(self.rect().adjusted(inset, inset, -inset, -inset), radius, radius)

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and not (self.by_key and self._window.isAncestorOf(new)):
            new = None
        if new is not None:
            bring_into_sight(new)
        self._watch(new)

    def _watch(self, target: QWidget | None) -> None:
        for widget in filter(isValid, self._watched):
            widget.removeEventFilter(self)
        self.target, self._watched = target, []
        if target is not None:
            mouse = target.viewport() if isinstance(target, QAbstractScrollArea) else target
            self._watched = [target, mouse, *self._around(target)]
        for widget in self._watched:
            widget.installEventFilter(self)
        self._place()

    def _around(self, target: QWidget) -> Iterator[QWidget]:
        """Yield the parents of a control, up to the window: it moves with them."""
        around = target.parentWidget()
        while around is not None and around is not self._window:
            yield around
            around = around.parentWidget()

    def _place(self) -> None:
        target = self.target
        if target is None or not target.isVisible() or not self._window.isAncestorOf(target):
            self.hide()
            return
        frame = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
        # Large areas get the ring inside their edge, where nothing cuts it off.
        large = isinstance(target, QAbstractScrollArea)
        self.setGeometry(frame if large else frame.adjusted(-WIDTH - 1, -WIDTH - 1, WIDTH + 1, WIDTH + 1))
        self.raise_()
        self.show()
