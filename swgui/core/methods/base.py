"""What a computing method is and what can be set about it: facts for windows, command lines and sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter

AUTO: Final = "auto"  # what every setting is until it is set


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
    step : int
        A number must be a multiple of this.
    listed : bool
        Whether only the numbers of `values` may be typed.
    """

    name: str
    title: str
    unit: str
    help: str
    values: tuple[int, ...] = ()
    minimum: int = 0
    maximum: int = 0
    names: tuple[str, ...] = ()
    step: int = 1
    listed: bool = False

    @property
    def allowed(self) -> str:
        """What may be typed besides ``auto``, in words."""
        if self.names:
            return " or ".join(self.names)
        if self.listed:
            return f"{', '.join(map(str, self.values[:-1]))} or {self.values[-1]}"
        multiples = f" in multiples of {self.step}" if self.step > 1 else ""
        return f"{self.minimum} to {self.maximum}{multiples}"

    def allows(self, value: str) -> bool:
        """Whether a value may be typed; ``auto`` always may."""
        if value == AUTO or self.names:
            return value == AUTO or value in self.names
        if not value.isascii() or not value.isdecimal():
            return False
        number = int(value)
        if self.listed:
            return number in self.values
        return self.minimum <= number <= self.maximum and number % self.step == 0


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

    def setting(self, name: str) -> Setting:
        """Return the setting of a name; `KeyError` if the method has none."""
        for setting in self.settings:
            if setting.name == name:
                return setting
        raise KeyError(name)

    def check(self, settings: Mapping[str, str]) -> None:
        """Refuse a setting that this method does not have, or a value it cannot take.

        Raises
        ------
        InvalidParameter
        """
        known = {setting.name: setting for setting in self.settings}
        for name, value in settings.items():
            if name not in known:
                has = ", ".join(known) or "no settings"
                raise InvalidParameter(
                    name, value, f"The method '{self.name}' has no setting '{name}'.", hint=f"It has {has}."
                )
            setting = known[name]
            if not setting.allows(value):
                raise InvalidParameter(
                    name,
                    value,
                    f"The setting '{name}' ({setting.title.lower()}) of the method '{self.name}' cannot be '{value}'.",
                    hint=f"It takes {setting.allowed}, or auto.",
                )
