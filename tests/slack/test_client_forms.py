"""Forms: drawn again, and once more when Slack fails for a moment."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.builders import notice, section
from bot.playground.slack import LocalSlack
from bot.slack.client import open_form, update_form
from bot.slack.errors import SlackUnavailableError

METHOD = "views.update"


class Form:
    """A form that bob has before him."""

    def __init__(self, slack: LocalSlack, client: AsyncWebClient, view_id: str) -> None:
        self.slack, self.client, self.view_id = slack, client, view_id

    @property
    def title(self) -> str:
        form = self.slack.person("bob").form
        assert form
        return form.title

    async def update(self) -> None:
        await update_form(self.client, self.view_id, notice("After", [section("after")]))


@pytest.fixture
async def form(slack: LocalSlack, client: AsyncWebClient) -> Form:
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    view = notice("Before", [section("before")])
    return Form(slack, client, await open_form(client, trigger_id, view))


@pytest.mark.parametrize("error", [None, "fatal_error", "ratelimited"])
async def test_what_passes_in_a_moment_is_tried_again(form: Form, error: str | None) -> None:
    if error:
        form.slack.fail_next(METHOD, error)

    await form.update()

    assert form.title == "After"


async def test_it_is_not_tried_for_ever(form: Form) -> None:
    form.slack.fail_next(METHOD, "fatal_error", times=2)

    with pytest.raises(SlackUnavailableError):
        await form.update()

    assert form.title == "Before"
