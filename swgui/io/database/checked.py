"""Whether a database file holds what was built: all of it is read once for each file, size and time of change.

Files that were found intact, or that this program wrote, are listed in ``checked.json`` of the cache folder.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final

from swgui import paths
from swgui.core.control import start_thread
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.io.database.file import check_database, mapped_file
from swgui.io.whole_file import save_text

MAX_FILES: Final = 1000
_State = list[int]  # bytes, time of the last change in ns


class ContentCheck:
    """Reads the files of a database in a thread while it is searched; nothing to do for those that were read before.

    Use it in a ``with`` statement, whose end stops it.
    """

    def __init__(self, database: EncodedDatabase) -> None:
        files = [mapped_file(member) for member in (database.whole or database).members]
        unknown = [path for path in files if path is not None and not _is_known(path)]
        self._all_files = None not in files
        self._stop = threading.Event()
        self._future: Future[bool] = Future()
        if unknown:
            self._future = start_thread(partial(self._read, unknown), "swgui-check", daemon=True)
        else:
            self._future.set_result(self._all_files)

    def __enter__(self) -> ContentCheck:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()

    def wait(self, seconds: float) -> bool | None:
        """Wait for the end of the file for a while; return whether there is one and all is right, None if not reached.

        Raises
        ------
        DatabaseError
            If the file is damaged.
        """
        with suppress(TimeoutError):
            return self._future.result(seconds)
        return None

    def _read(self, paths: Sequence[Path]) -> bool:
        for path in paths:
            try:
                state = _state(path)
                check_database(path, cancel=self._stop)
                _remember(path, state)
            except (SwguiError, OSError):
                if path.exists():
                    raise
                return False  # deleted since it was opened; the mapped content stays readable
        return self._all_files


def remember_written(path: Path) -> None:
    """Remember that a file is right because this program has just written it, and made its checksums while it did."""
    with suppress(OSError):
        _remember(path, _state(path))


def check_content(database: EncodedDatabase, cancel: threading.Event) -> None:
    """Read the file of a database now, whatever is remembered.

    Raises
    ------
    DatabaseError
        If it is damaged.
    Stopped
        If `cancel` was set.
    """
    for member in (database.whole or database).members:
        path = mapped_file(member)
        if path is not None:
            check_database(path, cancel=cancel)


def _state(path: Path) -> _State:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def _memory() -> Path:
    return paths.cache_dir() / "checked.json"


def _known() -> dict[str, _State]:
    with suppress(OSError, ValueError):
        states = json.loads(_memory().read_text("utf-8"))
        if isinstance(states, dict):
            return states
    return {}


def _is_known(path: Path) -> bool:
    with suppress(OSError):
        return _known().get(str(path.resolve())) == _state(path)
    return False


def _remember(path: Path, state: _State) -> None:
    states = _known()
    states.pop(str(path.resolve()), None)
    states[str(path.resolve())] = state
    latest = dict(list(states.items())[-MAX_FILES:])
    with suppress(SwguiError, OSError):  # then it is read again next time
        paths.make_folder(paths.cache_dir())
        save_text(_memory(), lambda file: json.dump(latest, file))
