"""A digest in one line: what is read, what is not understood, and the line that a list shows."""

from dataclasses import replace
from datetime import time

from hypothesis import given
from hypothesis import strategies as st

from bot.digests.draft import plan_of
from bot.digests.line import line_of, read_line, verb_in
from bot.digests.models import Mode, Plan
from bot.digests.schedule import LOOKS, ORDINALS, WEEKDAYS, Schedule
from bot.process.zones import zone_names
from tests.digests.builders import ZONE, a_plan
from tests.loops import loop_over

CHANNEL = "C0OPS"
DAILY, WORKDAYS = frozenset(range(7)), frozenset(range(5))


def plan_in(text: str) -> Plan:
    line = read_line(text, zone=ZONE)
    assert not line.problems, line.problems
    return plan_of(replace(line.draft, channel_id=CHANNEL))


def at(days: frozenset[int], hour: int = 9, minute: int = 0, **how: object) -> Schedule:
    return replace(Schedule(days, time(hour, minute), ZONE), **how)  # type: ignore[arg-type]  # its fields


@loop_over(
    ("text", "plan"),
    [
        ("daily", a_plan(schedule=at(DAILY))),
        ("daily 9:00 tag:prod", a_plan(schedule=at(DAILY), filter_text="tag:prod")),
        (
            "weekdays 8:30 below:70 worse",
            a_plan(schedule=at(WORKDAYS, 8, 30), filter_text="below:70", mode=Mode.WORSE),
        ),
        ("mon wed Friday 23:59", a_plan(schedule=at(frozenset({0, 2, 4}), 23, 59))),
        ("every 2 weeks mon", a_plan(schedule=at(frozenset({0}), weeks=2))),
        ("every 2 weeks", a_plan(schedule=at(WORKDAYS, weeks=2))),
        ("monthly 1 9:00", a_plan(schedule=at(frozenset(), month_day="1"))),
        (
            "monthly last fri changed",
            a_plan(schedule=at(frozenset(), month_day="last fri"), mode=Mode.CHANGES),
        ),
        (
            "every 15 minutes tag:prod",
            a_plan(schedule=at(DAILY, every=15), mode=Mode.WORSE, filter_text="tag:prod"),
        ),
        (
            "every 60 minutes tag:prod weekdays",
            a_plan(schedule=at(WORKDAYS, every=60), mode=Mode.WORSE, filter_text="tag:prod"),
        ),
        (
            "daily tag:a shop america/new_york 7:00",
            a_plan(
                schedule=replace(at(DAILY, 7), zone="America/New_York"), filter_text="tag:a shop"
            ),
        ),
        (
            'daily name:"Prod now" "worse"',
            a_plan(schedule=at(DAILY), name="Prod now", filter_text='"worse"'),
        ),
    ],
)
def test_a_line_is_a_plan(text: str, plan: Plan) -> None:
    assert plan_in(text) == plan


def test_a_line_may_be_for_oneself_and_its_own_line_says_so() -> None:
    line = read_line('daily me "me"', zone=ZONE)
    own = plan_of(replace(line.draft, channel_id="D0BOB"))

    assert line.is_own
    assert line_of(own) == f'/domaindigest daily 9:00 {ZONE} "me" me'
    assert not read_line("daily", zone=ZONE).is_own


@loop_over(
    ("text", "parts"),
    [
        ("9:00 daily", ["9:00"]),
        ("daily 9am", ["9am"]),
        ("daily 25:00", ["25:00"]),
        ("daily :30", [":30"]),
        ("daily 9:00 10:00", ["10:00"]),
        ("daily Mars/Base", ["Mars/Base"]),
        ("daily tga:prod sort:name", ["tga:prod", "sort:name"]),
        ("monthly 9:00", ["monthly"]),
        ("every 20 minutes", ["every", "20"]),
        ("every 15 minutes 9:00 worse", ["9:00", "worse"]),
        ("daily below:10 above:90", ["below:10 above:90"]),
        ("daily name:", ["name:"]),
        ("fortnightly", ["fortnightly"]),
        ("", [""]),
    ],
)
def test_what_is_not_understood_is_named_and_the_rest_is_kept(text: str, parts: list[str]) -> None:
    line = read_line(text, zone=ZONE)

    assert [problem.part for problem in line.problems] == parts
    assert line.draft.schedule


@loop_over(
    ("text", "meant"),
    [
        ("pause Prod", ("pause", "Prod")),
        ('SEND "Prod now"', ("send", "Prod now")),
        ("delete “a b”", ("delete", "a b")),
        ("resume", ("resume", "")),
        ("daily 9:00", None),
        ("paused", None),
    ],
)
def test_a_verb_takes_the_rest_as_a_name(text: str, meant: tuple[str, str] | None) -> None:
    assert verb_in(text) == meant


AT = st.builds(time, st.integers(0, 23), st.integers(0, 59))
ZONES = st.sampled_from(sorted(zone_names()))
DAYS = st.frozensets(st.integers(0, 6), min_size=1)
MONTH_DAYS = st.integers(1, 31).map(str) | st.builds(
    lambda ordinal, day: f"{ordinal} {day}", st.sampled_from(ORDINALS), st.sampled_from(WEEKDAYS)
)
SCHEDULES = st.one_of(
    st.builds(Schedule, DAYS, AT, ZONES),
    st.builds(Schedule, DAYS, AT, ZONES, weeks=st.just(2)),
    st.builds(Schedule, st.just(frozenset()), AT, ZONES, month_day=MONTH_DAYS),
    st.builds(Schedule, DAYS, st.just(time(9)), ZONES, every=st.sampled_from(LOOKS)),
)
FILTERS = st.lists(
    st.sampled_from(
        ["shop", "worse", "me", "mon", "UTC", "tag:prod", 'folder:"Web shops"', "below:80", "last"]
    ),
    unique=True,
).map(" ".join)


@given(SCHEDULES, FILTERS, st.sampled_from(Mode), st.sampled_from(["", "Prod", "a b: c"]))
def test_the_line_of_a_list_makes_the_same_digest(
    schedule: Schedule, filter_text: str, mode: Mode, name: str
) -> None:
    mode = Mode.WORSE if schedule.every else mode
    plan = Plan(channel_id=CHANNEL, schedule=schedule, mode=mode, name=name)
    plan = replace(plan, filter_text=filter_text)

    read = plan_in(line_of(plan).removeprefix("/domaindigest "))

    assert line_of(read) == line_of(plan)
    assert replace(read, filter_text="") == replace(plan, filter_text="")
