"""The folding server: alignments for programs that predict structures, over the protocol of ColabFold's public server.

`protocol` is pure: what clients send and what an archive holds, byte by byte. `tickets` keeps jobs and results on disk,
`work` makes the alignments of many jobs in one search, `queue` decides who is next, `http` speaks to clients, and
`server` is all of them together.
"""
