"""The Folding server page as the window knows it: help, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Page, PageHelp, PageWidget, Services, needs
from swgui.runs.holding import Holding

HELP = PageHelp(
    "The Folding server page",
    """<p>Programs that fold proteins (ColabFold, Boltz, Chai-1, OpenFold3, Protenix) ask a public server for
alignments. Here they ask this computer instead: nothing leaves it, and there is no limit.</p>
<ol>
<li>Choose a database: UniRef or another one of proteins, and a second one of metagenomes if you have it. With one
of <b>RNA</b> the server aligns RNA, too, on both strands.</li>
<li>Press <b>Start</b>, and copy the line of your program.</li>
<li>Run that in a terminal. Its jobs appear below; <b>Stop job</b> ends one of them, <b>Depth…</b> (or a
double click) shows how many rows cover each residue of one that is done.</li>
</ol>
<p>Your own runs go first: the server waits for them. Jobs that are not done when the window is closed continue
with the next start. The log never holds a sequence.</p>""",
    "howto/structures",
    ("&Tools",),
)

WHY_NOT = {
    "folding-ready": "Not now: choose a database first, or stop the server that runs.",
    "folding-running": "Not now: the folding server does not run.",
}
ANSWERS = {
    "export": Answer("export", tip="Write the jobs that are listed as a table"),
    "run": Answer("start", needs("folding-ready"), text="&Start", tip="Start the folding server"),
    "stop": Answer("stop", needs("folding-running"), tip="Stop the folding server; its jobs wait for the next start"),
}


def make(services: Services) -> PageWidget:
    from swgui.gui.serve.page import FoldingPage

    holding = services.shared(Holding, Holding)
    return FoldingPage(services.settings, services.tasks, services.choose_engine, holding)


PAGE = Page(
    "folding",
    "Folding server",
    "Fol&ding server",
    "Alignments for ColabFold, Boltz and other programs that fold proteins",
    "device",
    make,
    HELP,
    why_not=WHY_NOT,
    menu="&Tools",
    answers=ANSWERS,
)
