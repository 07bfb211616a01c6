import json
from dataclasses import dataclass
from typing import Annotated

import pytest
from msgspec import Meta

from swgui import settings as store
from swgui.settings import Settings
from tests.scripts import load_script

pytestmark = pytest.mark.usefixtures("user_folders")


def test_without_a_file_there_are_defaults():
    settings = store.load()
    assert settings == Settings()
    assert settings.search.protein.matrix == "BLOSUM62"
    assert settings.search.nucleotide.search == {"strand": "both"}


def test_what_is_written_comes_back(tmp_path):
    settings = Settings()
    settings.search.protein.matrix = "BLOSUM45"
    settings.search.nucleotide.search = {"limits": {"max_evalue": 1e-5}}
    settings.display.text_scale = 150
    settings.remember_database(tmp_path / "Öpfel und Birnen.swdb")
    settings.remember_speed("cuda", ("NVIDIA H200",), 5000.0)
    store.save(settings)
    assert store.load() == settings
    assert list(store.default_path().parent.iterdir()) == [store.default_path()]


def test_a_failed_write_leaves_the_old_file(monkeypatch):
    store.save(Settings())
    before = store.default_path().read_bytes()
    monkeypatch.setattr(store.json, "dump", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        store.save(Settings(speeds={"cpu": 1.0}))
    assert store.default_path().read_bytes() == before
    assert len(list(store.default_path().parent.iterdir())) == 1


def _write(data):
    store.default_path().parent.mkdir(parents=True, exist_ok=True)
    store.default_path().write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", "\x00\x01", '{"search": {"protein": '])
def test_a_damaged_file_is_set_aside(text):
    _write(text)
    settings = store.load()
    assert settings.search == Settings().search
    assert "damaged" in settings.problems[0]
    assert not store.default_path().exists()
    assert store.default_path().with_suffix(".damaged.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"display": {"text_scale": 20}}, "display.text_scale"),
        ({"display": {"text_scale": True}}, "display.text_scale"),
        ({"display": {"theme": "pink"}}, "display.theme"),
        ({"display": "dark"}, "display"),
        ({"search": {"protein": {"gap_open": -3}}}, "search.protein.gap_open"),
        ({"search": {"protein": {"gap_open": 1.5}}}, "search.protein.gap_open"),
        ({"search": {"nucleotide": {"search": "10"}}}, "search.nucleotide.search"),
        ({"recent": {"databases": ["a", 3]}}, "recent.databases"),
        ({"speeds": {"cpu": -1}}, "speeds"),
    ],
)
def test_a_bad_value_is_named_and_replaced(data, named):
    _write(data)
    settings = store.load()
    (problem,) = settings.problems
    assert named in problem
    settings.problems = []
    assert settings == Settings()


def test_good_values_beside_bad_and_unknown_ones_are_kept():
    _write({"nonsense": 1, "search": {"protein": {"gap_open": 9, "gap_extend": "x", "colour": "red"}}})
    settings = store.load()
    assert settings.search.protein.gap_open == 9
    assert settings.search.protein.gap_extend == 1
    assert len(settings.problems) == 1


def test_a_file_of_a_newer_version_is_read_as_far_as_it_goes():
    _write({"schema_version": 99, "display": {"theme": "dark"}})
    settings = store.load()
    assert settings.display.theme == "dark"
    assert "newer version" in settings.problems[0]
    assert settings.schema_version == store.SCHEMA_VERSION


def test_the_view_of_one_alignment_keeps_its_colours_and_key_under_its_new_name():
    kept = {"color_schemes": {"pair": "own:Loud", "stacked": "none"}}
    _write({"schema_version": 2, "results": kept, "shortcuts": {"view-pair": "F9", "help": ""}})
    settings = store.load()
    assert settings.results.color_schemes == {"wrapped": "own:Loud", "stacked": "none"}
    assert settings.shortcuts == {"view-wrapped": "F9", "help": ""}
    _write({"schema_version": 2, "results": {"color_schemes": 3}, "shortcuts": []})
    assert store.load().results.color_schemes == {}


def test_what_version_1_kept_of_a_search_is_kept():
    flat = {"matrix": "PAM30", "max_evalue": 3.0, "top": 500, "min_identity": 40.0, "rounds": 4, "inclusion": "wide"}
    _write({"schema_version": 1, "search": {"protein": flat, "query_code": 11, "frameshift": 15}})
    search = store.load().search
    limits = {"max_evalue": 3.0, "minimums": {"identity": 40.0}}
    assert search.protein.search == {"limits": limits, "iteration": {"rounds": 4, "preset": "wide"}}
    assert (search.protein.matrix, search.nucleotide.search) == ("PAM30", {"strand": "both"})
    assert search.translation == {"query_code": 11, "shift": 15}


def test_an_older_file_goes_through_every_migration(monkeypatch):
    monkeypatch.setitem(store.MIGRATIONS, -1, lambda data: data | {"look": data["colours"]})
    monkeypatch.setitem(store.MIGRATIONS, 0, lambda data: data | {"display": {"theme": data["look"]}})
    _write({"schema_version": -1, "colours": "dark"})
    settings = store.load()
    assert settings.display.theme == "dark"
    assert settings.problems == []


def test_recent_files_are_newest_first_and_few(tmp_path):
    settings = Settings()
    for number in [*range(20), 15]:
        settings.remember_query(tmp_path / f"{number}.fasta")
    assert len(settings.recent.queries) == store.RECENT_LIMIT
    assert settings.recent.queries[:2] == [str(tmp_path / "15.fasta"), str(tmp_path / "19.fasta")]
    assert settings.recent.folder == str(tmp_path)


def test_speeds_are_averaged_per_engine_and_device():
    settings = Settings()
    settings.remember_speed("cpu", ("2 threads",), 4.0)
    settings.remember_speed("cpu", ("2 threads",), 16.0)
    settings.remember_speed("cuda", ("A", "B"), 100.0)
    assert settings.speeds == pytest.approx({"cpu | 2 threads": 8.0, "cuda | A | B": 100.0})


@dataclass(slots=True)
class MoreSettings(Settings):
    __doc__ = f"""{Settings.__doc__}
    cursor_width : int
        Pixels of the cursor.
    """

    cursor_width: Annotated[int, Meta(ge=1, le=9)] = 2


def test_a_setting_is_added_by_one_field(monkeypatch, repository):
    monkeypatch.setattr(store, "Settings", MoreSettings)
    store.save(MoreSettings(cursor_width=5))
    assert json.loads(store.default_path().read_text())["cursor_width"] == 5
    assert store.load().cursor_width == 5
    # An unusable entry is named, and becomes the default.
    _write({"cursor_width": 10})
    loaded = store.load()
    assert loaded.cursor_width == 2
    assert loaded.problems == ["The setting cursor_width cannot be 10; its default is used."]
    # The manual says what it is.
    reference = load_script(repository / "packaging" / "reference.py")
    assert "| `cursor_width` | 1 to 9 | `2` | Pixels of the cursor. |" in reference.settings_page()
