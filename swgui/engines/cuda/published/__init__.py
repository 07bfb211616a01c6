"""The published ways of searching a database, as real kernels behind the same doors as the engine's own.

``variants`` says what is compiled, ``choice`` what is chosen where the user says nothing, ``layout`` how subjects
and profiles lie, ``database`` and ``launch`` bring them to a card, ``worker`` runs a search, ``use`` tells what
a launch takes.
"""
