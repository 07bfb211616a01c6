"""Settings with a name: scoring and limits that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swgui.core.errors import InvalidParameter

if TYPE_CHECKING:  # a command that only takes a preset has no use for the settings of users
    from swgui.settings import Rule, SchemeSettings


@dataclass(frozen=True, slots=True)
class Preset:
    """One named set of scoring and limits; `note` says in one sentence what it is for."""

    id: str
    title: str
    kind: str
    matrix: str
    gap_open: int
    gap_extend: int
    note: str
    rule: Rule = "blast"
    max_evalue: float = 10.0
    top: int = 500

    def apply(self, settings: SchemeSettings) -> None:
        """Write the preset into settings; the strand stays as it is."""
        settings.preset = self.id
        settings.matrix, settings.rule = self.matrix, self.rule
        settings.gap_open, settings.gap_extend = self.gap_open, self.gap_extend
        settings.max_evalue, settings.top = self.max_evalue, self.top

    def matches(self, settings: SchemeSettings) -> bool:
        """Whether the settings are still those of the preset."""
        names = ("matrix", "gap_open", "gap_extend", "rule", "max_evalue", "top")
        return all(getattr(self, name) == getattr(settings, name) for name in names)


PRESETS = (
    Preset("protein", "Default protein", "protein", "BLOSUM62", 11, 1, "What most protein searches use."),
    Preset(
        "distant", "Distant relatives", "protein", "VTML200", 12, 1,
        "Finds a tenth more of them than the default; E is fitted to the scores of the search.",
    ),
    Preset("close", "Close relatives", "protein", "BLOSUM80-NCBI", 10, 1, "Sharper for sequences that differ little."),
    Preset(
        "peptide", "Short peptide", "protein", "PAM30", 9, 1,
        "For queries below about 35 residues; chance matches are common, so the E limit is high.",
        max_evalue=200_000.0,
    ),
    Preset("like-blast", "Same as BLAST", "protein", "BLASTP", 11, 1, "The defaults and the matrix file of blastp."),
    Preset("like-ssearch", "Same as SSEARCH", "protein", "BLOSUM50", 10, 2, "The defaults of ssearch36."),
    Preset(
        "like-cudasw", "Same as CUDASW++", "protein", "BLOSUM62", 11, 1,
        "The defaults of CUDASW++ 4.0, where the first residue of a gap costs the opening alone.",
        rule="first",
    ),
    Preset("dna", "DNA default", "nucleotide", "+2/-3", 5, 2, "The defaults of blastn."),
    Preset("dna-strict", "DNA strict", "nucleotide", "+1/-3", 2, 2, "For sequences of the same or a near species."),
)  # fmt: skip


def presets_for(kind: str) -> tuple[Preset, ...]:
    """Return the presets for ``protein`` or ``nucleotide``."""
    return tuple(preset for preset in PRESETS if preset.kind == kind)


def preset(identifier: str, kind: str) -> Preset:
    """Return a preset by its id; the first of the kind if there is none."""
    of_kind = presets_for(kind)
    return next((found for found in of_kind if found.id == identifier), of_kind[0])


def chosen_preset(identifier: str, kind: str) -> Preset:
    """Return a preset by its id.

    Raises
    ------
    InvalidParameter
        If there is none for this kind of sequence.
    """
    offered = {found.id: found for found in presets_for(kind)}
    if identifier not in offered:
        raise InvalidParameter(
            "scoring-preset",
            identifier,
            f"There is no preset '{identifier}' for {kind} sequences.",
            hint=f"There are {', '.join(offered)}.",
        )
    return offered[identifier]
