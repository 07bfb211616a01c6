"""Writes the manual page from the parsers of the command line."""

from __future__ import annotations

import argparse


def man_page(version: str, date: str) -> str:
    """Return the page ``swgui(1)`` in roff.

    Parameters
    ----------
    version : str
    date : str
        As in ``2026-11-20``.
    """
    from reference import option_rows

    from swgui.cli import build_parser
    from swgui.commands.common import STATUSES

    parser = build_parser()
    subparsers = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    lines = [
        f'.TH SWGUI 1 "{date}" "swgui {version}" "User Commands"',
        ".SH NAME",
        r"swgui \- exact Smith\-Waterman search of sequence databases",
        ".SH SYNOPSIS",
        ".B swgui",
        "[\\fIFILE\\fR]",
        ".br",
        ".B swgui",
        "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        "Searches protein and DNA databases with the full Smith\\-Waterman recurrence, on an NVIDIA GPU or on the CPU.",
        "Without a command the window opens, with FILE as the query.",
    ]
    for name, child in subparsers.choices.items():
        lines += [f".SH COMMAND {name.upper()}", roff(child.description or "")]
        for option, text in option_rows(child):
            lines += [".TP", rf"\fB{roff(option.replace('`', ''))}\fR", roff(text) or r"\&"]
    lines += [
        ".SH EXIT STATUS",
        roff(f"{STATUSES}."),
        ".SH FILES",
        r"Settings, caches and data are in the folders of the XDG base directory specification, below \fIswgui\fR; ",
        r"\fBSWGUI_CONFIG_DIR\fR, \fBSWGUI_CACHE_DIR\fR and \fBSWGUI_DATA_DIR\fR name others.",
        ".SH SEE ALSO",
        "The documentation opens from the Help menu of the window.",
    ]
    return "\n".join(lines) + "\n"


def roff(text: str) -> str:
    """Return plain text as roff."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
