"""What stands in the Domain Tracker's pages, and what may be typed there: no page is drawn."""

from datetime import UTC, date, datetime

import aiohttp
import pytest

from bot.playground.page.tracker_pages.domains import domain_rows, score_from
from bot.playground.page.tracker_pages.keys import make_key
from bot.playground.page.tracker_pages.knobs import EVERY, FAULTS, order_fault, request_rows
from bot.playground.page.tracker_pages.paged_table import Query
from bot.playground.sandbox import running_sandbox
from bot.playground.tracker import NO_SCORE, Account, Tracker
from bot.playground.tracker.service import FaultPlan

NOON = datetime(2026, 3, 9, 12, 10, tzinfo=UTC)


@pytest.fixture
def account() -> Account:
    account = Account("acme", lambda: NOON)
    account.add("b.example", health=41, tags=("prod", "eu"), folder="Shops")
    account.add("a.example", health=97, domain_type="client")
    account.add("c.example", health=NO_SCORE)
    account.add("d.example", health=["no", "score"])
    return account


@pytest.mark.parametrize(
    ("sort_by", "is_descending", "names"),
    [
        ("domain", False, "abcd"),
        ("domain", True, "dcba"),
        ("score", False, "cdba"),
        ("score", True, "abdc"),
        ("folder", True, "bdca"),
        ("nonsense", False, "bacd"),
    ],
)
def test_domains_are_sorted(
    account: Account, sort_by: str, is_descending: bool, names: str
) -> None:
    rows, _ = domain_rows(account, Query(sort_by=sort_by, is_descending=is_descending))

    assert "".join(row["domain"][0] for row in rows) == names


@pytest.mark.parametrize(
    ("words", "names"),
    [("", "bacd"), ("shops", "b"), ("eu prod", "b"), ("client", "a"), ("eu client", "")],
)
def test_every_word_searched_for_occurs(account: Account, words: str, names: str) -> None:
    rows, total = domain_rows(account, Query(words=words))

    assert "".join(row["domain"][0] for row in rows) == names
    assert total == len(names)


@pytest.mark.parametrize(
    ("typed", "score"),
    [("41", 41), ("41.50", 41.5), ("0", 0), (100, 100), ("12,5", 12.5), ("", None), (None, None)],
    ids=str,
)
def test_scores_are_read(typed: object, score: float | None) -> None:
    assert score_from(typed) == score


@pytest.mark.parametrize(
    "typed", ["-1", "100.1", "nan", "inf", "good", "1e3", [41], True], ids=str
)
def test_what_is_no_score_is_refused(typed: object) -> None:
    with pytest.raises(ValueError, match="from 0 to 100"):
        score_from(typed)


def test_a_key_is_made_of_what_was_typed(account: Account) -> None:
    value = make_key(
        account, " CI ", ["read_domains"], "date", "2026-04-01", "203.0.113.7, 198.51.100.0/24"
    )

    record = account.key(value)
    assert (record.name, record.ips) == ("CI", ("203.0.113.7", "198.51.100.0/24"))
    assert record.expires_at == datetime(2026, 4, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ({"name": "  "}, "name"),
        ({"scopes": []}, "scope"),
        ({"ips": "here"}, "here"),
        ({"lifetime": "date", "day": ""}, "pick the day"),
        ({"lifetime": "date", "day": "9999-12-31"}, "too far"),
    ],
    ids=str,
)
def test_a_key_that_cannot_be_is_refused_in_words(
    account: Account, change: dict[str, object], trouble: str
) -> None:
    typed: dict[str, object] = {
        "name": "CI", "scopes": ["admin"], "lifetime": 90, "day": str(date.max), "ips": "",
    }  # fmt: skip

    with pytest.raises(ValueError, match=trouble):
        make_key(account, **(typed | change))  # type: ignore[arg-type]  # one value of another kind each

    assert account.keys == []


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_that_is_offered_can_be_ordered(kind: str) -> None:
    tracker = Tracker()

    said = order_fault(tracker, kind, "scan", 1)

    assert said.startswith(f"The next scanning request gets: {FAULTS[kind]}.")
    assert tracker.faults.take("list") is None
    planned = tracker.faults.take("scan")
    assert planned is not None
    assert planned.what == kind
    assert tracker.faults.take("scan") is None


@pytest.mark.parametrize(
    ("times", "said", "happens"),
    [
        (3, "The next 3 requests get: ", 3),
        (EVERY, "From now on every request gets: ", 5),
        (None, "Say how many requests.", 0),
        (0, "Say how many requests.", 0),
    ],
    ids=str,
)
def test_a_fault_happens_as_often_as_asked(times: int | None, said: str, happens: int) -> None:
    tracker = Tracker()

    assert order_fault(tracker, "500", "any", times).startswith(said)

    assert count_of(tracker.faults, 5) == happens


def count_of(faults: FaultPlan, most: int) -> int:
    return sum(faults.take("list") is not None for _ in range(most))


@pytest.mark.anyio
async def test_requests_are_listed_newest_first_without_their_key() -> None:
    async with (
        running_sandbox(portfolios=["northwind"]) as sandbox,
        aiohttp.ClientSession() as http,
    ):
        key = sandbox.keys.demo("northwind")
        address = f"{sandbox.tracker.url}/api/tools/domain-tracker"
        await http.get(address, headers={"Authorization": f"Bearer {key}"})
        await http.get(f"{address}?key={key}")

    rows, total = request_rows(sandbox.tracker, Query())

    assert total == 2
    assert [(row["account"], row["status"]) for row in rows] == [
        ("unknown", "401"),
        ("northwind", "200"),
    ]
    assert key[11:] not in str(rows)
