"""The published ways of searching a database, as real kernels behind the same doors as the engine's own.

``methods`` describes how each lies on a GPU and is compiled; ``config`` chooses what the user leaves open (pure),
``layout`` is the arrangement of subjects and profiles, ``database`` and ``launch`` bring them to a GPU, ``search`` runs
a search.
"""
