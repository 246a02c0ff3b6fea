"""What a person can choose in menus: people, places, and options. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.playground.blockkit import check_blocks
from bot.playground.slack import reading
from bot.playground.slack.elements import Found
from bot.playground.slack.failures import FormError
from bot.playground.slack.model import Channel, Member

Json = dict[str, Any]

_EXTERNAL = {"external_select", "multi_external_select"}


@dataclass(frozen=True)
class Choices:
    """The people and places that somebody sees, and the options that the bot has offered."""

    people: Sequence[Member]
    places: Sequence[Channel]
    options: Sequence[Json] = ()

    def named(self, found: Found, words: str) -> Any:
        """Return what a menu holds after these words were chosen. Raises: FormError."""
        kind = found.element["type"]
        if "users" in kind:
            return self._person(found, words.removeprefix("@")).id
        if "channels" in kind or "conversations" in kind:
            return self._place(found, words.removeprefix("#")).id
        return self._option(found, words)

    def _person(self, found: Found, name: str) -> Member:
        for member in self.people:
            if member.name == name:
                return member
        raise FormError(f"{found.names[0]}: there is nobody called {name}")

    def _place(self, found: Found, name: str) -> Channel:
        offered = [place for place in self.places if is_offered(found.element, place)]
        for place in offered:
            if name == ("dm" if place.is_im else place.name):
                return place
        names = [place.name for place in offered]
        raise FormError(f"{found.names[0]}: there is no channel {name} among {names}")

    def _option(self, found: Found, words: str) -> Json:
        asks = asks_the_bot(found)
        options = list(self.options) if asks else all_options(found.element)
        for option in options:
            if reading.label(option) == words:
                return option
        shown = [reading.label(option) for option in options]
        raise FormError(f"{found.names[0]}: no {words!r} among {shown}")


def is_offered(element: Json, place: Channel) -> bool:
    """Tell whether a menu of channels or conversations offers a place that somebody sees."""
    return offers(element, place.kind, is_shared=place.is_shared, is_with_bot=place.is_im)


def offers(element: Json, kind: str, *, is_shared: bool, is_with_bot: bool) -> bool:
    """Tell whether a menu offers places of that kind: public, private, im or mpim.

    https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object
    """
    if "channels" in element["type"]:
        return kind == "public"
    rule = element.get("filter") or {}
    if is_shared and rule.get("exclude_external_shared_channels"):
        return False
    if is_with_bot and rule.get("exclude_bot_users"):
        return False
    return kind in (rule.get("include") or ("public", "private", "im", "mpim"))


def asks_the_bot(found: Found) -> bool:
    """Tell whether the field's options come from the bot while somebody types."""
    return found.element["type"] in _EXTERNAL


def all_options(holder: Json) -> list[Json]:
    """Return the options of a select, or of an answer to a suggestion, groups opened."""
    groups = holder.get("option_groups") or []
    return [*(holder.get("options") or []), *(o for group in groups for o in group["options"])]


def check_suggestions(answer: Any) -> list[Json]:
    """Return the options that the bot offered. Raises: FormError, where Slack shows none.

    https://docs.slack.dev/reference/block-kit/composition-objects/option-object
    """
    if not isinstance(answer, dict) or not ("options" in answer or "option_groups" in answer):
        raise FormError(f"no options in the answer: {answer!r}")
    # No options at all is how "no results" is told; any others must fit a static menu.
    offered = {name: answer[name] for name in ("options", "option_groups") if answer.get(name)}
    menu = {"type": "static_select", "action_id": "offered", **offered}
    problems = check_blocks([{"type": "actions", "elements": [menu]}]) if offered else []
    if problems:
        raise FormError(f"{problems[0].message} at {problems[0].pointer}")
    return all_options(answer)
