"""Contract of all rules: a record that describes its results, its parameters, and its parts elsewhere.

Notation: a query has n residues. The columns of an alignment are matches, mismatches and gap positions. An insertion is
a residue of the subject that the query lacks (a DNA bulge of a guide), a deletion one of the query that the subject
lacks (an RNA bulge). Differences are mismatches, insertions and deletions together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.plain import from_plain
from swgui.core.records import SequenceRecord
from swgui.core.rules.repair import Repair
from swgui.core.words import agree

MAX_PATTERN: Final = 64  # residues of queries of a search with edits: bits of a word
MAX_DIFFERENCES: Final = 250
MAX_QUERY: Final = 100_000
MAX_DENOMINATOR: Final = 10_000  # of identities: scores stay within 31 bits

Lengths = NDArray[np.int64]
Kind = Literal["count", "percent", "choice", "flag", "text"]
WithPam = Literal["auto", "yes", "no"]  # how guides are written; ``"auto"`` tells it by their lengths


class Limits(NamedTuple):
    """Largest number of differences of a fit, and of each kind."""

    differences: int
    mismatches: int
    insertions: int
    deletions: int
    gaps: int  # insertions and deletions together


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a rule with its option, which is also the parameter in Python, and its control in the window."""

    name: str  # of the field of the rule
    kind: Kind = "count"
    # said: purpose of the option; ``{rules}`` is replaced by the `own` words of each rule that has it. A rule that
    # shares the option of another one leaves `said` empty
    said: str = ""
    own: str = ""
    between: str = ", "  # these words
    option: str = ""  # key of the option, where it is not `name`
    metavar: str | None = None
    values: tuple[str, ...] = ()  # that the option takes; those of `choices` if empty
    label: str = ""  # of the control; without one the form does not ask
    tip: str = ""
    picture: str = ""  # lines of an alignment that show the meaning, in a fixed-width font
    limits: tuple[int, int] = (0, MAX_DIFFERENCES)  # of a count in the window
    optional: bool = False  # whether a count may be left without a limit
    choices: tuple[tuple[str, str], ...] = ()  # title and value
    former: Mapping[str, str] = {}  # values of earlier versions, each with what it is called now
    of_rule: bool = True  # or of how is searched: the rule has no such field

    @property
    def key(self) -> str:
        """Name of the option's value."""
        return self.option or self.name


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, of which each kind is a frozen dataclass; its fields are its parameters.

    A rule declares only the differences from most rules.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    work: ClassVar[str]  # ``module:Class`` of how it is scanned, planted and checked (`swgui.jobs.rules.work`)
    known_as: ClassVar[str] = ""  # its purpose, in a word or two, if the name does not give it
    purpose: ClassVar[str] = ""  # its results, in one sentence
    paste: ClassVar[str] = "Paste sequences: FASTA, or bare residues."  # in the empty box of the queries
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    nucleotides: ClassVar[bool] = False  # whether queries are nucleotides in any case
    translated: ClassVar[bool] = False  # True if it also accepts a translated database
    # True if queries come in pairs, forward and reverse, that are read on opposite strands as one; as of primers, their
    # ambiguous residues mean each of theirs, and a place has no alignment
    paired: ClassVar[bool] = False
    unit: ClassVar[Literal["places", "cells"]] = "places"  # the tested objects
    background: ClassVar[bool] = False  # whether of proteins the subjects that pass by chance are counted, and FASTA's
    plain_may_be_unmet: ClassVar[bool] = False  # whether no place may meet a query whose residues all match something
    unmet_hint: ClassVar[str] = "Change the limits of the rule, or the queries."
    not_said: ClassVar[str] = ""  # statements that its certificate lacks, apart from those that all lack
    counted: ClassVar[str] = ""  # column of a list in place of the differences
    shows_identity: ClassVar[bool] = True  # in a list
    columns: ClassVar[tuple[str, ...]] = ()  # further ones of a list
    beside_pam: ClassVar[bool] = False  # whether places stand next to a PAM, which tables show with the seed

    @classmethod
    def of_plain(cls, parameters: Mapping[str, Any]) -> Self:
        """Return a rule from its parameters as a certificate has them; `TypeError` or `ValueError` if it has others."""
        hints = get_type_hints(cls)
        given = {**parameters, **cls._renamed(parameters)}
        values = {
            name: Fraction(value) if hints[name] is Fraction else from_plain(hints[name], value)
            for name, value in given.items()
            if name in {field.name for field in fields(cls)}
        }
        return cls(**{**given, **values})

    @classmethod
    def _renamed(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that earlier versions called otherwise, by name, as they are called now."""
        able = (one for one in cls.parameters if isinstance(parameters.get(one.name), str))
        return {one.name: one.former[value] for one in able if (value := parameters[one.name]) in one.former}

    @classmethod
    def takes(cls, option: str) -> bool:
        """Whether it has the option of this key."""
        return any(parameter.key == option for parameter in cls.parameters)

    def sentence(self) -> str:
        """Return the rule in words."""
        raise NotImplementedError

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule does not accept a query of this name and length."""
        check_length(name, length, self.may_differ if self.may_differ < MAX_QUERY else 0)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return the number of places, or cells, of each subject tested for a query, given their lengths.

        On one strand; as many as a query has positions in a subject without gaps, if the rule does not say otherwise.
        """
        return np.maximum(subjects - query + 1, 0)

    @property
    def may_differ(self) -> int:
        """Number of residues of a query that may be unmatched: opposite another residue or a gap."""
        return MAX_QUERY

    @property
    def up_to(self) -> str:
        """How much a place may differ, for the sentence that there is none: ``up to 3 mismatches``."""
        return ""

    @property
    def most_differences(self) -> int:
        """Largest number of differences that an answer counts places of; 0 where places do not go by differences."""
        return 0

    def why_unmet(self, matching: Sequence[NDArray[np.bool_]], letter: str) -> str:
        """Return the reason why no place could meet the rule; empty if one could.

        Parameters
        ----------
        matching : sequence of ndarray, shape=(n,), dtype=bool
            Which residues of the query can match any; of a pair, those of both.
        letter : str
            How the others are written.
        """
        plain, allowed = int(matching[0].sum()), self.may_differ
        few = len(matching[0]) - plain <= allowed
        return "" if few else f"{blanks_said(matching[0], letter)}, and {allowed or 'none'} may differ"

    def without_pam(
        self, queries: Sequence[SequenceRecord], alphabet: Alphabet, with_pam: str
    ) -> tuple[Sequence[SequenceRecord], list[str]]:
        """Return queries without the PAM that some end with, and a sentence on it; errors as of `repaired`."""
        return queries, []

    def repairs(self, question: Any) -> Sequence[Repair]:
        """Return the repairs of a question to this rule (`swgui.core.rules.question.Question`) that only it knows."""
        return ()

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind a place of a query of this size that decide whether it is listed."""
        return 0, size

    @property
    def crosses_origins(self) -> bool:
        """True if the search includes places across the origin of circular records."""
        return True

    @property
    def on_cpu(self) -> str:
        """Reason why no GPU scans; empty if one can."""
        return ""

    @property
    def least_columns(self) -> int:
        """Smallest number of columns in the denominator of identities."""
        return 1

    @property
    def counted_over(self) -> str:
        """Denominator of identities, in words."""
        return "all columns"

    def denominators(self, aligned: NDArray[Any], columns: NDArray[Any]) -> Lengths:
        """Return the denominators of the identities of k places, shape (k,).

        Parameters
        ----------
        aligned, columns : ndarray, shape=(k,)
            Residues of the query that are aligned, and columns of the alignment.
        """
        return np.asarray(np.maximum(columns, self.least_columns), np.int64)

    def best_weights(self, matches: int, columns: int) -> tuple[int, int] | None:
        """Return the gain of a match and cost of another column that make a place a best alignment of its residues.

        None where the rule does not look for the largest identity of the whole query.
        """
        return None

    def bare(self, query: str) -> str:
        """Return the query that a list of another program means, whose queries have their PAM."""
        return query.upper()

    def without_pam_span(self, start: int, end: int, strand: int) -> tuple[int, int]:
        """Return start and end of a place without the PAM that another program counts to it."""
        return start, end

    def only_end(self, strand: int) -> Literal["", "start", "end"]:
        """Return the end that alone identifies a place on a strand; empty if both do."""
        return ""

    def former_meaning(self, sentence: str) -> str:
        """Return the different meaning of the rule in earlier versions; empty if it is the same."""
        return ""

    def reworded(self, sentence: str) -> str:
        """Return a sentence of earlier versions as this one words it."""
        return sentence


def blanks_said(matching: NDArray[np.bool_], letter: str) -> str:
    """Return a sentence on residues of a query that match nothing; parameters as of `Rule.why_unmet`."""
    size, blank = len(matching), int((~matching).sum())
    return f"{blank} of its {size} positions {agree(blank, 'is', 'are')} {letter}, which matches nothing"


def read_fraction(name: str, text: str) -> Fraction:
    """Return an identity as an exact fraction (0.7, 70%, 70, 7/10); `InvalidParameter` unless above 0 and at most 1."""
    try:
        value = Fraction(text.removesuffix("%").strip())
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if text.endswith("%") or (value > 1 and "/" not in text):
        value /= 100
    if not 0 < value <= 1:
        raise InvalidParameter(
            name, text, f"'{text}' is no share above 0 and up to 1 (0.9) and no percentage up to 100 (90 or 90%)."
        )
    return value


def percent(value: Fraction) -> str:
    """Return a fraction in percent, rounded to two decimals."""
    return f"{float(round(value * 100, 2)):g}"


def check_number(name: str, value: int | None, most: int = MAX_DIFFERENCES, least: int = 0) -> None:
    """Raise `InvalidParameter` for a number out of its limits."""
    if value is not None and not least <= value <= most:
        raise InvalidParameter(name, value, f"{name.replace('_', ' ')} must be {least} to {most}, not {value}.")


def check_choice(name: str, value: str, *choices: str) -> None:
    """Raise `InvalidParameter` for values outside the choices."""
    if value not in choices:
        raise InvalidParameter(name, value, f"{name.replace('_', ' ')} is one of {', '.join(choices)}, not {value}.")


def check_identity(value: Fraction) -> None:
    """Raise `InvalidParameter` for an identity that no alignment has, or that is too fine."""
    if not 0 < value <= 1:
        raise InvalidParameter(
            "identity", value, f"An identity must be above 0 and at most 100 %, not {percent(value)}."
        )
    if value.denominator > MAX_DENOMINATOR:
        raise InvalidParameter(
            "identity",
            value,
            f"An identity is a fraction with a denominator of at most {MAX_DENOMINATOR:,}, and this one has "
            f"{value.denominator:,}.",
            hint="Write fewer decimals, such as 0.8125 or 81.25%.",
        )


def check_length(name: str, length: int, differences: int, most: int = MAX_QUERY) -> None:
    """Raise `SequenceError` for a query that is empty, too long, or that so many differences make match anything."""
    if not length:
        raise SequenceError(f"Query {name} is empty.", hint="Leave it out.")
    if differences >= length:
        raise SequenceError(
            f"Query {name} is {length} long: with {differences} differences every place would be listed.",
            hint="Allow fewer differences, or leave this query out.",
        )
    if length > most:
        raise SequenceError(
            f"Query {name} is {length} long; this rule takes {most} at most.",
            hint="Cut it into shorter queries, or use another rule.",
        )


def most(count: int, word: str) -> str:
    """Return ``at most 2 mismatches``, or ``no mismatches``."""
    plural = word if count == 1 else f"{word}es" if word.endswith("ch") else f"{word}s"
    return f"at most {count} {plural}" if count else f"no {plural}"
