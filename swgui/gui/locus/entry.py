"""The Locus page as the window knows it: commands, help, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Page, PageHelp, PageWidget, Services, needs

HELP = PageHelp(
    "The Locus page",
    """<p>Shows a place on its sequence: the hits and places of a result, genes and other features, bases and the six
frames.</p>
<ol>
<li>Choose <b>Show on the sequence</b> at a hit, at a place of a rule or at an alignment of a pair.</li>
<li>Genes come from the database, if it was made of GenBank, EMBL or UniProt entries, or from a file:
<b>Features…</b> reads GFF3 and such entries.</li>
<li>The wheel zooms, dragging moves, a click chooses, a double click fills the view. Page Up and Page Down go from place
to place; 0 shows the whole sequence. Type a position, a range or a gene to go there.</li>
</ol>
<p>The sentence says where the chosen place lies: in which gene and exon, or how far before or after which gene. Export
writes the part in sight as GenBank, GFF3, BED or a picture; <b>Open in</b> shows it in IGV or JBrowse.</p>""",
    "howto/locus",
    ("&Tools",),
)
WHY_NOT = {"locus-shown": "Not now: no place is shown on the Locus page."}
ANSWERS = {
    "export": Answer("export", needs("locus-shown"), tip="Write the part in sight: GenBank, GFF3, BED or a picture"),
    "figure": Answer("save_figure", needs("locus-shown"), tip="Write a picture of the part in sight"),
    "find-hit": Answer("focus_go_to", needs("locus-shown"), tip="Go to a position or a gene"),
}


def make(services: Services) -> PageWidget:
    from swgui.gui.inputs.features import FeatureChoice
    from swgui.gui.locus.page import LocusPage

    choice = services.shared(FeatureChoice, lambda: FeatureChoice(services.tasks))
    return LocusPage(services.settings.locus, services.tasks, choice)


PAGE = Page(
    "locus",
    "Locus",
    "L&ocus page",
    "A place on its sequence, with genes, bases and frames",
    "locus",
    make,
    HELP,
    why_not=WHY_NOT,
    answers=ANSWERS,
)
