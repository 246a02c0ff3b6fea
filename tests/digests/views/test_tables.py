"""The list of a channel's digests."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.digests.models import MAX_PER_CHANNEL, Mode, Outcome, RunState
from bot.digests.views.tables import list_form
from bot.keys.failures import FailureReason
from bot.slack.channels import Channel
from bot.slack.client import Member
from tests.blocks.acceptance import Json, assert_slack_takes_form, buttons, shown
from tests.builders import ADMIN_ID, HOSTILE_TEXTS
from tests.digests.builders import DIGEST_ID, DUE, a_digest, a_mention, a_past_run, a_run
from tests.loops import loop_over


def a_place(
    name: str, *, has_bot: bool, is_archived: bool = False, is_shared: bool = False
) -> Channel:
    return Channel("C0GEN", name, False, is_archived, has_bot, is_shared)


GENERAL = a_place(name="general", has_bot=True)
BOB = Member("U0BOB", "bob", False, False, zone="Asia/Tokyo")


def drawn(*digests: Any, **listed: Any) -> Json:
    """Return the list as a form that Slack takes."""
    fields: dict[str, Any] = {"channel": GENERAL, "member": BOB, "silences": {}, "note": ""}
    form = list_form(digests, now=DUE, metadata="m" * 3_000, **(fields | listed))
    assert_slack_takes_form(form)
    return form


def listed_text(*digests: Any, **listed: Any) -> str:
    return "\n".join(shown(drawn(*digests, **listed)))


def test_a_digest_is_shown_with_its_plan_its_state_and_its_buttons() -> None:
    digest = a_digest(
        filter_text="tag:prod below:80", mode=Mode.WORSE, mentions=(a_mention(),) * 2
    )

    form = drawn(digest)

    text = "\n".join(shown(form))
    assert "*1 digest in #general*" in text
    assert "*Mon–Fri at 09:00 (Europe/Berlin)*" in text
    assert "Filter: `tag:prod below:80`  ·  Post: When something got worse" in text
    assert "2 mention rules" in text
    assert "▶️ *Active*, next run Mon 23 Nov 2026, 09:00" in text
    assert "No runs yet" in text
    wanted = dict.fromkeys(("Change", "Send now", "Preview", "Pause", "Delete"), DIGEST_ID)
    assert buttons(form) == {"New": ""} | wanted


def a_full_digest(number: int) -> Any:
    return a_digest(
        digest_id=f"d{number}",
        filter_text="&" * 500,
        mode=Mode.CHANGES,
        heartbeat_every=30,
        mentions=(a_mention("tag:" + "x" * 140),) * 10,
        run=a_run(state=RunState.WAITING, until=DUE, trouble=FailureReason.SCOPE),
        past=tuple(
            a_past_run(Outcome.MISSED, FailureReason.NOT_FOUND, DUE - timedelta(days=day))
            for day in range(40, 0, -1)
        ),
    )


def test_twenty_digests_fit_with_everything_that_can_be_said() -> None:
    digests = [a_full_digest(number) for number in range(MAX_PER_CHANNEL)]

    form = drawn(
        *digests,
        channel=a_place(name="general", has_bot=False, is_shared=True),
        note="x" * 3_000,
    )

    assert len(form["blocks"]) <= 100
    assert "20 digests" in "\n".join(shown(form))


@loop_over(
    ("channel", "hint"),
    [
        (None, "This is a direct message, or a private channel without the app"),
        (a_place(name="x", has_bot=False), "The app is not in this channel"),
        (a_place(name="x", has_bot=True, is_archived=True), "This channel is archived"),
        (a_place(name="x", has_bot=True, is_shared=True), "People from another company"),
    ],
    ids=["unseen", "without the bot", "archived", "shared"],
)
def test_what_is_odd_about_the_channel_is_said(channel: Channel | None, hint: str) -> None:
    assert hint in listed_text(channel=channel)
    assert hint not in listed_text()


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_others_wrote_does_nothing(text: str) -> None:
    digest = a_digest(filter_text=text, made_by_name=text, mentions=(a_mention(text),))

    drawn(digest, channel=a_place(name=text, has_bot=True))


def test_where_the_bot_cannot_look_people_act_on_their_own_digests_only() -> None:
    theirs, own = a_digest(digest_id="d1", made_by="U0ADA"), a_digest(digest_id="d2")

    form = drawn(theirs, own, channel=None, member=replace(BOB, user_id=ADMIN_ID))

    assert set(buttons(form).values()) == {"", "d2"}
    assert "2 digests here" in "\n".join(shown(form))
