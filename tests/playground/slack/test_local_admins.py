"""What administrators do to channels, people and the app, and how Slack answers from then on."""

import pytest

from bot.playground.slack import CommandFailed, LocalSlack
from tests.playground.slack.conftest import Api


async def posted(slack: LocalSlack, api: Api, name: str) -> str:
    """Return the error of posting to a channel; "ok" if there is none."""
    answer = await api("chat.postMessage", channel=slack.channel(name).id, text="x")
    return str(answer.get("error", "ok"))


@pytest.mark.parametrize(
    ("name", "keeps_bot", "while_archived", "afterwards"),
    [
        ("general", False, "is_archived", "not_in_channel"),
        ("general", True, "is_archived", "ok"),
        ("secret", False, "channel_not_found", "channel_not_found"),
        ("secret", True, "is_archived", "ok"),
    ],
)
async def test_an_archived_channel_takes_nothing_and_loses_the_app(
    slack: LocalSlack, api: Api, name: str, keeps_bot: bool, while_archived: str, afterwards: str
) -> None:
    slack.archive(name, keeps_bot=keeps_bot)
    refused = await posted(slack, api, name)
    with pytest.raises(CommandFailed, match="is_archived"):
        slack.person("bob").say("Hello", name)

    slack.unarchive(name)

    assert (refused, await posted(slack, api, name)) == (while_archived, afterwards)
