"""Parts of a packed database that stay on a device, and their forms."""

from swgui.engines.cuda.streaming.kept import KeptResidues

LAID_OUT, PACKED, RESIDUES = 100, 62, 90


def kept_of(pieces, room):
    """Keep pieces of a database one after the other; return how many laid out, packed, and not at all."""
    kept, forms = KeptResidues(), []
    for number in range(pieces):
        key = f"database {number}"
        laid_out = kept.has_room(key, RESIDUES, pieces * RESIDUES, (LAID_OUT, PACKED), room)
        kept.keep(key, "residues", LAID_OUT if laid_out else PACKED, RESIDUES)
        forms.append((laid_out, kept.holds(key)))
    return [forms.count(form) for form in ((True, True), (False, True), (False, False))]


def test_all_is_laid_out_where_there_is_room():
    assert kept_of(20, 2_400) == [20, 0, 0]


def test_as_many_pieces_are_laid_out_as_leave_room_for_the_others():
    laid_out, packed, nowhere = kept_of(200, 16_000)
    assert (laid_out + packed, nowhere) == (200, 0)
    assert 16_000 - 4 * LAID_OUT < laid_out * LAID_OUT + packed * PACKED <= 16_000


def test_what_does_not_fit_packed_is_kept_in_part():
    assert kept_of(20, 700) == [0, 11, 9]


def test_another_database_takes_the_place():
    kept = KeptResidues()
    for name in ("one", "other"):
        assert kept.has_room(f"{name} 0", RESIDUES, RESIDUES, (LAID_OUT, PACKED), 400)
        kept.keep(f"{name} 0", name, LAID_OUT, RESIDUES)
    assert kept.get("one 0") is None
    assert kept.get("other 0") == "other"
