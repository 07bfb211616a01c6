"""Help: how to search, the keys of every command, and what the program is."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import swgui
from swgui.gui.actions import ActionTable
from swgui.gui.theme import arrange, grid

HOW_TO = """
<h2>How to search</h2>
<ol>
<li><b>Query.</b> Paste sequences into the box, open a file, or drop one anywhere on the window. What was read stands
beside the box; tick what is to be searched. Every letter that was changed is in the input report.</li>
<li><b>Database.</b> Choose a database file or any sequence file. A sequence file is converted once; the next time it
opens at once.</li>
<li><b>Search.</b> The line above the button says what will happen. Every sequence of the database is scored with the
Smith-Waterman algorithm; nothing is skipped. Stop keeps what was scored and marks it as partial.</li>
</ol>
<p>A gap of k residues costs <i>open + k × extend</i> under the BLAST rule, <i>open + (k − 1) × extend</i> where the
first residue costs the opening alone. The Search page shows what gaps of 1, 2, 3 and 10 residues cost.</p>
<p>GCUPS are giga cell updates per second: query residues × database residues ÷ seconds ÷ 10<sup>9</sup>.</p>
"""
ABOUT = f"""
<h2>swgui {swgui.__version__}</h2>
<p>Exact Smith-Waterman search of sequence databases, on a GPU where there is one.<br>
Free software under the BSD 3-Clause licence, without any warranty.</p>
<p>Method: T. F. Smith and M. S. Waterman, J. Mol. Biol. 147:195 (1981), with affine gaps as in O. Gotoh,
J. Mol. Biol. 162:705 (1982). E-values: S. Karlin and S. F. Altschul, PNAS 87:2264 (1990).</p>
<p>Built on Python, NumPy, SciPy, Biopython, Qt for Python (LGPL), pyqtgraph, Opal, parasail and CuPy.</p>
"""


class TextDialog(QDialog):
    """Shows a text to read."""

    def __init__(self, title: str, html: str, parent: QWidget, size: tuple[int, int] = (95, 80)) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(grid(size[0]), grid(size[1]))
        browser = QTextBrowser()
        browser.setAccessibleName(title)
        browser.setHtml(html)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        arrange(layout, 2, 1)
        layout.addWidget(browser)
        layout.addWidget(buttons)


def help_text(actions: ActionTable) -> str:
    """Return the help with all commands, their keys and what they do, by menu."""
    parts = [HOW_TO, "<h2>Commands and keys</h2>"]
    menu = ""
    for identifier, command in actions.commands.items():
        title = command.menu.replace("&", "").replace("/", " › ")
        if title != menu:
            parts.append(("</table>" if menu else "") + f"<h3>{escape(title)}</h3><table width='100%' cellspacing='4'>")
            menu = title
        keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in actions[identifier].shortcuts()]
        parts.append(
            f"<tr><td width='24%'><b>{escape(command.plain_text)}</b></td>"
            f"<td width='24%'>{escape(' or '.join(keys))}</td><td>{escape(command.tip)}</td></tr>"
        )
    return "".join([*parts, "</table>"])


def sections_text(sections: list[tuple[str, str]]) -> str:
    """Return titled plain texts as a page to read."""
    parts = [f"<h3>{escape(title)}</h3><p>{escape(text).replace(chr(10), '<br>')}</p>" for title, text in sections]
    return "".join(parts)
