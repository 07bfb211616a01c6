"""The manual of a build without Sphinx has no dead link, with the reference or without."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "packaging"))
import plain_manual


def dead_links(folder):
    return [
        (page.name, found[2])
        for page in folder.rglob("*.md")
        for found in plain_manual.LINK.finditer(page.read_text("utf-8"))
        if not (page.parent / found[2]).is_file()
    ]


@pytest.mark.parametrize("made", [False, True])
def test_no_link_is_dead(tmp_path, monkeypatch, made):
    if not made:
        monkeypatch.setattr(plain_manual, "write_reference", lambda folder: False)
    folder = plain_manual.write_manual(tmp_path / "manual")
    assert dead_links(folder) == []
    index = (folder / "index.md").read_text("utf-8")
    assert ("[Columns of tables](reference/columns.md)" in index) == made
    assert (folder / "reference" / "columns.md").is_file() == made
    assert "[Glossary](reference/glossary.md)" in index


def test_a_dead_link_leaves_its_text(tmp_path):
    (tmp_path / "there.md").write_text("")
    text = "See [one](there.md#part) and [two](gone.md).\n* [three](gone.md): four\n* [five](there.md)\n"
    assert plain_manual.without_dead_links(text, tmp_path) == "See [one](there.md#part) and two.\n* [five](there.md)\n"
