"""Two folders of output files are compared: what varies from run to run is left out, all else counts."""

import zipfile

import pytest

from tests.scripts import load_script

CERTIFICATE = """{
 "found": %d,
 "program": "swgui 0.2.0.dev0+g3ef5c04",
 "code": {
  "rules.c": "%s"
 },
 "computer": "Linux, somewhere",
 "date": "%s",
 "seconds": 1.25,
 "certificate_sha256": "%s"
}"""


@pytest.fixture
def outputs(repository):
    return load_script(repository / "packaging" / "measuring" / "outputs.py")


@pytest.fixture
def folders(tmp_path, outputs, monkeypatch):
    """Return two folders with a certificate and a network, made at different times."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "old", tmp_path / "new"
    for folder, date, digit in zip(made, ("2026-11-22T09:58:09+00:00", "2026-11-28T17:54:00+00:00"), "12", strict=True):
        folder.mkdir()
        (folder / "rule_words.json").write_text(CERTIFICATE % (3, digit * 8, date, digit * 64))
        with zipfile.ZipFile(folder / "network_genes.swnet", "w") as pack:
            pack.writestr("manifest.json", f'{{"name": "genes", "source": "{folder}/genes.fa"}}')
        for name in ("rule_words.json", "network_genes.swnet"):
            outputs.steady(folder / name)
        (folder / "network_genes.swnet").unlink()
    return made


def test_two_runs_of_one_program_do_not_differ(outputs, folders):
    old, new = folders
    assert outputs.differences(new, old, []) == ([], 2)
    assert outputs.differences(new, old, ["rule"]) == ([], 1)


def test_another_value_and_a_missing_file_differ(outputs, folders):
    old, new = folders
    table = new / "rule_words.json"
    table.write_text(table.read_text().replace('"found": 3', '"found": 4'))
    (new / "network_genes.swnet.txt").unlink()
    assert outputs.differences(new, old, []) == (["network_genes.swnet.txt", "rule_words.json"], 2)
    assert outputs.differences(new, old, ["network"]) == (["network_genes.swnet.txt"], 1)
