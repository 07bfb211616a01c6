"""A stretch of a sequence with its features and the places of a result, for other programs: BED, GFF3, GenBank."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO
from urllib.parse import quote

import msgspec

from swgui.core.errors import InvalidParameter
from swgui.core.features import Feature
from swgui.io.cells import clean_text
from swgui.io.whole_file import save_text

LONGEST_ENTRY: Final = 10_000_000  # residues of a GenBank entry, which is made in memory
_LONGEST_NAME: Final = 16  # that fits into the first line of a GenBank entry next to any length
_SIGNS: Final = "|.:^*$@!+_?-"  # that names of sequences may have in GFF3
_TEXT: Final = f"{_SIGNS}/()[]{{}}<>~#'\" "
_GFF_TYPES: Final = {
    "misc_feature": "sequence_feature",
    "misc_RNA": "ncRNA",
    "mobile_element": "mobile_genetic_element",
    "regulatory": "regulatory_region",
    "mat_peptide": "mature_protein_region",
    "sig_peptide": "signal_peptide",
    "Region": "polypeptide_region",
    "Site": "polypeptide_region",
}
_NO_KEYS: Final = ("promoter",)  # kinds that entries write as regulatory features


class Region(msgspec.Struct, frozen=True):
    """A stretch to write."""

    name: str  # of the sequence
    # start, end: half-open range from 0
    start: int
    end: int
    residues: Callable[[], bytes]  # returns those of the stretch
    is_dna: bool
    features: Sequence[Feature]  # those that overlap it, at positions of the sequence
    places: Sequence[Feature] = ()  # of the result, likewise

    @property
    def title(self) -> str:
        """Name and positions: ``chr1:101-200``."""
        return f"{self.name}:{self.start + 1}-{self.end}"


def write_bed(region: Region, file: TextIO) -> None:
    """Write BED with twelve columns, the parts of a feature as its blocks; positions count from 0."""
    for feature in (*region.places, *region.features):
        sign, name = "-" if feature.strand < 0 else "+", clean_text(feature.name or feature.title).replace("\t", " ")
        line: list[object] = [region.name, feature.start, feature.end, name, 0, sign]
        sizes = ",".join(str(end - start) for start, end in feature.spans)
        begins = ",".join(str(start - feature.start) for start, _ in feature.spans)
        line += [feature.start, feature.end, "0,0,0", len(feature.spans), sizes, begins]
        file.write("\t".join(map(str, line)) + "\n")


def write_gff3(region: Region, file: TextIO) -> None:
    """Write GFF3, a line for each part; the parts of one feature share their ID."""
    name = quote(region.name, safe=_SIGNS)
    file.write(f"##gff-version 3\n##sequence-region {name} {region.start + 1} {region.end}\n")
    for number, (kind, feature) in enumerate(_typed(region), 1):
        label = quote(clean_text(feature.name or feature.title), safe=_TEXT)
        for start, end in feature.spans:
            sign = "-" if feature.strand < 0 else "+"
            line = name, "swgui", kind, start + 1, end, ".", sign, ".", f"ID=feature{number};Name={label}"
            file.write("\t".join(map(str, line)) + "\n")


def _typed(region: Region) -> Iterator[tuple[str, Feature]]:
    """Yield places and features with their types in GFF3."""
    kind = "nucleotide_match" if region.is_dna else "protein_match"
    yield from ((kind, place) for place in region.places)
    for feature in region.features:
        upper = feature.kind.isupper() and feature.kind != "CDS"  # keys of UniProt
        yield "polypeptide_region" if upper else _GFF_TYPES.get(feature.kind, feature.kind), feature


def write_genbank(region: Region, file: TextIO) -> None:
    """Write the stretch as an entry of its own, which begins at base 1; features are cut at its ends."""
    from Bio import SeqIO  # here and below: Biopython takes a while to import
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    name = "_".join(clean_text(region.title).split())
    entry = SeqRecord(Seq(region.residues().decode("ascii")), name, name[:_LONGEST_NAME], region.title)
    entry.annotations["molecule_type"] = "DNA" if region.is_dna else "protein"
    for of_result, feature in (*((True, one) for one in region.places), *((False, one) for one in region.features)):
        spans = [
            (max(start, region.start) - region.start, min(end, region.end) - region.start)
            for start, end in feature.spans
        ]
        parts = [SimpleLocation(a, b, feature.strand) for a, b in spans if a < b][:: feature.strand]
        if not parts:
            continue
        key = "misc_feature" if of_result else "regulatory" if feature.kind in _NO_KEYS else feature.kind
        label = clean_text(feature.name or feature.title)
        qualifiers = {"label": [label], "note": [f"swgui: {label}"]} if of_result else {"label": [label]}
        place = parts[0] if len(parts) == 1 else CompoundLocation(parts)
        entry.features.append(SeqFeature(place, key, qualifiers=qualifiers))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are longer than usual
        SeqIO.write(entry, file, "genbank")


REGION_FORMATS: Final[dict[str, Callable[[Region, TextIO], None]]] = {
    ".bed": write_bed,
    ".gff3": write_gff3,
    ".gb": write_genbank,
}


def save_region(region: Region, path: Path) -> None:
    """Write a stretch in the format of the file's ending, whole or not at all.

    Raises
    ------
    InvalidParameter
        If the ending is none of `REGION_FORMATS`, or a GenBank entry would be too long.
    FileNotWritten
        If it cannot be written there.
    """
    write = REGION_FORMATS.get(path.suffix.lower())
    if write is None:
        endings = ", ".join(REGION_FORMATS)
        message = f"'{path.suffix}' is no format of regions."
        raise InvalidParameter("format", path.suffix, message, hint=f"Choose one of {endings}.")
    if write is write_genbank and region.end - region.start > LONGEST_ENTRY:
        size = region.end - region.start
        message = f"An entry of {size:,} residues is too long: {LONGEST_ENTRY:,} are possible."
        raise InvalidParameter("region", size, message, hint="Zoom in, or write BED or GFF3.")
    save_text(path, lambda file: write(region, file))
