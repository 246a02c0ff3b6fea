"""Who is told what after an installation; whatever fails there, the installation stands."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.installations.models import Installation
from bot.installations.welcome import Arrival, Setup, Welcome
from bot.message import Message
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.workspace import WorkspaceId
from tests.builders import ADMIN_ID, MOMENT
from tests.fakes import TIME_LIMIT_S, FakePosts
from tests.installations.builders import ACME, IN_ORG, ORG, Registry, an_installation
from tests.slack.test_membership import Pages, channels

pytestmark = pytest.mark.anyio


class Desk:
    """A welcome with everything around it; `arrivals` are what it found words for."""

    def __init__(self) -> None:
        self.registry, self.posts, self.tasks = Registry(), FakePosts(), Tasks()
        self.client: AsyncWebClient = Pages(channels("C1"))
        self.client_error: Exception | None = None
        self.arrivals: list[Arrival] = []
        self.homes: list[tuple[WorkspaceId, str]] = []
        self.home_error: Exception | None = None
        self.noted: list[tuple[WorkspaceId, bool]] = []
        self.welcome = Welcome(
            self.registry.documents,
            self.posts.send_dm,
            self.tasks,
            words=self.words,
            client_for=self.client_for,
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

    async def client_for(self, _workspace: WorkspaceId) -> AsyncWebClient:
        if self.client_error:
            raise self.client_error
        return self.client

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
def desk() -> Desk:
    return Desk()


async def test_the_installer_is_greeted_once_and_has_home_ready(desk: Desk) -> None:
    await desk.install()

    assert desk.posts.told == [(ADMIN_ID, "welcome")]
    assert desk.homes == [(ACME, ADMIN_ID)]


async def test_a_bot_that_is_in_channels_already_has_lost_its_store(desk: Desk) -> None:
    await desk.install()

    [arrival] = desk.arrivals
    assert (arrival.may_set_key, arrival.setup, arrival.lost_in) == (True, None, ("C1",))


async def test_a_bot_that_is_in_no_channel_is_new(desk: Desk) -> None:
    desk.client = Pages([])

    await desk.install(installed_by="U0BOB")

    [arrival] = desk.arrivals
    assert (arrival.may_set_key, arrival.setup, arrival.lost_in) == (False, None, ())


async def test_what_was_set_up_before_is_counted(desk: Desk) -> None:
    await desk.registry.set_up(ACME)

    await desk.install(before=an_installation())

    [arrival] = desk.arrivals
    assert arrival.setup == Setup(has_key=True, digests=1)
    assert (arrival.was_revoked, arrival.lost_in) == (False, ())


async def test_without_an_earlier_installation_its_documents_count(desk: Desk) -> None:
    """As of a bot that had one token before, and is installed by OAuth now."""
    await desk.registry.documents.put(f"{ACME}/key", {})

    await desk.install()

    assert desk.arrivals[0].setup == Setup(has_key=True, digests=0)


async def test_an_earlier_installation_without_anything_set_up_has_lost_nothing(
    desk: Desk,
) -> None:
    await desk.install(before=an_installation(tokens=None, revoked_at=MOMENT))

    [arrival] = desk.arrivals
    assert arrival.setup == Setup(has_key=False, digests=0)
    assert (arrival.was_revoked, arrival.lost_in) == (True, ())


async def test_an_organisation_has_no_home_and_no_channels(desk: Desk) -> None:
    await desk.install(home=ORG)

    assert desk.arrivals == [Arrival(installation=an_installation(ORG))]
    assert desk.homes == []


async def test_a_slack_that_does_not_say_where_the_bot_is_costs_only_that(desk: Desk) -> None:
    desk.client_error = SlackUnreachableError("no such host")

    await desk.install()

    assert desk.arrivals[0].lost_in == ()
    assert desk.posts.told == [(ADMIN_ID, "welcome")]


@pytest.mark.parametrize(
    "error", [SlackUnreachableError("away"), TokenRefusedError("x"), ValueError("unforeseen")]
)
async def test_home_is_ready_although_nobody_could_be_greeted(
    desk: Desk, error: Exception
) -> None:
    desk.posts.errors = [error]

    await desk.install()

    assert desk.posts.told == []
    assert desk.homes == [(ACME, ADMIN_ID)]
    assert desk.noted == [(ACME, False)]


async def test_home_that_cannot_be_shown_is_only_logged(desk: Desk) -> None:
    desk.home_error = SlackUnreachableError("away")

    await desk.install()

    assert desk.posts.told == [(ADMIN_ID, "welcome")]


async def test_the_history_does_not_make_a_lost_store_look_set_up(desk: Desk) -> None:
    await desk.install()

    assert desk.noted == [(ACME, False)]
    assert desk.arrivals[0].lost_in == ("C1",)


async def test_a_workspace_that_an_organisation_was_given_for_is_greeted_once(desk: Desk) -> None:
    for _ in range(2):
        await desk.welcome.on_granted(IN_ORG, an_installation(ORG))
        assert await desk.tasks.drain(TIME_LIMIT_S)

    assert desk.posts.told == [(ADMIN_ID, "welcome")]
    assert desk.noted == [(IN_ORG, False)]
    assert desk.homes == [(IN_ORG, ADMIN_ID)]
