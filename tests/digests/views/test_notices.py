from itertools import product
from typing import Any

import pytest

from bot.blocks.message import Message
from bot.digests.errors import owner_notice
from bot.digests.models import Digest, Outcome
from bot.digests.views.wording import MANAGE_DIGEST, RESUME_DIGEST, SEND_DIGEST, failure_text
from bot.keys.failures import FailureReason
from tests.blocks.acceptance import assert_slack_takes, buttons, shown_text
from tests.builders import HOSTILE_TEXTS
from tests.digests.builders import CHANNEL_ID, DIGEST_ID, a_digest, a_notice
from tests.loops import loop_over

CHANNEL = f"<#{CHANNEL_ID}>"
ADDRESS = DIGEST_ID
DUE_TEXT = "Fri 20 Nov 2026, 09:00 (Europe/Berlin)"
RUNS = [Outcome.MISSED, Outcome.FAILED, Outcome.UNCERTAIN]


def a_message(
    outcome: Outcome | None,
    trouble: FailureReason | None = FailureReason.DOWN,
    digest: Digest | None = None,
    **fields: Any,
) -> Message:
    """Return a notice, checked as Slack would; only the channel may act in it."""
    message = owner_notice(
        digest or a_digest(), a_notice(outcome=outcome, trouble=trouble, **fields)
    )
    blocks = tuple(_without_channel(block) for block in message.blocks)
    assert_slack_takes(Message(message.text.replace(CHANNEL, ""), blocks))
    return message


def _without_channel(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] != "section":
        return block
    return block | {"text": block["text"] | {"text": block["text"]["text"].replace(CHANNEL, "")}}


def action_ids(message: Message) -> list[str]:
    (row,) = (block for block in message.blocks if block["type"] == "actions")
    return [element["action_id"] for element in row["elements"]]


@loop_over(
    ("outcome", "trouble"),
    list(product([None, *Outcome], [None, *FailureReason])),
    ids=lambda each: each.value if each else "none",
)
def test_notices_name_channel_slot_and_reason(
    outcome: Outcome | None, trouble: FailureReason | None
) -> None:
    message = a_message(outcome, trouble)

    for text in (message.text, shown_text(message)):
        assert CHANNEL in text
        assert DUE_TEXT in text
        assert "{" not in text.replace("{date_short_pretty} at {time}", "")
    if trouble and outcome not in {Outcome.UNCERTAIN, Outcome.POSTED}:
        assert failure_text(trouble) in message.text


@loop_over("outcome", RUNS, ids=lambda outcome: outcome.value)
def test_a_run_that_did_not_reach_the_channel_can_be_sent_now(outcome: Outcome) -> None:
    message = a_message(outcome)

    assert buttons(message) == {"Send now": ADDRESS, "Manage": ADDRESS}
    assert action_ids(message) == [SEND_DIGEST, MANAGE_DIGEST]
    assert "press Send now" in message.text


def test_a_late_send_now_names_both_times() -> None:
    message = a_message(Outcome.POSTED, None, to="U0BOB")

    assert message.text.startswith(f"Your digest is now posted in {CHANNEL}.")
    assert f"You requested it {DUE_TEXT}. Slack did not accept it at first." in message.text
    assert buttons(message) == {"Manage": ADDRESS}


@loop_over("trouble", FailureReason)
def test_a_digest_that_the_bot_paused_can_be_resumed(trouble: FailureReason) -> None:
    message = a_message(None, trouble)

    assert f"The digest in {CHANNEL} is paused" in message.text
    assert "Then press Resume." in message.text
    assert buttons(message) == {"Resume": ADDRESS, "Manage": ADDRESS}
    assert action_ids(message) == [RESUME_DIGEST, MANAGE_DIGEST]


@loop_over(
    ("trouble", "words"),
    [
        pytest.param(
            FailureReason.NOT_IN_CHANNEL, "Type `/invite @Domain Tracker` in it", id="not there"
        ),
        pytest.param(
            FailureReason.NOT_FOUND, "type `/invite @Domain Tracker` in it", id="not found"
        ),
        pytest.param(FailureReason.ARCHIVED, "Unarchive it and type", id="archived"),
        pytest.param(FailureReason.RESTRICTED, "the managers of the channel", id="restricted"),
        pytest.param(FailureReason.SCOPE, "the scope `read_domains`", id="scope"),
        pytest.param(FailureReason.KEY, "set one with `/domainkey`", id="key"),
        pytest.param(FailureReason.UNINSTALLED, "install the app again", id="uninstalled"),
    ],
)  # fmt: skip
def test_a_notice_says_how_to_mend_it(trouble: FailureReason, words: str) -> None:
    assert words in shown_text(a_message(None, trouble))


@loop_over(
    ("trouble", "words"),
    [
        pytest.param(FailureReason.SLACK, "Slack did not confirm the post, so", id="no answer"),
        pytest.param(FailureReason.DOWN, "The app stopped while posting it, so", id="stopped"),
    ],
)
def test_an_uncertain_run_is_not_called_missing(trouble: FailureReason, words: str) -> None:
    message = a_message(Outcome.UNCERTAIN, trouble)

    assert "may be missing" in message.text
    assert words in message.text
    assert "not posted" not in message.text


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
@loop_over("outcome", [None, *RUNS], ids=str)
def test_what_strangers_wrote_does_nothing(outcome: Outcome | None, text: str) -> None:
    digest = a_digest(channel_id=text, filter_text=text, made_by_name=text)

    message = a_message(outcome, FailureReason.ARCHIVED, digest, channel_id=text)

    assert "the channel" in message.text
