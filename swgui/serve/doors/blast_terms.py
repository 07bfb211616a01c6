"""Parameters of NCBI's URL interface in the words of ``swgui search``: each is a record of one table."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from swgui.commands.percent import percent
from swgui.core.translation.programs import PROGRAMS
from swgui.serve.requests import Refused, number_of
from swgui.serve.searching import Asked

HITS: Final = 5_000  # of a query, at most
USUAL_HITS: Final = 100  # as at NCBI
NO: Final = frozenset({"", "0", "f", "false", "no", "off", "none", "(none)", "null"})
_COMPOSITION: Final[Mapping[str, str]] = {
    **dict.fromkeys(("0", "f", "off", "no", "false", "none"), "none"),
    "1": "lambda",
    **dict.fromkeys(("2", "3", "t", "true", "on", "yes", "d"), "full"),
}
_ACCESSION: Final = re.compile(r"(?im)^\s*(?:[a-z]{1,6}_?\d{3,}(?:\.\d+)?|(?:gi|sp|tr|ref|gb|emb|pdb)\|\S+)\s*$")
_ORGANISM: Final = re.compile(
    r"\s*(?:(OR|AND|NOT)\s+)?(?:\"([^\"]+)\"|txid(\d+)|([^\[\]\"]+?))\s*\[\s*(?:organism|orgn|porgn)(?::\w+)?\s*\]",
    re.IGNORECASE,
)
_PROTEINS: Final = frozenset({"blastp", "blastx", "tblastn", "tblastx"})
_BLASTN: Final = frozenset({"blastn"})
_SHORT: Final = 30  # residues up to which SHORT_QUERY_ADJUST applies


@dataclass(slots=True)
class Terms:
    """A request as it is read: the fields of a form by names in capitals, and the meanings found so far."""

    fields: Mapping[str, str]
    program: str
    options: dict[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Term:
    """One parameter.

    Parameters
    ----------
    read : callable
        Takes the terms, the name and the value; not called for a value that means nothing.
    programs : frozenset of str
        Where it has a meaning; elsewhere it is ignored, with a note.
    empty : frozenset of str
        Values, in lower case, that are as if it were not given.
    """

    read: Callable[[Terms, str, str], object]
    programs: frozenset[str] = frozenset(PROGRAMS)
    empty: frozenset[str] = frozenset({"", "none", "(none)"})


def _number(key: str, kind: Callable[[str], float], least: float = 0.0) -> Callable[[Terms, str, str], None]:
    def read(terms: Terms, name: str, value: str) -> None:
        terms.options[key] = number_of(name, value, kind, least)

    return read


def _hits(terms: Terms, name: str, value: str) -> None:
    asked = int(number_of(name, value, int, 1))
    terms.options["top"] = min(asked, HITS)
    if asked > HITS:
        terms.notes.append(f"{name} {asked} was cut to {HITS}, the limit of this server.")


def _identity(terms: Terms, name: str, value: str) -> None:
    try:
        terms.options["min_identity"] = percent(f"{value.strip().removesuffix('%')}%")
    except ArgumentTypeError:
        raise Refused(f"{name} is no percentage: {value[:20]!a}.") from None


def _gaps(terms: Terms, name: str, value: str) -> None:
    try:
        costs = [float(word) for word in value.replace(",", " ").split()]
        gap_open, gap_extend = map(int, costs)
    except (ValueError, OverflowError):
        raise Refused(f"{name} must be two costs, such as '11 1'.") from None
    if costs != [gap_open, gap_extend]:
        raise Refused(f"{name} must be whole numbers.")
    terms.options |= {"gap_open": gap_open, "gap_extend": gap_extend}


def _composition(terms: Terms, name: str, value: str) -> None:
    found = _COMPOSITION.get(value.strip().lower())
    if found is None:
        raise Refused(f"{name} is 0, 1, 2 or 3.")
    terms.options["composition"] = found
    if value.strip() in ("1", "2", "3"):
        terms.notes.append(f"{name}: E is corrected for composition, scores stay as they are.")


def _filter(terms: Terms, name: str, value: str) -> None:
    words = set(re.split(r"[\s;,]+", value.strip().upper())) - {""}
    if "R" in words or any(word.startswith("R ") for word in words):
        raise Refused(f"{name}=R: repeats of organisms are not masked here.")
    if words & {"L", "T", "S", "D", "TRUE", "YES", "ON"} or any(set(word) <= set("LTSD") for word in words):
        terms.options["mask"] = True
    elif "M" in words or any("M" in word for word in words):
        terms.notes.append(f"{name}={value[:10]} has no effect: no words are looked up that could be masked.")
    elif not words <= {"F", "FALSE", "NO", "OFF", "NONE"}:
        raise Refused(f"{name} is L, T or F.")


def _entrez(terms: Terms, name: str, value: str) -> None:
    place = 0
    while place < len(value.rstrip()):
        match = _ORGANISM.match(value, place)
        word = (match[1] or "").upper() if match else ""
        if match is None or word not in (("", "NOT") if place == 0 else ("OR", "NOT")):
            raise Refused(f"{name} may name organisms alone: 'Homo sapiens[Organism] OR txid10090[ORGN] NOT ...'.")
        key = "exclude_organism" if word == "NOT" else "organism"
        names = terms.options.setdefault(key, [])
        assert isinstance(names, list)
        names.append((match[2] or match[3] or match[4]).strip())
        place = match.end()


def _short(terms: Terms, name: str, value: str) -> None:
    records = re.split(r"(?m)^>.*$", terms.fields.get("QUERY", ""))
    if terms.program == "blastp" and max(len("".join(record.split())) for record in records) <= _SHORT:
        terms.options |= {"scoring_preset": "peptide", "composition": "none"}
        terms.notes.append(f"{name}: scored as peptides, without a correction for composition.")


def _megablast(terms: Terms, name: str, value: str) -> None:
    terms.notes.append(f"{name}: searched as blastn; matches score 2 and mismatches -3 unless the request sets them.")


def _service(terms: Terms, name: str, value: str) -> None:
    service = value.strip().lower()
    if service == "megablast":
        _megablast(terms, name, value)
    elif service != "plain":
        raise Refused(f"{name}={service[:20]!a} is not offered: this address has one plain search, without rounds.")


def _from(terms: Terms, name: str, value: str) -> None:
    first = number_of("QUERY_FROM", terms.fields.get("QUERY_FROM") or "1", int, 1)
    last = terms.fields.get("QUERY_TO", "").strip()
    if terms.fields.get("QUERY", "").count(">") > 1:
        raise Refused("QUERY_FROM and QUERY_TO are for one query.")
    if not last:
        raise Refused("QUERY_FROM needs QUERY_TO.")
    terms.options["query_range"] = f"{first}-{number_of('QUERY_TO', last, int, 1)}"


def _lower_case(terms: Terms, name: str, value: str) -> None:
    lines = (line for line in terms.fields.get("QUERY", "").splitlines() if not line.startswith(">"))
    if any(re.search("[a-z]", line) for line in lines):
        raise Refused(f"{name}: lower case letters are not masked here. Send FILTER=L, or mask them with X or N.")


def _no_effect(terms: Terms, name: str, value: str) -> None:
    terms.notes.append(f"{name} has no effect: every sequence is scored in full, from no seeds.")


def _refuse(terms: Terms, name: str, value: str) -> None:
    raise Refused(f"{name} is not offered here.")


def _nothing(terms: Terms, name: str, value: str) -> None: ...


_TABLE: Final[Mapping[str, Term]] = {
    "EXPECT": Term(_number("evalue", float)),
    "HITLIST_SIZE": Term(_hits),
    "MAX_NUM_SEQ": Term(_hits),
    "PERC_IDENT": Term(_identity),
    "MATRIX_NAME": Term(lambda terms, name, value: terms.options.update(matrix=_word(name, value)), _PROTEINS),
    "MATRIX": Term(lambda terms, name, value: terms.options.update(matrix=_word(name, value)), _PROTEINS),
    "GAPCOSTS": Term(_gaps),
    "NUCL_REWARD": Term(_number("match", int, 1), _BLASTN),
    "NUCL_PENALTY": Term(_number("mismatch", int, float("-inf")), _BLASTN),
    "GENETIC_CODE": Term(_number("query_code", int, 1), frozenset({"blastx", "tblastx"})),
    "DB_GENETIC_CODE": Term(_number("subject_code", int, 1), frozenset({"tblastn", "tblastx"})),
    "COMPOSITION_BASED_STATISTICS": Term(_composition, empty=frozenset({""})),
    "FILTER": Term(_filter),
    "ENTREZ_QUERY": Term(_entrez),
    "SHORT_QUERY_ADJUST": Term(_short, empty=NO),
    "MEGABLAST": Term(_megablast, _BLASTN, NO),
    "SERVICE": Term(_service),
    "QUERY_FROM": Term(_from),
    "QUERY_TO": Term(_from),
    "LCASE_MASK": Term(_lower_case, empty=NO),
    **dict.fromkeys(
        ("WORD_SIZE", "THRESHOLD", "WINDOW_SIZE", "TEMPLATE_TYPE", "TEMPLATE_LENGTH", "I_THRESH", "BLAST_PROGRAMS"),
        Term(_no_effect),
    ),
    **dict.fromkeys(("UNGAPPED_ALIGNMENT", "ENDPOINTS", "RUN_PSIBLAST"), Term(_refuse, empty=NO)),
    **dict.fromkeys(("PHI_PATTERN", "PSSM", "OTHER_ADVANCED", "SEARCHSP_EFF"), Term(_refuse)),
    # Read elsewhere, or of a page for people:
    **dict.fromkeys(
        (
            "CMD", "PROGRAM", "DATABASE", "QUERY", "QUERY_FILE", "QUERYFILE", "AUTO_FORMAT", "LAYOUT", "NCBI_GI",
            "TOOL", "EMAIL", "QUERY_BELIEVE_DEFLINE", "FORMAT_TYPE", "FORMAT_OBJECT", "ALIGNMENTS", "DESCRIPTIONS",
            "ALIGNMENT_VIEW", "EXPECT_LOW", "EXPECT_HIGH", "ENTREZ_LINKS_NEW_WINDOW", "SHOW_OVERVIEW", "RID",
            "RESULTS_FILE", "CLIENT", "PAGE", "JOB_TITLE", "FORMAT_ENTREZ_QUERY", "NEWWIN", "CLUSTERED_DB", "DB_TYPE",
        ),
        Term(_nothing),
    ),
}  # fmt: skip


def read_terms(fields: Mapping[str, str]) -> tuple[Asked, str]:
    """Return the search that a form of ``CMD=Put`` asks for, and the text of its queries.

    Parameters
    ----------
    fields : mapping of str to str
        By names in capitals.

    Raises
    ------
    Refused
        If it asks for anything that is not offered.
    """
    program = fields.get("PROGRAM", "").strip().lower()
    if program in ("psiblast", "phiblast", "deltablast", "rpsblast", "psi", "phi"):
        raise Refused(f"PROGRAM={program} is not offered: this address has one plain search, without rounds.")
    if program == "megablast":
        program = "blastn"
    if program not in _PROTEINS | _BLASTN:
        raise Refused("PROGRAM is blastp, blastn, blastx, tblastn or tblastx.")
    query = next((fields[name] for name in ("QUERY", "QUERY_FILE", "QUERYFILE") if fields.get(name, "").strip()), "")
    if not query:
        raise Refused("QUERY has no sequence.")
    if ">" not in query and _ACCESSION.search(query):
        raise Refused("QUERY is an accession. Send its residues: this server has no library of entries.")
    terms = Terms({**fields, "QUERY": query}, program, {"program": program, "top": USUAL_HITS})
    for name, value in fields.items():
        _read(terms, name, value)
    if "gap_open" in terms.options or "matrix" in terms.options or "match" in terms.options:
        terms.notes.append("Where no statistics are published for these costs, E is fitted.")
    unknown = sorted(re.sub(r"[^A-Z0-9_.-]", "?", name)[:40] for name in fields if name not in _TABLE)
    if unknown:
        terms.notes.append(f"Unknown parameters were ignored: {', '.join(unknown[:10])}.")
    databases = tuple(fields.get("DATABASE", "").split())
    return Asked("blast", databases, terms.options, tuple(terms.notes), fields.get("JOB_TITLE", "")[:100]), query


def _read(terms: Terms, name: str, value: str) -> None:
    term = _TABLE.get(name)
    if term is None or value.strip().lower() in term.empty:
        return
    if terms.program in term.programs:
        term.read(terms, name, value)
    elif not (name.endswith("GENETIC_CODE") and value.strip() == "1"):
        terms.notes.append(f"{name} has no effect in {terms.program}.")


def _word(name: str, value: str) -> str:
    """Return the name of a matrix; never that of a file."""
    word = value.strip().upper()
    if not re.fullmatch(r"[A-Z]{3,10}[0-9]{0,3}", word):
        raise Refused(f"{name} is no name of a matrix: {value[:20]!a}.")
    return word
