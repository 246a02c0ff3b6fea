"""Fields that tell the bot at once, and what stays in them when the bot changes the form."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api, Open
from tests.playground.slack.samples import (
    form,
    text_field,
)

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


async def test_what_is_typed_outlives_new_initial_values(
    slack: LocalSlack, opened: Open, api: Api
) -> None:
    ada, old = slack.person("ada"), text_field("Name", initial_value="old")
    view = await opened(form(old, text_field("Untouched", initial_value="first")))
    await ada.choose(view, "Name", "typed")

    new = form(text_field("Name", initial_value="new"), text_field("Untouched", initial_value="2"))
    await api("views.update", view_id=view.id, view=new)

    assert (await ada.next_form()).values == {"Name": "typed", "Untouched": "first"}
