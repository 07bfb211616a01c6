"""The Results page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Command, Page, PageHelp, PageWidget, Services, Std, needs

HELP = PageHelp(
    "The Results page",
    """<p>Queries are on the left, the hits of the current one next to them, and the alignment of the current hit
below. The bars above the table show where on the query the hits lie; drag over them to see only hits that cover a
region.</p>
<ul>
<li>Up and Down (or K and J) go from hit to hit, Return goes to the alignment, Escape back. Typing jumps to a name;
type a slash first for names that begin with S, H, N, J or K, which are commands.</li>
<li>A triangle next to the rank marks subjects with several alignments: Right or a click on it unfolds them, Left
folds them. Alt+Right and Alt+Left step through them below the table.</li>
<li>Space ticks hits, to export them together, S gives a star, H hides, N writes a note. All of it can be undone, and
is kept with the search.</li>
<li>A click on a head sorts; the panel Filters has limits for every number, the box above the table finds words. The
menu next to Export has the columns, copies and print; View below the table has colours, copies and figures.</li>
<li>The head of the page says how many hits are more than chance, the line above an alignment and the panel Details
why, and what to do in doubt. Grey hits are not significant. Drag the dashed line to move the limit.</li>
<li><b>Find distant relatives</b> shows the members of the next profile, with tick boxes, and the inclusion E. It runs
one round or several, and can look deeper. The line of rounds sums up each round, and Family below the table aligns all
sequences that the last round included, with their <i>Inclusion E</i>. E in the list comes from the last round; for a
member of the profile that was included with E above 0.001 it comes from a profile made without that sequence.</li>
<li>Export writes the shown, selected, ticked or starred hits in any format; How was this done, in the menu next to
it, writes the paragraph for a paper.</li>
</ul>""",
    "howto/is-this-hit-real",
    ("&Results", "&View", "&View/&Alignment", "&Edit"),
)
COMMANDS = (
    Command("find-distant", "Find distant relat&ives…", "Search again with a profile of the hits, as PSI-BLAST does",
            "&Results", "again.ask", icon="search", group=3, needs=needs("result")),
    Command("look-deeper", "&Look deeper…", "Compare profiles, search through the hits, Forward scores of HMMER",
            "&Results", "again.look_deeper", group=3, needs=needs("result")),
    Command("hits-network", "Similarit&y network of these hits", "Compare the query and the hits, or several selected "
            "ones, all against all, and draw which are similar", "&Results", "output.make_network", icon="network",
            group=3, needs=needs("result")),
    Command("rounds-figures", "Statistics of the r&ounds…", "Statistics of each round, and whether E-values are right",
            "&Results", "rounds.show_figures", group=3, needs=needs("result")),
    Command("weaker-alignment", "Look for a wea&ker alignment", "Another alignment of the same query and subject, "
            "below the limits of the search", "&Results", "alignment.alignments.find_weaker", group=3,
            needs=needs("result")),
    Command("next-hit", "&Next hit", "Go to the next hit of the table", "&Results", "hits.table.step", (1,),
            keys=("Alt+Down",), group=1, needs=needs("result")),
    Command("previous-hit", "&Previous hit", "Go to the hit above", "&Results", "hits.table.step", (-1,),
            keys=("Alt+Up",), group=1, needs=needs("result")),
    Command("next-alignment", "Nex&t alignment", "Go to the next alignment of the same query and subject", "&Results",
            "alignment.alignments.step", (1,), keys=("Alt+Right",), group=1, needs=needs("result")),
    Command("previous-alignment", "Pre&vious alignment", "Go to the alignment before of the same query and subject",
            "&Results", "alignment.alignments.step", (-1,), keys=("Alt+Left",), group=1, needs=needs("result")),
    Command("next-query", "Next &query", "Go to the next query of the list", "&Results", "queries.step", (1,),
            keys=("Ctrl+PgDown",), group=1, needs=needs("result")),
    Command("previous-query", "Previous q&uery", "Go to the query above", "&Results", "queries.step", (-1,),
            keys=("Ctrl+PgUp",), group=1, needs=needs("result")),
    Command("star", "Sta&r", "Give the selected hits a star, or take it off", "&Results",
            "hits.table.toggle", ("starred",), keys=("S",), group=2, scope="hits.table", needs=needs("result")),
    Command("hide", "Hi&de", "Hide the selected hits, or show them again", "&Results",
            "hits.table.toggle", ("hidden",), keys=("H",), group=2, scope="hits.table",
            needs=needs("result")),
    Command("note", "&Write a note…", "Write about the current hit; the note is kept with the search", "&Results",
            "note_wanted.emit", keys=("N",), group=2, scope="hits.table",
            needs=needs("result")),
    Command("copy-rows", "&Copy hits", "Copy the selected hits as a table", "&Results", "output.copy_rows",
            keys=(Std.Copy,), icon="copy", group=2, scope="hits.table", needs=needs("result")),
    Command("copy-fasta", "Copy as FA&STA", "Copy the whole sequences of the selected hits", "&Results",
            "output.copy_fasta", keys=("Ctrl+Shift+C",), group=2, needs=needs("result")),
    Command("copy-identifiers", "Copy &accessions", "Copy the accessions of the selected hits, one per line",
            "&Results", "output.copy_identifiers", group=2, needs=needs("result")),
)  # fmt: skip
WHY_NOT = {
    "result": "Not now: no result of a search is shown.",
}
ANSWERS = {
    "save-search": Answer("save_wanted.emit", needs("result"),
                          tip="Save the current result in one file, which opens on any computer"),
    "export": Answer("output.export", needs("result"), tip="Write hits, alignments or sequences to a file"),
    "figure": Answer("alignment.pictures.save_as", needs("result"),
                     tip="Save the alignment or plot that is shown as PNG, SVG or PDF"),
    "methods": Answer("output.methods", needs("result")),
    "print": Answer("output.print_", needs("result"), tip="Print the hits and the alignment that is shown"),
    "show-locus": Answer("show_on_sequence", needs("result")),
    "find-hit": Answer("focus_search", needs("result"), text="&Find in hits",
                       tip="Filter the hits by name, description or organism"),
}  # fmt: skip


def make(services: Services) -> PageWidget:
    from swgui.gui.inputs.features import FeatureChoice
    from swgui.gui.inputs.marks import marks_of
    from swgui.gui.results.page import ResultsPage

    choice = services.shared(FeatureChoice, lambda: FeatureChoice(services.tasks))
    page = ResultsPage(services.tasks, choice=choice, shared=marks_of(services))
    page.use_settings(services.settings.results)
    return page


PAGE = Page(
    "results",
    "Results",
    "&Results page",
    "Go to the Results page",
    "results",
    make,
    HELP,
    COMMANDS,
    WHY_NOT,
    answers=ANSWERS,
)
