"""Collects the texts of the window that can be translated into a catalogue of Qt Linguist.

    python packaging/texts.py de            # makes or updates resources/translations/swgui_de.ts

Finished translations stay; new texts come as unfinished, those the program no longer has are left out. The program
reads the file as it is: there is no other step.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where it stands, for translators."""

    source: str
    where: str


def texts() -> list[Text]:
    """Return every text that goes through `swgui.gui.kit.translation.tr`, each once, in the order of the window."""
    found: dict[str, Text] = {}
    for text in (*_tables(), *_literals()):
        if text.source:
            found.setdefault(text.source, text)
    return list(found.values())


def _tables() -> Iterator[Text]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.insert(0, str(ROOT))
    from swgui.gui.hits.columns import COLUMNS
    from swgui.gui.results.table.filters import BOXES
    from swgui.gui.runs.actions import ACTIONS
    from swgui.gui.window.help.tour import STEPS
    from swgui.gui.window.pages import PAGES, commands_of, why_not

    for command, _ in commands_of(PAGES):
        for part in command.menu.split("/"):
            yield Text(part, "menu")
        yield Text(command.text, f"command {command.id}; & stands before the letter that is underlined")
        yield Text(command.tip, f"tip of the command {command.id}")
    for state, text in why_not(PAGES).items():
        yield Text(text, f"why a command that needs {state} cannot be used")
    for column in COLUMNS:
        yield Text(column.head, f"head of the column {column.key}; short")
        yield Text(column.title, f"name of the column {column.key}")
        yield Text(column.description, f"description of the column {column.key}")
    for text, tip in BOXES.values():
        yield Text(text, "filter panel")
        yield Text(tip, "filter panel")
    for action in ACTIONS:
        yield Text(action.text, "button of the Runs page")
        yield Text(action.tip, "tip of a button of the Runs page")
    for page in PAGES:
        yield Text(page.help.title, f"help of the page {page.name}")
        yield Text(page.help.text, f"help of the page {page.name}; HTML")
    for number, step in enumerate(STEPS, 1):
        yield Text(step.title, f"guided tour, step {number}")
        yield Text(step.text, f"guided tour, step {number}")


def _literals() -> Iterator[Text]:
    """Yield what is given to ``tr`` as it stands in the code."""
    for path in sorted((ROOT / "swgui" / "gui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            function = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            place = {"tr": 0, "translate": 0, "Page": 1}.get(function)  # which argument is a text
            if place is not None and len(node.args) > place:
                for part in ast.walk(node.args[place]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and _words(part.value):
                        yield Text(part.value, path.relative_to(ROOT).as_posix())


def _words(text: str) -> bool:
    return any(map(str.isalpha, text))


def catalogue(language: str, known: dict[str, str]) -> str:
    """Return the content of a catalogue.

    Parameters
    ----------
    known : dict of str to str
        Finished translations.
    """
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = "swgui"
    for text in texts():
        message = ElementTree.SubElement(context, "message")
        ElementTree.SubElement(message, "source").text = text.source
        ElementTree.SubElement(message, "extracomment").text = text.where
        translation = ElementTree.SubElement(message, "translation")
        if text.source in known:
            translation.text = known[text.source]
        else:
            translation.set("type", "unfinished")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n' + ElementTree.tostring(root, "unicode") + "\n"


def main() -> int:
    """Make or update one catalogue."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", help="for example de or pt_BR")
    parser.add_argument("--folder", type=Path, default=ROOT / "resources" / "translations")
    wanted = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from swgui.gui.kit.translation import read_catalogue

    path = wanted.folder / f"swgui_{wanted.language}.ts"
    known = read_catalogue(path) if path.is_file() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(catalogue(wanted.language, known), encoding="utf-8")
    print(f"{path}: {len(texts())} texts, {sum(text.source in known for text in texts())} translated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
