"""References of methods texts."""

from __future__ import annotations

from typing import Final

import msgspec


class Reference(msgspec.Struct, frozen=True):
    """The references."""

    key: str  # name in BibTeX files
    authors: tuple[str, ...]  # ``Family, Given`` each; a name without a comma is that of a group
    title: str
    year: int  # 0 for what has no year but a version
    journal: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""

    @property
    def short(self) -> str:
        """Authors and year as they stand in a text."""
        names = [author.partition(",")[0] for author in self.authors]
        shown = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        return f"{shown} {self.year}" if self.year else shown

    @property
    def line(self) -> str:
        """The whole reference in one line."""
        where = f" {self.journal} {self.volume}:{self.pages}." if self.journal else ""
        year = f" ({self.year})" if self.year else ""
        doi = f" https://doi.org/{self.doi}" if self.doi else ""
        return f"{'; '.join(self.authors)}{year}. {self.title}.{where}{doi}"


SMITH_WATERMAN: Final = Reference(
    "SmithWaterman1981", ("Smith, T. F.", "Waterman, M. S."), "Identification of common molecular subsequences", 1981,
    "J. Mol. Biol.", "147", "195-197", "10.1016/0022-2836(81)90087-5",
)  # fmt: skip
GOTOH: Final = Reference(
    "Gotoh1982", ("Gotoh, O.",), "An improved algorithm for matching biological sequences", 1982, "J. Mol. Biol.",
    "162", "705-708", "10.1016/0022-2836(82)90398-9",
)  # fmt: skip
KARLIN_ALTSCHUL: Final = Reference(
    "KarlinAltschul1990", ("Karlin, S.", "Altschul, S. F."),
    "Methods for assessing the statistical significance of molecular sequence features by using general scoring "
    "schemes", 1990, "Proc. Natl. Acad. Sci. USA", "87", "2264-2268", "10.1073/pnas.87.6.2264",
)  # fmt: skip
ALTSCHUL: Final = Reference(
    "Altschul2001", ("Altschul, S. F.", "Bundschuh, R.", "Olsen, R.", "Hwa, T."),
    "The estimation of statistical parameters for local alignment score distributions", 2001, "Nucleic Acids Res.",
    "29", "351-361", "10.1093/nar/29.2.351",
)  # fmt: skip
PARK: Final = Reference(
    "Park2012", ("Park, Y.", "Sheetlin, S.", "Ma, N.", "Madden, T. L.", "Spouge, J. L."),
    "New finite-size correction for local alignment score distributions", 2012, "BMC Res. Notes", "5", "286",
    "10.1186/1756-0500-5-286",
)  # fmt: skip
SCHAFFER: Final = Reference(
    "Schaffer2001",
    ("Schäffer, A. A.", "Aravind, L.", "Madden, T. L.", "Shavirin, S.", "Spouge, J. L.", "Wolf, Y. I.",
     "Koonin, E. V.", "Altschul, S. F."),
    "Improving the accuracy of PSI-BLAST protein database searches with composition-based statistics and other "
    "refinements", 2001, "Nucleic Acids Res.", "29", "2994-3005", "10.1093/nar/29.14.2994",
)  # fmt: skip
PEARSON: Final = Reference(
    "Pearson1998", ("Pearson, W. R.",), "Empirical statistical estimates for sequence similarity searches", 1998,
    "J. Mol. Biol.", "276", "71-84", "10.1006/jmbi.1997.1525",
)  # fmt: skip
HENIKOFF: Final = Reference(
    "Henikoff1992", ("Henikoff, S.", "Henikoff, J. G."), "Amino acid substitution matrices from protein blocks", 1992,
    "Proc. Natl. Acad. Sci. USA", "89", "10915-10919", "10.1073/pnas.89.22.10915",
)  # fmt: skip
HENIKOFF_WEIGHTS: Final = Reference(
    "Henikoff1994", ("Henikoff, S.", "Henikoff, J. G."), "Position-based sequence weights", 1994, "J. Mol. Biol.",
    "243", "574-578", "10.1016/0022-2836(94)90032-9",
)  # fmt: skip
PSI_BLAST: Final = Reference(
    "Altschul1997",
    ("Altschul, S. F.", "Madden, T. L.", "Schäffer, A. A.", "Zhang, J.", "Zhang, Z.", "Miller, W.", "Lipman, D. J."),
    "Gapped BLAST and PSI-BLAST: a new generation of protein database search programs", 1997, "Nucleic Acids Res.",
    "25", "3389-3402", "10.1093/nar/25.17.3389",
)  # fmt: skip
SEG: Final = Reference(
    "WoottonFederhen1993", ("Wootton, J. C.", "Federhen, S."),
    "Statistics of local complexity in amino acid sequences and sequence databases", 1993, "Comput. Chem.", "17",
    "149-163", "10.1016/0097-8485(93)85006-X",
)  # fmt: skip
COILS: Final = Reference(
    "Lupas1991", ("Lupas, A.", "Van Dyke, M.", "Stock, J."), "Predicting coiled coils from protein sequences", 1991,
    "Science", "252", "1162-1164", "10.1126/science.252.5009.1162",
)  # fmt: skip
GUAN: Final = Reference(
    "GuanUberbacher1996", ("Guan, X.", "Uberbacher, E. C."),
    "Alignments of DNA and protein sequences containing frameshift errors", 1996, "Comput. Appl. Biosci.", "12",
    "31-40", "10.1093/bioinformatics/12.1.31",
)  # fmt: skip
ZHANG: Final = Reference(
    "Zhang1997", ("Zhang, Z.", "Pearson, W. R.", "Miller, W."), "Aligning a DNA sequence with a protein sequence",
    1997, "J. Comput. Biol.", "4", "339-349", "10.1089/cmb.1997.4.339",
)  # fmt: skip
FOLDSEEK: Final = Reference(
    "vanKempen2024",
    ("van Kempen, M.", "Kim, S. S.", "Tumescheit, C.", "Mirdita, M.", "Lee, J.", "Gilchrist, C. L. M.", "Söding, J.",
     "Steinegger, M."),
    "Fast and accurate protein structure search with Foldseek", 2024, "Nat. Biotechnol.", "42", "243-246",
    "10.1038/s41587-023-01773-0",
)  # fmt: skip
CONTEXTS: Final = Reference(
    "BiegertSoding2009", ("Biegert, A.", "Söding, J."), "Sequence context-specific profiles for homology searching",
    2009, "Proc. Natl. Acad. Sci. USA", "106", "3770-3775", "10.1073/pnas.0810767106",
)  # fmt: skip
SODING: Final = Reference(
    "Soding2005", ("Söding, J.",), "Protein homology detection by HMM-HMM comparison", 2005, "Bioinformatics", "21",
    "951-960", "10.1093/bioinformatics/bti125",
)  # fmt: skip
PARK_PATHS: Final = Reference(
    "Park1997", ("Park, J.", "Teichmann, S. A.", "Hubbard, T.", "Chothia, C."),
    "Intermediate sequences increase the detection of homology between sequences", 1997, "J. Mol. Biol.", "273",
    "349-354", "10.1006/jmbi.1997.1288",
)  # fmt: skip
HMMER: Final = Reference(
    "Eddy2011", ("Eddy, S. R.",), "Accelerated profile HMM searches", 2011, "PLoS Comput. Biol.", "7", "e1002195",
    "10.1371/journal.pcbi.1002195",
)  # fmt: skip


def program(version: str, finished: str) -> Reference:
    """Return the reference to the program in the version that made a result.

    Parameters
    ----------
    version : str
        Empty where that is not known.
    finished : str
        When, ISO 8601; empty where that is not known.
    """
    year = finished[:4]
    return Reference(
        "swgui",
        ("The swgui developers",),
        f"{f'swgui {version}' if version else 'swgui'}: exact Smith-Waterman search of sequence databases",
        int(year) if year.isdecimal() else 0,
    )
