"""The best local alignment of one pair or of many, on the CPU, always rescored.

Three steps. Scoring alone finds the last and the first cell of an optimal alignment (`rectangle`: the compiled library,
else SIMD packages where they are installed). Inside that rectangle the alignment is global: the compiled library finds
it; without the library, or if it would take too much memory, the checkpointed step of `path` does, which needs memory
for some rows instead of the whole matrix and leaves the interpreter to other threads. The result is added up again from
the residues; an alignment that does not reach its expected score is an error, never a result. `many.align_many` does
all of it for many subjects at a time, over all cores.

Which of several optimal alignments is returned is fixed, whatever is installed and however large the
pair is:

1. the one that ends first in the subject, then first in the query;
2. of these, the one that starts last in the subject, then last in the query;
3. of these, reading from the end to the start, the one with an aligned pair where there is a choice,
   else with a query residue against a gap.
"""
