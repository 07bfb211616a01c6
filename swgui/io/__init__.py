"""File formats, and whatever is kept on disk.

============================  =================================================================================
`sequences`                   reads sequence files and pasted text, and reports what was changed
`matrices`, `statistics`      substitution matrices; published Karlin-Altschul parameters
`database`                    makes, opens and checks ``.swdb`` files; opens anything as a database; public sets
`export`, `pair_export`       hits, and one long pair, as tables, text, FASTA, JSON and more
`tables`                      hits of BLAST and other programs, to compare with
`saved`                       whole searches and pairs, finished and unfinished
`tuning`                      settings that sweeps found
`whole_file`, `outputs`       files are written whole or not at all, and never over one that is read
============================  =================================================================================

Whoever reads a file knows the alphabets of installed packages, too: they come through the entry points
``swgui.alphabets``, each of which names an `Alphabet`.
"""

from swgui.core.alphabet import ALPHABETS, Alphabet


def _add_installed(known: dict[str, Alphabet]) -> None:
    from swgui.io.plugins import add_installed

    add_installed(known, "swgui.alphabets", Alphabet, lambda alphabet: alphabet.name)


ALPHABETS.more = _add_installed  # not now: whatever brings one may import what is being imported
