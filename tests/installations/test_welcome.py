"""Who is notified of what after an installation; whatever fails there, the installation stands."""

from typing import Any

import pytest
import structlog
from slack_bolt.authorization import AuthorizeResult

from bot.concurrency import Tasks
from bot.installations.installation import Installation
from bot.installations.welcome import Arrival, Setup, StoreCheck, Welcome
from bot.message import Message
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.workspace import WorkspaceId
from tests.builders import ADMIN_ID
from tests.fakes import TIME_LIMIT_S, FakePosts
from tests.installations.builders import (
    ACME,
    IN_ORG,
    ORG,
    Registry,
    a_revoked_installation,
    an_installation,
)

pytestmark = pytest.mark.anyio


class Room:
    """A welcome with everything around it; `arrivals` are what it found words for."""

    def __init__(self) -> None:
        self.registry, self.posts, self.tasks = Registry(), FakePosts(), Tasks()
        self.arrivals: list[Arrival] = []
        self.homes: list[tuple[WorkspaceId, str]] = []
        self.home_error: Exception | None = None
        self.noted: list[tuple[WorkspaceId, bool]] = []
        self.welcome = Welcome(
            self.registry.documents,
            self.posts.send_dm,
            self.tasks,
            words=self.words,
            setup_of=self.setup_of,
            may_set_key=self.may_set_key,
            open_home=self.open_home,
            note=self.note,
        )

    async def note(self, installation: Installation, before: Installation | None) -> None:
        self.noted.append((installation.home, before is not None))
        await self.registry.documents.put(f"{installation.home}/audit", {})

    def words(self, arrival: Arrival) -> Message:
        self.arrivals.append(arrival)
        return Message("welcome")

    async def setup_of(self, workspace: WorkspaceId) -> Setup:
        digests = await self.registry.keys(f"{workspace}/digest/")
        return Setup(
            has_key=bool(await self.registry.keys(f"{workspace}/key")), digests=len(digests)
        )

    async def may_set_key(self, _workspace: WorkspaceId, user_id: str) -> bool:
        return user_id == ADMIN_ID

    async def open_home(self, workspace: WorkspaceId, user_id: str) -> None:
        if self.home_error:
            raise self.home_error
        self.homes.append((workspace, user_id))

    async def install(self, before: Installation | None = None, **fields: Any) -> None:
        installation = an_installation(**fields)
        await self.registry.shelf.put(installation)
        await self.welcome.on_installed(installation, before)
        assert await self.tasks.drain(TIME_LIMIT_S)


@pytest.fixture
def room() -> Room:
    return Room()


async def test_the_installer_is_greeted_once(room: Room) -> None:
    await room.install()

    assert room.posts.notified == [(ADMIN_ID, "welcome")]
    assert room.homes == [(ACME, ADMIN_ID)]
    assert room.noted == [(ACME, False)]  # which must not look like a set-up
    [arrival] = room.arrivals
    assert (arrival.may_set_key, arrival.setup) == (True, None)


async def test_what_was_set_up_before_is_counted(room: Room) -> None:
    await room.registry.set_up(ACME)

    await room.install(before=an_installation())

    [arrival] = room.arrivals
    assert arrival.setup == Setup(has_key=True, digests=1)
    assert not arrival.was_revoked


async def test_without_an_earlier_installation_its_documents_count(room: Room) -> None:
    """As of a bot that had one token before, and is installed by OAuth now."""
    await room.registry.documents.put(f"{ACME}/key", {})

    await room.install()

    assert room.arrivals[0].setup == Setup(has_key=True, digests=0)


async def test_an_earlier_installation_without_anything_set_up_counts(
    room: Room,
) -> None:
    await room.install(before=a_revoked_installation())

    [arrival] = room.arrivals
    assert arrival.setup == Setup(has_key=False, digests=0)
    assert arrival.was_revoked


async def test_a_home_that_slack_does_not_show_costs_only_that(room: Room) -> None:
    room.home_error = SlackUnreachableError("no such host")

    await room.install()

    assert room.posts.notified == [(ADMIN_ID, "welcome")]


@pytest.mark.parametrize(
    "error", [SlackUnreachableError("away"), TokenRefusedError("x"), ValueError("unforeseen")]
)
async def test_home_is_ready_although_nobody_could_be_greeted(
    room: Room, error: Exception
) -> None:
    room.posts.errors = [error]

    await room.install()

    assert room.posts.notified == []
    assert room.homes == [(ACME, ADMIN_ID)]
    assert room.noted == [(ACME, False)]


async def test_a_workspace_that_an_organisation_was_given_for_is_greeted_once(room: Room) -> None:
    for _ in range(2):
        await room.welcome.on_granted(IN_ORG, an_installation(ORG))
        assert await room.tasks.drain(TIME_LIMIT_S)

    assert room.posts.notified == [(ADMIN_ID, "welcome")]
    assert room.noted == [(IN_ORG, False)]
    assert room.homes == [(IN_ORG, ADMIN_ID)]


@pytest.mark.parametrize("is_known", [False, True])
async def test_a_store_without_the_one_tokens_workspace_is_warned_of_once_and_nobody_is_told(
    is_known: bool, room: Room
) -> None:
    documents = room.registry.documents
    await room.registry.set_up(ACME)
    await documents.delete_prefix(f"{ACME}/")  # until now it was gone

    async def own() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=ACME.team_id)

    store_check = StoreCheck(documents, own)
    if is_known:
        await room.registry.inner.put(f"{ACME}/key", {})

    with structlog.testing.capture_logs() as logs:
        for _ in range(2):
            await store_check.check()

    assert [(log["log_level"], log["workspace"]) for log in logs] == [("warning", str(ACME))] * (
        not is_known
    )
    assert room.posts.notified == []
    assert not await room.registry.is_refused(ACME)
