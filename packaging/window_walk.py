"""A walk through the window: each part of the program, with real searches, and pictures of it.

`packaging/screenshots.py` starts it on screens of several sizes.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
PATIENCE = 300  # seconds until something must have happened
SETTLED = 0.4  # seconds from a change until all is drawn
# Commands that open a dialog, and the part of the walk that shows it.
DIALOGS = {
    "results": ("export", "figure", "methods", "find-target", "explain-hit", "shuffle-hits", "find-distant"),
    "dialogs": ("input-report", "messages", "palette", "help", "tour", "about", "documentation"),
}
OWN = "DYR_ECOLI"  # a protein of the data that stands for the query
# Queries of the tasks of the page By rule, the file that is searched, and fields that are not left as they are.
RULES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "peptides": (">NP 383\nSRYWAIRTR\n>haem\nLLVVYPWTQ\n>both\nVVYPWTQRF\n", "protein", {"mismatches": 1}),
    "edits": (">active site\nHSSNWKIPEQ\n>globin\nKVLVYPWTQRFFESF\n", "protein", {"edits": 3}),
    "identity": (OWN, "protein", {"identity": "70 %"}),
    "window": (OWN, "sample", {}),
    "words": (OWN, "protein", {"length": 8}),
    "guides": (">lacZ 1\nGATCGTTGATGTCAGTACCG\n>random\nTTACGCTGGACTAGTCCGAT\n", "nucleotide", {"mismatches": 4}),
    "primers": (">27F\nAGAGTTTGATCCTGGCTCAG\n>1492R\nGGTTACCTTGTTACGACTT\n", "nucleotide", {"longest": 3000}),
}
# Genes of the lac operon of E. coli K-12, as NC_000913.3 has them.
LAC = "##gff-version 3\n" + "".join(
    f"NC_000913.3\tx\tgene\t{first}\t{last}\t.\t-\t.\tID={name};Name={name}\n"
    for name, first, last in (
        ("lacA", 361249, 361860),
        ("lacY", 361926, 363179),
        ("lacZ", 363231, 366305),
        ("lacI", 366428, 367510),
    )
)
IN_LACZ = ">lacZ_1\nCAACGTGACCTATCCCATTA\n"  # a guide
NOT_THERE = ">nowhere\nWWWWWWWWWWCW\n"
READ = (3000, 900)  # bases of the genome that stand for a read
ALANINE_TRNA = (225_499, 76)  # those of the gene alaV


class Walk:
    """One window that shows the parts of the program, and pictures of each in every theme and text size."""

    def __init__(self, options: argparse.Namespace) -> None:
        sys.path.insert(0, str(REPOSITORY))
        from swgui import app as program

        self.options = options
        self.size = tuple(map(int, options.sizes.split("x")))
        self.app = program.application()
        self.window = program.make_window(self.app)
        self.data: Path | None = options.data
        self.folder = Path(os.environ["SWGUI_DATA_DIR"]) / "made"
        self.folder.mkdir(parents=True, exist_ok=True)

    def go(self) -> int:
        """Take the requested pictures; return the exit status."""
        self.window.resize(*self.size)
        self.window.show()
        wanted = [part for part in self.options.only.split(",") if part]
        try:
            for name, part in PARTS.items():
                if not wanted or name in wanted:
                    began = time.monotonic()
                    part(self)
                    print(f"{self.options.sizes} {name}: {time.monotonic() - began:.0f} s", flush=True)
        finally:  # or a server's thread keeps the process alive
            self.window.close()
            self._pause(0.1)
        return 0

    # Pictures

    def _settings(self) -> Iterator[str]:
        """Yield the name of each setting once the window has it."""
        for theme in self.options.themes.split(","):
            for text in self.options.texts.split(","):
                self.window.theme.use(theme, int(text))
                self.window.resize(*self.size)
                self._pause(2 * SETTLED)
                scale = f"x{self.options.scales}" if self.options.scales != "100" else ""
                yield f"{theme}-{self.options.sizes}-{text}{scale}"

    def _shoot(self, name: str, opens: Callable[[], object] | None = None) -> None:
        """Write pictures of the window; of what `opens` opens where it is given."""
        for setting in self._settings():
            shown = self.window
            if opens is not None:
                opens()
                self._pause(3 * SETTLED)
                shown = self.app.activePopupWidget() or self._dialog() or self.window
            shown.grab().save(str(self.options.out / f"{name}-{setting}.png"))
            if shown is not self.window:
                shown.close()
                self._pause(SETTLED)
        self.window.theme.use(scale=100)

    def _dialog(self) -> Any:
        from PySide6.QtWidgets import QDialog

        opened = [part for part in self.app.topLevelWidgets() if isinstance(part, QDialog) and part.isVisible()]
        return self.app.activeModalWidget() or (opened[0] if opened else None)

    def _shoot_dialogs(self, part: str) -> None:
        for name in DIALOGS[part]:
            action = self.window.actions_table[name]
            if action.isEnabled():
                self._shoot(f"{part}-{name}", action.trigger)

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.app.processEvents()
            time.sleep(0.005)

    def _wait(self, until: Callable[[], object], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not until():
            if time.monotonic() > end:
                raise SystemExit(f"gave up waiting for {what}: {self.window.search_page.problem}")
            self._pause(0.02)

    # Data

    def _file(self, name: str) -> Path | None:
        """Return a file of the data; None where there are none."""
        return self.data / name if self.data is not None else None

    def _entries(self, name: str) -> list[str]:
        """Return the entries of a gzipped FASTA file, without their first sign."""
        assert self.data is not None
        return gzip.decompress((self.data / name).read_bytes()).decode().removeprefix(">").split("\n>")

    def _read(self, name: str, first: int, length: int) -> str:
        """Return some residues of the first sequence of a file."""
        return "".join(self._entries(name)[0].splitlines()[1:])[first : first + length]

    def _sequence(self, name: str) -> str:
        """Return the first protein of the data whose name holds some letters, as FASTA."""
        entries = self._entries("proteins/swissprot_16species.fasta.gz")
        return next(f">{entry}\n" for entry in entries if name in entry.split("\n")[0])

    # Parts of the walk

    def _fill(self, query: Path | str | None, database: Path | None) -> None:
        page = self.window.search_page
        self.window.show_page("search")
        if database is not None:
            self.window.opening.use_database_file(database)
        if isinstance(query, str):
            page.query.set_text(query)
        elif query is not None:
            self.window.opening.use_query_file(query)
        self._wait(lambda: not page.query.busy and not page.database.busy and page.ready, "query and database")

    def _search(self) -> None:
        """Search for what the Search page describes, and wait until the result is listed."""
        window = self.window
        shown = window.results_page.result
        window.run_search()
        self._wait(lambda: window.results_page.result not in (None, shown), "the result")
        self._listed()

    def _listed(self) -> None:
        window = self.window
        self._wait(lambda: window.controller.phase == "idle" and window.tasks.idle, "the hits")
        window.show_page("results")
        self._pause(0.5)
        self._wait(lambda: window.tasks.idle, "the alignment")

    def _search_page(self) -> None:
        window, page = self.window, self.window.search_page
        self._shoot("search-empty")
        window.begin()
        self._wait(lambda: page.ready, "the sample")
        self._shoot("search-filled")
        self._shoot("search-menu", lambda: page._copy.menu().popup(page._copy.mapToGlobal(page._copy.rect().topLeft())))
        self._sheet("search-sheet")
        page.choose_job("distant")
        self._sheet("search-sheet-rounds")
        self._shoot("search-distant")
        page.choose_job("shape")
        self._shoot("search-shape")
        page.choose_job("relatives")
        for name, text in (
            ("short", ">peptide of nine\nMKV5LWAU LL\n>peptide of nine\nACDEFGHIK\n>empty\n"),
            ("dna", ">dna\nACGTACGTTAGCATCGATCAGCATCAGCATACGACTCGACTACGCAGCATCAGCATCAGCAT\n"),
            ("wrong", "not 1 sequence {}"),
        ):
            page.query.set_text(text)
            self._wait(lambda: not page.query.busy, f"the query '{name}'")
            self._shoot(f"search-query-{name}")
            if name == "dna":
                self._sheet("search-sheet-translated")
        if database := self._file("proteins/swissprot_16species.fasta.gz"):
            self._fill(self._file("proteins/uniprot_500queries.fasta"), database)
            self._shoot("search-many")

    def _away(self) -> None:
        """Write pictures of a database of another computer, which answers here."""
        from unittest.mock import patch

        from PySide6.QtWidgets import QComboBox, QPushButton

        from swgui.gui.inputs.another_computer import AnotherComputer
        from swgui.io.remote.wire import Greeting, Listed

        days = ("2026-10-08", "2026-09-30", "2025-11-02")
        sizes = ((66_143_000, 18_900_000_000), (572_970, 207_600_000), (455, 3_099_734_149))
        names = (("uniref50", "protein"), ("swissprot", "protein"), ("hg38", "nucleotide"))
        listed = [
            Listed(name=name, alphabet=kind, checksum=name, sequences=count, residues=letters, made=day,
                   size=letters * (5 if kind == "protein" else 2) // 8)
            for (name, kind), (count, letters), day in zip(names, sizes, days, strict=True)
        ]  # fmt: skip

        def call(link: Any, *_what: Any, **_more: Any) -> Any:
            link.greeting = Greeting(1, "0.2.0")
            return listed

        page = self.window.search_page
        with (
            patch("swgui.io.remote.connections.Link.call", call),
            patch("swgui.gui.inputs.another_computer.remember_computer"),
        ):
            self.window.begin()
            self._wait(lambda: page.ready, "the sample")

            def ask() -> None:
                page.choose_away()
                dialog = self.window.findChild(AnotherComputer)
                dialog.findChild(QComboBox, "computerAddress").setEditText("anna@gpu1")
                dialog.findChild(QPushButton, "computerConnect").click()
                self._wait(lambda: dialog.model.rows, "the databases of the other computer")

            self._shoot("away-dialog", ask)
            ask()
            self.window.findChild(AnotherComputer).findChild(QPushButton, "computerChoose").click()
            self._pause(0.3)
            self._shoot("away-page")
            self._sheet("away-sheet")
            self.window.show_page("network")
            network = self.window.pages["network"]
            network.computer.use("anna@gpu1")
            self._shoot("away-network")

            def choose() -> None:
                network.computer.ask()
                dialog = self.window.findChild(AnotherComputer)
                dialog.findChild(QComboBox, "computerAddress").setEditText("https://gpu1.example.org:8889")
                dialog.findChild(QPushButton, "computerConnect").click()
                self._wait(dialog.findChild(QPushButton, "computerChoose").isEnabled, "the other computer")

            self._shoot("away-computer", choose)
            network.computer.use("")  # later parts run here

    def _sheet(self, name: str) -> None:
        """Write pictures of the sheet of settings, and of its end where it scrolls."""
        from PySide6.QtWidgets import QScrollArea

        sheet = self.window.search_page.sheet
        area = sheet.findChild(QScrollArea)
        self._shoot(name, sheet.open)
        self._shoot(
            f"{name}-end", lambda: (sheet.open(), self._pause(SETTLED), area.verticalScrollBar().setValue(10**6))
        )

    def _results(self) -> None:
        window = self.window
        window.show_page("results")
        self._shoot("results-empty")
        if self.data is None:
            window.opening.load_sample()
            self._fill(None, None)
        else:
            self._fill(self._sequence(OWN), self._file("proteins/swissprot_16species.fasta.gz"))
        window.run_search()
        window.toggle_activity()
        self._wait(lambda: window.controller.phase == "idle" or len(window.controller.state.wall) > 25, "the run")
        self._shoot("results-running")
        self._wait(lambda: window.controller.phase == "idle", "the end of the run")
        window.toggle_activity()
        self._listed()
        self._shoot("results-one")
        window.details_dock.show()
        self._pause(0.3)
        self._shoot("results-details")
        window.details_dock.hide()
        self._shoot_dialogs("results")
        window.scores_dock.hide()  # where any subject is found
        window.results_page.hits.search.setText("nothing has this name")
        self._shoot("results-filtered")
        window.results_page.hits.search.clear()

    def _rounds(self) -> None:
        from swgui.gui.viewer.family import FamilyView

        window = self.window
        results = window.results_page
        if self.data is not None:
            query = self._file("proteins/cudasw_20queries.fasta")
            assert query is not None
            self._fill(f">{query.read_text().split('>')[1]}", self._file("proteins/swissprot_16species.fasta.gz"))
            self._search()
            self._shoot("rounds-before")
        for rounds in (2, 3):
            self._shoot(f"rounds-ask-{rounds}", results.again.ask)
            results.again.ask().start.click()
            self._wait(lambda: len((results.result and results.result.queries[0].rounds) or ()) >= rounds, "a round")  # noqa: B023
        self._listed()
        results.alignment.set_mode("family")
        self._wait(lambda: results.alignment.view(FamilyView).logo.logo is not None, "the logo")
        results.alignment.whole_button.setChecked(True)
        self._shoot("rounds-family")
        results.alignment.whole_button.setChecked(False)
        self._pause(0.3)
        results.columns.setSizes([100, 200, 340])
        self._shoot("rounds-after")
        results.alignment.set_mode("wrapped")
        self._compare_profiles()

    def _compare_profiles(self) -> None:
        """Compare the profile of the rounds with profiles of their hits."""
        import swgui
        from swgui.io.database.library import remember_database

        results, place = self.window.results_page, self.folder / "relatives.swdb"
        found = results.result.queries[0].hits.db_index[:12].tolist()
        records = [results.result.database.record(subject) for subject in found]
        proteins = self.folder / "relatives.fasta"
        proteins.write_text("".join(f">{one.header}\n{one.residues.decode()}\n" for one in records))
        swgui.Database.build_profiles(proteins, place, build_database=proteins, iterations=2)
        remember_database(place)
        self._shoot("profiles-dialog", results.again.ask)
        self._shoot("profiles-menu", lambda: results.again.ask().profiles.click())
        results.again.ask()._compare(place)
        self._wait(lambda: results.result.database.profiles is not None, "the comparison")
        self._listed()
        results.choose(1, -1)  # a subject that is not the query
        results.alignment.set_mode("wrapped")
        self._shoot("profiles-after")
        results.alignment.whole_button.setChecked(True)
        self._shoot("profiles-whole")
        results.alignment.whole_button.setChecked(False)

    def _translated(self) -> None:
        if (proteins := self._file("proteins/swissprot_16species.fasta.gz")) is None:
            return
        read = self._read("dna/GCF_000005845.2_ASM584v2_genomic.fna.gz", *READ)
        self._fill(f">read\n{read[:400]}{read[401:]}\n", proteins)
        self._shoot("translated-search")
        self._sheet("translated-sheet")
        self._search()
        self._shoot("translated-results")
        self.window.search_page.choose_job("reads")
        self._fill(None, None)
        self._search()
        self._shoot("translated-frameshifts")

    def _structures(self) -> None:
        from swgui.gui.inputs.opened import Build
        from swgui.gui.viewer.shape import ShapeView

        if self.data is None:
            return
        files, out, page = sorted((self.data / "structures").glob("*.gz")), self.folder / "globins.swdb", self.window
        page.search_page.database.build(Build(tuple(files), out, "globins"))
        self._wait(lambda: out.is_file() and not page.search_page.database.busy, "the database of structures")
        self._fill(self.data / "structures" / "d1asha_.pdb.gz", out)
        self._shoot("structures-search")
        self._search()
        self._shoot("structures-results")
        page.results_page.choose(1, -1)  # a subject that is not the query
        page.results_page.alignment.set_mode(ShapeView.name)
        self._pause(1)
        self._shoot("structures-shape")

    def _rules(self) -> None:
        from swgui.gui.inputs.opened import sample_database

        self.window.show_page("rules")
        page = self.window.pages["rules"]
        self._wait(lambda: not page.database.busy, "the database")
        self._shoot("rules-empty")
        files = {"sample": sample_database(),
                 "protein": self._file("proteins/swissprot_16species.fasta.gz") or sample_database(),
                 "nucleotide": self._file("dna/GCF_000005845.2_ASM584v2_genomic.fna.gz")}  # fmt: skip
        for task, (text, kind, fields) in RULES.items():
            if files[kind] is None or (text == OWN and self.data is None):
                continue
            page.show_part("setup")
            page.form.choose(task)
            for name, value in fields.items():
                control = page.form.controls[task][name].control
                control.setText(value) if isinstance(value, str) else control.setValue(value)
            page.database.open(files[kind])
            page.queries.set_text(self._sequence(text) if text == OWN else text)
            self._wait(lambda: page.ready and not page.database.busy, f"the rule of {task}")
            self._shoot(f"rules-{task}")
            self._find(page)
            self._shoot(f"rules-{task}-found")
        self._shoot("rules-certificate", page.view.certificate)
        self._shoot("rules-export", page.view.export)
        page.form.choose("peptides")
        page.database.open(files["protein"])
        page.queries.set_text(NOT_THERE)
        self._wait(lambda: page.ready and not page.database.busy, "the rule without a place")
        self._find(page)
        self._shoot("rules-none")

    def _find(self, page: Any) -> None:
        before = page.result
        page.start()
        self._wait(lambda: page.result is not before and not page.running and page.tasks.idle, "the places")
        page.show_part("result")

    def _locus(self) -> None:
        window, genome = self.window, self._file("dna/GCF_000005845.2_ASM584v2_genomic.fna.gz")
        window.show_page("locus")
        self._shoot("locus-empty")
        if genome is None:
            return
        genes = self.folder / "lac.gff3"
        genes.write_text(LAC, encoding="utf-8")
        window.show_page("rules")
        rules, page = window.pages["rules"], window.pages["locus"]
        rules.show_part("setup")
        rules.form.choose("guides")
        rules.form.controls["guides"]["mismatches"].control.setValue(4)
        rules.database.open(genome)
        rules.queries.set_text(IN_LACZ)
        self._pause(1.0)  # until the page looks at the queries
        self._wait(lambda: rules.ready and rules.tasks.idle and not rules.database.busy, "the rule of guides")
        self._find(rules)
        page.choice.open(genes)
        self._wait(lambda: page.choice.annotation is not None, "the features")
        self._shoot("locus-rules")
        rules.view.show_on_sequence()
        self._wait(lambda: page.scene is not None, "the sequence")
        self._shoot("locus-place")
        page.view.show_range(365_960, 366_020)
        self._shoot("locus-bases")
        page.view_whole()
        self._shoot("locus-whole")

    def _pair(self) -> None:
        self.window.show_page("pair")
        page = self.window.pages["pair"]
        self._shoot("pair-empty")
        if human := self._file("dna/MT-human.fa"):
            page.setup.query.open_file(human)
            page.setup.subject.open_file(human.with_name("MT-chimp.fa"))
        else:
            page.setup.load_sample()
        self._wait(lambda: page.ready, "the pair")
        self._shoot("pair-before")
        page.align()
        self._wait(lambda: page.result is not None and page.control.phase == "idle", "the alignment of the pair")
        page.result_view.map.show_whole()
        self._pause(1.0)
        self._shoot("pair-after")
        page.next_difference()
        page.result_view.map_panel.show_residues()
        self._shoot("pair-residues")
        self._shoot("pair-export", self.window.actions_table["pair-export"].trigger)
        self._shoot("pair-position", self.window.actions_table["pair-position"].trigger)

    def _compare(self, page: Any) -> None:
        """Compare real proteins all against all, or those of the sample."""
        proteins = self._file("proteins/uniprot_500queries.fasta")
        if proteins:
            page.use_file(proteins)
        else:
            page.use_sample()

    def _network(self) -> None:
        import numpy as np

        self.window.show_page("network")
        page = self.window.pages["network"].network
        self._shoot("network-empty")
        self._compare(page)
        shown = page.shown
        self._wait(lambda: shown.cut is not None and not shown.cutting.busy and not page.running, "the network")
        self._pause(2.0)
        self._shoot("network")
        box = page.controls.represented
        box.setCurrentIndex(box.findData(0.5))
        box.activated.emit(box.currentIndex())
        self._wait(lambda: shown.cut is not None and not shown.cutting.busy and not shown.collapsing.busy, "collapsing")
        at = int(shown.loaded.members.argmax())
        page._chosen_in_view([at])
        page.view.select(np.array([at]))
        self._shoot("network-representatives")
        self._sets()

    def _sets(self) -> None:
        """Show the questions on sets, with the sample."""
        page = self.window.pages["network"]
        for kind in ("split", "judge", "cluster", "leak"):
            before = page.sets.view.result
            page.ask(kind)
            if before is None:
                self._shoot("network-sets-empty")
            page.use_sample()
            self._wait(lambda: not page.sets.form.problem, "the sample")
            page.start()
            self._wait(lambda: page.sets.view.result is not before and not page.running, "the answer")  # noqa: B023
            self._pause(0.3)
            self._shoot(f"network-{kind}")

    def _databases(self) -> None:
        window = self.window
        window.show_page("databases")
        page = window.pages["databases"]
        self._pause(0.5)
        self._shoot("databases-empty")
        self._shoot("databases-download", page.show_downloads)
        page.add_sample()
        if self.data is not None:
            files = [self.data / "dna" / "MT-human.fa"]
            self._shoot("databases-build", lambda: page.take_files(files))
        self._wait(lambda: page.list.rows and not page.busy, "the sample as a database")
        if real := [row.path for row in page.list.rows if "swissprot" in row.name]:
            page.list.choose(real[0])
        self._pause(0.5)
        self._shoot("databases")

    def _runs(self) -> None:
        window = self.window
        window.show_page("runs")
        self._pause(0.5)
        self._shoot("runs")
        window.show_page("search")
        window.toggle_activity()
        self._shoot("activity")
        window.toggle_activity()

    def _project(self) -> None:
        """Show a project: its runs with stars and notes, and these on the rows of results of three kinds."""
        from swgui.gui.inputs.opened import sample_database
        from swgui.runs.projects.folder import Project

        window = self.window
        window.begin()
        window.projects.open(Project.make(self.folder / "globins", "Globins of lampreys").folder)
        self._wait(lambda: window.search_page.ready, "the sample")
        self._search()
        marks, table = window.runs_page.marks, window.results_page.hits.table
        for row in (1, 3):
            table.select_row(row)
            table.toggle("starred")
        subject = window.results_page.result.database.ids[window.results_page.hits.data.subject(3)]
        marks.write(subject, "compare with lamprey, exon 2")
        table.show_columns(["tick", "rank", "star", "sseqid", "stitle", "evalue", "verdict", "note"])
        self._shoot("project-results")
        window.show_page("rules")
        page = window.pages["rules"]
        page.form.choose("peptides")
        page.database.open(sample_database())
        page.queries.set_text(">alpha\nVLSPADKTNVKAAWGKVG\n>any\nFFESFGDLST\n")
        self._wait(lambda: page.ready and not page.database.busy, "the rule")
        page.form.controls["peptides"]["mismatches"].control.setValue(3)
        self._wait(lambda: page.ready, "the rule")
        self._find(page)
        marks.write(page.result.database.ids[int(page.result.places.subject[0])], "control of the lab")
        self._shoot("project-rules")
        window.show_page("network")
        network = window.pages["network"].network
        self._compare(network)
        shown = network.shown
        self._wait(lambda: shown.cut is not None and not shown.cutting.busy and not network.running, "the network")
        network._chosen_in_view([0])
        marks.toggle([network.lists.sequences.rows[0][1]])
        self._pause(2.0)
        self._shoot("project-network")
        self._wait(lambda: len(window.runs_page.records) == 3, "the runs")
        record = window.runs_page.records[-1]
        marks.toggle([record.id], "runs")
        marks.write(record.id, "the search of figure 2", "runs")
        window.show_page("runs")
        self._pause(0.5)
        self._shoot("project-runs")
        self._shoot("project-note", window.runs_page.note_selected)
        menu = next(iter(window.actions_table["project-new"].associatedObjects()[:1]))
        self._shoot("project-menu", lambda: menu.popup(window.mapToGlobal(window.rect().topLeft())))
        window.projects.close()

    def _watches(self) -> None:
        """Show how a search is watched, the list of watches, and changes of a newer release."""
        from swgui.gui.inputs.opened import sample_database
        from swgui.paths import resources_dir
        from swgui.runs.watches.watch import Watch, watches_folder

        window, release = self.window, self.folder / "proteins.fasta"
        text = gzip.decompress(Path(sample_database()).read_bytes()).decode()
        records = [f">{one}" for one in text.removeprefix(">").split("\n>")]
        release.write_text("\n".join(records[::2]) + "\n")
        query = (resources_dir() / "examples" / "sample_proteins.fasta").read_text("utf-8")
        window.begin()
        self._fill(f">{query.split('>')[1]}", release)
        self._search()
        tools, root = window.tools, watches_folder()
        self._shoot("watches-none", tools.show_watches)
        self._shoot("watches-add", tools.watch_search)
        for name in ("globins", "kinases"):
            tools.watch_search()
            self._wait(lambda: self._dialog(), "the dialog")
            self._dialog().name.setText(name)
            self._dialog().add()
            self._wait(lambda name=name: Watch(root, name).state.last == 1, "the baseline")
            self._pause(SETTLED)
            self._dialog().close()
            self._pause(SETTLED)
        self._shoot("watches-baseline", tools.show_watches)
        release.write_text("\n".join(records[1:]) + "\n")
        tools.show_watches("globins")
        self._wait(lambda: Watch(root, "globins").state.last == 2, "the newer release")
        self._pause(SETTLED)
        self._dialog().close()
        self._pause(SETTLED)
        self._shoot("watches-news", tools.show_watches)
        (root / "kinases" / "state.json").write_text("{")
        self._shoot("watches-fault", tools.show_watches)

    def _device(self) -> None:
        window = self.window
        window.show_page("device")
        if not window.devices.engines:  # without the pages before, which look for them
            window.devices.begin()
        self._wait(lambda: bool(window.devices.engines), "the devices")
        self._pause(0.5)
        self._shoot("device")
        window.run_self_check()
        self._wait(lambda: not window.device_page.checking, "the self-check")
        self._shoot("device-checked")

    def _folding(self) -> None:
        from swgui.gui.inputs.opened import sample_database

        window, settings = self.window, self.window.settings.folding
        settings.databases, settings.address = [str(sample_database())], "127.0.0.1:18889"
        window.show_page("folding")
        page = window.pages["folding"]
        self._pause(0.5)
        self._shoot("folding")
        page.start()
        self._wait(lambda: page.server is not None, "the folding server")
        for kind, mode in (("msa", "env"), ("pair", "pairgreedy-env")):
            page.server.tickets.submit(
                "local", kind, mode, ">101\nMVLSPADKTNVKAAWG\n>102\nMVHLTPEEKSAVTALW\n", [16, 16], mode, 50
            )
        page.server._queue.notify()
        self._wait(lambda: page.jobs.rows and not any(job.live for job in page.jobs.rows), "two jobs")
        self._shoot("folding-jobs")
        page.table.selectRow(next(row for row, job in enumerate(page.jobs.rows) if job.kind == "msa"))
        page.show_depth()
        self._wait(lambda: self._dialog(), "the depth of a job")
        self._dialog().close()
        self._shoot("folding-depth", lambda: (page.show_depth(), self._wait(lambda: self._dialog(), "the depth")))
        page.stop()
        self._wait(lambda: not page.running, "the end of the folding server")

    def _rna(self) -> None:
        """Search a genome in rounds with a tRNA, written with U."""
        from swgui.gui.viewer.covariation.view import CovariationView
        from swgui.gui.viewer.family import FamilyView

        if (genome := self._file("dna/GCF_000005845.2_ASM584v2_genomic.fna.gz")) is None:
            return
        window, results = self.window, self.window.results_page
        transfer = self._read("dna/GCF_000005845.2_ASM584v2_genomic.fna.gz", *ALANINE_TRNA).replace("T", "U")
        self._fill(f">alaV tRNA-Ala\n{transfer}\n", genome)
        window.search_page.choose_job("distant")
        self._shoot("rna-search")
        self._sheet("rna-sheet")
        self._search()
        self._shoot("rna-results")
        self._shoot("rna-explain", window.actions_table["explain-hit"].trigger)
        self._shoot("rna-ask", results.again.ask)
        results.alignment.set_mode("family")
        self._wait(lambda: results.alignment.view(FamilyView).logo.logo is not None, "the logo")
        results.alignment.whole_button.setChecked(True)
        self._shoot("rna-family")
        results.alignment.set_mode("covariation")
        self._wait(lambda: results.alignment.view(CovariationView).panel.found, "pairs of columns")
        self._shoot("rna-covariation")
        results.alignment.whole_button.setChecked(False)
        results.alignment.set_mode("family")
        self._shoot("rna-after")
        results.alignment.set_mode("wrapped")
        for name in ("export", "methods"):
            self._shoot(f"rna-{name}", window.actions_table[name].trigger)

    def _covariation(self) -> None:
        from swgui.gui.viewer.covariation.dialog import AlignmentDialog
        from swgui.io.sample_files import write_sample

        list(write_sample(self.folder, ["rna.sto"]))

        def opens() -> None:
            dialog = AlignmentDialog(self.window.tasks, self.window)
            dialog.show()
            dialog.read(self.folder / "rna.sto")
            self._wait(lambda: dialog.panel.found, "pairs of columns")
            dialog.panel.choose(8)

        self._shoot("covariation-file", opens)

    def _dialogs(self) -> None:
        window = self.window
        window.show_page("search")
        window.notifications.post("warning", "The file of the last database is missing.", "/data/old.swdb")
        window.notifications.error(ValueError("an example of a fault"))
        self._shoot("dialogs-notes")
        self._shoot_dialogs("dialogs")
        window.help_desk.tour.leave()


PARTS: dict[str, Callable[[Walk], None]] = {
    "search": Walk._search_page,
    "away": Walk._away,
    "results": Walk._results,
    "rounds": Walk._rounds,
    "translated": Walk._translated,
    "structures": Walk._structures,
    "rules": Walk._rules,
    "locus": Walk._locus,
    "pair": Walk._pair,
    "network": Walk._network,
    "databases": Walk._databases,
    "runs": Walk._runs,
    "project": Walk._project,
    "watches": Walk._watches,
    "device": Walk._device,
    "folding": Walk._folding,
    "covariation": Walk._covariation,
    "rna": Walk._rna,
    "dialogs": Walk._dialogs,
}
