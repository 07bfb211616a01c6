"""``swgui worker``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.option import Group, Option
from swgui.core.devices import TLS_SETTINGS
from swgui.engines.cluster.security import SCHEDULER_VARIABLE
from swgui.jobs.cluster.worker import KEEP_MIB, local_engines

WORKER: Final = (
    Group(
        (
            Option(("address",), f"of the scheduler (default: {SCHEDULER_VARIABLE})", "ADDRESS", default=""),
            Option(("--engine",), "default: the fastest here", default="auto", choices=("auto", *local_engines())),
            Option(("--device",), "of that engine (default: one worker for each GPU)", "ID[,ID]", default=""),
            Option(("-t", "--threads", "--num-threads"), "of the CPU engine (default: all)", "N", int, 0),
            Option(("--databases",), "where .swdb files are; may be repeated", "FOLDER", default=[], many=True),
            Option(("--keep",), f"residues kept in memory (default {KEEP_MIB})", "MIB", int, KEEP_MIB),
            Option(("--name",), "shown to users (default: computer, device and process)", default=""),
            *(Option((f"--{name}",), "for a tls:// address", "FILE.pem", default="") for name in TLS_SETTINGS),
            Option(("--allow-plain",), "allow a connection that others can read and use", default=False, flag=True),
        )
    ),
)
