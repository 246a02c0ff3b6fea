"""Calls with a workspace's own key, and what is remembered of what the service says of it."""

import asyncio
import inspect
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.keys.key_record import KeyNotice, NoKeyError, NoticeKind
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import LackingScopeError, WorkspaceTracker
from bot.process.workspace import WorkspaceId
from bot.tracker.client import TrackerClient
from bot.tracker.models import InsufficientPermissionsError, InvalidKeyError
from tests.builders import KEY, MOMENT, a_domain
from tests.digests.builders import DocumentsOnDisk
from tests.fakes import FakeClock, FakeTracker
from tests.keys.test_repository import RING, a_draft
from tests.tracker.loopback import limits_of, uncounted

ONE = WorkspaceId("T1")
BOT = f"{Path(__file__).parents[2] / 'bot'}/"
NEW_KEY = KEY.replace("Q", "R")


class Lines:
    """A connection with everything around it."""

    def __init__(self) -> None:
        self.documents = DocumentsOnDisk()
        self.clock = FakeClock()
        self.keys = Keys(self.documents, RING, clock=self.clock)
        self.tracker = FakeTracker(a_domain())
        self.notified: list[WorkspaceId] = []
        self.connection = WorkspaceTracker(self.tracker, self.keys, on_refusal=self.tell)

    async def tell(self, workspace: WorkspaceId) -> None:
        self.notified.append(workspace)
        await self.keys.change(
            workspace,
            lambda pair: pair.notified(KeyNotice(NoticeKind.REFUSED), self.clock(), ()),
        )


@pytest.fixture
async def lines() -> Lines:
    lines = Lines()
    await lines.keys.save(ONE, a_draft(), set_by="U1")
    return lines


async def test_whether_there_is_a_usable_key_is_known_without_a_request(lines: Lines) -> None:
    await lines.connection.ready(ONE)
    with pytest.raises(NoKeyError):
        await lines.connection.ready(WorkspaceId("T2"))
    await lines.keys.note_refused(ONE, await lines.keys.stored(ONE))
    with pytest.raises(InvalidKeyError):
        await lines.connection.ready(ONE)

    assert lines.tracker.asked == []


async def test_a_refused_key_is_reported_once_and_not_sent_again(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InvalidKeyError("no")

    for _ in range(3):
        with pytest.raises(InvalidKeyError):
            await lines.connection.list_domains(ONE)

    assert len(lines.tracker.asked) == 1
    assert len(lines.notified) == 1


async def test_a_request_after_a_refusal_without_a_notice_yet_asks_for_the_notice(
    lines: Lines,
) -> None:
    await lines.keys.note_refused(ONE, await lines.keys.stored(ONE))  # and then killed
    for _ in range(2):
        with pytest.raises(InvalidKeyError):
            await lines.connection.list_domains(ONE)

    assert lines.notified == [ONE]


async def test_a_refused_key_is_tried_again_once_an_hour_and_heals(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InvalidKeyError("no")
    for minutes in (0, 59, 60, 61, 119, 120):
        lines.clock.now = MOMENT + timedelta(minutes=minutes)
        with pytest.raises(InvalidKeyError):
            await lines.connection.list_domains(ONE)

    assert len(lines.tracker.asked) == 3  # after 0, 60 and 120 minutes
    lines.tracker.errors.clear()
    lines.clock.now += timedelta(hours=1)
    await lines.connection.list_domains(ONE)
    record = await lines.keys.record(ONE)
    assert record is not None
    assert record.refused_at is None


async def test_a_refused_key_is_tried_again_once_at_a_slot(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InvalidKeyError("no")
    slot_at = MOMENT + timedelta(minutes=15)
    for minutes in (0, 15, 20, 25):
        lines.clock.now = MOMENT + timedelta(minutes=minutes, seconds=5)
        with pytest.raises(InvalidKeyError):
            await lines.connection.list_domains(ONE, slot_at=slot_at)

    assert len(lines.tracker.asked) == 2


async def test_a_key_refused_in_one_process_is_not_sent_by_another(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InvalidKeyError("no")
    keys = Keys(lines.documents, RING, clock=FakeClock())
    other = WorkspaceTracker(lines.tracker, keys, on_refusal=lines.tell)
    lines.tracker.before_answer = lambda: asyncio.sleep(0)  # so that both are under way

    outcomes = await asyncio.gather(
        *(each.list_domains(ONE) for each in (lines.connection, other)), return_exceptions=True
    )
    for each in (lines.connection, other):
        with pytest.raises(InvalidKeyError):
            await each.list_domains(ONE)

    assert all(isinstance(each, InvalidKeyError) for each in outcomes)
    assert len(lines.tracker.asked) == 2  # both at once, and nothing more
    assert len(lines.notified) == 1


async def test_checking_again_sends_a_refused_key_and_believes_the_answer(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InvalidKeyError("no")
    with pytest.raises(InvalidKeyError):
        await lines.connection.list_domains(ONE)
    lines.tracker.errors.clear()

    lines.clock.advance(1)
    await lines.connection.list_domains(ONE, slot_at=lines.clock())

    await lines.connection.list_domains(ONE)


async def test_a_missing_scope_is_remembered_for_its_operation(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InsufficientPermissionsError("no")

    with pytest.raises(LackingScopeError) as caught:
        await lines.connection.scan(ONE, "d1")

    assert caught.value.operation == "scan"
    assert (await lines.keys.stored(ONE)).record.lacks == ("scan",)


async def test_a_full_disk_does_not_hide_what_the_service_says(lines: Lines) -> None:
    lines.tracker.errors[KEY] = InvalidKeyError("no")
    lines.documents.is_full = True

    with pytest.raises(InvalidKeyError):
        await lines.connection.list_domains(ONE)


async def test_a_scan_passes_few_functions_on_its_way_to_the_service(lines: Lines) -> None:
    way: list[str] = []

    def answer(_request: httpx.Request) -> httpx.Response:
        frame = inspect.currentframe()
        while frame:
            if frame.f_code.co_filename.startswith(BOT):
                way.append(frame.f_code.co_qualname)
            frame = frame.f_back
        return httpx.Response(200, json={"dns": {}})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        client = TrackerClient(
            http, base_url="http://service", limits=limits_of(), on_call=uncounted
        )
        tracker = WorkspaceTracker(client, lines.keys, on_refusal=lines.tell)
        await tracker.scan(ONE, "d1")

    assert way == [
        "send",
        "TrackerClient._send",
        "TrackerClient._call",
        "TrackerClient.scan",
        "WorkspaceTracker.scan",
    ]
