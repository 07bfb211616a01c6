"""How much of a GPU a kernel keeps busy: a paper's equations beside the rules of the hardware, a tab of the window."""
