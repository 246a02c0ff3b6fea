"""Who is notified of what after an installation; whatever fails there, the installation stands."""

from typing import Any

import pytest
import structlog
from slack_bolt.authorization import AuthorizeResult

from bot.access.permissions import Permissions
from bot.access.repository import Act, Audit
from bot.installations.installation import Installation
from bot.installations.welcome import StoreCheck, Welcome
from bot.keys.repository import Keys
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from tests.builders import ADMIN_ID
from tests.fakes import TIME_LIMIT_S, FakePosts
from tests.installations.builders import ACME, IN_ORG, ORG, RING, Registry, an_installation
from tests.keys.test_repository import a_draft


class Posts(FakePosts):
    """Posts of a workspace with one admin."""

    async def member(self, workspace: WorkspaceId, user_id: str) -> Member:
        return Member(user_id, "Ada", user_id == ADMIN_ID, is_stranger=False)


class Bot:
    """A welcome with everything around it."""

    def __init__(self) -> None:
        self.registry, self.posts, self.tasks = Registry(), Posts(), Tasks()
        documents, clock = self.registry.documents, self.registry.clock
        self.keys = Keys(documents, RING, clock=clock)
        self.audit = Audit(documents, clock=clock)
        self.welcome = Welcome(
            documents,
            self.registry.repository,
            self.posts,
            self.tasks,
            self.keys,
            self.audit,
            Permissions(documents),
        )

    async def noted(self, home: WorkspaceId = ACME) -> list[Act]:
        return [entry.act for entry in await self.audit.entries(home)]

    async def install(self, before: Installation | None = None, **fields: Any) -> None:
        installation = an_installation(**fields)
        await self.registry.repository.put(installation)
        self.welcome.on_installed(installation, before)
        assert await self.tasks.drain(TIME_LIMIT_S)


@pytest.fixture
def bot() -> Bot:
    return Bot()


async def test_the_installer_is_greeted_once(bot: Bot) -> None:
    await bot.install()

    [(told, said)] = bot.posts.notified
    assert told == ADMIN_ID
    assert "Domain Tracker is installed in Acme" in said
    assert "Then press Set key" in said
    assert await bot.noted() == [Act.APP_INSTALLED]


async def test_a_key_of_before_is_known(bot: Bot) -> None:
    await bot.keys.save(ACME, a_draft(), set_by=ADMIN_ID)

    await bot.install(before=an_installation())

    assert "The key and the digests are as they were." in bot.posts.notified[0][1]
    assert await bot.noted() == [Act.APP_REINSTALLED]


@pytest.mark.parametrize(
    "error", [SlackUnreachableError("away"), TokenRefusedError("x"), ValueError("unforeseen")]
)
async def test_it_is_noted_although_the_greeting_failed(bot: Bot, error: Exception) -> None:
    bot.posts.errors = [error]

    await bot.install()

    assert bot.posts.notified == []
    assert await bot.noted() == [Act.APP_INSTALLED]


async def test_a_workspace_that_an_organisation_was_given_for_is_greeted_once(bot: Bot) -> None:
    await bot.registry.repository.put(an_installation(ORG))

    for _ in range(2):
        await bot.welcome.on_granted(IN_ORG)
        assert await bot.tasks.drain(TIME_LIMIT_S)

    assert [told for told, _ in bot.posts.notified] == [ADMIN_ID]
    assert await bot.noted(IN_ORG) == [Act.APP_INSTALLED]


@pytest.mark.parametrize("is_known", [False, True])
async def test_an_unknown_workspace_of_one_token_is_logged(is_known: bool, bot: Bot) -> None:
    documents = bot.registry.documents
    await bot.registry.set_up(ACME)
    await documents.delete_prefix(f"{ACME}/")  # until now it was gone

    async def own() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=ACME.team_id)

    store_check = StoreCheck(documents, own)
    if is_known:
        await bot.registry.inner.put(f"{ACME}/key", {})

    with structlog.testing.capture_logs() as logs:
        for _ in range(2):
            await store_check.check()

    assert [(log["log_level"], log["workspace"]) for log in logs] == [("warning", str(ACME))] * (
        not is_known
    )
    assert bot.posts.notified == []
    assert not await bot.registry.is_refused(ACME)
