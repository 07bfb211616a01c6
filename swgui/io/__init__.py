"""File formats, and whatever is kept on disk.

============================  =================================================================================
`sequences`                   reads sequence files and pasted text, and reports what was changed
`alphabets`                   alphabets as files, the user's among them
`matrices`, `statistics`      substitution matrices; published Karlin-Altschul parameters
`database`                    makes, opens and checks ``.swdb`` files; opens anything as a database; public sets
`export`                      hits, and one long pair, as tables, text, FASTA, JSON and more
`tables`                      hits of BLAST and other programs, to compare with
`saved`                       whole searches and pairs, finished and unfinished
`tuning`                      settings that sweeps found
`whole_file`, `outputs`       files are written whole or not at all, and never over one that is read
============================  =================================================================================

Readers of files know the alphabets of files (`swgui.io.alphabets`) and of installed packages, too: these come
through the entry points ``swgui.alphabets``.
"""

from swgui.core.alphabet import ALPHABETS, Alphabet


def _add_others(alphabets: dict[str, Alphabet]) -> None:
    from swgui.io.alphabets import alphabet_records, installed_alphabets

    for name, record in alphabet_records().items():
        alphabets.setdefault(name, record.alphabet)
    for name, installed in installed_alphabets().items():
        if isinstance(installed, Alphabet):
            alphabets.setdefault(name, installed)


ALPHABETS.more = _add_others  # not now: whatever brings one may import what is being imported
