"""Select menus of all kinds, with type-ahead, for one choice or several.

https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.drawing.context import Json, RenderContext, place_of
from bot.playground.page.drawing.fields import Label, choose, mark
from bot.playground.page.drawing.mrkdwn import plain_words
from bot.playground.page.session import SlackNames
from bot.playground.page.theme import MARKUP
from bot.playground.slack import forms

_PREFIXES = {"public": "# ", "private": "🔒 "}


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of a menu; `meant` is what `view.state.values` holds when it is chosen."""

    words: str
    meant: Any
    note: str = ""


def offers(element: Json, names: SlackNames) -> list[Offer]:
    """Return what a menu offers at once; nothing for an external one."""
    kind = element["type"].removeprefix("multi_")
    if kind == "static_select":
        return option_offers(element["options"])
    if kind == "users_select":
        return [Offer(name, user_id) for user_id, name in names.people().items()]
    if kind == "conversations_select":
        return [
            Offer(f"{_PREFIXES.get(place.kind, '')}{name}", place.id)
            for name, place in names.conversations().items()
            if forms.is_offered(element, place)
        ]
    return []


def option_offers(options: Iterable[Json]) -> list[Offer]:
    """Return option objects as offers."""
    return [
        Offer(plain_words(option["text"]), option, plain_words(option.get("description")))
        for option in options
    ]


def held_offers(
    element: Json, held: Any, known: Sequence[Offer], names: SlackNames
) -> list[Offer]:
    """Return what is chosen already; a thing that is offered no more is still shown."""
    chosen = [] if held is None else held if isinstance(held, list) else [held]
    offered = {repr(offer.meant): offer for offer in known}
    return [offered.get(repr(meant)) or _unknown(element, meant, names) for meant in chosen]


def matching(offered: Sequence[Offer], query: str) -> list[Offer]:
    """Return the offers whose words hold what was typed, in their order."""
    wanted = query.strip().casefold()
    return [offer for offer in offered if wanted in offer.words.casefold()]


def _unknown(element: Json, meant: Any, names: SlackNames) -> Offer:
    if isinstance(meant, dict):
        return option_offers([meant])[0]
    name = names.user(meant) if "users" in element["type"] else names.channel(meant)
    return Offer(name or str(meant), meant)


_MIN_QUERY_CHARS = 3  # as Slack says on the page above


def draw_menu(context: RenderContext, block: Json, element: Json, label: Label) -> None:
    _Menu(context, block, element, label)


class _Menu:
    """Quasar's select, its options filtered here: each knows more than a label and a value."""

    def __init__(self, context: RenderContext, block: Json, element: Json, label: Label) -> None:
        self._context, self._block, self._element = context, block, element
        self._is_many = element["type"].startswith("multi_")
        self._asks = "external" in element["type"]
        self._known: dict[str, Offer] = {}
        self._all = offers(element, context.names)
        held = context.held(block, element)
        self._chosen = held_offers(element, held, self._all, context.names)
        self._query = ""
        self._select = ui.element("q-select").classes("bk-field bk-select")
        self._dress(label)
        self._listen()

    def _dress(self, label: Label) -> None:
        select = self._select
        select.props("outlined dense use-input options-dense input-debounce=0 behavior=menu")
        select.props["popup-content-class"] = "bk-menu"
        select.props["dropdown-icon"] = "expand_more"
        select.props.set_bool("multiple", self._is_many)
        select.props.set_bool("use-chips", self._is_many)
        select.props.set_bool("hide-selected", not self._is_many)
        select.props.set_bool("fill-input", not self._is_many)
        select.props.set_bool("clearable", label.is_optional and not self._is_many)
        select.props.set_optional("max-values", self._element.get("max_selected_items"))
        label.name_field(select)
        mark(select, self._block, self._element)
        select.add_slot("option", MARKUP["menu_option"])
        with select.add_slot("no-option"):
            ui.label("No results").classes("bk-menu-note")
        self._offer(self._all)
        self._show_chosen()

    def _listen(self) -> None:
        self._select.on("update:model-value", self._picked, [None])
        self._select.on("input-value", self._typed, [None], throttle=0.15, leading_events=False)
        self._select.on("popup-show", self._opened, [])

    def _offer(self, offered: list[Offer]) -> None:
        self._select.props["options"] = [self._line(offer) for offer in offered]

    def _line(self, offer: Offer) -> Json:
        """Return the line of the menu; equal things have equal lines, which Quasar compares."""
        key = str(offer.meant["value"] if isinstance(offer.meant, dict) else offer.meant)
        self._known[key] = offer
        return {"label": offer.words, "value": key, "note": offer.note}

    def _show_chosen(self) -> None:
        lines = [self._line(offer) for offer in self._chosen]
        self._select.props["model-value"] = self._as_held(lines)
        words = plain_words(self._element.get("placeholder"))
        default = "Select options" if self._is_many else "Select an option"
        self._select.props.set_optional("placeholder", None if lines else words or default)

    async def _picked(self, event: GenericEventArguments) -> None:
        self._query = ""
        lines = event.args or []
        lines = lines if isinstance(lines, list) else [lines]
        self._chosen = [self._known[line["value"]] for line in lines]
        state = self._as_held([offer.meant for offer in self._chosen])
        await choose(self._context, self._block, self._element, state)
        if not self._select.is_deleted:
            self._show_chosen()

    def _as_held(self, chosen: list[Any]) -> Any:
        """One menu holds a list, the other one thing or None."""
        return chosen if self._is_many else next(iter(chosen), None)

    async def _opened(self, _event: GenericEventArguments) -> None:
        if not self._query:  # else it opens for what was typed
            await self._look_for("")

    async def _typed(self, event: GenericEventArguments) -> None:
        query = str(event.args or "")
        # Quasar writes the chosen words into the field by itself, and empties it when it closes.
        if not self._is_many and [offer.words for offer in self._chosen] == [query]:
            self._query = ""
            return
        await self._look_for(query)
        if query and not self._select.is_deleted:
            self._select.run_method("showPopup")

    async def _look_for(self, query: str) -> None:
        self._query = query
        if not self._asks:
            self._offer(matching(self._all, query))
        elif len(query) >= self._element.get("min_query_length", _MIN_QUERY_CHARS):
            options = await self._context.actions.suggest(
                *place_of(self._block, self._element), query
            )
            if self._query != query or self._select.is_deleted:
                return  # an answer to what was typed before
            self._offer(option_offers(options))
