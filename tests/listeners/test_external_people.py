"""People of other companies are kept out, whatever they type."""

from dataclasses import dataclass
from typing import Any

import pytest

from bot.dispatch.error_boundary import KNOWN_FOR_S, ExternalUserGuard
from bot.process.errors import ExternalUserError
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member
from bot.slack.errors import SlackError, SlackRefusedError, SlackUnavailableError
from bot.slack.replies import Origin
from tests.fakes import FakeClock


@dataclass(kw_only=True)
class Visit:
    """A request of somebody of whom Slack says what the test wants; counts how often."""

    workspace = WorkspaceId("T1")
    origin = Origin("U1")
    is_from_elsewhere = False
    asked = 0
    is_stranger = False
    error: SlackError | None = None

    async def fetch_member(self) -> Member:
        self.asked += 1
        if self.error:
            raise self.error
        return Member("U1", "zoe", is_admin=False, is_stranger=self.is_stranger)


@pytest.fixture
def visit() -> Any:
    return Visit()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def strangers(clock: FakeClock) -> ExternalUserGuard:
    return ExternalUserGuard(clock=clock.seconds)


async def test_slack_is_asked_every_ten_minutes(
    visit: Any, strangers: ExternalUserGuard, clock: FakeClock
) -> None:
    for wait_s in (0, KNOWN_FOR_S - 1, 2):
        clock.advance(wait_s)
        await strangers.check(visit)

    assert visit.asked == 2


async def test_an_id_counts_for_one_workspace(visit: Any, strangers: ExternalUserGuard) -> None:
    await strangers.check(visit)
    visit.workspace, visit.is_stranger = WorkspaceId("T2"), True

    with pytest.raises(ExternalUserError):
        await strangers.check(visit)


async def test_a_foreign_payload_is_checked_each_time(
    visit: Any, strangers: ExternalUserGuard
) -> None:
    await strangers.check(visit)
    visit.is_from_elsewhere, visit.error = True, SlackUnavailableError("away")

    with pytest.raises(SlackUnavailableError):
        await strangers.check(visit)


@pytest.mark.parametrize(
    "error", [SlackUnavailableError("away"), SlackRefusedError("user_not_found")], ids=str
)
async def test_a_silent_slack_delays_no_one(
    visit: Any, strangers: ExternalUserGuard, error: SlackError
) -> None:
    visit.error = error

    await strangers.check(visit)


async def test_an_invisible_person_is_kept_out(visit: Any, strangers: ExternalUserGuard) -> None:
    visit.error = SlackRefusedError("user_not_visible")

    with pytest.raises(ExternalUserError):
        await strangers.check(visit)
