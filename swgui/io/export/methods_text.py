"""A paragraph for the methods section of a paper, and what to cite; every number from the result itself."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.hits.ranking import FITTED_TO_ITSELF, FITTED_TO_SHUFFLES
from swgui.core.hits.results import SearchResult
from swgui.core.query_range import searched_length
from swgui.core.translation.frames import FRAMES, write_frames
from swgui.io.export.values import clean_text


@dataclass(frozen=True, slots=True)
class Reference:
    """What is cited.

    Parameters
    ----------
    key : str
        Name in BibTeX files.
    authors : tuple of str
        ``Family, Given`` each; a name without a comma is that of a group.
    title : str
    year : int
        0 for what has no year but a version.
    journal, volume, pages, doi : str
    """

    key: str
    authors: tuple[str, ...]
    title: str
    year: int
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

_COMPOSITION: Final = {
    "none": "",
    "lambda": f"E-values were corrected for composition by lambda of the aligned regions ({SCHAFFER.short}). ",
    "full": f"E-values were corrected for composition by lambda of the aligned regions ({SCHAFFER.short}), and by "
    "shuffles of these regions where that left doubt; the largest E-value counts. ",
}
_UNITS: Final = {"protein": "residues", "nucleotide": "bases"}
_STRANDS: Final = {"plus": "", "minus": " Only the minus strand of the queries was searched.",
                   "both": " Both strands of the queries were searched."}  # fmt: skip


def references(result: SearchResult) -> tuple[Reference, ...]:
    """Return what a paper should cite for a search, the program first."""
    found = [program(result), SMITH_WATERMAN, GOTOH]
    if result.scheme.matrix.name.upper().startswith("BLOSUM"):
        found.append(HENIKOFF)
    if "finite-size" in result.statistics:
        found += [KARLIN_ALTSCHUL, ALTSCHUL, PARK]
    elif result.statistics in (FITTED_TO_ITSELF, FITTED_TO_SHUFFLES):
        found.append(PEARSON)
    elif result.statistics:
        found += [KARLIN_ALTSCHUL, ALTSCHUL]
    if result.statistics and result.composition != "none":
        found.append(SCHAFFER)
    return tuple(found)


def program(result: SearchResult) -> Reference:
    """Return the reference to the program in the version that made a result."""
    year = result.finished_at[:4]
    return Reference(
        "swgui",
        ("The swgui developers",),
        f"swgui {result.version}: exact Smith-Waterman search of sequence databases on graphics processors",
        int(year) if year.isdecimal() else 0,
    )


def paragraph(result: SearchResult) -> str:
    """Return what was done, as one paragraph."""
    scheme, database = result.scheme, result.database
    unit = _UNITS.get(database.alphabet.name, "residues")
    count = len(result.queries)
    residues = sum(searched_length(query.query, result.query_range) for query in result.queries)
    kind = database.alphabet if result.translation is None else result.translation.of.query
    scored = _UNITS.get(scheme.alphabet.name, "residues")
    counted = _UNITS.get(kind.name, "residues")
    part = f", residues {result.query_range} of each" if result.query_range else ""
    matrix = clean_text(scheme.matrix.name)
    blosum = f" ({HENIKOFF.short})" if HENIKOFF in references(result) else ""
    size = (
        f" E-values refer to a database of {result.effective_residues:,} {unit}." if result.effective_residues else ""
    )
    sentences = [
        f"Sequences were compared with swgui {result.version}, which computes the exact Smith-Waterman score "
        f"({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short}) of every query with every sequence of the "
        "database; no heuristic filter is applied.",
        f"{count:,} {kind.name} {'query' if count == 1 else 'queries'} ({residues:,} {counted}{part}) "
        f"{'was' if count == 1 else 'were'} searched against the database {_named(database.name)} "
        f"({len(database):,} sequences, {database.residues:,} {unit}; content checksum "
        f"{database.checksum or 'not known'}) with the scores {matrix}{blosum} and gap costs of "
        f"{scheme.gap_open} + {scheme.gap_extend} × k for a gap of k {scored} ({scheme.gap_open}/{scheme.gap_extend} "
        f"in the notation of BLAST).{_read(result)}",
        _significance(result) + size,
        f"{result.cells_done:,} cells of the dynamic-programming matrices were computed in {result.seconds:.2f} s "
        f"({result.gcups:,.1f} GCUPS) by the engine '{result.engine}'{_on(result)}"
        f"{f', finished on {result.finished_at[:10]}' if result.finished_at else ''}.",
        "Alignments were traced back for reported hits, and their scores agree with those of the search.",
    ]
    if result.state != "complete":
        share = 100 * result.cells_done // result.cells_total if result.cells_total else 0
        ended = {"stopped": "was stopped", "failed": "failed"}[result.state]
        sentences.append(f"The search {ended} after {share} % of the work: sequences not reached are missing.")
    if result.remarks:
        sentences.append(f"Remarks of the program: {clean_text(result.remarks)}")
    return " ".join(sentences)


def _read(result: SearchResult) -> str:
    """Return a sentence on strands or frames; empty where there is nothing to say."""
    how = result.translation
    if how is None:
        return _STRANDS[result.strand]
    frames = "all six frames" if how.frames == FRAMES else f"frames {write_frames(how.frames)}"
    sides = [("queries", how.query_code)] * how.of.translates_query
    sides += [("database", how.subject_code)] * how.of.translates_database
    named = " and ".join(f"of the {side} by NCBI's genetic code {code}" for side, code in sides)
    shifts = (
        f" The reading could shift by one or two bases anywhere, at a cost of {how.shift} each time "
        "(Guan and Uberbacher 1996; Zhang, Pearson and Miller 1997)."
    ) * bool(how.shift)
    return f" For that, {frames} were translated, {named} ({how.program}).{shifts}"


def _named(name: str) -> str:
    return f"'{clean_text(name)}'" if name else "without a name"


def _on(result: SearchResult) -> str:
    return f" on {', '.join(clean_text(device) for device in result.devices)}" if result.devices else ""


def _significance(result: SearchResult) -> str:
    if not result.statistics:
        return (
            "No statistics are known for these scores and gap costs; hits are ranked by score, at most "
            f"{result.top:,} per query{_minimums(result)}."
        )
    sources = [r.short for r in references(result) if r in (KARLIN_ALTSCHUL, ALTSCHUL, PARK, PEARSON)]
    return (
        f"Bit scores and E-values: {clean_text(result.statistics)} ({'; '.join(sources)}). "
        f"{_COMPOSITION[result.composition]}Hits with E ≤ {result.max_evalue:g} were kept, at most {result.top:,} per "
        f"query{_minimums(result)}."
    )


def _minimums(result: SearchResult) -> str:
    return f", and of these the hits with {result.minimums.describe()}" if result.minimums else ""


def _plain(result: SearchResult) -> str:
    lines = [f"{number}. {reference.line}" for number, reference in enumerate(references(result), start=1)]
    return "\n".join([paragraph(result), "", "References", "", *lines, ""])


def _markdown(result: SearchResult) -> str:
    lines = [f"{number}. {_marked(reference.line)}" for number, reference in enumerate(references(result), start=1)]
    return "\n".join(["## Methods", "", _marked(paragraph(result)), "", "## References", "", *lines, ""])


def _marked(text: str) -> str:
    """Keep signs of names from being read as marks."""
    for sign in ("\\", "*", "_", "`", "[", "]", "<"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _bibtex(result: SearchResult) -> str:
    entries = []
    for reference in references(result):
        names = [author if "," in author else f"{{{author}}}" for author in reference.authors]
        fields = {
            "author": " and ".join(names),
            "title": f"{{{reference.title}}}",
            "year": str(reference.year or ""),
            "journal": reference.journal,
            "volume": reference.volume,
            "pages": reference.pages.replace("-", "--"),
            "doi": reference.doi,
        }
        written = [f"  {name} = {{{_tex(value)}}}" for name, value in fields.items() if value]
        kind = "article" if reference.journal else "misc"
        entries.append(f"@{kind}{{{reference.key},\n" + ",\n".join(written) + "\n}\n")
    comment = "".join(f"% {line}\n" for line in textwrap.wrap(paragraph(result), 100))
    return f"{comment}\n" + "\n".join(entries)


def _tex(text: str) -> str:
    for sign in ("&", "%", "#", "_", "$"):
        text = text.replace(sign, f"\\{sign}")
    return text


def _ris(result: SearchResult) -> str:
    entries = []
    for reference in references(result):
        first, _, last = reference.pages.partition("-")
        fields = [
            ("TY", "JOUR" if reference.journal else "COMP"),
            *(("AU", author) for author in reference.authors),
            ("TI", reference.title),
            ("PY", str(reference.year or "")),
            ("JO", reference.journal),
            ("VL", reference.volume),
            ("SP", first),
            ("EP", last),
            ("DO", reference.doi),
            *([("N1", paragraph(result))] if reference.key == "swgui" else []),
        ]
        lines = [f"{name}  - {value}" for name, value in fields if value]
        entries.append("\n".join([*lines, "ER  - ", ""]))
    return "\n".join(entries)


@dataclass(frozen=True, slots=True)
class MethodsForm:
    """One way to write it: title for people, ending of such files, and the writer."""

    title: str
    suffix: str
    write: Callable[[SearchResult], str]


FORMS: Final[dict[str, MethodsForm]] = {
    "plain": MethodsForm("Plain text", ".txt", _plain),
    "markdown": MethodsForm("Markdown", ".md", _markdown),
    "bibtex": MethodsForm("References as BibTeX", ".bib", _bibtex),
    "ris": MethodsForm("References as RIS", ".ris", _ris),
}


def methods_text(result: SearchResult, form: str = "plain") -> str:
    """Return the methods paragraph with its references, or the references alone, in one of `FORMS`.

    Raises
    ------
    InvalidParameter
        If there is no such form.
    """
    found = FORMS.get(form)
    if found is None:
        raise InvalidParameter("methods", form, f"There is no form '{form}'.", hint=f"Forms are {', '.join(FORMS)}.")
    return found.write(result)
