"""Help: each page, the keys of every command, documents, and what the program is."""

from __future__ import annotations

from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QWidget

import swgui
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.pages import PageHelp
from swgui.gui.kit.theme import grid
from swgui.gui.window.actions import ActionTable

ABOUT = f"""
<h2>swgui {swgui.__version__}</h2>
<p>Exact Smith-Waterman search of sequence databases, on a GPU where there is one.<br>
Free software under the BSD 3-Clause licence, without any warranty.</p>
<p>Method: T. F. Smith and M. S. Waterman, J. Mol. Biol. 147:195 (1981), with affine gaps as in O. Gotoh,
J. Mol. Biol. 162:705 (1982). E-values: S. Karlin and S. F. Altschul, PNAS 87:2264 (1990). File &gt; Methods text
writes what to cite for a search.</p>
<p>Built on Python, NumPy, Biopython, msgspec, Qt for Python (LGPL), pyqtgraph and CuPy.</p>
"""


class TextDialog(QDialog):
    """Shows a text to read."""

    def __init__(self, title: str, html: str, parent: QWidget, size: tuple[int, int] = (95, 80)) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(grid(size[0]), grid(size[1]))
        self.browser = QTextBrowser()
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
        self.browser.setSource(QUrl.fromLocalFile(str(path)))


def help_text(actions: ActionTable, about: PageHelp) -> str:
    """Return the help of a page with its commands, then all others, their keys and what they do, by menu."""
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
