"""Forms: drawn again only as they were seen, and again when Slack fails for a moment."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from bot.slack.client import AGAIN_AFTER_S, LONGEST_REPEAT_S, open_form, put_form, update_form
from bot.slack.errors import (
    FormChangedError,
    SlackRateLimitedError,
    SlackUnavailableError,
)
from bot.views.blocks import notice, section

pytestmark = pytest.mark.anyio

METHOD = "views.update"


class Form:
    """A form that bob has before him, and for how many seconds its redrawing slept."""

    def __init__(self, slack: LocalSlack, client: AsyncWebClient, view_id: str) -> None:
        self.slack, self.client, self.view_id = slack, client, view_id
        self.slept: list[float] = []

    @property
    def title(self) -> str:
        form = self.slack.person("bob").form
        assert form
        return form.title

    @property
    def hash(self) -> str:
        [seen] = [view for view in self.slack.world.stacks.live() if view.id == self.view_id]
        return seen.hash

    async def update(self, title: str, view_hash: str | None = None) -> None:
        view = notice(title, [section(title)])
        await update_form(self.client, self.view_id, view, view_hash=view_hash)

    async def put(self) -> None:
        view = notice("After", [section("after")])
        await put_form(self.client, self.view_id, view, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
async def form(slack: LocalSlack, client: AsyncWebClient) -> Form:
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    view = notice("Before", [section("before")])
    return Form(slack, client, await open_form(client, trigger_id, view))


async def test_a_form_is_replaced_as_it_was_seen_or_in_any_state(form: Form) -> None:
    seen = form.hash
    await form.update("Second", seen)

    with pytest.raises(FormChangedError):
        await form.update("Third", seen)
    assert form.title == "Second"
    await form.update("Third")

    assert form.title == "Third"


@pytest.mark.parametrize("error", ["fatal_error", "ratelimited"])
async def test_what_passes_in_a_moment_is_tried_again(form: Form, error: str) -> None:
    form.slack.fail_next(METHOD, error, times=2)

    await form.put()

    assert (form.title, len(form.slept)) == ("After", 2)


async def test_it_is_not_tried_for_ever(form: Form) -> None:
    form.slack.fail_next(METHOD, "fatal_error", times=9)

    with pytest.raises(SlackUnavailableError):
        await form.put()

    assert tuple(form.slept) == AGAIN_AFTER_S


async def test_nobody_sits_before_it_for_as_long_as_slack_may_ask(form: Form) -> None:
    form.slack.fail_next(METHOD, retry_after_s=LONGEST_REPEAT_S + 1)

    with pytest.raises(SlackRateLimitedError):
        await form.put()

    assert form.slept == []
