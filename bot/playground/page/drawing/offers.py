"""What a select menu offers, whichever of the five sources it comes from. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.playground.page.drawing.sheet import Json, Names
from bot.playground.page.drawing.text import plain_words
from bot.playground.slack import forms

_PREFIXES = {"public": "# ", "private": "🔒 "}


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of a menu; `meant` is what `view.state.values` holds when it is chosen."""

    words: str
    meant: Any
    note: str = ""
    group: str = ""


def offers(element: Json, names: Names) -> list[Offer]:
    """Return what a menu offers at once; nothing for an external one."""
    kind = element["type"].removeprefix("multi_")
    if kind == "static_select":
        return [*_static(element)]
    if kind == "users_select":
        return [Offer(name, user_id) for user_id, name in names.people().items()]
    if kind in ("channels_select", "conversations_select"):
        return [*_conversations(element, names)]
    return []


def option_offers(options: Iterable[Json], group: str = "") -> list[Offer]:
    """Return option objects as offers."""
    return [
        Offer(plain_words(option["text"]), option, plain_words(option.get("description")), group)
        for option in options
    ]


def held_offers(element: Json, held: Any, known: Sequence[Offer], names: Names) -> list[Offer]:
    """Return what is chosen already; a thing that is offered no more is still shown."""
    chosen = [] if held is None else held if isinstance(held, list) else [held]
    found = []
    for meant in chosen:
        offer = next((offer for offer in known if offer.meant == meant), None)
        found.append(offer or _unknown(element, meant, names))
    return found


def matching(offered: Sequence[Offer], query: str) -> list[Offer]:
    """Return the offers whose words hold what was typed, in their order."""
    wanted = query.strip().casefold()
    return [offer for offer in offered if wanted in offer.words.casefold()]


def _static(element: Json) -> Iterator[Offer]:
    yield from option_offers(element.get("options") or [])
    for group in element.get("option_groups") or []:
        yield from option_offers(group["options"], plain_words(group["label"]))


def _conversations(element: Json, names: Names) -> Iterator[Offer]:
    for place in names.conversations():
        marks = {"is_shared": place.is_shared, "is_with_bot": place.is_with_bot}
        if forms.offers(element, place.kind, **marks):
            yield Offer(f"{_PREFIXES.get(place.kind, '')}{place.name}", place.id)


def _unknown(element: Json, meant: Any, names: Names) -> Offer:
    if isinstance(meant, dict):
        return option_offers([meant])[0]
    name = names.user(meant) if "users" in element["type"] else names.channel(meant)
    return Offer(name or str(meant), meant)
