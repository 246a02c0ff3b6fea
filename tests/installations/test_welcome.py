"""Who is notified of what after an installation; whatever fails there, the installation stands."""

from typing import Any

import pytest
import structlog
from slack_bolt.authorization import AuthorizeResult

from bot.blocks.message import Message
from bot.installations.installation import Installation
from bot.installations.welcome import Arrival, StoreCheck, Welcome
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from tests.builders import ADMIN_ID
from tests.fakes import TIME_LIMIT_S, FakePosts
from tests.installations.builders import ACME, IN_ORG, ORG, Registry, an_installation


class Bot:
    """A welcome with everything around it; `arrivals` are what it found words for."""

    def __init__(self) -> None:
        self.registry, self.posts, self.tasks = Registry(), FakePosts(), Tasks()
        self.arrivals: list[Arrival] = []
        self.noted: list[tuple[WorkspaceId, bool]] = []
        self.welcome = Welcome(
            self.registry.documents,
            self.posts.send_dm,
            self.tasks,
            words=self.words,
            has_key=self.has_key,
            may_set_key=self.may_set_key,
            note=self.note,
        )

    async def note(self, installation: Installation, before: Installation | None) -> None:
        self.noted.append((installation.home, before is not None))
        await self.registry.documents.put(f"{installation.home}/audit", {})

    def words(self, arrival: Arrival) -> Message:
        self.arrivals.append(arrival)
        return Message("welcome")

    async def has_key(self, workspace: WorkspaceId) -> bool:
        return bool(await self.registry.keys(f"{workspace}/key"))

    async def may_set_key(self, _workspace: WorkspaceId, user_id: str) -> bool:
        return user_id == ADMIN_ID

    async def install(self, before: Installation | None = None, **fields: Any) -> None:
        installation = an_installation(**fields)
        await self.registry.repository.put(installation)
        await self.welcome.on_installed(installation, before)
        assert await self.tasks.drain(TIME_LIMIT_S)


@pytest.fixture
def bot() -> Bot:
    return Bot()


async def test_the_installer_is_greeted_once(bot: Bot) -> None:
    await bot.install()

    assert bot.posts.notified == [(ADMIN_ID, "welcome")]
    assert bot.noted == [(ACME, False)]
    [arrival] = bot.arrivals
    assert (arrival.may_set_key, arrival.has_key) == (True, False)


async def test_a_key_of_before_is_known(bot: Bot) -> None:
    await bot.registry.set_up(ACME)

    await bot.install(before=an_installation())

    assert bot.arrivals[0].has_key


@pytest.mark.parametrize(
    "error", [SlackUnreachableError("away"), TokenRefusedError("x"), ValueError("unforeseen")]
)
async def test_it_is_noted_although_the_greeting_failed(bot: Bot, error: Exception) -> None:
    bot.posts.errors = [error]

    await bot.install()

    assert bot.posts.notified == []
    assert bot.noted == [(ACME, False)]


async def test_a_workspace_that_an_organisation_was_given_for_is_greeted_once(bot: Bot) -> None:
    for _ in range(2):
        await bot.welcome.on_granted(IN_ORG, an_installation(ORG))
        assert await bot.tasks.drain(TIME_LIMIT_S)

    assert bot.posts.notified == [(ADMIN_ID, "welcome")]
    assert bot.noted == [(IN_ORG, False)]


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
