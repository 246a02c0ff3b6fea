"""What the validator finds, and where it stands while it looks."""

from dataclasses import dataclass, field
from typing import Literal

Surface = Literal["message", "modal", "home"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing Slack would refuse.

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
