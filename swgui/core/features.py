"""Annotated stretches of a sequence: domains, active sites, signal peptides; genes and coding regions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

Group = Literal["domain", "membrane", "targeting", "site", "gene", "rna", "other"]
_LINE: Final = r"(\w+) (-?)(\d+\.\.\d+(?:,\d+\.\.\d+)*)(?: (.*))?"  # compiled when it is tried
CIRCULAR: Final = "circular"  # first line of the text of a circular sequence


class FeatureKind(msgspec.Struct, frozen=True):
    """Meaning of a key of a feature table."""

    title: str
    group: Group  # kinds that are drawn alike


# Keys of UniProt, GenBank, GenPept and EMBL to keep. Keys that vary or repeat the sequence itself are left out: chains,
# variants, conflicts, secondary structure, exons.
KINDS: Final = {
    "SIGNAL": FeatureKind("Signal peptide", "targeting"),
    "TRANSIT": FeatureKind("Transit peptide", "targeting"),
    "PROPEP": FeatureKind("Propeptide", "targeting"),
    "sig_peptide": FeatureKind("Signal peptide", "targeting"),
    "transit_peptide": FeatureKind("Transit peptide", "targeting"),
    "propeptide": FeatureKind("Propeptide", "targeting"),
    "mat_peptide": FeatureKind("Mature peptide", "domain"),
    "PEPTIDE": FeatureKind("Peptide", "domain"),
    "DOMAIN": FeatureKind("Domain", "domain"),
    "REPEAT": FeatureKind("Repeat", "domain"),
    "ZN_FING": FeatureKind("Zinc finger", "domain"),
    "DNA_BIND": FeatureKind("DNA-binding region", "domain"),
    "COILED": FeatureKind("Coiled coil", "domain"),
    "MOTIF": FeatureKind("Motif", "domain"),
    "REGION": FeatureKind("Region", "other"),
    "Region": FeatureKind("Region", "domain"),
    "TRANSMEM": FeatureKind("Transmembrane", "membrane"),
    "INTRAMEM": FeatureKind("Intramembrane", "membrane"),
    "ACT_SITE": FeatureKind("Active site", "site"),
    "BINDING": FeatureKind("Binding site", "site"),
    "SITE": FeatureKind("Site", "site"),
    "Site": FeatureKind("Site", "site"),
    "MOD_RES": FeatureKind("Modified residue", "site"),
    "LIPID": FeatureKind("Lipid", "site"),
    "CARBOHYD": FeatureKind("Glycosylation", "site"),
    "CROSSLNK": FeatureKind("Cross-link", "site"),
    "DISULFID": FeatureKind("Disulfide bond", "site"),
    "gene": FeatureKind("Gene", "gene"),
    "mRNA": FeatureKind("Transcript", "gene"),
    "CDS": FeatureKind("Coding region", "gene"),
    "rRNA": FeatureKind("Ribosomal RNA", "rna"),
    "tRNA": FeatureKind("Transfer RNA", "rna"),
    "ncRNA": FeatureKind("Non-coding RNA", "rna"),
    "tmRNA": FeatureKind("Transfer-messenger RNA", "rna"),
    "misc_RNA": FeatureKind("RNA", "rna"),
    "repeat_region": FeatureKind("Repeat region", "other"),
    "mobile_element": FeatureKind("Mobile element", "other"),
    "promoter": FeatureKind("Promoter", "other"),
    "regulatory": FeatureKind("Regulatory region", "other"),
    "misc_feature": FeatureKind("Feature", "other"),
    # Not of a feature table: of predicted structures, by their pLDDT.
    "LOW_PLDDT": FeatureKind("Low confidence", "other"),
    "VERY_LOW_PLDDT": FeatureKind("Very low confidence", "other"),
}


class Feature(msgspec.Struct, frozen=True):
    """One stretch of a sequence, or several that belong together."""

    kind: str  # a key of `KINDS`
    spans: tuple[tuple[int, int], ...]  # half-open ranges from 0, ascending; the exons of a coding region
    name: str = ""  # ``Globin``; may be empty
    strand: int = 1  # -1 on the reverse complement, one of 1, -1

    @property
    def start(self) -> int:
        """First position, from 0."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Position behind the last one."""
        return max(end for _, end in self.spans)

    @property
    def group(self) -> Group:
        """Kinds that are drawn alike."""
        return KINDS[self.kind].group

    @property
    def title(self) -> str:
        """Kind and name in words: ``Domain Globin``."""
        return " ".join(part for part in (KINDS[self.kind].title, self.name) if part)

    def describe(self) -> str:
        """Return kind, name and place: ``Domain Globin, 3 to 142``, counted from 1."""
        first, last = self.start + 1, self.end
        where = f"{first:,}" if first == last else f"{first:,} to {last:,}"
        parts = f" in {len(self.spans):,} parts" if len(self.spans) > 1 else ""
        return f"{self.title}, {where}{parts}{', minus strand' if self.strand < 0 else ''}"


def as_text(features: Iterable[Feature], *, circular: bool = False) -> str:
    """Return the features and the topology of an entry as short text.

    A line for each feature: ``DOMAIN 3..142 Globin``, counted from 1, - for minus. Before them stands `CIRCULAR` if
    the sequence is; older programs pass over that line.
    """
    lines = [CIRCULAR] if circular else []
    for feature in features:
        spans = ",".join(f"{start + 1}..{end}" for start, end in feature.spans)
        name = " ".join(feature.name.split())
        lines.append(f"{feature.kind} {'-' if feature.strand < 0 else ''}{spans} {name}".rstrip())
    return "\n".join(lines)


@lru_cache(maxsize=256)
def from_text(text: str) -> tuple[Feature, ...]:
    """Return the features of a text; lines of kinds that are not known, or of none, are passed over."""
    features = []
    for line in text.split("\n"):
        match = re.fullmatch(_LINE, line)
        if match is None or match[1] not in KINDS:
            continue
        pairs = (span.split("..") for span in match[3].split(","))
        spans = tuple((int(first) - 1, int(last)) for first, last in pairs)
        if all(0 <= start < end for start, end in spans):
            features.append(Feature(match[1], spans, match[4] or "", -1 if match[2] else 1))
    return tuple(features)


def is_circular(text: str) -> bool:
    """Return True if a text is that of a circular sequence."""
    return text == CIRCULAR or text.startswith(f"{CIRCULAR}\n")


def circular_rows(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of the texts of circular sequences.

    Parameters
    ----------
    data : ndarray, dtype=uint8
        The texts, concatenated.
    offsets : ndarray, shape=(N + 1,), dtype=int64
        Where each begins.

    Returns
    -------
    ndarray, shape=(k,), dtype=int64
    """
    sign = np.frombuffer(CIRCULAR.encode(), np.uint8)
    rows = np.flatnonzero(np.diff(offsets) >= len(sign))
    for at, letter in enumerate(sign):
        rows = rows[data[offsets[rows] + at] == letter]
    behind = offsets[rows] + len(sign)
    ends = behind == offsets[rows + 1]
    ends[~ends] = data[behind[~ends]] == ord("\n")
    return np.asarray(rows[ends], np.int64)


def within(features: Iterable[Feature], length: int) -> tuple[Feature, ...]:
    """Return the features that lie inside a sequence."""
    return tuple(feature for feature in features if feature.end <= length)
