"""What the rounds of a search did, and searching again with what they found."""
