"""The published ways of searching a database, as real kernels behind the same doors as the engine's own.

``methods`` says how each lies on a GPU and what is compiled; ``config`` chooses what the user leaves open (pure),
``layout`` is how subjects and profiles lie, ``database`` and ``launch`` bring them to a GPU, ``search`` runs a search.
"""
