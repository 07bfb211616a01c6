"""Options of every command: messages, reports for programs, and the exit status."""

from __future__ import annotations

from typing import Any, Final

from swgui.commands.option import Group, Option
from swgui.commands.percent import HOW, share

PARTIAL: Final = 3  # exit status where the result that was written is not complete
FOUND: Final = 4  # exit status where something was found that --fail-on names
STATUSES: Final = (
    f"0 done, 1 failed, 2 wrong usage, {PARTIAL} the result that was written is not complete, {FOUND} found what "
    "--fail-on names, 130 ended by Ctrl+C (143 by SIGTERM, 129 by SIGHUP), 141 if the reader of the output went away"
)
ANY: Final = "any"  # of --fail-on: everything that may be counted

MESSAGES: Final = Group(
    (
        Option(
            ("--quiet",),
            "print only errors, and replaced or omitted residues, on the standard error",
            default=False,
            flag=True,
        ),
        Option(("--verbose",), "print every step and its outcome, also in a pipe", default=False, flag=True),
        Option(
            ("--log",),
            "append all messages to a file, with their times, and the progress once a minute",
            "FILE",
        ),
    ),
    "messages",
)
JSON: Final = Option(
    ("--json",), "print the report as JSON, for programs; with --out, rows go to that file", default=False, flag=True
)


def _fail_option(help_text: str, words: tuple[str, ...] = (), **more: Any) -> Option:
    """Return the option that gives a command an exit status of its own where one of some words was found."""
    said = f"end with exit status {FOUND} {help_text}"
    return Option(("--fail-on",), said, choices=(*words, ANY) if words else (), many=True, **more)


FAILS: Final = {  # by the name of the command
    "leak": (
        _fail_option(
            f"if a test sequence has a training sequence of this identity or more ({HOW})", metavar="SHARE", read=share
        ),
    ),
    "judge": (_fail_option("if a pair is parted or joined wrongly, or any", ("parted", "joined")),),
    "audit": (
        _fail_option("if a hit is missed (only here) or extra (only in the table), or any", ("missed", "extra")),
    ),
    "compare": (_fail_option("if a hit is new, lost or moved, or any", ("new", "lost", "moved")),),
    "diff": (_fail_option("if a hit was gained, lost or moved, or any", ("gained", "lost", "moved")),),
}
