"""The Find by rule page: a rule in words, every place that meets it, and the certificate."""
