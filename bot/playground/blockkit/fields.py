"""The vocabulary of the tables, first half: strings, numbers, flags, choices and lists.

Every spec has one method, `check`, which records problems and never raises, whatever JSON it is
given. `least` and `most` are inclusive. A `null` is never the same as an absent field.
"""

import math
import re
from dataclasses import dataclass
from typing import Protocol

from bot.playground.blockkit.problems import Place


class Spec(Protocol):
    """What a value at one place must look like."""

    def check(self, value: object, place: Place) -> None:
        """Record in `place` everything about `value` that Slack would refuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class String:
    """A string of `least` to `most` characters that matches the whole `pattern`."""

    most: int | None = None
    least: int = 1
    pattern: re.Pattern[str] | None = None
    wanted: str = "must match the expected format"

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        if not isinstance(value, str):
            place.refuse("wrong_type", "must provide a string")
        elif len(value) < self.least:
            place.refuse("too_short", f"must be more than {self.least - 1} characters")
        elif self.most is not None and len(value) > self.most:
            place.refuse("too_long", f"must be less than {self.most + 1} characters")
        elif self.pattern is not None and not self.pattern.fullmatch(value):
            place.refuse("bad_format", self.wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer:
    """A whole number from `least` to `most`; `true` and `1.0` are none."""

    least: int | None = None
    most: int | None = None

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        if isinstance(value, bool) or not isinstance(value, int):
            place.refuse("wrong_type", "must provide an integer")
        elif self.least is not None and value < self.least:
            place.refuse("too_small", f"must be greater than {self.least}")
        elif self.most is not None and value > self.most:
            place.refuse("too_large", f"must be less than {self.most}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A finite number; with `above`, greater than that."""

    above: float | None = None

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        # A whole number is never asked whether it is finite: with 400 digits that would raise.
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or (isinstance(value, float) and not math.isfinite(value))
        ):
            place.refuse("wrong_type", "must provide a number")
        elif self.above is not None and value <= self.above:
            place.refuse("too_small", f"must be greater than {self.above:g}")


@dataclass(frozen=True, slots=True)
class Flag:
    """`true` or `false`, and no string that looks like it."""

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        if not isinstance(value, bool):
            place.refuse("wrong_type", "must provide a boolean")


class Choice:
    """One of a few words or numbers, of the same type."""

    def __init__(self, *options: str | int) -> None:
        self.options = options

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        # `True == 1` in Python, not in JSON.
        if not any(type(value) is type(option) and value == option for option in self.options):
            place.refuse("bad_value", "must be a valid enum value")


@dataclass(frozen=True, slots=True)
class Nullable:
    """What `spec` wants, or `null`."""

    spec: Spec

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        if value is not None:
            self.spec.check(value, place)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list of `least` to `most` items, each as `item` wants it.

    What lies past `most` is counted but not looked at, so a huge list costs little.
    """

    item: Spec
    least: int = 1
    most: int | None = None

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        if not isinstance(value, list):
            place.refuse("wrong_type", "must provide an array")
            return
        if len(value) < self.least:
            place.refuse("too_few", f"must provide at least {self.least} items")
        if self.most is not None and len(value) > self.most:
            place.refuse("too_many", f"no more than {self.most} items allowed")
        for index, item in enumerate(value[: self.most]):
            self.item.check(item, place / index)
