"""A cluster: connect to a scheduler, see its workers and how fast they are, and let searches run there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.core.devices import DeviceChoice
from swgui.engines.base import EngineOptions
from swgui.gui.device.cluster_workers import ClusterWorkers
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.kit.theme import arrange, grid, keep_size, set_icon, set_role
from swgui.gui.live.run_state import RunState
from swgui.gui.words import wording
from swgui.gui.words.engine_choices import EngineChoice
from swgui.jobs.cluster.link import ENGINE, ClusterAddress, ClusterView, look
from swgui.settings import Settings

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
    "programs on the workers.\n\nConnect only in a network where everybody is trusted, or use certificates."
)
LOOK = "cluster-look"
LOOK_AGAIN_MS = 10_000


class ClusterPanel(QFrame):
    """Connects to a cluster and offers it to searches.

    Signals
    -------
    offered(object)
        An `EngineChoice` for the list of engines, or None when there is no cluster any more.
    choice_wanted(object)
        Searches should run on this `DeviceChoice`.
    """

    offered = Signal(object)
    choice_wanted = Signal(object)

    def __init__(self, settings: Settings, short_jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("clusterPanel")
        set_role(self, role="card")
        self._settings = settings.cluster
        self._jobs = short_jobs
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
        """Offer the cluster of the last time, without connecting to it."""
        if self._settings.scheduler:
            self._offer(self._typed(), None)

    def connect_cluster(self) -> None:
        """Connect to the scheduler that is typed."""
        address = self._typed()
        if not address.scheduler:
            self._say("Type the address of a scheduler first, for example head-node:8786.", "warning")
            self.address.setFocus()
            return
        if address.exposed and not address.allow_plain:
            self._ask(address)
        else:
            self._start(address)

    def disconnect_cluster(self) -> None:
        """Forget the cluster; its workers are left as they are."""
        self._again.stop()
        self._connected, self.view = None, None
        self.workers.show_view(None)
        self._settings.scheduler = ""
        self._say("Not connected.", "muted")
        self._show_state()
        self._offered = None
        self.offered.emit(None)

    def show_run(self, state: RunState) -> None:
        """Show how fast each worker is in the run that goes on."""
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
        self._jobs.submit(LOOK, partial(look, address), partial(self._found, address), self._failed)

    def _look_again(self) -> None:
        if self._connected is not None:
            address = self._connected
            self._jobs.submit(LOOK, partial(look, address), partial(self._found, address), self._lost)

    def _found(self, address: ClusterAddress, view: ClusterView) -> None:
        first = self._connected != address
        self._connected = address
        if self.view is None or self.view.workers != view.workers:
            self.workers.show_view(view)
        self.view = view
        kept = self._settings
        kept.scheduler, kept.ca, kept.certificate, kept.key = (
            address.scheduler,
            address.ca,
            address.certificate,
            address.key,
        )
        way = "encrypted" if address.ca else "not encrypted" if address.exposed else "on this computer"
        text = f"✓ Connected to {address.scheduler}: {wording.count(len(view.workers), 'worker')}, {way}."
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
        number = f"{wording.count(len(view.workers), 'worker')} at " if view else ""
        names = tuple(worker.name for worker in view.workers) if view else ()
        choice = EngineChoice(
            DeviceChoice(ENGINE),
            f"Cluster: {number}{address.scheduler}",
            f"on the cluster at {address.scheduler}",
            (ENGINE, names),
            options=EngineOptions(settings=address.settings),
        )
        if choice != self._offered:
            self._offered = choice
            self.offered.emit(choice)

    # Looks

    def showEvent(self, event: QShowEvent) -> None:
        """Look for workers as long as someone sees them."""
        super().showEvent(event)
        if self._connected is not None:
            self._again.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop looking."""
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
        """Show the fields for certificates where they matter: others need not see them."""
        used = self.address.text().strip().startswith("tls://") or any(box.text() for box in self.files.values())
        self.lines.setVisible(used or self.certificates.isChecked())
        self.certificates.setVisible(not used)

    def _say(self, text: str, tone: str) -> None:
        self.state.setText(text)
        set_role(self.state, tone=tone)

    def _build(self) -> None:
        title = QLabel("Cluster")
        set_role(title, level="heading")
        about = QLabel(ABOUT)
        about.setWordWrap(True)
        set_role(about, level="muted")
        self.address = QLineEdit(self._settings.scheduler)
        self.address.setObjectName("clusterAddress")
        self.address.setPlaceholderText("host:8786 or tls://host:8786")
        self.address.setToolTip("Address of the Dask scheduler")
        self.address.setClearButtonEnabled(True)
        self.address.returnPressed.connect(self.connect_cluster)
        self.address.textChanged.connect(lambda _text: self._show_files())
        keep_size(self.address, width=20)
        name = QLabel("&Scheduler")
        name.setBuddy(self.address)
        keep_size(name, width=12)
        self.join = QPushButton("Connect")
        self.join.setObjectName("clusterConnect")
        self.join.clicked.connect(self.connect_cluster)
        self.leave = QPushButton("Disconnect")
        self.leave.setObjectName("clusterDisconnect")
        self.leave.setToolTip("Forget the cluster here; its workers are left as they are")
        self.leave.clicked.connect(self.disconnect_cluster)
        self.use = QPushButton("Search here")
        self.use.setObjectName("clusterUse")
        self.use.setToolTip("Let searches run on the cluster")
        self.use.clicked.connect(lambda: self.choice_wanted.emit(DeviceChoice(ENGINE)))
        row = QHBoxLayout()
        arrange(row, 0, 1)
        self.certificates = QPushButton("Certificates…")
        self.certificates.setObjectName("clusterCertificates")
        self.certificates.setToolTip("Files for an encrypted connection")
        self.certificates.setCheckable(True)
        set_role(self.certificates, role="quiet")
        self.certificates.toggled.connect(lambda _on: self._show_files())
        for widget in (name, self.address, self.join, self.leave, self.use):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.certificates)
        self.state = QLabel("Not connected.")
        self.state.setObjectName("clusterState")
        self.state.setWordWrap(True)
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        set_role(self.state, tone="muted")
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addWidget(title)
        layout.addWidget(about)
        layout.addLayout(row)
        layout.addWidget(self._build_files())
        layout.addWidget(self.state)
        layout.addWidget(self._build_table())

    def _build_files(self) -> QWidget:
        """Make the fields for certificates: empty for a connection that stays on this computer."""
        self.lines = QWidget()
        lines = QGridLayout(self.lines)
        arrange(lines, 0, 1)
        self.files: dict[str, QLineEdit] = {}
        for number, (key, (title, tip)) in enumerate(FILES.items()):
            box = QLineEdit(getattr(self._settings, key))
            box.setObjectName(f"cluster-{key}")
            box.setToolTip(tip)
            box.setPlaceholderText("for tls:// addresses")
            label = QLabel(title)
            label.setBuddy(box)
            keep_size(label, width=12)
            choose = QPushButton("Choose…")
            choose.setObjectName(f"cluster-{key}-choose")
            choose.setAccessibleName(f"Choose the file: {title}")
            choose.clicked.connect(partial(self._choose, key))
            set_icon(choose, "open")
            lines.addWidget(label, number, 0)
            lines.addWidget(box, number, 1)
            lines.addWidget(choose, number, 2)
            self.files[key] = box
        lines.setColumnStretch(1, 1)
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
        self.table = QTableView()
        self.table.setObjectName("clusterWorkers")
        self.table.setAccessibleName("Workers of the cluster")
        self.table.setModel(self.workers)
        self.table.setWordWrap(False)
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        keep_size(self.table, height=18, rows=2.75)
        self.table.setMinimumWidth(grid(40))
        return self.table
