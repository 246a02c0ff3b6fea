"""Which installation serves a workspace, with which client, and how long that is remembered."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.authorize import InstalledWorkspaces
from bot.installations.installation import organisation
from bot.installations.repository import CHECKED_EVERY, InstallationRepository, Served
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.store.documents import ConflictError
from bot.store.encryption import KeyRing
from tests.fakes import FakeClock
from tests.installations.builders import (
    a_memory,
    a_repository,
    a_revoked_installation,
    an_installation,
    kept,
)
from tests.loops import loop_over
from tests.memory import EventfulDocuments

ALONE, IN_ORG, WHOLE = WorkspaceId("T1"), WorkspaceId("T1", "E1"), organisation("E1")
OWN, OF_ORG = (ALONE, ALONE), (WHOLE, IN_ORG)


def served(found: Served | None) -> tuple[WorkspaceId, WorkspaceId] | None:
    """Return the home of an installation, and the workspace that it serves."""
    return (found[0].home, found[1]) if found else None


class Bot:
    """A store, what is remembered of it, and a clock."""

    def __init__(self) -> None:
        self.clock, self.documents = FakeClock(), EventfulDocuments()
        self.repository = a_repository(self.documents)
        self.recent = a_memory(self.documents, self.clock.seconds)
        self.client = InstalledWorkspaces(self.recent, AsyncWebClient, "").client_for

    async def install(self, *homes: WorkspaceId) -> None:
        for home in homes:
            await self.repository.put(an_installation(home))

    async def put(self, name: str) -> None:
        await self.repository.put(an_installation(name=name))

    async def name(self) -> str | None:
        found = await self.recent.recent(ALONE)
        return found.name if found else None


@pytest.fixture
def bot() -> Bot:
    return Bot()


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
    bot = Bot()
    await bot.install(*installed)

    assert served(await bot.recent.find("T1", "E1", is_org_install=True)) == expected


async def test_a_request_outside_the_organisations_app_gets_no_token(bot: Bot) -> None:
    await bot.install(WHOLE)

    assert await bot.recent.find("T1", "E1", is_org_install=False) is None
    assert await bot.recent.find("T1", None) is None
    assert await bot.recent.find("E1", "E1", is_org_install=True) is None  # no workspace
    assert served(await bot.recent.find("T1", "E1")) == OF_ORG
    await bot.repository.put(a_revoked_installation(IN_ORG))
    await bot.repository.put(a_revoked_installation(ALONE))
    assert served(await bot.recent.find("T1", "E1", is_org_install=True)) == OF_ORG
    assert await bot.recent.find("T1", None) is None
    await bot.install(ALONE)  # by another process, a moment ago
    assert served(await bot.recent.find("T1", None)) == OWN


async def test_a_known_workspace_is_served_by_its_own_or_its_organisations(bot: Bot) -> None:
    assert await bot.recent.resolve(IN_ORG) is None
    await bot.install(WHOLE)
    assert served(await bot.recent.resolve(IN_ORG)) == OF_ORG
    await bot.install(IN_ORG)
    bot.recent.forget(IN_ORG)

    assert served(await bot.recent.resolve(IN_ORG)) == (IN_ORG, IN_ORG)
    assert served(await bot.recent.resolve(WHOLE)) == (WHOLE, WHOLE)


async def test_a_client_has_the_token_and_the_workspace_in_which_it_acts(bot: Bot) -> None:
    await bot.install(WHOLE, WorkspaceId("T2"))

    clients = [await bot.client(each) for each in (IN_ORG, WorkspaceId("T2"))]

    assert [(each.token, each.default_params.get("team_id")) for each in clients] == [
        ("xoxb-E1.-", "T1"),
        ("xoxb--.T2", None),
    ]
    await bot.repository.put(a_revoked_installation(ALONE))
    for other in (ALONE, WorkspaceId("T9")):  # without the app
        with pytest.raises(TokenRefusedError):
            await bot.client(other)
    await bot.documents.close()
    with pytest.raises(SlackUnreachableError):
        await bot.client(ALONE)


async def test_an_installation_is_read_once_in_five_seconds(bot: Bot) -> None:
    assert [await bot.name() for _ in range(3)] == [None] * 3
    await bot.recent.put(an_installation(name="before"), if_rev=0)
    assert [await bot.name() for _ in range(50)] == ["before"] * 50
    await bot.put("after")
    bot.clock.advance(4)
    assert await bot.name() == "before"
    assert len(bot.documents.read) == 1

    bot.clock.advance(2)

    assert await bot.name() == "after"


async def test_what_was_not_written_here_or_forgotten_is_read_again(bot: Bot) -> None:
    await bot.put("before")
    await bot.name()
    await bot.put("after")

    with pytest.raises(ConflictError):
        await bot.recent.put(an_installation(name="too late"), if_rev=0)
    assert await bot.name() == "after"

    await bot.put("later")
    bot.recent.forget(ALONE)
    assert await bot.name() == "later"


async def test_a_new_installation_replaces_a_revoked_one(bot: Bot) -> None:
    revoked, given = a_revoked_installation(), an_installation(token="xoxb-new")
    await bot.repository.put(revoked)

    assert await bot.repository.install(given) == (given, revoked)
    check_at = given.installed_at + CHECKED_EVERY
    assert await bot.documents.due_keys(check_at) == [f"{ALONE}/installation"]


async def test_a_workspace_that_joined_an_organisation_keeps_its_id(bot: Bot) -> None:
    await bot.install(ALONE)

    made, _ = await bot.repository.install(an_installation(IN_ORG, "xoxb-new"))

    assert (made.home, await bot.repository.get(IN_ORG)) == (ALONE, None)
    assert (await kept(bot.documents)).token == "xoxb-new"


async def test_installing_again_repairs_a_token_whose_key_is_lost(bot: Bot) -> None:
    lost = InstallationRepository(bot.documents, KeyRing({"lost": b"2" * 32}))
    await lost.put(an_installation(ALONE, "xoxb-lost"))

    made, before = await bot.repository.install(an_installation(IN_ORG))

    assert before is None
    assert await kept(bot.documents) == made == an_installation(ALONE, "xoxb-E1.T1")


async def test_a_change_at_the_same_moment_is_looked_at_again(bot: Bot) -> None:
    await bot.install(ALONE)

    async def meddle() -> None:
        await bot.repository.put(an_installation(name="changed"))

    bot.documents.before["put"] = meddle

    _, before = await bot.repository.install(an_installation(token="xoxb-new"))

    assert before == an_installation(name="changed")
    assert (await kept(bot.documents)).token == "xoxb-new"
