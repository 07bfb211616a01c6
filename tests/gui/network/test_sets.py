"""Questions on sets: the form, the answer, its filters, what leaves it, Stop and Resume."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from swgui.cli import main
from swgui.core.engines import EngineOptions
from swgui.gui.inputs.drop import Dropped
from swgui.gui.network.page import NetworkPage
from swgui.gui.network.requests import Using
from swgui.gui.network.sets.questions import QUESTIONS
from swgui.gui.network.sets.tab import KEPT
from swgui.gui.runs.queue import RunQueue, SearchController
from swgui.io.marks import marks_place, read_marks
from swgui.jobs import forecast
from swgui.jobs.network import edges as pairs
from swgui.runs import Runs
from swgui.settings import Settings
from tests.gui.named import named
from tests.runs.life import stop_after

pytestmark = pytest.mark.gui
KINDS = [question.kind for question in QUESTIONS]


@pytest.fixture
def page(qtbot, user_folders) -> NetworkPage:
    made, history = NetworkPage(Using(Settings(), lambda: ("cpu", EngineOptions()), Runs())), Runs()
    queue = RunQueue(SearchController(), history, made)  # as the window connects the two
    for control in made.runners:
        queue.register(control)
    made.queue_wanted.connect(lambda asked: [queue.add(one, made.kind_of(one)) for one in asked])
    qtbot.addWidget(made)
    made.resize(1200, 700)
    made.show()
    yield made
    made.shutdown()


@pytest.fixture
def files(fasta: Path, tmp_path: Path) -> dict[str, dict[str, Path]]:
    """Return the files of each question: half of the sequences is the test, and all are in one cluster."""
    records = fasta.read_text().split(">")[1:]
    train, test, clusters = tmp_path / "train.fa", tmp_path / "test.fa", tmp_path / "clusters.tsv"
    train.write_text("".join(f">{record}" for record in records[::2]))
    test.write_text("".join(f">{record}" for record in records[1::2]))
    clusters.write_text("".join(f"all\t{record.split()[0]}\n" for record in records))
    return {
        "leak": {"train": train, "test": test},
        "judge": {"clusters": clusters, "fasta": fasta},
        "split": {"fasta": fasta},
        "cluster": {"fasta": fasta},
    }


def answered(page: NetworkPage, kind: str, files: dict[str, dict[str, Path]], qtbot) -> Any:
    """Ask a question, and return its answer."""
    before = page.sets.view.result
    page.ask(kind)
    page.sets.form.use(**files[kind])
    assert page.states() >= {"sets-ready"}
    page.start()
    qtbot.waitUntil(lambda: page.sets.view.result is not before and not page.running, timeout=20_000)
    return page.sets.view.result


def sentences(view):
    """Return the sentences of an answer, whatever spaces the window keeps together: ``90 %`` never breaks there."""
    return [view.answer.text(), *view.others.text().replace("\xa0", " ").splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_has_the_sentences_of_the_command(
    kind: str, page: NetworkPage, files, tmp_path: Path, qtbot, capsys
) -> None:
    result = answered(page, kind, files, qtbot)
    view = page.sets.view
    assert {view.report_button.isHidden(), view.certificate_button.isHidden()} == {kind != "leak"}
    said = sentences(view)
    page.copy_command()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:2] == ["swgui", kind]
    assert main([*words[1:], "-o", str(tmp_path / "table.tsv")]) == 0
    assert capsys.readouterr().err.splitlines()[-len(said) :] == [f"swgui: {sentence}" for sentence in said]
    page.copy_python()
    found: dict[str, Any] = {}
    exec(QGuiApplication.clipboard().text(), found)
    assert found["found"].sentences == said
    assert len(found["found"]) == result.source.count
    (record,) = Runs().list()
    assert (record.kind, record.state) == (kind, "done")
    shown = view.result
    page.take_outcome(Runs().open(record.id))  # as of the list of runs
    qtbot.waitUntil(lambda: view.result is not shown and not page.running)
    assert sentences(view) == said
    view.verify()
    qtbot.waitUntil(lambda: not view.verifying.busy)
    assert named(view, "setsResultNote").text().endswith("nothing differs.")
    table = view.table
    if result.source.count:
        table.selectRow(0)
        qtbot.keyClick(table, Qt.Key.Key_S)
        name = view.result.name_at(int(table.rows_model.rows[0]))
        assert page.network.marks.of(name).star
        view.starred.click()
        qtbot.waitUntil(lambda: {view.result.name_at(row) for row in table.rows_model.rows.tolist()} == {name})
        qtbot.waitUntil(lambda: name in read_marks(marks_place(Runs().folder)).records)


def test_the_numbers_of_a_leak_list_their_rows(page: NetworkPage, files, qtbot) -> None:
    result = answered(page, "leak", files, qtbot)
    view, counts = page.sets.view, result.kept.outcome.leaks.counts()
    texts = [button.text() for button in view.filters]
    assert texts[0] == f"all: {result.source.count}"
    assert texts[1 : 1 + len(counts)] == [f"{step} %: {number}" for step, number in counts.items()]
    assert f"any neighbour: {result.kept.outcome.found}" in texts
    assert 0 < counts[80] < result.source.count
    assert all(button.isVisible() for button in view.filters)
    view.filters[1 + list(counts).index(80)].click()
    qtbot.waitUntil(lambda: len(view.table.rows_model.rows) == counts[80])
    assert named(page, "setsRows").text().startswith(f"{counts[80]} of {result.source.count} rows")
    with qtbot.waitSignal(view.pair_wanted) as asked:
        view.open_row(0)
    query, subject, scheme, strand = asked.args
    row = [column.whole(0) for column in result.source.columns[:2]]
    assert {query.id, subject.id} == set(row)
    assert (scheme.matrix.name, strand) == ("BLOSUM62", "plus")


@pytest.mark.parametrize("kind", ["judge", "split", "cluster"])
def test_filters_have_the_numbers_of_the_sentences(kind: str, page: NetworkPage, files, qtbot) -> None:
    result = answered(page, kind, files, qtbot)
    outcome = result.kept.outcome
    counts = [count for line in result.answer.lines for count in line.counts]
    numbers = [int(result.rows(count).sum()) for count in counts]
    assert numbers == [count.number for count in counts]
    assert sum(numbers) == result.source.count
    if kind == "judge":
        assert numbers == [outcome.parted, outcome.found - outcome.parted]
        with qtbot.waitSignal(page.sets.view.pair_wanted) as asked:
            page.sets.view.open_row(0)
        at = [column.key for column in result.source.columns].index("qseqid")
        assert {one.id for one in asked.args[:2]} == {column.whole(0) for column in result.source.columns[at : at + 2]}
    elif kind == "split":
        assert [count.head for count in counts] == ["train", "valid", "test", "left out"]
    else:
        assert outcome.found == numbers[1] + len(set(outcome.named.clusters.representative)) - numbers[1]


def test_an_answer_is_written(page: NetworkPage, files, tmp_path: Path, qtbot, monkeypatch) -> None:
    answered(page, "leak", files, qtbot)
    view = page.sets.view
    for write, name in (
        (page.export, "table.csv"),
        (page.save, "run.result"),
        (view.certificate, "leak.json"),
        (view.report, "leaks.html"),
    ):
        answer = str(tmp_path / name), ""
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, answer=answer: answer)
        with qtbot.waitSignal(page.message) as said:
            write()
        assert said.args == [f"Written to {name}."]
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert len(lines) == 1 + view.result.source.count
    assert main(["verify", str(tmp_path / "leak.json")]) == 0
    assert main(["verify", str(tmp_path / "run.result")]) == 0
    assert json.loads((tmp_path / "leak.json").read_text())["sentence"].startswith(view.answer.text())
    assert view.answer.text().replace("'", "&#x27;") in (tmp_path / "leaks.html").read_text()


def test_the_form_says_what_is_missing(page: NetworkPage, files, qtbot) -> None:
    form = page.sets.form
    page.ask("leak")
    assert form.problem == "Choose a file: Training."
    form.use(train=files["leak"]["train"])
    assert form.problem == "Choose the test sequences, or a table of parts."
    form.use(train=files["leak"]["train"], test="nowhere.fa")
    assert "'nowhere.fa'" in form.problem
    named(page.sets, "dropLayer").targets[0].use(Dropped((files["leak"]["test"],)))
    assert "'nowhere.fa'" in form.problem  # it went to the empty field, of the table
    form.use(**files["leak"])
    assert not form.problem
    assert form.start_button.isEnabled()
    coverage = next(field for field in form.fields["leak"] if field.option.key == "coverage")
    coverage.control.setText("120 %")
    assert form.problem.startswith("Covered at least: '120 %' is no share")
    assert not form.start_button.isEnabled()
    coverage.control.setText("70")
    assert form.values()["coverage"] == 0.7
    page.ask("split")
    bins = next(field for field in form.fields["split"] if field.option.key == "bins")
    assert (bins.control.text(), bins.value()) == ("80,10,10", [80.0, 10.0, 10.0])


def test_the_sample_is_filled_in(page: NetworkPage, qtbot) -> None:
    for kind in KINDS:
        page.ask(kind)
        page.use_sample()
        qtbot.waitUntil(lambda: not page.sets.form.problem)


def test_a_stopped_comparison_is_kept_and_resumed(page: NetworkPage, files, qtbot, monkeypatch) -> None:
    monkeypatch.setattr(pairs, "BLOCK", 3)
    page.ask("cluster")
    page.sets.form.use(**files["cluster"])
    control = page.sets.asking.controls["cluster"]
    with monkeypatch.context() as patch:
        stop_after(patch, lambda: control.task.stop(), 2)
        page.start()
        qtbot.waitUntil(lambda: named(page, "setsNote").text() == KEPT, timeout=20_000)
    assert page.states() >= {"network-resumable"}
    assert page.sets.asking.resume_button.isVisible()
    page.resume()
    qtbot.waitUntil(lambda: page.sets.view.result is not None and not page.running, timeout=20_000)
    assert not page.sets.asking.resume_button.isVisible()
    assert [record.state for record in Runs().list()] == ["done"]


def test_a_long_comparison_begins_when_the_user_agrees(page: NetworkPage, files, qtbot, monkeypatch) -> None:
    monkeypatch.setattr(forecast, "MANY_CELLS", 10)
    page.ask("leak")
    page.sets.form.use(**files["leak"])
    page.start()
    qtbot.waitUntil(lambda: page.sets.asking.begin_button.isVisible())
    assert named(page, "setsNote").text().startswith("42 pairs of sequences, ")
    assert Runs().list() == []
    page.sets.asking.begin_button.click()
    qtbot.waitUntil(lambda: page.sets.view.result is not None)


@pytest.mark.styled
@pytest.mark.sampled(1)
@pytest.mark.parametrize("scale", [100, 200])
def test_the_form_and_the_answer_fit_a_small_screen(scale: int, page: NetworkPage, theme, files, qtbot) -> None:
    answered(page, "leak", files, qtbot)
    theme.use(scale=scale)
    page.restyle()
    page.resize(1104, 640)  # next to the rail
    qtbot.wait(50)
    assert page.minimumSizeHint().width() <= 1104
    assert page.minimumSizeHint().height() <= 640
    side, both = named(page, "setsSide"), scale == 100
    assert (side.isVisible(), page.sets.view.isVisible()) == (both, True)
    if not both:
        page.show_tab(page.network)
        assert page.minimumSizeHint().height() <= 640
        page.show_tab(page.sets)
        named(page, "setsQuestion").click()
        assert (side.isVisible(), page.sets.view.isVisible()) == (True, False)
