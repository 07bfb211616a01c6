"""File formats: sequences, databases, matrices, exports."""
