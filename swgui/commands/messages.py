"""What a command says beside its output: the options for it."""

from __future__ import annotations

from typing import Final

from swgui.commands.option import Group, Option

MESSAGES: Final = Group(
    (
        Option(("--quiet",), "say nothing on the standard error but what went wrong", default=False, flag=True),
        Option(("--verbose",), "say what is done and how it went, also in a pipe", default=False, flag=True),
        Option(
            ("--log",),
            "append all that is said to a file, with the time, and how far the work is once a minute",
            "FILE",
        ),
    ),
    "messages",
)
