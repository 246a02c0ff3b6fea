"""The state of a key tells what all processes know, and not only this one."""

from collections import Counter

import pytest

from bot.admin import Audiences, Managers
from bot.api_keys.repository import Keys
from bot.listeners.domainkey import KeyState
from bot.shared_limits import QuotaService
from bot.slack.client import Member
from bot.tracker.rate_limit import RateLimiter, RateLimitState
from bot.tracker.usage import BUCKET_S, UsageCounter
from bot.workspace import WorkspaceId, person
from tests.api_keys.test_repository import RING, a_draft
from tests.builders import KEY
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ACME = WorkspaceId("T1")


async def test_it_is_told_as_all_processes_know_it() -> None:
    documents, clock = MemoryDocuments(), FakeClock()
    keys = Keys(documents, RING, clock=clock)
    budget, meter = RateLimiter(clock=clock.seconds), UsageCounter(clock=clock.seconds)
    await keys.save(ACME, a_draft(KEY), set_by="U1")

    async def refresh(workspace: WorkspaceId, fingerprint: str) -> None:
        now = clock.seconds()
        budget.learn(fingerprint, RateLimitState(told_at=now, remaining=812))
        used = {int(now // BUCKET_S): Counter({person("U7"): 23})}
        meter.learn((workspace, fingerprint), used)

    state = KeyState(
        keys=keys,
        managers=Managers(documents),
        audiences=Audiences(documents),
        allowances=QuotaService(keys, budget, meter, refresh=refresh),
        clock=clock,
    )
    text = str(
        (
            await state.message_for(Member("U1", "Ada", is_admin=True, is_stranger=False), ACME)
        ).blocks
    )

    assert "812 requests left this hour" in text
    assert "<@U7> 23" in text
