"""Kinds of sequence that a search compares: BLAST's five names, and the translation that each needs."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.scoring import GAP_LIMIT
from swgui.core.translation.frames import FRAMES, NAMED_FRAMES, SHIFTING, read_frames, readings_of, write_frames
from swgui.core.translation.genetic_codes import CODON, STANDARD, genetic_code
from swgui.core.translation.stretches import LONGEST

ProgramName = Literal["blastp", "blastn", "blastx", "tblastn", "tblastx"]
TranslatedName = Literal["blastx", "tblastn", "tblastx"]
_WORDS: Final = {"protein": "protein", "nucleotide": "DNA"}
AUTO: Final = "auto"
PROPOSED_SHIFT: Final = 15  # the proposal of DIAMOND's manual for long reads, with BLOSUM62 and 11/1


class Program(msgspec.Struct, frozen=True):
    """Kinds of sequences that a search compares."""

    name: ProgramName  # as BLAST calls the program
    # query, database: kinds of sequence given
    query: Alphabet
    database: Alphabet
    translates_query: bool = False
    translates_database: bool = False

    @property
    def translates(self) -> bool:
        """Whether anything is translated."""
        return self.translates_query or self.translates_database

    @property
    def scored(self) -> Alphabet:
        """The kind of sequence that is scored."""
        return PROTEIN if self.translates else self.query

    def describe(self) -> str:
        """Return the compared kinds in words."""
        sides = (self.query, self.translates_query), (self.database, self.translates_database)
        query, database = (("translated " if done else "") + _WORDS[kind.name] for kind, done in sides)
        return f"{query} against {database}"


PROGRAMS: Final = {
    program.name: program
    for program in (
        Program("blastp", PROTEIN, PROTEIN),
        Program("blastn", NUCLEOTIDE, NUCLEOTIDE),
        Program("blastx", NUCLEOTIDE, PROTEIN, translates_query=True),
        Program("tblastn", PROTEIN, NUCLEOTIDE, translates_database=True),
        Program("tblastx", NUCLEOTIDE, NUCLEOTIDE, translates_query=True, translates_database=True),
    )
}


def choose_program(name: str, query: Alphabet, database: Alphabet) -> Program | None:
    """Return the program for two kinds of sequence; None where they are of a package's own kind, scored as they are.

    Parameters
    ----------
    name : str
        ``auto`` for the one that follows from the kinds: DNA with DNA is not translated.

    Raises
    ------
    InvalidParameter
        If a program was named that compares other kinds.
    """
    possible = [p for p in PROGRAMS.values() if (p.query.name, p.database.name) == (query.name, database.name)]
    if name == AUTO:
        return possible[0] if possible else None
    wanted = next((p for p in PROGRAMS.values() if p.name == name), None)
    if wanted is None:
        raise InvalidParameter(
            "program", name, f"There is no program '{name}'.", hint=f"Choose auto, {', '.join(PROGRAMS)}."
        )
    if wanted not in possible:
        instead = ", ".join(p.name for p in possible)
        kind = ", or say with --type what the query is" if query.name != wanted.query.name else ""
        raise InvalidParameter(
            "program",
            name,
            f"{wanted.name} compares {wanted.describe()}, but the query is {_WORDS.get(query.name, query.name)} and "
            f"the database {_WORDS.get(database.name, database.name)}.",
            hint=f"Choose {instead} or auto{kind}." if instead else "Choose other files.",
        )
    return wanted


def shifting(translation: Translation | None) -> bool:
    """Whether the reading may shift."""
    return translation is not None and translation.shift > 0


class Translation(msgspec.Struct, frozen=True):
    """Translation of a search."""

    program: TranslatedName
    # query_code, subject_code: genetic codes, by NCBI's numbers
    query_code: int = STANDARD
    subject_code: int = STANDARD
    frames: tuple[int, ...] = FRAMES  # those that are read, of every side that is translated
    shift: int = 0  # cost of a frameshift (`swgui.core.frameshift`); 0 where the reading cannot shift
    # Smallest number of codons between two stops; shorter stretches are masked. 0 for all.
    min_orf: int = 0
    # Share of G and C in a database that is translated; a search finds it out, and E depends on it.
    subject_gc: float | None = None

    def __post_init__(self) -> None:
        for number in (self.query_code, self.subject_code):
            genetic_code(number)
        read_frames(",".join(map(str, self.frames)))
        if self.min_orf:
            self._check_stretches()
        if self.shift:
            self._check_shift()

    def _check_stretches(self) -> None:
        """Raise `InvalidParameter` if stretches cannot be so long, or where the reading leaves them."""
        if not 0 <= self.min_orf <= LONGEST:
            raise InvalidParameter(
                "min_orf",
                self.min_orf,
                f"An open stretch cannot have {self.min_orf} codons at least.",
                hint=f"Give 0 to {LONGEST:,}.",
            )
        if self.shift:
            raise InvalidParameter(
                "min_orf",
                self.min_orf,
                "With frameshifts the reading goes from stretch to stretch, so none of them can be left out.",
                hint="Leave out the least stretch, or the frameshifts.",
            )

    def _check_shift(self) -> None:
        """Raise `InvalidParameter` if the reading cannot shift so."""
        if not 0 <= self.shift <= GAP_LIMIT:
            raise InvalidParameter(
                "frameshift", self.shift, f"A frameshift cannot cost {self.shift}.", hint=f"Give 1 to {GAP_LIMIT:,}."
            )
        if self.of.translates_query and self.of.translates_database:
            raise InvalidParameter(
                "frameshift",
                self.shift,
                f"Frameshifts are between proteins and DNA; {self.program} compares {self.of.describe()}.",
                hint="Search proteins, or leave out the frameshifts.",
            )
        if self.frames not in NAMED_FRAMES.values():
            raise InvalidParameter(
                "frames",
                write_frames(self.frames),
                "With frameshifts the three frames of a strand are read together.",
                hint="Choose all, plus or minus.",
            )

    @property
    def of(self) -> Program:
        """Kinds that the program compares."""
        return PROGRAMS[self.program]

    @property
    def of_query(self) -> tuple[int, ...]:
        """Frames of the query; 0 alone where it is not translated."""
        return self._read if self.of.translates_query else (0,)

    @property
    def of_subject(self) -> tuple[int, ...]:
        """Frames of the subjects; 0 alone where they are not translated."""
        return self._read if self.of.translates_database else (0,)

    @property
    def _read(self) -> tuple[int, ...]:
        """Frames, or whole strands where the reading may shift."""
        if not self.shift:
            return self.frames
        return tuple(dict.fromkeys(SHIFTING if frame > 0 else -SHIFTING for frame in self.frames))

    @property
    def times(self) -> int:
        """Number of times that the search space holds the residues of one frame: once for each pair of frames."""
        return len(self.readings) * (CODON if self.shift else 1)

    @property
    def readings(self) -> tuple[int, ...]:
        """Every pair of frames that is compared, those of the first frame of the query first."""
        return readings_of(self.of_query, self.of_subject)

    def describe(self) -> str:
        """Return the translated sides and the method of translation, in one line."""
        number = "six frames" if self.frames == FRAMES else f"frames {write_frames(self.frames)}"
        if self.shift:
            strands = "both strands" if self.frames == FRAMES else f"the {write_frames(self.frames)} strand"
            number = f"{strands} with frameshifts at a cost of {self.shift}"
        if self.min_orf:
            number += f", open reading frames of {self.min_orf} codons or more"
        sides = [("query", self.query_code)] * self.of.translates_query
        sides += [("database", self.subject_code)] * self.of.translates_database
        codes = ", ".join(f"{side} by genetic code {code}" for side, code in sides)
        return f"{self.program}: {self.of.describe()}, {number}; {codes}"
