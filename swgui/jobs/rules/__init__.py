"""A search by rule: from the request to places and the certificate."""
