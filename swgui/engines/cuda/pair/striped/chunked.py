"""`chunked-align-1` and `chunked-align-2`: as the striped alignment, with rows saved every h rows.

With them the path inside a strip is computed again from the chunk it begins in, not from the first row; and with start
states local to chunks (`chunked-align-2`) chunk by chunk. The engine is that of
`swgui.engines.cuda.pair.striped.engine`.
"""

from __future__ import annotations

from swgui.engines.cuda.pair.striped.engine import create_pair_engine

__all__ = ["create_pair_engine"]
