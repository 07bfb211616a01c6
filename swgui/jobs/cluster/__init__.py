"""One computer of a cluster at work, and a cluster seen from outside."""
