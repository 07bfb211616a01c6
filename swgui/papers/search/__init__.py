"""The published ways of searching a database, as real kernels behind the same doors as the engine's own.

Each method is a module of ``methods``, which keeps what ``method`` says; ``config`` chooses what the user leaves open
(pure), ``variants`` is what is compiled, ``layout`` how subjects and profiles lie, ``database`` and ``launch`` bring
them to a GPU, ``batch`` and ``search`` run a search, ``kernel_use`` tells what launches take of the device.
"""
