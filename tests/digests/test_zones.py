from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.digests.zones import offset_at, offset_text, suggest_zones, zone_names, zone_of
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over

WINTER = datetime(2027, 1, 15, 12, tzinfo=UTC)
SUMMER = datetime(2027, 7, 15, 12, tzinfo=UTC)
TYPED = (
    st.text(max_size=30)
    | st.sampled_from(list(HOSTILE_TEXTS.values()))
    | st.from_regex(r"(utc|gmt)?\s?[+-]\d{1,4}(:\d\d)?", fullmatch=True)
)


@loop_over(
    ("typed", "first"),
    [
        ("new york", "America/New_York"),
        ("york new", "America/New_York"),
        ("berl", "Europe/Berlin"),
        ("  BERLIN ", "Europe/Berlin"),
        ("berlin, germany", "Europe/Berlin"),
        ("ist", "Europe/Istanbul"),
        ("são paulo", "America/Sao_Paulo"),
        ("Zürich", "Europe/Zurich"),
        ("germany", "Europe/Berlin"),
        ("india", "Asia/Kolkata"),
        ("uk", "Europe/London"),
        ("eastern", "America/New_York"),
        ("kyiv", "Europe/Kyiv"),
        ("kiev", "Europe/Kiev"),
        ("utc", "UTC"),
        ("UTC+", "UTC"),
        ("us/pacific", "US/Pacific"),
        ("etc/gmt+5", "Etc/GMT+5"),
    ],
)
def test_the_likeliest_zone_comes_first(typed: str, first: str) -> None:
    found = suggest_zones(typed, WINTER)

    assert found[0] == first


@loop_over("now", [WINTER, SUMMER], ids=["winter", "summer"])
@loop_over(
    ("typed", "first"),
    [
        ("CET", "Europe/Berlin"),
        ("cest", "Europe/Berlin"),
        ("EST", "America/New_York"),
        ("PST", "America/Los_Angeles"),
        ("PDT", "America/Los_Angeles"),
        ("GMT", "Europe/London"),
    ],
)
def test_an_abbreviation_means_the_same_all_year(typed: str, first: str, now: datetime) -> None:
    assert suggest_zones(typed, now)[0] == first


@loop_over(
    ("typed", "hours"),
    [
        ("+2", 2),
        ("utc+2", 2),
        ("UTC +02:00", 2),
        ("-5", -5),
        ("\N{MINUS SIGN}5", -5),
        ("\N{EN DASH}5:", -5),
        ("+5:30", 5.5),
        ("-9:30", -9.5),
        ("utc+0", 0),
        ("+14", 14),
    ],
)
def test_an_offset_gives_the_zones_that_have_it_now(typed: str, hours: float) -> None:
    offset = timedelta(hours=hours)

    for now in (WINTER, SUMMER):
        found = suggest_zones(typed, now, limit=1000)
        having = {name for name in zone_names() if offset_at(zone_of(name), now) == offset}
        assert set(found) == having
        assert found


@loop_over("typed", ["+15", "utc-13", "+2:15", "+9999", "-99:99", "xyzzy", "berlin xyzzy"])
def test_what_no_zone_has_finds_none(typed: str) -> None:
    assert suggest_zones(typed, WINTER) == []


@given(TYPED, st.sampled_from([WINTER, SUMMER]), st.integers(0, 100))
def test_whatever_is_typed_gives_real_zones_each_once(
    typed: str, now: datetime, limit: int
) -> None:
    found = suggest_zones(typed, now, limit)

    assert len(found) == len(set(found)) <= limit
    assert set(found) <= zone_names()
    assert found == suggest_zones(typed, now)[:limit]


@given(st.sampled_from(sorted(zone_names())))
def test_every_zone_is_found_by_its_own_name(name: str) -> None:
    assert name in suggest_zones(name, WINTER)
    assert name in suggest_zones(name.lower().replace("_", " "), SUMMER)


@loop_over(
    ("zone", "at", "text"),
    [
        ("UTC", WINTER, "UTC"),
        ("Europe/London", WINTER, "UTC"),
        ("Europe/London", SUMMER, "UTC+1"),
        ("America/New_York", WINTER, "UTC-5"),
        ("America/St_Johns", WINTER, "UTC-3:30"),
        ("Asia/Kathmandu", WINTER, "UTC+5:45"),
        ("Etc/GMT+5", WINTER, "UTC-5"),
    ],
)
def test_an_offset_is_told_as_people_write_it(zone: str, at: datetime, text: str) -> None:
    assert offset_text(zone, at) == text
