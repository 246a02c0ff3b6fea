"""What menus of people and places offer to each person, in tests as on the page."""

from typing import Any

import pytest

from bot.playground.slack import FormError, LocalSlack, View
from tests.playground.slack.conftest import Open
from tests.playground.slack.samples import field, form

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


def menu(kind: str, **element: Any) -> Json:
    """Return a form with one menu, called Menu."""
    return form(field("Menu", {"type": kind, **element}))


async def takes(slack: LocalSlack, name: str, view: View, answer: Any) -> bool:
    try:
        await slack.person(name).submit(view, {"Menu": answer})
    except FormError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "channel", "offered"),
    [
        pytest.param("ada", "secret", True, id="private, inside"),
        pytest.param("cy", "secret", False, id="private, outside"),
        pytest.param("cy", "random", True, id="public"),
        pytest.param("gus", "random", False, id="public, a guest outside"),
        pytest.param("gus", "general", True, id="public, a guest inside"),
        pytest.param("ada", "old", False, id="archived"),
        pytest.param("ada", "dm", True, id="direct message"),
        pytest.param("ada", "#shared", True, id="with its sign"),
    ],
)
async def test_a_menu_of_conversations_takes_what_the_person_sees(
    slack: LocalSlack, opened: Open, name: str, channel: str, offered: bool
) -> None:
    view = await opened(menu("conversations_select"), name)

    assert await takes(slack, name, view, channel) is offered
