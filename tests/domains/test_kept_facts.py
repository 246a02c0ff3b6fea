"""End dates are kept for every scanned domain of a portfolio, and for no other."""

import asyncio
import threading
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.domains import kept_facts
from bot.domains.kept_facts import (
    DOCUMENTS,
    MAX_WORST_ISSUES,
    FactsRepository,
    KeptFacts,
    KnownFacts,
    KnownIssue,
    kept_of,
)
from bot.process.concurrency import FEW
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, StoreError
from bot.tracker.facts import facts_of
from bot.tracker.scan_facts import EndDate, Severity
from tests.builders import MOMENT
from tests.memory import MemoryDocuments

ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
ENDS = KeptFacts(
    MOMENT,
    EndDate(date(2030, 4, 5), datetime(2030, 4, 5, 6, 7, 8, tzinfo=UTC)),
    EndDate(date(2030, 3, 9)),
    {Severity.CRITICAL: 1, Severity.LOW: 3},
    (KnownIssue(Severity.CRITICAL, "Listed on a blacklist", MOMENT.timestamp()),),
)
UNKNOWN = KeptFacts(MOMENT)


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture
def kept(documents: MemoryDocuments) -> FactsRepository:
    return FactsRepository(documents)


async def test_what_was_kept_comes_back_as_it_was(kept: FactsRepository) -> None:
    await kept.keep(ONE, "shop.example", ENDS)
    await kept.keep(ONE, "www.example", UNKNOWN)

    assert await kept.get(ONE) == {"shop.example": ENDS, "www.example": UNKNOWN}
    assert await kept.get(OTHER) == {}


async def test_what_was_just_kept_is_known_at_once(kept: FactsRepository) -> None:
    before = await kept.known(ONE, MOMENT)

    await kept.keep(ONE, "shop.example", ENDS)

    after = await kept.known(ONE, MOMENT)
    assert (before, after) == (KnownFacts({}, MOMENT), KnownFacts({"shop.example": ENDS}, MOMENT))


async def test_domains_that_the_list_lacks_for_a_month_go(kept: FactsRepository) -> None:
    hosts = [f"d{number}.example" for number in range(20 * DOCUMENTS)]
    hosts = [host for host in hosts if zlib.crc32(host.encode()) % DOCUMENTS == 0]
    for host in hosts:
        await kept.keep(ONE, host, ENDS, portfolio=hosts)
    counts = []
    for days in (29, 30):
        later = replace(ENDS, scanned_at=MOMENT + timedelta(days=days))
        await kept.keep(ONE, hosts[0], later, portfolio=[hosts[0]])
        counts.append(len(await kept.get(ONE)))

    assert counts == [len(hosts), 1]


@pytest.mark.parametrize("row", [None, [], ["x", None, None, {}], [1, 2, 3, 4], {"a": 1}], ids=str)
async def test_other_versions_are_skipped(
    kept: FactsRepository, documents: MemoryDocuments, row: object
) -> None:
    await documents.put(f"{ONE}/ends/0", {"v": 9, "hosts": {"shop.example": row}})

    assert await kept.get(ONE) == {}


async def known_since(
    kept: FactsRepository, *scans: list[tuple[str, str]] | None
) -> dict[str, int]:
    """Keep scans of a domain, one a day, with these issues; return the day of each by title.

    `None`: the section of issues could not be checked.
    """
    for day, issues in enumerate(scans):
        listed = [{"severity": severity, "title": title} for severity, title in issues or ()]
        security = {"error": "timeout"} if issues is None else {"issues": listed}
        at = MOMENT + timedelta(days=day)
        ends = kept_of("shop.example", facts_of({"security": security}, MOMENT), at)
        await kept.keep(ONE, "shop.example", ends)
    known = (await kept.get(ONE))["shop.example"].worst
    return {each.title: int(each.since - MOMENT.timestamp()) // 86_400 for each in known}


async def test_an_issue_is_known_since_the_scan_that_found_it(kept: FactsRepository) -> None:
    old, late = ("high", "Old"), ("low", "Late")

    assert await known_since(kept, [old], [old, late], [late, old]) == {"Old": 0, "Late": 1}


async def test_an_issue_that_was_gone_is_new_again(kept: FactsRepository) -> None:
    assert await known_since(kept, [("high", "Back")], [], [("high", "Back")]) == {"Back": 2}


async def test_an_issue_is_known_through_scans_that_could_not_check_it(
    kept: FactsRepository,
) -> None:
    found = [("high", "There")]

    assert await known_since(kept, found, None, None) == {}
    row = (await kept.get(ONE))["shop.example"]
    assert [each.title for each in row.unconfirmed] == ["There"]
    assert not row.issues_are_known
    assert await known_since(kept, found, None, None, found) == {"There": 0}
    assert (await kept.get(ONE))["shop.example"].unconfirmed == ()
    assert await known_since(kept, [], None, found) == {"There": 2}


async def test_an_issue_that_counts_days_stays_the_same(kept: FactsRepository) -> None:
    day = [[("high", f"The certificate expires in {left} days")] for left in (8, 7)]

    assert await known_since(kept, *day) == {"The certificate expires in 7 days": 0}


@pytest.mark.parametrize(("then", "now", "since"), [("low", "high", 1), ("high", "low", 0)])
async def test_a_worse_issue_is_new(
    kept: FactsRepository, then: str, now: str, since: int
) -> None:
    assert await known_since(kept, [(then, "Port")], [(now, "Port")]) == {"Port": since}


async def test_the_rows_of_a_large_portfolio_are_read_off_the_loop(
    kept: FactsRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(FEW + 1):
        await kept.keep(ONE, f"d{number}.example", ENDS)
    read, threads = kept_facts._all_of, list[threading.Thread]()

    def noted(documents: Iterable[Document]) -> dict[str, KeptFacts]:
        threads.append(threading.current_thread())
        return read(documents)

    monkeypatch.setattr(kept_facts, "_all_of", noted)

    assert len(await kept.get(ONE)) == FEW + 1
    assert threads != [threading.main_thread()]


async def test_one_of_very_many_issues_is_not_called_new(kept: FactsRepository) -> None:
    many = [("low", f"Low {number}") for number in range(MAX_WORST_ISSUES + 1)]
    now = [("critical", "Worse"), *many[3:]]

    since = await known_since(kept, many, now)

    assert since["Worse"] == 1
    assert since[f"Low {MAX_WORST_ISSUES}"] == 0
    assert len(since) <= MAX_WORST_ISSUES


class _Hanging(MemoryDocuments):
    async def list_prefix(self, prefix: str) -> list[Document]:
        await asyncio.Event().wait()
        return await super().list_prefix(prefix)


class _Failing(MemoryDocuments):
    async def list_prefix(self, prefix: str) -> list[Document]:
        raise StoreError(f"no {prefix}")


async def test_that_nothing_was_scanned_is_remembered_too(
    kept: FactsRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kept.known(ONE, MOMENT)
    monkeypatch.setattr(kept, "_documents", _Failing())

    assert await kept.known(ONE, MOMENT) == KnownFacts({}, MOMENT)


@pytest.mark.parametrize("documents", [_Hanging(), _Failing()], ids=["hangs", "fails"])
async def test_without_the_store_the_dates_are_unknown(documents: MemoryDocuments) -> None:

    assert await FactsRepository(documents).known(ONE, MOMENT) is None


async def changes_of(kept: FactsRepository, *scans: Mapping[str, object]) -> list[tuple[str, str]]:
    """Keep scans of a domain, one a day; return each change's value before and after."""
    for day, sections in enumerate(scans):
        at = MOMENT + timedelta(days=day)
        ends = kept_of("shop.example", facts_of(sections, at), at)
        await kept.keep(ONE, "shop.example", ends)
    return [(each.before, each.after) for each in (await kept.get(ONE))["shop.example"].changes]


def servers(whois: str, dns: str) -> dict[str, object]:
    return {"whois": {"nameServers": [whois]}, "dns": {"NS": [dns]}}


A, B = "ns.a.example", "ns.b.example"


async def test_a_change_of_name_servers_is_kept_once(kept: FactsRepository) -> None:
    assert await changes_of(kept, servers(A, A), servers(B, A), servers(B, B)) == [(A, B)]
    assert await changes_of(kept, servers(B, A), servers(A, A)) == [(A, B), (B, A)]


async def test_a_section_that_failed_in_between_hides_no_change(kept: FactsRepository) -> None:
    failed = {"whois": {"error": "timeout"}, "dns": None}

    assert await changes_of(kept, servers(A, A), failed, servers(B, B)) == [(A, B)]


async def test_another_intermediate_of_the_same_authority_is_no_change(
    kept: FactsRepository,
) -> None:
    scans = [{"ssl": {"issuer": {"CN": name}}} for name in ("R10", "R11", "E5", "WE1")]

    assert await changes_of(kept, *scans) == [("E5", "WE1")]


async def test_both_dates_and_the_registered_name_are_kept(kept: FactsRepository) -> None:
    end = EndDate(date(2027, 1, 1), also=(date(2027, 2, 1),))
    await kept.keep(ONE, "www.shop.example", KeptFacts(MOMENT, end, registered="shop.example"))

    known = (await kept.get(ONE))["www.shop.example"]
    assert known.registration == end
    assert known.registered == "shop.example"


async def test_a_registered_name_that_is_not_above_the_host_is_not_taken() -> None:
    facts = facts_of({"whois": {"domainName": "other.example"}}, MOMENT)

    assert kept_of("www.shop.example", facts, MOMENT).registered == ""
