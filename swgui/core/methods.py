"""What a computing method is and what can be set about it: facts for windows, command lines and sweeps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One knob of a method. Left alone it is ``"auto"``.

    Parameters
    ----------
    name : str
        Key in `swgui.engines.base.EngineOptions.settings`.
    title, unit, help : str
        What the user reads.
    values : tuple of int
        What a sweep goes through, ascending; empty if it is no number or has no usual values.
    minimum, maximum : int
        What may be typed; 0 and 0 for a choice of names.
    names : tuple of str
        The choices, if it is not a number.
    """

    name: str
    title: str
    unit: str
    help: str
    values: tuple[int, ...] = ()
    minimum: int = 0
    maximum: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """One way of computing the same scores.

    Parameters
    ----------
    name : str
        What ``--method`` takes.
    title : str
    paper : str
        Key of the paper it comes from; empty if it is the program's own.
    summary : str
        One sentence.
    settings : tuple of Setting
    """

    name: str
    title: str
    paper: str
    summary: str
    settings: tuple[Setting, ...] = ()
