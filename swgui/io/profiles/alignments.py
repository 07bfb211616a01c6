"""Alignments as text: A3M, aligned FASTA, Stockholm and Clustal, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import INVALID, Alphabet, guess_alphabet
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment, RowTable, close_ends
from swgui.core.words import count
from swgui.io.cells import clean_text, distinct_names
from swgui.io.profiles.base import ProfileText
from swgui.io.read_report import shown
from swgui.io.sequences.parsers import split_title

GAPS: Final = b"-._~"
_LETTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANGE: Final = re.compile(r"(.+)/(\d{1,10})-(\d{1,10})")

_Codes = NDArray[np.uint8]
_Flags = NDArray[np.bool_]
WIDTH: Final = 80  # columns in a line
_CLUSTAL: Final = re.compile(r"(CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|KALIGN)\b", re.IGNORECASE)
_LOWER: Final = re.compile(r"^[^>#\n]*[a-z]", re.MULTILINE)
_NOT_COUNTED: Final = b"abcdefghijklmnopqrstuvwxyz. \t\r\n"


@dataclass(slots=True)
class TextRow:
    """One row as a file has it."""

    name: str
    description: str
    line: int  # where it begins
    parts: list[str] = field(default_factory=list)  # its residues and gap signs, in pieces, without blanks
    lines: list[int] = field(default_factory=list)  # where each of these pieces stands

    def add(self, part: str, line: int) -> None:
        """Add the residues and gap signs of a line."""
        self.parts.append("".join(part.split()))
        self.lines.append(line)

    @property
    def text(self) -> bytes:
        """All pieces; what programs write as ? is any residue."""
        return "".join(self.parts).replace("?", "X").encode("ascii", "replace")

    def line_of(self, column: int) -> int:
        """Return the line of a column, from 0."""
        ends = np.cumsum([len(part) for part in self.parts])
        return self.lines[int(np.searchsorted(ends, column, side="right"))]


def alignment_of(
    source: ProfileText, rows: Sequence[TextRow], matches: str = "", *, a3m: bool = False, name: str = ""
) -> MasterAlignment:
    """Return the alignment of rows, in the columns where the query has residues.

    The query is the first row. Where `matches` says which columns count and the first row has a gap in one of them,
    the consensus (the most frequent residue of each column) is the query, as one row more.

    Parameters
    ----------
    matches : str
        One sign for each column, a gap sign where it does not count (the RF line of Stockholm).
    a3m : bool
        Whether lower-case residues are insertions, and dots are nothing.
    name : str
        Of the consensus, where it is the query.

    Raises
    ------
    ProfileError
        If there is no row, or rows are not of one length, or have signs that are no residues.
    """
    if not rows:
        raise source.error("the alignment is empty", hint="An alignment has one row at least.")
    alphabet = guess_alphabet(b"".join(row.text for row in rows[:200]).translate(None, GAPS + b"*"))
    table = _code_table(alphabet)
    coded = [_coded(source, row, table) for row in rows]
    columns = [
        _a3m_matches(row.text) if a3m else np.ones(len(codes), dtype=bool)
        for row, codes in zip(rows, coded, strict=True)
    ]
    check_lengths(source, rows, [int(flags.sum()) for flags in columns], a3m=a3m)
    wanted = _flags(source, matches, int(columns[0].sum()))
    kept = wanted & (coded[0][columns[0]] < DELETION)
    consensus = bool(matches) and not np.array_equal(kept, wanted)
    if consensus:
        kept = wanted
    if not kept.any():
        raise source.error(f"'{shown(rows[0].name)}', the first row, has no residues", line=rows[0].line)
    made = [_row(row, codes, flags, kept) for row, codes, flags in zip(rows, coded, columns, strict=True)]
    filled = [row for row in made if row.residues]
    if len(filled) < len(made):
        source.remarks.append(
            f"{source.name}: {count(len(made) - len(filled), 'row')} without residues in columns that count left out."
        )
    if consensus:
        filled.insert(0, _consensus(name or "consensus", filled, alphabet))
    return MasterAlignment(alphabet, tuple(filled))


def _code_table(alphabet: Alphabet) -> bytes:
    """Return the code of each sign of a row: `DELETION` for gaps, `INVALID` for what is neither gap nor residue."""
    table = bytearray([INVALID]) * 256
    for letter in _LETTERS.decode():
        table[ord(letter)] = alphabet.code(letter if letter.upper() in alphabet.letters else alphabet.wildcard)
    if "*" in alphabet.letters:
        table[ord("*")] = alphabet.code("*")
    for gap in GAPS:
        table[gap] = DELETION
    return bytes(table)


def _coded(source: ProfileText, row: TextRow, table: bytes) -> _Codes:
    codes = np.frombuffer(row.text.translate(table), dtype=np.uint8)
    if (codes == INVALID).any():
        column = int(np.argmax(codes == INVALID))
        sign = "".join(row.parts)[column]
        raise source.error(
            f"'{shown(sign)}' in column {column + 1} of '{shown(row.name)}' is neither a residue nor a gap sign",
            line=row.line_of(column),
        )
    return codes


def _a3m_matches(text: bytes) -> _Flags:
    """Return a mask of the signs of a row of A3M that are in a column: capitals, gaps and stops."""
    signs = np.frombuffer(text, dtype=np.uint8)
    return ((signs >= ord("A")) & (signs <= ord("Z"))) | np.isin(signs, np.frombuffer(b"-_~*", dtype=np.uint8))


def check_lengths(source: ProfileText, rows: Sequence[TextRow], lengths: Sequence[int], *, a3m: bool) -> None:
    """Refuse rows of different numbers of columns; `ProfileError` then."""
    for row, length in zip(rows, lengths, strict=True):
        if length != lengths[0]:
            hint = "Lower-case residues of A3M are not counted." if a3m else "Gap signs fill up rows of an alignment."
            raise source.error(
                f"'{shown(row.name)}' has {length} columns, the first row {lengths[0]}", line=row.line, hint=hint
            )


def _flags(source: ProfileText, matches: str, columns: int) -> _Flags:
    """Return which columns count by a line RF; all of them without one."""
    if not matches:
        return np.ones(columns, dtype=bool)
    signs = np.frombuffer(matches.encode("ascii", "replace"), dtype=np.uint8)
    if len(signs) != columns:
        raise source.error(f"the line RF has {len(signs)} columns for rows of {columns}")
    return ~np.isin(signs, np.frombuffer(GAPS, dtype=np.uint8))


def _row(row: TextRow, codes: _Codes, columns: _Flags, kept: _Flags) -> AlignedRow:
    """Return one row in the columns that are kept; the rest between its first and last of them are insertions."""
    matched = columns.copy()
    matched[columns] = kept
    place = np.cumsum(matched) - 1  # the kept column of each sign, or the one before it
    closed = close_ends(codes[matched])
    inside = np.flatnonzero(closed < DELETION)
    name, start, strand = _name(row.name)
    if not len(inside):
        return AlignedRow(name, row.description, closed)
    residues = codes < DELETION
    first = int(np.flatnonzero(matched)[inside[0]])
    insertions: dict[int, bytes] = {}
    for index in np.flatnonzero(residues & ~matched & (place >= inside[0]) & (place < inside[-1])).tolist():
        column = int(place[index])
        insertions[column] = insertions.get(column, b"") + row.text[index : index + 1].upper()
    start += strand * int(residues[:first].sum())
    return AlignedRow(name, row.description, closed, insertions, start, strand=strand)


def _name(name: str) -> tuple[str, int, int]:
    """Return a name without the range behind it, where the range begins, and -1 if it falls."""
    match = _RANGE.fullmatch(name)
    if not match or not min(int(match[2]), int(match[3])):
        return name, 0, 1
    return match[1], int(match[2]) - 1, 1 if int(match[2]) <= int(match[3]) else -1


def _consensus(name: str, rows: Sequence[AlignedRow], alphabet: Alphabet) -> AlignedRow:
    codes = np.stack([row.codes for row in rows])
    counts = np.stack([(codes == code).sum(axis=0) for code in range(len(alphabet))])
    best = np.where(counts.max(axis=0) > 0, counts.argmax(axis=0), alphabet.code(alphabet.wildcard))
    return AlignedRow(name, "consensus", best.astype(np.uint8))


def is_fasta(text: str) -> bool:
    """Whether a text begins as FASTA does; an A3M of ColabFold may begin with a line of lengths."""
    return text.startswith(">") or bool(re.match(r"#[\d,\t ]+\n>", text))


def is_a3m(text: str) -> bool:
    """Whether a text is FASTA whose rows agree only if lower-case residues are not counted."""
    if not is_fasta(text) or not _LOWER.search(text):
        return False
    rows = (body.partition("\n")[2] for body in text[text.index(">") + 1 :].split("\n>"))
    lengths = {len(row.encode("ascii", "replace").translate(None, _NOT_COUNTED)) for row in rows}
    return len(lengths) == 1 and lengths != {0}


def read_fasta(source: ProfileText) -> MasterAlignment:
    """Return the alignment of FASTA with gap signs: the columns are those of the first row."""
    return alignment_of(source, list(fasta_rows(source)))


def read_a3m(source: ProfileText) -> MasterAlignment:
    """Return the alignment of A3M or A2M, in which lower-case residues are insertions."""
    return alignment_of(source, list(fasta_rows(source)), a3m=True)


def fasta_rows(source: ProfileText) -> Iterator[TextRow]:
    """Yield the rows of FASTA, aligned or not."""
    row: TextRow | None = None
    for number, line in source.lines():
        if line.startswith(">"):
            if row is not None:
                yield row
            row = TextRow(*split_title(line[1:]), number)
        elif row is not None and not line.startswith(("#", ";")):
            row.add(line, number)
    if row is not None:
        yield row


def is_stockholm(text: str) -> bool:
    """Whether a text begins as Stockholm does."""
    return bool(re.match(r"#\s*STOCKHOLM", text))


@dataclass(slots=True)
class StockholmText:
    """The first alignment of a text in Stockholm format."""

    rows: Sequence[TextRow]
    name: str  # of the family; empty if it has none
    matches: str  # line RF, and structure, line SS_cons: a sign for each column; empty without one
    structure: str


def stockholm_of(source: ProfileText) -> StockholmText:
    """Read the first alignment of a text in Stockholm format.

    Raises
    ------
    ProfileError
        If it breaks the format.
    """
    rows: dict[str, TextRow] = {}
    descriptions: dict[str, str] = {}
    lines, name = {"RF": "", "SS_cons": ""}, ""
    for number, line in source.lines():
        words = line.split(maxsplit=3)
        if line.startswith("//"):
            if source.text.count("\n# STOCKHOLM"):
                source.note_others()
            break
        if line.startswith("#=GC") and len(words) > 2 and words[1] in lines:
            lines[words[1]] += "".join(words[2:])
        elif line.startswith("#=GF ID") and len(words) > 2:
            name = words[2]
        elif line.startswith("#=GS") and len(words) > 3 and words[2] == "DE":
            descriptions[words[1]] = words[3]
        elif words and not line.startswith("#"):
            if len(words) != 2:
                raise source.error("a name and a row of the alignment are expected here", line=number)
            rows.setdefault(words[0], TextRow(words[0], "", number)).add(words[1], number)
    for row in rows.values():
        row.description = descriptions.get(row.name, "")
    return StockholmText(list(rows.values()), name, lines["RF"], lines["SS_cons"])


def read_stockholm(source: ProfileText) -> MasterAlignment:
    """Return the first alignment of a text in Stockholm format; its line RF says which columns count.

    Raises
    ------
    ProfileError
        If it breaks the format.
    """
    found = stockholm_of(source)
    return alignment_of(source, found.rows, found.matches, name=found.name)


def is_clustal(text: str) -> bool:
    """Whether a text begins as Clustal and programs that write its format do."""
    return bool(_CLUSTAL.match(text))


def read_clustal(source: ProfileText) -> MasterAlignment:
    """Return the alignment of a text in Clustal format: the columns are those of the first row.

    Raises
    ------
    ProfileError
        If it breaks the format.
    """
    return alignment_of(source, clustal_rows(source))


def clustal_rows(source: ProfileText) -> list[TextRow]:
    """Rows of a text in Clustal format; errors as of `read_clustal`."""
    rows: dict[str, TextRow] = {}
    for number, line in list(source.lines())[1:]:
        words = line.split()
        if not words or line[0].isspace():  # marks of conservation
            continue
        if len(words) not in (2, 3) or (len(words) == 3 and not words[2].isdecimal()):
            raise source.error("a name and a row of the alignment are expected here", line=number)
        rows.setdefault(words[0], TextRow(words[0], "", number)).add(words[1], number)
    return list(rows.values())


def name_of(row: AlignedRow, *, query: bool) -> str:
    """Return the name of a row with the range of its residues behind it; that of the query, or of gaps, without.

    On strand -1 the range falls, as in files of HMMER.
    """
    if not row.residues or (query and not row.start):
        return row.id
    return f"{row.id}/{row.place}"


def write_a3m(alignment: MasterAlignment) -> str:
    """Return an alignment as A3M: insertions in lower case, the query first."""
    if isinstance(alignment.rows, RowTable):
        return "".join(_a3m_lines(alignment.rows))
    lines = []
    for number, row in enumerate(alignment.rows):
        lines.append(f">{clean_text(f'{name_of(row, query=not number)} {row.description}')}")
        lines.append(a3m_row(alignment, row))
    return "\n".join(lines) + "\n"


def _a3m_lines(table: RowTable) -> Iterator[str]:
    """Yield the two lines of each row of a table, which is read as arrays."""
    rows, columns = table.codes.shape
    signs = np.frombuffer(_sign_table(table.alphabet), dtype=np.uint8)[table.codes]
    row, column, length = table.places.T
    order = np.lexsort((column, row))
    letters = np.frombuffer(table.alphabet.letters.lower().encode().ljust(256, b"-"), dtype=np.uint8)[table.inserted]
    before = np.cumsum(length) - length
    source = np.repeat(before[order] - (np.cumsum(length[order]) - length[order]), length[order])
    lower = letters[source + np.arange(len(letters))] if len(order) else letters
    text = np.insert(signs.ravel(), np.repeat((row * columns + column + 1)[order], length[order]), lower).tobytes()
    inserted = np.bincount(row, weights=length, minlength=rows).astype(np.int64)
    covered = (table.codes < DELETION).sum(axis=1)
    lengths = np.where(covered > 0, covered + inserted, 0)
    ends = np.arange(1, rows + 1) * columns + np.cumsum(inserted)
    starts, begin = table.starts.tolist(), 0
    last = table.starts + (1 if table.strands is None else table.strands) * (lengths - 1)
    for number, (end, found) in enumerate(zip(ends.tolist(), lengths.tolist(), strict=True)):
        start, name = starts[number], table.ids[number]
        if found and (number or start):
            name = f"{name}/{start + 1}-{last[number] + 1}"
        yield f">{clean_text(f'{name} {table.descriptions[number]}')}\n{text[begin:end].decode()}\n"
        begin = end


def a3m_row(alignment: MasterAlignment, row: AlignedRow) -> str:
    """Return a row as A3M has it."""
    signs = _signs(alignment, row)
    if not row.insertions:
        return signs
    parts: list[str] = []
    done = 0
    for column in sorted(row.insertions):
        parts += (signs[done : column + 1], row.insertions[column].decode().lower())
        done = column + 1
    return "".join([*parts, signs[done:]])


def write_fasta(alignment: MasterAlignment) -> str:
    """Return an alignment as FASTA with gap signs, insertions in columns of their own."""
    lines = []
    for number, (row, text) in enumerate(zip(alignment.rows, _expanded(alignment, "-"), strict=True)):
        lines.append(f">{clean_text(f'{name_of(row, query=not number)} {row.description}')}")
        lines += [text[start : start + WIDTH] for start in range(0, len(text), WIDTH)]
    return "\n".join(lines) + "\n"


def write_stockholm(alignment: MasterAlignment) -> str:
    """Return an alignment in Stockholm format; the line RF marks the columns of the query."""
    rows = [name_of(row, query=not number) for number, row in enumerate(alignment.rows)]
    names = distinct_names("_".join(clean_text(name).split()) for name in rows)
    width = max(map(len, [*names, "#=GC RF"]))
    lines = ["# STOCKHOLM 1.0", f"#=GF ID {names[0]}"]
    lines += [
        f"#=GS {name} DE {clean_text(row.description)}"
        for name, row in zip(names, alignment.rows, strict=True)
        if row.description
    ]
    lines += [f"{name:<{width}} {text}" for name, text in zip(names, _expanded(alignment, "."), strict=True)]
    wide = alignment.inserted.max(axis=0)
    lines.append(f"{'#=GC RF':<{width}} " + "".join("x" + "." * int(more) for more in wide))
    return "\n".join([*lines, "//", ""])


def _signs(alignment: MasterAlignment, row: AlignedRow) -> str:
    """Return the sign of a row in each column of the query."""
    return row.codes.tobytes().translate(_sign_table(alignment.alphabet)).decode()


def _sign_table(alphabet: Alphabet) -> bytes:
    """Return the sign of each code; any that is no residue is a gap."""
    return alphabet.letters.encode().ljust(256, b"-")


def _expanded(alignment: MasterAlignment, gap: str) -> Iterator[str]:
    """Yield every row with columns for insertions, filled up by a gap sign."""
    wide = alignment.inserted.max(axis=0).tolist()
    for row in alignment.rows:
        inserted = (row.insertions.get(column, b"").decode() for column in range(alignment.columns))
        if gap == ".":
            inserted = (residues.lower() for residues in inserted)
        signs = _signs(alignment, row)
        yield "".join(sign + more.ljust(most, gap) for sign, more, most in zip(signs, inserted, wide, strict=True))
