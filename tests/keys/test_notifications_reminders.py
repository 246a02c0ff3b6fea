"""When people are notified that a key ends soon, is old or is refused."""

from dataclasses import replace
from datetime import date, timedelta

from bot.keys.key_record import KeyNotice, KeyRecord, NoticeKind, due_notice, next_notice_at
from tests.builders import MOMENT, a_key_record
from tests.loops import loop_over

DAY = timedelta(days=1)
ENDS = (MOMENT + 60 * DAY).date()


def expiry(days: int) -> KeyNotice:
    return KeyNotice(NoticeKind.EXPIRY, days)


@loop_over(
    ("days_left", "text"),
    [
        (15, None),
        (14, 14),
        (13, 14),
        (8, 14),
        (7, 7),
        (3, 3),
        (2, 3),
        (1, 1),
        (0, 0),
        (-1, 0),
        (-30, 0),
    ],
)
def test_only_the_nearest_missed_step_is_sent(days_left: int, text: int | None) -> None:
    now = MOMENT + (60 - days_left) * DAY

    notice = due_notice(a_key_record(expires_on=ENDS), now)

    assert notice == (None if text is None else expiry(text))


@loop_over(
    ("lifetime_days", "is_proposed"),
    [(30, False), (90, False), (104, False), (105, True), (365, True)],
)
def test_a_countdown_proposes_a_rotation(lifetime_days: int, is_proposed: bool) -> None:
    record = a_key_record(expires_on=(MOMENT + lifetime_days * DAY).date())
    text = replace(record, reminded_days=0)

    assert (next_notice_at(text) is not None) == is_proposed


@loop_over("record", [a_key_record(), a_key_record(expires_on=date.max)])
def test_every_notice_is_due_when_it_was_foreseen(record: KeyRecord) -> None:
    at = next_notice_at(record)

    assert at is not None
    assert due_notice(record, at) is not None
    assert due_notice(record, at - timedelta(seconds=1)) is None
