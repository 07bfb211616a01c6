import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, alphabet_by_name, guess_alphabet
from swgui.core.errors import SequenceError


@pytest.mark.parametrize("alphabet", ALPHABETS.values(), ids=lambda a: a.name)
def test_every_letter_survives_encoding_in_either_case(alphabet):
    letters = alphabet.letters.encode()
    assert alphabet.decode(alphabet.encode(letters)) == letters
    assert alphabet.decode(alphabet.encode(letters.lower())) == letters
    assert len(set(alphabet.letters)) == len(alphabet) <= 32
    assert set(alphabet.expansions) < set(alphabet.letters)
    assert alphabet.wildcard in alphabet.letters


@given(st.text(alphabet=PROTEIN.letters, max_size=70))
def test_decode_inverts_encode(text):
    assert PROTEIN.decode(PROTEIN.encode(text.encode())) == text.encode()


def test_a_foreign_letter_is_named_with_its_position():
    with pytest.raises(SequenceError, match="'5' at position 3 is not a protein letter"):
        PROTEIN.encode(b"MK5V")
    assert PROTEIN.invalid(b"M-K5.V") == b"-5."


@given(st.text(alphabet=NUCLEOTIDE.letters.replace("U", ""), max_size=40))
def test_reverse_complement_is_its_own_inverse(text):
    codes = NUCLEOTIDE.encode(text.encode())
    assert np.array_equal(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.reverse_complement(codes)), codes)


def test_reverse_complement_of_iupac_letters():
    assert NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(b"ACGTRYKMBDHVNU"))) == b"ANBDHVKMRYACGT"
    with pytest.raises(ValueError, match="reverse complement"):
        PROTEIN.reverse_complement(PROTEIN.encode(b"MK"))


@pytest.mark.parametrize(
    ("residues", "expected"),
    [
        (b"ACGTACGTNN", "nucleotide"),
        (b"ACGUACGU", "nucleotide"),
        (b"acgtacgtac", "nucleotide"),
        (b"MKVLWAALLV", "protein"),
        (b"", "protein"),
        (b"RYKMSWRYKM", "protein"),  # all of it IUPAC, but hardly a nucleotide sequence
        (b"ACGT*", "protein"),
        (b"GCGGAUUIAGCUCAGUUGG", "nucleotide"),  # inosine
        (b"GCTIAAGCTNGATTGAATCG", "protein"),
    ],
)
def test_guess(residues, expected):
    assert guess_alphabet(residues).name == expected


def test_alphabets_are_found_by_name_and_survive_pickling():
    import pickle

    assert alphabet_by_name("protein") is PROTEIN
    assert pickle.loads(pickle.dumps(NUCLEOTIDE)) is NUCLEOTIDE


def test_t_and_u_are_the_same_and_no_other_two_letters():
    for alphabet in ALPHABETS.values():
        codes = np.arange(len(alphabet), dtype=np.uint8)
        same = np.array([alphabet.same(np.full_like(codes, code), codes) for code in codes])
        pairs = {alphabet.letters[one] + alphabet.letters[other] for one, other in np.argwhere(same) if one != other}
        assert same.diagonal().all()
        assert pairs == ({"TU", "UT"} if alphabet is NUCLEOTIDE else set())
