from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.message import Message
from bot.portfolio.end_dates import EndDates, KnownEnds
from bot.portfolio.query import MAX_PAGE, Query, Sort, host_of, parse_query, select
from bot.tracker.findings import EndDate
from bot.tracker.models import Domain
from bot.views.domains import (
    MAX_OTHER_CHARS,
    MAX_PAGE_ROWS,
    SHARE_DOMAINS,
    domains_message,
    outdated_message,
    page_of,
)
from bot.views.ends import LAST_VALUE
from bot.views.text import MAX_TABLE_CHARS
from tests.builders import HOSTILE_TEXTS, MOMENT, a_domain, a_snapshot, ending
from tests.loops import loop_over
from tests.views.acceptance import assert_slack_takes, buttons, shown, shown_text

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
    ends: KnownEnds | None = None,
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


def test_slack_takes_the_first_the_last_and_a_shared_page() -> None:
    domains = many(250, NAMES["ampersands"])

    assert_slack_takes(listed(domains))
    assert_slack_takes(listed(domains, f"page:{MAX_PAGE}"))
    assert_slack_takes(listed(domains, shared_by="&" * 100))


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_strangers_wrote_does_nothing(text: str) -> None:
    domain = a_domain(text, 41, tags=(text, text), folder=text, domain_type=text)
    query = Query(words=(text,), tags=(text,), folder=text, domain_type=text)
    snapshot = a_snapshot(domain, domain)

    assert_slack_takes(domains_message(snapshot, [domain] * 26, query, shared_by=text))
    assert_slack_takes(domains_message(snapshot, [domain], query))
    assert_slack_takes(domains_message(snapshot, [], query))
    assert_slack_takes(domains_message(snapshot, [], Query(tags=("other",), folder="other")))


TEXTS = st.sampled_from(list(HOSTILE_TEXTS.values())) | st.text(st.characters(), max_size=300)
DOMAINS = st.builds(
    a_domain,
    TEXTS.filter(str.strip),
    st.none() | st.floats(0, 100),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    folder=st.none() | TEXTS,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(DOMAINS, max_size=12), st.integers(1, MAX_PAGE), st.sampled_from(Sort))
def test_slack_takes_any_list(domains: list[Domain], page: int, sort: Sort) -> None:
    query = Query(page=page, sort=sort)

    assert_slack_takes(domains_message(a_snapshot(*domains), domains, query))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 400), max_size=250))
def test_every_domain_is_on_one_page(name_chars: list[int]) -> None:
    domains = [a_domain(f"{n}{'x' * chars}") for n, chars in enumerate(name_chars)]

    count = page_of(domains, 1).count
    pages = [page_of(domains, number) for number in range(1, count + 1)]

    assert [domain for page in pages for domain in page.domains] == domains
    assert [page.first for page in pages] == [
        1 + sum(len(page.domains) for page in pages[:number]) for number in range(count)
    ]
    assert all(page.domains for page in pages) or not domains


@loop_over("name", NAMES.values(), ids=NAMES)
def test_a_page_is_as_full_as_it_may_be(name: Callable[[int], str]) -> None:
    domains = many(210, name)
    spare = MAX_PAGE_ROWS * MAX_OTHER_CHARS
    count = page_of(domains, 1).count
    for number in range(1, count):
        cells = rows(listed(domains, f"sort:name page:{number}"))

        chars = sum(len(cell) for row in cells for cell in row)
        assert len(cells) == MAX_PAGE_ROWS or chars > MAX_TABLE_CHARS - 520 - spare
        assert len(cells) <= MAX_PAGE_ROWS
        assert chars <= MAX_TABLE_CHARS


def test_a_page_too_far_is_the_last_one() -> None:
    assert page_of(many(26), 7).number == 2
    assert page_of([], 7).number == 1


def test_the_worst_come_first_with_number_and_word() -> None:
    domains = [a_domain("a.example", 90), a_domain("b.example", None), a_domain("c.example", 7.25)]

    message = listed(domains)

    assert rows(message) == [
        ["c.example", "7.2", "🔴 poor", "–", "–"],
        ["a.example", "90", "🟢 good", "–", "–"],
        ["b.example", "–", "⚪ unknown", "–", "–"],
    ]


def test_every_score_is_a_number_so_that_readers_can_sort() -> None:
    table = listed([a_domain("a.example", None), a_domain("b.example", 79.96)]).blocks[2]

    scores = [row[1] for row in table["rows"][1:]]
    assert scores == [
        {"type": "raw_number", "value": 79.9, "text": "79.9"},
        {"type": "raw_number", "value": -1, "text": "–"},
    ]


def test_the_header_holds_count_average_and_bands() -> None:
    domains = [a_domain("a.example", 90), a_domain("b.example", 40), a_domain("c.example", None)]

    top, under, *_rest = listed(domains).blocks

    assert top["text"]["text"] == "3 domains, average health 65"
    assert under["elements"][0]["text"].startswith("🔴 1 poor, 🟢 1 good, ⚪ 1 unknown")


def test_the_text_alone_carries_the_numbers() -> None:
    domains = [
        a_domain("a.example", 90),
        a_domain("b.example", 40.19),
        a_domain("c.example", None),
    ]

    assert listed(domains).text == (
        "3 domains, average health 65: 1 poor, 1 good, 1 unknown."
        " Worst: b.example 40.1 (poor), a.example 90 (good)."
    )


def test_the_worst_are_named_whatever_the_order() -> None:
    message = listed([a_domain("a.example", 90), a_domain("z.example", 5)], "sort:name")

    assert "Worst: z.example 5 (poor), a.example" in message.text


def test_the_twin_says_the_same_in_lines() -> None:
    domains = [a_domain("a.example", 90), a_domain("b.example", None)]

    fallback = listed(domains).fallback()

    assert fallback is not None
    assert fallback.text == listed(domains).text
    assert "🟢 90 good  *a.example*\n⚪ unknown  *b.example*" in shown_text(fallback)


@loop_over("name", NAMES.values(), ids=NAMES)
def test_the_twin_counts_what_it_cannot_hold(name: Callable[[int], str]) -> None:
    domains = many(100, name)
    fallback = listed(domains).fallback()
    assert fallback is not None

    text = shown_text(fallback)
    on_page = len(page_of(domains, 1).domains)
    lines = [line for line in text.splitlines() if line.endswith("*") and line[0] in "🔴🟡🟢⚪"]
    more = f"and {on_page - len(lines):,} more on this page"
    assert lines
    assert (more in text) == (len(lines) < on_page)


def test_a_filter_is_shown_as_it_was_typed() -> None:
    message = listed([a_domain(tags=("R&D",))], "shop tag:R&amp;D")

    assert "filter `shop tag:R&amp;D`" in shown_text(message)  # escaped once, for Slack
    assert "(filter: shop tag:R&amp;D)" in message.text


def test_a_filtered_list_says_of_how_many() -> None:
    message = listed(many(50), "d1")

    assert message.blocks[0]["text"]["text"].startswith("11 domains of 50, average")


def test_pages_are_turned_by_buttons_that_keep_the_filter() -> None:
    domains = [a_domain(f"d{number}.example", tags=("R&copy",)) for number in range(70)]

    message = listed(domains, "tag:R&amp;copy sort:name page:2")

    pressed = buttons(message)
    assert "page 2 of 3, rows 26–50" in shown_text(message)
    assert message.text.endswith("Page 2 of 3.")
    for label, number in {"Previous page": 1, "Next page": 3}.items():
        command, _, text = pressed[label].partition(" ")
        assert command == "/domains"
        assert parse_query(text) == Query(tags=("R&copy",), sort=Sort.NAME, page=number)


@loop_over(
    ("page", "labels"),
    [(1, {"Next page"}), (2, {"Previous page", "Next page"}), (3, {"Previous page"})],
)
def test_there_is_no_button_to_a_page_that_is_not_there(page: int, labels: set[str]) -> None:
    pressed = buttons(listed(many(70), f"page:{page}"))

    assert {label for label in pressed if label.endswith("page")} == labels


@pytest.mark.parametrize(("count", "step"), [(26, 1), (99 * 25, 1), (101 * 25, 2), (10_000, 5)])
def test_a_menu_leads_to_every_page_or_at_most_a_few_pages_from_it(count: int, step: int) -> None:
    message = listed(many(count), "tag:eu page:2")

    [row] = [block for block in message.blocks if block.get("block_id")]
    pages = [
        parse_query(f"{row['block_id']} {each['value']}".removeprefix("/domains ")).page
        for each in row["elements"][-1]["options"]
    ]
    last = page_of(many(count), 1).count
    assert row["block_id"] == "/domains tag:eu"
    assert (pages[0], pages[-1], len(pages) <= 100) == (1, last, True)
    assert max(later - page for page, later in pairwise(pages)) == step


def test_a_filter_too_long_for_a_menu_has_none() -> None:
    text = " ".join(f"tag:t{number:03}" for number in range(60))
    tags = tuple(f"t{number:03}" for number in range(60))
    message = listed([a_domain(f"d{number}.example", tags=tags) for number in range(60)], text)

    assert not any(block.get("block_id") for block in message.blocks)
    assert "Next page" in buttons(message)


def test_next_steps_are_buttons() -> None:
    pressed = buttons(listed([a_domain()], "below:70"))

    assert pressed == {
        "Scan": "/scan",
        "Add domain": "/adddomain",
        "Share": "below:70",
        "Export CSV": "below:70",
    }


def test_share_shows_the_same_page() -> None:
    message = listed(many(70), "sort:name page:9")
    share = buttons(message)["Share"]

    assert parse_query(share) == Query(sort=Sort.NAME, page=3)
    assert any(element["action_id"] == SHARE_DOMAINS for element in message.blocks[-1]["elements"])


def test_a_shared_list_has_no_buttons_and_names_who_shared_it() -> None:
    message = listed(many(250), shared_by="Ana *B*")

    assert buttons(message) == {}
    assert "Shared by `Ana *B*`." in shown_text(message)


def test_entries_without_a_name_are_counted() -> None:
    message = domains_message(a_snapshot(a_domain(), skipped=2), [a_domain()], Query())

    assert "Not shown: 2 entries without a name." in shown_text(message)


def test_an_empty_portfolio_asks_for_the_first_domain() -> None:
    message = listed([])

    assert "Your portfolio has no domains yet." in message.text
    assert buttons(message) == {"Add domain": "/adddomain"}


def test_a_filter_that_matches_nothing_says_what_is_in_use() -> None:
    domains = [a_domain(tags=("eu", "prod"), folder="Shops")]

    text = shown_text(listed(domains, "tag:pord folder:blogs type:x"))

    assert "None of your 1 domain matches `tag:pord folder:blogs type:x`." in text
    assert "No domain has the tag `pord`. In use: `eu`, `prod`." in text
    assert "No domain has the folder `blogs`. In use: `Shops`." in text
    assert "No domain has the type `x`. None is in use." in text


def test_labels_in_use_that_are_too_many_are_counted() -> None:
    domains = [a_domain(tags=tuple(f"t{number:02}" for number in range(25)))]

    assert "`t09` and 15 more." in shown_text(listed(domains, "tag:x"))


def test_a_label_that_is_in_use_is_not_blamed() -> None:
    text = shown_text(listed([a_domain(tags=("EU",))], "tag:eu nowhere"))

    assert "No domain has" not in text


def test_hostile_names_stay_readable() -> None:
    message = listed([a_domain("<b>&co.example", 41)])

    assert rows(message)[0][0] == "<b>&co.example"  # a cell is not parsed
    assert "&lt;b&gt;&amp;co.example 41 (poor)" in message.text
    assert "<b>&co.example" not in shown(message.as_args())[0]


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=2, minutes=59), "2 hours ago"),
        (timedelta(days=3), "3 days ago"),
    ],
)
def test_an_outdated_list_says_first_how_old_it_is(age: timedelta, words: str) -> None:
    domains = many(250, NAMES["ampersands"])
    snapshot = a_snapshot(*domains)
    message = domains_message(snapshot, domains, Query(page=2))

    outdated = outdated_message(
        message, snapshot.listed_at, snapshot.listed_at + age, Query(page=2)
    )

    assert_slack_takes(outdated)
    fallback = outdated.fallback()
    assert fallback is not None
    for each in (outdated, fallback):
        assert each.text.startswith("Domain Tracker is unavailable. This list is from ")
        assert f", {words}." in each.blocks[0]["text"]["text"]
        assert buttons(each)["Try again"] == "/domains page:2"


DATED = KnownEnds(
    {
        "a.example": ending(21, 8, age=timedelta(days=3)),
        "b.example": ending(None, -3, age=timedelta(days=1)),
        "c.example": ending(11_000, 0),
        "d.example": EndDates(MOMENT),
    },
    MOMENT,
)
LETTERS = [a_domain(f"{letter}.example") for letter in "abcde"]


def table_of(message: Message) -> list[list[dict[str, object]]]:
    rows: list[list[dict[str, object]]] = next(
        block["rows"] for block in message.blocks if block["type"] == "data_table"
    )
    return rows


def test_days_left_are_numbers_that_the_table_sorts() -> None:
    table = table_of(listed(LETTERS, "sort:name", ends=DATED))

    ends = [[cell["text"] for cell in row[3:5]] for row in table]
    assert ends == [
        ["Registration", "Certificate"],
        ["⚠️ 21 days", "⚠️ 8 days"],
        ["–", "🔴 3 days ago"],
        ["30 years", "🔴 today"],
        ["–", "–"],
        ["–", "–"],
    ]
    assert [row[4]["value"] for row in table[1:]] == [8, -3, 0, LAST_VALUE, LAST_VALUE]
    assert {cell["type"] for row in table[1:] for cell in row[3:5]} == {"raw_number"}


def test_the_oldest_scan_of_the_page_dates_it_and_what_was_never_scanned_is_counted() -> None:
    message = listed(LETTERS, "sort:expiry", ends=DATED)

    assert "Registration and certificate as scanned 3 days ago or later." in shown_text(message)
    never = "1 domain was never scanned: its dates are unknown. `/scan scanned:never` finds them."
    assert never in shown_text(message)
    assert "Dates: b.example 🔴 certificate expired 3 days ago, " in message.text


@loop_over(
    "ends", [None, KnownEnds({}, MOMENT), KnownEnds({"a.example": EndDates(MOMENT)}, MOMENT)]
)
def test_without_a_date_there_are_no_columns_for_dates(ends: KnownEnds | None) -> None:
    message = listed(LETTERS, ends=ends)

    assert [len(row) for row in table_of(message)] == [5] * 6
    assert "as scanned" not in shown_text(message)


def test_a_filter_that_finds_no_date_says_how_many_have_none() -> None:
    message = listed(LETTERS, "registration:5", ends=DATED)

    assert "1 domain was never scanned" in shown_text(message)


@loop_over("name", NAMES.values(), ids=NAMES)
def test_slack_takes_a_full_page_with_dates(name: Callable[[int], str]) -> None:
    domains = many(60, name)
    past = EndDate((MOMENT - timedelta(days=999)).date())
    ends = KnownEnds({host_of(each): EndDates(MOMENT, past, past) for each in domains}, MOMENT)
    message = listed(domains, ends=ends)

    assert_slack_takes(message)
    cells = rows(message)
    assert sum(len(cell) for row in cells for cell in row) <= MAX_TABLE_CHARS
    assert_slack_takes(listed(domains, "expires:0 page:2", ends=ends))
