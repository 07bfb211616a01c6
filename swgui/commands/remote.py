"""``swgui remote``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.engine import on_computer
from swgui.commands.option import Group, Option

REMOTE: Final = (
    Group(
        (
            Option(
                ("host",),
                "a computer: a host that ssh reaches, or the https address of a 'swgui serve'; its databases are "
                "listed, and it is put on your list (without HOST that list)",
                "HOST",
                on_computer,
                "",
            ),
            Option(("--runs",), "list your runs there instead", default=False, flag=True),
            Option(("--token-file",), "file with your token at that server, which is kept for you alone", "FILE"),
            Option(("--ca",), "certificate of the authority that signed its certificate (PEM)", "FILE"),
            Option(("--forget",), "take it off your list", default=False, flag=True),
        )
    ),
    Group(
        (
            Option(
                ("--stdio",),
                "answer another computer over the standard streams, as ssh starts it; for the key of a shared account: "
                'command="swgui remote --stdio",restrict',
                default=False,
                flag=True,
            ),
            Option(("--carry-out",), "carry out the run in a folder: the program calls this itself", "FOLDER"),
        ),
        "the other side",
    ),
)
