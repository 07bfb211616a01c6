"""Every command of the window, as a table; menus, toolbar, palette and the list of keys are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import reduce

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar, QWidget

from swgui.gui.kit import icons
from swgui.gui.kit.theme import Colours
from swgui.gui.kit.translation import tr

Keys = tuple[str | QKeySequence.StandardKey, ...]
Std = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Parameters
    ----------
    id : str
        Also the ``objectName`` of its action.
    text : str
        With ``&`` before the letter that the menu underlines.
    tip : str
        One sentence; shown in tool tips, the status line and the help.
    menu : str
        Title of the menu, ``View/Theme`` for a submenu.
    does : str
        What it calls, as a path of attributes from the window.
    arguments : tuple
        What it is called with.
    keys : tuple
        Shortcuts, the first is shown.
    icon : str
        Name of a drawing in ``resources/icons``.
    group : int
        Commands of one menu with different groups are separated by a line.
    toolbar : bool
        Whether the toolbar has it.
    choice : str
        Name of a set of commands of which one is ticked.
    checkable : bool
        Whether it is switched on and off; called with the new state.
    scope : str
        The widget, as a path of attributes from the window, in which the keys work; everywhere if empty.
    needs : frozenset of str
        States of the window (`MainWindow.states`) without which it is disabled.
    """

    id: str
    text: str
    tip: str
    menu: str
    does: str
    arguments: tuple[object, ...] = ()
    keys: Keys = ()
    icon: str = ""
    group: int = 0
    toolbar: bool = False
    choice: str = ""
    checkable: bool = False
    scope: str = ""
    needs: frozenset[str] = frozenset()

    @property
    def plain_text(self) -> str:
        """The text without the mark for the underlined letter."""
        return self.text.replace("&", "")


# What a tool tip says besides while a state is missing that its command needs.
WHY_NOT = {
    "described": "Not now: the foot of the Search page says what is missing.",
    "pair-alignment": "Not now: no pair has been aligned yet.",
    "pair-ready": "Not now: the foot of the Pair page says what is missing.",
    "pair-result": "Not now: no pair has been aligned yet.",
    "pair-running": "Not now: no pair is being aligned.",
    "query": "Not now: there is no query yet.",
    "redo": "Not now: nothing was taken back.",
    "result": "Not now: there is no result yet.",
    "run": "Not now: the foot of the page says why.",
    "running": "Not now: no search is running.",
    "stop": "Not now: nothing is running.",
    "undo": "Not now: nothing was changed.",
}


def needs(*states: str) -> frozenset[str]:
    """Return the states a command needs."""
    return frozenset(states)


class ActionTable(QObject):
    """The actions of a list of commands.

    Raises
    ------
    AttributeError
        If a command names something the window does not have: a menu has no dead entries.
    """

    def __init__(self, commands: Iterable[Command], window: QWidget) -> None:
        super().__init__(window)
        self.commands = {command.id: command for command in commands}
        self.actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._missing: dict[str, str] = {}  # what each command lacks, empty if nothing
        for command in self.commands.values():
            self.actions[command.id] = self._make(command, window)
            self._set_keys(command.id, self.usual_keys(command.id))

    def __getitem__(self, identifier: str) -> QAction:
        return self.actions[identifier]

    # Keys

    def usual_keys(self, identifier: str) -> list[QKeySequence]:
        """Return the keys a command is shipped with, on this platform."""
        return [part for key in self.commands[identifier].keys for part in _sequences(key)]

    def use_keys(self, changed: Mapping[str, str]) -> None:
        """Give commands the user's own keys, and the usual ones to all others.

        Parameters
        ----------
        changed : Mapping[str, str]
            Command to its keys as portable text, several with ``; `` between them; what is no command is passed over.
        """
        for identifier in self.commands:
            own = changed.get(identifier)
            keys = self.usual_keys(identifier) if own is None else QKeySequence.listFromString(own)
            self._set_keys(identifier, [key for key in keys if not key.isEmpty()])

    def rivals(self, identifier: str, key: QKeySequence) -> list[str]:
        """Return other commands that have a key where this command has its own."""
        scope = self.commands[identifier].scope
        return [
            other
            for other, command in self.commands.items()
            if other != identifier
            and key in self.actions[other].shortcuts()
            and (not scope or not command.scope or scope == command.scope)
        ]

    def _set_keys(self, identifier: str, keys: list[QKeySequence]) -> None:
        self.actions[identifier].setShortcuts(keys)
        self._explain(identifier)

    def update(self, states: Set[str]) -> None:
        """Enable the commands whose needs are met; the tool tips of the others say what is missing."""
        for identifier, command in self.commands.items():
            self._missing[identifier] = next(iter(sorted(command.needs - states)), "")
            self.actions[identifier].setEnabled(not self._missing[identifier])
            self._explain(identifier)

    def _explain(self, identifier: str) -> None:
        action, tip = self.actions[identifier], tr(self.commands[identifier].tip)
        if shown := action.shortcut().toString(QKeySequence.SequenceFormat.NativeText):
            tip += f" ({shown})"
        if missing := self._missing.get(identifier):
            tip += f"\n{tr(WHY_NOT[missing])}"
        action.setToolTip(tip)

    def recolour(self, shades: Colours) -> None:
        """Draw the icons in a theme's colours."""
        for identifier, command in self.commands.items():
            if command.icon:
                self.actions[identifier].setIcon(icons.icon(command.icon, shades))

    def fill_menus(self, bar: QMenuBar) -> None:
        """Make every menu, in the order in which the commands name them."""
        menus: dict[str, QMenu] = {}
        last_group: dict[str, int] = {}
        for command in self.commands.values():
            menu = self._menu(command.menu, bar, menus)
            if last_group.setdefault(command.menu, command.group) != command.group:
                menu.addSeparator()
                last_group[command.menu] = command.group
            menu.addAction(self.actions[command.id])

    def fill_toolbar(self, bar: QToolBar) -> None:
        """Put the commands meant for the toolbar into it, with a line between menus."""
        menu = ""
        for command in self.commands.values():
            if not command.toolbar:
                continue
            if menu and menu != command.menu:
                bar.addSeparator()
            menu = command.menu
            bar.addAction(self.actions[command.id])

    def fill_context(self, menu: QMenu, identifiers: Iterable[str]) -> None:
        """Put some commands into a context menu."""
        for identifier in identifiers:
            menu.addAction(self.actions[identifier])

    def _make(self, command: Command, window: QWidget) -> QAction:
        target: Callable[..., object] = reduce(getattr, command.does.split("."), window)
        action = QAction(tr(command.text), window)
        action.setObjectName(command.id)
        action.setStatusTip(tr(command.tip))
        action.setWhatsThis(tr(command.tip))
        action.setIconText(tr(command.text).replace("&", "").rstrip("…"))
        action.setCheckable(command.checkable or bool(command.choice))
        if command.choice:
            group = self._groups.get(command.choice)
            if group is None:
                group = self._groups[command.choice] = QActionGroup(self)
            group.addAction(action)
        if command.checkable:
            action.toggled.connect(lambda on: target(*command.arguments, on))
        else:
            action.triggered.connect(lambda _checked=False: target(*command.arguments))
        if command.scope:
            # Where the keys mean something else in other places, for example Ctrl+C in a text box.
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            reduce(getattr, command.scope.split("."), window).addAction(action)
        else:
            window.addAction(action)
        return action

    def _menu(self, path: str, bar: QMenuBar, menus: dict[str, QMenu]) -> QMenu:
        if path not in menus:
            parent, _, title = path.rpartition("/")
            menu = (self._menu(parent, bar, menus) if parent else bar).addMenu(tr(title))
            menu.setToolTipsVisible(True)
            menus[path] = menu
        return menus[path]


def _sequences(key: str | Std) -> list[QKeySequence]:
    """Return a key as this platform has it: some standard keys have none, or several."""
    return QKeySequence.keyBindings(key)[:1] if isinstance(key, Std) else [QKeySequence(key)]


COMMANDS = (
    Command(
        "new", "&New search", "Empty the query box and start afresh", "&File", "opening.new_search",
        keys=(Std.New,), icon="new", toolbar=True,
    ),
    Command(
        "open-query", "&Open query…", "Read the queries from a file: FASTA, GenBank, EMBL, UniProt, FASTQ, plain or gz",
        "&File", "opening.open_query", keys=(Std.Open,), icon="open", toolbar=True,
    ),
    Command(
        "open-database", "Choose &database…", "Search in a database file (.swdb) or in any sequence file", "&File",
        "opening.open_database", keys=("Ctrl+D",), icon="database", toolbar=True,
    ),
    Command(
        "build-database", "&Build a database…", "Make a database file of one or more sequence files", "&File",
        "opening.build_database", icon="add",
    ),
    Command("open-saved", "Open a saved sea&rch…", "Show the result in a .swgui file", "&File", "runs_page.ask_file",
            keys=("Ctrl+Shift+O",), icon="open"),
    Command("save-search", "Sa&ve the search as…", "Keep the result that is shown in one file, to be opened anywhere",
            "&File", "opening.save_search", keys=(Std.Save,), icon="save", needs=needs("result")),
    Command("open-foreign", "Open &hits of another program…", "Show a table or XML file of BLAST, DIAMOND or MMseqs2",
            "&File", "tools.open_imported"),
    Command("export", "&Export hits…", "Write hits, alignments or sequences to a file", "&File",
            "results_page.output.export", keys=("Ctrl+E",), icon="export", group=1, toolbar=True,
            needs=needs("result")),
    Command("figure", "Save a &figure…", "Save the alignment or plot that is shown as PNG, SVG or PDF", "&File",
            "results_page.alignment.pictures.save_as", group=1, needs=needs("result")),
    Command("methods", "&Methods text…", "A paragraph for the methods section of a paper, and what to cite", "&File",
            "results_page.output.methods", group=1, needs=needs("result")),
    Command("print", "&Print…", "Print the hits and the alignment that is shown", "&File", "results_page.output.print_",
            keys=(Std.Print,), group=1, needs=needs("result")),
    Command("sample", "Load the &sample", "Put the sample query and database in place", "&File", "opening.load_sample",
            group=2, icon="sample"),
    Command("quit", "&Quit", "Close the program; a running search is stopped", "&File", "close", keys=("Ctrl+Q",),
            group=3),
    Command("undo", "&Undo", "Take back the last star, note, tick, hidden hit or new name", "&Edit", "undo.undo",
            keys=(Std.Undo,), needs=needs("undo")),
    Command("redo", "&Redo", "Do again what was taken back", "&Edit", "undo.redo", keys=(Std.Redo,),
            needs=needs("redo")),
    Command("paste-query", "&Paste as query", "Replace the query by the text of the clipboard", "&Edit",
            "opening.paste_query", keys=("Ctrl+Shift+V",), icon="paste", toolbar=True),
    Command("run", "&Search", "Run the search that the Search page describes", "&Search", "run",
            keys=("Ctrl+Return", "Ctrl+Enter"), icon="play", toolbar=True, needs=needs("run")),
    Command("queue", "Add to the &queue", "Run this search after those that are waiting", "&Search", "queue_search",
            keys=("Ctrl+Shift+Return",), needs=needs("described")),
    Command("stop", "S&top", "End the run now and keep what was scored, marked as partial", "&Search", "stop",
            keys=("Ctrl+.",), icon="stop", toolbar=True, needs=needs("stop")),
    Command("pause", "P&ause", "Let the run rest between two chunks, or go on; the memory of the device stays taken",
            "&Search", "pause_search", keys=("Ctrl+Shift+.",), icon="pause", checkable=True, needs=needs("running")),
    Command("copy-command", "Copy &command line", "Copy the terminal command that does the same search", "&Search",
            "copy_command_line", icon="terminal", group=1, needs=needs("described")),
    Command("input-report", "&Input report…", "Show what was read and every change that was made to the query",
            "&Search", "search_page.show_report", icon="report", group=1, needs=needs("query")),
    Command("find-hit", "&Find in hits", "Filter the hits by name, description or organism", "&Results", "find_hit",
            keys=(Std.Find,), icon="search", needs=needs("result")),
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
    Command("next-hit", "&Next hit", "Go to the next hit of the table", "&Results", "results_page.next_hit",
            keys=("Alt+Down",), group=1, needs=needs("result")),
    Command("previous-hit", "&Previous hit", "Go to the hit above", "&Results", "results_page.previous_hit",
            keys=("Alt+Up",), group=1, needs=needs("result")),
    Command("next-query", "Next &query", "Go to the next query of the list", "&Results", "results_page.next_query",
            keys=("Ctrl+PgDown",), group=1, needs=needs("result")),
    Command("previous-query", "Previous q&uery", "Go to the query above", "&Results", "results_page.previous_query",
            keys=("Ctrl+PgUp",), group=1, needs=needs("result")),
    Command("star", "Sta&r", "Give the selected hits a star, or take it off", "&Results", "results_page.toggle_star",
            keys=("S",), group=2, scope="results_page.hits.table", needs=needs("result")),
    Command("hide", "Hi&de", "Put the selected hits aside, or show them again", "&Results",
            "results_page.toggle_hidden", keys=("H",), group=2, scope="results_page.hits.table",
            needs=needs("result")),
    Command("note", "&Write a note…", "Write about the current hit; the note is kept with the search", "&Results",
            "results_page.note_wanted.emit", keys=("N",), group=2, scope="results_page.hits.table",
            needs=needs("result")),
    Command("copy-rows", "&Copy hits", "Copy the selected hits as a table", "&Results", "results_page.output.copy_rows",
            keys=(Std.Copy,), icon="copy", group=2, scope="results_page.hits.table", needs=needs("result")),
    Command("copy-fasta", "Copy as FA&STA", "Copy the whole sequences of the selected hits", "&Results",
            "results_page.output.copy_fasta", keys=("Ctrl+Shift+C",), group=2, needs=needs("result")),
    Command("copy-identifiers", "Copy &accessions", "Copy the accessions of the selected hits, one per line",
            "&Results", "results_page.output.copy_identifiers", group=2, needs=needs("result")),
    Command("pair-align", "&Align", "Align the two sequences of the Pair page", "&Pair", "pair_page.align",
            icon="play", needs=needs("pair-ready")),
    Command("pair-stop", "S&top", "End the alignment of the pair now and keep what is known", "&Pair",
            "pair_page.stop", icon="stop", needs=needs("pair-running")),
    Command("pair-query", "Open &query…", "Read the query of the pair from a file", "&Pair",
            "pair_page.setup.open_query", group=1, icon="open"),
    Command("pair-subject", "Open s&ubject…", "Read the subject of the pair from a file", "&Pair",
            "pair_page.setup.open_subject", group=1, icon="open"),
    Command("pair-swap", "S&wap", "Make the query the subject and the subject the query", "&Pair",
            "pair_page.setup.swap", group=1),
    Command("pair-sample", "Load the &sample", "Take a simulated pair of sequences", "&Pair",
            "pair_page.setup.load_sample", group=1, icon="sample"),
    Command("pair-command", "Copy &command line", "Copy the terminal command that aligns the same pair", "&Pair",
            "pair_page.copy_command", group=1, icon="terminal", needs=needs("pair-ready")),
    Command("pair-next", "&Next difference", "Go to the next difference of the two sequences", "&Pair",
            "pair_page.next_difference", keys=("F8",), group=2, needs=needs("pair-alignment")),
    Command("pair-previous", "&Previous difference", "Go to the difference before", "&Pair",
            "pair_page.previous_difference", keys=("Shift+F8",), group=2, needs=needs("pair-alignment")),
    Command("pair-position", "&Go to position…", "Type a position of query or target to go to", "&Pair",
            "pair_page.result_view.letters_panel.focus_go_to", keys=("Ctrl+G",), group=2,
            needs=needs("pair-alignment")),
    Command("pair-whole", "Whole &map", "Show both sequences from end to end", "&Pair",
            "pair_page.result_view.map.show_whole", group=2, needs=needs("pair-result")),
    Command("pair-letters", "&Letters", "Zoom the map to the letters around the cursor", "&Pair",
            "pair_page.result_view.map_panel.show_letters", group=2, needs=needs("pair-result")),
    Command("pair-cigar", "Copy C&IGAR", "Copy the whole CIGAR of the current alignment", "&Pair",
            "pair_page.result_view.copy_cigar", group=3, icon="copy", needs=needs("pair-alignment")),
    Command("pair-open", "&Open result…", "Show the result of a pair that was exported as JSON", "&Pair",
            "pair_page.open_result", group=3, icon="open"),
    Command("pair-export", "&Export…", "Write the alignments or the differences of the pair to a file", "&Pair",
            "pair_page.export", group=3, icon="export", needs=needs("pair-result")),
    Command("pair-figure", "Save a &figure…", "Save the map as it is seen as SVG, PNG or PDF", "&Pair",
            "pair_page.result_view.map_panel.save_figure_as", group=3, icon="save", needs=needs("pair-result")),
    Command("self-check", "&Self-check", "Compare the scores of every engine with those of an independent program",
            "&Tools", "run_self_check", icon="check"),
    Command("probe", "&Look for devices again", "Look once more for GPUs, for example after a driver was installed",
            "&Tools", "search_page.engine.probe_again", icon="refresh"),
    *(
        Command(f"view-{mode}", text, tip, "&View/&Alignment", "results_page.alignment.set_mode", (mode,),
                needs=needs("result"))
        for mode, text, tip in (
            ("pair", "&Pair", "Query and subject, wrapped to the width"),
            ("stacked", "&Stacked", "Subjects stacked on the query"),
            ("dots", "&Dot plot", "Query against subject as a dot plot"),
            ("path", "P&ath", "The scoring matrix with the path of the alignment"),
            ("text", "&Text", "The alignment as plain text"),
        )
    ),
    Command("edit-scheme", "&Edit colour scheme…", "Make a colour scheme of your own or change one", "&View",
            "results_page.alignment.edit_scheme", needs=needs("result")),
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
    Command("shortcuts", "&Keys…", "Change the keys of commands", "&View", "help_desk.edit_shortcuts", group=2),
    Command("reduced-motion", "Less &motion", "Let nothing blink or run through; draw running searches once a second",
            "&View", "look.reduce_motion", group=2, checkable=True),
    Command("notify", "&Notify after long runs", "Let the desktop say that a run of more than ten seconds has ended",
            "&View", "attention.set_wanted", group=2, checkable=True),
    Command("full-screen", "&Full screen", "Use the whole screen", "&View", "look.set_full_screen", keys=("F11",),
            group=2, checkable=True),
    Command("page-search", "&Search page", "Go to the Search page", "&Window", "show_page", ("search",),
            keys=("Ctrl+1",)),
    Command("page-results", "&Results page", "Go to the Results page", "&Window", "show_page", ("results",),
            keys=("Ctrl+2",)),
    Command("page-runs", "R&uns page", "The queue, and all runs so far", "&Window", "show_page", ("runs",),
            keys=("Ctrl+3",)),
    Command("page-pair", "&Pair page", "Align two sequences with each other, as long as chromosomes", "&Window",
            "show_page", ("pair",), keys=("Ctrl+4",)),
    Command("page-databases", "Data&bases page", "List, build, update and check databases", "&Window", "show_page",
            ("databases",), keys=("Ctrl+5",)),
    Command("page-device", "&Device page", "Go to the Device page: what can be searched on, and the self-check",
            "&Window", "show_page", ("device",), keys=("Ctrl+6",)),
    Command("activity", "&Activity", "Show progress, speed and best scores of the run", "&Window", "toggle_activity",
            group=1, icon="speed", keys=("Ctrl+Shift+A",)),
    Command("details", "De&tails", "Show all that is known of the current hit, and your note about it", "&Window",
            "tools.toggle_details", group=1, keys=("Ctrl+Shift+D",)),
    Command("scores", "All s&cores", "Show the scores of all subjects, any subject's place, and limits that move",
            "&Window", "tools.toggle_scores", group=1),
    Command("log", "&Log", "Show what the program noted while it worked", "&Window", "toggle_log", group=1,
            keys=("Ctrl+Shift+L",)),
    Command("messages", "&Messages…", "Show all messages since the start", "&Window", "show_messages", group=1,
            icon="message", keys=("Ctrl+M",)),
    Command("palette", "&Find a command…", "Type a few letters of any command and run it", "&Window",
            "help_desk.show_palette", group=2, keys=("Ctrl+Shift+P",)),
    Command("reset-layout", "Reset la&yout", "Put panels and window back as they were shipped", "&Window",
            "look.reset_layout", group=2),
    Command("help", "&Help and keys", "What this page is for, and the keys of every command", "&Help",
            "help_desk.show_help", keys=(Std.HelpContents,), icon="info"),
    Command("documentation", "&Documentation", "Open the documentation; it needs no network", "&Help",
            "help_desk.show_documentation"),
    Command("tour", "&Guided tour", "Six balloons that show what is where; goes on where it was left", "&Help",
            "help_desk.start_tour"),
    Command("whats-this", "&What is this?", "Click on anything to read what it is", "&Help", "help_desk.whats_this",
            keys=("Shift+F1",)),
    Command("copy-report", "&Report a problem", "Copy versions, devices and the log, to paste into a report", "&Help",
            "help_desk.copy_report", group=1),
    Command("about", "&About swgui", "Version, licence and what it is built on", "&Help", "help_desk.show_about",
            group=1),
)  # fmt: skip
