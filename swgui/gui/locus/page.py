"""The Locus page: a place of a result among the features, bases and frames of its sequence."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QInputDialog, QPushButton, QWidget

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.loci.place import Place
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.gui.inputs.features import TIP, FeatureChoice
from swgui.gui.kit.browser import open_page
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Sheets, card, in_column, in_row
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import EmptyBox, line_edit, make_menu, menu_command, push_button, text_label, tool_button
from swgui.gui.locus.going import Target, targets
from swgui.gui.locus.scene import Scene, Track, open_scene
from swgui.gui.locus.view import LocusView
from swgui.gui.viewer.pictures.picture import WRITERS
from swgui.gui.words import wording
from swgui.io.features.writing import Region, save_region
from swgui.io.genome_browsers import jbrowse_page, show_in_igv
from swgui.io.whole_file import save_bytes
from swgui.settings import LocusSettings

SAVED_AS: Final = (
    "GenBank entry (*.gb);;GFF3 (*.gff3);;BED (*.bed);;Vector graphics (*.svg);;PDF (*.pdf);;Picture (*.png)"
)
EMPTY: Final = (
    "Choose “Show on the sequence” at a hit, a place of a rule or an alignment of a pair: it is shown here with genes, "
    "bases and frames."
)
GO_TIP: Final = "A position, a range (101-200), a gene, or a sequence and a range (chr2:101-200); Enter again: the next"
KEYS: Final = ("open", "go", "save", "igv")


class LocusPage(PageWidget):
    """Shows a place, and goes to others."""

    def __init__(
        self, settings: LocusSettings, tasks: Tasks, choice: FeatureChoice, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("locusPage")
        self._settings, self._tasks, self.choice = settings, tasks, choice
        self._targets: tuple[str, list[Target], int] = ("", [], 0)  # of the text that was typed, and the one shown
        self._place: Place | None = None
        self._build()
        choice.changed.connect(self._features_changed)

    # What the window calls

    @property
    def scene(self) -> Scene | None:
        """The sequence that is shown; None before the first place."""
        return self.view.scene

    def show_place(self, place: Place) -> None:
        """Show a place of a result once its sequence is read."""
        self._place = place
        self._stack.show_sheet(1)
        self.title.set_text(f"{place.database.ids[place.db_index]} is read…")
        self._read(place, keep=False)

    def states(self) -> set[str]:
        return {"locus-shown"} if self.scene is not None else set()

    def shutdown(self) -> None:
        for key in KEYS:
            self._tasks.drop(f"locus-{key}")

    # Actions of its buttons and commands

    def choose_features(self) -> None:
        """Ask for a file of features."""
        self.choice.ask(self)

    def focus_go_to(self) -> None:
        """Put the keyboard into the field for positions and genes."""
        self.go_to.setFocus()
        self.go_to.selectAll()

    def go(self) -> None:
        """Go to the position or gene in the field; again to the next gene of that name."""
        text, scene = self.go_to.text().strip(), self.scene
        if not text or scene is None:
            return
        if text == self._targets[0] and self._targets[1]:
            self._show_target(text, self._targets[1], self._targets[2] + 1)
            return
        work = partial(targets, scene, text, self.choice.annotation)
        self._tasks.submit("locus-go", work, lambda found: self._show_target(text, found, 0), self._failed)

    def step(self, by: int) -> None:
        """Go to the next place of the result on this sequence, or the one before."""
        if self.scene is None or not (marked := self.scene.marked):
            return
        now = self.view.place or self.view.seen
        at = next((number for number, pair in enumerate(marked) if pair >= now), len(marked))
        if by > 0 and at < len(marked) and marked[at] == now:
            at += 1
        self._mark(*marked[(at if by > 0 else at - 1) % len(marked)])

    def export(self) -> None:
        """Write the part in sight for other programs, or as a picture."""
        self._save("Export", ".gb")

    def save_figure(self) -> None:
        """Write a picture of the part in sight."""
        self._save("Save a figure", ".svg")

    def open_in_igv(self) -> None:
        """Let IGV show the part in sight."""
        if self.scene is not None:
            first, last = self.view.seen
            work = partial(show_in_igv, self.scene.name, first + 1, last)
            self._tasks.submit("locus-igv", work, lambda _: self.message.emit("IGV shows this place."), self._failed)

    def open_in_jbrowse(self) -> None:
        """Open the page of JBrowse for the part in sight; asks for its address the first time."""
        if self.scene is None or not (self._settings.jbrowse or self.ask_jbrowse()):
            return
        first, last = self.view.seen
        try:
            open_page(jbrowse_page(self._settings.jbrowse, self.scene.name, first + 1, last))
        except ValueError as fault:
            self._failed(fault)

    def ask_jbrowse(self) -> bool:
        """Ask for the address of JBrowse; True if one was given."""
        label = "Address of your JBrowse, with {name}, {first} and {last} in it:"
        usual = self._settings.jbrowse or "http://localhost:3000/?assembly=NAME&loc={name}:{first}..{last}"
        text, given = QInputDialog.getText(self, "JBrowse", label, text=usual)
        if not given or not text.strip():
            return False
        try:
            jbrowse_page(text.strip(), "x", 1, 2)
        except ValueError as fault:
            self._failed(fault)
            return False
        self._settings.jbrowse = text.strip()
        return True

    # -- inside ------------------------------------------------------------------------------------

    def _read(self, place: Place, *, keep: bool) -> None:
        work = partial(open_scene, place, self.choice.annotation)
        self._tasks.submit("locus-open", work, partial(self._show, keep=keep), self._failed)

    def _show(self, scene: Scene, *, keep: bool) -> None:
        self._targets = ("", [], 0)
        self.view.show_scene(scene, keep=keep)
        unit = f"{scene.alphabet.letter}s"
        origin = f" · {scene.place.origin}" if scene.place.origin else ""
        shape = ", circular" if scene.circular else ""
        self.title.set_text(f"{scene.name}: {scene.length:,} {unit}{shape}{origin}")
        self.source.setText(scene.source)
        set_role(self.source, tone="" if scene.table is not None else "warning")
        self._say_place()
        several = len(scene.marked) > 1
        self.before.setEnabled(several)
        self.behind.setEnabled(several)
        self.view.setFocus()
        self.states_changed.emit()

    def _features_changed(self) -> None:
        if self._place is not None:
            self._read(self._place, keep=self.scene is not None)

    def _show_target(self, text: str, found: list[Target], number: int) -> None:
        number %= len(found)
        self._targets = (text, found, number)
        target = found[number]
        if self.scene is not None and target.db_index == self.scene.place.db_index:
            self._mark(target.start, target.end)
        elif self._place is not None:
            kept = self._targets
            elsewhere = Place(self._place.database, target.db_index, target.start, target.end)
            self.show_place(elsewhere)
            self._targets = kept
        if len(found) > 1:
            self.message.emit(f"{number + 1} of {count(len(found), 'place')} called {text}; Enter shows the next.")

    def _mark(self, start: int, end: int) -> None:
        self.view.show_place(start, end)
        self._say_place()

    def _say_place(self, what: str = "") -> None:
        if self.scene is None or self.view.place is None:
            return
        start, end = self.view.place
        where = self.scene.sentence(start, end)
        range_text = f"{start + 1:,} to {end:,}" if end - start > 1 else f"{start + 1:,}"
        self.sentence.setText(f"{what}{', ' if what else ''}{range_text}{': ' if where else ''}{where}")

    def _say_seen(self, first: int, last: int) -> None:
        scene = self.scene
        self.seen.setText(f"{first + 1:,} to {last:,} ({count(last - first, scene.alphabet.letter)})" if scene else "")

    def _save(self, title: str, ending: str) -> None:
        scene = self.scene
        if scene is None:
            return
        first, last = self.view.seen
        name = f"{Path(scene.name.replace('|', '_')).name}_{first + 1}-{last}{ending}"
        kinds = SAVED_AS if ending == ".gb" else ";;".join(SAVED_AS.split(";;")[3:])
        path = ask_save_path(self, title, name, kinds, self._failed)
        if path is None:
            return
        region = self._region(scene)
        if path.suffix.lower() in WRITERS:
            lines = (region.title.replace("-", " to "), self.sentence.text())
            content = self.view.picture(lines, path.name).content(path.suffix)
            work = partial(save_bytes, path, lambda file: file.write(content))
        else:
            work = partial(save_region, region, path)
        self._tasks.submit("locus-save", work, lambda _: self.message.emit(f"Saved as {path.name}."), self._failed)

    def _region(self, scene: Scene) -> Region:
        first, last = self.view.seen
        parts: dict[bool, list[Track]] = {True: [], False: []}
        for track in scene.tracks:
            parts[track.is_result].append(track)
        features = {
            of_result: [
                replace(feature, spans=tuple((start + shift, end + shift) for start, end in feature.spans))
                for track in tracks
                for feature, shift in map(track.shown, track.intervals.within(first, last).tolist())
            ]
            for of_result, tracks in parts.items()
        }
        return Region(
            scene.name,
            first,
            last,
            lambda: scene.alphabet.decode(scene.bases(first, last)),
            scene.alphabet.name == NUCLEOTIDE.name,
            features[False],
            features[True],
        )

    def _failed(self, error: Exception) -> None:
        self.message.emit(wording.explain(error))
        self.sentence.setText(wording.explain(error))

    def _build(self) -> None:
        self.title = ElidedLabel()
        self.title.setObjectName("locusTitle")
        set_role(self.title, level="heading")
        self.sentence = text_label(name="locusSentence", wrap=True, plain=True)
        self.source = text_label(name="locusSource", level="small", wrap=True, plain=True)
        self.seen = text_label(name="locusSeen", level="muted", plain=True)
        self.view = LocusView()
        self.view.moved.connect(self._say_seen)
        self.view.chosen.connect(lambda _start, _end, what: self._say_place(what))
        self.view.stepped.connect(self.step)
        self.view.left.connect(self.focus_go_to)
        head = card("locusHead", in_row((self.title, 1), self.seen), self.sentence, self._build_controls(), spacing=0.5)
        content = in_column(head, (self.view, 1), self.source, margins=2, spacing=1)
        shown = QWidget()
        shown.setLayout(content)
        features = push_button("locusEmptyFeatures", "Features…", TIP, self.choose_features, icon="open")
        self.empty = EmptyBox("locusEmpty", "No place yet", EMPTY, [features])
        around = QWidget()
        in_column(self.empty, margins=3, spacing=0, parent=around)
        self._stack = Sheets(around, shown)
        in_column(self._stack, spacing=0, parent=self)

    def _build_controls(self) -> FlowRow:
        self.go_to = line_edit(
            "locusGoTo", GO_TIP, hint="Position or gene", entered=self.go, width=22, accessible="Go to"
        )
        self.before = tool_button(
            "locusBefore", tip="The place before (Page Up)", does=lambda: self.step(-1), icon="arrow-left"
        )
        self.behind = tool_button(
            "locusBehind", tip="The next place (Page Down)", does=lambda: self.step(1), icon="arrow-right"
        )
        nearer = tool_button("locusNearer", "+", "Zoom in (+)", lambda: self.view.zoom(1.6))
        farther = tool_button(
            "locusFarther", "\N{MINUS SIGN}", "Zoom out (\N{MINUS SIGN})", lambda: self.view.zoom(1 / 1.6)
        )
        whole = push_button("locusWhole", "Whole", "Show the whole sequence (0)", self.view_whole, role="quiet")
        features = push_button("locusFeatures", "Features…", TIP, self.choose_features, icon="open")
        export = push_button(
            "locusExport", "Export…", "Write the part in sight: GenBank, GFF3, BED, SVG, PDF, PNG", self.export,
            icon="export",
        )  # fmt: skip
        return FlowRow.of(
            self.go_to, self.before, self.behind, nearer, farther, whole, features, export, self._build_others()
        )

    def view_whole(self) -> None:
        """Show the whole sequence."""
        self.view.show_whole()

    def _build_others(self) -> QPushButton:
        button = push_button("locusOpenIn", "Open in", "Show this part in another genome browser", icon="external")
        menu = make_menu("locusOthers", button)
        for name, text, tip, does in (
            ("igv", "IGV", "IGV must run on this computer, with this genome", self.open_in_igv),
            ("jbrowse", "JBrowse", "The page of your JBrowse, in the browser", self.open_in_jbrowse),
            ("jbrowseAddress", "Address of JBrowse…", "Where your JBrowse is", self.ask_jbrowse),
        ):
            menu_command(menu, name, text, tip, does)
        button.setMenu(menu)
        return button
