"""The tables of pages and of the commands of the window itself, and the order of all commands.

The commands of pages are in their rooms, in ``entry.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from swgui.gui.databases import entry as databases
from swgui.gui.device import entry as device
from swgui.gui.kit.pages import Command, Page, Std, needs
from swgui.gui.locus import entry as locus
from swgui.gui.network import entry as network
from swgui.gui.pair import entry as pair
from swgui.gui.results import entry as results
from swgui.gui.rules import entry as rules
from swgui.gui.runs import entry as runs
from swgui.gui.search import entry as search
from swgui.gui.serve import entry as serve

# Text added to a tool tip while a state is missing that its command needs.
WHY_NOT = {
    "project": "Not now: no project is open.",
    "redo": "Not now: nothing was undone.",
    "running": "Not now: no search is running.",
    "stoppable": "Not now: no search is running.",
    "undo": "Not now: nothing was changed.",
}
MENUS = ("&File", "&Edit", "&Search", "&Rule", "&Results", "&Pair", "&Tools", "&View", "&Window", "&Help")
COMMANDS = (
    Command(
        "new", "&New search", "Empty the query box and start afresh", "&File", "opening.new_search",
        keys=(Std.New,), icon="new",
    ),
    Command(
        "open-query", "&Open query…", "Read the queries from a file: FASTA, GenBank, EMBL, UniProt, FASTQ, plain or gz",
        "&File", "opening.open_query", keys=(Std.Open,), icon="open",
    ),
    Command("forget-recent", "&Clear this list", "Forget which query files and result files were opened; runs stay on "
            "the Runs page", "&File/Open &recent", "recent.forget"),
    Command(
        "open-database", "Choose &database…", "Search in a database file (.swdb) or in any sequence file", "&File",
        "opening.open_database", keys=("Ctrl+D",), icon="database",
    ),
    Command(
        "build-database", "&Build a database…", "Make a database file of one or more sequence files", "&File",
        "opening.build_database", icon="add",
    ),
    Command("open-saved", "Open a saved &result…", "Show a run of any kind that was saved as a file",
            "&File", "runs_page.ask_file", keys=("Ctrl+Shift+O",), icon="open"),
    *(
        Command(f"project-{name}", text, tip, "&File/Pro&ject", f"projects.{does}", group=group, needs=needs(*states))
        for name, text, tip, does, group, states in (
            ("new", "&New project…", "Keep runs, tables, stars and notes in a folder of their own", "ask_new", 0, ()),
            ("open", "&Open project…", "List and keep the runs of a project", "ask_open", 0, ()),
            ("unpack", "Open a pac&ked project…", "Make the folder of a project that was sent to you", "ask_unpack", 0,
             ()),
            ("add", "&Add to the project…", "Add saved runs, databases and tables to the project", "ask_add", 1,
             ("project",)),
            ("note", "No&te on the project…", "Write a note on the whole project", "ask_note", 1, ("project",)),
            ("pack", "&Pack to send…", "Write the project into one file for others", "ask_pack", 1, ("project",)),
            ("close", "&Close the project", "List the runs that belong to no project", "close", 2, ("project",)),
        )
    ),
    Command("save-search", "Sa&ve as…", "Save the current result in one file, which opens on any computer",
            "&File", "", keys=(Std.Save,), icon="save"),
    Command("export", "&Export…", "Write the current result for other programs", "&File", "", keys=("Ctrl+E",),
            icon="export", group=1),
    Command("figure", "Save a &figure…", "Save the current drawing as PNG, SVG or PDF", "&File", "", group=1),
    Command("methods", "&Methods text…", "A paragraph for the methods section of a paper, and what to cite", "&File",
            "", group=1),
    Command("print", "&Print…", "Print the current result", "&File", "", keys=(Std.Print,), group=1),
    Command("sample", "Load the &sample", "Put the sample query and database in place", "&File", "opening.load_sample",
            group=2, icon="sample"),
    Command("quit", "&Quit", "Close the program; a running search is stopped", "&File", "close", keys=("Ctrl+Q",),
            group=3),
    Command("undo", "&Undo", "Undo the last star, note, tick, hidden hit or new name", "&Edit", "undo.undo",
            keys=(Std.Undo,), needs=needs("undo")),
    Command("redo", "&Redo", "Redo the last undone action", "&Edit", "undo.redo", keys=(Std.Redo,),
            needs=needs("redo")),
    Command("paste-query", "&Paste as query", "Replace the query by the text of the clipboard", "&Edit",
            "opening.paste_query", keys=("Ctrl+Shift+V",), icon="paste"),
    Command("find-hit", "&Find", "Find text on the current page", "&Edit", "", keys=(Std.Find,), icon="search",
            group=1),
    Command("run", "&Search", "Run the job that the page describes", "&Search", "", keys=("Ctrl+Return", "Ctrl+Enter"),
            icon="play"),
    Command("queue", "Add to the &queue", "Run this after the waiting runs", "&Search", "",
            keys=("Ctrl+Shift+Return",)),
    Command("stop", "S&top", "Stop the search now and keep the scores so far, marked as partial", "&Search",
            "stop_search", keys=("Ctrl+.",), icon="stop", needs=needs("stoppable")),
    Command("pause", "P&ause", "Pause the search, or resume it; the memory of the device stays in use",
            "&Search", "pause_search", keys=("Ctrl+Shift+.",), icon="pause", checkable=True, needs=needs("running")),
    Command("copy-command", "Copy &command line", "Copy the terminal command that does the same", "&Search", "",
            icon="terminal", group=1),
    Command("copy-python", "Copy as P&ython", "Copy lines of Python that do the same, for scripts and notebooks",
            "&Search", "", icon="copy", group=1),
    Command("edit-search", "&Edit as a new search", "Put queries, settings and database of this result on the Search "
            "page", "&Results", "opening.edit_search", needs=needs("result")),
    Command("find-target", "Find any sub&ject…", "Find any sequence of the database: its score, its rank, and why it "
            "is not listed", "&Results", "tools.find_subject", keys=("Ctrl+T",), needs=needs("result")),
    Command("explain-hit", "&How was this computed?", "The formulas behind the numbers of the current hit, with its "
            "values put in", "&Results", "tools.explain_hit", keys=("Ctrl+I",), needs=needs("result")),
    Command("shuffle-hits", "&Z-values by shuffling…", "Compare the selected hits with shuffles of their own sequences",
            "&Results", "tools.shuffle_hits", needs=needs("result")),
    Command("audit", "&Missed-hit audit…", "Compare a table of BLAST, DIAMOND or MMseqs2 with this exact run",
            "&Results", "tools.audit", needs=needs("result")),
    Command("compare-runs", "Compare with the run &before", "Show new, lost and moved hits of the last two runs",
            "&Results", "tools.compare_runs", needs=needs("result")),
    Command("what-changed", "What chan&ged since?…", "Changes of these hits in a newer release of the database, and "
            "their causes", "&Results", "tools.what_changed", needs=needs("result")),
    Command("watch-search", "Watch &for newer releases…", "Repeat it with each new release of the database, and list "
            "gained, lost and changed hits", "&Results", "tools.watch_search", needs=needs("result")),
    Command("self-check", "&Self-check", "Compare the scores of every engine with those of an independent program",
            "&Tools", "run_self_check", icon="check"),
    Command("probe", "&Look for devices again", "Look once more for GPUs, for example after a driver was installed",
            "&Tools", "search_page.engine.probe_again", icon="refresh"),
    Command("watches", "&Watches…", "Standing queries: the last pass of each, its news, and a pass now", "&Tools",
            "tools.show_watches"),
    Command("features", "Features of se&quences…", "Read genes and other features from a file, for all pages", "&Tools",
            "choose_features", icon="open"),
    Command("covariation", "Co&variation of an alignment…", "Find pairs of columns that change together in a file of "
            "aligned RNA", "&Tools", "show_alignment", icon="open"),
    *(
        Command(f"ask-{kind}", text, tip, "&Tools", "network_link.ask", (kind,), group=1)
        for kind, text, tip in (
            ("leak", "Find l&eaks between two sets…", "Find the nearest training sequence of each test sequence"),
            ("judge", "&Judge clusters…", "Find pairs that a clustering parts or joins wrongly"),
            ("split", "S&plit into parts…", "Make parts with no similar pair between two of them"),
            ("cluster", "Cl&uster…", "Make clusters by a rule, and count how often its promise is broken"),
        )
    ),
    *(
        Command(f"view-{mode}", text, tip, "&View/&Alignment", "results_page.alignment.set_mode", (mode,),
                needs=needs("result"))
        for mode, text, tip in (
            ("wrapped", "&Alignment", "Query and subject, wrapped to the width"),
            ("stacked", "All &hits", "The subjects aligned below the query"),
            ("dots", "&Dot plot", "Query against subject as a dot plot"),
            ("path", "&Score matrix", "The path of the alignment through the matrix of scores"),
            ("text", "Plain &text", "The alignment as plain text"),
        )
    ),
    Command("show-locus", "Show on the se&quence", "Show the chosen place among genes, bases and frames",
            "&View", "", keys=("Ctrl+L",), icon="locus"),
    Command("theme-system", "Like the &system", "Light or dark as the desktop is", "&View/&Theme", "look.use_theme",
            ("system",), choice="theme"),
    Command("theme-light", "&Light", "Dark text on light ground", "&View/&Theme", "look.use_theme", ("light",),
            choice="theme"),
    Command("theme-dark", "&Dark", "Light text on dark ground", "&View/&Theme", "look.use_theme", ("dark",),
            choice="theme"),
    Command("text-larger", "Text &larger", "Make all text larger, up to 200 %", "&View", "look.step_text", (1,),
            keys=(Std.ZoomIn, "Ctrl+="), group=1),
    Command("text-smaller", "Text &smaller", "Make all text smaller, down to 80 %", "&View", "look.step_text", (-1,),
            keys=(Std.ZoomOut,), group=1),
    Command("text-reset", "Text size &100 %", "Give text its usual size", "&View", "look.reset_text", keys=("Ctrl+0",),
            group=1),
    Command("reduced-motion", "Reduce &motion", "Switch animations off; draw running searches once a second",
            "&View", "look.reduce_motion", group=2, checkable=True),
    Command("notify", "&Notify after long runs", "Notify on the desktop when a run of more than ten seconds has ended",
            "&View", "attention.set_wanted", group=2, checkable=True),
    Command("full-screen", "&Full screen", "Use the whole screen", "&View", "look.set_full_screen", keys=("F11",),
            group=2, checkable=True),
    Command("activity", "&Activity", "Show progress, speed and best scores of the run", "&Window", "toggle_activity",
            group=1, icon="speed", keys=("Ctrl+Shift+A",)),
    Command("details", "De&tails", "Show the details of the current hit, and your note on it", "&Window",
            "tools.toggle_details", group=1, keys=("Ctrl+Shift+D",), needs=needs("result")),
    Command("scores", "All s&cores", "Show the scores of all subjects, the rank of any subject, and movable limits",
            "&Window", "tools.toggle_scores", group=1, needs=needs("result")),
    Command("log", "&Log", "Show the log of the program", "&Window", "toggle_log", group=1,
            keys=("Ctrl+Shift+L",)),
    Command("messages", "&Messages…", "Show all messages since the start", "&Window", "show_messages", group=1,
            icon="message", keys=("Ctrl+M",)),
    Command("palette", "&Find a command…", "Type a few letters of any command and run it", "&Window",
            "help_desk.show_palette", group=2, keys=("Ctrl+Shift+P",)),
    Command("reset-layout", "Reset la&yout", "Restore the default layout of panels and window", "&Window",
            "look.reset_layout", group=2),
    Command("help", "&Help and keys", "Purpose of this page, and the keys of every command", "&Help",
            "help_desk.show_help", keys=(Std.HelpContents,), icon="info"),
    Command("documentation", "&Documentation", "Open the documentation; it needs no network", "&Help",
            "help_desk.show_documentation"),
    Command("tour", "&Guided tour", "A tour of the window in six steps; continues where you left it", "&Help",
            "help_desk.start_tour"),
    Command("whats-this", "&What is this?", "Click on anything to read what it is", "&Help", "help_desk.whats_this",
            keys=("Shift+F1",)),
    Command("copy-report", "&Report a problem", "Copy versions, devices and the log, to paste into a report", "&Help",
            "help_desk.copy_report", group=1),
    Command("about", "&About swgui", "Version, licence and libraries", "&Help", "help_desk.show_about",
            group=1),
)  # fmt: skip


PAGES: tuple[Page, ...] = (
    *(search.PAGE, rules.PAGE, results.PAGE, runs.PAGE, pair.PAGE, network.PAGE),
    *(databases.PAGE, locus.PAGE, device.PAGE, serve.PAGE),
)
OWN_MENUS = MENUS.index("&Tools") - 0.5  # place of the menus that only a page knows


def commands_of(pages: Sequence[Page]) -> list[tuple[Command, str]]:
    """Return all commands in the order of the menus, each with the name of its page; empty for the window's own."""
    on_rail = [page.name for page in pages if page.menu == "&Window"]
    keys = {name: (f"Ctrl+{number}",) for number, name in enumerate(on_rail[:9], 1)}
    commands = [
        (Command(f"page-{p.name}", p.command, p.tip, p.menu, "show_page", (p.name,), keys=keys.get(p.name, ())), "")
        for p in pages
    ]
    commands += [(command, "") for command in COMMANDS]
    commands += [(command, page.name) for page in pages for command in page.commands]
    return sorted(commands, key=lambda pair: (_place(pair[0].menu), pair[0].group))


def why_not(pages: Sequence[Page]) -> dict[str, str]:
    """Return the sentence of tool tips for each state that is missing."""
    texts = dict(WHY_NOT)
    for page in pages:
        texts.update(page.why_not)
    return texts


def _place(menu: str) -> float:
    top = menu.partition("/")[0]
    return MENUS.index(top) if top in MENUS else OWN_MENUS
