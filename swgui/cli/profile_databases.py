"""``swgui makedb --profiles``: databases of profiles."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from swgui.cli.databases import described, facts_of
from swgui.cli.running import Report, deliver, on_terminal, say
from swgui.core.errors import InvalidParameter
from swgui.io.outputs import keep_inputs
from swgui.io.whole_file import save_text
from swgui.jobs.profiles.building import build_steps, profile_build

# Options of databases of sequences that make no sense here.
_OTHERS: Final = ("letters", "structures", "organisms", "taxonomy", "mask", "merge_identical", "packed", "columns")


def make_profiles(arguments: argparse.Namespace, out: Path) -> int:
    """Build a database of profiles.

    Raises
    ------
    SwguiError
        If it cannot be built.
    """
    for option in _OTHERS:
        if getattr(arguments, option):
            name = f"--{option.replace('_', '-')}"
            raise InvalidParameter(option, "", f"{name} does not go with --profiles.", hint="Leave out one of them.")
    inputs = [("source", source) for source in arguments.sources] + [("database", arguments.build_database or "")]
    keep_inputs(out, [(what, place) for what, place in inputs if place and not Path(place).is_dir()])
    reference = Path(arguments.build_database) if arguments.build_database else None
    given = arguments.iterations, arguments.context, arguments.threads
    build = profile_build([*map(Path, arguments.sources)], out, arguments.name or out.stem, reference, *given)
    remarks: list[str] = []
    with on_terminal() as terminal:
        database = terminal.run(build_steps(build, arguments.threads, remarks, terminal.cancel))
    for remark in dict.fromkeys(remarks) if not arguments.remarks else ():
        print(f"swgui: {remark}", file=sys.stderr)
    if arguments.remarks:
        save_text(arguments.remarks, lambda file: file.writelines(f"{remark}\n" for remark in remarks))
    if database is None:
        say(terminal.stopped)
        return terminal.status(complete=False)
    return deliver(arguments, Report(lines=described(out, database), facts=facts_of(out, database)))
