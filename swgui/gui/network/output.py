"""Output of the Network page: files for this and other programs, pictures, methods text, commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from swgui.commands.network import PASTED, network_command, network_python
from swgui.gui.inputs.methods_dialog import MethodsDialog
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, TaskControl
from swgui.gui.kit.theme import LIGHT
from swgui.gui.network.requests import Choose
from swgui.gui.network.shown import ShownNetwork
from swgui.gui.network.view import NetworkView
from swgui.gui.viewer.pictures.picture import KINDS as PICTURES
from swgui.gui.viewer.pictures.picture import WRITERS, SeenPicture
from swgui.io.methods.networks import network_methods
from swgui.io.network.file import SUFFIX, save_network
from swgui.io.network.graphs import GRAPH_FORMATS
from swgui.io.whole_file import save_bytes, save_text
from swgui.jobs.network.request import NetworkRequest

SAVED_AS: Final = ";;".join(
    (
        f"Network of this program (*{SUFFIX})",
        *(
            f"{form.meaning[0].upper()}{form.meaning[1:]} ({' '.join(f'*{suffix}' for suffix in form.suffixes)})"
            for form in GRAPH_FORMATS.values()
        ),
        PICTURES,
    )
)


class NetworkOutput(QObject):
    """Writes and copies what is shown.

    Parameters
    ----------
    lines : callable
        Returns the lines above a picture: the numbers of the network at its threshold, and its name.
    legend : callable
        Returns the names of the classes that have a colour.
    page : QWidget
        Parent of the dialogs.
    """

    message = Signal(str)
    failed = Signal(object)
    written = Signal()

    def __init__(
        self,
        shown: ShownNetwork,
        view: NetworkView,
        lines: Callable[[], Sequence[str]],
        legend: Callable[[], Sequence[str]],
        choose_engine: Choose,
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._page = page
        self._shown, self._view, self._choose_engine = shown, view, choose_engine
        self._lines, self._legend = lines, legend
        self.saving = Task(self)

    def export(self) -> None:
        """Write the part in view for other programs, or the whole network."""
        shown = self._shown
        if shown.cut is None or shown.whole is None:
            return
        path = ask_save_path(self._page, "Save network", f"{shown.name}{SUFFIX}", SAVED_AS, self.failed.emit)
        if path is None:
            return
        ending = path.suffix.lower()
        if ending in WRITERS:
            self._save_picture(path)
            return
        form = next((form for form in GRAPH_FORMATS.values() if ending in form.suffixes), None)
        made = shown.whole.network

        def write(_control: TaskControl) -> None:
            if form is None:
                save_network(made, path)
                return
            part = shown.part()
            save_text(path, lambda file: form.write(part, file))

        self.saving.start(write, partial(self._saved, path), self.failed.emit)

    def save_figure(self) -> None:
        """Write the visible part of the network as a picture."""
        if self._shown.loaded is not None:
            name = f"{self._shown.name}.svg"
            if path := ask_save_path(self._page, "Save a figure", name, PICTURES, self.failed.emit):
                self._save_picture(path)

    def methods(self, tasks: Tasks) -> None:
        """Show the methods text of the whole network."""
        if self._shown.whole is not None:
            made = network_methods(self._shown.whole.network)
            MethodsDialog(made, self._lines()[1], tasks, self.message.emit, self._page).open()

    def copy_command(self) -> None:
        """Copy the terminal command that makes the same network."""
        self._copy(network_command, "The command was copied.")

    def copy_python(self) -> None:
        """Copy lines of Python that make the same network."""
        self._copy(network_python, "The lines of Python were copied.")

    def shutdown(self) -> None:
        """Stop writing."""
        self.saving.shutdown()

    def _copy(self, write: Callable[[NetworkRequest], str], said: str) -> None:
        if self._shown.whole is not None:
            made, (engine, options) = self._shown.whole.network, self._choose_engine()
            strand = made.strand if made.strand == "plus" else ""
            how = made.evalue, made.scheme, engine, options, strand, made.context
            place = Path(made.source) if made.source else made
            QGuiApplication.clipboard().setText(write(NetworkRequest(place, "", *how)))
            self.message.emit(said if made.source else f"{said} Save the sequences as {PASTED} first.")

    def _save_picture(self, path: Path) -> None:
        """Write the picture, with its title and the meaning of the colours."""
        view, (said, name) = self._view, self._lines()
        lines = (*said.replace(": ", ":\n", 1).splitlines(), name)  # a line of a picture is short
        draw = partial(view.draw_figure, shades=LIGHT, legend=self._legend())
        content = SeenPicture(path.name, view, lines, draw).content(path.suffix)
        write = partial(save_bytes, path, lambda file: file.write(content))
        self.saving.start(lambda _: write(), partial(self._saved, path), self.failed.emit)

    def _saved(self, path: Path, _done: object) -> None:
        self.written.emit()
        self.message.emit(f"Saved as {path.name}.")
