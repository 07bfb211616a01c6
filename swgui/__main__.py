"""``python -m swgui``: the same as the command ``swgui``."""

from swgui.cli import run

run()
