"""The Network page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Command, Page, PageHelp, PageWidget, Services, answer_by, needs

HELP = PageHelp(
    "The Network page",
    """<p>Compares the sequences of a file <b>all against all</b>. Each dot is a sequence; an edge joins two whose
alignment score reaches the threshold. Every pair is scored and none is left out, however many neighbours a sequence
has. Nucleotides are compared on both strands, unless Strands says otherwise. Proteins may be scored by the
surroundings of their residues (Scores of a residue), which joins more distant relatives.</p>
<ol>
<li>Choose a file of sequences, or a network that was saved.</li>
<li>Move the threshold until families stand apart. The curves show how many edges and clusters each threshold
leaves.</li>
<li>Click a dot to choose it and see its neighbours, double-click for its whole cluster, or choose clusters in the
table. Drag to move, turn the wheel or press + and - to zoom, 0 shows all.</li>
<li>Double-click an edge, or a neighbour in the table, to see the alignment of the two.</li>
<li>Shown: one representative can replace very similar sequences; double-click it to show them.</li>
</ol>
<p>A comparison of more than a minute starts after you confirm it. A comparison waits for the runs before it that
use the same device, and is kept among Runs. Stop shows the pairs compared so far, and Resume compares the rest.</p>
<p>Run on: another computer gets the sequences and compares them, and its result comes here.</p>
<p>The alignment score is defined as by EFI-EST: the larger, the more similar. At 25 the E-value
of the two alone, the pairwise E, is 1e-25 or less. Save writes the whole network for this program, or the part in
view for Cytoscape, Gephi and others.</p>
<p><b>Leaks, splits, clusters</b> answers questions on sets: is a test sequence, or a relative of one, in the training
set; which pairs did a clustering part or join wrongly; how are sequences split without a leak. The answer is a
sentence above the table; the numbers below it list their rows, and a double click aligns the pair of a row.</p>""",
    "howto/networks",
    ("&Network",),
)
COMMANDS = (
    Command("network-open", "&Choose a file…", "Compare the sequences of a file, or open a network", "&Network",
            "ask_file", icon="open"),
    Command("network-stop", "S&top", "End the comparison", "&Network", "stop", icon="stop",
            needs=needs("network-running"), group=1),
    Command("network-resume", "&Resume", "Compare the pairs that are left after a stop", "&Network", "resume",
            icon="play", needs=needs("network-resumable"), group=1),
    Command("network-save", "&Save…", "Write the network, or the run of an answer, to a file", "&Network", "save",
            group=2, icon="save", needs=needs("network-there")),
    Command("network-own", "Add a ta&ble…", "Add columns of your own table: as colours, groups, and in saved files",
            "&Network", "network.ask_table", group=2, needs=needs("network-drawn")),
    Command("network-command", "Copy command &line", "Copy the terminal command that gives the same", "&Network",
            "copy_command", group=2, icon="terminal", needs=needs("network-there")),
    Command("network-all", "Show &all", "Show the whole network", "&Network", "network.show_all", group=3,
            needs=needs("network-drawn")),
    Command("network-chosen", "Show c&hosen sequences", "Zoom to the chosen sequences", "&Network",
            "network.show_chosen", group=3, needs=needs("network-chosen")),
)  # fmt: skip
WHY_NOT = {
    "network-chosen": "Not now: no sequence is chosen on the Network page.",
    "network-drawn": "Not now: no network is shown.",
    "network-resumable": "Not now: there is no stopped comparison to continue.",
    "network-running": "Not now: no sequences are being compared.",
    "network-there": "Not now: this tab of the Network page shows no result yet.",
    "sets-ready": "Not now: the form of leaks, splits and clusters names the missing input.",
}
ANSWERS = {
    "run": Answer("start", needs("sets-ready"), text="Compare", tip="Ask the question of the form"),
    "stop": answer_by(COMMANDS, "network-stop"),
    "open-query": answer_by(COMMANDS, "network-open"),
    "sample": Answer("use_sample", tip="Compare the sample sequences, or fill in the sample of a question"),
    "save-search": answer_by(COMMANDS, "network-save"),
    "export": Answer("export", needs("network-there"),
                     tip="Write the network, or the part in view, or the table of an answer"),
    "figure": Answer("network.output.save_figure", needs("network-drawn"),
                     tip="Save the visible network as SVG, PNG or PDF"),
    "methods": Answer("methods", needs("network-there")),
    "copy-command": answer_by(COMMANDS, "network-command"),
    "copy-python": Answer("copy_python", needs("network-there"),
                          tip="Copy lines of Python that give the same, for scripts and notebooks"),
}  # fmt: skip


def make(services: Services) -> PageWidget:
    from swgui.gui.inputs.marks import marks_of
    from swgui.gui.network.page import NetworkPage
    from swgui.gui.network.requests import Using

    return NetworkPage(Using(services.settings, services.choose_engine, services.history, marks_of(services)))


PAGE = Page(
    "network",
    "Network",
    "&Network page",
    "Compare sequences all against all and draw them",
    "network",
    make,
    HELP,
    COMMANDS,
    WHY_NOT,
    answers=ANSWERS,
)
