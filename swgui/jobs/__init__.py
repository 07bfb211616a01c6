"""Jobs: what the program does for its users, each a request and a generator of events. No Qt, no CuPy."""
