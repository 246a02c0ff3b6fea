from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.process.zones import offset_text, suggest_zones, zone_names
from tests.builders import HOSTILE_TEXTS
from tests.loops import loop_over

WINTER = datetime(2027, 1, 15, 12, tzinfo=UTC)
SUMMER = datetime(2027, 7, 15, 12, tzinfo=UTC)


@loop_over(
    ("typed", "first"),
    [
        ("", "UTC"),
        ("new york", "America/New_York"),
        ("york new", "America/New_York"),
        ("berl", "Europe/Berlin"),
        ("  BERLIN ", "Europe/Berlin"),
        ("são paulo", "America/Sao_Paulo"),
        ("Zürich", "Europe/Zurich"),
        ("kiev", "Europe/Kiev"),
        ("utc", "UTC"),
        ("us/pacific", "US/Pacific"),
        ("etc/gmt+5", "Etc/GMT+5"),
    ],
)
def test_the_likeliest_zone_comes_first(typed: str, first: str) -> None:
    assert suggest_zones(typed)[0] == first


@loop_over("typed", ["xyzzy", "berlin xyzzy"])
def test_what_no_zone_has_finds_none(typed: str) -> None:
    assert suggest_zones(typed) == []


@given(st.text(max_size=30) | st.sampled_from(list(HOSTILE_TEXTS.values())))
def test_whatever_is_typed_gives_real_zones_each_once(typed: str) -> None:
    found = suggest_zones(typed)

    assert len(found) == len(set(found)) <= 100
    assert set(found) <= zone_names()


@given(st.sampled_from(sorted(zone_names())))
def test_every_zone_is_found_by_its_own_name(name: str) -> None:
    assert name in suggest_zones(name)
    assert name in suggest_zones(name.lower().replace("_", " "))


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
def test_an_offset_is_written_as_people_do(zone: str, at: datetime, text: str) -> None:
    assert offset_text(zone, at) == text
