"""Another computer that carries out runs: its address, the connection to it, and what it has."""
