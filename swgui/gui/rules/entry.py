"""The Find by rule page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Command, Page, PageHelp, PageWidget, Services, answer_by, needs

HELP = PageHelp(
    "The Find by rule page",
    """<p>Lists <b>every</b> place of a database that meets a rule, and nothing else. There are no scores and no
E-values: a place meets the rule or it does not.</p>
<ol>
<li>Choose the task. The sentence below the fields states the rule, and the meaning of X, N and other ambiguous
residues.</li>
<li>Paste queries, open a file, or drop one on the page, and choose the database.</li>
<li>Press <b>Find</b> (Ctrl+Return). Stop keeps the places found so far and marks the list as incomplete; Resume
continues from there.</li>
</ol>
<p>“None” is a result: no place meets the rule. The certificate lists the tests, in numbers that can be
recomputed, and the outcome of the planted positive and negative controls; <i>swgui verify</i> checks it against
the database. It says nothing on function, allergenicity or the validity of a claim.</p>
<p>Export writes TSV, BED, GFF3, or CSV with the columns of PEPMatch; the certificate is written as PDF, HTML or JSON.
Runs lists the search with all its places.</p>""",
    "howto/find-by-rule",
    ("&Rule",),
)
COMMANDS = (
    Command("rule-find", "&Find", "Find every place that meets the rule", "&Rule", "start",
            icon="play", needs=needs("rule-ready")),
    Command("rule-queue", "Add to &queue", "Find these places after the runs that are waiting", "&Rule", "queue",
            icon="waiting", needs=needs("rule-described")),
    Command("rule-stop", "S&top", "Stop the search by rule and keep the places so far", "&Rule", "stop",
            icon="stop", needs=needs("rule-running")),
    Command("rule-query", "&Open queries…", "Read the queries of the rule from a file", "&Rule", "ask_queries",
            group=1, icon="open"),
    Command("rule-database", "Choose &database…", "Choose the database of the rule", "&Rule", "ask_database",
            group=1, icon="database"),
    Command("rule-command", "Copy &command line", "Copy the terminal command that finds the same places", "&Rule",
            "copy_command", group=1, icon="terminal", needs=needs("rule-described")),
    Command("rule-export", "&Export places…", "Write the places: TSV, BED, GFF3, CSV", "&Rule", "view.export",
            group=2, icon="export", needs=needs("rule-places")),
    Command("rule-own", "Add a ta&ble…", "Add the columns of a table of your own to the places", "&Rule",
            "view.ask_table", group=2, needs=needs("rule-places")),
    Command("rule-certificate", "Ce&rtificate…", "Show and save the rule, the tests and the result", "&Rule",
            "view.certificate", group=2, icon="report", needs=needs("rule-result")),
)  # fmt: skip
WHY_NOT = {
    "rule-described": "Not now: the foot of the Find by rule page names the missing input.",
    "rule-places": "Not now: no places were found yet.",
    "rule-ready": "Not now: the foot of the Find by rule page names the missing input.",
    "rule-result": "Not now: no rule was searched yet.",
    "rule-running": "Not now: no search by rule is running.",
}
ANSWERS = {
    "run": answer_by(COMMANDS, "rule-find", text=True),
    "queue": answer_by(COMMANDS, "rule-queue"),
    "stop": answer_by(COMMANDS, "rule-stop"),
    "copy-command": answer_by(COMMANDS, "rule-command"),
    "open-query": answer_by(COMMANDS, "rule-query"),
    "paste-query": Answer("paste_queries", tip="Replace the queries of the rule by the text of the clipboard"),
    "open-database": answer_by(COMMANDS, "rule-database"),
    "export": answer_by(COMMANDS, "rule-export"),
    "copy-python": Answer(
        "copy_python",
        needs("rule-described"),
        tip="Copy lines of Python that find the same places, for scripts and notebooks",
    ),
    "methods": Answer("methods", needs("rule-result")),
    "show-locus": Answer("view.show_on_sequence", needs("rule-places")),
}


def make(services: Services) -> PageWidget:
    from swgui.gui.inputs.features import FeatureChoice
    from swgui.gui.inputs.marks import marks_of
    from swgui.gui.rules.page import RulePage

    choice = services.shared(FeatureChoice, lambda: FeatureChoice(services.tasks))
    return RulePage(services.settings, services.choose_engine, services.history, choice, marks=marks_of(services))


PAGE = Page(
    "rules",
    "By rule",
    "Find by rul&e page",
    "Find every place that meets a rule, with a certificate",
    "rules",
    make,
    HELP,
    COMMANDS,
    WHY_NOT,
    answers=ANSWERS,
)
