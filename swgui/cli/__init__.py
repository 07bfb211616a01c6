"""The command line: ``swgui`` opens the window, ``swgui COMMAND`` works in the terminal.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 the result that was written is not complete, 4 found what --fail-on
names, 130 ended by Ctrl+C (143 by SIGTERM, 129 by SIGHUP), 141 if the reader of the output went away. Errors are one
sentence on the standard error.
"""

from swgui.cli.program import build_parser as build_parser
from swgui.cli.program import main as main
from swgui.cli.program import run as run
from swgui.commands.table import COMMANDS as COMMANDS
