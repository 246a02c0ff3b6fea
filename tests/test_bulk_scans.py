"""Bulk scans: nothing is scanned twice, nothing is lost, and every end is told."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from bot.domains.end_dates import KeptEndDates
from bot.domains.service import Portfolio
from bot.jobs.due_work import AT_ONCE
from bot.keys.key_record import NoKeyError
from bot.keys.workspace_tracker import LackingScopeError
from bot.process.concurrency import Tasks
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.scans.bulk_record import (
    FAILURES_IN_ROW,
    INTERRUPTED,
    KIND,
    RESERVE_PAUSE,
    BulkScan,
    BulkScanRunsError,
    End,
    items_of,
)
from bot.scans.bulk_runner import LEASE, MAX_DOMAINS, BulkScans
from bot.scans.bulk_views import progress_message, summary_message
from bot.scans.service import Scans
from bot.slack.client import SentMessage
from bot.slack.errors import PersonUnreachableError, SlackUnavailableError, SlackUnreachableError
from bot.store.documents import Document, StoreError
from bot.tracker.models import (
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    RejectedError,
    ReserveReachedError,
    ScanResult,
    TimedOutError,
    TooBusyError,
    UnavailableError,
)
from bot.tracker.names import default_names
from bot.tracker.rate_limit import Purpose
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts
from tests.loops import loop_over
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ACME, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
BOB = "U0BOB"
MOMENTS = timedelta(seconds=1)
DOWN = UnavailableError("down", status=503)


@dataclass
class Office:
    """Everything about bulk scans but Slack and the service, around a store in memory."""

    clock: FakeClock = field(default_factory=FakeClock)
    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    lists: FakeLists = field(default_factory=FakeLists)
    posts: FakePosts = field(default_factory=FakePosts)
    tasks: Tasks = field(default_factory=Tasks)
    shown_every_s: float = 0.01

    def __post_init__(self) -> None:
        self.scanned: list[str] = []
        self.errors: dict[str, list[BotError]] = {}
        self.gate, self.is_asked = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.bulk = self.process()

    def process(self) -> BulkScans:
        """Start as a new process would, on the same store."""
        portfolio = Portfolio(self.lists.list_domains, clock=self.clock)
        ends = KeptEndDates(self.documents)
        return BulkScans(
            self.documents,
            self.tasks,
            Scans(
                self.scan, portfolio, self.documents, ends, names=default_names(), clock=self.clock
            ),
            self.posts,
            progress=progress_message,
            summary=summary_message,
            clock=self.clock,
            shown_every_s=self.shown_every_s,
        )

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        """Be the service."""
        self.scanned.append(domain_id)
        self.is_asked.set()
        await self.gate.wait()
        if errors := self.errors.get(domain_id):
            raise errors.pop(0)
        issues = [{"severity": "low", "title": "mild"}, {"severity": "high", "title": domain_id}]
        return ScanResult({"security": {"issues": issues}})

    async def start(self, names: str, workspace: WorkspaceId = ACME) -> BulkScan:
        """List domains, one of each letter, and start the bulk scan of them."""
        domains = [a_domain(f"{name}.example", domain_id=name) for name in names]
        self.lists.domains = tuple(domains)
        return await self.bulk.start(workspace, BOB, items_of(domains), "tag:prod")

    async def pass_by(self, time: timedelta = timedelta()) -> BulkScan:
        """Let time pass, and everything be done that is due then; return what is stored."""
        self.clock.now += time
        await self.bulk.run_due()
        assert await self.tasks.drain(TIME_LIMIT_S)
        run = await self.bulk.last(ACME)
        assert run
        return run

    @property
    def summary(self) -> str:
        return self.posts.notified[-1][1]


@pytest.fixture
def office() -> Office:
    return Office()


async def test_each_domain_is_scanned_once_and_the_list_is_asked_once(office: Office) -> None:
    await office.start("abca")

    run = await office.pass_by()
    await office.pass_by(timedelta(days=1))

    assert office.scanned == ["a", "b", "c"]
    assert len(office.lists.asked) == 1
    assert run.end is End.DONE
    assert [item.score_after for item in run.done] == [41, 41, 41]
    assert [who for who, _ in office.posts.notified] == [BOB, BOB]
    assert "3 domains scanned." in office.summary


async def test_of_more_than_one_takes_the_first_are_scanned(office: Office) -> None:
    run = await office.start("".join(map(chr, range(0x4E00, 0x4E00 + MAX_DOMAINS + 5))))

    assert [item.domain_id for item in run.left] == list(map(chr, range(0x4E00, 0x4E00 + 200)))


@loop_over(("every_s", "shown"), [(0.0, [0, 1, 2, 3]), (3600.0, [0, 3])])
async def test_the_progress_is_shown_after_each_scan_but_not_too_often(
    every_s: float, shown: list[int]
) -> None:
    office = Office(shown_every_s=every_s)
    await office.start("abc")

    await office.pass_by()

    texts = [text for _, text in office.posts.edited]
    assert [int(text.partition(" of 3 done")[0][-1]) for text in texts] == shown


async def test_what_was_too_early_to_be_shown_is_shown_during_the_next_scan() -> None:
    office = Office(shown_every_s=0.2)
    await office.start("ab")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    is_shown, edit = asyncio.Event(), office.posts.edit_dm

    async def note(*what: Any) -> None:
        await edit(*what)
        is_shown.set()

    office.posts.edit_dm = note  # type: ignore[method-assign,assignment]
    office.gate.set()
    office.gate.clear()  # the next scan is held
    await is_shown.wait()
    office.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)

    assert "1 of 2 done" in office.posts.edited[1][1]


async def test_a_third_workspace_does_not_wait_for_the_end_of_two_long_ones(
    office: Office,
) -> None:
    workspaces = [WorkspaceId(f"T{number}") for number in range(AT_ONCE + 1)]
    office.gate.clear()
    for workspace in workspaces:
        await office.start("abcd", workspace)
        office.clock.now += MOMENTS
    await office.bulk.run_due()
    await office.is_asked.wait()
    office.gate.set()
    for _ in range(2):
        assert await office.tasks.drain(TIME_LIMIT_S)
        await office.bulk.run_due()
    assert await office.tasks.drain(TIME_LIMIT_S)

    done = [len(run.done) for each in workspaces if (run := await office.bulk.last(each))]
    assert min(done) > 0, done
    assert max(done) < 4, done


async def test_another_process_goes_on_after_a_kill_and_scans_nothing_twice(
    office: Office,
) -> None:
    await office.start("abc")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    await office.tasks.cancel()  # killed: nothing more is written
    office.gate.set()
    office.bulk = office.process()

    await office.pass_by()
    assert office.scanned == ["a"]
    run = await office.pass_by(LEASE)

    assert office.scanned == ["a", "b", "c"]
    assert [item.trouble for item in run.done] == [INTERRUPTED, None, None]
    assert "the result is unknown" in office.summary


async def test_of_two_processes_that_find_it_at_the_same_moment_one_scans(office: Office) -> None:
    await office.start("abc")
    other = office.process()

    await other.run_due()
    run = await office.pass_by()

    assert office.scanned == ["a", "b", "c"]
    assert [item.trouble for item in run.done] == [None, None, None]


async def test_a_scan_that_ended_before_the_kill_counts(office: Office) -> None:
    await office.start("ab")
    put, documents = office.documents.put, office.documents

    async def dies(key: str, value: object, **how: object) -> object:
        """Lose everything that is written after the report of the first scan."""
        if key.endswith("/scan/a.example"):
            documents.put = refuses  # type: ignore[method-assign,assignment]
        return await put(key, value, **how)  # type: ignore[arg-type]

    async def refuses(*_: object, **__: object) -> object:
        raise asyncio.CancelledError

    documents.put = dies  # type: ignore[method-assign,assignment]
    await office.bulk.run_due()
    assert await office.tasks.drain(TIME_LIMIT_S)
    documents.put = put  # type: ignore[method-assign]
    office.bulk = office.process()
    run = await office.pass_by(LEASE)

    assert office.scanned == ["a", "b"]
    assert [item.trouble for item in run.done] == [None, None]


async def test_an_older_scan_does_not_count_as_the_one_that_was_cut_off(office: Office) -> None:
    await office.start("a")
    await office.pass_by()
    await office.start("a")
    office.gate.clear()
    office.is_asked.clear()
    office.clock.now += LEASE
    await office.bulk.run_due()
    await office.is_asked.wait()
    await office.tasks.cancel()
    office.bulk = office.process()

    run = await office.pass_by(LEASE)

    assert [item.trouble for item in run.done] == [INTERRUPTED]


async def test_a_long_scan_is_not_taken_over(office: Office) -> None:
    await office.start("a")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    for _ in range(3):
        office.clock.now += LEASE / 2
        while await office.documents.due_keys(office.clock() + LEASE / 2 - MOMENTS):  # noqa: ASYNC110  # a store has no event
            await asyncio.sleep(0)  # until it is renewed
    office.bulk = office.process()
    await office.bulk.run_due()
    office.gate.set()

    run = await office.pass_by()

    assert office.scanned == ["a"]
    assert [item.trouble for item in run.done] == [None]


async def test_a_store_that_fails_for_a_moment_costs_no_scan(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    await office.start("a")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    has_failed = asyncio.Event()

    async def fail(*_args: object, **_how: object) -> Document:
        has_failed.set()
        raise StoreError("the database restarts")

    with monkeypatch.context() as patch:
        patch.setattr(office.documents, "put", fail)
        await has_failed.wait()
    office.gate.set()

    run = await office.pass_by()

    assert [item.trouble for item in run.done] == [None]


async def test_a_process_that_was_taken_for_dead_writes_nothing_more(office: Office) -> None:
    await office.start("ab")
    office.gate.clear()
    first, office.bulk = office.bulk, office.process()
    await first.run_due()
    await office.is_asked.wait()
    office.clock.now += LEASE
    office.is_asked.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    office.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)

    run = await office.bulk.last(ACME)
    assert run
    assert office.scanned == ["a", "b"]
    assert [item.trouble for item in run.done] == [INTERRUPTED, None]
    assert run.done[1].facts
    assert [issue.title for issue in run.done[1].facts.issues] == ["b", "mild"]


@loop_over(
    ("error", "wait"),
    [
        (RateLimitedError(300), timedelta(seconds=300)),
        (ReserveReachedError(60), RESERVE_PAUSE),
        (TooBusyError(), timedelta(minutes=1)),
    ],
)
async def test_it_waits_for_requests_and_a_stop_ends_the_wait(
    error: BotError, wait: timedelta
) -> None:
    office = Office()
    office.errors = {"a": [error], "b": [error]}
    run = await office.start("abc")

    await office.pass_by()
    early = await office.pass_by(wait - timedelta(seconds=1))
    waits = await office.pass_by(timedelta(seconds=1))
    await office.bulk.stop(ACME, run.run_id, BOB)
    after = await office.pass_by()

    assert "Waiting for free requests" in office.posts.edited[1][1]
    assert early.done == ()
    assert waits.waits_until
    assert office.scanned == ["a", "a", "b"]
    assert after.end is End.STOPPED
    assert [item.trouble for item in after.done] == [None]


async def test_a_stop_during_a_scan_that_finds_no_requests_left_waits_for_none(
    office: Office,
) -> None:
    office.errors = {"a": [RateLimitedError(3600)]}
    run = await office.start("ab")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    await office.bulk.stop(ACME, run.run_id, BOB)
    assert "Stopping after" in office.posts.edited[-1][1]
    office.gate.set()

    after = await office.pass_by()

    assert after.end is End.STOPPED
    assert "Stopped: 0 of 2 domains" in office.summary


async def test_a_failed_domain_is_named_and_the_others_are_scanned(office: Office) -> None:
    office.errors = {
        "a": [RejectedError(404, "gone")],
        "b": [TimedOutError(is_outcome_unknown=True)],
    }
    await office.start("abc")

    run = await office.pass_by()

    assert [item.trouble for item in run.done] == ["rejected", "timed_out", None]
    assert "1 of 3 domains scanned, 2 failed" in office.summary
    assert "a.example: Domain Tracker declined it" in office.summary
    assert "may still have been scanned" in office.summary


async def test_a_service_that_is_down_ends_it(office: Office) -> None:
    office.errors = {name: [DOWN] for name in "abcdefgh"}
    await office.start("abcdefgh")

    run = await office.pass_by()

    assert run.end is End.FAILING
    assert len(office.scanned) == len(run.done) == FAILURES_IN_ROW
    assert office.lists.asked == []
    assert "several scans in a row failed" in office.summary


async def test_failures_between_scans_do_not_end_it(office: Office) -> None:
    names = "abcdefghi"
    office.errors = {name: [DOWN] for name in names.replace("e", "")}
    await office.start(names)

    run = await office.pass_by()

    assert run.end is End.DONE
    assert len(run.failed) == len(names) - 1


@loop_over(
    "error, end, words",
    [
        (InvalidKeyError(), End.KEY, "can't be used for scans"),
        (IpNotAllowedError(), End.KEY, "can't be used for scans"),
        (NoKeyError(), End.REMOVED, "the API key was removed"),
        (LackingScopeError("scan"), End.SCOPE, "the API key has no scope for scans"),
    ],
)
async def test_a_key_that_stops_working_ends_it(error: BotError, end: End, words: str) -> None:
    office = Office()
    office.errors = {"b": [error]}
    await office.start("abc")

    run = await office.pass_by()

    assert run.end is end
    assert words in office.summary
    assert [item.host for item in run.left] == ["b.example", "c.example"]
    assert "`/domainkey`" not in office.summary
    assert "/domainkey" in office.summary


async def test_a_forgotten_workspace_gets_nothing_more(office: Office) -> None:
    await office.start("abc")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    await office.documents.delete_prefix(f"{ACME}/")
    office.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)

    assert office.scanned == ["a"]
    assert await office.bulk.last(ACME) is None
    assert len(office.posts.notified) == 1


async def test_nothing_begins_when_the_person_cannot_be_written_to(office: Office) -> None:
    office.posts.gone = {BOB}

    with pytest.raises(PersonUnreachableError):
        await office.start("abc")

    assert await office.bulk.last(ACME) is None


async def test_a_start_that_was_cut_off_before_its_message_scans_nothing(office: Office) -> None:
    class CutOffError(BaseException):
        """The process dies."""

    office.posts.errors = [CutOffError()]  # type: ignore[list-item]  # no error of Slack's
    with pytest.raises(CutOffError):
        await office.start("a")

    office.clock.now += LEASE
    await office.bulk.run_due()
    assert await office.tasks.drain(TIME_LIMIT_S)
    again = await office.start("b")

    assert office.scanned == []
    assert again.ts


async def test_a_start_whose_message_is_on_its_way_is_neither_cut_off_nor_followed_by_another(
    office: Office,
) -> None:
    send = office.posts.send_dm

    async def look_and_send(*what: Any) -> SentMessage:
        await office.bulk.run_due()
        assert await office.tasks.drain(TIME_LIMIT_S)
        with pytest.raises(BulkScanRunsError):
            await office.start("b")
        return await send(*what)

    office.posts.send_dm = look_and_send  # type: ignore[method-assign,assignment]

    run = await office.start("a")

    assert await office.bulk.last(ACME) == run


async def test_none_begins_before_the_summary_of_the_last_one_is_sent(office: Office) -> None:
    await office.start("a")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    office.posts.errors = [SlackUnreachableError("down")] * 2
    office.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)

    with pytest.raises(BulkScanRunsError):
        await office.start("b")
    await office.pass_by(timedelta(hours=1))

    assert "1 domain scanned" in office.summary
    assert len(office.lists.asked) == 1
    assert (await office.start("b")).left


async def test_a_summary_whose_answer_was_lost_is_sent_once_and_shown_in_place_of_the_progress(
    office: Office,
) -> None:
    await office.start("a")
    office.posts.answers_lost = 1

    await office.pass_by()
    office.posts.errors = [SlackUnavailableError("down")]
    for _ in range(3):
        await office.pass_by(timedelta(hours=1))

    assert ["1 domain scanned" in text for _, text in office.posts.notified] == [False, True]
    assert "1 domain scanned" in office.posts.edited[-1][1]
    assert not office.posts.errors


async def test_a_summary_that_slack_does_not_take_is_sent_less_and_less_often(
    office: Office,
) -> None:
    await office.start("a")
    waits = []

    for _ in range(4):
        office.posts.errors = [SlackUnreachableError("down")] * 9
        await office.pass_by(timedelta(hours=1))
        stored = await office.documents.get(f"{ACME}/{KIND}")
        assert stored
        assert stored.due_at
        waits.append((stored.due_at - office.clock()) / timedelta(minutes=1))

    assert waits == [1, 2, 4, 8]


async def test_a_summary_that_is_under_way_is_not_due_for_another_process(
    office: Office,
) -> None:
    await office.start("a")
    office.posts.answers_lost = 1
    await office.pass_by()
    due: list[list[str]] = []

    async def look(*_: object) -> None:
        due.append(await office.documents.due_keys(office.clock()))

    office.posts.edit_dm = look  # type: ignore[method-assign,assignment]
    await office.pass_by()

    assert due == [[]]


async def test_a_summary_during_whose_post_the_process_was_killed_is_not_posted_again(
    office: Office,
) -> None:
    await office.start("a")
    send = office.posts.send_dm

    async def dies(*_: object) -> SentMessage:
        raise asyncio.CancelledError

    office.posts.send_dm = dies  # type: ignore[method-assign,assignment]
    await office.pass_by()
    office.posts.send_dm = send  # type: ignore[method-assign]
    office.bulk = office.process()
    await office.pass_by(LEASE)

    assert len(office.posts.notified) == 1
    assert "1 domain scanned" in office.posts.edited[-1][1]


async def test_a_stop_of_the_process_hands_it_over_at_once(office: Office) -> None:
    await office.start("ab")
    office.gate.clear()
    await office.bulk.run_due()
    await office.is_asked.wait()
    office.bulk.stop_all()
    office.gate.set()
    assert await office.tasks.drain(TIME_LIMIT_S)
    office.bulk = office.process()

    await office.pass_by()

    assert office.scanned == ["a", "b"]


def test_a_domain_without_an_id_is_left_out() -> None:
    assert items_of([a_domain(domain_id=None)]) == []
