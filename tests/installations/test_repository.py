"""Which installation serves a workspace, with which client, and how long that is remembered."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.authorize import Clients
from bot.installations.installation import organisation
from bot.installations.repository import ResolvedInstallation
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.store.documents import ConflictError
from tests.fakes import FakeClock
from tests.installations.builders import (
    a_memory,
    a_revoked_installation,
    a_shelf,
    an_installation,
)
from tests.loops import loop_over
from tests.memory import EventfulDocuments

pytestmark = pytest.mark.anyio

ALONE, IN_ORG, WHOLE = WorkspaceId("T1"), WorkspaceId("T1", "E1"), organisation("E1")
OWN, OF_ORG = (ALONE, ALONE), (WHOLE, IN_ORG)


def served(found: ResolvedInstallation | None) -> tuple[WorkspaceId, WorkspaceId] | None:
    """Return the home of an installation, and the workspace that it serves."""
    return (found.installation.home, found.workspace) if found else None


class Room:
    """A store, what is remembered of it, and a clock."""

    def __init__(self) -> None:
        self.clock, self.documents = FakeClock(), EventfulDocuments()
        self.shelf = a_shelf(self.documents)
        self.recent = a_memory(self.documents, self.clock.seconds)
        self.client = Clients(self.recent, lambda token: AsyncWebClient(token=token))

    async def install(self, *homes: WorkspaceId) -> None:
        for home in homes:
            await self.shelf.put(an_installation(home))

    async def put(self, name: str) -> None:
        await self.shelf.put(an_installation(name=name))

    async def name(self) -> str | None:
        found = await self.recent.recent(ALONE)
        return found.installation.name if found else None


@pytest.fixture
def room() -> Room:
    return Room()


@loop_over(
    ("installed", "expected"),
    [
        ([IN_ORG], (IN_ORG, IN_ORG)),
        ([WHOLE], OF_ORG),
        ([IN_ORG, WHOLE], (IN_ORG, IN_ORG)),
        ([ALONE], OWN),
        ([ALONE, WHOLE], OWN),
        ([], None),
        ([WorkspaceId("T2", "E1"), WorkspaceId("T1", "E2"), organisation("E2")], None),
    ],
    ids=["own", "org", "own-before-org", "moved", "moved-before-org", "none", "others"],
)
async def test_a_request_inside_an_organisation_is_served_by(
    installed: list[WorkspaceId], expected: tuple[WorkspaceId, WorkspaceId] | None
) -> None:
    room = Room()
    await room.install(*installed)

    assert served(await room.recent.find("T1", "E1", is_org_install=True)) == expected


async def test_a_request_that_is_not_for_an_organisations_app_never_gets_its_token(
    room: Room,
) -> None:
    await room.install(WHOLE)

    assert await room.recent.find("T1", "E1", is_org_install=False) is None
    assert await room.recent.find("T1", None) is None
    assert await room.recent.find("E1", "E1", is_org_install=True) is None  # no workspace
    assert served(await room.recent.find("T1", "E1")) == OF_ORG


async def test_an_installation_without_tokens_leaves_room_for_the_organisations(
    room: Room,
) -> None:
    await room.install(WHOLE)
    await room.shelf.put(a_revoked_installation(IN_ORG))

    assert served(await room.recent.find("T1", "E1", is_org_install=True)) == OF_ORG


async def test_what_another_process_installed_a_moment_ago_is_found(room: Room) -> None:
    await room.shelf.put(a_revoked_installation(ALONE))
    assert await room.recent.find("T1", None) is None
    await room.recent.recent(ALONE)

    await room.install(ALONE)

    assert served(await room.recent.find("T1", None)) == OWN


async def test_a_known_workspace_is_served_by_its_own_or_its_organisations(room: Room) -> None:
    assert await room.recent.resolve(IN_ORG) is None
    await room.install(WHOLE)
    assert served(await room.recent.resolve(IN_ORG)) == OF_ORG
    await room.install(IN_ORG)
    room.recent.forget(IN_ORG)

    assert served(await room.recent.resolve(IN_ORG)) == (IN_ORG, IN_ORG)
    assert served(await room.recent.resolve(WHOLE)) == (WHOLE, WHOLE)


async def test_a_client_has_the_token_and_the_workspace_in_which_it_acts(room: Room) -> None:
    await room.install(WHOLE, WorkspaceId("T2"))

    clients = [await room.client(each) for each in (IN_ORG, WorkspaceId("T2"))]

    assert [(each.token, each.default_params.get("team_id")) for each in clients] == [
        ("xoxb-E1.-", "T1"),
        ("xoxb--.T2", None),
    ]


async def test_a_workspace_without_the_app_has_no_client(room: Room) -> None:
    with pytest.raises(TokenRefusedError):
        await room.client(ALONE)
    await room.shelf.put(a_revoked_installation(ALONE))

    with pytest.raises(TokenRefusedError):
        await room.client(ALONE)


async def test_an_installation_is_read_once_in_five_seconds(room: Room) -> None:
    assert [await room.name() for _ in range(3)] == [None] * 3
    await room.recent.put(an_installation(name="before"), if_rev=0)
    assert [await room.name() for _ in range(50)] == ["before"] * 50
    await room.put("after")
    room.clock.advance(4)
    assert await room.name() == "before"
    assert len(room.documents.read) == 1

    room.clock.advance(2)

    assert await room.name() == "after"


async def test_what_was_not_written_here_or_forgotten_is_read_again(room: Room) -> None:
    await room.put("before")
    await room.name()
    await room.put("after")

    with pytest.raises(ConflictError):
        await room.recent.put(an_installation(name="too late"), if_rev=0)
    assert await room.name() == "after"

    await room.put("later")
    room.recent.forget(ALONE)
    assert await room.name() == "later"


async def test_without_its_store_nothing_is_sent_for_any_workspace(room: Room) -> None:
    await room.install(ALONE)
    await room.documents.close()

    with pytest.raises(SlackUnreachableError):
        await room.client(ALONE)
