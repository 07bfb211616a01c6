"""Plain widgets, each made and styled in one call; `swgui.gui.kit.layouts` puts them together.

Every widget takes its object name, a tool tip, a name for assistive programs where its text does not tell enough, and
its action. Signals are connected last: values given here call nothing. Distances are in grid units
(`swgui.gui.kit.theme.grid`) and follow the text size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final, TypeVar

from PySide6.QtCore import QObject, QSignalBlocker, Qt, QTimer, SignalInstance
from PySide6.QtGui import QAction, QFont, QKeySequence, QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtGui import Qt as GuiQt  # with what PySide6 declares outside QtCore
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)

from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import keep_fixed, keep_size, set_icon, set_role

Does = Callable[..., object] | SignalInstance
CLICK_SLIP: Final = 4  # pixels that the mouse may move during a click
W = TypeVar("W", bound=QWidget)
S = TypeVar("S", bound=QAbstractSpinBox)
Offer = tuple[str, str, str, str, Callable[[], None], str]  # name, text, icon, tool tip, slot, role


def plain(text: str) -> str:
    """Return a tool tip that shows a text as it is, never as markup."""
    if not GuiQt.mightBeRichText(text):
        return text
    return f"<p style='white-space: pre-wrap'>{escape(text)}</p>"


def described(widget: W, name: str = "", tip: str = "", accessible: str = "") -> W:
    """Give any widget its object name, tool tip and accessible name, where they are not empty, and return it."""
    if name:
        widget.setObjectName(name)
    if tip:
        widget.setToolTip(tip)
    if accessible:
        widget.setAccessibleName(accessible)
    return widget


def text_label(
    text: str = "",
    name: str = "",
    tip: str = "",
    *,
    level: str = "",
    tone: str = "",
    wrap: bool = False,
    plain: bool = False,
    buddy: QWidget | None = None,
    selectable: bool = False,
    centred: bool = False,
    accessible: str = "",
) -> QLabel:
    """Return a label.

    Parameters
    ----------
    level : str
        Of the style sheet: ``title``, ``heading``, ``small``, ``muted``.
    tone : str
        Of the style sheet: ``success``, ``warning``, ``danger``.
    plain : bool
        Whether the text is shown as it is, never as markup; for texts of files and users.
    buddy : QWidget, optional
        Receives the keyboard when the key behind ``&`` is pressed.
    """
    made = described(QLabel(text), name, tip, accessible)
    if plain:
        made.setTextFormat(Qt.TextFormat.PlainText)
    if wrap:
        made.setWordWrap(True)
    if buddy is not None:
        made.setBuddy(buddy)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if centred:
        made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    _style(made, level=level, tone=tone)
    return made


def push_button(
    name: str,
    text: str,
    tip: str = "",
    does: Does | None = None,
    *,
    icon: str = "",
    role: str = "",
    default: bool | None = None,
    accessible: str = "",
) -> QPushButton:
    """Return a button.

    Parameters
    ----------
    icon : str
        Name of a drawing in ``resources/icons``.
    role : str
        Of the style sheet: ``primary``, ``quiet``, or empty.
    default : bool, optional
        In dialogs: True is pressed by Enter, False never, None when it has the focus.
    """
    button = described(QPushButton(text), name, tip, accessible)
    _style(button, role=role)
    if icon:
        set_icon(button, icon)
    if default is not None:
        button.setAutoDefault(default)
        button.setDefault(default)
    if does is not None:
        button.clicked.connect(does)
    return button


def tool_button(
    name: str,
    text: str = "",
    tip: str = "",
    does: Does | None = None,
    *,
    icon: str = "",
    keys: str = "",
    checkable: bool = False,
    accessible: str = "",
) -> QToolButton:
    """Return a small button; a click calls `does`, with the new state if it is `checkable`.

    Parameters
    ----------
    icon : str
        Name of a drawing in ``resources/icons``.
    checkable : bool
        Whether it stays down; then every change calls `does` (``toggled``), also those of the program.
    """
    button = described(QToolButton(), name, tip, accessible)
    button.setText(text)
    button.setCheckable(checkable)
    if icon:
        set_icon(button, icon)
    if keys:
        button.setShortcut(keys)
    if does is not None:
        (button.toggled if checkable else button.clicked).connect(does)
    return button


def check_box(
    name: str, text: str, tip: str = "", does: Does | None = None, *, on: bool = False, accessible: str = ""
) -> QCheckBox:
    """Return a check box; every change calls `does` (``toggled``)."""
    box = described(QCheckBox(text), name, tip, accessible)
    box.setChecked(on)
    if does is not None:
        box.toggled.connect(does)
    return box


def combo_box(
    name: str,
    tip: str = "",
    does: Does | None = None,
    *,
    items: Iterable[tuple[str, object] | tuple[str, object, str]] = (),
    chosen: object = None,
    changed: Does | None = None,
    accessible: str = "",
    characters: int = 0,
) -> QComboBox:
    """Return a box to choose from.

    Parameters
    ----------
    does : callable or signal, optional
        Called when the user chooses (``activated``).
    changed : callable or signal, optional
        Called on every change, also by the program (``currentIndexChanged``).
    characters : int
        Width in characters, whatever the items are; 0 for as wide as the widest.
    """
    box = described(QComboBox(), name, tip, accessible)
    if characters:
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(characters)
    fill_combo(box, items, chosen)
    if does is not None:
        box.activated.connect(does)
    if changed is not None:
        box.currentIndexChanged.connect(changed)
    return box


def shrinkable(box: QComboBox, width: float) -> QComboBox:
    """Let a box be narrower than its longest item, down to a width in grid units, and return it.

    Large text needs this width.
    """
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(6)
    keep_size(box, width=width)
    return box


def fill_combo(
    box: QComboBox, items: Iterable[tuple[str, object] | tuple[str, object, str]], chosen: object = None
) -> None:
    """Replace the items of a box without a signal."""
    blocker = QSignalBlocker(box)
    box.clear()
    for title, value, *tip in items:
        box.addItem(title, value)
        if tip and tip[0]:
            box.setItemData(box.count() - 1, tip[0], Qt.ItemDataRole.ToolTipRole)
    if box.count():
        box.setCurrentIndex(max(0, box.findData(chosen) if chosen is not None else 0))
    blocker.unblock()


def head_items(box: QComboBox, headings: Sequence[str]) -> None:
    """Put headings, which cannot be chosen, above the items of a box; `headings` has one for each item.

    It sends no signal and keeps the choice.
    """
    blocker = QSignalBlocker(box)
    model, font = box.model(), QFont(box.font())
    font.setBold(True)
    assert isinstance(model, QStandardItemModel)
    for place in reversed(range(len(headings))):
        if place and headings[place] == headings[place - 1]:
            continue
        item = QStandardItem(headings[place])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(font)
        model.insertRow(place, item)
    blocker.unblock()


class _SpinBox(QSpinBox):
    """A box whose first step up may be a long one."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first

    def stepBy(self, steps: int) -> None:
        if self._first and steps > 0 and self.value() == self.minimum():
            self.setValue(self._first)
        else:
            super().stepBy(steps)


def spin_box(
    name: str,
    limits: tuple[int, int],
    value: int,
    tip: str = "",
    does: Does | None = None,
    *,
    step: int = 1,
    suffix: str = "",
    special: str = "",
    first: int = 0,
    grouped: bool = False,
    width: float = 0,
    accessible: str = "",
) -> QSpinBox:
    """Return a box for a whole number.

    Parameters
    ----------
    does : callable or signal, optional
        Hears every change (``valueChanged``).
    first : int
        Where the first step up from the least number leads; 0 for one step more.
    width : float
        Least width in grid units, 0 for any.
    """
    box = _SpinBox(first)
    box.setRange(*limits)
    box.setSingleStep(step)
    box.setSuffix(suffix)
    box.setValue(value)
    if special:
        box.setSpecialValueText(special)
    if does is not None:
        box.valueChanged.connect(does)
    return _number(box, name, tip, accessible, grouped, width)


def decimal_box(
    name: str,
    limits: tuple[float, float],
    value: float,
    tip: str = "",
    does: Does | None = None,
    *,
    suffix: str = "",
    accessible: str = "",
) -> QDoubleSpinBox:
    """Return a box for a number with one digit behind the point; see `spin_box`."""
    box = QDoubleSpinBox()
    box.setDecimals(1)
    box.setRange(*limits)
    box.setSuffix(suffix)
    box.setValue(value)
    if does is not None:
        box.valueChanged.connect(does)
    return _number(box, name, tip, accessible, False, 0)


def _number(box: S, name: str, tip: str, accessible: str, grouped: bool, width: float) -> S:
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    if grouped:
        box.setGroupSeparatorShown(True)
    if width:
        keep_size(box, width=width)
    return described(box, name, tip, accessible)


def line_edit(
    name: str,
    tip: str = "",
    does: Does | None = None,
    *,
    text: str = "",
    hint: str = "",
    clear: bool = False,
    right: bool = False,
    entered: Does | None = None,
    edited: Does | None = None,
    width: float = 0,
    accessible: str = "",
) -> QLineEdit:
    """Return a line to type into.

    Parameters
    ----------
    does : callable or signal, optional
        Hears every change (``textChanged``).
    entered : callable or signal, optional
        What Enter does (``returnPressed``).
    edited : callable or signal, optional
        Hears the changes of the user only (``textEdited``).
    width : float
        Least width in grid units, 0 for any.
    """
    line = described(QLineEdit(text), name, tip, accessible)
    line.setPlaceholderText(hint)
    line.setClearButtonEnabled(clear)
    if right:
        line.setAlignment(Qt.AlignmentFlag.AlignRight)
    if width:
        keep_size(line, width=width)
    for signal, heard in ((line.textChanged, does), (line.returnPressed, entered), (line.textEdited, edited)):
        if heard is not None:
            signal.connect(heard)
    return line


def text_view(name: str, accessible: str, tip: str = "", *, fixed: bool = True, wrap: bool = False) -> QPlainTextEdit:
    """Return a text of many lines to read and copy: with a monospaced font if `fixed`, lines broken if `wrap`."""
    view = described(QPlainTextEdit(), name, tip, accessible)
    view.setReadOnly(True)
    if fixed:
        keep_fixed(view)
    if not wrap:
        view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    return view


def progress_bar(name: str, accessible: str, tip: str = "", *, hidden: bool = False) -> QProgressBar:
    """Return a bar without text."""
    bar = described(QProgressBar(), name, tip, accessible)
    bar.setTextVisible(False)
    if hidden:
        bar.hide()
    return bar


def _style(widget: QWidget, **properties: str) -> None:
    if used := {name: value for name, value in properties.items() if value}:
        set_role(widget, **used)


class InsideMenu(QMenu):
    """A menu that stays within the right edge of its window."""

    def showEvent(self, event: QShowEvent) -> None:
        """Move to the left as far as needed, before it is seen."""
        super().showEvent(event)
        if (parent := self.parentWidget()) is not None:
            window = parent.window()
            edge = window.mapToGlobal(window.rect().topRight()).x()
            self.move(max(min(self.x(), edge - self.width()), min(self.x(), window.x())), self.y())


def make_menu(name: str, parent: QWidget) -> QMenu:
    """Return a menu whose commands show their tool tips."""
    menu = InsideMenu(parent)
    menu.setObjectName(name)
    menu.setToolTipsVisible(True)
    return menu


def menu_command(menu: QMenu, name: str, text: str, tip: str, does: Callable[[], object]) -> QAction:
    """Add a command to a menu and return it; `does` is called without the state that Qt hands over."""
    action = menu.addAction(text)
    action.setObjectName(name)
    action.setToolTip(tip)
    action.triggered.connect(lambda _checked=False: does())
    return action


def switch(parent: QObject, name: str, text: str, tip: str, does: Callable[[bool], object]) -> QAction:
    """Return a command that is on or off; every change calls `does`."""
    action = QAction(text, parent)
    action.setObjectName(name)
    action.setToolTip(tip)
    action.setCheckable(True)
    action.toggled.connect(does)
    return action


def key_command(
    widget: QWidget, text: str, keys: QKeySequence | QKeySequence.StandardKey | str, does: Callable[[], object]
) -> QAction:
    """Add a command to a widget that its keys call while it has the focus, and return it."""
    action = QAction(text, widget)
    action.setShortcut(QKeySequence(keys))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda _checked=False: does())
    widget.addAction(action)
    return action


class EmptyBox(QFrame):
    """A title, a sentence and buttons for the next steps, in the middle of a page."""

    def __init__(
        self, name: str, title: str, text: str, buttons: Sequence[QPushButton], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        set_role(self, role="drop")
        self.text = text_label(text, level="muted", wrap=True, centred=True)
        in_column(
            2,
            text_label(title, level="title", centred=True),
            in_row(1, (self.text, 3), 1, spacing=0),
            in_row(1, *buttons, 1),
            3,
            margins=3,
            spacing=1.5,
            parent=self,
        )


def offers(where: str, table: Sequence[Offer]) -> list[QPushButton]:
    """Return buttons of a table; `where` begins their names. Those with a role have no icon."""
    return [
        push_button(
            f"{where}{name}", text, tip, lambda _on=False, slot=slot: slot(), icon="" if role else icon, role=role
        )
        for name, text, icon, tip, slot, role in table
    ]


def delayed(owner: QObject, milliseconds: int, does: Callable[[], object]) -> QTimer:
    """Return a timer that calls `does` once, a while after it was last started."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(does)
    return timer
