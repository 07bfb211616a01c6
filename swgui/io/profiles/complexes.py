"""Alignments of complexes as the programs that predict their structures read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment
from swgui.core.profiles.msa import Complex, gap_row, in_step
from swgui.io.cells import clean_text
from swgui.io.profiles.alignments import a3m_row, name_of, write_a3m
from swgui.io.profiles.saving import file_names


@dataclass(frozen=True, slots=True)
class ComplexFormat:
    """How a program takes alignments of several chains."""

    name: str
    help: str
    suffix: str
    write: Callable[[Complex], list[str]]  # returns the text of each file: one for every chain, or one for all
    together: bool = False  # whether it is one for all

    def files(self, out: str, ids: Sequence[str], option: str = "out") -> list[Path]:
        """Return the files of a complex: one for all chains, or one for each with its identifier in the name.

        Parameters
        ----------
        option : str
            That names the file.

        Raises
        ------
        InvalidParameter
            If the ending is not that of the format.
        """
        if not out.lower().endswith(self.suffix):
            raise InvalidParameter(option, out, f"'{out}' does not end in {self.suffix}, as {self.name} needs it.")
        return [Path(out)] if self.together else [file[0] for file in file_names(out, ids)]


def complex_format(name: str, chains: int) -> ComplexFormat:
    """Return a format by name.

    Raises
    ------
    InvalidParameter
        If there are not chains enough to pair anything.
    """
    if chains < 2:
        raise InvalidParameter(
            "complex", name, "A complex has two chains or more, and there is one query.",
            hint="Leave out --complex; copies of one chain need no pairing.",
        )  # fmt: skip
    return COMPLEXES[name]


def alphafold3(pairing: Complex) -> list[str]:
    """Return an A3M for each chain, whose rows belong to those of the other chains; gaps keep them in step."""
    return [write_a3m(alignment) for alignment in in_step(pairing)]


def colabfold(pairing: Complex) -> list[str]:
    """Return one A3M: a line of lengths, the pairs as joined rows, then each chain's own rows between gaps."""
    columns = [chain.columns for chain in pairing.chains]
    names = [str(101 + number) for number in range(len(columns))]
    queries = [chain.query for chain in pairing.chains]
    lines = [f"#{','.join(map(str, columns))}\t{','.join('1' for _ in columns)}", ">" + "\t".join(names)]
    lines.append("".join(a3m_row(*pair) for pair in zip(pairing.chains, queries, strict=True)))
    for rows in pairing.pairs:
        full = [row or gap_row(chain.columns) for chain, row in zip(pairing.chains, rows, strict=True)]
        lines.append(">" + "\t".join(_name(row) for row in full))
        lines.append("".join(a3m_row(*pair) for pair in zip(pairing.chains, full, strict=True)))
    for index, chain in enumerate(pairing.chains):
        before, behind = "-" * sum(columns[:index]), "-" * sum(columns[index + 1 :])
        for number, row in enumerate(chain.rows):
            lines.append(f">{_name(row) if number else names[index]}")
            lines.append(before + a3m_row(chain, row) + behind)
    return ["\n".join(lines) + "\n"]


def boltz(pairing: Complex) -> list[str]:
    """Return a table of key and sequence for each chain; rows of one key belong together, -1 stands for none."""
    return [_table(chain, [rows[index] for rows in pairing.pairs]) for index, chain in enumerate(pairing.chains)]


def _table(chain: MasterAlignment, pairs: list[AlignedRow | None]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("key", "sequence"))
    table.writerows(_keyed(chain, pairs))
    return text.getvalue()


def _keyed(chain: MasterAlignment, pairs: list[AlignedRow | None]) -> Iterator[tuple[int, str]]:
    yield 0, a3m_row(chain, chain.query)
    yield from ((key, a3m_row(chain, row)) for key, row in enumerate(pairs, 1) if row is not None)
    yield from ((-1, a3m_row(chain, row)) for row in chain.rows[1:])


def _name(row: AlignedRow) -> str:
    return "_".join(clean_text(name_of(row, query=False)).split())


COMPLEXES: Final = {
    form.name: form
    for form in (
        ComplexFormat("alphafold3", "an A3M for each chain, rows in step", ".a3m", alphafold3),
        ComplexFormat("boltz", "a CSV for each chain, with keys", ".csv", boltz),
        ComplexFormat("colabfold", "one A3M for all chains", ".a3m", colabfold, together=True),
    )
}
