"""The client with which the bot acts when nobody has just asked."""

from dataclasses import replace

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.installations.authorize import Clients
from bot.installations.models import organisation
from bot.installations.repository import Directory
from bot.installations.token_rotation import TokenProvider
from bot.slack.errors import TokenRefusedError
from bot.workspace import WorkspaceId
from tests.fakes import FakeClock
from tests.installations.renewals import ONE, Renewals, a_memory, a_shelf, an_installation
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

IN_ORG = WorkspaceId("T1", "E1")
WHOLE = organisation("E1")


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture
def clients(documents: MemoryDocuments) -> Clients:
    clock = FakeClock()
    recent = a_memory(documents, clock.seconds)
    tokens = TokenProvider(recent, Renewals().refresh, tasks=Tasks(), clock=clock)
    return Clients(Directory(recent), tokens, lambda token: AsyncWebClient(token=token))


async def test_a_workspace_gets_a_client_with_its_own_token(
    clients: Clients, documents: MemoryDocuments
) -> None:
    await a_shelf(documents).put(an_installation(ONE, "xoxb-one"))
    await a_shelf(documents).put(an_installation(WorkspaceId("T2"), "xoxb-two"))

    assert (await clients(ONE)).token == "xoxb-one"
    assert (await clients(WorkspaceId("T2"))).token == "xoxb-two"


async def test_an_organisations_token_names_the_workspace_in_every_call(
    clients: Clients, documents: MemoryDocuments
) -> None:
    await a_shelf(documents).put(an_installation(WHOLE, "xoxb-org"))

    assert (await clients(IN_ORG)).default_params == {"team_id": "T1"}
    assert (await clients(WHOLE)).default_params == {}


async def test_a_workspace_without_the_app_has_no_client(
    clients: Clients, documents: MemoryDocuments
) -> None:
    with pytest.raises(TokenRefusedError):
        await clients(ONE)
    await a_shelf(documents).put(replace(an_installation(ONE), tokens=None))

    with pytest.raises(TokenRefusedError):
        await clients(ONE)
