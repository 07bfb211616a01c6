"""``swgui rule``: its options, and the rule that they describe."""

from __future__ import annotations

import argparse
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from swgui.commands.messages import MESSAGES, SIGN, out_option
from swgui.commands.option import Group, Option, command_line, python_call
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.devices import device_ids, device_text
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.rules.asked import WITH_PAM
from swgui.core.rules.matching import AMBIGUITIES
from swgui.core.rules.request import BOTH, TRANSLATED, RuleRequest
from swgui.core.rules.rule import RULES, Guides, Primers, Rule, Window, read_fraction
from swgui.core.translation.frames import read_frames, write_frames
from swgui.core.translation.genetic_codes import STANDARD
from swgui.engines.facts import CPU, RULE_ENGINES
from swgui.io.table_files import TABLE_FORMATS
from swgui.io.tables.rules import PLACE_FORMATS

RULE: Final = (
    Group(
        (
            Option(
                ("rule",),
                "peptides (mismatches), edits, identity, window (allergens), words, guides (CRISPR) or primers",
                "RULE",
                choices=tuple(RULES),
                required=True,
            ),
            Option(("-q", "--query"), "queries; - for the standard input", "FILE", many=True, run=True, required=True),
            Option(("-d", "--database", "--db"), "where to look", "FILE", required=True),
            out_option("where to write the places"),
            Option(
                ("--format",),
                "of the places (default tsv): a table as tsv, csv, json or xlsx; bed, gff3; pepmatch: a CSV with the "
                "columns of PEPMatch",
                choices=(*TABLE_FORMATS, *PLACE_FORMATS),
                default="tsv",
            ),
            Option(("--certificate",), "where to write what was tested, as JSON", "FILE.json"),
            SIGN,
            Option(("--certificate-page",), "the same as a page to print", "FILE.html"),
            Option(("--state",), "where to keep what is scanned, and to go on from after a stop", "FILE"),
            Option(
                ("--type",),
                "of the queries (default: guessed)",
                default="auto",
                choices=("auto", PROTEIN.name, NUCLEOTIDE.name),
            ),
            Option(
                ("--ambiguous",),
                "what X, N and other ambiguous residues match (default: strict, themselves only)",
                default="strict",
                choices=tuple(AMBIGUITIES),
            ),
            Option(
                ("--strand",),
                "of nucleotides: both, or plus to leave out reverse complements (all rules but primers; default: both)",
                choices=("both", "plus"),
            ),
            Option(
                ("--frames",),
                "translate the database, and read these of its frames (peptides, edits, identity, words; queries are "
                "proteins): all, plus, minus, or some of 1, 2, 3, -1, -2 and -3 with commas",
                "LIST",
            ),
            Option(
                ("--subject-code", "--db-gencode"),
                "genetic code of a translated database, by NCBI's number (with --frames; default 1)",
                "N",
                int,
            ),
            Option(
                ("--circular",),
                "all records of the database are circular: look across their origins (GenBank and EMBL entries say it "
                "themselves)",
                flag=True,
            ),
            Option(("--engine",), "default: the fastest here", default="auto", choices=("auto", *RULE_ENGINES)),
            Option(("--device",), "the GPU, as 'swgui devices' lists it (default: the first)", "ID", default=""),
            Option(("-t", "--threads", "--num-threads"), "threads of the CPU (default: all)", "N", int, 0),
        )
    ),
    Group(
        (
            Option(("--mismatches",), "of a query at most (peptides 0, guides 3, primers 2)", "K", int),
            Option(
                ("--edits",), "differences at most, gap positions included (edits 1; guides: all together)", "K", int
            ),
            Option(("--gaps",), "gap positions at most, insertions and deletions together (edits)", "K", int),
            Option(
                ("--gaps-in",),
                "which gaps are allowed (edits; default: both): insertions are residues of the subject that the query "
                "lacks, deletions residues of the query that the subject lacks; subject is a former word for "
                "insertions, query for deletions",
                choices=("both", "insertions", "deletions", "subject", "query"),
            ),
            Option(("--matching-ends",), "the first and last residue must match (edits)", flag=True),
            Option(("--every-end",), "list ends that a better one beside them implies, too (edits)", flag=True),
            Option(("--identity",), "such as 0.7 or 70%% (identity 0.9; window 0.35, to be exceeded)", "SHARE"),
            Option(
                ("--over",),
                "what identities are counted over (identity; default: columns): all columns, or the residues of the "
                "query, where residues that the subject has more take nothing away",
                choices=("columns", "query"),
            ),
            Option(("--length",), "of a word (8) or a window (80)", "N", int),
            Option(("--no-background",), "do not measure how many sequences pass by chance (window)", flag=True),
            Option(("--pam",), "bases beside a guide (default: NGG)", "BASES"),
            Option(("--pam-side",), "of the guide on which the PAM stands (default: 3')", choices=("3", "5")),
            Option(
                ("--with-pam",),
                "whether guides are written with their PAM, which is left off (default: auto, by their lengths)",
                choices=WITH_PAM,
            ),
            Option(("--dna-bulges",), "bases of the genome more than of the guide at most (default: 0)", "K", int),
            Option(("--rna-bulges",), "bases of the guide more than of the genome at most (default: 0)", "K", int),
            Option(("--exact-end",), "bases at the 3' end of a primer that must match (default: 3)", "N", int),
            Option(("--shortest",), "product of primers (default: 50)", "N", int),
            Option(("--longest",), "product of primers (default: 3000)", "N", int),
        ),
        "the rule",
    ),
    MESSAGES,
)
# Options of rules, and what the field of a rule is called where it is not the same.
_PARAMETERS: Final = {
    **{name: name for name in ("mismatches", "edits", "gaps", "gaps_in", "matching_ends", "every_end", "identity")},
    **{
        name: name for name in ("over", "length", "pam", "dna_bulges", "rna_bulges", "exact_end", "shortest", "longest")
    },
    "pam_side": "side",
}
# Options of how is searched that some rules have no use of: those that do, and the option that they need besides.
_ONLY_FOR: Final = {
    "strand": (tuple(name for name in RULES if name != Primers.name), ""),
    "frames": (TRANSLATED, ""),
    "subject_code": (TRANSLATED, "frames"),
    "no_background": ((Window.name,), ""),
    "with_pam": ((Guides.name,), ""),
}


def manner_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what options say besides what a `RuleRequest.given` is asked of, and where.

    Raises
    ------
    InvalidParameter
        If an option that is given changes nothing for this rule.
    """
    for option, (rules, needed) in _ONLY_FOR.items():
        value = getattr(arguments, option)
        if value is None:
            continue
        if arguments.rule not in rules:
            raise _no_option(arguments.rule, option, value, f"Those that have it are {', '.join(rules)}.")
        if needed and not getattr(arguments, needed):
            spelled, other = _spelled(option), _spelled(needed)
            raise InvalidParameter(
                option, value, f"{spelled} changes nothing without {other}.", hint=f"Give {other}, or leave it out."
            )
    devices = device_ids(arguments.device)
    if arguments.engine == CPU.name and set(devices) - {CPU.name}:
        what = f"--engine cpu has no device '{arguments.device}'."
        raise InvalidParameter("device", arguments.device, what, hint="Leave out --engine, or --device.")
    return {
        "ambiguity": arguments.ambiguous,
        "strands": arguments.strand or BOTH,
        "engine": arguments.engine,
        "options": EngineOptions(devices, arguments.threads),
        "frames": read_frames(arguments.frames) if arguments.frames else (),
        "circular": bool(arguments.circular),
        "with_pam": arguments.with_pam or WITH_PAM[0],
        "code": STANDARD if arguments.subject_code is None else arguments.subject_code,
    }


def rule_of(arguments: argparse.Namespace) -> Rule:
    """Return the rule that options describe; `InvalidParameter` where an option is not one of this rule."""
    kind = RULES[arguments.rule]
    names = {parameter.name for parameter in fields(kind)}
    values: dict[str, Any] = {}
    for option, name in _PARAMETERS.items():
        value = getattr(arguments, option)
        if value is None:
            continue
        if name not in names:
            own = ", ".join(_spelled(key) for key, field in _PARAMETERS.items() if field in names)
            raise _no_option(kind.name, option, value, f"It has {own}.")
        values[name] = read_fraction("identity", value) if name == "identity" else value
    return kind(**values)


def _no_option(rule: str, option: str, value: object, hint: str) -> InvalidParameter:
    return InvalidParameter(option, value, f"{_spelled(option)} is no option of 'swgui rule {rule}'.", hint=hint)


def _spelled(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def rule_values(request: RuleRequest, queries: Path) -> dict[str, object]:
    """Return the values of the options that ask for the same, by `Option.key`.

    Parameters
    ----------
    queries : Path
        The file with the queries.
    """
    rule, devices = request.rule, request.options.devices
    usual = {field.name: field.default for field in fields(rule)}
    parameters = {option: getattr(rule, name) for option, name in _PARAMETERS.items() if name in usual}
    changed = {option: value for option, value in parameters.items() if value != usual[_PARAMETERS[option]]}
    return {
        "rule": rule.name,
        "query": [queries],
        "database": request.database,
        "type": request.alphabet.name,
        **{option: str(value) if isinstance(value, Fraction) else value for option, value in changed.items()},
        "ambiguous": request.ambiguity,
        "circular": request.circular or None,
        "with_pam": request.with_pam if request.with_pam != WITH_PAM[0] else None,
        "strand": request.strands if request.strands != BOTH else None,
        "frames": write_frames(request.frames) if request.frames else None,
        "subject_code": request.code if request.frames and request.code != STANDARD else None,
        "engine": request.engine,
        "device": device_text(devices) if devices and request.engine != CPU.name else None,
        "threads": request.options.threads,
    }


def rule_command(request: RuleRequest, queries: Path) -> str:
    """Return the terminal command that finds the same places; parameters as of `rule_values`."""
    return command_line("rule", RULE, rule_values(request, queries))


def rule_python(request: RuleRequest, queries: Path) -> str:
    """Return lines of Python that find the same places; parameters as of `rule_values`."""
    values = {**rule_values(request, queries), "query": queries}
    return python_call("rule", RULE, values, ("rule", "query", "database"))
