"""A form that is redrawn while Slack fails for a moment."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.slack.client import AGAIN_AFTER_S, FORM_WAIT_S, open_form, put_form
from bot.slack.errors import SlackRateLimitedError, SlackRefusedError, SlackUnavailableError
from bot.views.blocks import notice, section

pytestmark = pytest.mark.anyio

METHOD = "views.update"
AFTER = notice("After", [section("after")])


class Sleeper:
    """Remembers for how many seconds it was to sleep."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
async def view_id(slack: LocalSlack, client: AsyncWebClient) -> str:
    """A form that bob has before him."""
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    return await open_form(client, trigger_id, notice("Before", [section("before")]))


def title(slack: LocalSlack) -> str:
    form = slack.person("bob").form
    assert form
    return form.title


@pytest.mark.parametrize("error", ["fatal_error", "ratelimited"])
async def test_what_passes_in_a_moment_is_tried_again(
    slack: LocalSlack, client: AsyncWebClient, view_id: str, error: str
) -> None:
    slack.fail_next(METHOD, error, times=2)
    sleep = Sleeper()

    await put_form(client, view_id, AFTER, sleep=sleep)

    assert title(slack) == "After"
    assert len(sleep.slept) == 2


async def test_it_is_not_tried_for_ever(
    slack: LocalSlack, client: AsyncWebClient, view_id: str
) -> None:
    slack.fail_next(METHOD, "fatal_error", times=9)
    sleep = Sleeper()

    with pytest.raises(SlackUnavailableError):
        await put_form(client, view_id, AFTER, sleep=sleep)

    assert tuple(sleep.slept) == AGAIN_AFTER_S


async def test_nobody_sits_before_it_for_as_long_as_slack_may_ask(
    slack: LocalSlack, client: AsyncWebClient, view_id: str
) -> None:
    slack.fail_next(METHOD, retry_after_s=FORM_WAIT_S + 1)
    sleep = Sleeper()

    with pytest.raises(SlackRateLimitedError):
        await put_form(client, view_id, AFTER, sleep=sleep)

    assert sleep.slept == []


async def test_a_form_that_was_closed_is_not_tried_again(
    slack: LocalSlack, client: AsyncWebClient, view_id: str
) -> None:
    form = slack.person("bob").form
    assert form
    await slack.person("bob").close(form)
    sleep = Sleeper()

    with pytest.raises(SlackRefusedError):
        await put_form(client, view_id, AFTER, sleep=sleep)

    assert sleep.slept == []
