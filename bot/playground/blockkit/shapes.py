"""The vocabulary of the tables, second half: objects, and choosing among them by `type`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.playground.blockkit.fields import Spec
from bot.playground.blockkit.problems import Place, Surface

EVERYWHERE: frozenset[Surface] = frozenset({"message", "modal", "home"})
MESSAGES: frozenset[Surface] = frozenset({"message"})
MODALS: frozenset[Surface] = frozenset({"modal"})
NOT_IN_MODALS: frozenset[Surface] = frozenset({"message", "home"})

# What must hold between the fields of one object. A rule is asked only when each field by itself
# is right, so it may rely on the types that the table promises.
Rule = Callable[[Mapping[str, Any], Place], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object: its fields, where it may stand, and what must hold between the fields.

    `kind` is the value of its `type`, empty for objects that have no `type`. `docs` is the page
    that the table was written from. A field that is in neither table is refused.
    """

    docs: str
    kind: str = ""
    required: Mapping[str, Spec] = field(default_factory=dict)
    optional: Mapping[str, Spec] = field(default_factory=dict)
    surfaces: frozenset[Surface] = EVERYWHERE
    rules: tuple[Rule, ...] = ()

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
    """One of several shapes, told apart by `type`."""

    def __init__(self, *shapes: Shape) -> None:
        self.shapes = {shape.kind: shape for shape in shapes}

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
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


def not_both(one: str, other: str) -> Rule:
    """These two fields exclude each other."""

    def rule(value: Mapping[str, Any], place: Place) -> None:
        if one in value and other in value:
            place.refuse("conflict", f"cannot provide both `{one}` and `{other}`")

    return rule


def exactly_one_of(one: str, other: str) -> tuple[Rule, Rule]:
    """One of these two fields, never both."""
    return some_of(one, other), not_both(one, other)


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
