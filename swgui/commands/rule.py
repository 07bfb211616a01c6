"""``swgui rule``: its options, and the rule that they describe."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from swgui.commands.binding import asked, shown
from swgui.commands.files import CHECKPOINT, FEATURES, HISTORY, METADATA, SIGN, TABLE_ENDINGS, database_name, out_option
from swgui.commands.option import Group, Option, command_line, options_of, python_call
from swgui.commands.scoring import CIRCULAR
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.devices import device_ids, device_text
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.rules.base import Parameter, Rule, read_fraction
from swgui.core.rules.matching import AMBIGUITIES
from swgui.core.rules.request import BOTH, RuleRequest
from swgui.core.translation.frames import read_frames, write_frames
from swgui.core.translation.genetic_codes import STANDARD
from swgui.engines.facts import CPU, RULE_ENGINES
from swgui.io.table_files import TABLE_FORMATS
from swgui.io.tables.rules import PLACE_FORMATS
from swgui.jobs.rules.known import rules

_INPUT: Final = (
    Option(("-q", "--query"), "queries; - for the standard input", "FILE", many=True, run=True, required=True),
    Option(("-d", "--database", "--db"), "databases to scan", "FILE", database_name, required=True),
    out_option("where to write the places"),
    Option(
        ("--format", "-f"),
        "of the places (default: by the ending of --out, else tsv): a table as tsv, csv, json or xlsx; bed, gff3; "
        "pepmatch: a CSV with the columns of PEPMatch; fasta: the residues of each place",
        choices=(*TABLE_FORMATS, *PLACE_FORMATS),
        default="tsv",
        endings={
            **TABLE_ENDINGS,
            ".csv": ("csv", "pepmatch"),
            ".bed": ("bed",),
            ".gff3": ("gff3",),
            ".gff": ("gff3",),
            ".fasta": ("fasta",),
            ".fa": ("fasta",),
        },
    ),
    *METADATA,
    FEATURES,
    Option(("--certificate",), "file of the certificate, as JSON", "FILE.json"),
    SIGN,
    Option(("--certificate-page",), "file of the certificate, as a page to print", "FILE.html"),
    CHECKPOINT,
    HISTORY,
    Option(
        ("--type",),
        "kind of the queries (default: guessed)",
        default="auto",
        choices=("auto", PROTEIN.name, NUCLEOTIDE.name),
    ),
    Option(
        ("--ambiguous",),
        "matches of X, N and other ambiguous residues (default: strict, themselves only)",
        default="strict",
        choices=tuple(AMBIGUITIES),
        path="ambiguity",
    ),
    Option(
        ("--equate-il",),
        "of proteins: isoleucine and leucine are the same residue, as mass spectrometry cannot tell them apart (all "
        "rules but those of nucleotides)",
        flag=True,
        path="equate_il",
        show=lambda equal: equal or None,
    ),
)
_ENGINE: Final = (
    Option(
        ("--subject-code", "--db-gencode"),
        "genetic code of a translated database, by NCBI's number (with --frames; default: 1)",
        "N",
        int,
        path="code",
        show=lambda code: None if code == STANDARD else code,
    ),
    CIRCULAR._replace(path="circular", show=lambda circular: circular or None),
    Option(
        ("--engine",),
        "engine (default: the fastest here)",
        default="auto",
        choices=("auto", *RULE_ENGINES),
        path="engine",
    ),
    Option(
        ("--device",),
        "the GPU, as 'swgui devices' lists it (default: the first)",
        "ID",
        default="",
        path="options.devices",
        make=device_ids,
        show=device_text,
    ),
    Option(
        ("-t", "--threads", "--num-threads"), "threads of the CPU (default: all)", "N", int, 0, path="options.threads"
    ),
)
_READS: Final = {"count": int}  # of parameters by kind; other values are texts
_RULE: Final = "rule."  # what the paths of its fields begin with
_OF_REQUESTS: Final = {field.name: field.default for field in fields(RuleRequest)}


def rule_options() -> tuple[Group, ...]:
    """Return the options of ``swgui rule``, with those of the rules of installed packages."""
    known = [f"{rule.name} ({rule.known_as})" if rule.known_as else rule.name for rule in rules().values()]
    which = Option(("rule",), f"{', '.join(known[:-1])} or {known[-1]}", "RULE", choices=tuple(rules()), required=True)
    files = Group((which, *_INPUT, *_readings(), *_ENGINE))
    return files, Group(tuple(_of_rules()), "the rule")


def _readings() -> tuple[Option, Option]:
    """Return the options of strands and frames, which not all rules have."""
    paired = " and ".join(rule.name for rule in rules().values() if rule.paired)
    strand = Option(
        ("--strand",),
        f"of nucleotides: both, or plus to leave out reverse complements (all rules but {paired}; default: both)",
        choices=("both", "plus"),
        path="strands",
        show=lambda strands: None if strands == BOTH else strands,
    )
    frames = Option(
        ("--frames",),
        f"translate the database, and read these of its frames ({', '.join(_translated())}; queries are proteins): "
        "all, plus, minus, or some of 1, 2, 3, -1, -2 and -3 with commas",
        "LIST",
        path="frames",
        make=read_frames,
        show=lambda frames: write_frames(frames) if frames else None,
    )
    return strand, frames


def _translated() -> list[str]:
    return [rule.name for rule in rules().values() if rule.translated]


def _of_rules() -> Iterator[Option]:
    """Yield the options of the parameters of all rules; several rules may share one."""
    shared: dict[str, list[Parameter]] = {}
    for rule in rules().values():
        for parameter in rule.parameters:
            shared.setdefault(parameter.key, []).append(parameter)
    for key, parameters in shared.items():
        first = next((one for one in parameters if one.said), parameters[0])
        own = [one.own for one in (first, *(one for one in parameters if one is not first)) if one.own]
        yield Option(
            (_spelled(key),),
            first.said.format(rules=first.between.join(own)),
            first.metavar,
            _READS.get(first.kind, str),
            choices=first.values or tuple(value for _, value in first.choices),
            flag=True if first.kind == "flag" else None,
            **_bound(first),
        )


def _bound(parameter: Parameter) -> dict[str, Any]:
    """Return the path of a parameter of a rule, or of how is searched, and how its value becomes that of the field."""
    name = parameter.name
    if parameter.of_rule:
        return {"path": f"{_RULE}{name}", **_converted(parameter)}
    usual = _OF_REQUESTS.get(name)
    return {"path": name, "show": lambda value: None if value == usual else value} if name in _OF_REQUESTS else {}


def _converted(parameter: Parameter) -> dict[str, Any]:
    """Return how the value of an option becomes that of the field of a rule, and back; nothing where they are equal."""
    if parameter.kind == "percent":
        return {"make": partial(read_fraction, parameter.name), "show": str}
    return {"make": lambda value: parameter.former.get(value, value)} if parameter.former else {}


def manner_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a rule other than those of `RuleRequest.given`: how and where to scan.

    Raises
    ------
    InvalidParameter
        If an option that is given changes nothing for this rule.
    """
    _check_taken(arguments)
    if arguments.frames is None and arguments.subject_code is not None:
        raise InvalidParameter(
            "subject_code",
            arguments.subject_code,
            "--subject-code changes nothing without --frames.",
            hint="Give --frames, or leave it out.",
        )
    manner = asked(options_of(rule_options()), arguments)
    manner.pop("rule", None)
    options = EngineOptions(**manner["options"])
    if arguments.engine == CPU.name and set(options.devices) - {CPU.name}:
        what = f"--engine cpu has no device '{arguments.device}'."
        raise InvalidParameter("device", arguments.device, what, hint="Leave out --engine, or --device.")
    return {**manner, "options": options}


def _check_taken(arguments: argparse.Namespace) -> None:
    """Raise `InvalidParameter` for an option that the rule does not have."""
    those = {
        "strand": [rule.name for rule in rules().values() if not rule.paired],
        "equate_il": [rule.name for rule in rules().values() if not rule.nucleotides],
        **dict.fromkeys(("frames", "subject_code"), _translated()),
    }
    for parameter in (one for rule in rules().values() for one in rule.parameters if not one.of_rule):
        those[parameter.key] = [rule.name for rule in rules().values() if rule.takes(parameter.key)]
    for option, names in those.items():
        value = getattr(arguments, option)
        if value is not None and arguments.rule not in names:
            raise _no_option(arguments.rule, option, value, f"Those that have it are {', '.join(names)}.")


def rule_of(arguments: argparse.Namespace) -> Rule:
    """Return the rule that options describe; `InvalidParameter` where an option is not one of this rule."""
    kind = rules()[arguments.rule]
    options = [option for option in _of_rules() if option.path.startswith(_RULE)]
    own = [option for option in options if kind.takes(option.key)]
    for option in options:
        if option not in own and (value := getattr(arguments, option.key)) is not None:
            its = ", ".join(_spelled(one.key) for one in own)
            raise _no_option(kind.name, option.key, value, f"It has {its}.")
    return kind(**asked(own, arguments).get("rule", {}))


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
    rule = request.rule
    changed = {f"{_RULE}{field.name}" for field in fields(rule) if getattr(rule, field.name) != field.default}
    options = (one for one in options_of(rule_options()) if one.path in changed or not one.path.startswith(_RULE))
    return {
        "rule": rule.name,
        "query": [queries],
        "database": request.database,
        "type": request.alphabet.name,
        **shown(options, request),
        **({"device": None} if request.engine == CPU.name else {}),
    }


def rule_command(request: RuleRequest, queries: Path) -> str:
    """Return the terminal command that finds the same places; parameters as of `rule_values`."""
    return command_line("rule", rule_options(), rule_values(request, queries))


def rule_python(request: RuleRequest, queries: Path) -> str:
    """Return lines of Python that find the same places; parameters as of `rule_values`."""
    values = {**rule_values(request, queries), "query": queries}
    return python_call("rule", rule_options(), values, ("rule", "query", "database"))
