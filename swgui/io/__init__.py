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
"""
