"""Files of the speeds of tiles that `swgui bench --tune` measured: one for each GPU, in the user's data folder.

`swgui.engines.cuda.streaming.tables` reads them.
"""

from __future__ import annotations

import json
from pathlib import Path

from swgui import paths
from swgui.core.plain import plain
from swgui.core.sweep.tile_rates import TileRates, file_name
from swgui.io.whole_file import not_written, whole_file


def keep_rates(found: TileRates) -> Path:
    """Write the tiles of a GPU, in place of an earlier measurement; returns the file.

    Raises
    ------
    FileNotWritten
    """
    place = paths.tiles_dir() / file_name(found.device)
    try:
        paths.make_folder(place.parent)
    except OSError as fault:
        raise not_written(place, fault) from fault
    with whole_file(place) as file:
        file.write(json.dumps(plain(found), indent=1).encode())
    return place


def forget_rates() -> int:
    """Remove the measured tiles of all GPUs; returns of how many.

    Raises
    ------
    FileNotWritten
        If a file cannot be removed.
    """
    places = list(paths.tiles_dir().glob("*.json"))
    for place in places:
        try:
            place.unlink(missing_ok=True)
        except OSError as fault:
            raise not_written(place, fault) from fault
    return len(places)
