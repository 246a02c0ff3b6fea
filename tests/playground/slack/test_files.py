"""Files that the bot uploads: three steps, each of which can be refused."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api

Json = dict[str, Any]
CSV = b"\xef\xbb\xbfdomain,health\r\nexample.com,41\r\n"


@pytest.fixture
async def slack(slack: LocalSlack) -> LocalSlack:
    slack.world.scopes = ("chat:write", "files:write")
    return slack


async def uploaded(api: Api, http: aiohttp.ClientSession, content: bytes = CSV) -> str:
    """Take the first two steps and return the file's id."""
    got = await api("files.getUploadURLExternal", filename="domains.csv", length=len(content))
    async with http.post(got["upload_url"], data=content) as response:
        assert (response.status, await response.text()) == (200, f"OK - {len(content)}")
    return str(got["file_id"])


async def complete(api: Api, file_id: str, channel_id: str | None, **more: Any) -> Json:
    files = [{"id": file_id, "title": "Your domains"}]
    return await api("files.completeUploadExternal", files=files, channel_id=channel_id, **more)


async def test_the_sdk_uploads_a_file_that_people_read(slack: LocalSlack) -> None:
    client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)

    answer = await client.files_upload_v2(
        filename="domains.csv", content=CSV, channel=slack.channel("general").id,
        initial_comment="12 domains", title="Your domains",
    )  # fmt: skip

    message = await slack.person("bob").next_message()
    assert (message.text, message.everything) == ("12 domains", "12 domains\nYour domains")
    assert message.files[0]["id"] == answer["file"]["id"]
    assert await slack.person("bob").download(message) == CSV
    # Where it is shared is known only later: https://github.com/slackapi/bolt-js/issues/2115.
    assert answer["file"]["shares"] == {}


async def test_a_file_is_private(slack: LocalSlack, api: Api, http: aiohttp.ClientSession) -> None:
    bob, cy = slack.person("bob"), slack.person("cy")
    private = slack.world.workspace.direct_message(bob.member).id
    await complete(api, await uploaded(api, http), private)
    message = await bob.next_message("dm")

    with pytest.raises(PermissionError):
        await cy.download(message)
    async with http.get(message.files[0]["url_private_download"], allow_redirects=False) as got:
        assert got.status == 302
    with pytest.raises(PermissionError, match="302"):
        await slack.add_workspace("elsewhere").person("bob").download(message)
    slack.world.posting.remove(slack.world.workspace.channels[private].messages[0])
    with pytest.raises(PermissionError):
        await bob.download(message)


async def test_an_address_takes_one_upload(api: Api, http: aiohttp.ClientSession) -> None:
    got = await api("files.getUploadURLExternal", filename="a.csv", length=len(CSV))

    answers = [await http.post(got["upload_url"], data=data) for data in (b"a", CSV, CSV)]

    assert [each.status for each in answers] == [400, 200, 404]


async def test_a_file_needs_the_bot(
    slack: LocalSlack, api: Api, http: aiohttp.ClientSession
) -> None:
    slack.world.scopes = ("chat:write", "chat:write.public", "files:write")

    refused = await complete(api, await uploaded(api, http), slack.channel("random").id)

    assert refused["error"] == "not_in_channel"
