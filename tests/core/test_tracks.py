import pickle

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN, two_tracks
from swgui.core.database import encode_database, take_chunk
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.packing import ChunkPlan
from swgui.core.records import Letters, SequenceRecord, encode_record
from swgui.core.score_profile import TrackProfile
from swgui.core.scoring import profile_bound, two_track_matrix
from swgui.core.several.part import restricted
from swgui.core.statistics.background import background
from swgui.io.matrices import load_matrix

LETTERS = ALPHABETS["3Di"]
BOTH = two_tracks(PROTEIN, LETTERS)


def record(identifier, residues, letters, description=""):
    return SequenceRecord(identifier, description, residues, letters=Letters("3Di", letters))


RECORDS = [record("a", b"MKV", b"DVQ", "OS=Homo sapiens"), record("b", b"WWWWX", b"PXXLL", "OS=Mus musculus")]


def test_symbols_are_both_letters():
    symbols = BOTH.encode_tracks(b"MKVX", b"dvXQ")
    assert len(BOTH) == len(PROTEIN) * len(LETTERS)
    assert symbols.max() < len(BOTH)
    assert BOTH.decode(symbols) == b"MKVX"
    assert BOTH.decode_letters(symbols) == b"DVXQ"
    assert BOTH.same(symbols, BOTH.encode_tracks(b"MKAX", b"ddXX")).tolist() == [True, True, False, True]


def test_an_alphabet_of_two_tracks_has_a_name_and_travels():
    assert ALPHABETS["protein+3Di"] is BOTH
    assert pickle.loads(pickle.dumps(BOTH)) is BOTH
    assert pickle.loads(pickle.dumps(LETTERS)) is LETTERS


def test_a_matrix_adds_both_scores_with_their_weights():
    residues, letters = load_matrix("BLOSUM62", PROTEIN), load_matrix("3Di", LETTERS)
    matrix = two_track_matrix(residues, letters, (3, 2))
    one, other = (BOTH.encode_tracks(pair[:1], pair[1:]) for pair in (b"WD", b"RE"))
    assert matrix.scores[one[0], other[0]] == 3 * residues.score("W", "R") + 2 * letters.score("D", "E")
    of_residues, of_letters = matrix.profiles(one)
    everything = of_residues[0][:, None] + of_letters[0][None, :]
    assert (matrix.scores[one[0]] == everything.ravel()).all()
    assert matrix.name == "3xBLOSUM62+2x3Di"
    symbols = BOTH.encode_tracks(b"WRX", b"DEL")
    for profile in (TrackProfile(*matrix.profiles(symbols)), TrackProfile.of_sums(matrix.scores[symbols], BOTH)):
        assert (profile.sums() == matrix.scores[symbols]).all()
        assert profile.bound == profile_bound(matrix.scores[symbols])


@pytest.mark.parametrize("weights", [(-1, 1), (0, 0), (1, 1001), (900, 900)])
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(InvalidParameter, match="weight"):
        two_track_matrix(load_matrix("BLOSUM62", PROTEIN), load_matrix("3Di", LETTERS), weights)


def test_a_database_shows_one_track_or_both():
    database = encode_database(RECORDS, PROTEIN, "few")
    both = database.in_two_tracks()
    assert PROTEIN.decode(database.subject(1)) == b"WWWWX"
    assert BOTH.decode_letters(both.subject(1)) == b"PXXLL"
    assert both.record(0) == database.record(0) == RECORDS[0]
    assert both.checksum != database.checksum
    copied, *_ = both.placed(np.array([0]))
    assert BOTH.decode_letters(copied) == b"DVQ"
    codes, starts, lengths = both.placed(np.array([1, 0, 1]))  # as many as there are: all of them, and only once
    assert BOTH.decode_letters(codes[starts[1] : starts[1] + lengths[1]]) == b"DVQ"
    assert both.placed(np.array([1]))[0] is codes
    assert not codes.flags.writeable
    for kept in (copied, codes):
        assert all(np.array_equal(*track) for track in zip(BOTH.split(kept), BOTH.split(kept.copy()), strict=True))
    chunk = take_chunk(both, ChunkPlan(0, 2, 8))
    assert BOTH.decode(chunk.codes) == b"WWWWXMKV"
    human = restricted(both, OrganismLimit(("Homo sapiens",)))
    assert BOTH.decode_letters(human.subject(0)) == b"DVQ"


def test_letters_must_be_as_many_as_residues():
    with pytest.raises(SequenceError, match="'c' has 3 residues and 2 letters of the alphabet '3Di'"):
        encode_record(record("c", b"MKV", b"DV"), BOTH)
    with pytest.raises(SequenceError, match="'c' has no symbols of the alphabet '3Di'"):
        encode_database([*RECORDS, SequenceRecord("c", "", b"MK")], PROTEIN)


def test_residues_and_letters_are_independent_by_chance():
    assert background(BOTH).sum() == pytest.approx(1)
    assert background(BOTH).reshape(len(PROTEIN), len(LETTERS)).sum(axis=0) == pytest.approx(background(LETTERS))
