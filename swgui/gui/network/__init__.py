"""The Network page: sequences all against all, drawn, with a threshold that is moved."""
