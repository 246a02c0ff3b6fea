from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from bot.blocks.links import use_template
from bot.blocks.message import Message
from bot.domains.end_views import LAST_VALUE
from bot.domains.kept_facts import KeptFacts, KnownFacts
from bot.domains.lookup import host_of
from bot.domains.query import Query, Sort, parse_query, select
from bot.domains.views import domains_message, outdated_message
from bot.tracker.models import Domain
from bot.tracker.scan_facts import EndDate
from tests.blocks.acceptance import assert_slack_takes, buttons, shown_text
from tests.builders import HOSTILE_TEXTS, MOMENT, a_domain, a_snapshot, ending
from tests.loops import loop_over

SIZES = [0, 1, 24, 25, 26]
NAMES: dict[str, Callable[[int], str]] = {
    "short": "d{}.example".format,
    "253 characters": lambda number: f"{number:05}.{'a' * 247}",
    "ampersands": lambda number: f"{number:05}{'&' * 248}",
    "angles": lambda number: f"{number:05}{'<' * 248}",
    "emoji": lambda number: f"{number:05}{'😀' * 248}",
}
SCORES: list[float | None] = [None, 0, 49.99, 50, 79.99, 80, 100]


def many(count: int, name: Callable[[int], str] = NAMES["short"]) -> list[Domain]:
    return [
        a_domain(
            name(number),
            SCORES[number % len(SCORES)],
            tags=(name(number), "eu"),
            folder=name(number),
        )
        for number in range(count)
    ]


def listed(
    domains: list[Domain],
    text: str = "",
    shared_by: str | None = None,
    ends: KnownFacts | None = None,
) -> Message:
    """Return what `/domains` answers."""
    query = parse_query(text)
    found = select(domains, query, ends)
    return domains_message(a_snapshot(*domains), found, query, ends, shared_by=shared_by)


def rows(message: Message) -> list[list[str]]:
    table = next(block for block in message.blocks if block["type"] == "data_table")
    return [[cell["text"] for cell in row] for row in table["rows"][1:]]


# Page 2 of the largest portfolio looks like that of 26 domains, but for its numbers: once with as
# many pages as there can be, once with as few.
LARGEST = [(10_000, NAMES["short"]), (10_000, NAMES["ampersands"])]


@loop_over(("count", "name"), [*product(SIZES, NAMES.values()), *LARGEST])
def test_slack_takes_every_size_of_list(count: int, name: Callable[[int], str]) -> None:
    domains = many(count, name)

    assert_slack_takes(listed(domains, "page:2"))
    assert_slack_takes(listed(domains, "page:100000", shared_by="&" * 100))


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_strangers_wrote_does_nothing(text: str) -> None:
    domain = a_domain(text, 41, tags=(text, text), folder=text, domain_type=text)
    query = Query(words=(text,), tags=(text,), folder=text, domain_type=text)
    snapshot = a_snapshot(domain, domain)

    assert_slack_takes(domains_message(snapshot, [domain] * 26, query, shared_by=text))
    assert_slack_takes(domains_message(snapshot, [domain], query))
    assert_slack_takes(domains_message(snapshot, [], query))
    assert_slack_takes(domains_message(snapshot, [], Query(tags=("other",), folder="other")))


def test_the_worst_come_first_with_number_and_color() -> None:
    domains = [a_domain("a.example", 90), a_domain("b.example", None), a_domain("c.example", 7.25)]

    message = listed(domains)

    assert rows(message) == [
        ["c.example", "🔴 7.2", "–", "–"],
        ["a.example", "🟢 90", "–", "–"],
        ["b.example", "⚪ no score yet", "–", "–"],
    ]
    # Numbers, so that readers can sort by them.
    assert [row[1]["value"] for row in table_of(message)[1:]] == [7.2, 90, -1]


def test_the_text_alone_carries_the_numbers() -> None:
    domains = [
        a_domain("a.example", 90),
        a_domain("b.example", 40.19),
        a_domain("c.example", None),
    ]

    assert listed(domains, "sort:name").text == (
        "3 domains, average health 65. 1 poor, 1 good, 1 no score yet, sorted by name."
        " Domains."
        " a.example, Health 90. b.example, Health 40.1. c.example, Health no score yet."
    )
    assert listed(domains, "a.").text.startswith("1 domain of 3, average health 90")
    incomplete = domains_message(replace(a_snapshot(*domains), skipped=3), domains, Query())
    assert "Not shown: 3 entries without a name." in shown_text(incomplete)


def test_a_filter_is_shown_as_it_was_typed() -> None:
    message = listed([a_domain(tags=("R&D",))], "shop tag:R&amp;D")

    assert "filter `shop tag:R&amp;D`" in shown_text(message)  # escaped once, for Slack
    assert ", filter shop tag:R&amp;D." in message.text


def test_pages_are_turned_by_buttons_that_keep_the_filter() -> None:
    domains = [a_domain(f"d{number}.example", tags=("R&copy",)) for number in range(70)]

    message = listed(domains, "tag:R&amp;copy sort:name page:2")

    pressed = buttons(message)
    assert ", page 2 of 3, rows 26–50." in message.text
    for label, number in {"Previous page": 1, "Next page": 3}.items():
        command, _, text = pressed[label].partition(" ")
        assert command == "/domains"
        assert parse_query(text) == Query(tags=("R&copy",), sort=Sort.NAME, page=number)


def test_a_page_too_far_is_the_last_one_and_is_shared_as_it_is() -> None:
    pressed = buttons(listed(many(70), "sort:name page:9"))

    assert parse_query(pressed["Share"]) == Query(sort=Sort.NAME, page=3)
    assert pressed["Export CSV"] == "sort:name"
    assert {label for label in pressed if label.endswith("page")} == {"Previous page"}
    shared = listed(many(70), shared_by="Ana *B*")
    assert buttons(shared) == {}
    assert "Shared by `Ana *B*`." in shown_text(shared)


def test_a_filter_that_matches_nothing_says_what_is_in_use() -> None:
    domains = [a_domain(tags=("eu", "prod"), folder="Shops")]

    text = shown_text(listed(domains, "tag:pord folder:blogs type:x"))

    assert "None of your 1 domain matches `tag:pord folder:blogs type:x`." in text
    assert "No domain has the tag `pord`. In use: `eu`, `prod`." in text
    assert "No domain has the folder `blogs`. In use: `Shops`." in text
    assert "No domain has the type `x`. None is in use." in text
    many_tags = [a_domain(tags=tuple(f"t{number:02}" for number in range(25)))]
    assert "`t09` and 15 more." in shown_text(listed(many_tags, "tag:x"))


def test_a_label_that_is_in_use_is_not_blamed() -> None:
    text = shown_text(listed([a_domain(tags=("EU",))], "tag:eu nowhere"))

    assert "No domain has" not in text


def test_an_outdated_list_says_first_how_old_it_is() -> None:
    domains = many(250, NAMES["ampersands"])
    snapshot = a_snapshot(*domains)
    message = domains_message(snapshot, domains, Query(page=2))

    now = snapshot.listed_at + timedelta(hours=2, minutes=59)
    outdated = outdated_message(message, snapshot.listed_at, now, Query(page=2))

    assert_slack_takes(outdated)
    fallback = outdated.fallback()
    assert fallback is not None
    for each in (outdated, fallback):
        assert each.text.startswith("Domain Tracker is unavailable. This list is from ")
        assert ", 2 hours ago." in each.blocks[0]["text"]["text"]
        assert buttons(each)["Try again"] == "/domains page:2"


DATED = KnownFacts(
    {
        "a.example": ending(21, 8, age=timedelta(days=3)),
        "b.example": ending(None, -3, age=timedelta(days=1)),
        "c.example": ending(11_000, 0),
        "d.example": KeptFacts(MOMENT),
    },
    MOMENT,
)
LETTERS = [a_domain(f"{letter}.example") for letter in "abcde"]


def table_of(message: Message) -> list[list[dict[str, object]]]:
    rows: list[list[dict[str, object]]] = next(
        block["rows"] for block in message.blocks if block["type"] == "data_table"
    )
    return rows


@pytest.fixture
def template() -> Iterator[None]:
    use_template("https://tracker.example/{domainId}?{domain}")
    yield
    use_template(None)


@pytest.mark.usefixtures("template")
def test_names_are_links_as_long_as_their_page_fits_a_message() -> None:
    pages = [listed(many(25, name)) for name in NAMES.values()]
    short, *long = map(table_of, pages)

    assert [row[0]["type"] for row in short] == ["raw_text", *["rich_text"] * 25]
    assert {row[0]["type"] for page in long for row in page} == {"raw_text"}
    for page in pages:
        assert_slack_takes(page)


@pytest.mark.usefixtures("template")
@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_link_around_a_name_of_strangers_does_nothing(text: str) -> None:
    assert_slack_takes(listed([a_domain(text, domain_id=text)]))


def test_days_left_are_numbers_that_the_table_sorts() -> None:
    table = table_of(listed(LETTERS, "sort:name", ends=DATED))

    ends = [[cell["text"] for cell in row[2:4]] for row in table]
    assert ends == [
        ["Registration", "Certificate"],
        ["⚠️ 21 days", "⚠️ 8 days"],
        ["–", "🔴 3 days ago"],
        ["30 years", "🔴 today"],
        ["–", "–"],
        ["–", "–"],
    ]
    assert [row[3]["value"] for row in table[1:]] == [8, -3, 0, LAST_VALUE, LAST_VALUE]
    assert {cell["type"] for row in table[1:] for cell in row[2:4]} == {"raw_number"}


def test_the_oldest_scan_of_the_page_dates_it_and_says_for_how_many_dates_are_known() -> None:
    message = listed(LETTERS, "sort:expiry", ends=DATED)

    assert "End dates as of 3 days ago or later." in shown_text(message)
    known = "Both dates known for 2 of 5 domains, issues for 0."
    assert known in shown_text(message)
    assert "b.example, Certificate 3 days ago, Health 41." in message.text
    assert known in shown_text(listed(LETTERS, ends=DATED))  # there a dash has two reasons
    assert "known for" not in shown_text(listed(LETTERS, "example", ends=DATED))


def test_a_list_of_what_was_never_scanned_counts_it_once_and_says_how_to_scan_it() -> None:
    message = listed(LETTERS, "scanned:never example sort:name", ends=DATED)

    assert buttons(message)["Scan them"] == "/scan example scanned:never"
    assert "until you scan" not in shown_text(message)


@loop_over(
    "ends", [None, KnownFacts({}, MOMENT), KnownFacts({"a.example": KeptFacts(MOMENT)}, MOMENT)]
)
def test_without_a_date_there_are_no_columns_for_dates(ends: KnownFacts | None) -> None:
    message = listed(LETTERS, ends=ends)

    assert [len(row) for row in table_of(message)] == [4] * 6
    assert "End dates" not in shown_text(message)


@loop_over("name", NAMES.values(), ids=NAMES)
def test_slack_takes_a_full_page_with_dates(name: Callable[[int], str]) -> None:
    domains = many(60, name)
    past = EndDate((MOMENT - timedelta(days=999)).date())
    ends = KnownFacts({host_of(each): KeptFacts(MOMENT, past, past) for each in domains}, MOMENT)
    message = listed(domains, ends=ends)

    assert_slack_takes(message)
    assert_slack_takes(listed(domains, "expires:0 page:2", ends=ends))
