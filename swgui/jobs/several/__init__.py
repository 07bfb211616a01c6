"""A search in parts, and what changed since: jobs that give a search scores it need not make."""
