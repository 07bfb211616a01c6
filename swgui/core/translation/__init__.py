"""From DNA to proteins: genetic codes, the six frames, and which kinds of sequence are searched with which."""
