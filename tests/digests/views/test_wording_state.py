"""How a digest is doing, in words."""

from datetime import timedelta

from bot.blocks.text import moment_token
from bot.digests.models import Digest, Outcome, Pause, Run, RunState
from bot.digests.views.wording import last_run_line, state_lines
from bot.keys.failures import FailureReason
from tests.builders import ADMIN_ID
from tests.digests.builders import BEFORE, DUE, ZONE, a_digest, a_past_run, a_run
from tests.loops import loop_over

NEXT = "Mon 23 Nov 2026, 09:00"


def state(digest: Digest, reader_zone: str | None = ZONE) -> str:
    return "\n".join(state_lines(digest, DUE, reader_zone))


def a_run_for(minutes: int, state: RunState, trouble: FailureReason | None = None) -> Run:
    until = DUE + timedelta(minutes=minutes)
    return a_run(state=state, until=until, trouble=trouble)


@loop_over(("reader_zone", "is_told"), [(None, False), (ZONE, False), ("Asia/Tokyo", True)])
def test_a_reader_elsewhere_sees_local_times(reader_zone: str | None, is_told: bool) -> None:
    assert (", for you <!date^" in state(a_digest(), reader_zone)) is is_told


def test_a_pause_that_ends_says_when_the_first_run_after_it_is() -> None:
    pause = Pause(since=DUE, by=ADMIN_ID, until=DUE + timedelta(days=10))

    text = state(a_digest(pause=pause))

    assert text.splitlines()[1] == "Next run Mon 30 Nov 2026, 09:00"


@loop_over("trouble", FailureReason)
def test_a_run_that_waits_says_why_and_when_it_is_tried_again(trouble: FailureReason) -> None:
    text = state(a_digest(run=a_run_for(5, RunState.WAITING, trouble)))

    assert text.startswith("🕓 *Waiting*: ")
    assert "next try <!date^" in text
    assert f"\nNext run {NEXT}" in text
    assert "⏳" not in text  # that sign says "please wait" in a form


@loop_over(("minutes", "words"), [(1, "Being sent now"), (0, "Due now"), (-9, "Due now")])
@loop_over("how_far", RunState)
def test_a_run_under_way_is_shown(how_far: RunState, minutes: int, words: str) -> None:
    assert f"*{words}*" in state(a_digest(run=a_run_for(minutes, how_far)))


@loop_over(
    ("outcome", "trouble", "words"),
    [
        (Outcome.POSTED, None, "posted"),
        (Outcome.QUIET, None, "nothing to post"),
        (Outcome.MISSED, FailureReason.DOWN, "⚠️ was missed: the app was not running"),
        (Outcome.UNCERTAIN, None, "⚠️ may be missing: Slack did not confirm the post"),
    ],
)
def test_outcomes_are_shown(outcome: Outcome, trouble: FailureReason | None, words: str) -> None:
    digest = a_digest(past=(a_past_run(outcome, trouble),))

    assert last_run_line(digest) == f"Last run {moment_token(BEFORE)}: {words}"
