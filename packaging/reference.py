"""Writes the reference pages of the documentation from the tables in the code, so that they cannot go stale."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

SETTINGS_INTRODUCTION = """# Settings

The window keeps its settings in `settings.json` in the [folder of settings](file-formats.md#folders).
Edit it while the program is closed; a value that cannot be used is replaced by its default, with a message.
Scoring and limits can be given on the command line, too: [all options](commands.md).
The settings of the GPU methods have [a page of their own](methods.md).
"""
COMMANDS_INTRODUCTION = """# Command line

`swgui` without a command opens the window; `swgui FILE` opens it with a query. Exit status: STATUSES.
Errors are one sentence on the standard error. [Use it in scripts](../howto/scripts.md) says what scripts need to know;
`swgui completion bash` prints what lets a shell complete options.
"""
KEYS_INTRODUCTION = """# Commands and keys of the window

All of them are in the palette, too, where a few letters find them.
"""
COLUMNS_INTRODUCTION = """# Columns of tables

For `--columns`, the export dialog and the table on the Results page. Columns that need the alignment take some
milliseconds for each hit.

"""
ENGINES_INTRODUCTION = """# Engines

All engines give the same scores. They are chosen under *Run on* on the Search page or with `--engine`; `auto` takes the
first of those marked that can run. Packages can [add their own](../dev/extending.md).

"""
METHODS_INTRODUCTION = """# Methods and their settings

All methods give the same scores. They are chosen on the Device page or on the command line (`--method`, and
`--set NAME=VALUE` for their settings); left alone, every setting is `auto` and the program's tables decide.
"""


def write_pages(folder: Path) -> list[Path]:
    """Write every page; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "settings": settings_page(),
        "commands": commands_page(),
        "keys": keys_page(),
        "columns": columns_page(),
        "formats": formats_page(),
        "engines": engines_page(),
        "methods": methods_page(),
    }
    written = []
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.write_text(text.rstrip() + "\n", encoding="utf-8")
        written.append(path)
    return written


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cell(value: object) -> str:
    """Return a value fit for a cell."""
    text = re.sub(r"\s+", " ", str(value)).replace("``", "`")
    return text.replace("|", "\\|").replace("<", "\\<")


def code(value: object) -> str:
    """Return a value as code; nothing for nothing."""
    return f"`{value}`" if str(value) else ""


# --- settings ------------------------------------------------------------------------------------------------------


def settings_page() -> str:
    """Return the page of everything that is remembered between starts."""
    from swgui import settings

    parts = [SETTINGS_INTRODUCTION]
    parts += list(_groups(settings.Settings(), "settings.json", ""))
    return "\n".join(parts)


def _groups(made: Any, title: str, where: str) -> Iterator[str]:
    """Yield a section for a group of settings, and for each group inside it."""
    from swgui.core.plain import kept_fields

    kind = type(made)
    told = docstring_facts(kind.__doc__ or "")
    hints = get_type_hints(kind, include_extras=True)
    rows, inner = [], []
    for entry in kept_fields(made):
        value, name = getattr(made, entry), f"{where}{entry}"
        if is_dataclass(value):
            inner.append((value, name))
            continue
        if entry not in told[1]:
            raise SystemExit(f"The docstring of {kind.__name__} does not say what '{entry}' means.")
        rows.append((code(name), allowed(hints[entry]), code(shown_default(value)), told[1][entry]))
    yield f"## {title}\n\n{told[0]}\n"
    if rows:
        yield table(("name", "allowed", "default", "meaning"), rows)
    for value, name in inner:
        yield from _groups(value, name, f"{name}.")


def docstring_facts(text: str) -> tuple[str, dict[str, str]]:
    """Return the text of a numpydoc docstring before its parameters, and that about each of them."""
    lead, _, listed = text.partition("Parameters\n")
    about: dict[str, str] = {}
    names: list[str] = []
    for line in listed.splitlines()[1:]:
        if match := re.match(r"    (\S[^:]*?) : ", line):
            names = [name.strip() for name in match[1].split(",")]
        elif line.startswith("        ") and names:
            for name in names:
                about[name] = f"{about.get(name, '')} {line.strip()}".strip()
    return re.sub(r"\s+", " ", lead).strip().replace("``", "`"), about


def allowed(hint: Any) -> str:
    """Return the possible values of a setting in words, by its type and the limits in it."""
    choices = get_args(hint)
    if choices and all(isinstance(choice, str) for choice in choices):
        return ", ".join(code(choice) for choice in choices)
    if get_origin(hint) is Annotated:
        limits = hint.__metadata__[0]
        return f"{limits.ge:g} to {limits.le:g}"
    if get_origin(hint) is list:
        return "list"
    if get_origin(hint) is dict:
        return "table"
    return {bool: "true, false", str: "text", int: "number", float: "number"}.get(hint, "")


def shown_default(value: Any) -> str:
    """Return a default as JSON has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value in ("", [], {}) else f"{value:g}" if isinstance(value, float) else str(value)


# --- commands ------------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Return the page of the command line."""
    from swgui.cli import COMMANDS, build_parser
    from swgui.commands.common import STATUSES
    from swgui.commands.table import GROUPS

    subparsers = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    parts = [COMMANDS_INTRODUCTION.replace("STATUSES", STATUSES)]
    for group in GROUPS:
        rows = [(f"[{name}](#{anchor(name)})", c.help) for name, c in COMMANDS.items() if c.group == group]
        parts.append(f"**{group}**\n\n{table(('command', 'what it does'), rows)}")
    for name, parser in subparsers.choices.items():
        lines = "\n".join(COMMANDS[name].examples)
        parts.append(f"## swgui {name}\n\n{parser.description}\n\n```\n{lines}\n```\n")
        parts.append(table(("option", "meaning"), option_rows(parser)))
    return "\n".join(parts)


def anchor(name: str) -> str:
    """Return the anchor of a command's heading."""
    return f"swgui-{name}"


def option_rows(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield each argument of a command with its help."""
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        names = ", ".join(code(name) for name in action.option_strings)
        value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
        if isinstance(value, tuple):
            value = " ".join(value)
        if not value and action.nargs != 0:
            value = action.dest.upper()
        text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
        yield " ".join(part for part in (names, code(value) if action.nargs != 0 else "") if part), text


# --- keys ----------------------------------------------------------------------------------------------------------


def keys_page() -> str:
    """Return the page of all commands of the window and their keys."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QKeySequence
    from PySide6.QtWidgets import QApplication

    from swgui.gui.window.pages import PAGES, commands_of

    application = QApplication.instance() or QApplication(["reference"])
    parts = [KEYS_INTRODUCTION]
    menus: dict[str, list[tuple[str, str, str]]] = {}
    for command, _ in commands_of(PAGES):
        keys = [QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) for key in command.keys]
        menu = command.menu.replace("&", "").replace("/", " › ")
        row = (command.text.replace("&", ""), ", ".join(code(key) for key in keys if key), command.tip)
        menus.setdefault(menu, []).append(row)
    parts += [f"## {menu}\n\n{table(('command', 'keys', 'what it does'), rows)}" for menu, rows in menus.items()]
    del application
    return "\n".join(parts)


# --- columns, formats, methods -------------------------------------------------------------------------------------


def columns_page() -> str:
    """Return the page of the columns of tables."""
    from swgui.io.export.columns import HIT_COLUMNS

    rows = [
        (code(c.key), c.heading, c.unit, c.description, "alignment" if c.needs_alignment else "")
        for c in HIT_COLUMNS.values()
    ]
    return COLUMNS_INTRODUCTION + table(("name", "heading", "unit", "meaning", "needs"), rows)


def formats_page() -> str:
    """Return the page of export formats."""
    from swgui.io.export import FORMATS
    from swgui.io.export.pairs import PAIR_FORMATS

    hits = [
        (code(f.name), code(f.suffix), f.description, ", ".join(sorted(f.takes)), "one query" if f.one_query else "")
        for f in FORMATS.values()
    ]
    pairs = [
        (code(f.name), code(f.suffix), f.description, "nucleotides only" if f.nucleotides_only else "")
        for f in PAIR_FORMATS.values()
    ]
    return "\n".join(
        [
            "# Export formats\n\n## Hits of a search\n",
            "For `--format` of `swgui search` and `swgui show`, and the export dialog.\n",
            table(("name", "ending", "what it holds", "what can be chosen", "limits"), hits),
            "What `json` holds, as a JSON Schema: `_static/hits.schema.json` beside these pages.\n",
            "## Two long sequences\n\nFor `--format` of `swgui pair`, and the export dialog of the Pair page.\n",
            table(("name", "ending", "what it holds", "limits"), pairs),
        ]
    )


def engines_page() -> str:
    """Return the page of engines."""
    from swgui.engines.registry import auto_names, installed

    engines = installed().values()
    places = {name: f"yes, {place}." for place, name in enumerate(auto_names(), start=1)}
    rows = [(code(e.name), e.title, e.about, e.needs, places.get(e.name, "no")) for e in engines]
    return ENGINES_INTRODUCTION + table(("name", "title", "what it does", "what it needs", "tried by auto"), rows)


def methods_page() -> str:
    """Return the page of methods, their settings and papers."""
    from swgui.core.methods.pair import PAIR_METHODS
    from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS

    parts = [METHODS_INTRODUCTION]
    used: list[str] = []
    for title, methods in (("Searching a database", SEARCH_METHODS), ("Aligning one long pair", PAIR_METHODS)):
        parts.append(f"## {title}\n")
        for method in methods.values():
            origin = f" After {method.paper.split(':')[0].rstrip('.')}." if method.paper else ""
            default = " The default." if method.name == DEFAULT_METHOD else ""
            parts.append(f"### {method.name}: {method.title}\n\n{method.summary}{origin}{default}\n")
            if method.paper and method.paper not in used:
                used.append(method.paper)
            rows = [(code(s.name), s.title, allowed_of(s), s.unit, s.help) for s in method.settings]
            if rows:
                parts.append(table(("name", "setting", "allowed", "unit", "meaning"), rows))
    parts.append("## Papers\n")
    parts += [f"* {paper}" for paper in used]
    return "\n".join(parts)


def allowed_of(setting: Any) -> str:
    """Return the possible values of a setting of a method."""
    if not setting.names and not setting.maximum and not setting.values:
        return "whole number"
    return str(setting.allowed)
