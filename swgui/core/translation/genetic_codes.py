"""The genetic codes of NCBI, and the translation of every codon by them.

The rows are those of NCBI's ``gc.prt`` as Biopython has them; a test compares the two.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter

BASES: Final = "TCAG"  # the order of NCBI's tables: TTT, TTC, TTA, TTG, TCT, ...
CODON: Final = 3
CHANCE_CODONS: Final = 50
LETTERS: Final = len(NUCLEOTIDE)
STANDARD: Final = 1


class GeneticCode(msgspec.Struct, frozen=True):
    """One way from codons to residues."""

    number: int  # in NCBI's list
    name: str  # its origin
    # The residue of each codon, ``*`` for a stop; codons in the order of `BASES`. A codon that is a residue or a
    # stop, by its place, is the residue.
    residues: str
    starts: str  # ``M`` where a codon may begin a protein, ``-`` elsewhere

    @property
    def open_share(self) -> float:
        """Probability that a stretch of `CHANCE_CODONS` of random DNA has no stop."""
        return float((1.0 - self.residues.count("*") / len(self.residues)) ** CHANCE_CODONS)

    def residue(self, codon: str) -> str:
        """Return the translation of a codon of upper-case IUPAC letters: the residue of all its meanings, else X."""
        meanings = product(*(NUCLEOTIDE.expansions.get(base, base).replace("U", "T") for base in codon))
        residues = {self.residues[_place(*codon)] for codon in meanings}
        return residues.pop() if len(residues) == 1 else PROTEIN.wildcard


def _place(first: str, second: str, third: str) -> int:
    return 16 * BASES.index(first) + 4 * BASES.index(second) + BASES.index(third)


_ALL: Final = (
    GeneticCode(1, "Standard",
                "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "---M---------------M---------------M----------------------------"),
    GeneticCode(2, "Vertebrate Mitochondrial",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG",
                "--------------------------------MMMM---------------M------------"),
    GeneticCode(3, "Yeast Mitochondrial",
                "FFLLSSSSYY**CCWWTTTTPPPPHHQQRRRRIIMMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "----------------------------------MM---------------M------------"),
    GeneticCode(4, "Mold Mitochondrial, Protozoan Mitochondrial, Coelenterate Mitochondrial, Mycoplasma, Spiroplasma",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "--MM---------------M------------MMMM---------------M------------"),
    GeneticCode(5, "Invertebrate Mitochondrial",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSSSVVVVAAAADDEEGGGG",
                "---M----------------------------MMMM---------------M------------"),
    GeneticCode(6, "Ciliate Nuclear, Dasycladacean Nuclear, Hexamita Nuclear",
                "FFLLSSSSYYQQCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(9, "Echinoderm Mitochondrial, Flatworm Mitochondrial",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
                "-----------------------------------M---------------M------------"),
    GeneticCode(10, "Euplotid Nuclear",
                "FFLLSSSSYY**CCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(11, "Bacterial, Archaeal, Plant Plastid",
                "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "---M---------------M------------MMMM---------------M------------"),
    GeneticCode(12, "Alternative Yeast Nuclear",
                "FFLLSSSSYY**CC*WLLLSPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-------------------M---------------M----------------------------"),
    GeneticCode(13, "Ascidian Mitochondrial",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSGGVVVVAAAADDEEGGGG",
                "---M------------------------------MM---------------M------------"),
    GeneticCode(14, "Alternative Flatworm Mitochondrial",
                "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(15, "Blepharisma Macronuclear",
                "FFLLSSSSYY*QCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(16, "Chlorophycean Mitochondrial",
                "FFLLSSSSYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(21, "Trematode Mitochondrial",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
                "-----------------------------------M---------------M------------"),
    GeneticCode(22, "Scenedesmus obliquus Mitochondrial",
                "FFLLSS*SYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(23, "Thraustochytrium Mitochondrial",
                "FF*LSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "--------------------------------M--M---------------M------------"),
    GeneticCode(24, "Pterobranchia Mitochondrial",
                "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
                "---M---------------M---------------M---------------M------------"),
    GeneticCode(25, "Candidate Division SR1, Gracilibacteria",
                "FFLLSSSSYY**CCGWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "---M-------------------------------M---------------M------------"),
    GeneticCode(26, "Pachysolen tannophilus Nuclear",
                "FFLLSSSSYY**CC*WLLLAPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-------------------M---------------M----------------------------"),
    GeneticCode(27, "Karyorelict Nuclear",
                "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(28, "Condylostoma Nuclear",
                "FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(29, "Mesodinium Nuclear",
                "FFLLSSSSYYYYCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(30, "Peritrich Nuclear",
                "FFLLSSSSYYEECC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(31, "Blastocrithidia Nuclear",
                "FFLLSSSSYYEECCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "-----------------------------------M----------------------------"),
    GeneticCode(32, "Balanophoraceae Plastid",
                "FFLLSSSSYY*WCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
                "---M---------------M------------MMMM---------------M------------"),
    GeneticCode(33, "Cephalodiscidae Mitochondrial",
                "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
                "---M---------------M---------------M---------------M------------"),
)  # fmt: skip

GENETIC_CODES: Final = {code.number: code for code in _ALL}


def genetic_code(number: int) -> GeneticCode:
    """Return a genetic code; `InvalidParameter` if NCBI has none of that number."""
    if number not in GENETIC_CODES:
        numbers = ", ".join(map(str, GENETIC_CODES))
        raise InvalidParameter(
            "genetic code", number, f"There is no genetic code {number}.", hint=f"NCBI's codes are {numbers}."
        )
    return GENETIC_CODES[number]


@lru_cache(maxsize=8)
def codon_table(number: int) -> NDArray[np.uint8]:
    """Return the code of the residue of every codon, shape (4096,): index ``256 a + 16 b + c`` of codes of bases."""
    plain = PROTEIN.encode(genetic_code(number).residues.encode("ascii"))
    meanings = (NUCLEOTIDE.expansions.get(letter, letter).replace("U", "T") for letter in NUCLEOTIDE.letters)
    means = np.array([[base in meaning for base in BASES] for meaning in meanings])
    may = np.einsum("ai,bj,ck->abcijk", means, means, means).reshape(LETTERS**CODON, -1)  # possible meanings of each
    lowest, highest = (np.where(may, plain, other).astype(np.uint8) for other in (np.uint8(255), np.uint8(0)))
    low, high = lowest.min(axis=1), highest.max(axis=1)
    return np.asarray(np.where(low == high, low, PROTEIN.encode(PROTEIN.wildcard.encode("ascii"))[0]), dtype=np.uint8)


@lru_cache(maxsize=8)
def strand_tables(number: int) -> NDArray[np.uint8]:
    """Return `codon_table` of codons of the strand as it is given and of the opposite one, shape (2, 4096).

    The index is that of the bases as they are given, in both.
    """
    codons = np.arange(LETTERS**CODON)
    bases = np.stack([codons // LETTERS**2, codons // LETTERS % LETTERS, codons % LETTERS], axis=1).astype(np.uint8)
    turned = NUCLEOTIDE.reverse_complement(bases.reshape(-1)).reshape(-1, CODON)[::-1].astype(np.int64)
    table = codon_table(number)
    return np.stack([table, table[(turned[:, 0] * LETTERS + turned[:, 1]) * LETTERS + turned[:, 2]]])
