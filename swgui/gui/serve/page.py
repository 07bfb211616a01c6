"""The Folding server page: which databases, start and stop, the line of each client, and its jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Final, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QTableView, QWidget

from swgui.commands.engine import engine_values
from swgui.commands.serve import serve_arguments
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.devices import is_loopback
from swgui.core.engines import EngineOptions
from swgui.core.words import count
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import card, in_column, in_grid, in_row
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.saving import TABLE_FILES, ask_save_path
from swgui.gui.kit.tables.row_table import row_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, TaskControl
from swgui.gui.kit.theme import keep_fixed, keep_size, set_role
from swgui.gui.kit.widgets import combo_box, fill_combo, line_edit, push_button, shrinkable, text_label
from swgui.gui.serve.depth import ChainDepth, JobDialog, depths_of
from swgui.gui.serve.jobs import JobTable
from swgui.gui.words import wording
from swgui.io.database.library import KnownDatabase, user_databases
from swgui.io.table_files import form_of, write_table
from swgui.io.whole_file import save_bytes
from swgui.runs.holding import Holding
from swgui.serve.server import FoldingServer, client_lines, read_address
from swgui.serve.tables import tickets_table
from swgui.serve.tickets import COMPLETE, FOLDING, Ticket
from swgui.settings import Settings

INTRO: Final = (
    "Makes the alignments that ColabFold, Boltz, Chai-1, OpenFold3 and Protenix request from a public server, on "
    "this computer: no data leave it. Your own runs go first."
)
LOOK_MS: Final = 500
STOP_SECONDS: Final = 0.2  # between two looks whether to stop
NO_JOBS: Final = "Jobs of these programs are listed here once the server runs."
SHOWN: Final = 200  # jobs
WIDTHS: Final = (14, 7, 10, 8.5, 9, 12, 10.5, 9, 6)  # of the columns of jobs
FILES: Final = (
    ("token_file", "&Tokens", "A file with a name and a token in each line: who may use the server"),
    ("certificate", "&Certificate", "The certificate of this computer (PEM)"),
    ("key", "&Key", "The key that belongs to the certificate (PEM)"),
)


class Role(NamedTuple):
    """A database of the server, as the page asks for it."""

    key: str
    title: str
    tip: str
    none: str = "None"  # text of the box without a database
    alphabet: Alphabet = PROTEIN


ROLES: Final = (
    Role("uniref", "&Proteins", "Proteins, as UniRef has them: what uniref.a3m is made of"),
    Role("environment", "&Metagenomes", "Environmental sequences; without them that file has the queries only"),
    Role(
        "pairs",
        "P&airing",
        "Where rows of one organism are looked for; the headers or the database must name organisms",
        "Same as Proteins",
    ),
    Role(
        "bases",
        "&RNA",
        "RNA or DNA, as RNAcentral has it: /ticket/nuclmsa aligns RNA with it, on both strands",
        alphabet=NUCLEOTIDE,
    ),
)


class FoldingPage(PageWidget):
    """Runs a folding server while the window is open."""

    def __init__(
        self,
        settings: Settings,
        tasks: Tasks,
        choose_engine: Callable[[], tuple[str, EngineOptions]],
        holding: Holding,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("foldingPage")
        self._settings, self._tasks, self._choose_engine = settings.folding, tasks, choose_engine
        self._folder = settings.recent.folder
        self._server: FoldingServer | None = None
        self.holding = holding  # the runs of the window, which have priority
        self._unlisten = holding.listen(self._show_state)
        self.work = Task(self)
        self.jobs = JobTable()
        self._build()
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        self.work.changed.connect(self._show_state)
        self.work.part.connect(self._started)
        self._fill([])
        self._show_state()
        self._tasks.submit("folding-databases", user_databases, self._fill, lambda _error: None)

    # What the window calls

    @property
    def running(self) -> bool:
        return self.work.busy

    def states(self) -> set[str]:
        return {"folding-running"} if self.running else {"folding-ready"} if self._has_database else set()

    @property
    def _has_database(self) -> bool:
        return bool(self._settings.databases or self._settings.nucleotide_database)

    @property
    def server(self) -> FoldingServer | None:
        """The server, once it listens."""
        return self._server

    def shutdown(self) -> None:
        self._unlisten()
        self._timer.stop()
        self.work.shutdown()
        for key in ("databases", "jobs", "act", "depth"):
            self._tasks.drop(f"folding-{key}")

    # Actions of its buttons

    def start(self) -> None:
        """Start the server with the settings of the page."""
        if self.running or not self._has_database:
            return
        values = self._settings
        engine, options = self._choose_engine()
        encrypted = [values.certificate, values.key] if values.certificate or values.key else []
        arguments = serve_arguments(
            databases=list(values.databases), pair_database=values.pair_database,
            nucleotide_database=values.nucleotide_database, address=values.address,
            token_file=values.token_file, tls=encrypted, keep=values.keep_days, max_waiting=values.max_waiting,
            max_chains=values.max_chains, max_length=values.max_length, max_residues=values.max_residues,
            **engine_values(engine, options),
        )  # fmt: skip
        self._say("Opening the databases…", "")

        def work(control: TaskControl) -> None:
            server = FoldingServer(arguments, self.holding)
            try:
                server.start(control)
                control.send(server)
                while not control.wait(STOP_SECONDS):
                    pass
            finally:
                server.close()

        self.work.start(work, self._ended, self._failed, title="Folding server")

    def stop(self) -> None:
        """Stop the server; unfinished jobs wait for its next start."""
        self.work.stop()

    def copy_address(self) -> None:
        """Copy the address of the server."""
        self._copy(self.url.text())

    def stop_job(self) -> None:
        """End the chosen jobs."""
        chosen = [job.id for job in self._chosen_jobs()]
        if (server := self._server) is not None and chosen:
            self._act(lambda: server.stop_jobs(chosen))

    def save_alignments(self) -> None:
        """Write the alignment of the chosen job, of each of several chains into a file of its own."""
        chosen, server = self._chosen_jobs(), self._server
        if server is None or len(chosen) != 1:
            return
        path = ask_save_path(self, "Save the alignment", "alignment.a3m", "Alignments (*.a3m)", self._problem)
        if path is not None:
            self._tasks.submit(
                "folding-save", partial(_save_chains, server, chosen[0].id, path), self.message.emit, self._problem
            )

    def show_depth(self) -> None:
        """Show how many rows cover each residue of the chosen job."""
        chosen, server = self._chosen_jobs(), self._server
        if server is not None and self.depth_button.isEnabled():
            look = partial(_depths, server, chosen[0].id)
            self._tasks.submit("folding-depth", look, self._open_depth, self._problem)

    def _open_depth(self, chains: list[ChainDepth]) -> None:
        JobDialog(chains, self.save_alignments, self).open()

    def _chosen_jobs(self) -> list[Ticket]:
        return [self.jobs.rows[index.row()] for index in self.table.selectionModel().selectedRows()]

    def delete_results(self) -> None:
        """Delete all results that the server keeps."""
        if (server := self._server) is not None:
            self._act(server.delete_results)

    def export(self) -> None:
        """Write the jobs that are listed as a table."""
        path = ask_save_path(self, "Export the jobs", "jobs.csv", TABLE_FILES, self._problem)
        if path is not None:
            write = partial(write_table, str(path), tickets_table(list(self.jobs.rows)), form_of(str(path), "csv"))
            said = f"Saved {path.name}."
            self._tasks.submit("folding-export", write, lambda _none: self.message.emit(said), self._problem)

    def _act(self, does: Callable[[], object]) -> None:
        self._tasks.submit("folding-act", does, lambda _result: self._look(), self._problem)

    # Events of the server

    def _started(self, server: object) -> None:
        assert isinstance(server, FoldingServer)
        self._server = server
        self.url.setText(server.url)
        lines = dict(server.lines)
        for name, (line, *others) in self._lines.items():
            for widget in (line, *others):
                widget.setVisible(name in lines)
            line.setText(lines.get(name, ""))
            line.setCursorPosition(0)
        self._timer.start()
        self._show_state()
        self._look()

    def _ended(self, _result: object) -> None:
        self._server = None
        self._timer.stop()
        self._show_state()
        self._say("Not running.", "")

    def _failed(self, error: Exception) -> None:
        self._ended(None)
        self._problem(error)

    def _problem(self, error: Exception) -> None:
        self._say(wording.explain(error), "danger")

    def _look(self) -> None:
        if (server := self._server) is not None and not self._tasks.pending("folding-jobs"):
            self._tasks.submit("folding-jobs", partial(server.jobs, SHOWN), self._show_jobs, lambda _error: None)

    def _show_jobs(self, jobs: list[Ticket]) -> None:
        self.jobs.show_jobs(jobs)
        self._none.setVisible(not jobs)
        self._show_state()

    # Looks

    def _show_state(self) -> None:
        running = self._server is not None
        self.start_button.setEnabled(not self.running and self._has_database)
        self.stop_button.setEnabled(self.running and not self.work.stopping)
        self.copy_button.setEnabled(running)
        held = self.window().focusWidget()
        if self.running and held is not None and (held is self.start_button or self._setup.isAncestorOf(held)):
            self.stop_button.setFocus()  # the focused widget is about to be hidden
        self.url.setVisible(running)
        self._setup.setVisible(not self.running)
        self.choice.setVisible(self.running)
        self.choice.setText(
            " ".join(f"{role.title.replace('&', '')}: {self.boxes[role.key].currentText()}." for role in ROLES)
        )
        self.clients.setVisible(running)
        self.delete_button.setEnabled(running)
        self._show_choice()
        if running:
            open_jobs = sum(job.live for job in self.jobs.rows)
            first = self.holding.users
            waits = f"; waiting for your own {first.noun}" if first is not None else ""
            jobs = count(open_jobs, "open job") if open_jobs else "no open jobs"
            self._say(f"✓ Listening, {jobs}{waits}.", "success")
        elif not self._has_database and not self.running:
            self._say("Choose a database first. “Databases” on the rail downloads and builds them.", "")
        self.states_changed.emit()

    def _show_choice(self) -> None:
        chosen = self._chosen_jobs() if self._server is not None else []
        self.stop_job_button.setEnabled(bool(chosen))
        aligned = [job.state for job in chosen if job.kind in FOLDING]
        for button in (self.save_button, self.depth_button):
            button.setEnabled(aligned == [COMPLETE] and len(chosen) == 1)

    def _say(self, text: str, tone: str) -> None:
        self.state.setText(text)
        set_role(self.state, tone=tone)

    # Choices

    def _fill(self, known: Sequence[KnownDatabase]) -> None:
        """Offer each box the databases of its alphabet, and the one that was chosen before."""
        for role, path in zip(ROLES, self._chosen_paths(), strict=True):
            offered = {
                str(one.path): f"{one.name} ({count(one.residues, one.alphabet.letter)})"
                for one in known
                if one.alphabet.name == role.alphabet.name
            }
            if path:
                offered.setdefault(path, Path(path).name)
            items: list[tuple[str, object]] = [(role.none, ""), *((name, place) for place, name in offered.items())]
            fill_combo(self.boxes[role.key], items, path)

    def _chosen_paths(self) -> tuple[str, ...]:
        first, second = [*self._settings.databases, "", ""][:2]
        return first, second, self._settings.pair_database, self._settings.nucleotide_database

    def _choose(self, _index: int = 0) -> None:
        """Take over the values in the boxes."""
        first, second, pairs, bases = (str(self.boxes[role.key].currentData() or "") for role in ROLES)
        self._settings.databases = [first, second] if first and second else [first] if first else []
        self._settings.pair_database, self._settings.nucleotide_database = pairs, bases
        if not self.running:
            self._say("Not running.", "")
        self._show_state()

    def _choose_file(self, role: str) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Choose a database", self._folder, "Databases (*.swdb);;All files (*)"
        )
        if name:
            box: QComboBox = self.boxes[role]
            box.addItem(Path(name).name, name)
            box.setCurrentIndex(box.count() - 1)
            self._choose()

    def _take_address(self, text: str) -> None:
        self._settings.address = text.strip()
        self._show_network()

    def _take_file(self, name: str, text: str) -> None:
        setattr(self._settings, name, text.strip())

    def _show_network(self) -> None:
        """Show the files of an encrypted connection where the address needs them."""
        try:
            local = is_loopback(read_address(self._settings.address)[0])
        except ValueError:
            local = True
        used = not local or any(getattr(self._settings, name) for name, _, _ in FILES)
        self._network.setVisible(used)

    def _copy_line(self, line: QLineEdit) -> None:
        self._copy(line.text())

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit("It was copied.")

    # Building

    def _build(self) -> None:
        self._setup = self._build_setup()
        self.state = text_label("Not running.", "foldingState", wrap=True, plain=True)
        self.start_button = push_button("foldingStart", "Start", "Begin to listen", self.start, role="primary")
        self.stop_button = push_button(
            "foldingStop", "Stop", "Stop the server; unfinished jobs wait for the next start", self.stop, icon="stop"
        )
        self.url = text_label("", "foldingUrl", selectable=True, plain=True, level="heading")
        self.copy_button = push_button(
            "foldingCopy", "Copy address", "Copy the address of the server", self.copy_address, icon="copy"
        )
        self.clients = self._build_clients()
        self.choice = text_label("", "foldingChoice", wrap=True, plain=True, level="muted")
        head = FlowRow.of(self.start_button, self.stop_button, self.copy_button, self.url)
        in_column(
            text_label("Folding server", level="title"),
            text_label(INTRO, "foldingIntro", wrap=True, level="muted"),
            card("foldingSetup", self._setup, self.choice, head, self.state),
            self.clients,
            (self._build_jobs(), 1),
            margins=(2, 2, 2, 2),
            spacing=1.5,
            parent=self,
        )

    def _build_setup(self) -> QWidget:
        rows: list[tuple[QWidget | None, ...]] = []
        self.boxes: dict[str, QComboBox] = {}
        for key, title, tip, *_ in ROLES:
            box = self.boxes[key] = shrinkable(combo_box(f"folding-{key}", tip, self._choose), 16)
            choose = push_button(
                f"folding-{key}-file", "Choose file…", tip, partial(self._choose_file, key), icon="open"
            )
            rows.append((self._named(title, box), box, choose))
        address = line_edit(
            "foldingAddress", "Address of the server: 127.0.0.1 accepts this computer only", self._take_address,
            text=self._settings.address, hint="127.0.0.1:8889",
        )  # fmt: skip
        rows.append((self._named("A&ddress", address), address, None))
        part = QWidget()
        self._network = self._build_network()
        in_column(in_grid(*rows, stretch=(0, 1)), self._network, parent=part)
        self._show_network()
        return part

    def _build_network(self) -> QWidget:
        rows = []
        for name, title, tip in FILES:
            line = line_edit(f"folding-{name}", tip, partial(self._take_file, name), text=getattr(self._settings, name))
            rows.append((self._named(title, line), line))
        part = QWidget()
        in_grid(*rows, stretch=(0, 1), parent=part)
        return part

    def _named(self, title: str, field: QWidget) -> QWidget:
        label = text_label(title, buddy=field)
        keep_size(label, width=13)
        return label

    def _build_clients(self) -> QWidget:
        """Make a line for each client with a button that copies it."""
        rows: list[tuple[QWidget, ...]] = []
        self._lines: dict[str, tuple[QLineEdit, QWidget, QWidget]] = {}
        for name, _ in client_lines(""):
            line = line_edit(f"folding-line-{name}", f"Line that makes {name} to use this server", accessible=name)
            line.setReadOnly(True)
            keep_fixed(line)
            copy = push_button(f"folding-copy-{name}", "Copy", f"Copy the line of {name}", icon="copy")
            copy.clicked.connect(partial(self._copy_line, line))
            named = self._named(name, line)
            self._lines[name] = (line, named, copy)
            rows.append((named, line, copy))
        return card("foldingClients", in_grid(*rows, stretch=(0, 1), spacing=0.75))

    def _build_jobs(self) -> QWidget:
        self.table: QTableView = row_table(
            QTableView(), "foldingJobs", "Jobs of the server", self.jobs, rows=2.75, widths=WIDTHS
        )
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_choice())
        self.jobs.modelReset.connect(self._show_choice)
        keep_size(self.table, height=14, rows=2.75)
        self._none = text_label(NO_JOBS, "foldingNoJobs", wrap=True, level="muted")
        self.stop_job_button = push_button(
            "foldingStopJob", "Stop job", "End the chosen jobs; others continue", self.stop_job, icon="stop"
        )
        tip = "Write the alignment of the chosen job, which is done (A3M)"
        self.save_button = push_button("foldingSave", "Save alignment…", tip, self.save_alignments, icon="export")
        tip = "Show how many rows cover each residue of the chosen job, which is done"
        self.depth_button = push_button("foldingShowDepth", "Depth…", tip, self.show_depth)
        self.table.doubleClicked.connect(lambda _index: self.show_depth())
        tip = "Delete all results that are kept on this computer"
        self.delete_button = push_button("foldingDelete", "Delete results", tip, self.delete_results, icon="delete")
        part = QWidget()
        in_column(
            in_row(
                (text_label("Jobs", level="heading"), 1),
                FlowRow.of(self.depth_button, self.save_button, self.stop_job_button, self.delete_button, right=True),
            ),
            self._none,
            (self.table, 1),
            parent=part,
        )
        return part


def _write(content: bytes, file: IO[bytes]) -> None:
    file.write(content)


def _depths(server: FoldingServer, ticket_id: str) -> list[ChainDepth]:
    return depths_of(server.alignments(ticket_id))


def _save_chains(server: FoldingServer, ticket_id: str, path: Path) -> str:
    """Write the alignment of each chain of a job, and return a sentence on it; for a worker."""
    chains = server.alignments(ticket_id)
    for chain, content in chains.items():
        place = path if len(chains) == 1 else path.with_stem(f"{path.stem}_{chain}")
        save_bytes(place, partial(_write, content))
    return f"{count(len(chains), 'alignment')} written to {path.parent}."
