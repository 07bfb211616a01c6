"""The kinds of subjects of databases: what is scored of them, in which units, and what a search of them can do.

A kind is one record, and a database carries it (`EncodedDatabase.subject_kind`). Rooms that score, list, align, shuffle
and describe hits read it there; functions that need them are named by ``module:NAME`` and imported when they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter


class Refusal(msgspec.Struct, frozen=True):
    """The reason why a search of a kind of subjects cannot do something.

    Parameters
    ----------
    sentence, hint : str
        ``{name}`` stands for the name of the database in the sentence.
    parameter : str
        Parameter that the error names; by default the name of the ability.
    """

    sentence: str
    hint: str = ""
    parameter: str = ""


_NOTHING: Final[Mapping[str, Refusal]] = MappingProxyType({})


class SubjectKind(msgspec.Struct, frozen=True):
    """One kind of subjects.

    Parameters
    ----------
    name : str
        Its key.
    alphabets : tuple of str
        Alphabets of the residues that can be searched; all if empty.
    unit : str
        Unit of a score, whatever the search asks for; empty where matrix and query decide.
    symmetric : bool
        Whether a pair has the same score whichever of the two is the query, by any matrix that is symmetric, as long as
        no query has scores by position.
    matrix : bool
        Whether matrix and gap costs have an effect.
    cost : float
        How many times as long as cells of sequences its cells take on the cores.
    foretold : bool
        Whether the time of a long search can be foretold by the speed of the device.
    fitted : str
        How E of a small database without published parameters is obtained.
    caution : str
        Sentence on every significant hit; empty where there is none.
    doubted : str
        Clause on a hit whose score members in doubt have raised; ``{score}`` stands for the E of the score, and
        ``{counted}`` for the E that counts. Empty where E by scores counts.
    line, note : str
        Line of the window in place of the scoring, and note on a database; empty where there is none.
    work : str
        ``module:NAME`` of its `swgui.jobs.search.subjects.SubjectWork`.
    methods : str
        ``module:NAME`` of its `swgui.io.methods.forms.KindMethods`.
    refused : mapping of str to Refusal
        Abilities it lacks: ``parts`` (a search in several parts), ``joined`` (databases searched as one), ``shuffles``
        (Z-values of hits), ``rounds`` (profiles of hits), ``directions`` (scores of both directions), ``translation``
        and ``organisms``.
    """

    name: str
    alphabets: tuple[str, ...] = ()
    unit: str = ""
    symmetric: bool = True
    matrix: bool = True
    cost: float = 1.0
    foretold: bool = True
    fitted: str = ""
    caution: str = ""
    doubted: str = ""
    line: str = ""
    note: str = ""
    work: str = ""
    methods: str = ""
    refused: Mapping[str, Refusal] = _NOTHING

    def can(self, ability: str) -> bool:
        """Whether a search can do something."""
        return ability not in self.refused

    def why_not(self, ability: str, name: str) -> str:
        """Return why a search of a database of this name cannot do something, as a sentence; empty if it can."""
        found = self.refused.get(ability)
        return found.sentence.format(name=name) if found is not None else ""

    def check(self, ability: str, name: str) -> None:
        """Raise `InvalidParameter` if a search of a database of this name cannot do something."""
        if (found := self.refused.get(ability)) is not None:
            raise InvalidParameter(found.parameter or ability, name, self.why_not(ability, name), hint=found.hint)


class SubjectProfiles(Protocol):
    """A profile of each subject, in storage order: `swgui.core.profiles.stored.StoredProfiles`."""

    @property
    def pairs(self) -> Any:
        """Quantised columns: a `ProfileSet`."""

    @property
    def diversity(self) -> NDArray[np.uint8]:
        """Effective number of residues around each column, in tenths, shape (R,)."""

    @property
    def background(self) -> NDArray[np.float64]:
        """Mean probabilities of all columns, shape (20,)."""

    @property
    def made(self) -> str:
        """How they were made."""

    @property
    def checksum(self) -> str:
        """Hex digest of the columns."""

    @property
    def certain(self) -> Any:
        """Quantised columns of the certain members alone, or None: a `ProfileSet`."""

    def take(self, positions: NDArray[np.int64]) -> SubjectProfiles:
        """Return copies of some profiles, by their places in storage order."""

    def columns(self, position: int) -> NDArray[np.float32]:
        """Return the probabilities of a profile, shape (n, 20)."""


SEQUENCES: Final = SubjectKind(
    "sequences",
    fitted="Fitted to scores of shuffled subjects, once for queries of about the same length: no parameters are "
    "published for these costs, and the database is too small for a fit to its own scores",
    work="swgui.jobs.search.sequences:SEQUENCES",
    methods="swgui.io.methods.searches:SEQUENCES",
)
_WHOLE: Final = Refusal(
    "'{name}' is a database of profiles, which is searched whole, with proteins and without translation.",
    "Search the database of sequences.",
)
PROFILES: Final = SubjectKind(
    "profiles",
    alphabets=("protein",),
    unit="1/32 bit",
    matrix=False,
    cost=6.0,
    foretold=False,
    fitted="Fitted to scores of reversed and shuffled profiles, for each query: the database is too small for a fit to "
    "its own scores",
    caution="Look at the alignment: a profile that took in another family has such hits as well.",
    doubted="members of the profiles that are in doubt raise its score, by which it has {score}; without them it has "
    "{counted}, which counts",
    line="A database of profiles: the profile of each query, by its contexts, is compared with every profile.",
    note="a profile of each",
    work="swgui.jobs.profiles.searching:PROFILES",
    methods="swgui.io.methods.profiles:PROFILES",
    refused=MappingProxyType(
        {
            "parts": Refusal("'{name}' is a database of profiles, which is not searched in parts.", parameter="part"),
            "joined": Refusal(
                "'{name}' is a database of profiles, which is not searched together with others.",
                "Search it alone.",
                "database",
            ),
            "shuffles": Refusal(
                "'{name}' is a database of profiles: its hits are scores of profiles with profiles, which shuffles of "
                "sequences cannot be compared with.",
                "Search the database of sequences to have Z-values.",
            ),
            "directions": Refusal(
                "'{name}' is a database of profiles, whose scores are the same in both directions.",
                "Leave out --both-directions.",
                "both_directions",
            ),
            "rounds": Refusal(
                "'{name}' is a database of profiles, in which no rounds are searched: a round would make its profile "
                "of the representative sequences alone.",
                "Search it once, or name the database of sequences that makes the profiles with --build-database of "
                "'swgui search'.",
                "database",
            ),
            "translation": _WHOLE,
            "organisms": _WHOLE,
            "iterations": _WHOLE,
        }
    ),
)
