"""Defaults of a site: a file of options by command; the command line wins."""

import os

import pytest

import swgui
from swgui.cli import main
from swgui.cli.computer.doctor import site_findings
from swgui.commands.presets import preset, presets_for
from swgui.commands.site_presets import take_site_defaults
from swgui.paths import site_defaults
from swgui.settings import SchemeSettings, Settings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "q.fasta").write_text(">q1\nMKTAYIAKQRQISFVKSHFSRQ\n")
    ends = (f"{'RQ'[i % 2]}{'MWC'[i % 3]}" for i in range(6))
    (tmp_path / "d.fasta").write_text("".join(f">s{end}\nMKTAYIAKQRQISFVKSHFS{end}\n" for end in ends))
    (tmp_path / "e.fasta").write_text(">other\nMKTAYIAKQRQISFVKSHFSRQ\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def defaults(folder, monkeypatch):
    file = folder / "site.toml"
    monkeypatch.setenv("SWGUI_CONFIG_FILE", str(file))
    return file


def rows(capsys, *more, status=0):
    assert main(["search", "-q", "q.fasta", "--columns", "sseqid", "--engine", "cpu", *more]) == status
    return capsys.readouterr().out.split()[1:]


def test_defaults_by_command_and_for_all(folder, defaults, capsys):
    defaults.write_text('threads = 1\n[search]\ntop = 2\ndatabase = "d.fasta"\ncomposition = "none"\nmask = false\n')
    assert len(rows(capsys)) == 2
    assert len(rows(capsys, "--top", "500", "-d", "d.fasta")) == 6  # also where it is the usual value
    assert len(rows(capsys, "--max-target-seqs=3", "-d", "d.fasta")) == 3
    assert rows(capsys, "-d", "e.fasta") == ["other"]  # instead of, not besides


def test_an_ending_decides_on_the_format(folder, defaults, capsys):
    defaults.write_text('[search]\nformat = "csv"\n')
    words = ["search", "-q", "q.fasta", "-d", "e.fasta", "--columns", "sseqid,score", "--engine", "cpu"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("sseqid,score\n")
    assert main([*words, "-o", "hits.tsv"]) == 0
    assert (folder / "hits.tsv").read_text().startswith("sseqid\tscore\n")


def test_the_files_in_their_order(folder, monkeypatch, capsys):
    system = folder / "etc" / "swgui"
    system.mkdir(parents=True)
    assert site_defaults() is None
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(folder / "etc"))
    for number, file in enumerate((system / "defaults.toml", folder / "variable.toml", folder / "named.toml"), 1):
        file.write_text(f"[search]\ntop = {number}\n")
    assert len(rows(capsys, "-d", "d.fasta")) == 1
    monkeypatch.setenv("SWGUI_CONFIG_FILE", str(folder / "variable.toml"))
    assert len(rows(capsys, "-d", "d.fasta")) == 2
    assert len(rows(capsys, "-d", "d.fasta", "--config", "named.toml")) == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[search]\nthread = 3\n", "'swgui search' has no option 'thread'."),
        ("[serach]\ntop = 3\n", "has defaults for 'serach', which is no command."),
        ('[search]\ntop = "x"\n', "search.top: invalid literal"),
        ("[search]\ntop = [1, 2]\n", "search.top is one value, not [1, 2]."),
        ('[search]\ncomposition = "much"\n', "search.composition is 'much'; choose none, lambda, full."),
        ("[search]\nmask = 1\n", "search.mask is true or false, not 1."),
        ("[search\n", "is no TOML"),
    ],
)
def test_mistakes_are_one_sentence(folder, defaults, capsys, text, sentence):
    defaults.write_text(text)
    assert main(["search", "-q", "q.fasta", "-d", "d.fasta"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert str(defaults) in said
    assert said.count("\n") == 1


def test_a_file_that_is_named_must_be_there(folder, capsys):
    assert main(["search", "-q", "q.fasta", "-d", "d.fasta", "--config", "gone.toml"]) == 2
    assert "The file of defaults 'gone.toml' cannot be read" in capsys.readouterr().err


def test_doctor_tells_what_the_site_has_set(folder, defaults, monkeypatch):
    defaults.write_text("threads = 2\n[search]\ntop = 20\n")
    monkeypatch.setenv("SWGUI_DATABASES", str(folder))
    monkeypatch.setenv("SWGUI_SHARED_CACHE", str(folder / "none"))
    told = [(one.topic, one.level, one.message) for one in site_findings(None)]
    assert ("defaults", "fine", f"{defaults}: swgui search: --threads 2, --top 20.") in told
    assert ("databases of the site", "fine", f"0 in {folder}.") in told
    assert told[-1] == ("shared cache", "problem", f"{folder / 'none'} is not there.")
    defaults.write_text("[search]\ntop = -\n")
    assert next(iter(site_findings(None))).level == "problem"


def test_a_resumed_search_stays_as_it_was(folder, defaults, capsys):
    defaults.write_text('[search]\ntop = 2\ndatabase = "d.fasta"\nthreads = 1\n')
    assert main(["search", "--resume", "no such run"]) == 1
    assert "no such run" in capsys.readouterr().err
    assert main(["search", "--resume", "no such run", "--top", "2"]) == 2
    assert "--top would change it" in capsys.readouterr().err


def test_the_library_takes_what_changes_no_result(folder, defaults, monkeypatch):
    defaults.write_text('threads = 1\nengine = "cpu"\n[search]\ntop = 2\n')
    hits = swgui.search("q.fasta", "d.fasta")
    assert (hits.result.engine, len(hits)) == ("cpu", 6)
    assert swgui.search("q.fasta", "d.fasta", engine="reference").result.engine == "reference"
    assert swgui.rule("words", "q.fasta", "e.fasta").certificate()["complete"]
    for text, sentence in (('engine = "cpuu"\n', "search.engine"), ("[serach]\ntop = 3\n", "no command")):
        defaults.write_text(text)
        os.utime(defaults, ns=(len(text), len(text)))
        with pytest.raises(swgui.InvalidParameter, match=sentence):
            swgui.search("q.fasta", "d.fasta")
    monkeypatch.setenv("SWGUI_CONFIG_FILE", os.devnull)
    assert len(swgui.search("q.fasta", "d.fasta", engine="cpu")) == 6
    monkeypatch.setenv("SWGUI_CONFIG_FILE", "gone.toml")
    with pytest.raises(swgui.InvalidParameter, match="cannot be read"):
        swgui.search("q.fasta", "d.fasta")


def test_the_window_begins_with_the_values_of_the_site(folder, defaults):
    defaults.write_text(
        'threads = 2\n[search]\nengine = "cpu"\ntop = 20\nmatrix = "BLOSUM50"\ngap-open = 10\ngap-extend = 2\n'
        f'evalue = 0.01\ndatabase = "{folder / "d.fasta"}"\n'
    )
    stored = Settings()
    take_site_defaults(stored, defaults)
    limits = {"limits": {"top": 20, "max_evalue": 0.01}}
    assert stored.search.protein == SchemeSettings("site", "BLOSUM50", 10, 2, search=limits)
    assert stored.search.nucleotide == SchemeSettings("site", "+2/-3", 5, 2, search={**limits, "strand": "both"})
    assert (stored.search.engine, stored.devices.threads) == ("cpu", 2)
    assert stored.recent.database == str(folder / "d.fasta")
    assert [preset.title for preset in presets_for("protein") if preset.id == "site"] == ["Default of this site"]
    assert preset("site", "protein").matches(stored.search.protein)
    defaults.write_text("[search]\nthread = 3\n")
    os.utime(defaults, ns=(1, 1))
    stored = Settings()
    take_site_defaults(stored, defaults)
    assert "has no option 'thread'" in stored.problems[0]
    assert all(one.id != "site" for one in presets_for("protein"))
