"""``swgui doctor``: an examination of this installation, line by line."""

from __future__ import annotations

import argparse

from swgui.jobs.doctor import examine, exit_status

MARKS = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


def doctor(arguments: argparse.Namespace) -> int:
    """Print the findings, one line each, as they come; return 1 if one of them must be put right."""
    findings = []
    for finding in examine():
        findings.append(finding)
        print(f"{MARKS[finding.level]:<8} {finding.topic}: {finding.message}")
        if finding.hint:
            print(f"{'':<8} {finding.hint}")
    return exit_status(findings)
