"""The best local alignment of one pair or of many, on the CPU, always rescored.

Three steps. The last and the first cell of an optimal alignment are found by scoring alone (`rectangle`: the compiled
library, else SIMD packages where they are installed). Inside that rectangle the alignment is global: the compiled
library finds it, and where there is none, or where it would take too much memory, the checkpointed step of `path`,
which needs memory for some rows instead of the whole matrix and leaves the interpreter to other threads. What was
found is added up again from the residues; an alignment that does not reach the score it was made for is an error,
never a result. `many.align_many` does all of it for many subjects at a time, over all cores.

Which of several optimal alignments is returned is fixed, whatever is installed and however large the
pair is:

1. the one that ends first in the subject, then first in the query;
2. of these, the one that starts last in the subject, then last in the query;
3. of these, reading from the end to the start, the one with an aligned pair where there is a choice,
   else with a query residue against a gap.
"""
