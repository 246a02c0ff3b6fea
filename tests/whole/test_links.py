"""Names of domains as links to the service, where the operator says how (M28)."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.blocks.builders import link_cell
from bot.blocks.links import domain_url, linked_name, use_template
from tests.loops import loop_over
from tests.whole.digests import at_nine, make, score
from tests.whole.harness import Harness, running_bot, running_stand_ins
from tests.whole.test_alerts import next_alert, next_look, redrawn
from tests.whole.test_bulk_scan import message_with
from tests.whole.test_digest_shapes import typed

pytestmark = pytest.mark.transports("socket")


URL = "https://tracker.example/domains/{domainId}?name={domain}"


def with_links(app: Harness) -> Harness:
    settings = app.settings.model_copy(update={"domain_tracker_domain_url": URL})
    return replace(app, settings=settings)


async def test_names_in_digests_and_alerts_are_links(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as stand_ins:
        app = with_links(stand_ins)
        record = app.account.add("www.example", health=97)
        async with running_bot(app):
            await app.connect()
            await make(app)
            await at_nine(app)
            score(app, "www.example", 30)
            digest = await at_nine(app)
            await app.bob.press(digest, "Details")
            details = await redrawn(app.bob, "Digest details")
            await typed(app, "every 15 minutes UTC", "Saved")
            await next_look(app)
            score(app, "www.example", 10)
            alert = await next_alert(app, app.bob)

    address = f"<https://tracker.example/domains/{record.domain_id}?name=www.example|www.example>"
    assert address in str(digest.content)
    assert address in str(details.content)
    assert address in str(alert.content)


async def test_names_in_lists_scans_and_summaries_are_links(
    tmp_path: Path, transport: str
) -> None:
    async with running_stand_ins(tmp_path, transport) as stand_ins:
        app = with_links(stand_ins)
        record = app.account.add("münchen.example", health=41, tags=("prod",))
        app.account.scan_results["münchen.example"] = {
            "security": {"issues": [{"severity": "high", "title": "An issue"}]}
        }
        async with running_bot(app):
            await app.connect()
            scan = await app.ask(app.bob, "/scan münchen.example")
            listed = await app.ask(app.bob, "/domains")
            await app.press(app.bob, await app.ask(app.bob, "/scan tag:prod"), "Start")
            summary = await message_with(app, "1 domain scanned")

    address = f"https://tracker.example/domains/{record.domain_id}?name=xn--mnchen-3ya.example"
    [_titles, [name, *_cells]] = listed.blocks[2]["rows"]
    assert name == link_cell("münchen.example", address)
    assert "münchen.example" in listed.text
    assert f"<{address}|münchen.example" in str(scan.content)
    assert f"<{address}|münchen.example" in str(summary.content)


@loop_over(
    ("template", "domain_id", "url"),
    [
        (None, "d1", None),
        ("https://t.example/{domainId}", None, None),
        ("https://t.example/{domainId}", "a/b c", "https://t.example/a%2Fb%20c"),
        ("https://t.example/{domain}", None, "https://t.example/shop.example"),
    ],
)
def test_a_name_has_an_address_where_all_of_it_is_known(
    template: str | None, domain_id: str | None, url: str | None
) -> None:
    use_template(template)

    assert domain_url("shop.example", domain_id) == url
    assert linked_name("shop.example", domain_id) == (
        f"*<{url}|shop.example>*" if url else "*shop.example*"
    )
    use_template(None)
