"""The Search page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Command, Page, PageHelp, PageWidget, Services, needs

HELP = PageHelp(
    "The Search page",
    """<ol>
<li><b>Query.</b> Paste sequences into the box, open a file, or drop one or several anywhere on the window; those used
before are under Open recent in the File menu. The list below the
box shows the sequences; tick those to search with. <i>Remarks…</i> lists every change.</li>
<li><b>Database.</b> Choose a database file or any sequence file. A sequence file is converted once; the next time it
opens at once.</li>
<li><b>Search.</b> The line next to the button describes the search. Every sequence of the database is scored with the
Smith-Waterman algorithm; nothing is skipped. Stop keeps the scores so far, marked as partial; Pause waits between
two chunks until you resume. While a search runs, Add to queue lets the next one wait for its end.</li>
</ol>
<p>Edit as a new search, in the Results menu, puts queries, settings and database of the result that is shown back on
this page.</p>
<p>A gap of length k costs <i>open + k × extend</i> under the BLAST rule, <i>open + (k − 1) × extend</i> where the
first residue costs the opening alone. The sheet behind Change shows what gaps of 1, 2, 3 and 10 residues cost.</p>
<p>GCUPS are giga cell updates per second: query residues × database residues ÷ seconds ÷ 10<sup>9</sup>.</p>""",
    "tutorial/first-search",
    ("&File", "&Search"),
)
COMMANDS = (
    Command("input-report", "Re&marks…", "Show the query as read, and every change made to it",
            "&Search", "show_report", icon="report", group=1, needs=needs("query")),
)  # fmt: skip
WHY_NOT = {
    "described": "Not now: the foot of the Search page names the missing input.",
    "query": "Not now: there is no query yet.",
    "ready": "Not now: the foot of the Search page says why.",
}
ANSWERS = {
    "run": Answer("search_wanted.emit", needs("ready"), tip="Run the search that the Search page describes"),
    "queue": Answer("queue_wanted.emit", needs("described"), tip="Run this search after those that are waiting"),
    "copy-command": Answer("copy_command_wanted.emit", needs("described"),
                           tip="Copy the terminal command that does the same search"),
    "copy-python": Answer("copy_python_wanted.emit", needs("described"),
                          tip="Copy lines of Python that do the same search, for scripts and notebooks"),
}  # fmt: skip


def make(services: Services) -> PageWidget:
    from swgui.gui.search.page import SearchPage

    return SearchPage(services.settings, services.tasks)


PAGE = Page(
    "search",
    "Search",
    "&Search page",
    "Go to the Search page",
    "search",
    make,
    HELP,
    COMMANDS,
    WHY_NOT,
    answers=ANSWERS,
)
