"""``swgui rule``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.messages import MESSAGES
from swgui.commands.option import Group, Option
from swgui.commands.output import out_option
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.rules.matching import AMBIGUITIES
from swgui.core.rules.rule import RULES

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
            Option(("--engine",), "default: the fastest here", default="auto", choices=("auto", "cpu", "cuda")),
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
