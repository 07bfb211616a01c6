"""The Pair page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Command, Page, PageHelp, PageWidget, Services, answer_by, needs

HELP = PageHelp(
    "The Pair page",
    """<p>Aligns two sequences with each other, as long as chromosomes. Open, paste or drop both, or choose <i>Align
as long pair</i> in the menu of a hit. The line next to the button gives lengths, device, memory and time, or
the reason why Align cannot run.</p>
<ul>
<li><b>Local</b> finds the best stretches, <b>global</b> goes from end to end, <b>semi-global</b> leaves end gaps
free. Local mode can list further alignments, which share no pair of aligned residues.</li>
<li>Every method gives the same score. Automatic takes the fastest one; methods of published papers are there for
comparison.</li>
<li>In the map the query runs from left to right, the subject from top to bottom; the bars at its edges show how much
differs. The wheel zooms from genomes to residues, dragging moves, Shift and drag chooses a part, a click goes to the
residues below. Without a mouse: + and − zoom, 0 shows all, arrows move the cursor, Return goes to the residues, Page
Down and Page Up go along the alignment.</li>
<li>F8 goes to the next difference, Shift+F8 to the one before, Ctrl+G to a position.</li>
<li>Several pairs, from files with several sequences or added one by one, wait in the queue of the Runs page with the
searches and are aligned one after another.</li>
<li>Every pair is kept on the Runs page. Stop keeps the results so far; Resume, here or there, continues from
there, also after a crash.</li>
<li>Export writes text, SAM, PAF, MAF, FASTA and lists of differences; a result written as JSON can be opened
on another computer.</li>
</ul>""",
    "howto/pair",
    ("&Pair",),
)
COMMANDS = (
    Command("pair-align", "&Align", "Align the two sequences of the Pair page", "&Pair", "align",
            icon="play", needs=needs("pair-ready")),
    Command("pair-queue", "Add to &queue", "Align the pairs of the Pair page after the runs that are waiting", "&Pair",
            "queue", icon="waiting", needs=needs("pair-described")),
    Command("pair-stop", "S&top", "Stop the alignment of the pair and keep the results so far", "&Pair",
            "stop", icon="stop", needs=needs("pair-running")),
    Command("pair-query", "Open quer&y…", "Read the query of the pair from a file", "&Pair",
            "setup.open_query", group=1, icon="open"),
    Command("pair-subject", "Open s&ubject…", "Read the subject of the pair from a file", "&Pair",
            "setup.open_subject", group=1, icon="open"),
    Command("pair-swap", "S&wap", "Make the query the subject and the subject the query", "&Pair",
            "setup.swap", group=1),
    Command("pair-sample", "Load the &sample", "Take a simulated pair of sequences", "&Pair",
            "setup.load_sample", group=1, icon="sample"),
    Command("pair-command", "Copy &command line", "Copy the terminal command that aligns the same pair", "&Pair",
            "copy_command", group=1, icon="terminal", needs=needs("pair-ready")),
    Command("pair-next", "&Next difference", "Go to the next difference of the two sequences", "&Pair",
            "next_difference", keys=("F8",), group=2, needs=needs("pair-alignment")),
    Command("pair-previous", "&Previous difference", "Go to the difference before", "&Pair",
            "previous_difference", keys=("Shift+F8",), group=2, needs=needs("pair-alignment")),
    Command("pair-position", "&Go to position…", "Type a position of query or subject to go to", "&Pair",
            "result_view.letters_panel.focus_go_to", keys=("Ctrl+G",), group=2,
            needs=needs("pair-alignment")),
    Command("pair-whole", "Whole &map", "Show both sequences from end to end", "&Pair",
            "result_view.map.show_whole", group=2, needs=needs("pair-result")),
    Command("pair-letters", "Sequence at the cu&rsor", "Zoom the map to the sequence around the cursor", "&Pair",
            "result_view.map_panel.show_residues", group=2, needs=needs("pair-result")),
    Command("pair-cigar", "Copy C&IGAR", "Copy the whole CIGAR of the current alignment", "&Pair",
            "result_view.copy_cigar", group=3, icon="copy", needs=needs("pair-alignment")),
    Command("pair-open", "&Open result…", "Show the result of a pair that was exported as JSON", "&Pair",
            "open_result", group=3, icon="open"),
    Command("pair-export", "&Export…", "Write the alignments or the differences of the pair to a file", "&Pair",
            "export", group=3, icon="export", needs=needs("pair-result")),
    Command("pair-figure", "Save a &figure…", "Save the visible map as SVG, PNG or PDF", "&Pair",
            "result_view.map_panel.pictures.save_as", group=3, icon="save", needs=needs("pair-result")),
)  # fmt: skip
WHY_NOT = {
    "pair-alignment": "Not now: no pair has been aligned yet.",
    "pair-described": "Not now: the foot of the Pair page names the missing input.",
    "pair-ready": "Not now: the foot of the Pair page names the missing input.",
    "pair-result": "Not now: no pair has been aligned yet.",
    "pair-running": "Not now: no pair is being aligned.",
}
ANSWERS = {
    "run": answer_by(COMMANDS, "pair-align", text=True),
    "queue": answer_by(COMMANDS, "pair-queue"),
    "stop": answer_by(COMMANDS, "pair-stop"),
    "copy-command": answer_by(COMMANDS, "pair-command"),
    "open-query": answer_by(COMMANDS, "pair-query"),
    "paste-query": Answer("paste_query", tip="Replace the query of the pair by the text of the clipboard"),
    "sample": answer_by(COMMANDS, "pair-sample"),
    "save-search": Answer("save_result", needs("pair-result"),
                          tip="Save the pair in one file (JSON), which opens here on any computer"),
    "export": answer_by(COMMANDS, "pair-export"),
    "figure": answer_by(COMMANDS, "pair-figure"),
    "copy-python": Answer("copy_python", needs("pair-ready"),
                          tip="Copy lines of Python that align the same pair, for scripts and notebooks"),
    "methods": Answer("methods", needs("pair-result")),
    "show-locus": Answer("result_view.show_on_sequence", needs("pair-result")),
}  # fmt: skip


def make(services: Services) -> PageWidget:
    from swgui.gui.inputs.features import FeatureChoice
    from swgui.gui.pair.page import PairPage

    choice = services.shared(FeatureChoice, lambda: FeatureChoice(services.tasks))
    return PairPage(services.settings, services.history, choice)


PAGE = Page(
    "pair",
    "Pair",
    "&Pair page",
    "Align two sequences with each other, as long as chromosomes",
    "pair",
    make,
    HELP,
    COMMANDS,
    WHY_NOT,
    answers=ANSWERS,
)
