"""The vocabulary of the tables: what a value at one place must look like."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Surface = Literal["message", "modal", "home"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing Slack would refuse, or the playground does not draw.

    `message` is worded as Slack's validator words it (its general sentences are public:
    https://github.com/slackhq/hack-json-schema), without the pointer that Slack appends.
    """

    code: str
    message: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Place:
    """A spot in the payload: its JSON pointer, the surface, and where problems are collected."""

    pointer: str
    surface: Surface
    problems: list[Problem] = field(default_factory=list)

    def __truediv__(self, key: str | int) -> "Place":
        return Place(f"{self.pointer}/{key}", self.surface, self.problems)

    def refuse(self, code: str, message: str) -> None:
        """Record that Slack would refuse the value at this spot."""
        self.problems.append(Problem(code, message, self.pointer))


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
        if isinstance(value, bool) or not isinstance(value, int):
            place.refuse("wrong_type", "must provide an integer")
        elif self.least is not None and value < self.least:
            place.refuse("too_small", f"must be greater than {self.least}")
        elif self.most is not None and value > self.most:
            place.refuse("too_large", f"must be less than {self.most}")


class Number:
    """A finite number."""

    def check(self, value: object, place: Place) -> None:
        # A whole number is never asked whether it is finite: with 400 digits that would raise.
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or (isinstance(value, float) and not math.isfinite(value))
        ):
            place.refuse("wrong_type", "must provide a number")


@dataclass(frozen=True, slots=True)
class Flag:
    """`true` or `false`, and no string that looks like it."""

    def check(self, value: object, place: Place) -> None:
        if not isinstance(value, bool):
            place.refuse("wrong_type", "must provide a boolean")


class Choice:
    """One of a few words."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def check(self, value: object, place: Place) -> None:
        if value not in self.options:
            place.refuse("bad_value", "must be a valid enum value")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list of `least` to `most` items; what lies past `most` is counted but not looked at."""

    item: Spec
    least: int = 1
    most: int | None = None

    def check(self, value: object, place: Place) -> None:
        if not isinstance(value, list):
            place.refuse("wrong_type", "must provide an array")
            return
        if len(value) < self.least:
            place.refuse("too_few", f"must provide at least {self.least} items")
        if self.most is not None and len(value) > self.most:
            place.refuse("too_many", f"no more than {self.most} items allowed")
        for index, item in enumerate(value[: self.most]):
            self.item.check(item, place / index)


EVERYWHERE: frozenset[Surface] = frozenset({"message", "modal", "home"})

# What must hold between the fields of one object. A rule is asked only when each field by itself
# is right, so it may rely on the types that the table promises.
Rule = Callable[[Mapping[str, Any], Place], None]


@dataclass(frozen=True, slots=True)
class Shape:
    """An object: its fields, where it may stand, and what must hold between the fields.

    `kind` is the value of its `type`, empty for objects without one. Any other field is refused.
    """

    kind: str
    required: Mapping[str, Spec]
    optional: Mapping[str, Spec]
    surfaces: frozenset[Surface]
    rules: tuple[Rule, ...]

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`. `type` itself is checked by `OneOf`."""
        if not isinstance(value, dict):
            place.refuse("wrong_type", "must provide an object")
            return
        if place.surface not in self.surfaces:
            (place / "type").refuse("not_allowed_here", f"unsupported type: {self.kind}")
            return
        known_before = len(place.problems)
        self._check_fields(value, place)
        if len(place.problems) == known_before:
            for rule in self.rules:
                rule(value, place)

    def _check_fields(self, value: dict[str, object], place: Place) -> None:
        for name in self.required:
            if name not in value:
                place.refuse("missing_field", f"missing required field: {name}")
        for name, part in value.items():
            spec = self.required.get(name) or self.optional.get(name)
            if spec is not None:
                spec.check(part, place / name)
            elif name != "type" or not self.kind:
                place.refuse("unknown_field", f"invalid additional property: {name}")


class OneOf:
    """One of several shapes, distinguished by `type`."""

    def __init__(self, *shapes: Shape) -> None:
        self.shapes = {shape.kind: shape for shape in shapes}

    def check(self, value: object, place: Place) -> None:
        if not isinstance(value, dict):
            place.refuse("wrong_type", "must provide an object")
        elif "type" not in value:
            place.refuse("missing_field", "missing required field: type")
        elif not isinstance(kind := value["type"], str):
            (place / "type").refuse("wrong_type", "must provide a string")
        elif kind not in self.shapes:
            (place / "type").refuse("unknown_type", f"unsupported type: {kind}")
        else:
            self.shapes[kind].check(value, place)


def some_of(*names: str) -> Rule:
    """At least one of these fields must be there."""
    listed = _in_words(names)

    def rule(value: Mapping[str, Any], place: Place) -> None:
        if not any(name in value for name in names):
            # Slack's own: "must define either `text` or `fields` [json-pointer:/blocks/0/type]".
            spot = place / "type" if "type" in value else place
            spot.refuse("missing_field", f"must define either {listed}")

    return rule


def all_different(places: Iterable[tuple[Any, Place]], what: str) -> None:
    """Refuse each value that appeared before; `what` is the field's name for the sentence."""
    seen: set[Any] = set()
    for value, place in places:
        if value in seen:
            place.refuse("duplicate", f'`{what}` "{value}" already exists')
        seen.add(value)


def _in_words(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
