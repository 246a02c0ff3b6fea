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
from bot.slack.errors import PersonUnreachableError, SlackUnreachableError
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

ACME, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
BOB = "U0BOB"
MOMENTS = timedelta(seconds=1)
DOWN = UnavailableError("down", status=503)


@dataclass
class Bot:
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

    async def begin_scan(self) -> None:
        """Do what is due until the service is asked for a scan, which it does not answer yet."""
        self.gate.clear()
        self.is_asked.clear()
        await self.bulk.run_due()
        await self.is_asked.wait()

    async def finish(self) -> None:
        """Let the service answer, and everything under way end."""
        self.gate.set()
        assert await self.tasks.drain(TIME_LIMIT_S)

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
def bot() -> Bot:
    return Bot()


async def test_each_domain_is_scanned_once_and_the_list_is_asked_once(bot: Bot) -> None:
    await bot.start("abca")

    run = await bot.pass_by()
    await bot.pass_by(timedelta(days=1))

    assert bot.scanned == ["a", "b", "c"]
    assert len(bot.lists.asked) == 1
    assert run.end is End.DONE
    assert [item.score_after for item in run.done] == [41, 41, 41]
    assert [who for who, _ in bot.posts.notified] == [BOB, BOB]
    assert "3 domains scanned." in bot.summary


async def test_of_more_than_one_takes_the_first_are_scanned(bot: Bot) -> None:
    run = await bot.start("".join(map(chr, range(0x4E00, 0x4E00 + MAX_DOMAINS + 5))))

    assert [item.domain_id for item in run.left] == list(map(chr, range(0x4E00, 0x4E00 + 200)))


@loop_over(("every_s", "shown"), [(0.0, [0, 1, 2, 3]), (3600.0, [0, 3])])
async def test_progress_is_shown_but_not_too_often(every_s: float, shown: list[int]) -> None:
    bot = Bot(shown_every_s=every_s)
    await bot.start("abc")

    await bot.pass_by()

    texts = [text for _, text in bot.posts.edited]
    assert [int(text.partition(" of 3 done")[0][-1]) for text in texts] == shown


async def test_progress_held_back_is_shown_during_the_next_scan() -> None:
    bot = Bot(shown_every_s=0.2)
    await bot.start("ab")
    await bot.begin_scan()
    is_shown, edit = asyncio.Event(), bot.posts.edit_dm

    async def note(*what: Any) -> None:
        await edit(*what)
        is_shown.set()

    bot.posts.edit_dm = note  # type: ignore[method-assign,assignment]
    bot.gate.set()
    bot.gate.clear()  # the next scan is held
    await is_shown.wait()
    await bot.finish()

    assert "1 of 2 done" in bot.posts.edited[1][1]


async def test_a_third_workspace_does_not_wait_for_two_long_ones(bot: Bot) -> None:
    workspaces = [WorkspaceId(f"T{number}") for number in range(AT_ONCE + 1)]
    bot.gate.clear()
    for workspace in workspaces:
        await bot.start("abcd", workspace)
        bot.clock.now += MOMENTS
    await bot.bulk.run_due()
    await bot.is_asked.wait()
    bot.gate.set()
    for _ in range(2):
        assert await bot.tasks.drain(TIME_LIMIT_S)
        await bot.bulk.run_due()
    assert await bot.tasks.drain(TIME_LIMIT_S)

    done = [len(run.done) for each in workspaces if (run := await bot.bulk.last(each))]
    assert min(done) > 0, done
    assert max(done) < 4, done


async def test_another_process_continues_after_a_kill(bot: Bot) -> None:
    await bot.start("abc")
    await bot.begin_scan()
    await bot.tasks.cancel()  # killed: nothing more is written
    bot.gate.set()
    bot.bulk = bot.process()

    await bot.pass_by()
    assert bot.scanned == ["a"]
    run = await bot.pass_by(LEASE)

    assert bot.scanned == ["a", "b", "c"]
    assert [item.trouble for item in run.done] == [INTERRUPTED, None, None]
    assert "the result is unknown" in bot.summary


async def test_of_two_processes_that_find_it_at_the_same_moment_one_scans(bot: Bot) -> None:
    await bot.start("abc")
    other = bot.process()

    await other.run_due()
    run = await bot.pass_by()

    assert bot.scanned == ["a", "b", "c"]
    assert [item.trouble for item in run.done] == [None, None, None]


async def test_a_scan_that_ended_before_the_kill_counts(bot: Bot) -> None:
    await bot.start("ab")
    put, documents = bot.documents.put, bot.documents

    async def dies(key: str, value: object, **how: object) -> object:
        """Lose everything that is written after the report of the first scan."""
        if key.endswith("/scan/a.example"):
            documents.put = refuses  # type: ignore[method-assign,assignment]
        return await put(key, value, **how)  # type: ignore[arg-type]

    async def refuses(*_: object, **__: object) -> object:
        raise asyncio.CancelledError

    documents.put = dies  # type: ignore[method-assign,assignment]
    await bot.bulk.run_due()
    assert await bot.tasks.drain(TIME_LIMIT_S)
    documents.put = put  # type: ignore[method-assign]
    bot.bulk = bot.process()
    run = await bot.pass_by(LEASE)

    assert bot.scanned == ["a", "b"]
    assert [item.trouble for item in run.done] == [None, None]


async def test_an_older_scan_does_not_count_as_the_one_that_was_cut_off(bot: Bot) -> None:
    await bot.start("a")
    await bot.pass_by()
    await bot.start("a")
    bot.clock.now += LEASE
    await bot.begin_scan()
    await bot.tasks.cancel()
    bot.bulk = bot.process()

    run = await bot.pass_by(LEASE)

    assert [item.trouble for item in run.done] == [INTERRUPTED]


async def test_a_long_scan_is_not_taken_over(bot: Bot) -> None:
    await bot.start("a")
    await bot.begin_scan()
    for _ in range(3):
        bot.clock.now += LEASE / 2
        while await bot.documents.due_keys(bot.clock() + LEASE / 2 - MOMENTS):  # noqa: ASYNC110  # a store has no event
            await asyncio.sleep(0)  # until it is renewed
    bot.bulk = bot.process()
    await bot.bulk.run_due()
    bot.gate.set()

    run = await bot.pass_by()

    assert bot.scanned == ["a"]
    assert [item.trouble for item in run.done] == [None]


async def test_a_store_failure_costs_no_scan(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    await bot.start("a")
    await bot.begin_scan()
    has_failed = asyncio.Event()

    async def fail(*_args: object, **_how: object) -> Document:
        has_failed.set()
        raise StoreError("the database restarts")

    with monkeypatch.context() as patch:
        patch.setattr(bot.documents, "put", fail)
        await has_failed.wait()
    bot.gate.set()

    run = await bot.pass_by()

    assert [item.trouble for item in run.done] == [None]


async def test_a_process_taken_for_dead_stops_writing(bot: Bot) -> None:
    await bot.start("ab")
    bot.gate.clear()
    first, bot.bulk = bot.bulk, bot.process()
    await first.run_due()
    await bot.is_asked.wait()
    bot.clock.now += LEASE
    await bot.begin_scan()
    await bot.finish()

    run = await bot.bulk.last(ACME)
    assert run
    assert bot.scanned == ["a", "b"]
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
async def test_a_stop_ends_the_wait_for_requests(error: BotError, wait: timedelta) -> None:
    bot = Bot()
    bot.errors = {"a": [error], "b": [error]}
    run = await bot.start("abc")

    await bot.pass_by()
    early = await bot.pass_by(wait - timedelta(seconds=1))
    waits = await bot.pass_by(timedelta(seconds=1))
    await bot.bulk.stop(ACME, run.run_id, BOB)
    after = await bot.pass_by()

    assert "Waiting for free requests" in bot.posts.edited[1][1]
    assert early.done == ()
    assert waits.waits_until
    assert bot.scanned == ["a", "a", "b"]
    assert after.end is End.STOPPED
    assert [item.trouble for item in after.done] == [None]


async def test_a_stop_during_a_limited_scan_ends_the_bulk_scan(bot: Bot) -> None:
    bot.errors = {"a": [RateLimitedError(3600)]}
    run = await bot.start("ab")
    await bot.begin_scan()
    await bot.bulk.stop(ACME, run.run_id, BOB)
    assert "Stopping after" in bot.posts.edited[-1][1]
    bot.gate.set()

    after = await bot.pass_by()

    assert after.end is End.STOPPED
    assert "Stopped: 0 of 2 domains" in bot.summary


async def test_a_failed_domain_is_named_and_the_others_are_scanned(bot: Bot) -> None:
    bot.errors = {
        "a": [RejectedError(404, "gone")],
        "b": [TimedOutError(is_outcome_unknown=True)],
    }
    await bot.start("abc")

    run = await bot.pass_by()

    assert [item.trouble for item in run.done] == ["rejected", "timed_out", None]
    assert "1 of 3 domains scanned, 2 failed" in bot.summary
    assert "a.example: Domain Tracker declined it" in bot.summary
    assert "may still have been scanned" in bot.summary


async def test_a_service_that_is_down_ends_it(bot: Bot) -> None:
    bot.errors = {name: [DOWN] for name in "abcdefgh"}
    await bot.start("abcdefgh")

    run = await bot.pass_by()

    assert run.end is End.FAILING
    assert len(bot.scanned) == len(run.done) == FAILURES_IN_ROW
    assert bot.lists.asked == []
    assert "several scans in a row failed" in bot.summary


async def test_failures_between_scans_do_not_end_it(bot: Bot) -> None:
    names = "abcdefghi"
    bot.errors = {name: [DOWN] for name in names.replace("e", "")}
    await bot.start(names)

    run = await bot.pass_by()

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
    bot = Bot()
    bot.errors = {"b": [error]}
    await bot.start("abc")

    run = await bot.pass_by()

    assert run.end is end
    assert words in bot.summary
    assert [item.host for item in run.left] == ["b.example", "c.example"]
    assert "`/domainkey`" not in bot.summary
    assert "/domainkey" in bot.summary


async def test_a_forgotten_workspace_gets_nothing_more(bot: Bot) -> None:
    await bot.start("abc")
    await bot.begin_scan()
    await bot.documents.delete_prefix(f"{ACME}/")
    await bot.finish()

    assert bot.scanned == ["a"]
    assert await bot.bulk.last(ACME) is None
    assert len(bot.posts.notified) == 1


async def test_nothing_begins_when_the_person_cannot_be_written_to(bot: Bot) -> None:
    bot.posts.gone = {BOB}

    with pytest.raises(PersonUnreachableError):
        await bot.start("abc")

    assert await bot.bulk.last(ACME) is None


async def test_a_start_lost_before_its_message_scans_nothing(bot: Bot) -> None:
    class CutOffError(BaseException):
        """The process dies."""

    bot.posts.errors = [CutOffError()]  # type: ignore[list-item]  # no error of Slack's
    with pytest.raises(CutOffError):
        await bot.start("a")

    bot.clock.now += LEASE
    await bot.bulk.run_due()
    assert await bot.tasks.drain(TIME_LIMIT_S)
    again = await bot.start("b")

    assert bot.scanned == []
    assert again.ts


async def test_a_start_under_way_is_the_only_one(bot: Bot) -> None:
    send = bot.posts.send_dm

    async def look_and_send(*what: Any) -> SentMessage:
        await bot.bulk.run_due()
        assert await bot.tasks.drain(TIME_LIMIT_S)
        with pytest.raises(BulkScanRunsError):
            await bot.start("b")
        return await send(*what)

    bot.posts.send_dm = look_and_send  # type: ignore[method-assign,assignment]

    run = await bot.start("a")

    assert await bot.bulk.last(ACME) == run


async def test_the_next_one_waits_for_the_last_summary(bot: Bot) -> None:
    await bot.start("a")
    await bot.begin_scan()
    bot.posts.errors = [SlackUnreachableError("down")] * 2
    await bot.finish()

    with pytest.raises(BulkScanRunsError):
        await bot.start("b")
    await bot.pass_by(timedelta(hours=1))

    assert "1 domain scanned" in bot.summary
    assert len(bot.lists.asked) == 1
    assert (await bot.start("b")).left


async def test_a_summary_without_an_answer_is_not_repeated(bot: Bot) -> None:
    await bot.start("a")
    bot.posts.answers_lost = 1

    for _ in range(4):
        await bot.pass_by(timedelta(hours=1))

    assert ["1 domain scanned" in text for _, text in bot.posts.notified] == [False, True]
    assert "1 domain scanned" in bot.posts.edited[-1][1]


async def test_a_refused_summary_is_tried_less_and_less_often(bot: Bot) -> None:
    await bot.start("a")
    waits = []

    for _ in range(4):
        bot.posts.errors = [SlackUnreachableError("down")] * 9
        await bot.pass_by(timedelta(hours=1))
        stored = await bot.documents.get(f"{ACME}/{KIND}")
        assert stored
        assert stored.due_at
        waits.append((stored.due_at - bot.clock()) / timedelta(minutes=1))

    assert waits == [1, 2, 4, 8]


async def test_a_stop_of_the_process_hands_it_over_at_once(bot: Bot) -> None:
    await bot.start("ab")
    await bot.begin_scan()
    bot.bulk.stop_all()
    await bot.finish()
    bot.bulk = bot.process()

    await bot.pass_by()

    assert bot.scanned == ["a", "b"]


def test_a_domain_without_an_id_is_left_out() -> None:
    assert items_of([a_domain(domain_id=None)]) == []
