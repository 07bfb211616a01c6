"""Speed on real data, as tables and as JSON: the GPU engine, methods side by side, long pairs, whole jobs with peers.

    python packaging/measuring/speed --help

Of a checkout, with the program installed in its environment. The speed of one device is measured by ``swgui bench``.
"""

from __future__ import annotations

from speed.command import main

__all__ = ["main"]
