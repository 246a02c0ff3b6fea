from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.blocks.text import moment_token
from bot.digests.models import Mode, Outcome, Pause
from bot.digests.views.notes import footer_mrkdwn
from bot.digests.views.post import digest_message, heartbeat_message
from bot.keys.failures import FailureReason
from tests.blocks.acceptance import shown_text
from tests.digests.builders import BEFORE, DUE, a_past_run, a_post, a_report
from tests.digests.views.parts import everywhere, taken, title
from tests.loops import loop_over

FELL = a_report({"a.example": 40}, {"a.example": 60})


def test_a_digest_says_when_it_comes_about_what_and_compared_with_when() -> None:
    message = digest_message(a_post(report=FELL, filter_text='tag:prod "R&amp;D"'))

    text = shown_text(message)
    assert 'Filter: `tag:prod "R&amp;D"`' in text
    assert "Mon–Fri at 09:00 (Europe/Berlin)  ·  compared with" in text
    assert f"compared with <!date^{int(BEFORE.timestamp())}^" in text
    assert "compared with 19 Nov 2026, 08:00 UTC." in message.text
    assert f"Next: {moment_token(datetime(2026, 11, 23, 8, tzinfo=UTC))}" in text
    assert everywhere(message, "Set up by Ada")


@loop_over(
    ("seconds", "words"),
    [
        pytest.param(59.9, None, id="in time"),
        pytest.param(60, "Late: due 09:00, sent 09:01 (Europe/Berlin).", id="a minute"),
        pytest.param(9_720, "Late: due 09:00, sent 11:42 (Europe/Berlin).", id="hours"),
        pytest.param(
            57_600,
            "Late: due Fri 20 Nov 2026, 09:00, sent Sat 21 Nov 2026, 01:00 (Europe/Berlin).",
            id="the next day there, the same day in UTC",
        ),
    ],
)
def test_a_late_digest_says_so_in_its_own_time_zone(seconds: float, words: str | None) -> None:
    message = taken(digest_message(a_post(sent_at=DUE + timedelta(seconds=seconds))))

    assert everywhere(message, words) if words else "late" not in message.text.lower()


def test_a_list_that_has_shrunk_is_said_to_stay_so_though_it_was_asked_for_twice() -> None:
    before = {f"{name}.example": 60.0 for name in "abc"}
    shrunk = a_post(report=a_report({"a.example": 60}, before), has_shrunk=True)
    emptied = a_post(report=a_report({}, before), has_shrunk=True)

    message = taken(digest_message(emptied))

    few = taken(digest_message(shrunk))
    assert everywhere(few, "The list is less than half as long as at the last digest.")
    assert title(message) == "Health digest: no domains"
    assert everywhere(message, "Your portfolio has no domains. Add one")
    assert "gave the same list twice" in heartbeat_message(emptied).text


@loop_over(
    ("outcome", "trouble", "words"),
    [
        pytest.param(
            Outcome.MISSED, FailureReason.DOWN, "was missed: the app was not running.", id="missed"
        ),
        pytest.param(
            Outcome.FAILED, FailureReason.KEY, "was not posted: the workspace has no", id="failed"
        ),
        pytest.param(Outcome.FAILED, None, "was not posted.", id="failed, nobody knows why"),
        pytest.param(
            Outcome.UNCERTAIN, None, "may be missing: Slack did not confirm", id="uncertain"
        ),
        pytest.param(
            Outcome.UNCERTAIN, FailureReason.DOWN, "may be missing: the app stopped", id="stopped"
        ),
    ],
)
def test_missed_runs_are_named(
    outcome: Outcome, trouble: FailureReason | None, words: str
) -> None:
    message = taken(digest_message(a_post(unposted=(a_past_run(outcome, trouble),))))

    assert everywhere(message, f"The digest due Thu 19 Nov 2026, 09:00 (Europe/Berlin) {words}")


def test_of_many_digests_that_did_not_come_the_newest_are_named() -> None:
    runs = tuple(a_past_run(due_at=DUE - timedelta(days=10 - number)) for number in range(10))

    message = taken(digest_message(a_post(unposted=runs)))

    assert everywhere(message, "7 earlier digests may be missing too.")
    assert everywhere(message, "The digest due Thu 19 Nov 2026, 09:00 (Europe/Berlin) was missed")
    assert message.text.index("7 earlier") > message.text.index("The digest due Thu 19")
    assert "16 Nov" not in message.text


def test_the_first_digest_says_who_set_it_up_and_how_to_change_it() -> None:
    post = a_post(is_first=True, mode=Mode.CHANGES, heartbeat_every=5)

    message = taken(digest_message(post))

    assert everywhere(message, "This is the first digest, set up by Ada")
    assert everywhere(message, "Post: When something changed; heartbeat after 5 quiet runs.")
    assert everywhere(message, "To change, pause, or delete it, press Manage.")
    assert "first digest" not in digest_message(replace(post, is_first=False)).text


@loop_over(
    ("pause", "words"),
    [
        pytest.param(Pause(since=BEFORE), "Paused,", id="for good"),
        pytest.param(
            Pause(since=BEFORE, until=DUE), "Paused until 20 Nov 2026, 08:00 UTC,", id="for a time"
        ),
    ],
)
def test_a_paused_digest_names_no_next_run(pause: Pause, words: str) -> None:
    message = digest_message(a_post(pause=pause, slot=None, asked_by_name="Bob"))

    assert words in message.text
    assert "Next:" not in shown_text(message)


def test_the_foot_says_what_comes_next_and_from_when_on_a_change_is_shown() -> None:
    first, later = a_post(), a_post(report=a_report({"a.example": 41}, {"a.example": 41}))
    sent_late = a_post(sent_at=later.digest.next.due_at)

    feet = [footer_mrkdwn(post) for post in (first, later, sent_late)]

    coming = f"Next: {moment_token(first.digest.next.due_at)}"
    assert feet == [
        f"{coming}  ·  Set up by *Ada*",
        f"{coming}  ·  Set up by *Ada*  ·  Worse or better: by 5 points, or another rating",
        "Set up by *Ada*",
    ]
