"""What is known of that which was done in open forms and tabs, and where its answer goes."""

from types import SimpleNamespace
from typing import Any

from slack_bolt.authorization import AuthorizeResult

from bot.dispatch.incoming import container_of, from_form, from_press, from_shortcut
from tests.loops import loop_over

CONTEXT = SimpleNamespace(
    authorize_result=AuthorizeResult(enterprise_id=None, team_id="T1"), client=SimpleNamespace()
)
REPLIES: Any = None  # nothing is answered here
WHO = {"user": {"id": "U1"}, "channel": {"id": "C1"}, "response_url": "https://x.example"}


def pressed(action_id: str = "run.below", **where: str) -> dict[str, Any]:
    return {
        **WHO,
        "container": {"message_ts": "2.1", **where},
        "actions": [{"action_id": action_id}],
    }


@loop_over(
    "body, thread_ts, is_in_thread",
    [
        (pressed(), None, False),
        (pressed(thread_ts="1.1"), "1.1", True),
        (pressed() | {"message": {"thread_ts": "1.1"}}, "1.1", True),
        (pressed(thread_ts="2.1"), None, False),  # the first message, which is in the channel too
        (pressed("share.scan.1.1"), "1.1", False),
        (pressed("share.scan.1.1", thread_ts="1.1"), "1.1", True),
    ],
)
def test_a_press_belongs_to_its_thread(
    body: dict[str, Any], thread_ts: str | None, is_in_thread: bool
) -> None:
    origin = from_press(body, CONTEXT, REPLIES).origin

    assert (origin.thread_ts, origin.is_in_thread) == (thread_ts, is_in_thread)


def test_presses_of_different_messages_are_different() -> None:
    where = [
        {"container": {"channel_id": "C1", "message_ts": "1.1"}},
        {"container": {"channel_id": "C1", "message_ts": "2.1"}},
        {"container": {"channel_id": "C2", "message_ts": "1.1"}},
        {"container": {"view_id": "V1"}, "view": {"id": "V1"}},
    ]

    assert [container_of(each) for each in where] == ["C1/1.1", "C1/2.1", "C2/1.1", "V1"]


def test_a_press_names_the_workspace_that_its_person_comes_from() -> None:
    from_teams = [
        from_press(pressed() | {"user": {"id": "U1", "team_id": team}}, CONTEXT, REPLIES)
        for team in ("T1", "T2", None)
    ]

    assert [each.is_from_elsewhere for each in from_teams] == [False, True, False]


@loop_over(
    "message, thread_ts, is_in_thread",
    [
        ({"ts": "2.1"}, "2.1", False),
        ({"ts": "2.1", "thread_ts": "2.1"}, "2.1", True),  # it has replies
        ({"ts": "2.1", "thread_ts": "1.1"}, "1.1", True),
    ],
)
def test_a_shortcuts_form_keeps_the_thread(
    message: dict[str, Any], thread_ts: str, is_in_thread: bool
) -> None:
    called = from_shortcut({**WHO, "message": message}, CONTEXT, REPLIES)
    view = {"id": "V1", "private_metadata": called.as_metadata()}

    submitted = from_form({**WHO, "view": view}, CONTEXT, REPLIES)

    assert submitted.origin == called.origin
    assert (called.origin.thread_ts, called.origin.is_in_thread) == (thread_ts, is_in_thread)
    assert submitted.note is None
