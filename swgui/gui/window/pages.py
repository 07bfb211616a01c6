"""The table of pages, and what follows from it: the order of all commands."""

from __future__ import annotations

from collections.abc import Sequence

from swgui.gui.databases import entry as databases
from swgui.gui.device import entry as device
from swgui.gui.kit.commands import Command
from swgui.gui.kit.pages import Page
from swgui.gui.pair import entry as pair
from swgui.gui.results import entry as results
from swgui.gui.rules import entry as rules
from swgui.gui.runs import entry as runs
from swgui.gui.search import entry as search
from swgui.gui.window.commands import COMMANDS, MENUS, WHY_NOT

PAGES: tuple[Page, ...] = (search.PAGE, rules.PAGE, results.PAGE, runs.PAGE, pair.PAGE, databases.PAGE, device.PAGE)
OWN_MENUS = MENUS.index("&Tools") - 0.5  # where menus stand that only a page knows


def commands_of(pages: Sequence[Page]) -> list[tuple[Command, str]]:
    """Return all commands in the order of the menus, each with the name of its page; empty for the window's own."""
    commands = [
        (Command(f"page-{p.name}", p.command, p.tip, p.menu, "show_page", (p.name,), keys=(f"Ctrl+{number}",)), "")
        for number, p in enumerate(pages, 1)
    ]
    commands += [(command, "") for command in COMMANDS]
    commands += [(command, page.name) for page in pages for command in page.commands]
    return sorted(commands, key=lambda pair: (_place(pair[0].menu), pair[0].group))


def why_not(pages: Sequence[Page]) -> dict[str, str]:
    """Return what tool tips say while a state is missing, for all states."""
    texts = dict(WHY_NOT)
    for page in pages:
        texts.update(page.why_not)
    return texts


def _place(menu: str) -> float:
    top = menu.partition("/")[0]
    return MENUS.index(top) if top in MENUS else OWN_MENUS
