"""A post that fits a screen, its details, and what a channel reads of its digests."""

import pytest

from bot.playground.slack import Message
from tests.whole.digests import at_nine, make, open_list, press_in, score, until_listed
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


def kinds(message: Message) -> list[str]:
    return [block["type"] for block in message.blocks]


async def test_the_trend_is_a_line_in_the_post_and_a_chart_in_its_details(ready: Harness) -> None:
    await make(ready)
    for points in (41, 45, 49):
        score(ready, "shop.example", points)
        post = await at_nine(ready)
    await ready.bob.press(post, "Details")
    details = await ready.bob.next_message(where=lambda each: "Digest details" in each.everything)

    [chart] = [block for block in details.blocks if block["type"] == "data_visualization"]
    [table] = [block for block in post.blocks if block["type"] == "data_table"]
    values = {point["value"] for each in chart["chart"]["series"][1:] for point in each["data"]}
    assert "data_visualization" not in kinds(post)
    assert "average 69 → 73 over 3 digests" in post.everything
    assert values == {0, 100}
    assert [cell["text"] for cell in table["rows"][0]] == ["Domain", "Health", "Change"]
    assert table["rows"][1][1]["text"] == "🔴 49"


async def test_the_channel_reads_who_paused_resumed_and_deleted_a_digest(ready: Harness) -> None:
    async def told(words: str) -> Message:
        return await ready.ada.next_message(where=lambda each: words in each.everything)

    await make(ready, {"Name": "Prod"})
    await ready.bob.type("/domaindigest pause Prod")
    await told("*bob* paused the digest")
    await press_in(ready.bob, await open_list(ready, ready.bob), "Resume")
    await told("*bob* resumed the digest")
    await ready.bob.type("/domaindigest delete Prod")

    assert "*Prod*" in (await told("*bob* deleted the digest")).everything


async def test_the_whole_list_follows_as_csv_in_the_thread_if_the_digest_wants_it(
    ready: Harness,
) -> None:
    await make(ready, {"Filter": "tag:prod", "File": ["The whole list as CSV in the thread"]})
    post = await at_nine(ready)

    file = await ready.bob.next_message(where=lambda each: bool(each.files))
    rows = (await ready.bob.download(file)).decode("utf-8-sig").splitlines()

    assert file.thread_ts == post.ts
    assert [row.split(",")[0] for row in rows] == ['"name"', '"shop.example"', '"www.example"']


async def test_without_the_permission_the_post_is_there_and_counts(ready: Harness) -> None:
    ready.slack.fail_next("files.getUploadURLExternal", "missing_scope")
    await make(ready, {"File": ["The whole list as CSV in the thread"]})

    post = await at_nine(ready)
    listed = await until_listed(ready, "posted")

    assert "3 domains" in post.everything
    assert "⚠️" not in listed.everything
