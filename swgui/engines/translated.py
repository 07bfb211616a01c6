"""Scoring of the parts of a search without scores, as they are stored or in frames, with any engine."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from swgui.core.control import POLL_SECONDS, start_thread
from swgui.core.database import ArrayDatabase, EncodedDatabase, Piece
from swgui.core.engines import EngineOptions
from swgui.core.hits.scores import ChunkScores
from swgui.core.hits.tally import Tally
from swgui.core.packing import PIECES, ChunkLimits, ChunkPlan, clipped, plan_chunks
from swgui.core.plain import replace
from swgui.core.ranges import Stretch, within
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.database import frame_offsets, translated_piece
from swgui.core.translation.frames import SHIFTING, query_frame, subject_frame
from swgui.core.translation.programs import Translation
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.windows import wants_parts

if TYPE_CHECKING:
    from swgui.engines.parts import PartSearch


# Pieces of a database, distributed to devices that score in parallel: read ahead, and not at all if a device keeps
# them.

AHEAD: Final = 4  # pieces that are read before a device asks for them

Part = tuple[Piece, Stretch]  # a piece, and which of its stored subjects are scored
_Plans = tuple[ChunkPlan, ...]


class Pieces:
    """Pieces that are to be scored, for any number of threads.

    Parameters
    ----------
    lanes : sequence of Engine
        Devices that score. Each first gets the pieces that it keeps.
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
        """Return the next free piece; None if there is none."""
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
) -> ArrayDatabase | None:
    """Return a piece in the form that the device wants: with packed residues, or without those it keeps.

    Parameters
    ----------
    bare : bool
        True if the device does not need its residues.

    Returns
    -------
    ArrayDatabase, or None
        None if `cancel` was set before it was read.
    """
    if piece.packed is None or not isinstance(lane, DeviceEngine) or not _unpacks(lane, piece):
        return _unless(cancel, start_thread(piece.open, "swgui-open", daemon=True))
    return _unless(cancel, piece.packed(bare or lane.keeps(piece.key), lane.host_room))


def _unless(cancel: threading.Event, coming: Future[ArrayDatabase]) -> ArrayDatabase | None:
    """Return the piece being read; None if `cancel` was set before."""
    while not wait([coming], POLL_SECONDS).done:
        if cancel.is_set():
            return None
    return coming.result()


def compile_ahead(
    engine: DeviceEngine,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    database: EncodedDatabase,
    translation: Translation | None,
    scheme: ScoringScheme,
) -> None:
    """Have an engine compile the kernels that `score_missing` needs; it has the same parameters."""
    frames, piece = tuple(dict.fromkeys(subject_frame(strand) for strand in strands)), database.pieces[0]
    some = open_for(engine, piece.unpacked() if any(frames) else piece, threading.Event(), bare=True)
    if some is None:
        return
    if translation is None or not any(frames):
        engine.compile_ahead(rows, some, scheme)
    elif not translation.shift:  # other kernels score shifting readings
        from swgui.engines.parts import compile_parts  # here, as below: few searches read frames

        first = [row for index, row in enumerate(rows) if subject_frame(strands[index % len(strands)]) == frames[0]]
        compile_parts(engine, first, some, translation, frames, scheme)


def score_missing(
    engine: Engine,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    database: EncodedDatabase,
    translation: Translation | None,
    tally: Tally,
    scheme: ScoringScheme,
    cancel: threading.Event,
    stretch: Stretch | None = None,
) -> Iterator[ChunkScores]:
    """Compute the missing scores of a tally; rows that lack the same chunks go to the engine together.

    Parameters
    ----------
    rows : sequence of EncodedQuery
        Queries in the same strands, or readings, query after query.
    database : EncodedDatabase
        As the user gave it; its pieces are opened one after the other.
    translation : Translation, optional
        How the database is translated, where frames are read.
    stretch : (int, int), optional
        Storage positions that are scored; all of them without it.
    """
    in_frames = any(subject_frame(strand) for strand in strands)
    every = [piece.unpacked() for piece in database.pieces] if in_frames else database.pieces
    pieces = [(piece, within(stretch, piece.first, piece.sequences)) for piece in every]
    lanes = engine.lanes() if isinstance(engine, DeviceEngine) and len(pieces) > 1 else ()
    queue = Pieces([(piece, inside) for piece, inside in pieces if inside[0] < inside[1]], lanes or (engine,))

    def run(lane: Engine, stop: threading.Event) -> Iterator[ChunkScores]:
        while not stop.is_set() and (taken := queue.take(lane)) is not None:
            piece, inside = taken
            if (opened := open_for(lane, piece, stop)) is None:
                return
            for chunk in _score_piece(lane, rows, strands, opened, piece, inside, translation, tally, scheme, stop):
                yield _behind(chunk, piece.first)

    if not lanes:
        yield from run(engine, cancel)
        return
    from swgui.engines.side_by_side import merge  # here: for several devices

    yield from merge({f"{lane.devices[0].name} {n}": partial(run, lane) for n, lane in enumerate(lanes)}, cancel)


def _behind(chunk: ChunkScores, subjects: int) -> ChunkScores:
    """Return scores as they are where so many subjects stand before."""
    if not subjects:
        return chunk
    windows = tuple(replace(one, db_index=one.db_index + subjects) for one in chunk.windows)
    stored = None if chunk.stored is None else (chunk.stored[0] + subjects, chunk.stored[1] + subjects)
    return replace(chunk, db_index=np.asarray(chunk.db_index) + subjects, windows=windows, stored=stored)


def _score_piece(
    engine: Engine,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    database: ArrayDatabase,
    piece: Piece,
    inside: Stretch,
    translation: Translation | None,
    tally: Tally,
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Compute the missing scores of a tally in a piece, whose subjects are counted from 0; as `score_missing`.

    Parameters
    ----------
    database : ArrayDatabase
        The piece, open.
    """
    frames = [subject_frame(strand) for strand in strands]
    read = tuple(frame for frame in dict.fromkeys(frames) if frame and abs(frame) != SHIFTING)
    if translation is not None and read:
        from swgui.engines.parts import PartSearch

        search = PartSearch(engine, database, translation, read, scheme)
        yield from _score_frames(search, rows, strands, inside, tally, piece.first, cancel)
        return
    for frame in dict.fromkeys(frames):
        offsets = frame_offsets(database, frame)
        limits = PIECES if frame else engine.chunk_limits(rows, database)
        plans = tuple(clipped(plan_chunks(offsets, limits), *inside, offsets))
        batches: dict[_Plans, list[int]] = {}
        whole: list[int] = []  # rows without any score
        for row in (row for row in range(len(rows)) if frames[row % len(frames)] == frame):
            if not tally.scored.item(row):
                whole.append(row)
            elif missing := tuple(tally.unscored(row, plans, database.order, offsets, piece.first)):
                batches.setdefault(missing, []).append(row)
        if whole and plans:
            batches.setdefault(plans, []).extend(whole)
        for some, of_some in batches.items():
            queries = [rows[row] for row in of_some]
            if frame and translation is not None:
                scored = score_strand(engine, queries, database, (frame, translation), some, scheme, cancel)
            else:
                scored = engine.score(queries, database, some, scheme, cancel)
            for chunk in scored:
                row = of_some[chunk.query_index]
                yield chunk if row == chunk.query_index else replace(chunk, query_index=row)


def _score_frames(
    search: PartSearch,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    inside: Stretch,
    tally: Tally,
    first: int,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Compute the missing scores of a tally in all frames; rows of one sequence are scored once.

    Parameters
    ----------
    inside : (int, int)
        Which stored sequences.
    first : int
        What the tally calls the first subject.
    """
    database = search.database
    offsets = frame_offsets(database, 1)
    plans = clipped(plan_chunks(offsets, ChunkLimits(PIECES.residues // len(search.frames))), *inside, offsets)
    lacking: dict[tuple[int, int, _Plans], dict[int, int]] = {}
    for row in range(len(rows)):
        query, index = divmod(row, len(strands))
        if missing := tuple(tally.unscored(row, plans, database.order, offsets, first)):
            own = lacking.setdefault((query, query_frame(strands[index]), missing), {})
            own[subject_frame(strands[index])] = row
    alike: dict[tuple[tuple[int, ...], _Plans], list[dict[int, int]]] = {}
    for (_, _, missing), own in lacking.items():
        alike.setdefault((tuple(own), missing), []).append(own)
    for (frames, missing), places in alike.items():
        queries = [rows[place[frames[0]]] for place in places]
        for frame, chunk in replace(search, frames=frames).score(queries, missing, cancel):
            yield replace(chunk, query_index=places[chunk.query_index][frame])


def score_strand(
    engine: Engine,
    queries: Sequence[EncodedQuery],
    database: ArrayDatabase,
    strand: tuple[int, Translation],
    plans: Sequence[ChunkPlan],
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Score proteins against a whole strand of stored subjects whose reading may shift; as `Engine.score` otherwise.

    Parameters
    ----------
    strand : (int, Translation)
        Its frame (`SHIFTING`), and how it is translated.
    plans : sequence of ChunkPlan
        Pieces that are translated one after the other.
    """
    for plan in plans:
        if cancel.is_set():
            return
        piece, order = translated_piece(database, *strand, plan), database.order[plan.start : plan.stop]
        chunks = plan_chunks(piece.offsets, engine.chunk_limits(queries, piece))
        for chunk in engine.score(queries, piece, chunks, scheme, cancel):
            windows = (replace(window, db_index=int(order[window.db_index])) for window in chunk.windows)
            yield replace(chunk, db_index=order[chunk.db_index], windows=tuple(windows), stored=None)


def with_frameshifts(
    engine: Engine, scheme: ScoringScheme, translation: Translation | None, options: EngineOptions
) -> Engine:
    """Return an engine that scores with the frameshifts of a translation on the devices of another; itself without."""
    if translation is None or not translation.shift:
        return engine
    remote = engine.with_frameshifts(translation) if isinstance(engine, DeviceEngine) else None
    if remote is not None:
        return remote
    from swgui.engines.shift_search import ShiftSearch  # here: few searches have frameshifts

    return ShiftSearch(engine, scheme, translation, options)
