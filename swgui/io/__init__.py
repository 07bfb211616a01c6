"""File formats: sequences, databases, matrices, exports.

============================  =================================================================================
`sequences`                   reads sequence files and pasted text (with `sources`: unpacking, encodings;
                              `sniffing`: which format; `parsers`: one per format; `letters`: cleaning;
                              `report`: what was changed)
`matrices`, `statistics`      substitution matrices; published Karlin-Altschul parameters
`database_file`               saves, opens, checks and builds ``.swdb`` files (with `database_format`: the
                              layout; `spool`: gathering records on disk while building)
`library`                     opens anything as a database; the cache of converted files; the user's list
`download`                    public sequence sets, resumed and verified
`export`                      hits as tables, text, FASTA, JSON and more
`hit_tables`                  hits of BLAST and other programs, to compare with
`saved_search`                saves whole searches and opens them elsewhere (with `pack`: the zip file;
                              `search_facts`: scoring and queries as JSON; `stored_subjects`: a database of
                              which only the hits are at hand)
`journal`                     what a run has scored so far, kept through crashes
`whole_file`, `outputs`       files are written whole or not at all, and never over one that is read
============================  =================================================================================
"""
