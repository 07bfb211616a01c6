"""The documents say nothing that is not so: files exist, commands are understood, every room is on the map."""

from __future__ import annotations

import re
import shlex

import pytest

DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "packaging/README.md",
    "resources/README.md",
    "resources/examples/README.md",
)

# Written by a build, by an installation or by the first run.
MADE_LATER = re.compile(r"^(\.venv|build|dist|swgui/_kernels|swgui/_resources)(/|$)")


def commands(text: str) -> list[str]:
    """Lines of code blocks that call swgui, without comments."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.split(" ")[0] == "swgui"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_that_are_named_exist(repository, name):
    document = repository / name
    text = document.read_text("utf-8")
    named = set(re.findall(r"`((?:swgui|kernels|resources|packaging|tests|\.ci)/[\w./*-]*)`", text))
    named |= set(re.findall(r"\]\(([^)#:]+)\)", text))
    missing = [
        path
        for path in sorted(named)
        if not MADE_LATER.match(path) and not any((home / path).exists() for home in (repository, document.parent))
    ]
    assert missing == []


def test_commands_of_the_readme_are_understood(repository):
    from swgui.cli import build_parser

    lines = [line for line in commands((repository / "README.md").read_text("utf-8")) if line != "swgui"]
    assert len(lines) > 5
    parser = build_parser()
    for line in lines:
        assert parser.parse_args(shlex.split(line)[1:]).run, line


def test_every_room_is_on_the_map(repository):
    text = (repository / "CONTRIBUTING.md").read_text("utf-8")
    packages = sorted(path.parent for path in (repository / "swgui").rglob("__init__.py"))
    rooms = [f"`{path.relative_to(repository).as_posix()}/`" for path in packages if path.name != "swgui"]
    rooms += [f"`swgui/{path.name}`" for path in (repository / "swgui").glob("[!_]*.py")]
    assert [room for room in rooms if room not in text] == []
