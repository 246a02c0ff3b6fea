"""People of other companies are kept out, whatever they type."""

from typing import cast

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.dispatch.external_people import KNOWN_FOR_S, ExternalUserGuard
from bot.dispatch.request import Request
from bot.process.errors import StrangerError
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member
from bot.slack.errors import SlackError, SlackRefusedError, SlackUnavailableError
from bot.slack.replies import Origin, Replies
from tests.fakes import FakeClock

ACME = WorkspaceId("T1")


class Visit(Request):
    """A conversation with somebody of whom Slack says what the test wants; counts how often."""

    asked = 0
    is_stranger = False
    error: SlackError | None = None

    async def fetch_member(self) -> Member:
        Visit.asked += 1
        if self.error:
            raise self.error
        return Member("U1", "zoe", is_admin=False, is_stranger=self.is_stranger)


@pytest.fixture
def visit() -> Visit:
    Visit.asked = 0
    return Visit(
        workspace=ACME,
        origin=Origin("U1"),
        client=cast(AsyncWebClient, None),
        replies=cast(Replies, None),
    )


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def strangers(clock: FakeClock) -> ExternalUserGuard:
    return ExternalUserGuard(clock=clock.seconds)


async def test_slack_is_asked_every_ten_minutes(
    visit: Visit, strangers: ExternalUserGuard, clock: FakeClock
) -> None:
    for wait_s in (0, KNOWN_FOR_S - 1, 2):
        clock.advance(wait_s)
        await strangers.check(visit)

    assert Visit.asked == 2


async def test_an_id_counts_for_one_workspace(visit: Visit, strangers: ExternalUserGuard) -> None:
    await strangers.check(visit)
    visit.workspace, visit.is_stranger = WorkspaceId("T2"), True

    with pytest.raises(StrangerError):
        await strangers.check(visit)


async def test_a_foreign_payload_is_checked_each_time(
    visit: Visit, strangers: ExternalUserGuard
) -> None:
    await strangers.check(visit)
    visit.is_from_elsewhere, visit.error = True, SlackUnavailableError("away")

    with pytest.raises(SlackUnavailableError):
        await strangers.check(visit)


@pytest.mark.parametrize(
    "error", [SlackUnavailableError("away"), SlackRefusedError("user_not_found")], ids=str
)
async def test_a_silent_slack_delays_no_one(
    visit: Visit, strangers: ExternalUserGuard, error: SlackError
) -> None:
    visit.error = error

    await strangers.check(visit)


async def test_an_invisible_person_is_kept_out(visit: Visit, strangers: ExternalUserGuard) -> None:
    visit.error = SlackRefusedError("user_not_visible")

    with pytest.raises(StrangerError):
        await strangers.check(visit)
