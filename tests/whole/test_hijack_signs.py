"""A domain whose name servers change: in the next digest, and in an alert (H6)."""

import pytest

from bot.blocks.text import moment_text
from tests.whole.digests import at_nine, digests, headline, make, until_listed
from tests.whole.harness import Harness
from tests.whole.test_alerts import ALERT, next_alert, next_look

pytestmark = pytest.mark.transports("socket")


async def scan(app: Harness, server: str) -> None:
    """Scan a domain that has this name server."""
    app.account.scan_results["www.example"] = {
        "whois": {"registrar": "A Registrar", "nameServers": [server]},
        "dns": {"NS": [server]},
    }
    await app.bob.type("/scan www.example")
    await app.bob.next_message(where=lambda each: "Scan of" in each.everything)


async def test_changed_name_servers_are_in_the_next_digest_once(ready: Harness) -> None:
    await scan(ready, "ns1.a.example")
    await make(ready, {"Post": "When something got worse"})
    await at_nine(ready)
    await scan(ready, "ns1.b.example")

    post = await at_nine(ready)
    await until_listed(ready, f"Last run {moment_text(ready.clock())}")

    news = "www.example: name servers ns1.a.example to ns1.b.example."
    assert post.text.startswith(news)
    assert "Changed: did your team do this?" in post.everything
    assert len(digests(ready)) == 2


async def test_a_person_who_knows_of_a_change_ends_its_card(ready: Harness) -> None:
    await scan(ready, "ns1.a.example")
    await make(ready, ALERT)
    await next_look(ready)
    await scan(ready, "ns1.b.example")
    alert = await next_alert(ready, ready.bob)

    await ready.bob.press(alert, "Expected")
    line = await ready.bob.next_message(where=lambda each: each.thread_ts == alert.ts)
    ended = await ready.bob.next_message(where=lambda each: "Expected:" in headline(each))

    assert ended.ts == alert.ts
    assert headline(ended) == "✅ Expected: www.example changed"
    assert f"expected by <@{ready.bob.id}>" in ended.everything
    assert "Expected" not in ended.buttons
    assert "name servers ns1.a.example → ns1.b.example – expected by" in line.everything


async def test_what_a_person_knew_of_is_expected_in_digests_and_on_other_cards(
    ready: Harness,
) -> None:
    await scan(ready, "ns1.a.example")
    await make(ready, ALERT)
    await make(ready, ALERT | {"Channel": "secret"}, channel="secret")
    await make(ready)
    await next_look(ready)
    await scan(ready, "ns1.b.example")
    alert = await next_alert(ready, ready.bob)
    await ready.bob.next_message("secret", where=lambda each: "ns1.b.example" in each.text)

    await ready.bob.press(alert, "Expected")
    await ready.bob.next_message(where=lambda each: "Expected:" in headline(each))
    await next_look(ready)
    other = await ready.bob.next_message(
        "secret", where=lambda each: "Expected:" in headline(each)
    )
    post = await at_nine(ready)

    assert f"expected by <@{ready.bob.id}>" in other.everything
    assert "name servers ns1.a.example → ns1.b.example – expected" in post.everything
    assert "Changed, as expected" in post.everything
    assert "did your team do this" not in post.everything
