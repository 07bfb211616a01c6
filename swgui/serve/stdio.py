"""``swgui mcp``: the tools for agents over standard input and output, a message a line."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from typing import Any, BinaryIO, Final

from swgui.commands.engine import engine_group
from swgui.commands.option import options_of
from swgui.commands.serve import serve_arguments
from swgui.core.errors import Stopped
from swgui.core.signals import stop_on_interrupt
from swgui.serve.doors.agents import answered
from swgui.serve.house import House
from swgui.serve.requests import User
from swgui.serve.server import FoldingServer

CALLS: Final = 8  # at a time
LONGEST: Final = 4 << 20  # bytes of a message
LOOK: Final = 0.2  # seconds between two looks whether to stop


def run(arguments: argparse.Namespace) -> int:
    """Answer messages until the input ends."""
    engine = {option.key: getattr(arguments, option.key) for option in options_of((engine_group(),))}
    with tempfile.TemporaryDirectory(prefix="swgui-mcp-") as folder, stop_on_interrupt() as cancel:
        values = {"search_database": arguments.databases, "max_cells": arguments.max_cells, "folder": folder}
        server = FoldingServer(serve_arguments(**values | engine))
        try:
            server.start(cancel, listen=False)
            with (
                redirect_stdout(sys.stderr),
                open(0, "rb", closefd=False) as source,
                open(1, "wb", closefd=False) as out,
            ):
                _talk(server.house, source, out, cancel)  # the output is for messages alone
        except Stopped:
            return 1
        finally:
            server.close()
    return 0


def _talk(house: House, source: BinaryIO, target: BinaryIO, cancel: threading.Event) -> None:
    """Read messages in a thread and answer each in another, so that a long call holds up no other."""
    writing, ended = threading.Lock(), threading.Event()

    def send(message: dict[str, Any]) -> None:
        with writing:
            target.write(json.dumps(message).encode() + b"\n")
            target.flush()

    def answer(line: bytes) -> None:
        if (made := answered(house, User("local"), line, send)) is not None:
            send(made)

    def read() -> None:
        with ThreadPoolExecutor(CALLS, thread_name_prefix="swgui-mcp") as pool:
            while line := source.readline(LONGEST):
                if line.strip():
                    pool.submit(answer, line)
        ended.set()

    threading.Thread(target=read, name="swgui-mcp-read", daemon=True).start()
    while not ended.wait(LOOK) and not cancel.is_set():
        pass
