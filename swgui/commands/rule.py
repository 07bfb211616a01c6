"""``swgui rule``: its options, and the rule that they describe."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any, Final

from swgui.commands.messages import MESSAGES, out_option
from swgui.commands.option import Group, Option
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.rules.matching import AMBIGUITIES
from swgui.core.rules.rule import RULES, Rule, read_fraction
from swgui.core.translation.frames import read_frames
from swgui.core.translation.genetic_codes import STANDARD
from swgui.engines.facts import RULE_ENGINES

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
                ("--format",), "of the places (default: tsv)", choices=("tsv", "bed", "gff3", "pepmatch"), default="tsv"
            ),
            Option(("--certificate",), "where to write what was tested, as JSON", "FILE.json"),
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
            Option(("--strand",), "of nucleotides (default: both)", default="both", choices=("both", "plus")),
            Option(
                ("--frames",),
                "translate the database, and read these of its frames (peptides, edits, identity, words; queries are "
                "proteins): all, plus, minus, or some of 1, 2, 3, -1, -2 and -3 with commas",
                "LIST",
            ),
            Option(
                ("--subject-code", "--db-gencode"),
                "genetic code of a translated database, by NCBI's number (default 1)",
                "N",
                int,
                STANDARD,
            ),
            Option(("--engine",), "default: the fastest here", default="auto", choices=("auto", *RULE_ENGINES)),
        )
    ),
    Group(
        (
            Option(("--mismatches",), "of a query at most (peptides 0, guides 3, primers 2)", "K", int),
            Option(
                ("--edits",), "differences at most, gap positions included (edits 1; guides: all together)", "K", int
            ),
            Option(("--gaps",), "gap positions at most (edits)", "K", int),
            Option(
                ("--gaps-in",),
                "the only sequence whose residues may stand opposite a gap (edits; default: both)",
                choices=("both", "subject", "query"),
            ),
            Option(("--matching-ends",), "the first and last residue must match (edits)", flag=True),
            Option(("--every-end",), "list ends that a better one beside them implies, too (edits)", flag=True),
            Option(("--identity",), "such as 0.7 or 70%% (identity 0.9; window 0.35, to be exceeded)", "SHARE"),
            Option(("--over",), "what identities are counted over (identity)", choices=("columns", "query")),
            Option(("--length",), "of a word (8) or a window (80)", "N", int),
            Option(("--no-background",), "do not measure how many sequences pass by chance (window)", flag=True),
            Option(("--pam",), "bases beside a guide (default: NGG)", "BASES"),
            Option(("--pam-side",), "of the guide on which the PAM stands (default: 3')", choices=("3", "5")),
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


def manner_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what options say of a `RuleRequest` besides its rule, its queries and its database."""
    return {
        "ambiguity": arguments.ambiguous,
        "strands": arguments.strand,
        "engine": arguments.engine,
        "frames": read_frames(arguments.frames) if arguments.frames else (),
        "code": arguments.subject_code,
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
            spelled = f"--{option.replace('_', '-')}"
            own = ", ".join(f"--{key.replace('_', '-')}" for key, field in _PARAMETERS.items() if field in names)
            raise InvalidParameter(
                option, value, f"{spelled} is no option of 'swgui rule {kind.name}'.", hint=f"It has {own}."
            )
        values[name] = read_fraction("identity", value) if name == "identity" else value
    return kind(**values)
