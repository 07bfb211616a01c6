"""What F1 says on each page: what the page is for, what to do there, and where the documentation goes on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageHelp:
    """Help of one page.

    Parameters
    ----------
    title : str
    text : str
        HTML of our own.
    document : str
        Name of the page of the documentation, without its ending.
    menus : tuple of str
        Menus whose commands belong to the page.
    """

    title: str
    text: str
    document: str
    menus: tuple[str, ...]


PAGE_HELP = {
    "search": PageHelp(
        "The Search page",
        """<ol>
<li><b>Query.</b> Paste sequences into the box, open a file, or drop one anywhere on the window. What was read stands
beside the box; tick what is to be searched. Every letter that was changed is in the input report.</li>
<li><b>Database.</b> Choose a database file or any sequence file. A sequence file is converted once; the next time it
opens at once.</li>
<li><b>Search.</b> The line above the button says what will happen. Every sequence of the database is scored with the
Smith-Waterman algorithm; nothing is skipped. Stop keeps what was scored and marks it as partial; Pause lets the run
rest between two chunks. While a search runs, Add to queue lets the next one wait for its end.</li>
</ol>
<p>A gap of k residues costs <i>open + k × extend</i> under the BLAST rule, <i>open + (k − 1) × extend</i> where the
first residue costs the opening alone. The page shows what gaps of 1, 2, 3 and 10 residues cost.</p>
<p>GCUPS are giga cell updates per second: query residues × database residues ÷ seconds ÷ 10<sup>9</sup>.</p>""",
        "first-search",
        ("&File", "&Search"),
    ),
    "results": PageHelp(
        "The Results page",
        """<p>Queries stand on the left, the hits of the current one beside them, and the alignment of the current hit
below. The bars above the table show where on the query the hits lie; drag over them to see only hits that cover a
stretch.</p>
<ul>
<li>Up and Down (or K and J) go from hit to hit, Return goes to the alignment, Escape back. Typing jumps to a name;
behind a slash also to one that begins with S, H, N, J or K.</li>
<li>Space ticks hits into the basket, S gives a star, H hides, N writes a note. All of it can be undone, and is kept
with the search.</li>
<li>A click on a head sorts; the panel Filters has limits for every number, the box above the table finds words.</li>
<li>The dashed line is the significance line: drag it.</li>
<li>Export writes what is shown, selected, ticked or starred in any format; Methods writes the paragraph for a
paper.</li>
</ul>""",
        "scores-and-evalues",
        ("&Results", "&View", "&View/&Alignment", "&Edit"),
    ),
    "runs": PageHelp(
        "The Runs page",
        """<p>Searches run one after another; those that wait stand above the history. Each run is kept when it
ends, with its stars and notes. Resume continues one that was interrupted, also by a crash; Verify scores a run
again and compares every score; Compare shows new, lost and moved hits of two runs.</p>""",
        "files",
        ("&Search", "&File"),
    ),
    "pair": PageHelp(
        "The Pair page",
        """<p>Aligns two sequences with each other, as long as chromosomes. Open, paste or drop both, or choose <i>Align
as long pair</i> in the menu of a hit. The line above the button says how many cells it takes, where, with how much
memory and how long; what cannot be done is said there.</p>
<ul>
<li><b>Local</b> finds the best stretches, <b>global</b> goes from end to end, <b>semi-global</b> leaves ends that stand
out free. In local mode further alignments can be listed that align no residues with each other again.</li>
<li>Every method gives the same score. Automatic takes the fastest one; those of published papers are there to
compare.</li>
<li>In the map the query runs from left to right, the subject from top to bottom; the bars at its edges show how much
differs. The wheel zooms from genomes to letters, dragging moves, Shift and drag chooses a part, a click goes to the
letters below. Without a mouse: + and − zoom, 0 shows all, arrows move the cursor, Return goes to the letters, Page Down
and Page Up go along the alignment.</li>
<li>F8 goes to the next difference, Shift+F8 to the one before, Ctrl+G to a position.</li>
<li>Stop keeps what is known. Long work that was stopped goes on where it was when it is started again.</li>
<li>Export writes text, SAM, PAF, MAF, FASTA and lists of differences; a result written as JSON can be opened
again.</li>
</ul>""",
        "pair",
        ("&Pair",),
    ),
    "databases": PageHelp(
        "The Databases page",
        """<p>Lists every database the program knows. Build makes one of sequence files and reports what was odd about
them; Check reads every byte and compares checksums; Update builds anew when the source has changed. Nothing here
deletes a source file.</p>""",
        "files",
        ("&File",),
    ),
    "device": PageHelp(
        "The Device page",
        """<p>Shows what can be searched on, and what stands in the way of the rest. Every device and every setting
gives the same scores; they differ in speed only.</p>
<p><b>Devices</b>: tick those that searches use; clock, temperature and other programs on a card are read while you
look. The self-check compares the scores of every engine with those of an independent program.</p>
<p><b>Settings</b>: method, threads, blocks and so on. All are automatic until set; what automatic chose stands
beside each field.</p>
<p><b>Speed</b>: one button finds the fastest settings in half a minute; below it any two settings can be swept. The
map shows the speed of each pair: ★ best, ◇ automatic, hatched what cannot run, ✖ wrong scores, never offered. Arrow
keys move over it. <i>Use these settings</i> holds for queries of that length class on that card and driver, here and
for <code>swgui search</code>.</p>
<p><b>Occupancy</b>: how much of a multiprocessor a kernel keeps busy and which resource ends first; try other numbers
there, also without a GPU.</p>""",
        "gpu",
        ("&Tools",),
    ),
}
