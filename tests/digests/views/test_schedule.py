import re
from datetime import UTC, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.builders import paragraphs
from bot.blocks.message import Message
from bot.digests.schedule import Schedule, Slot
from bot.digests.views.schedule import days_text, next_runs, schedule_text, slot_text
from bot.process.zones import zone_names
from tests.blocks.acceptance import assert_slack_takes
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over

EVERY_DAY = frozenset(range(7))
MONDAY, FRIDAY = frozenset({0}), frozenset({4})


def a_schedule(
    zone: str = "Europe/Berlin", at: str = "09:00", days: frozenset[int] = EVERY_DAY
) -> Schedule:
    return Schedule(days, time.fromisoformat(at), zone)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def notes(schedule: Schedule, after: str, reader_zone: str | None = None) -> list[str]:
    return next_runs(schedule, utc(after), reader_zone)[5:]


@loop_over(
    ("days", "text"),
    [
        ({0, 1, 2, 3, 4, 5, 6}, "every day"),
        ({0, 1, 2, 3, 4}, "Mon–Fri"),
        ({5, 6}, "Sat, Sun"),
        ({0, 1, 2, 3, 5}, "Mon–Thu, Sat"),
        ({0, 4, 5, 6}, "Mon, Fri–Sun"),
    ],
)
def test_days_are_written_as_people_do(days: set[int], text: str) -> None:
    assert days_text(days) == text


def test_a_schedule_names_its_zone() -> None:
    schedule = a_schedule("America/New_York", "07:05", frozenset(range(5)))

    assert schedule_text(schedule) == "Mon–Fri at 07:05 (America/New_York)"
    assert schedule_text(a_schedule("UTC", "00:00")) == "every day at 00:00 (UTC)"


@loop_over("zone", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_a_zone_from_nowhere_cannot_do_anything(zone: str) -> None:
    text = schedule_text(a_schedule(zone))

    assert_slack_takes(Message(text, (*paragraphs([text]),)))


def test_a_slot_is_shown_in_a_zone() -> None:
    slot = Slot(utc("2026-11-23T08:00"), datetime.fromisoformat("2026-11-23T09:00"))

    assert slot_text(slot, "Europe/Berlin") == "Mon 23 Nov 2026, 09:00"
    assert slot_text(slot, "Pacific/Kiritimati") == "Mon 23 Nov 2026, 22:00"
    assert slot_text(slot, "Pacific/Honolulu") == "Sun 22 Nov 2026, 22:00"


@loop_over(
    ("zone", "at", "reader", "line"),
    [
        (
            "Asia/Tokyo",
            "08:00",
            "America/New_York",
            "Wed 3 Jan 2024, 08:00 (Asia/Tokyo)  ·  Tue 2 Jan, 18:00 for you",
        ),
        ("UTC", "20:00", "Europe/Berlin", "Tue 2 Jan 2024, 20:00 (UTC)  ·  21:00 for you"),
        ("CET", "20:00", None, "Tue 2 Jan 2024, 20:00 (CET)"),
        ("Europe/Berlin", "20:00", "Europe/Paris", "Tue 2 Jan 2024, 20:00 (Europe/Berlin)"),
        ("Europe/Berlin", "20:00", "Mars/<!channel>", "Tue 2 Jan 2024, 20:00 (Europe/Berlin)"),
    ],
)
def test_a_run_shows_both_zones(zone: str, at: str, reader: str | None, line: str) -> None:
    assert next_runs(a_schedule(zone, at), utc("2024-01-02T12"), reader)[0] == line


def test_nothing_is_noted_where_no_clock_changes() -> None:
    assert notes(a_schedule(), "2024-01-02T12", "America/New_York") == []
    assert notes(a_schedule("Asia/Kathmandu"), "2024-10-26T12", "Asia/Tokyo") == []


def test_a_reader_elsewhere_learns_what_a_change_means() -> None:
    schedule = a_schedule(days=MONDAY)

    assert next_runs(schedule, utc("2024-10-20T12"), "America/New_York") == [
        "Mon 21 Oct 2024, 09:00 (Europe/Berlin)  ·  03:00 for you",
        "Mon 28 Oct 2024, 09:00 (Europe/Berlin)  ·  04:00 for you",
        "Mon 4 Nov 2024, 09:00 (Europe/Berlin)  ·  03:00 for you",
        "Mon 11 Nov 2024, 09:00 (Europe/Berlin)  ·  03:00 for you",
        "Mon 18 Nov 2024, 09:00 (Europe/Berlin)  ·  03:00 for you",
        "The clocks in Europe/Berlin go back an hour on Sun 27 Oct 2024 at 03:00:"
        " runs stay at 09:00.",
    ]


@loop_over(
    ("zone", "after", "change"),
    [
        ("Africa/Casablanca", "2024-03-08T12", "back an hour on Sun 10 Mar 2024 at 03:00"),
        ("Antarctica/Troll", "2024-03-30T12", "forward 120 minutes on Sun 31 Mar 2024 at 01:00"),
        ("Asia/Kathmandu", "1985-12-30T12", "forward 15 minutes on Wed 1 Jan 1986 at 00:00"),
    ],
)
def test_a_clock_change_has_amount_and_moment(zone: str, after: str, change: str) -> None:
    [note] = notes(a_schedule(zone), after)

    assert f" go {change}: runs stay at 09:00" in note


@given(
    st.sampled_from(sorted(zone_names())),
    st.none() | st.sampled_from(sorted(zone_names())),
    st.times(),
    st.integers(0, 5000),
)
def test_the_runs_of_any_schedule_fit(zone: str, reader: str | None, at: time, days: int) -> None:
    schedule = Schedule(EVERY_DAY, at.replace(second=0, microsecond=0), zone)

    lines = next_runs(schedule, utc("2026-01-01") + timedelta(days=days), reader)

    runs = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} 20\d\d, \d\d:\d\d [^·]+(  ·  .+)?"
    assert all(re.fullmatch(runs, line) for line in lines[:5])
    assert all(line.endswith(".") for line in lines[5:])
    assert_slack_takes(Message("The next runs", (*paragraphs(lines),)))
