"""What menus offer."""

from typing import Any

import pytest

from bot.playground.page.drawing.menus import held_offers, matching, offers
from tests.playground.blockkit.samples import option, plain
from tests.playground.page.drawing.people import Berlin


def words(**element: Any) -> list[str]:
    return [offer.words for offer in offers(element, Berlin())]


@pytest.mark.parametrize(
    ("element", "offered"),
    [
        ({"type": "users_select"}, ["ada", "bob"]),
        ({"type": "channels_select"}, ["# general", "# shared"]),
        ({"type": "multi_channels_select"}, ["# general", "# shared"]),
        ({"type": "conversations_select"}, ["# general", "🔒 secret", "# shared", "App"]),
        ({"type": "conversations_select", "filter": {"include": ["private"]}}, ["🔒 secret"]),
        ({"type": "conversations_select", "filter": {"include": ["im"]}}, ["App"]),
        ({"type": "external_select"}, []),
    ],
)
def test_a_menu_offers_what_its_source_holds(element: dict[str, Any], offered: list[str]) -> None:
    assert words(**element) == offered


def test_the_first_option_of_a_group_has_its_heading() -> None:
    groups = [
        {"label": plain(label), "options": [option(value) for value in values]}
        for label, values in (("Web", "ab"), ("Mail", "c"))
    ]

    offered = offers({"type": "static_select", "option_groups": groups}, Berlin())

    assert [offer.heading for offer in offered] == ["Web", "", "Mail"]
    assert [offer.meant["value"] for offer in offered] == ["a", "b", "c"]


def test_typing_narrows_a_menu_whatever_the_case() -> None:
    offered = offers({"type": "users_select"}, Berlin())

    assert [offer.words for offer in matching(offered, " BO")] == ["bob"]


def test_what_is_chosen_but_no_longer_offered_is_still_shown() -> None:
    element = {"type": "users_select"}

    held = held_offers(element, "U9", offers(element, Berlin()), Berlin())

    assert [offer.words for offer in held] == ["U9"]
