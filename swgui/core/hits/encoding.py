"""Queries as they are scored: whole or in part, in a strand or in a reading."""

from __future__ import annotations

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange, positions_within
from swgui.core.records import SequenceRecord, encode_record
from swgui.core.scoring import EncodedQuery, ScoringScheme, check_same_alphabet
from swgui.core.translation.frames import frame_rows, query_frame
from swgui.core.translation.programs import Translation
from swgui.core.translation.stretches import translate_open


def encode_query(
    record: SequenceRecord,
    scheme: ScoringScheme,
    strand: int = 1,
    part: QueryRange | None = None,
    translation: Translation | None = None,
) -> EncodedQuery:
    """Encode a whole query; for strand -1 its reverse complement, and in a reading its frame.

    Parameters
    ----------
    part : QueryRange, optional
        What is searched with. Outside of it every pair scores below 0: a local alignment begins and ends with a
        pair that scores above 0, so it lies inside, with the score and the path of the part alone, and yet at the
        positions of the whole query.
    translation : Translation, optional
        Translation of a translated search.
    """
    whole = _encode_whole(record, scheme, strand, translation)
    if part is None:
        return whole
    scores = whole.scores(scheme)
    profile = np.full_like(scores, min(int(scores.min(initial=-1)), int(scheme.matrix.scores.min())))
    inside = positions_within(part, len(record.residues), strand)
    profile[inside] = scores[inside]
    return replace(whole, profile=profile)


def encode_part(
    record: SequenceRecord,
    scheme: ScoringScheme,
    strand: int = 1,
    part: QueryRange | None = None,
    translation: Translation | None = None,
) -> EncodedQuery:
    """Encode the searched part of a query, for engines, which score it and know no positions."""
    whole = _encode_whole(record, scheme, strand, translation)
    return whole if part is None else whole.part(positions_within(part, len(record.residues), strand))


def _encode_whole(
    record: SequenceRecord, scheme: ScoringScheme, strand: int, translation: Translation | None
) -> EncodedQuery:
    """Encode a record; of a profile strand -1 is its reverse complement, and it represents all frames."""
    if translation is not None and (frame := query_frame(strand)):
        bases = NUCLEOTIDE.encode(record.residues)
        residues = translate_open(bases, frame, translation.query_code, translation.min_orf)
        scores = None if record.profile is None else record.profile.scores[frame_rows(len(bases), frame)]
        return EncodedQuery(record.id, residues, scores, strand)
    codes = encode_record(record, scheme.alphabet)
    if record.profile is not None:
        check_same_alphabet(scheme.alphabet, record.profile.alphabet, f"profile '{record.profile.name}'")
        profile = record.profile if strand > 0 else record.profile.reverse_complement()
        codes = codes if strand > 0 else scheme.alphabet.reverse_complement(codes)
        same = profile.gaps.are(scheme.gap_first, scheme.gap_extend)
        return EncodedQuery(record.id, codes, profile.scores, strand, None if same else profile.gaps)
    if strand < 0:
        codes = scheme.alphabet.reverse_complement(codes)
    return EncodedQuery(record.id, codes, strand=strand)
