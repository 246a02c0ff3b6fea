"""Where something was pressed, so that a second press there is known."""

from typing import Any

from bot.listeners.request import place_of
from tests.loops import loop_over

MESSAGE = {"type": "message", "channel_id": "C1", "message_ts": "1.2"}


@loop_over(
    ("body", "place"),
    [
        ({"container": MESSAGE}, "C1/1.2"),
        ({"container": {"type": "view", "view_id": "V1"}, "view": {"id": "V1"}}, "V1"),
    ],
)
def test_messages_and_views_have_places_of_their_own(body: dict[str, Any], place: str) -> None:
    assert place_of(body) == place
