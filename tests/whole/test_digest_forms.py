"""What people do with digests in forms, and what of that one sees in the channel."""

import pytest

from tests.whole.digests import at_nine, make, next_digest, open_list, press_in, score
from tests.whole.harness import Harness


@pytest.fixture
def transport() -> str:
    """What forms do is the same whatever carries them."""
    return "socket"


async def test_a_preview_is_for_one_person_alone_and_changes_nothing(ready: Harness) -> None:
    listed = await make(ready)

    preview = await press_in(ready.bob, listed, "Preview")
    await ready.bob.close(preview)
    below = ready.bob.form
    again = await open_list(ready, ready.bob)

    assert "only you can see this" in preview.everything
    assert "3 domains" in preview.everything
    assert preview.buttons == []
    assert below is not None
    assert below.id == listed.id
    assert "Preview" in below.buttons
    assert "No runs yet" in again.everything
    for person in (ready.bob, ready.ada):
        assert not any("Preview" in each.everything for each in person.messages())


async def test_what_was_sent_by_hand_is_what_the_next_one_compares_with(ready: Harness) -> None:
    listed = await make(ready, {"Post": "When something got worse"})
    await press_in(ready.bob, listed, "Send now")
    by_hand = await next_digest(ready)
    score(ready, "www.example", 60)

    at_its_time = await at_nine(ready)

    posts = [call for call in ready.slack.calls if call.method == "chat.postMessage"]
    assert "Sent now by *bob*" in by_hand.everything
    assert "▼ \N{MINUS SIGN}37" in at_its_time.everything
    for post in posts:
        assert str(post.arguments["unfurl_links"]).lower() == "false"
        assert str(post.arguments["unfurl_media"]).lower() == "false"
