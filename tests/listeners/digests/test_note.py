"""What forms carry, and how it comes back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.web.async_client import AsyncWebClient

from bot.digests.draft import FormNote, note_in
from bot.dispatch.incoming import from_form, from_press
from bot.dispatch.request import Request
from bot.slack.replies import Origin
from tests.dispatch.builders import NO_REPLIES, a_request
from tests.loops import loop_over


class Bot:
    """A request's context, as far as it is read."""

    client = AsyncWebClient()

    class authorize_result:  # noqa: N801  # an attribute of Bolt's context
        enterprise_id = None
        team_id = "T1"
        bot_user_id = "U0BOT"


def body(metadata: str) -> dict[str, Any]:
    view = {"id": "V1", "hash": "h1", "private_metadata": metadata}
    return {"user": {"id": "U0BOB"}, "view": view}


def a_conversation() -> Request:
    return a_request(origin=Origin("U0BOB", "C0OPS", "https://hooks.example/1"))


NOTES = st.builds(
    FormNote,
    channel_id=st.none() | st.text(),
    digest_id=st.none() | st.text(),
    version=st.integers(),
    nonce=st.text(),
    zone=st.none() | st.text(),
)


@given(note=NOTES)
def test_a_note_comes_back_as_it_was(note: FormNote) -> None:
    assert note_in(note.as_text()) == note


def test_a_form_without_a_note_has_an_empty_one() -> None:
    assert note_in(None) == FormNote()


@loop_over("read", [from_press, from_form])
def test_a_note_travels_with_the_form_and_so_does_the_way_back(read: Any) -> None:
    conversation = a_conversation()

    answer = read(body(conversation.as_metadata("a note")), Bot, NO_REPLIES)

    assert answer.note == "a note"
    assert (answer.origin, answer.answer.view_id) == (conversation.origin, "V1")
