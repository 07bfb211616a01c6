"""Pieces of a database given out to those that score beside one another: read ahead, and not at all where kept."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, wait
from itertools import islice
from typing import Final

import numpy as np

from swgui.core.control import POLL_SECONDS, beside
from swgui.core.database import EncodedDatabase, Piece
from swgui.core.several.shares import Stretch
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.windows import wants_parts

AHEAD: Final = 4  # pieces that are read before somebody asks for them

Part = tuple[Piece, Stretch]  # a piece, and which of its stored subjects are scored


class Pieces:
    """Pieces that are to be scored, for any number of threads.

    Parameters
    ----------
    lanes : sequence of Engine
        Those that score. Each gets first what its device keeps.
    """

    def __init__(self, pieces: Sequence[Part], lanes: Sequence[Engine]) -> None:
        self._lock = threading.Lock()
        devices = {lane.devices[0].id: lane for lane in lanes if isinstance(lane, DeviceEngine) and lane.unpacks}
        self._kept: dict[str, deque[Part]] = {device: deque() for device in devices}
        self._read: deque[Part] = deque()
        for part in pieces:
            own = (device for device, lane in devices.items() if lane.keeps(part[0].key))
            self._kept.get(next(own, ""), self._read).append(part)

    def take(self, lane: Engine) -> Part | None:
        """Return a piece that nobody has been given; None if there is none."""
        with self._lock:
            own = self._kept.get(lane.devices[0].id, self._read) if self._kept else self._read
            queues = own, self._read, *self._kept.values()
            taken = next((queue.popleft() for queue in queues if queue), None)
            kept = islice(own if own is not self._read else (), AHEAD)
            coming = [(piece, True) for piece, _ in kept] + [(piece, False) for piece, _ in islice(self._read, AHEAD)]
        if isinstance(lane, DeviceEngine):
            for piece, bare in coming:
                if piece.begin is not None and _unpacks(lane, piece):
                    piece.begin(bare, lane.host_room)
        return taken


def _unpacks(lane: DeviceEngine, piece: Piece) -> bool:
    """Whether a device is given a piece as it is packed: not where subjects are cut into parts."""
    return lane.unpacks and not wants_parts(np.array([0, piece.longest, piece.residues]))


def open_for(
    lane: Engine | DeviceEngine, piece: Piece, cancel: threading.Event, *, bare: bool = False
) -> EncodedDatabase | None:
    """Return a piece as whoever scores wants it: with residues as they are packed, or without those it keeps.

    Parameters
    ----------
    bare : bool
        Whether nobody wants its residues.

    Returns
    -------
    EncodedDatabase, or None
        None if `cancel` was set before it was read.
    """
    if piece.packed is None or not isinstance(lane, DeviceEngine) or not _unpacks(lane, piece):
        return _unless(cancel, beside(piece.open, "swgui-open", daemon=True))
    return _unless(cancel, piece.packed(bare or lane.keeps(piece.key), lane.host_room))


def _unless(cancel: threading.Event, coming: Future[EncodedDatabase]) -> EncodedDatabase | None:
    """Return what is being read; None if `cancel` was set before."""
    while not wait([coming], POLL_SECONDS).done:
        if cancel.is_set():
            return None
    return coming.result()
