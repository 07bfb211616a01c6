"""What several pages ask for: sequences, databases, scoring, engines."""
