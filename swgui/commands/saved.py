"""Commands on saved searches: their options."""

from __future__ import annotations

from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.files import FILES, METADATA, TIMINGS, database_name, out_option, table_format
from swgui.commands.option import Group, Option
from swgui.commands.output import hits_out
from swgui.io.methods.forms import FORMS

RUN: Final = "RUN"
RUN_HELP: Final = "a saved search: a file, or a run of the history by its name or id"
DATABASE: Final = Option(
    ("-d", "--database", "--db"),
    "its database, if swgui does not find it; with several all of them, in the order of the search",
    "FILE",
    database_name,
    many=True,
)
FILE: Final = Group(
    (
        Option(("file",), RUN_HELP, RUN, required=True),
        DATABASE,
    )
)
METHODS_TEXT: Final = Group(
    (
        Option(
            ("--methods-text",),
            "instead of hits, a paragraph for the methods section of a paper and its references: " + ", ".join(FORMS),
            "FORM",
            choices=tuple(FORMS),
        ),
        Option(("--only",), "only hits with this mark from the window", choices=("ticked", "starred")),
    )
)
LIMITS: Final = Group(
    (
        Option(
            ("--top", "-k", "--max-target-seqs"), "hits per query at most, instead of those of the search", "N", int
        ),
        Option(("--evalue", "-e"), "hits up to this E-value, instead of that of the search", "E", float),
        Option(("--dbsize",), "database size E refers to, instead of that of the search", "RESIDUES", int),
    )
)
FIND: Final = (
    Group(
        (
            Option(("run_name",), RUN_HELP, RUN, required=True),
            Option(("names",), "parts of identifiers or descriptions of subjects", "NAME", many=True),
            Option(("-q", "--query"), "only for this query of the run, by its id", "ID", many=True, run=True),
            DATABASE,
            out_option("where to write a table"),
            table_format(),
            *METADATA,
        )
    ),
)
COMPARE: Final = (
    Group(
        (
            Option(("first",), RUN_HELP, RUN, required=True),
            Option(("second",), "the run to compare with the first", RUN, required=True),
            out_option("where to write a table"),
            table_format(),
            *METADATA,
            Option(("--comments",), "begin with # lines that describe how both were made", default=False, flag=True),
        )
    ),
)
VERIFIED: Final = (
    f"{RUN_HELP}; a pair (.json) or another run of the history; or the certificate of a search by rule or of a leak"
)
VERIFY: Final = Group(
    (
        Option(("file",), VERIFIED, RUN, required=True),
        DATABASE,
        Option(("--full",), "scan the whole database again for a certificate, not a sample", default=False, flag=True),
        Option(
            ("--signer",),
            "first check the signature, FILE.sig, by ssh-keygen with a public SSH key or a list of allowed signers",
            "KEY.pub",
        ),
    )
)


def diff_options() -> tuple[Group, ...]:
    """Return the options of ``swgui diff``."""
    from swgui.commands.search import SAVE  # here: the others need no option of a search

    given = Group(
        (
            Option(("file",), RUN_HELP, RUN, required=True),
            Option(
                ("newer",),
                "a newer release of the database that was searched, by file or name; several as one",
                "NEW.swdb",
                database_name,
                many=True,
            ),
            DATABASE,
            out_option("where to write the table of changes"),
            table_format(),
            *METADATA,
            SAVE._replace(help="also write the search of the newer database, which the next comparison can begin with"),
        )
    )
    return given, TIMINGS, engine_group()


def merge_options() -> tuple[Group, ...]:
    """Return the options of ``swgui merge``."""
    from swgui.commands.search import SAVE  # here: the others need no option of a search

    given = Group(
        (
            Option(("parts",), "files of 'swgui search --part': all parts of one search", "PART", many=True),
            Option(
                ("-d", "--database", "--db"),
                "the database, if swgui does not find it; several in the order of the search",
                "FILE",
                database_name,
                many=True,
            ),
        ),
        FILES,
    )
    return given, hits_out(FILES, saved=True), Group((SAVE,), FILES)


def show_options() -> tuple[Group, ...]:
    """Return the options of ``swgui show``."""
    return FILE, LIMITS, hits_out(title=""), METHODS_TEXT


def verify_options() -> tuple[Group, ...]:
    """Return the options of ``swgui verify``."""
    return VERIFY, engine_group()
