"""The Databases page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Page, PageHelp, PageWidget, Services

HELP = PageHelp(
    "The Databases page",
    """<p>Lists every database the program knows. Build makes one of sequence files and reports problems in
them; Check reads every byte and compares checksums; Update builds it again when the source has changed. Nothing here
deletes a source file.</p>""",
    "howto/databases",
    ("&File",),
)

ANSWERS = {
    "build-database": Answer("add_files"),
    "sample": Answer("add_sample", tip="List the sample database"),
}


def make(services: Services) -> PageWidget:
    from swgui.gui.databases.page import DatabasesPage

    return DatabasesPage(services.settings, services.tasks)


PAGE = Page(
    "databases",
    "Databases",
    "Data&bases page",
    "List, build, update and check databases",
    "database",
    make,
    HELP,
    answers=ANSWERS,
)
