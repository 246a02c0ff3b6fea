"""The state of a key tells what all processes know, and not only this one."""

import pytest

from bot.admin import Audiences, Managers
from bot.api_keys.repository import Keys
from bot.concurrency import Tasks
from bot.listeners.domainkey import KeyState
from bot.shared_limits import QuotaService
from bot.slack.client import Member
from bot.tracker.rate_limit import RateLimiter, fingerprint
from bot.workspace import WorkspaceId, caller_context, person
from tests.api_keys.test_repository import RING, a_draft
from tests.builders import KEY
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ACME = WorkspaceId("T1")


async def test_it_is_told_as_all_processes_know_it() -> None:
    documents, clock = MemoryDocuments(), FakeClock()
    keys = Keys(documents, RING, clock=clock)
    await keys.save(ACME, a_draft(KEY), set_by="U1")

    def a_process() -> QuotaService:
        return QuotaService(documents, keys, RateLimiter(clock=clock.seconds), tasks)

    tasks, known_as = Tasks(), fingerprint(KEY)
    other = a_process()
    with caller_context(ACME, person("U7")):
        for _ in range(23):
            other.count(known_as)
        other.after_request(known_as)
    assert await tasks.drain(TIME_LIMIT_S)
    state = KeyState(
        keys=keys,
        managers=Managers(documents),
        audiences=Audiences(documents),
        allowances=a_process(),
        clock=clock,
    )
    text = str(
        (
            await state.message_for(Member("U1", "Ada", is_admin=True, is_stranger=False), ACME)
        ).blocks
    )

    assert "<@U7> 23" in text
