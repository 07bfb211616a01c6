"""The style sheet of the window, filled in with a theme's colours and distances."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template


def fill(values: Mapping[str, object]) -> str:
    """Return the style sheet; `KeyError` if a value is missing."""
    return Template(_SHEET).substitute(values)


# Arrow and tick images are mid-grey files that stand out on both grounds: Qt cannot recolour them here.
# The arrow of a sorted column stands above its head: beside it, it would cover right-aligned words.
_SHEET = """
QToolTip { background: $base; color: $text; border: 1px solid $control; padding: ${half}px; }

QLabel[level="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[level="heading"] { font-size: ${heading}pt; font-weight: 600; }
QLabel[level="section"] { font-size: ${small}pt; font-weight: 600; color: $muted; }
QLabel[level="muted"] { color: $muted; }
QLabel[level="small"] { color: $muted; font-size: ${small}pt; }
QLabel[tone="warning"] { color: $warning; }
QLabel[tone="danger"] { color: $danger; }
QLabel[tone="success"] { color: $success; }

QFrame[role="card"] { background: $base; border: 1px solid $border; border-radius: ${radius}px; }
QFrame[role="strip"] { background: $base; border: none; border-top: 1px solid $border; }
QFrame[role="note"][tone="info"] {
    background: $accent_soft; border: 1px solid $accent; border-radius: ${radius}px;
}
QFrame[role="note"][tone="success"] {
    background: $success_soft; border: 1px solid $success; border-radius: ${radius}px;
}
QFrame[role="note"][tone="warning"] {
    background: $warning_soft; border: 1px solid $warning; border-radius: ${radius}px;
}
QFrame[role="note"][tone="danger"] {
    background: $danger_soft; border: 1px solid $danger; border-radius: ${radius}px;
}
QLabel[role="chip"] { background: $hover; border-radius: ${radius}px; padding: 2px ${step}px; }
QFrame[role="drop"] { background: $base; border: 1px dashed $control; border-radius: ${radius}px; }
QFrame[role="rule"] { background: $border; border: none; max-height: 1px; min-height: 1px; }

QPushButton {
    background: $button; color: $text; border: 1px solid $control; border-radius: ${radius}px;
    padding: ${half}px ${double}px; min-height: ${double}px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $border; }
QPushButton:focus { border-color: $focus; }
QPushButton:disabled { color: $disabled; border-color: $border; background: $window; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:hover { border-color: $text; }
QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled { background: $hover; color: $disabled; border: 1px solid $border; }
QPushButton[role="quiet"] {
    background: transparent; border: 1px solid transparent; padding: ${half}px ${step}px; color: $accent;
}
QPushButton[role="quiet"][tone="success"] { color: $success; }
QPushButton[role="quiet"][tone="warning"] { color: $warning; }
QPushButton[role="quiet"][tone="danger"] { color: $danger; }
QPushButton[role="quiet"]:hover { background: $hover; }
QPushButton[role="quiet"]:focus { border-color: $focus; }
QPushButton[role="quiet"]:disabled { color: $disabled; }
QPushButton[role="quiet"]::menu-indicator { right: 0px; }
QPushButton::menu-indicator {
    image: url("$icons/arrow-down.svg"); width: ${arrow}px; height: ${arrow}px;
    subcontrol-origin: border; subcontrol-position: right center; right: ${step}px;
}

QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }

QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: ${radius}px; padding: ${half}px;
}
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; }
QToolButton:focus { border-color: $focus; }
QToolButton:disabled { color: $disabled; }
QToolButton::menu-indicator { image: none; }
QToolButton#qt_toolbar_ext_button { image: url("$icons/arrow-down.svg"); padding: 0; }
QToolButton[role="rail"] { padding: ${half}px 2px; border-radius: ${radius}px; color: $muted; }
QToolButton[role="rail"]:checked { background: $accent_soft; color: $accent; font-weight: 600; }

QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit {
    background: $base; color: $text; border: 1px solid $control; border-radius: ${radius}px;
    selection-background-color: $selection; selection-color: $on_selection;
}
QLineEdit, QAbstractSpinBox, QComboBox {
    padding: ${half}px ${step}px; min-height: ${double}px; max-height: ${line}px;
}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit {
    border: none; padding: 0; min-height: 0; max-height: 1000px; background: transparent;
}
QPlainTextEdit, QTextEdit { padding: ${half}px; }
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus {
    border-color: $focus;
}
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled, QPlainTextEdit:disabled {
    color: $disabled; background: $window; border-color: $border;
}
QLineEdit[invalid="true"], QAbstractSpinBox[invalid="true"] { border-color: $danger; }
QComboBox::drop-down { border: none; width: ${double}px; subcontrol-position: right center; right: ${half}px; }
QComboBox::down-arrow { image: url("$icons/arrow-down.svg"); width: ${arrow}px; height: ${arrow}px; }
QComboBox QAbstractItemView { background: $base; border: 1px solid $control; outline: none; padding: 2px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {
    border: none; background: transparent; width: ${double}px;
}
QAbstractSpinBox::up-button { subcontrol-position: top right; margin-top: 2px; margin-right: 2px; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin-bottom: 2px; margin-right: 2px; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $hover; }
QAbstractSpinBox::up-arrow { image: url("$icons/arrow-up.svg"); width: ${step}px; height: ${step}px; }
QAbstractSpinBox::down-arrow { image: url("$icons/arrow-down.svg"); width: ${step}px; height: ${step}px; }

QCheckBox, QRadioButton { spacing: ${step}px; }
QCheckBox::indicator, QAbstractItemView::indicator, QRadioButton::indicator {
    width: ${tick}px; height: ${tick}px; border: 1px solid $control; border-radius: 3px; background: $base;
}
QRadioButton::indicator { border-radius: ${round}px; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked {
    background: $accent; border-color: $accent; image: url("$icons/tick-$tick_tone.svg");
}
QRadioButton::indicator:checked {
    border-color: $accent;
    background: qradialgradient(
        cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0 $on_accent, stop: 0.4 $on_accent, stop: 0.5 $accent, stop: 1 $accent
    );
}
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: $focus; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $border; }

QAbstractItemView {
    background: $base; alternate-background-color: $alternate; selection-background-color: $selection;
    selection-color: $on_selection;
}
QTableView, QListView, QTreeView {
    border: 1px solid $border; border-radius: ${radius}px; gridline-color: $border;
}
QTableView:focus, QListView:focus, QTreeView:focus { border-color: $focus; }
QTableView, QTreeView { outline: 1px solid $focus; }
QHeaderView { background: $window; border: none; }
QHeaderView::section {
    background: $window; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: ${half}px; font-weight: 600;
}
QHeaderView::section:hover { color: $text; background: $hover; }
QHeaderView::up-arrow, QHeaderView::down-arrow {
    subcontrol-origin: border; subcontrol-position: top center; width: ${step}px; height: ${mark}px;
}
QHeaderView::up-arrow { image: url("$icons/arrow-up.svg"); }
QHeaderView::down-arrow { image: url("$icons/arrow-down.svg"); }
QTableCornerButton::section { background: $window; border: none; border-bottom: 1px solid $border; }

QProgressBar {
    background: $hover; border: none; border-radius: ${half}px; min-height: ${step}px;
    max-height: ${step}px; text-align: center;
}
QProgressBar::chunk { background: $accent; border-radius: ${half}px; }

QMainWindow::separator { background: $border; width: 1px; height: 1px; margin: 2px; }
QMainWindow::separator:hover { background: $accent; }
QDockWidget {
    font-size: ${points}pt;
    titlebar-close-icon: url("$icons/dock-close.svg"); titlebar-normal-icon: url("$icons/dock-float.svg");
}
QDockWidget::title {
    background: $window; color: $muted; padding: ${half}px ${step}px; border-top: 1px solid $border;
}
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $border; }
QToolBar {
    background: $window; border: none; border-bottom: 1px solid $border; padding: ${half}px;
    spacing: ${half}px;
}
QToolBar::separator { background: $border; width: 1px; margin: ${half}px; }
QStatusBar { background: $window; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QStatusBar QLabel { padding: 2px ${half}px; }
QMenuBar { background: $window; }
QMenuBar::item { padding: ${half}px ${step}px; background: transparent; border-radius: ${half}px; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $base; border: 1px solid $control; padding: ${half}px; }
QMenu::item { padding: ${half}px ${double}px ${half}px ${double}px; border-radius: ${half}px; }
QMenu::item:selected { background: $selection; color: $on_selection; }
QMenu::item:disabled { color: $disabled; background: transparent; }
QMenu::separator { height: 1px; background: $border; margin: ${half}px; }

QScrollArea { border: none; background: transparent; }
QAbstractScrollArea::corner { border: none; background: transparent; }
QListWidget::item, QTreeWidget::item { padding: ${half}px; }
QScrollBar:vertical { background: transparent; width: ${scroll}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${scroll}px; margin: 0; }
QScrollBar::handle { background: $control; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: ${double}px; }
QScrollBar::handle:horizontal { min-width: ${double}px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar::tab {
    background: transparent; color: $muted; padding: ${half}px ${double}px; border: none;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; font-weight: 600; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { border-color: $focus; }
"""
