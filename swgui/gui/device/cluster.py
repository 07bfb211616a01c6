"""A cluster: connect to a scheduler, see its workers and how fast they are, and let searches run there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QHeaderView, QLineEdit, QMessageBox, QTableView, QWidget

from swgui.core import words
from swgui.core.devices import ClusterAddress, DeviceChoice
from swgui.core.engines import EngineOptions
from swgui.engines.base import DeviceInfo
from swgui.engines.facts import CLUSTER
from swgui.gui.kit.layouts import in_column, in_grid, in_row
from swgui.gui.kit.tables.row_table import LEFT, RIGHT, Index, Role, RowTable, row_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid, keep_size, set_role
from swgui.gui.kit.widgets import line_edit, push_button, text_label
from swgui.gui.live.run_state import RunState
from swgui.gui.words import wording
from swgui.gui.words.engine_choices import EngineChoice
from swgui.gui.words.formatting import file_size
from swgui.jobs.cluster.link import ClusterView, is_exposed, look
from swgui.settings import Settings

NOT_KNOWN: Final = "–"
ABOUT = (
    "One search over several computers, with the same scores. Start a Dask scheduler on one of them and "
    "“swgui worker ADDRESS” on each, and connect here."
)
FILES = {
    "ca": ("Authority", "The certificate of the authority that signed all others (PEM)"),
    "certificate": ("Certificate", "The certificate of this computer (PEM)"),
    "key": ("Key", "The key that belongs to the certificate (PEM)"),
}
EXPOSED = (
    "The connection to {address} would not be encrypted: others on the network could read your sequences and run "
    "programs on the workers.\n\nConnect only in a network where you trust every user, or use certificates."
)
LOOK = "cluster-look"
LOOK_AGAIN_MS = 10_000


class _Column(NamedTuple):
    title: str
    tip: str
    text: Callable[[DeviceInfo, Mapping[str, float]], str]
    number: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        return RIGHT if self.number else LEFT


def _now(worker: DeviceInfo, speeds: Mapping[str, float]) -> str:
    return f"{speeds[worker.name]:,.1f}" if worker.name in speeds else NOT_KNOWN


def _before(worker: DeviceInfo) -> str:
    speed = worker.facts.get("speed", "").removesuffix(" GCUPS")
    return f"{float(speed):,.1f}" if speed else NOT_KNOWN


COLUMNS: Final = (
    _Column("Worker", "Name that the worker was started with", lambda worker, _: worker.id),
    _Column("Device", "Its GPU or CPU", lambda worker, _: worker.name.removesuffix(f" ({worker.id})")),
    _Column("Engine", "The engine it uses", lambda worker, _: worker.facts.get("engine", NOT_KNOWN)),
    _Column(
        "Memory",
        "Memory of the device",
        lambda worker, _: file_size(worker.memory) if worker.memory else NOT_KNOWN,
        number=True,
    ),
    _Column(
        "GCUPS before",
        "Billions of cells per second of its last work, as the worker measured it",
        lambda worker, _: _before(worker),
        number=True,
    ),
    _Column("GCUPS now", "Billions of cells per second in the current run", _now, number=True),
    _Column("Address", "Where it listens", lambda worker, _: worker.facts.get("address", NOT_KNOWN)),
)
NOW: Final = next(number for number, column in enumerate(COLUMNS) if column.text is _now)


class ClusterWorkers(RowTable):
    """One row for each worker."""

    heads = COLUMNS

    def __init__(self) -> None:
        super().__init__()
        self.workers: tuple[DeviceInfo, ...] = ()
        self._speeds: dict[str, float] = {}

    def show_view(self, view: ClusterView | None) -> None:
        """Show the workers that were found; None for none."""
        self.beginResetModel()
        self.workers = view.workers if view else ()
        self.endResetModel()

    def show_speeds(self, speeds: Mapping[str, float]) -> None:
        """Show how fast workers are now, GCUPS by name of `DeviceInfo`."""
        if self._speeds != speeds:
            self._speeds = dict(speeds)
            if self.workers:
                self.dataChanged.emit(self.index(0, NOW), self.index(len(self.workers) - 1, NOW))

    def row_count(self) -> int:
        return len(self.workers)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        worker, column = self.workers[index.row()], COLUMNS[index.column()]
        if role == Role.DisplayRole:
            return column.text(worker, self._speeds)
        if role == Role.ToolTipRole:
            return "\n".join((worker.name, *(f"{name}: {value}" for name, value in worker.facts.items())))
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        return None


class ClusterPanel(QFrame):
    """Connects to a cluster and offers it to searches."""

    offered = Signal(object)  # an `EngineChoice` for the list of engines, or None when there is no cluster any more
    choice_wanted = Signal(object)  # searches should run on this `DeviceChoice`

    def __init__(self, settings: Settings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("clusterPanel")
        set_role(self, role="card")
        self._settings = settings.cluster
        self._tasks = tasks
        self.view: ClusterView | None = None
        self.workers = ClusterWorkers()
        self._connected: ClusterAddress | None = None
        self._offered: EngineChoice | None = None
        self._again = QTimer(self)
        self._again.setInterval(LOOK_AGAIN_MS)
        self._again.timeout.connect(self._look_again)
        self._build()
        self._show_state()

    def begin(self) -> None:
        if self._settings.scheduler:
            self._offer(self._settings.address, None)

    def connect_cluster(self) -> None:
        """Connect to the typed scheduler in the background; asks first if the connection is not encrypted."""
        address = self._typed()
        if not address.scheduler:
            self._say("Type the address of a scheduler first, for example head-node:8786.", "warning")
            self.address.setFocus()
            return
        if is_exposed(address) and not address.allow_plain:
            self._ask(address)
        else:
            self._start(address)

    def disconnect_cluster(self) -> None:
        """Forget the cluster; its workers keep running."""
        self._again.stop()
        self._connected, self.view = None, None
        self.workers.show_view(None)
        self._settings.scheduler = ""
        self._say("Not connected.", "muted")
        self._show_state()
        self._offered = None
        self.offered.emit(None)

    def show_run(self, state: RunState) -> None:
        """Show the speed in GCUPS of each worker in the current run; nothing once it has ended."""
        speeds = {}
        for name, ring in state.devices.items():
            _, speed = ring.points()
            if len(speed):
                speeds[name] = float(speed[-1])
        self.workers.show_speeds(speeds if state.finished is None else {})

    # Connecting

    def _typed(self) -> ClusterAddress:
        scheduler = self.address.text().strip()
        files = {name: box.text().strip() for name, box in self.files.items()}
        return ClusterAddress(scheduler, **files, allow_plain=scheduler in self._settings.plain_allowed)

    def _ask(self, address: ClusterAddress) -> None:
        box = QMessageBox(self)
        box.setObjectName("confirmPlain")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Connect without encryption?")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(EXPOSED.format(address=address.scheduler))
        agree = box.addButton("Connect without encryption", QMessageBox.ButtonRole.AcceptRole)
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(cancel)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.buttonClicked.connect(lambda button: self._agree(address.scheduler) if button is agree else None)
        box.open()

    def _agree(self, scheduler: str) -> None:
        self._settings.plain_allowed.append(scheduler)
        self._start(self._typed())

    def _start(self, address: ClusterAddress) -> None:
        self._again.stop()
        self._say(f"Connecting to {address.scheduler}…", "muted")
        self.join.setEnabled(False)
        self._tasks.submit(LOOK, partial(look, address), partial(self._found, address), self._failed)

    def _look_again(self) -> None:
        if self._connected is not None:
            address = self._connected
            self._tasks.submit(LOOK, partial(look, address), partial(self._found, address), self._lost)

    def _found(self, address: ClusterAddress, view: ClusterView) -> None:
        first = self._connected != address
        self._connected = address
        if self.view is None or self.view.workers != view.workers:
            self.workers.show_view(view)
        self.view = view
        self._settings.address = address
        way = "encrypted" if address.ca else "not encrypted" if is_exposed(address) else "on this computer"
        text = f"✓ Connected to {address.scheduler}: {words.count(len(view.workers), 'worker')}, {way}."
        self._say(" ".join((text, *view.refused)), "warning" if view.refused else "success")
        self._show_state()
        self._again.start()
        if first:
            self._fit_columns()
        self._offer(address, view)

    def _failed(self, error: Exception) -> None:
        self._connected, self.view = None, None
        self.workers.show_view(None)
        self._say(wording.explain(error), "danger")
        self._show_state()

    def _lost(self, error: Exception) -> None:
        self._again.stop()
        self._failed(error)

    def _offer(self, address: ClusterAddress, view: ClusterView | None) -> None:
        number = f"{words.count(len(view.workers), 'worker')} at " if view else ""
        names = tuple(worker.name for worker in view.workers) if view else ()
        choice = EngineChoice(
            DeviceChoice(CLUSTER.name),
            f"Cluster: {number}{address.scheduler}",
            f"on the cluster at {address.scheduler}",
            (CLUSTER.name, names),
            options=EngineOptions(settings=address.settings),
        )
        if choice != self._offered:
            self._offered = choice
            self.offered.emit(choice)

    # Looks

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._connected is not None:
            self._again.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._again.stop()
        super().hideEvent(event)

    def _show_state(self) -> None:
        connected = self._connected is not None
        self.join.setEnabled(True)
        self.join.setText("Connect again" if connected else "Connect")
        self.leave.setVisible(connected)
        self.use.setVisible(connected)
        self.table.setVisible(connected)

    def _fit_columns(self) -> None:
        header = self.table.horizontalHeader()
        self.table.resizeColumnsToContents()
        for column in range(header.count() - 1):
            header.resizeSection(column, min(header.sectionSize(column) + grid(2), grid(34)))

    def _show_files(self) -> None:
        used = self.address.text().strip().startswith("tls://") or any(box.text() for box in self.files.values())
        self.lines.setVisible(used or self.certificates.isChecked())
        self.certificates.setVisible(not used)

    def _say(self, text: str, tone: str) -> None:
        self.state.setText(text)
        set_role(self.state, tone=tone)

    def _build(self) -> None:
        self.address = line_edit(
            "clusterAddress",
            "Address of the Dask scheduler",
            lambda _text: self._show_files(),
            text=self._settings.scheduler,
            hint="host:8786 or tls://host:8786",
            clear=True,
            entered=self.connect_cluster,
            width=20,
        )
        name = text_label("&Scheduler", buddy=self.address)
        keep_size(name, width=12)
        self.join = push_button("clusterConnect", "Connect", does=self.connect_cluster)
        tip = "Forget the cluster here; its workers keep running"
        self.leave = push_button("clusterDisconnect", "Disconnect", tip, self.disconnect_cluster)
        self.use = push_button("clusterUse", "Search here", "Let searches run on the cluster", self._use)
        tip = "Files for an encrypted connection"
        self.certificates = push_button("clusterCertificates", "Certificates…", tip, role="quiet")
        self.certificates.setCheckable(True)
        self.certificates.toggled.connect(lambda _on: self._show_files())
        self.state = text_label("Not connected.", "clusterState", wrap=True, plain=True, tone="muted")
        in_column(
            text_label("Cluster", level="heading"),
            text_label(ABOUT, wrap=True, level="muted"),
            in_row(name, (self.address, 1), self.join, self.leave, self.use, 2, self.certificates),
            self._build_files(),
            self.state,
            self._build_table(),
            margins=(2, 1.5, 2, 1.5),
            parent=self,
        )

    def _use(self) -> None:
        self.choice_wanted.emit(DeviceChoice(CLUSTER.name))

    def _build_files(self) -> QWidget:
        """Make the fields for certificates: empty for a connection that stays on this computer."""
        self.files: dict[str, QLineEdit] = {}
        rows = []
        for key, (title, tip) in FILES.items():
            text = getattr(self._settings, key)
            self.files[key] = line_edit(f"cluster-{key}", tip, text=text, hint="for tls:// addresses")
            label = text_label(title, buddy=self.files[key])
            keep_size(label, width=12)
            choose = push_button(
                f"cluster-{key}-choose",
                "Choose…",
                does=partial(self._choose, key),
                icon="open",
                accessible=f"Choose the file: {title}",
            )
            rows.append((label, self.files[key], choose))
        self.lines = QWidget()
        in_grid(*rows, stretch=(0, 1), parent=self.lines)
        self._show_files()
        return self.lines

    def _choose(self, key: str) -> None:
        held = self.files[key].text()
        path, _ = QFileDialog.getOpenFileName(
            self, FILES[key][0], str(Path(held).parent) if held else "", "PEM files (*.pem *.crt *.key);;All files (*)"
        )
        if path:
            self.files[key].setText(path)

    def _build_table(self) -> QTableView:
        self.table = row_table(QTableView(), "clusterWorkers", "Workers of the cluster", self.workers, rows=2.75)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        keep_size(self.table, height=18, rows=2.75)
        self.table.setMinimumWidth(grid(40))
        return self.table
