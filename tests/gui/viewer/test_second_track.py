"""The rows of symbols of query and subject, and the scores of columns of two tracks."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import save_picture
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows.layout import lay_out_rows
from swgui.gui.viewer.rows.second_track import NO_SECOND, second_track_of
from swgui.gui.viewer.rows.view import RowsView
from swgui.gui.viewer.shown import ShownHit
from swgui.io.export.base import ExportOptions
from swgui.io.export.html_report import write_html
from swgui.io.export.rows import symbol_rows
from swgui.io.export.text import pairwise_text
from swgui.io.saved.search import load_search
from tests.described import describe_hits

TRP_CAGE = Path(__file__).parents[2] / "data" / "structures" / "1l2y.pdb"


@pytest.fixture
def shown(tmp_path: Path) -> ShownHit:
    """The Trp-cage against itself without residues 9 and 10, by residues and shape."""
    folder = tmp_path / "models"
    folder.mkdir()
    lines = [line for line in TRP_CAGE.read_text("ascii").splitlines() if line[22:26] not in ("   9", "  10")]
    (folder / "shorter.pdb").write_text("\n".join(lines))
    database, saved = tmp_path / "models.swdb", tmp_path / "found.swgui"
    assert main(["makedb", "--structures", str(folder), "-o", str(database)]) == 0
    asked = ["--engine", "cpu", "--evalue", "1e6", "--max-hsps", "1", "--gap-open", "5", "--save", str(saved)]
    assert main(["search", "-q", str(TRP_CAGE), "-d", str(database), *asked]) == 0
    result = load_search(saved).result
    (hit,) = describe_hits(result, 0, [0])
    return ShownHit.of(result, hit)


def test_columns_add_up_to_the_score_of_both_tracks(shown):
    layout = lay_out_rows(shown.hit, shown.scheme)
    assert int(layout.running[-1]) == shown.hit.score
    assert set(bytes(layout.match)) <= set(bytes(layout.query)) | set(b" +")  # residues where they are the same
    track = second_track_of(shown, layout)
    assert track.name == "3Di"
    query, subject = (bytes(row.tobytes()) for row in track.rows)
    aligned = shown.hit.query_record.letters.text[shown.hit.alignment.query_start : shown.hit.alignment.query_end]
    assert query.replace(b"-", b"") == aligned
    assert (track.rows[0] == ord("-")).tolist() == (layout.query_positions == 0).tolist()
    assert len(subject) == len(layout)
    assert track.colours


def test_the_view_makes_room_for_both(shown, qtbot, monkeypatch):
    view = RowsView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.show_hit(shown)
    high = view.block_height()
    picture = view.grab().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(0, 600, 3) for y in range(0, 200, 3)}
    assert len(colours) > 8
    monkeypatch.setattr("swgui.gui.viewer.rows.view.second_track_of", lambda *_: NO_SECOND)
    view.show_hit(shown)
    assert view.block_height() == pytest.approx(high - 2 * view.glyphs().cell_height, abs=1.5)
    view.clear()
    assert not view.second


def test_pictures_have_the_rows_of_both(shown, qtbot, tmp_path):
    layout = lay_out_rows(shown.hit, shown.scheme)
    track = second_track_of(shown, layout)
    scheme = shipped_schemes()["similarity"]
    plain, both = Figure(shown.hit, layout, scheme), Figure(shown.hit, layout, scheme, second=track)
    assert both.size.height() > plain.size.height()
    save_picture(both, tmp_path / "both.svg")
    save_picture(plain, tmp_path / "plain.svg")
    texts, without = ((tmp_path / f"{name}.svg").read_text() for name in ("both", "plain"))
    assert (texts.count(">3Di<"), without.count(">3Di<")) == (2, 0)
    assert texts.count("<text") == without.count("<text") + 2 + 2 * len(layout)


def test_texts_and_reports_have_the_rows_of_both(shown):
    layout = lay_out_rows(shown.hit, shown.scheme)
    query, subject = (row.tobytes().decode() for row in second_track_of(shown, layout).rows)
    assert symbol_rows(shown.hit, shown.scheme) == ("3Di", (query, subject))
    lines = pairwise_text(shown.hit, shown.scheme).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("Query"))
    assert lines[first - 1].split() == ["3Di", query]
    assert lines[first + 3].split() == ["3Di", subject]
    assert lines[first - 1].index(query) == lines[first].index(layout.query.tobytes().decode())
    page = io.StringIO()
    write_html(shown.result, [shown.hit], page, ExportOptions())
    assert page.getvalue().count("3Di  ") == 2
